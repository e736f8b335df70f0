"""CoDel's target as a share of its interval.

RFC 8289 (section 4.3) advises 5 to 10 % of an interval of the longest usual round trip: the algorithm waits an interval
to tell a standing queue from a burst, and a target near the interval leaves no burst to tell. A search over both
parameters finds such settings where utilisation counts more than delay. So the best setting of each usual share is
validated beside one of a larger share, and the larger share is recommended only if it is shown to be better.
"""

from __future__ import annotations

import math

from ..quantities import units
from .candidates import Candidate
from .families import DEFAULTS, family
from .search_space import Coordinates, Family, Params, Sizing, log_range, show_span

#: Disciplines with the target and interval of CoDel, as axes of their search space.
KINDS = ("codel", "cobalt", "fq_codel", "fq_cobalt")
#: The largest share of the RFC, and the largest that is in use where a packet takes milliseconds.
SHARES = (0.1, 0.2)
#: Rounding of the two times, as a share, that does not count.
ROUNDING = 0.02


def share_of(candidate: Candidate) -> float | None:
    """Target over interval of a design; None for disciplines without these parameters."""
    kind, params = candidate.kind_as_loaded, candidate.params_as_loaded
    if kind not in KINDS:
        return None
    target, interval = (
        units.span(str(params[name])) if name in params else DEFAULTS[kind, name]
        for name in ("target", "interval")
    )
    return target / interval


def beyond(candidate: Candidate) -> int:
    """The number of `SHARES` that the share of a design exceeds: 0 for usual ones and for other disciplines."""
    share = share_of(candidate)
    return 0 if share is None else sum(share > one * (1.0 + ROUNDING) for one in SHARES)


def family_at(kind: str, sizing: Sizing, share: float) -> Family:
    """The settings of a discipline whose target is a given share of the interval, by the target."""
    whole = family(kind, sizing)
    target, interval = whole.axes["target"], whole.axes["interval"]
    low, high = max(target.low, share * interval.low), min(target.high, share * interval.high)

    def build(at: Coordinates) -> Params:
        return {**whole.params(at | {"interval": at["target"] / share}), "target": show_span(at["target"])}

    return Family(kind, {"target": log_range(low, high, "s")}, build, whole.read)


def alike(coordinates: Coordinates, share: float) -> Coordinates:
    """The target of a setting of a given share that acts about like another one: with the same geometric mean of target
    and interval."""
    return {"target": math.sqrt(share * coordinates["target"] * coordinates["interval"])}
