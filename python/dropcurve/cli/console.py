"""Output: answers go to standard output, everything else to standard error; progress shows only when it
helps."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..present.visible import json_text, visible

#: Seconds of work before a progress bar appears.
PATIENCE_S = 1.0
#: Columns of a text, where the terminal has as many or is none.
WIDTH = 100
#: Columns below which a narrow terminal has to wrap.
NARROWEST = 50


class Interrupted(Exception):
    """Ctrl-C, with what it leaves behind."""


#: Substitutes for signs that a terminal cannot show.
PLAIN = {
    "±": "+-", "✓": "+", "✗": "x", "≠": "#", "−": "-", "–": "-", "…": "..", "×": "x",
}  # fmt: skip


def spell_out(*streams: Any) -> None:
    """Lets streams whose encoding lacks our signs show plain ones instead of failing."""
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
    """A line for people, on standard error."""
    print(visible(text, lines=True), file=sys.stderr)


def again(command: str, *, quiet: bool = False) -> None:
    """Prints the command that reproduces the answer, to standard error."""
    if not quiet:
        say(f"Again:  {command}")


def data(value: Any) -> None:
    """An answer as JSON."""
    print(json_text(value))


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[int, int, float], None] | None]:
    """A function to call with progress; a bar appears on a terminal once the work has lasted a second. After Ctrl-C it
    raises Interrupted with the number of runs that are stored."""
    from ..errors import Interruption

    try:
        with _progress(quiet=quiet) as tell:
            yield tell
    except Interruption as interruption:
        raise Interrupted(str(interruption)) from None


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[int, int, float], None] | None]:
    if quiet or not sys.stderr.isatty():
        yield None
        return
    began = time.monotonic()
    bar: Any = None
    task: Any = None

    def tell(done: int, needed: int, share: float) -> None:
        nonlocal bar, task
        if bar is None and time.monotonic() - began >= PATIENCE_S:
            bar, task = _bar()
        if bar is not None:
            bar.update(task, completed=share, runs=f"{done} of {needed} runs")

    try:
        yield tell
    finally:
        if bar is not None:
            bar.stop()


def _bar() -> tuple[Any, Any]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.fields[runs]}"), BarColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.start()
    return bar, bar.add_task("", total=1.0, runs="")


def live(text: str) -> None:
    """Lines that replace those shown before: in place on a terminal, below them elsewhere."""
    global _shown
    if sys.stderr.isatty() and _shown:
        sys.stderr.write(f"\033[{_shown}A\033[J")
    _shown = text.count("\n") + 1
    say(text)


#: Lines that `live` showed last.
_shown = 0
