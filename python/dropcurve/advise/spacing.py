"""The share of packets that RED drops or marks at a constant base probability, by the spacing of marks.

Reference: FJ93 (Floyd and Jacobson 1993) and the dialects of `red`. Units: probabilities are plain, gaps count
packets.

A mark's *spacing* is the rule that turns `p_b` into a decision for each packet. At a steady average the
share is one over the mean distance between marks, which `share` computes:

| spacing                   | distance between marks             | share, p_b small |
|---------------------------|------------------------------------|------------------|
| `pseudocode`, `unclamped` | uniform on 1 … 1/p_b − 1           | 2 p_b            |
| `text`, `cycle`           | uniform on 1 … 1/p_b               | 2 p_b            |
| `double`                  | uniform on 1 … 2/p_b − 1           | p_b              |
| `modulus`                 | uniform on 1 … 2/p_b, as intended  | p_b              |
| `geometric`               | geometric, no memory               | p_b              |
| `wait`                    | uniform on 1/p_b … 2/p_b − 1       | 2/3 p_b          |
"""

from __future__ import annotations

import math

from ..errors import UsageError

#: Spacings by the rule they share in the long run.
RULES = {
    "pseudocode": "pseudocode",
    "unclamped": "pseudocode",
    "text": "text",
    "cycle": "text",
    "double": "double",
    "modulus": "modulus",
    "geometric": "geometric",
    "wait": "wait",
}


def share(p_b: float, spacing: str) -> float:
    """One over the mean distance between marks at constant `p_b`."""
    if p_b <= 0.0:
        return 0.0
    if p_b >= 1.0 or spacing == "geometric":
        return min(p_b, 1.0)
    return 1.0 / mean_gap(p_b, spacing)


def mean_gap(p_b: float, spacing: str) -> float:
    """Mean number of packets from one mark to the next, the marked one included.

    It is the sum over n of the probability that n packets pass unmarked, which falls linearly with n.
    """
    rule = RULES.get(spacing)
    if rule == "pseudocode":  # p_a = p_b / (1 - n p_b), n = 1 for the first packet
        return _falling(p_b / (1.0 - p_b)) if p_b < 0.5 else 1.0
    if rule == "text":  # the same with n = 0 for the first
        return _falling(p_b)
    if rule == "double":  # p_a = p_b / (2 - n p_b), n = 1 for the first
        return _falling(p_b / (2.0 - p_b))
    if rule == "modulus":  # the same with n = 0 for the first
        return _falling(p_b / 2.0)
    if rule == "wait":  # nothing while n p_b < 1, then p_b / (2 - n p_b)
        free = math.ceil(1.0 / p_b - 1e-9) - 1.0
        return float(free + _falling(p_b / (2.0 - (free + 1.0) * p_b)))
    raise UsageError("spacing", repr(spacing), f"must be one of {', '.join(RULES)}", "choose one of these")


def _falling(step: float) -> float:
    """Sum of 1, 1 - step, 1 - 2 step … while positive."""
    last = math.floor(1.0 / step + 1e-9)
    return float((last + 1.0) - step * last * (last + 1.0) / 2.0)
