"""What `tune` does beside asking: progress with the best so far, the answer, and how to go on after Ctrl-C."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..runs import command_line
from ..runs.executor import Executor
from ..tuning import Question
from ..tuning.candidates import Candidate
from . import console

#: Seconds between two lines of progress where there is no terminal.
EVERY_S = 10.0


def give(
    question: Question,
    scenario: str | None,
    asked: Sequence[tuple[str, Any]],
    effort: Sequence[tuple[str, Any]],
    *,
    runs: int | None,
    seconds: float | None,
    margin: float | None,
    until_decided: bool,
    seed: int,
    jobs: int | None,
    cluster: str | None,
    out: Path | None,
    cache: str | None,
    json: bool,
    quiet: bool,
    report: bool,
) -> int:
    """Answers, writes page and figures, prints. Returns 1 if no design holds every constraint."""
    from .. import tuning

    command = command_line.line("tune", [scenario] if scenario else [], [*asked, *effort])
    digest = hashlib.sha256(f"{question!r}\n{seed}".encode()).hexdigest()[:8]
    folder = out or Path("results") / f"tune-{digest}"
    try:
        with _progress(quiet=quiet) as watch:
            answer = tuning.solve(
                question, runs=runs, seconds=seconds, margin=margin, until_decided=until_decided, seed=seed,
                where=Executor(jobs, cluster), out=folder, cache=cache, command=command,
                say=watch.say, tell=watch.tell, note=watch.note,
            )  # fmt: skip
            if report:
                watch.say("figures and page", answer.best)
                _pictures(answer, folder, cache)
    except KeyboardInterrupt:
        note = f"interrupted; finished runs are kept in {folder}, the same command goes on from there"
        raise console.Interrupted(note) from None
    if json:
        print((folder / "tune.json").read_text(encoding="utf-8").rstrip())
    elif not quiet:
        print(answer)
        print(f"\nAgain:  {command}")
    if not json:
        print(folder if quiet else f"Kept:   {folder}")
    return 0 if answer.lines[0].holds else 1


def _pictures(answer: Any, folder: Path, cache: str | None) -> None:
    from ..tuning.page import write

    write(answer, folder, cache=cache)


@dataclass
class Watch:
    """Tells what is going on: a bar on a terminal, else a line for each step and for every ten seconds of it."""

    quiet: bool
    bar: Any = None
    task: Any = None
    step: str = ""
    best: str = ""
    began: float = 0.0
    told: float = 0.0

    def say(self, step: str, best: Candidate | None) -> None:
        """A new step, and the best design so far."""
        self.step = step
        self.best = f"best so far: {best.queue}" if best is not None else ""
        if self.bar is not None:
            self.bar.update(self.task, step=step, best=self.best, completed=0, total=None)
        else:
            self._line(step + (f"; {self.best}" if self.best else ""))

    def tell(self, done: int, needed: int) -> None:
        """How many runs of the step are done."""
        if self.bar is not None:
            self.bar.update(self.task, completed=done, total=needed)
        elif time.monotonic() - self.told >= EVERY_S and done < needed:
            self._line(f"{self.step}: {done} of {needed} runs")

    def note(self, text: str) -> None:
        """Something to know, that stays."""
        if self.bar is not None:
            self.bar.console.print(text)
        else:
            self._line(text)

    def _line(self, text: str) -> None:
        self.told = time.monotonic()
        if not self.quiet:
            console.say(f"{self.told - self.began:6.0f} s  {text}")


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Watch]:
    watch = Watch(quiet, began=time.monotonic())
    if quiet or not sys.stderr.isatty():
        yield watch
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TimeElapsedColumn(),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[step]}  [dim]{task.fields[best]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        watch.bar, watch.task = bar, bar.add_task("", total=None, step="", best="")
        yield watch
