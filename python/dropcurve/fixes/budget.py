"""Bounds on a comparison of designs: the length of runs, and the designs and replications that a time allows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..quantities import units
from ..runs import threads
from ..runs.effort import Effort
from ..runs.replicate import replicate
from ..scenario import Scenario
from ..scenario.links import PACKET_BYTES
from .place import Place

#: Packets of a run at most, and the base round trips that it lasts at least: slow start takes ten of them.
MOST_PACKETS, LEAST_ROUNDS = 1_500_000, 40
#: Packets of a run from which on a search, which needs sixty runs, is made only if a time is stated.
SEARCHED_PACKETS = 1_000_000
#: Smallest comparison under a time limit: replications, and designs in addition to the one in use.
LEAST_REPLICATIONS, LEAST_DESIGNS = 3, 2
#: Share of a time limit for the search, if there is a search.
SEARCH_SHARE = 0.4
#: Runs of a search that has no limit of time: the fewest of a search, because the final comparison decides.
SEARCH_RUNS = 60


def packets(base: Scenario) -> float:
    """Full packets that the link of a scenario carries in a run."""
    rate = units.rate(str(base.get("dumbbell.rate")))
    return rate * units.span(str(base.get("run.duration"))) / (8.0 * PACKET_BYTES)


def shortened(where: Place, round_trip_s: float) -> Place:
    """The place with runs of `MOST_PACKETS` at most, under every condition; half of a run is warm-up at most."""

    def one(place: Place) -> Place:
        count = packets(place.base)
        length = units.span(str(place.base.get("run.duration")))
        wanted = max(LEAST_ROUNDS * round_trip_s, length * MOST_PACKETS / max(count, 1.0))
        if wanted >= length:
            return place
        warmup = min(units.span(str(place.base.get("run.warmup"))), wanted / 2.0)
        edits = [
            ("run.duration", units.show_span(_digits(wanted))),
            ("run.warmup", units.show_span(_digits(warmup))),
        ]
        return replace(place, base=place.base.edit(edits))

    return replace(one(where), others=tuple(map(one, where.others)))


def _digits(seconds: float) -> float:
    return float(f"{seconds:.2g}")


def searched(where: Place, seconds: float) -> bool:
    """Whether the share of a time that is for a search allows for `SEARCH_RUNS`: one run tells the time of each."""
    began = time.monotonic()
    replicate({"yours": where.base}, Effort(replications=1), name=where.base.name, cache="off")
    each = time.monotonic() - began
    return SEARCH_RUNS * each <= SEARCH_SHARE * seconds * threads.count(None)


@dataclass(frozen=True)
class Plan:
    """The designs of a comparison, the one in use first, and their replications.

    Attributes:
        names: Names of the designs.
        replications: Replications of each.
        dropped: Designs that did not fit into the time.
    """

    names: tuple[str, ...]
    replications: int
    dropped: int = 0


def plan(
    names: Sequence[str],
    *,
    conditions: int,
    replications: int,
    left_s: float,
    run: Callable[[Sequence[str]], Mapping[str, float]],
) -> Plan:
    """The comparison that fits into a time limit.

    Args:
        names: The designs, the one in use first.
        conditions: Conditions that each is run under.
        replications: Replications of each design, if there is time.
        left_s: Seconds that are left.
        run: Executes one replication of designs, and returns the deficit of each against the best of them.

    Returns:
        All designs if there is time for them. Otherwise one replication of all selects the best of them, if there is
        time for that, and at least `LEAST_DESIGNS` in addition to the one in use get `LEAST_REPLICATIONS`.
    """
    began = time.monotonic()
    run(names[:1])
    each = (time.monotonic() - began) / max(1, conditions)
    left = left_s - (time.monotonic() - began)
    able = left * min(threads.count(None), conditions * replications) / max(each, 1e-6)
    all_of_them = len(names) * conditions * replications
    if able >= all_of_them:
        return Plan(tuple(names), replications)
    others = list(names[1:])
    one_each = len(others) * conditions
    if able >= one_each + (LEAST_DESIGNS + 1) * conditions * LEAST_REPLICATIONS:
        behind = run(names)
        others.sort(key=lambda name: behind.get(name, float("inf")))
        able -= one_each
    count = min(replications, max(LEAST_REPLICATIONS, int(able / (conditions * (LEAST_DESIGNS + 1)))))
    kept = others[: max(LEAST_DESIGNS, int(able / (conditions * count)) - 1)]
    return Plan((names[0], *kept), count, len(others) - len(kept))
