"""Sentences on the difference of two validated designs: against the usual setting, and where runs do not bound it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..metrics.statistics import PairedDifference
from ..quantities import wording
from .decision import UNUSUAL, default_distance
from .findings import Findings
from .interval_share import SHARES, share_of
from .interval_share import beyond as beyond_usual
from .measures import Measure
from .names import named
from .terms import beyond, labels, points_of
from .validation_line import ValidationLine

#: Difference in percentage points below which two designs are the same.
LEAST = 5e-4
#: Groups of rivals in a sentence, in its order.
GROUPS = ("infeasible", "unsure", "worse", "no better", "equal", "better", "less usual", "undecided")


def against_usual(answer: Findings, best: ValidationLine, measures: Sequence[Measure]) -> Iterator[str]:
    """Sentence on what the recommended setting buys and costs against the one of its discipline that is nearest the
    defaults: a setting that nobody else uses has to be worth it."""
    own = [one for one in answer.lines[1:] if one.candidate.kind_as_loaded == best.candidate.kind_as_loaded]
    if not own:
        return
    usual = min(own, key=lambda one: default_distance(one.candidate))
    if default_distance(best.candidate) - default_distance(usual.candidate) < UNUSUAL:
        return
    kept = []
    changed: dict[bool, list[str]] = {True: [], False: []}
    for one in measures:
        mine, other = best.measures[one.key], usual.measures[one.key]
        if mine.mean is None or other.mean is None:
            continue
        apart = max(mine.half_width or 0.0, other.half_width or 0.0)
        if abs(mine.mean - other.mean) <= apart or wording.reads_alike(mine.mean, other.mean):
            kept.append(one.text)
            continue
        better = (mine.mean > other.mean) == (one.metric.better == "higher")
        values = [wording.amount(value, None, one.unit) for value in (mine.mean, other.mean)]
        changed[better].append(f"{one.text} {values[0]}, not {values[1]}")
    parts = [f"it buys {'; '.join(changed[True])}"] if changed[True] else []
    parts += [f"it costs {'; '.join(changed[False])}"] if changed[False] else []
    parts += [f"{wording.listed(kept)} {'is' if len(kept) == 1 else 'are'} about the same"] if kept else []
    pair, goal = usual.difference[0], answer.question.goal
    if pair is not None and pair.half_width is not None and abs(pair.mean) > pair.half_width:
        by = beyond(abs(pair.mean), pair.half_width, goal.objectives[0])
        gains = (pair.mean < 0) == goal.objectives[0].higher
        parts.append(f"{goal.names[0]} is {by} {'better' if gains else 'worse'}")
    elif pair is not None:
        parts.append(f"{goal.names[0]} {bounded_by(answer, usual, pair)}")
    if parts:
        name = labels(answer.lines)[usual.candidate.key]
        yield f"Against {name}, the setting nearest the defaults{_infeasible(usual)}: {'; '.join(parts)}"


def less_usual(answer: Findings, line: ValidationLine) -> bool:
    """Whether a rival is a setting of the same discipline with a larger share of target and interval, which is not
    recommended as the runs do not show that it is better."""
    best, rival = answer.best, line.candidate
    same = rival.kind_as_loaded == best.kind_as_loaded and beyond_usual(rival) > beyond_usual(best)
    return same and line.standing == "undecided"


def group_of(answer: Findings, line: ValidationLine) -> str:
    """The group of a rival, one of `GROUPS`."""
    if line.standing == "infeasible" and line.holds:
        return "unsure"
    return "less usual" if less_usual(answer, line) else str(line.standing)


def on_share(answer: Findings, best: ValidationLine) -> Iterator[str]:
    """Sentences on the share of CoDel's target and interval: what a share beyond the usual ones gains, and how far the
    settings are ahead that were left for a usual share."""
    share, kind = share_of(best.candidate), best.candidate.kind_as_loaded
    if share is not None and beyond_usual(best.candidate):
        own = [one for one in answer.lines[1:] if one.candidate.kind_as_loaded == kind]
        usual = [one for one in own if beyond_usual(one.candidate) < beyond_usual(best.candidate)]
        compared = f": {_nearest(answer, usual)}" if usual else ""
        yield (
            f"Its target is {100 * share:.0f} % of its interval, where RFC 8289 (section 4.3) advises 5 to 10 %"
            f"{compared}"
        )
    left = [one for one in answer.lines[1:] if less_usual(answer, one) and one.difference[0] is not None]
    if left:
        sign = 1.0 if answer.question.goal.objectives[0].higher else -1.0
        first = max(left, key=lambda one: sign * _mean(one))
        by = bounded_by(answer, first, first.difference[0]) if first.difference[0] else ""
        yield (
            f"{wording.count(len(left), 'setting')} of {named(best.candidate)} with a target of more than "
            f"{100 * SHARES[beyond_usual(best.candidate)]:.0f} % of the interval {'is' if len(left) == 1 else 'are'} "
            f"not shown to be better, so that the usual share is recommended; with "
            f"{labels(answer.lines)[first.candidate.key]} {answer.question.goal.names[0]} {by}"
        )


def _nearest(answer: Findings, usual: Sequence[ValidationLine]) -> str:
    """How the best setting of a smaller share compares with the recommendation."""
    sign = 1.0 if answer.question.goal.objectives[0].higher else -1.0
    rival = max(usual, key=lambda one: (one.standing != "infeasible", sign * _mean(one)))
    name, pair, goal = labels(answer.lines)[rival.candidate.key], rival.difference[0], answer.question.goal
    if rival.standing == "infeasible" or pair is None:
        return f"of the settings with a smaller share that were compared none holds the bounds; {name} comes closest"
    relation = bounded_by(answer, rival, pair)
    if pair.half_width is not None and abs(pair.mean) > pair.half_width:
        worse = (pair.mean < 0) == goal.objectives[0].higher
        by = beyond(abs(pair.mean), pair.half_width, goal.objectives[0])
        relation = f"is {by} {'worse' if worse else 'better'}"
    return f"with {name}, the best setting compared of a smaller share, {goal.names[0]} {relation}"


def _mean(line: ValidationLine) -> float:
    """The difference from the recommendation; 0 where there is none."""
    pair = line.difference[0]
    return 0.0 if pair is None else pair.mean


def _infeasible(line: ValidationLine) -> str:
    """Clause on a setting that is not a choice; "" for one that is."""
    if line.standing != "infeasible":
        return ""
    return ", which is not sure to hold" if line.holds else ", which misses a bound"


def bounded_by(answer: Findings, rival: ValidationLine, pair: PairedDifference) -> str:
    """How far the objective may differ where no difference was found."""
    most = abs(pair.mean) + (pair.half_width or 0.0)
    if most < LEAST:
        return "is the same"
    if pair.half_width is None or says_nothing(answer, rival, pair):
        return f"is undecided after {wording.count(pair.n, 'run')}"
    return f"differs by at most {wording.bound(most, points_of(answer.question.goal.objectives[0]))}"


def says_nothing(answer: Findings, rival: ValidationLine, pair: PairedDifference) -> bool:
    """Whether the interval of a difference is too wide to be stated."""
    values = [one.objectives[0].mean or 0.0 for one in (answer.lines[0], rival)]
    return wording.vague(pair.half_width, answer.question.goal.objectives[0].unit, max(map(abs, values)))
