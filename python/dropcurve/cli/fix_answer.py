"""The answer of `fix` as text and JSON: the verdict on every queue, the change of the text, the tables of designs."""

from __future__ import annotations

import math
import textwrap
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from ..present.document import Headline
from ..verdict import amounts

if TYPE_CHECKING:
    from ..boxes.model import Note
    from ..fixes import Fix, QueueFix, Thoroughness


#: Minutes of runs beyond which a decision is hardly worth them.
LONGEST_MIN = 60


def settling(answer: Fix, search: Thoroughness) -> str:
    """Sentence on the time that would decide the rivals of all queues that are undecided, or where it is too long on
    what is left to decide by; "" if that is not known. Where all answers are firm, further runs are optional: they show
    whether a rival is better still."""
    from ..fixes import budget

    costs = [(one.compared_s, one.settling_s) for one in answer.queues if one.settling_s is not None]
    if not costs:
        return ""
    spare = 1.0 - (budget.SEARCH_SHARE if search.tune else 0.0)
    each = max(compared + settling_s for compared, settling_s in costs) / spare
    more = sum(settling_s for _, settling_s in costs)
    whole = math.ceil(each * len(answer.queues) / 60)
    rivals = [rival for one in answer.queues for rival in one.verdict.related("undecided")]
    most = max(
        one.verdict.possible(rival) for one in answer.queues for rival in one.verdict.related("undecided")
    )
    bound = f" by more than {most:.2g} points" if math.isfinite(most) else ""
    if all(one.verdict.firm for one in answer.queues):
        return _optional(len(rivals), bound, more, whole)
    able = sum(rival.more is not None for rival in rivals)
    what = (
        "it"
        if able == len(rivals)
        else f"{able} of {len(rivals)} rivals, and hardly any number of runs the others"
    )
    if whole <= LONGEST_MIN:
        return f"Undecided: {amounts.duration(more)} more would settle {what}; --time {whole}min runs them."
    ahead = f", and none of them is ahead{bound}" if bound else ""
    return (
        f"Undecided: runs would take {amounts.duration(60 * whole)} to settle {what}{ahead}. That is hardly worth "
        "them: decide by what runs do not measure, such as support, the defaults of the box and traffic to come."
    )


def _optional(rivals: int, bound: str, seconds: float, minutes: int) -> str:
    """Sentence on the runs that would decide undecided rivals of firm answers; "" for more runs than are worth it."""
    if minutes > LONGEST_MIN:
        return ""
    which = "the undecided design is" if rivals == 1 else "any of the undecided designs is"
    most = f" (none{bound})" if bound else ""
    shown = f"{amounts.duration(seconds)} more would show whether {which} better still{most}"
    return f"Optional: {shown}; --time {minutes}min runs them."


def opening(queue: QueueFix) -> Headline:
    """The verdict on a queue as an opening, with the reasons of the other direction of its line."""
    from ..fixes.queues import YOURS
    from ..verdict import headline

    shown = headline(queue.verdict, seconds=queue.replication_s, names={YOURS: queue.place.yours})
    if queue.chosen:
        # The queue that this direction alone would keep does not fit the queue of the other one.
        shown = replace(shown, tone="good", sentences=(f"Load {queue.chosen} here too. {queue.joint}",))
    elif queue.kept:
        shown = replace(shown, tone="unsure", sentences=(f"Keep {queue.place.yours}. {queue.joint}",))
    elif queue.joint:
        shown = replace(shown, details=(queue.joint, *shown.details))
    more = tuple(one for one in (queue.place.basis, queue.limited) if one)
    return replace(shown, details=(*shown.details, *more))


def data(answer: Fix, openings: list[Headline]) -> dict[str, object]:
    """The answer for ``--json``."""
    from ..boxes import text as box_text

    queues = [
        {
            "queue": one.place.title, "answer": asdict(first), "change": bool(one.loaded),
            "import": box_text.import_data(one.imported), "rate_bps": one.place.rate_bps, "not_tuned": one.untuned,
            "load": box_text.export_data(one.load) if one.load is not None else None,
        }
        for one, first in zip(answer.queues, openings, strict=True)
    ]  # fmt: skip
    return {
        "change": answer.better, "in_place": answer.in_place, "diff": answer.diff, "configuration": answer.after,
        "answer": queues[0]["answer"] if len(queues) == 1 else {"sentences": [_summary(answer)]}, "queues": queues,
    }  # fmt: skip


