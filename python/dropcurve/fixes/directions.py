"""One kind of queue for both directions of a section of sqm-scripts, as its single script demands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from math import inf

from ..boxes import sqm
from ..quantities import wording
from ..results.recommendation import verdict_on
from ..verdict import Exchange, Verdict
from ..verdict.equivalence import TIED
from .queues import LEVEL, YOURS, QueueFix, Thoroughness, weights_of


def joint(
    answers: Sequence[QueueFix], search: Thoroughness, exchange: Exchange | None = None
) -> list[QueueFix]:
    """Answers in which both directions of a section have the same kind of queue: the one that loses the fewest points
    in both together, which may be the present one.

    Args:
        answers: Answers of every queue of a text.
        search: With the goal that verdicts weigh.
        exchange: Between delay and utilisation; by default that of the round trip.
    """
    joined = list(answers)
    sections: dict[str, list[int]] = {}
    for i, one in enumerate(joined):
        if one.imported.box == "sqm":
            sections.setdefault(one.imported.title.rpartition(" ")[0], []).append(i)
    for some in sections.values():
        if len(some) < 2 or not any(joined[i].better for i in some):
            continue
        losses = [_losses(joined[i]) for i in some]
        shared = set.intersection(*(set(one) for one in losses))
        if not shared:
            continue
        total = {kind: sum(one[kind] for one in losses) for kind in sorted(shared)}
        kind = min(total, key=lambda one: total[one])
        own = joined[some[0]]
        if own.imported.discipline in total:
            # Another kind has to be surely better in both directions together.
            gain = total[own.imported.discipline] - total[kind]
            unsure = math.sqrt(sum(_half_width(joined[i], kind) ** 2 for i in some))
            kind = own.imported.discipline if gain <= max(own.verdict.margin, unsure) else kind
        if any(joined[i].place.unsimulated for i in some) and own.imported.discipline in total:
            # Its functions that the runs do not show are worth several margins.
            most = total[kind] + TIED * own.verdict.margin
            kind = own.imported.discipline if total[own.imported.discipline] <= most else kind
        for i in some:
            joined[i] = _of_kind(joined[i], kind, search, exchange)
    return joined


def _losses(queue: QueueFix) -> dict[str, float]:
    """Points that the best design of each kind lies behind the leader, the queue that is there included; infinite where
    all miss a bound."""
    behind = {queue.verdict.leader: 0.0} | {
        rival.name: inf if rival.relation == "infeasible" or rival.behind is None else rival.behind
        for rival in queue.verdict.rivals
    }
    losses: dict[str, float] = {}
    for name, points in behind.items():
        kind = queue.imported.discipline if name == YOURS else queue.exports[name].discipline
        # A modem's queue is none of the kinds that the scripts set.
        if kind in sqm.KINDS:
            losses[kind] = min(points, losses.get(kind, inf))
    return losses


def _half_width(queue: QueueFix, kind: str) -> float:
    """Half-width of the points between the best designs of a kind and of the present one; 0 where none is known."""
    best: dict[str, float] = {}
    for rival in sorted(queue.verdict.rivals, key=lambda one: inf if one.behind is None else one.behind):
        own = queue.imported.discipline
        best.setdefault(
            own if rival.name == YOURS else queue.exports[rival.name].discipline, rival.half_width or 0.0
        )
    leader = queue.verdict.leader
    best[queue.imported.discipline if leader == YOURS else queue.exports[leader].discipline] = 0.0
    return max(best.get(kind, 0.0), best.get(queue.imported.discipline, 0.0))


def _of_kind(queue: QueueFix, kind: str, search: Thoroughness, exchange: Exchange | None) -> QueueFix:
    """The answer with a design of this kind, or with the present queue if it is of the kind and not worse."""
    alone = queue.loaded
    if (queue.exports[alone].discipline if alone else queue.imported.discipline) == kind:
        return queue
    names = [name for name in queue.names if name in queue.exports and queue.exports[name].discipline == kind]
    if not names:
        # Nothing but the queue that is there is of the kind.
        return replace(queue, kept=True, joint=_sentence(queue, YOURS, alone))
    verdict = _verdict_of_kind(queue, names, search, exchange)
    same_kind = replace(queue, verdict=verdict, settling_s=None)
    if not same_kind.better and queue.imported.discipline != kind:
        score = {rival.name: rival.behind or 0.0 for rival in verdict.rivals}
        same_kind = replace(same_kind, chosen=min(names, key=lambda name: score.get(name, 0.0)))
    return replace(same_kind, joint=_sentence(queue, same_kind.loaded or YOURS, alone))


def _verdict_of_kind(
    queue: QueueFix, names: Sequence[str], search: Thoroughness, exchange: Exchange | None
) -> Verdict:
    """The verdict on these designs and the present queue."""
    among = [
        f"{place.condition} {name}".strip() for place in queue.place.conditions for name in [YOURS, *names]
    ]
    verdict = verdict_on(
        queue.result, current=YOURS, exchange=exchange, confidence=LEVEL, among=among,
        weights=weights_of(queue.place, search, exchange), unsimulated=queue.place.unsimulated,
    )  # fmt: skip
    assert verdict is not None, "each kind that is shared has a design here"
    return verdict


def _sentence(queue: QueueFix, taken: str, alone: str) -> str:
    """Sentence on the reason for taking this design and not the one that is best in this direction alone."""
    wanted = alone or "your queue"
    # The leader is compared through the one that is as good and goes before it because it is simpler, or in use.
    compared = (alone or YOURS) if taken == queue.verdict.leader else taken
    behind = next((r for r in queue.verdict.rivals if r.name == compared), None)
    by = ""
    if queue.verdict.leader == queue.verdict.recommended and behind is not None and behind.behind is not None:
        by = f" by {wording.amount(behind.behind, behind.half_width, queue.verdict.points)}"
    shared = "sqm-scripts sets one kind of queue for both directions"
    if behind is not None and behind.relation == "equal":
        return f"{shared}; for this direction alone {wanted} is as good."
    if queue.verdict.status == "undecided" or (behind is not None and behind.relation == "undecided"):
        return f"{shared}; for this direction alone these runs cannot tell whether {wanted} is better."
    return f"{shared}; for this direction alone {wanted} would be better{by}."
