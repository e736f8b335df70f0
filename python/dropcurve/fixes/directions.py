"""One kind of queue for both directions of a section of sqm-scripts, as its single script demands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from ..boxes import sqm
from ..quantities import wording
from ..results.recommendation import verdict_on
from ..verdict import Exchange, Verdict
from .queues import LEVEL, YOURS, QueueFix, Thoroughness, weights_of


def joint(
    answers: Sequence[QueueFix], search: Thoroughness, exchange: Exchange | None = None
) -> list[QueueFix]:
    """Answers in which both directions of a section have the same kind of queue: the one that loses the fewest points
    in both together, which may be the present one.

    Args:
        answers: Of every queue of a text.
        search: With the goal that verdicts weigh.
        exchange: Between delay and utilisation; by default that of the round trip.
    """
    found = list(answers)
    sections: dict[str, list[int]] = {}
    for i, one in enumerate(found):
        if one.found.box == "sqm":
            sections.setdefault(one.found.title.rpartition(" ")[0], []).append(i)
    for some in sections.values():
        if len(some) < 2 or not any(found[i].better for i in some):
            continue
        losses = [_losses(found[i]) for i in some]
        shared = set.intersection(*(set(one) for one in losses))
        if not shared:
            continue
        kind = min(sorted(shared), key=lambda kind: sum(one[kind] for one in losses))
        for i in some:
            found[i] = _of_kind(found[i], kind, search, exchange)
    return found


def _losses(one: QueueFix) -> dict[str, float]:
    """Points that the best design of each kind lies behind the leader, the queue that is there included; infinite where
    all miss a bound."""
    behind = {one.verdict.leader: 0.0} | {
        rival.name: inf if rival.relation == "infeasible" or rival.behind is None else rival.behind
        for rival in one.verdict.rivals
    }
    found: dict[str, float] = {}
    for name, points in behind.items():
        kind = one.found.discipline if name == YOURS else one.exports[name].discipline
        # A modem's queue is none of the kinds that the scripts set.
        if kind in sqm.KINDS:
            found[kind] = min(points, found.get(kind, inf))
    return found


def _of_kind(one: QueueFix, kind: str, search: Thoroughness, exchange: Exchange | None) -> QueueFix:
    """The answer with a design of this kind, or with the present queue if it is of the kind and not worse."""
    alone = one.loaded
    if (one.exports[alone].discipline if alone else one.found.discipline) == kind:
        return one
    names = [name for name in one.names if name in one.exports and one.exports[name].discipline == kind]
    if not names:
        # Nothing but the queue that is there is of the kind.
        return replace(one, kept=True, joint=_sentence(one, YOURS, alone))
    verdict = _verdict_of_kind(one, names, search, exchange)
    made = replace(one, verdict=verdict)
    if not made.better and one.found.discipline != kind:
        score = {rival.name: rival.behind or 0.0 for rival in verdict.rivals}
        made = replace(made, chosen=min(names, key=lambda name: score.get(name, 0.0)))
    return replace(made, joint=_sentence(one, made.loaded or YOURS, alone))


def _verdict_of_kind(
    one: QueueFix, names: Sequence[str], search: Thoroughness, exchange: Exchange | None
) -> Verdict:
    """The verdict on these designs and the present queue."""
    among = [
        f"{place.condition} {name}".strip() for place in one.place.conditions for name in [YOURS, *names]
    ]
    found = verdict_on(
        one.result, current=YOURS, exchange=exchange, confidence=LEVEL, among=among,
        weights=weights_of(one.place, search, exchange),
    )  # fmt: skip
    assert found is not None, "each kind that is shared has a design here"
    return found


def _sentence(one: QueueFix, taken: str, alone: str) -> str:
    """Sentence on the reason for taking this design and not the one that is best in this direction alone."""
    wanted = alone or "your queue"
    behind = next((r for r in one.verdict.rivals if r.name == taken), None)
    by = ""
    if one.verdict.leader == one.verdict.recommended and behind is not None and behind.behind is not None:
        by = f" by {wording.amount(behind.behind, behind.half_width, one.verdict.points)}"
    shared = "sqm-scripts sets one kind of queue for both directions"
    if behind is not None and behind.relation == "equal":
        return f"{shared}; for this direction alone {wanted} is as good."
    if one.verdict.status == "undecided" or (behind is not None and behind.relation == "undecided"):
        return f"{shared}; for this direction alone these runs cannot tell whether {wanted} is better."
    return f"{shared}; for this direction alone {wanted} would be better{by}."