def _summary(answer: Fix) -> str:
    """One sentence over all queues of a text."""
    from ..quantities import wording

    load = [one for one in answer.queues if one.loaded]
    keep = len(answer.queues) - len(load)
    unsure = sum(not one.verdict.firm for one in answer.queues if not one.loaded)
    if not load:
        until = ", until more runs decide" if unsure == keep else ""
        rest = (
            f"; {wording.number_word(unsure)} of them only until more runs decide"
            if unsure and not until
            else ""
        )
        return f"Keep {wording.every(keep, 'queue')}{until}: nothing that this box can load is surely better{rest}."
    names = ", ".join(f"{one.loaded.partition(' with ')[0]} for {one.place.title}" for one in load)
    if not keep:
        return f"Change {wording.every(len(load), 'queue')}: {names}."
    others = "one" if keep == 1 else wording.number_word(keep)
    share = f"{wording.number_word(len(load))} of {wording.number_word(len(answer.queues))} queues"
    return f"Change {share}: {names}; keep the other {others}."


def text(answer: Fix, openings: list[Headline], command: str, wanted: str, *, width: int) -> str:
    """The verdict on every queue, the difference, notes on it, and the tables of designs."""
    from ..boxes import text as box_text
    from ..present import terminal

    several = len(answer.queues) > 1
    parts: list[str] = []
    if several:
        parts.append(
            terminal.opening(
                Headline("good" if answer.better else "unsure", (_summary(answer),)), width=width
            )
        )
    for queue, first in zip(answer.queues, openings, strict=True):
        head = f"{queue.place.title} ({_where(queue)})\n" if several else ""
        parts.append(head + terminal.opening(first, width=width))
    parts += [textwrap.fill(wanted, width, break_on_hyphens=False)] if wanted else []
    if answer.better:
        box = answer.queues[0].imported.box
        parts.append(answer.diff if answer.in_place else f"Load on {box}:\n\n{answer.after.rstrip()}")
    notes = dict.fromkeys(
        note for queue in answer.queues for note in [*queue.imported.notes, *_to_load(queue)]
    )
    parts += ["\n".join(box_text.notes(list(notes), width=width))] if notes else []
    for queue in answer.queues:
        parts.append(_table(queue, several=several, width=width))
    return "\n\n".join([*parts, *_basis(answer, width=width), f"Repeat: {command}"])


def _to_load(queue: QueueFix) -> list[Note]:
    """Notes on loading a queue; the note that it needs a shaper is left out if the text has one."""
    from ..boxes.model import NEEDS_SHAPER

    notes = [] if queue.load is None else queue.load.notes
    return [note for note in notes if queue.imported.rate_bps is None or NEEDS_SHAPER not in note.text]


def _where(queue: QueueFix) -> str:
    """Rate of a queue and the queues above it."""
    from ..quantities import units

    above = (
        f", below {', '.join(first.title for first in queue.imported.above)}" if queue.imported.above else ""
    )
    return f"at {units.show_rate(float(f'{queue.place.rate_bps:.4g}'))}{above}"


def _table(queue: QueueFix, *, several: bool, width: int) -> str:
    """The designs for a queue, the best first."""
    from ..fixes.queues import YOURS
    from ..present import terminal
    from ..verdict import ranking

    head = f"{queue.place.title}\n" if several else ""
    tail = f"\nnot tuned: {queue.untuned}" if queue.untuned else ""
    rows = ranking(queue.verdict, names={YOURS: queue.place.yours})
    return head + (terminal.columns(rows, width=width, spare=1) if rows else "") + tail


def _basis(answer: Fix, *, width: int) -> list[str]:
    """Lines on the traffic and the conditions that the queues were judged with."""
    from ..results.document import assumptions

    lines: dict[str, None] = {}
    for one in answer.queues:
        others = "; ".join(place.condition for place in one.place.others)
        also = f"; also judged at {others}" if others else ""
        lines |= {f"{line}{also}": None for line in list(assumptions(one.result))[:1]}
    return [textwrap.fill(line, width, break_on_hyphens=False) for line in lines]
