"""The sentence on a delay budget that the recommendation leaves unused, and why more delay buys nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..quantities import wording
from .delay_bounds import delay_bounds
from .findings import Findings
from .names import setting
from .proof import Kept
from .terms import labels, points_of

#: Share of the delay bound from which on the budget counts as used.
USED = 0.9
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


def share(answer: Findings, kept: Iterable[Kept]) -> float | None:
    """Worst value over the bound on the delay, the largest of several; None without a bound or a run."""
    bounds = {id(one) for one in delay_bounds(answer.question.goal)}
    found = [one.worst / one.constraint.bound for one in kept if id(one.constraint) in bounds and one.runs]
    return max(found, default=None)


def _reason(answer: Findings, used: float) -> str:
    """Outcome of the designs that use more of the bound on the runs of the validation: undecided ones, the same
    discipline over the bound, feasible ones that are no better."""
    best, names = answer.lines[0], labels(answer.lines)
    more = [line for line in answer.lines[1:] if (share(answer, line.kept) or 0.0) > used]
    feasible = [line for line in more if line.holds and line.standing != "infeasible"]
    open_ones = [line for line in feasible if line.standing in ("undecided", "better")]
    if open_ones:
        some = wording.listed([names[line.candidate.key] for line in open_ones[:NAMED]])
        return f"it is undecided whether more delay buys anything ({some})"
    over = [
        line for line in more
        if line not in feasible and line.candidate.kind_as_loaded == best.candidate.kind_as_loaded
    ]  # fmt: skip
    if over:
        nearest = min(over, key=lambda line: share(answer, line.kept) or 0.0)
        kept = min(nearest.kept, key=lambda one: one.held / max(one.runs, 1))
        return (
            f"{setting(nearest.candidate)} uses more and misses {kept.constraint} in {kept.runs - kept.held} of "
            f"{kept.runs} runs"
        )
    if feasible:
        return "no validated design that uses more of it is better by more than the margin"
    return "no validated design uses more of it and holds every constraint"
