"""Output: answers go to standard output, everything else to standard error; progress shows only when it
helps."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..present.visible import json_text, visible

#: Seconds of work before a progress bar appears.
PATIENCE_S = 1.0
#: Seconds between two lines of progress where there is no terminal.
EVERY_S = 10.0
#: Share of a batch of work from which its pace is known.
ENOUGH = 0.02
#: Text in place of the time left where more is done than was planned.
MORE = "more runs than planned"
#: Columns of a text, where the terminal has as many or is none.
WIDTH = 100
#: Columns below which a narrow terminal has to wrap.
NARROWEST = 50


class Interrupted(Exception):
    """Ctrl-C, with a note on the runs that are stored."""


#: Substitutes for characters that a terminal cannot show.
PLAIN = {
    "±": "+-", "✓": "+", "✗": "x", "≠": "#", "−": "-", "–": "-", "…": "..", "×": "x",
}  # fmt: skip


def spell_out(*streams: Any) -> None:
    """Makes streams replace characters that their encoding lacks."""
    import codecs

    def plain(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        lacking = error.object[error.start : error.end]
        return "".join(PLAIN.get(sign, "?") for sign in lacking), error.end

    codecs.register_error("dropcurve.plain", plain)
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="dropcurve.plain")


def width() -> int:
    """Columns of the terminal, at most 100, or 100 where there is none."""
    import shutil

    if not sys.stdout.isatty():
        return WIDTH
    return max(NARROWEST, min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns))


def say(text: str) -> None:
    """Prints a line to standard error."""
    print(visible(text, lines=True), file=sys.stderr)


def again(command: str, *, quiet: bool = False) -> None:
    """Prints the command that reproduces the answer, to standard error."""
    if not quiet:
        say(f"Repeat: {command}")


def data(value: Any) -> None:
    """Prints an answer as JSON."""
    print(json_text(value))


@contextmanager
def progress(*, quiet: bool, noun: str = "run") -> Iterator[Callable[[int, int, float], None] | None]:
    """Yields a function to call with progress: number done, number needed, and the share of the whole.

    A bar with the share and the time left appears on a terminal once the work has lasted a second; elsewhere a line
    every ten seconds.

    Args:
        quiet: Yields None instead.
        noun: Name of the counted things.

    Raises:
        Interrupted: After Ctrl-C, with the number of runs that are stored.
    """
    from ..errors import Interruption

    bar = None if quiet else Bar()
    try:
        yield (
            None
            if bar is None
            else lambda done, needed, share: bar.update(share, f"{done} of {needed} {noun}s")
        )
    except Interruption as interruption:
        raise Interrupted(str(interruption)) from None
    finally:
        if bar is not None:
            bar.stop()


def moves_cursor() -> bool:
    """Whether standard error is a terminal on which lines can be replaced; that of an editor has none."""
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")


class Bar:
    """Progress on standard error: a bar on a terminal, else lines.

    Args:
        most_s: Time that the work may take, in seconds; None if nothing limits it.

    Attributes:
        exceeded: Whether more work is done than was planned, so that no time left is known unless it is limited.
    """

    def __init__(self, most_s: float | None = None) -> None:
        self.most_s = most_s
        self.began = self.printed_at = time.monotonic()
        self.terminal = moves_cursor()
        self.exceeded = False
        #: Time and share at which the present batch of work began, and the latest share.
        self._origin: tuple[float, float] | None = None
        self._share = 0.0
        self._bar: Any = None
        self._task: Any = None

    def update(self, share: float | None, text: str, more: str = "") -> None:
        """Shows progress.

        Args:
            share: Share of the whole work, from 0 to 1; None if it is unknown.
            text: The progress in words.
            more: A second line, only for a terminal.
        """
        now = time.monotonic()
        share = self._of_time(share)
        if share is not None:
            # A share that falls belongs to another batch; runs that were stored already took no time.
            if self._origin is None or share < self._share:
                self._origin = (now, share)
            self._share = share
        if self.terminal:
            if self._bar is None and now - self.began >= PATIENCE_S:
                self._bar, self._task = _bar()
            if self._bar is not None:
                shown = self._time_left(share or 0.0)
                self._bar.update(self._task, completed=share or 0.0, text=text, more=more, left=shown)
        elif now - self.printed_at >= EVERY_S and (share is None or share < 1.0):
            self.line(f"{text}{self.left(share)}")

    def left(self, share: float | None) -> str:
        """``, 40 % done, about 2 min left``; without the time where too little is done to tell; "" where nothing is
        known."""
        share = self._of_time(share)
        if not share:
            return ""
        left = self._time_left(share)
        return f", {100 * share:.0f} % done" + (f", {left}" if left else "")

    def _time_left(self, share: float) -> str:
        """``about 2 min left``, or that the plan is exceeded; "" where too little is done to tell."""
        if self.exceeded and self.most_s is None:
            return MORE
        seconds = self._seconds_left(share)
        return "" if seconds is None else f"about {_rounded(seconds)} left"

    def _of_time(self, share: float | None) -> float | None:
        """The share of the work, or of the time that limits it if more of that is over."""
        if share is None or not self.most_s:
            return share
        return max(share, min(0.99, (time.monotonic() - self.began) / self.most_s))

    def _seconds_left(self, share: float) -> float | None:
        """Time left at the pace of the present batch; None where too little of it is done."""
        now = time.monotonic()
        since, before = self._origin or (self.began, 0.0)
        spent, gained = now - since, share - before
        seconds = spent * (1.0 - share) / gained if spent >= PATIENCE_S and gained >= ENOUGH else None
        if self.most_s is None:
            return seconds
        most = max(self.most_s - (now - self.began), 0.0)
        return most if seconds is None else min(seconds, most)

    def line(self, text: str) -> None:
        """A line with the seconds since the start, above the bar if there is one."""
        self.printed_at = time.monotonic()
        if self._bar is not None:
            self._bar.console.print(text, highlight=False)
        else:
            say(f"{self.printed_at - self.began:6.0f} s  {text}")

    def stop(self) -> None:
        """Removes the bar."""
        if self._bar is not None:
            self._bar.stop()


def _rounded(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _bar() -> tuple[Any, Any]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.text import Text

    columns = (
        TextColumn("{task.fields[text]}"),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TextColumn("{task.fields[left]}"),
    )

    class Lines(Progress):
        """A bar with a line of text below it, cut where the terminal ends."""

        def get_renderables(self) -> Iterator[Any]:
            yield self.make_tasks_table(self.tasks)
            for task in self.tasks:
                if more := task.fields["more"]:
                    yield Text(more, style="dim", overflow="ellipsis", no_wrap=True)

    bar = Lines(*columns, console=Console(stderr=True), transient=True)
    bar.start()
    return bar, bar.add_task("", total=1.0, text="", more="", left="")


def live(text: str) -> None:
    """Prints lines that replace those printed before: in place on a terminal, below them elsewhere."""
    global _shown
    if moves_cursor() and _shown:
        sys.stderr.write(f"\033[{_shown}A\033[J")
    _shown = text.count("\n") + 1
    say(text)


#: Lines that `live` showed last.
_shown = 0
