"""Whether an imported queue is any good: is there one that is better in delay or goodput and no worse in the
other?
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..quantities import wording

if TYPE_CHECKING:
    from ..results import Result
    from ..results.tables import Difference

DELAY, GOODPUT = "sojourn_ms_p95", "goodput_bps"


def judgement(result: Result) -> str:
    """A sentence or two about the first variant against the others; only real differences count (paired, Holm)."""
    found: dict[str, dict[str, Difference]] = {}
    for one in result.differences(only=[DELAY, GOODPUT]):
        found.setdefault(one.variant, {})[one.metric] = one
    beaten = {name: _gains(both) for name, both in found.items()}
    better = [f"{name} ({', '.join(gains)})" for name, gains in beaten.items() if gains]
    yours = result.baseline.name
    if better:
        return f"{yours} is beaten by {'; '.join(better)}, without a loss in p95 delay or goodput that could be seen."
    worse = [name for name, both in found.items() if _loses(both)]
    tail = f" {', '.join(worse)} would be worse in both or in one without a gain." if worse else ""
    none = "none has less p95 delay or more goodput without a loss in the other"
    return f"{yours} is beaten by none of these: {none}.{tail}"


def _gains(both: dict[str, Difference]) -> list[str]:
    """What a rival has better, if nothing is worse."""
    if any(one.improves is False for one in both.values()):
        return []
    words = {DELAY: "p95 queueing delay", GOODPUT: "goodput"}
    return [f"{words[key]} {_signed(one)}" for key, one in both.items() if one.improves]


def _loses(both: dict[str, Difference]) -> bool:
    verdicts = [one.improves for one in both.values()]
    return False in verdicts and True not in verdicts


def _signed(one: Difference) -> str:
    text = wording.amount(one.mean, one.half_width, one.unit)
    return text if text.startswith("−") else f"+{text}"
