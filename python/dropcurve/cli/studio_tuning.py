"""`tune` in the studio: one search at a time in a thread of the server, with its progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import DropcurveError, UsageError
from ..present.run_count import RunCount
from ..quantities import units

#: Questions of the form: what `tune` takes, in the order of the command.
KEYS = ("link", "rate", "rtt", "flows", "buffer", "goal")
#: Most lines of the log that are sent.
LINES = 60


class SearchStopped(Exception):
    """The user stopped the search."""


class Tuning:
    """A search: its progress, and in the end its answer.

    Args:
        request: ``link`` or ``rate``, ``rtt``, ``flows`` and ``buffer``; ``goal``; ``queues``, a list of disciplines;
            ``box``; and ``runs`` or ``time``, all as `dropcurve tune` takes them.
        results: Where the folder of the answer is made.

    Raises:
        DropcurveError: For every fault of the question.
    """

    def __init__(self, request: Mapping[str, Any], results: Path) -> None:
        from .. import tuning
        from ..runs import command_line

        texts = {key: _text(request, key) for key in KEYS}
        queues = [str(one) for one in request.get("queues") or []]
        box = _text(request, "box")
        self.runs = _runs(request)
        limit = _text(request, "time")
        self.seconds = units.span(limit, what="time") if limit else None
        self.question = tuning.ask(
            None, ranges=None, robust="mean", box=box, candidates=queues, space=None, exchange=None, **texts
        )
        self.command = command_line.line("tune", [], [
            *texts.items(), ("for", box), *(("queue", one) for one in queues), ("runs", self.runs), ("time", limit),
        ])  # fmt: skip
        self.folder = results / time.strftime("tune-%Y%m%d-%H%M%S")
        self.began = time.monotonic()
        self.state = {
            "running": True,
            "stage": "starting",
            "best": "",
            "expected": "",
            "error": "",
            "answer": "",
        }
        self.lines: list[str] = []
        self.count = RunCount()
        self.stopping = False
        self.thread = threading.Thread(target=self._solve, daemon=True)
        self.thread.start()

    def progress(self) -> dict[str, Any]:
        """Stage, best design so far, share of the runs that are made, seconds, and the log; at the end ``answer``, the
        name of the result."""
        share = self.count.share or 0.0
        return {
            **self.state, "share": share if self.state["running"] else 1.0, "runs": self.count.runs,
            "total": self.count.total, "seconds": time.monotonic() - self.began, "lines": self.lines[-LINES:],
            "command": self.command,
        }  # fmt: skip

    def stop(self) -> None:
        """Ends the search after the run in progress; its runs are stored."""
        self.stopping = True

    def _solve(self) -> None:
        from .. import tuning

        try:
            answer = tuning.solve(
                self.question, runs=self.runs, seconds=self.seconds, out=self.folder, command=self.command, page=False,
                on_stage=self._on_stage, on_batch=self._on_batch, log=self._log, on_plan=self._on_plan,
            )  # fmt: skip
            self.state |= {"answer": self.folder.name, "stage": answer.verdict()[0]}
        except SearchStopped:
            self.state |= {
                "stage": "stopped",
                "error": "stopped; the same question continues with the stored runs",
            }
        except DropcurveError as error:
            self.state |= {"error": str(error)}
        finally:
            self.state["running"] = False

    def _on_stage(self, stage: str, best: Any, expected: str = "") -> None:
        from ..tuning import names

        self._check()
        self.state["stage"] = stage
        if best is not None:
            self.state |= {"best": names.setting(best), "expected": expected}
        self._log("; ".join(filter(None, (stage, str(self.state["best"]), expected))))

    def _on_batch(self, done: int, needed: int) -> None:
        self._check()
        self.count.take(done)

    def _on_plan(self, runs: int) -> None:
        self.count.plan(runs)

    def _log(self, text: str) -> None:
        self.lines.append(f"{time.monotonic() - self.began:.0f} s: {text}")

    def _check(self) -> None:
        if self.stopping:
            raise SearchStopped


def _runs(request: Mapping[str, Any]) -> int | None:
    """The limit of runs."""
    runs = request.get("runs")
    if runs is None or (isinstance(runs, int) and not isinstance(runs, bool)):
        return runs
    raise UsageError("runs", runs, "must be a whole number", "send a number or leave it out")


def _text(request: Mapping[str, Any], key: str) -> str | None:
    """A text of the question; ``None`` where it is left out."""
    value = request.get(key)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if not isinstance(value, str):
        raise UsageError(key, value, "must be text", "send a JSON string")
    return value.strip()
