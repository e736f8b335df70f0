"""The answer of `tune`: progress with the best design so far, the text, and how to continue after Ctrl-C."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import installed
from ..present.run_count import RunCount
from ..runs import command_line
from ..runs.executor import Executor
from ..tuning import Question
from ..tuning.candidates import Candidate
from ..tuning.effort import LATE
from ..tuning.time_source import WallTime
from . import console
from .answer import PLAIN


def print_answer(
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
    """Solves the question, writes page and figures, prints. Returns 1 if no design holds every constraint."""
    from .. import tuning

    command = command_line.line("tune", [scenario] if scenario else [], [*asked, *effort])
    digest = hashlib.sha256(f"{question!r}\n{seed}".encode()).hexdigest()[:8]
    folder = out or Path("results") / f"tune-{digest}"
    source = WallTime()
    began = source.now()
    try:
        with _progress(quiet=quiet, seconds=seconds) as watch:
            answer = tuning.solve(
                question, runs=runs, seconds=seconds, margin=margin, until_decided=until_decided, seed=seed,
                executor=Executor(jobs, cluster), out=folder, cache=cache, command=command, page=report,
                on_stage=watch.on_stage, on_batch=watch.on_batch, log=watch.log, on_plan=watch.on_plan,
                source=source,
            )  # fmt: skip
            if report and installed("matplotlib"):
                watch.on_stage("figures and page", answer.best)
                end = None if seconds is None else began + (1.0 + LATE / 2) * seconds
                _pictures(answer, folder, cache, None if end is None else lambda: end - source.now())
    except KeyboardInterrupt:
        note = f"interrupted; finished runs are stored in {folder}; the same command continues there"
        raise console.Interrupted(note) from None
    if report and not installed("matplotlib"):
        console.say(PLAIN)
    if json:
        print((folder / "tune.json").read_text(encoding="utf-8").rstrip())
    elif not quiet:
        print(answer)
        print(f"\nRepeat: {command}")
    if not json:
        print(folder if quiet else f"Folder: {folder}")
    return 0 if answer.lines[0].holds else 1


def _pictures(answer: Any, folder: Path, cache: str | None, left: Callable[[], float] | None) -> None:
    from ..tuning.page import write

    write(answer, folder, cache=cache, left=left)


class Watch:
    """Shows the stages of an answer, the share of its runs that are made, and the best design so far."""

    def __init__(self, *, quiet: bool, seconds: float | None) -> None:
        self.bar = None if quiet else console.Bar(seconds)
        self.step = self.best = ""
        self.count = RunCount()

    def on_plan(self, runs: int) -> None:
        """Takes the approximate number of runs of the whole answer, or of a further round."""
        self.count.plan(runs)

    def on_stage(self, step: str, best: Candidate | None, expected: str = "") -> None:
        """Shows a new stage, the best design so far (the one before if this stage has none yet), and its expected
        result."""
        from ..tuning import names

        about = f" ({expected})" if expected else ""
        self.step, before = step, self.best
        if best is not None:
            self.best = f"so far: {names.setting(best)}{about}"
        if self.bar is None:
            return
        self.bar.exceeded = self.count.exceeded
        if self.bar.terminal:
            self.bar.update(self.count.share, step, self.best)
        else:
            # A line for each stage; the best design stands in those where it changes.
            fresh = self.best if self.best != before else ""
            self.bar.line("; ".join(filter(None, [step + self.bar.left(self.count.share), fresh])))

    def on_batch(self, done: int, needed: int) -> None:
        """Takes the number of finished runs of a batch."""
        self.count.take(done)
        if self.bar is not None:
            self.bar.exceeded = self.count.exceeded
            self.bar.update(self.count.share, f"{self.step}: {done} of {needed} runs", self.best)

    def log(self, text: str) -> None:
        """Prints a line above the bar."""
        if self.bar is not None:
            self.bar.line(text)


@contextmanager
def _progress(*, quiet: bool, seconds: float | None) -> Iterator[Watch]:
    watch = Watch(quiet=quiet, seconds=seconds)
    try:
        yield watch
    finally:
        if watch.bar is not None:
            watch.bar.stop()
