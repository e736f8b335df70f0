"""Whether the queue of the other direction is the one to mend first.

A full buffer there delays the acknowledgements of this direction, so that its transfers have a round trip of several
times the base. The recommendation is the best for that; a short queue in the other direction may be worth more, and
with it another setting may be the better one: a long target bridges the long round trip and only adds delay without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..metrics import statistics
from ..quantities import wording
from .bench import Bench, PairedTrial, block
from .candidates import Candidate
from .decision import default_distance, reported
from .initial_designs import is_default
from .link_mix import MixLink
from .measures import Measure, main_measures
from .names import setting
from .validation import Validation

#: Discipline that the other direction gets, and the one it has where nothing is known of it.
SHORT, UNKNOWN = "fq_codel", "droptail"
#: Most runs with each of these two queues.
RUNS = 8


@dataclass(frozen=True)
class OtherDirection:
    """The recommendation with both queues in the other direction, on the same trials.

    Attributes:
        link: The other direction as ``--link`` takes it.
        direction: Its name.
        gain: Gain of the objective in points, positive where it is better with `SHORT`.
        measures: By measure the mean with the queue that was assumed, and the change with `SHORT`.
        usual: The setting of the same discipline nearest its defaults; "" if the recommendation is that.
        ahead: Lead of the objective in points, positive where that setting is the better one with `SHORT`.
    """

    link: str
    direction: str
    gain: statistics.PairedDifference
    measures: Mapping[Measure, tuple[float, statistics.PairedDifference]]
    usual: str = ""
    ahead: statistics.PairedDifference | None = None


def advice(validation: Validation, seed: int, until: float | None) -> str:
    """The sentence on a gain beyond the margin; "" where there is none for sure, and without a feasible design."""
    best = validation.decide()
    if validation.misses(best):
        return ""
    own = [one for one in validation.candidates if one.kind_as_loaded == best.kind_as_loaded]
    usual = min(own, key=lambda one: default_distance(one))
    comparison = compare(validation.bench, best, seed, until=until, usual=None if usual is best else usual)
    return sentence(comparison, validation.margin) if comparison is not None else ""


def compare(
    bench: Bench, best: Candidate, seed: int, *, until: float | None, usual: Candidate | None = None
) -> OtherDirection | None:
    """The comparison; None where the question has one direction or one that is known, and where time is short. With the
    setting ``usual`` also of that, where there is time."""
    link, goal = bench.question.link, bench.question.goal
    if not isinstance(link, MixLink) or link.spec.profile.back != UNKNOWN or len(goal.objectives) > 1:
        return None
    profile = replace(link.spec.profile, back=SHORT)
    two_way = replace(bench.question, link=replace(link, spec=replace(link.spec, profile=profile)))
    other = bench.for_question(two_way)
    conditions = bench.question.conditions()[:RUNS]
    blocks = [block(conditions, seed + number) for number in range(max(2, RUNS // len(conditions)))]
    trials = [trial for some in blocks for trial in some]
    for one in (bench, other):
        if not one.run([(best, trial) for trial in trials], until=until):
            return None
    before, after = ([one.points(best, trial)[0] for trial in trials] for one in (bench, other))
    gain = statistics.paired(before, after)
    if gain is None:
        return None
    changes = {one: _change(bench, other, best, trials, one) for one in reported(goal)}
    known = {one: pair for one, pair in changes.items() if pair is not None}
    direction = "down" if link.direction == "up" else "up"
    typed = replace(link.spec, direction=direction).typed({})
    comparison = OtherDirection(typed, direction, gain, known)
    if usual is None or not goal.objectives[0].in_points:
        return comparison
    if not other.run([(usual, trial) for trial in trials], until=until):
        return comparison
    ahead = statistics.paired(*([other.points(one, trial)[0] for trial in trials] for one in (best, usual)))
    return replace(comparison, usual=usual.name if is_default(usual) else setting(usual), ahead=ahead)


def _change(
    bench: Bench, other: Bench, best: Candidate, trials: list[PairedTrial], measure: Measure
) -> tuple[float, statistics.PairedDifference] | None:
    """The mean of a measure on a bench, and its change on the other one, in the trials with a value on both."""
    before, after = ([where.value(best, trial, measure.key) for trial in trials] for where in (bench, other))
    change = statistics.paired(after, before)
    if change is None:
        return None
    return statistics.mean([value for value in before if value is not None]), change


def sentence(comparison: OtherDirection, margin: float) -> str:
    """The sentence on a gain beyond the margin; "" where there is none for sure. It names changes: their runs are not
    those of the answer, so that means would differ from its own."""
    half = comparison.gain.half_width
    if half is None or comparison.gain.mean - half <= margin:
        return ""
    main = main_measures(list(comparison.measures), lambda one: comparison.measures[one][0])
    parts = []
    for one in main:
        before, change = comparison.measures[one]
        sure = change.half_width is not None and abs(change.mean) > change.half_width
        if sure and not wording.reads_alike(before, before + change.mean):
            by = wording.amount(abs(change.mean), change.half_width, _unit(one))
            parts.append(f"{one.text} is {by} {'higher' if change.mean > 0 else 'lower'}")
    changes = (
        wording.listed(parts) or f"the goal is {wording.amount(comparison.gain.mean, half, 'points')} better"
    )
    return (
        f"The queue of the other direction, assumed to be tail drop, matters as well: with FQ-CoDel there {changes}; "
        f"tune it first (dropcurve tune --link {comparison.link}){_then(comparison, margin)}"
    )


def _unit(one: Measure) -> str:
    """The unit of a difference."""
    return "percentage points" if one.unit == "%" else one.unit


def _then(comparison: OtherDirection, margin: float) -> str:
    """Clause on the setting to load here once the other direction has a short queue, if another one is better then."""
    ahead = comparison.ahead
    if ahead is None or ahead.half_width is None or ahead.mean - ahead.half_width <= margin:
        return ""
    by = wording.amount(ahead.mean, ahead.half_width, "points")
    return f", and then load {comparison.usual} here, which is {by} better than this setting there"
