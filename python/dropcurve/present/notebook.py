"""Progress in a notebook: a bar below the cell, where the caller asked for none of its own."""

from __future__ import annotations

import sys
import time
from html import escape
from importlib import import_module
from typing import Any

from .run_count import RunCount

#: Seconds between two updates of the bar; the end is always shown.
EVERY_S = 0.2


class NotebookBar:
    """A bar below the cell: the share of the runs that are made, and a text.

    Args:
        display: ``IPython.display``.
    """

    def __init__(self, display: Any) -> None:
        self.display = display
        self.handle: Any = None
        self.shown_at = -EVERY_S
        self.count = RunCount()
        self.stage = ""

    def runs(self, done: int, needed: int, share: float) -> None:
        """Shows the number of runs that are made, of those that are needed."""
        self._show(share, f"{done} of {needed} runs", last=share >= 1.0)

    def counted(self, done: int, needed: int) -> None:
        """Shows the number of runs of a sweep."""
        self.runs(done, needed, done / max(1, needed))

    def plan(self, runs: int) -> None:
        """Takes the approximate number of runs of a search."""
        self.count.plan(runs)

    def step(self, stage: str, best: object, expected: str = "") -> None:
        """Shows a stage of a search, and what the best design so far is expected to do."""
        self.stage = f"{stage}; best so far: {expected}" if expected else stage
        self._show(self.count.share or 0.0, self.stage, last=True)

    def batched(self, done: int, needed: int) -> None:
        """Takes the number of finished runs of a batch of a search."""
        self.count.take(done)
        self._show(self.count.share or 0.0, self.stage, last=False)

    def _show(self, share: float, text: str, *, last: bool) -> None:
        now = time.monotonic()
        if not last and now - self.shown_at < EVERY_S:
            return
        self.shown_at = now
        page = self.display.HTML(
            f'<progress max="1" value="{share:.3f}"></progress> {share:.0%} {escape(text)}'
        )
        if self.handle is None:
            self.handle = self.display.display(page, display_id=True)
        else:
            self.handle.update(page)


def bar() -> NotebookBar | None:
    """A bar in a notebook; None elsewhere."""
    shell = sys.modules.get("IPython")
    get = getattr(shell, "get_ipython", None)
    if get is None or not hasattr(get(), "kernel"):
        return None
    return NotebookBar(import_module("IPython.display"))
