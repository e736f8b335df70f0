"""Fixtures of the Python tests: a short scenario, and the command line without a process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import pytest

from dropcurve import cli

pytest_plugins = ["pytester"]

# The same draws in every run, so that a failure is of the change that was tested; `make test-slow` takes fresh draws.
hypothesis.settings.register_profile("repeatable", derandomize=True)
hypothesis.settings.register_profile("fresh draws")
hypothesis.settings.load_profile("repeatable")

SHORT = """\
title = "Two flows through a small queue"

[run]
duration = "4 s"
warmup = "1 s"

[dumbbell]
rate = "5 Mbit/s"
delay = "10 ms"

[queue]
kind = "red"
limit = "50 pkts"

[flows.tcp]
count = 3
transport = "tcp"
start = "uniform 0 s to 100 ms"

[flows.voice]
transport = "udp"
source = "cbr"
rate = "500 kbit/s"
packet = "500 B"
"""


@dataclass(frozen=True)
class Answer:
    """Output and exit code of a command."""

    code: int
    out: str
    err: str

    @property
    def errors(self) -> list[str]:
        """Lines on standard error."""
        return self.err.splitlines()


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """No store of runs, unless a test asks for one: a run that is compared must not be read from where the other is."""
    monkeypatch.setenv("DROPCURVE_CACHE", "off")


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages and folders without figures, for tests of all the rest of them: drawing takes ten times as long as a short
    comparison. Every kind of figure is drawn and looked at in tests/plot and by the tests that do not ask for this."""
    monkeypatch.setattr("dropcurve.plot.available", lambda _: ())
    monkeypatch.setattr("dropcurve.tuning.figures.available", lambda _: ())
    monkeypatch.setattr("dropcurve.tuning.page.at_the_ends", lambda *_: [])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with the scenario `short.toml`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short.toml").write_text(SHORT, encoding="utf-8")
    return tmp_path


@pytest.fixture
def two_workers() -> Iterator[tuple[str, list[int]]]:
    """A Dask cluster of two processes on this machine, which are replaced where they die: (its address, their ids)."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1", scheduler_port=0
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        yield local.scheduler_address, list(client.run(os.getpid).values())


@pytest.fixture
def dropcurve(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """The command line: ``dropcurve("run", "short.toml")``."""

    def call(*arguments: str) -> Answer:
        capsys.readouterr()
        code = cli.invoke(list(arguments))
        streams = capsys.readouterr()
        return Answer(code, streams.out, streams.err)

    return call
