"""Sentences on the undecided and cut parts of a recommendation, and on whether to load it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..quantities import units, wording
from ..verdict.equivalence import MOST_REPLICATIONS
from .bench import Bench
from .candidates import Candidate
from .certainty import WideInterval, vague
from .comparison import less_usual
from .effort import Clock
from .findings import Findings
from .outcome import SearchOutcome
from .robustness import Drift, Sensitivity
from .terms import further


def to_do(answer: Findings, design: str) -> str:
    """The beginning of the first sentence: to load the recommendation, named ``design``, how far it is compared, or
    that it is undecided."""
    if unsettled(answer) or answer.too_few:
        return f"Not settled yet, the best so far is {design}"
    count = undecided(answer)
    parts = [wording.count(count, "rival") + " undecided"] if count else []
    parts += [f"{len(answer.uncompared)} not compared"] if answer.uncompared else []
    return f"Load {design}" + (f", the best so far ({', '.join(parts)})" if parts else "")


def undecided(answer: Findings) -> int:
    """The number of rivals that are undecided, without those that would only be recommended if they were better."""
    return sum(line.standing == "undecided" and not less_usual(answer, line) for line in answer.lines[1:])


def unsettled(answer: Findings) -> list[WideInterval]:
    """Measures of the recommendation whose intervals are too wide to act on: not those whose bound fresh seeds have
    confirmed."""
    points = answer.points or (answer.point,) * len(answer.question.goal.objectives)
    too_wide = vague(answer.question.goal, answer.lines[0].measures, answer.margin, points)
    proof = answer.proof
    confirmed = (
        {one.constraint.measure.key for one in proof.kept} if proof and proof.holds and proof.sure else set()
    )
    return [one for one in too_wide if one.measure.key not in confirmed]


def narrower(answer: Findings) -> Iterator[str]:
    """Sentences on the undecided parts, and the runs that would decide them."""
    if answer.too_few:
        yield (
            f"Only {wording.count(answer.shown_runs, 'run')} of it {'shows' if answer.shown_runs == 1 else 'show'} "
            "that the bounds hold: too few to load it, so that no configuration is written; a longer --time makes more"
        )
    for one in unsettled(answer):
        value = one.measure.shown(one.interval.mean, one.interval.half_width)
        about = f"The interval of {one.measure.text} ({value}) is too wide to act on"
        if one.needed is None or one.needed > MOST_REPLICATIONS:
            yield f"{about}: it varies between runs; --until decided makes more of them"
            continue
        yield (
            f"{about}: {further(one.needed, one.needed * answer.replication_s)} would narrow it to half of the value; "
            "a longer --time or --until decided makes them"
        )


def cut(
    clock: Clock, bench: Bench, outcome: SearchOutcome, best: Candidate, moved: Sequence[Sensitivity],
    drift: Sequence[Drift], *, rivals: int, missing: int, hopeless: bool,
) -> str:  # fmt: skip
    """Words for the steps cut by a time limit; "" without one. ``rivals`` were validated, ``missing`` were not;
    ``hopeless`` ends before the limit."""
    if clock.seconds is None:
        return ""
    known = outcome.in_space(best, bench.question)[1] is not None
    left_out = ["sensitivity"] if not moved and known else []
    own = [one for one in drift if one.candidate.key == best.key]
    left_out += ["drift"] if bench.question.varying and not own else []
    left_out += [] if clock.shows_queue(bench.run_s) else ["queue figures"]
    span = units.show_span(clock.seconds)
    text = (
        f"ended before {span}, as no design comes near the bounds" if hopeless else f"made to fit into {span}"
    )
    if missing > 0:
        text += f", compared with {rivals} of {rivals + missing} rivals"
    return f"{text}, {wording.listed(left_out)} left out" if left_out else text
