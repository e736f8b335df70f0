"""Shrinks a case to a minimal one that keeps a share of the harm, as a failing property test is shrunk.

A step removes a part, sets a parameter to its usual value, halves it towards that, or shortens its digits. A
step is accepted if the harm remains with common seeds; passes repeat until no step is accepted.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...metrics import split, statistics
from . import traffic
from .bounds import Case
from .parameters import PARAMETERS
from .trials import Trials

#: Order of the parameters: parts of the traffic first, then its mixture, then numbers.
ORDER = (
    "loss", "short", "cbr", "pulse_rate", "rtt_ratio", "start", "datagram", "loss_burst", "senders", "cc", "flows",
    "rtt", "pulse_width", "pulse_period", "window", "call",
)  # fmt: skip
#: Passes over all parameters, at most.
PASSES = 4
#: Further seeds on which the minimal case must keep the harm.
CHECKS = 6
#: Shortest measurement window in seconds.
LEAST_WINDOW_S = 5.0


def shrink(trials: Trials, case: Case, seeds: list[int], keep: float) -> Case:
    """The minimal case.

    Args:
        trials: Makes the runs.
        case: The worst case.
        seeds: Common to all comparisons.
        keep: Share of the harm that must remain.

    Returns:
        A case inside the same bounds.
    """
    trials.stage = "shrinking"
    mild = trials.enveloped(trials.bounds.mild())
    whole, usual = trials.means([case, mild], seeds)
    wanted = keep * whole if whole > 0 else whole
    # Usual traffic may cause the harm already.
    best = mild if usual >= wanted else dict(case)
    trail = [dict(case), best]
    for _ in range(PASSES):
        before = dict(best)
        for name in ORDER:
            best = _step(trials, best, name, seeds, wanted)
            trail += [best] if best != trail[-1] else []
        if best == before or trials.late:
            break
    return _last_that_holds(trials, trail, [seeds[-1] + 1 + number for number in range(CHECKS)], keep)


def _last_that_holds(trials: Trials, trail: list[Case], seeds: list[int], keep: float) -> Case:
    """The simplest of the accepted cases that keeps the harm on further seeds, since a step may have been
    accepted by chance."""
    whole = trials.means(trail[:1], seeds)[0]
    for case in reversed(trail[1:]):
        if trials.late or trials.means([case], seeds)[0] >= keep * whole:
            return case
    return trail[0]


def _step(trials: Trials, case: Case, name: str, seeds: list[int], wanted: float) -> Case:
    """The case with the simplest value of a parameter that keeps the harm."""
    if trials.late:
        return case
    some: dict[tuple[object, ...], Case] = {}
    for value in simpler(trials, case, name):
        enveloped = trials.enveloped({**case, name: value})
        if enveloped != case and _inside(trials, enveloped, name):
            some.setdefault(tuple(sorted(enveloped.items())), enveloped)
    distinct = list(some.values())
    for one, loss in zip(distinct, trials.means(distinct, seeds), strict=True):
        if loss >= wanted:
            return one
    return case


def simpler(trials: Trials, case: Case, name: str) -> Iterator[float | str]:
    """Simpler values of a parameter, the simplest first."""
    bounds = trials.bounds
    if name == "window":
        warmup, duration = traffic.times(trials.link, case)
        window = duration - warmup
        if window / 2.0 >= LEAST_WINDOW_S:
            yield float(round(window / 2.0))
        return
    if name == "call":
        scopes = {split(one.key)[1] for one in trials.harm.measures}
        if float(case.get("call", 1.0)) > 0 and "call" not in scopes:
            yield 0.0
        return
    if name in bounds.choices:
        yield from bounds.choices[name][: bounds.choices[name].index(str(case[name]))]
        return
    axis, own = bounds.ranges[name], float(case[name])
    usual = float(bounds.mild()[name])
    if name == "flows":
        # Fewer are simpler, even below the usual number.
        counts = sorted({1, 2, round(usual), round(own / 4), round(own / 2), round(0.75 * own)})
        yield from (float(count) for count in counts if axis.low <= count < own)
        return
    if own == usual:
        return
    yield usual
    if PARAMETERS[name].usual == 0:
        yield from (own / 4.0, own / 2.0)
    for digits in (1, 2):
        yield float(f"{own:.{digits}g}")


def _inside(trials: Trials, case: Case, name: str) -> bool:
    """Whether a value lies in its bounds, or is the 0 that leaves a part out where the bounds allow it."""
    if name not in trials.bounds.ranges:
        return True
    axis = trials.bounds.ranges[name]
    return axis.low <= float(case[name]) <= axis.high


def validated(trials: Trials, case: Case, seeds: list[int]) -> statistics.Interval:
    """The harm (or regret) of a case over fresh seeds, with its interval."""
    return statistics.t_interval(trials.losses([case], seeds)[0])
