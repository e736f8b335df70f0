"""The sentence on a delay budget that the recommendation leaves unused, and why more delay buys nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..errors import UsageError
from ..quantities import wording
from .delay_bounds import delay_bounds
from .delay_budget import USED
from .families import family
from .findings import Findings
from .names import setting
from .proof import ConstraintOutcome
from .terms import labels, margin_shown, points_of

#: Possible gain in percentage points below which none is left.
LEAST = 5e-4
#: Largest number of designs that the sentence names.
NAMED = 3


def spare_budget(answer: Findings) -> Iterator[str]:
    """Sentence on the share of the bound on the delay that the worst of all runs of the recommendation uses, those on
    fresh seeds included, and, if that is small, on the reason."""
    best = answer.lines[0]
    proven = answer.proof.kept if answer.proof is not None else ()
    validated, used = share(answer, best.kept), share(answer, (*best.kept, *proven))
    if validated is None or used is None or used >= USED:
        return
    text = f"The worst run uses {100 * used:.0f} % of the bound on the delay"
    objective, mean = answer.question.goal.objectives[0], best.objectives[0].mean
    if objective.unit == "%" and mean is not None:
        room = 100.0 - mean if objective.higher else mean
        if room < answer.margin:
            most = wording.bound(room, points_of(objective))
            yield f"{text}; more delay would buy {f'at most {most}' if room > LEAST else 'nothing'}"
            return
    yield f"{text}; {_reason(answer, validated)}"


def share(answer: Findings, kept: Iterable[ConstraintOutcome]) -> float | None:
    """Worst value over the bound on the delay, the largest of several; None without a bound or a run."""
    bounds = {id(one) for one in delay_bounds(answer.question.goal)}
    shares = [one.worst / one.constraint.bound for one in kept if id(one.constraint) in bounds and one.runs]
    return max(shares, default=None)


def _reason(answer: Findings, used: float) -> str:
    """Outcome of the designs that use more of the bound on the runs of the validation: undecided ones, the same
    discipline within the bound, which is no better, and over it, others that are no better; or that its scale is at the
    end of its axis."""
    best, names = answer.lines[0], labels(answer.lines)
    more = [line for line in answer.lines[1:] if (share(answer, line.kept) or 0.0) > used]
    feasible = [line for line in more if line.holds and line.standing != "infeasible"]
    open_ones = [line for line in feasible if line.standing in ("undecided", "better")]
    if open_ones:
        some = wording.listed([names[line.candidate.key] for line in open_ones[:NAMED]])
        return f"it is undecided whether more delay buys anything ({some})"
    own = [line for line in more if line.candidate.kind_as_loaded == best.candidate.kind_as_loaded]
    if alike := [line for line in own if line in feasible]:
        sign = answer.question.goal.objectives[0].sign
        rival = min(alike, key=lambda line: sign * (line.objectives[0].mean or 0.0))
        word = "worse" if rival.standing == "worse" else f"no better by more than {margin_shown(answer)}"
        return (
            f"{setting(rival.candidate)} uses {100 * (share(answer, rival.kept) or 0.0):.0f} % and is {word}"
        )
    if own:
        nearest = min(own, key=lambda line: share(answer, line.kept) or 0.0)
        kept = min(nearest.kept, key=lambda one: one.held / max(one.runs, 1))
        return (
            f"{setting(nearest.candidate)} uses more and misses {kept.constraint} in {kept.runs - kept.held} of "
            f"{kept.runs} runs"
        )
    if end := _end(answer):
        return end
    if feasible:
        return "no validated design that uses more of it is better by more than the margin"
    return "no validated design uses more of it and holds every constraint"


def _end(answer: Findings) -> str:
    """Words on a scale that cannot be larger; "" if it can."""
    best, question = answer.best, answer.question
    try:
        space = family(best.kind, question.sizing, space=question.space.get(best.kind))
    except UsageError:
        return ""
    at = space.coordinates_of(best.params)
    if at is None or at[space.scale] < (1.0 - 1e-6) * space.axes[space.scale].high:
        return ""
    return (
        "its limit is the whole buffer"
        if best.kind == "droptail"
        else f"its {space.scale} is the largest that is searched"
    )
