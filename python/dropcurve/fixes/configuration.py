"""A box's configuration with better queues: the answer for each of its queues, and the text with the recommended ones
in their places.
"""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..boxes import rewrite
from ..runs.effort import Effort
from ..runs.replications import Progress
from ..verdict import Exchange
from .directions import joint
from .place import Place
from .queues import MOST_REPLICATIONS, QueueFix, Thoroughness, fix_queue


@dataclass(frozen=True)
class Fix:
    """Recommendation for a configuration.

    Attributes:
        queues: The answer for each of its queues.
        before: The text of the configuration.
        after: The text with the recommended queues; the same as `before` unless a verdict recommends to load another
            one.
        in_place: Whether `after` is the whole text with queues replaced; else it is the new queues alone.
    """

    queues: tuple[QueueFix, ...]
    before: str
    after: str
    in_place: bool

    @property
    def better(self) -> bool:
        """Whether another queue is to be loaded somewhere."""
        return any(one.loaded for one in self.queues)

    @property
    def diff(self) -> str:
        """The unified difference of both texts; "" where they are the same or `after` is the new queues alone."""
        if not self.in_place:
            return ""
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), "before", "after", lineterm="", n=2
        )
        return "\n".join(lines)


def fix(
    places: Sequence[Place],
    text: str,
    *,
    shape: bool = False,
    search: Thoroughness | None = None,
    replications: int = 5,
    most: int = MOST_REPLICATIONS,
    exchange: Exchange | None = None,
    command: str = "",
    progress: Progress | None = None,
    on_step: Callable[[str], None] = lambda _: None,
) -> Fix:
    """Compares each queue with designs that its box can load, and rewrites the text for the best.

    Args:
        places: The queues of the text, each with its scenario.
        text: The configuration that they were found in.
        shape: Puts a shaper of the link's rate above a new queue, where the text has none.
        search: How designs are searched for; by default with a fixed number of runs.
        replications: Runs of each design at first.
        most: Runs of each design while it is undecided whether to keep the queue.
        exchange: Between delay and utilisation; by default that of the round trip.
        command: That repeats the answer.
        progress: Called as runs finish.
        on_step: Called with the queue and the step that begins.

    Returns:
        The answer for each queue, and the text after the change.

    Raises:
        DropcurveError: If no design could be made for this box.

    Example:
        >>> from dropcurve.fixes import fix, line
        >>> text, places = line("20/2")
        >>> changed = fix(places, text)
    """
    # Refuses a number of replications before the search, not after it.
    Effort(replications=replications)
    known: dict[tuple[str, ...], QueueFix] = {}
    answers = []
    # Queues with the same settings in the same place, such as those of several ports, have one answer.
    keys = [tuple(one.base.hash for one in where.conditions) for where in places]
    search, began = search or Thoroughness(), time.monotonic()
    for key, where in zip(keys, places, strict=True):
        if key not in known:
            share = _share(search, len(set(keys)), len(known), time.monotonic() - began)
            known[key] = fix_queue(
                where, shape=shape, search=share, replications=replications, most=most,
                exchange=exchange, command=command,
                progress=_of_all(progress, len(known), len(set(keys))), on_step=on_step,
            )  # fmt: skip
        answers.append(replace(known[key], place=where))
    answers = joint(answers, search, exchange)
    after, in_place = rewrite.all_rewritten(text, [(one.imported, one.load) for one in answers])
    return Fix(tuple(answers), text, after, in_place)


def _share(search: Thoroughness, queues: int, done: int, spent_s: float) -> Thoroughness:
    """The search of the next queue: it and those after it share the time that is left of all."""
    if search.seconds is None:
        return search
    left_s = search.seconds * queues - spent_s
    return replace(search, seconds=left_s / (queues - done))


def _of_all(progress: Progress | None, before: int, queues: int) -> Progress | None:
    """The progress of all queues from that of one, of which ``before`` are finished; the others are taken to last as
    long."""
    if progress is None:
        return None

    def reported(done: int, needed: int, share: float) -> None:
        progress(before * needed + done, queues * needed, (before + share) / queues)

    return reported
