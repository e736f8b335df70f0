"""Progress in a notebook: a bar with the share of the runs, and none elsewhere."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import dropcurve as dc
from dropcurve.present import notebook

SHORT = [("run.duration", "2 s"), ("run.warmup", "1 s")]


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a notebook shows."""
    shown: list[str] = []
    shell, display = ModuleType("IPython"), ModuleType("IPython.display")
    shell.get_ipython = lambda: SimpleNamespace(kernel=True)  # type: ignore[attr-defined]
    display.HTML = str  # type: ignore[attr-defined]
    display.display = lambda page, display_id: (shown.append(page), SimpleNamespace(update=shown.append))[1]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(notebook, "EVERY_S", 0.0)
    return shown


def shares(pages: list[str]) -> list[float]:
    return [float(re.findall(r'value="([0-9.]+)"', page)[0]) for page in pages]


def test_a_comparison_shows_its_runs(pages: list[str]) -> None:
    dc.run(dc.Scenario.load("droptail_vs_red").edit(SHORT), replications=3, cache="off")
    assert shares(pages) == sorted(shares(pages)) and shares(pages)[-1] == 1.0
    assert "3 of 3 runs" in pages[-1]


def test_a_sweep_shows_its_runs(pages: list[str], tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    scenario = dc.Scenario.load("droptail_vs_red").edit(SHORT)
    dc.sweep(scenario, vary={"queue.max_p": [0.02, 0.5]}, replications=2, out=tmp_path / "a", cache="off")
    assert shares(pages)[-1] == 1.0 and "4 of 4 runs" in pages[-1]


def test_progress_of_ones_own_replaces_the_bar(pages: list[str]) -> None:
    own: list[float] = []
    scenario = dc.Scenario.load("droptail_vs_red").edit(SHORT)
    dc.run(scenario, replications=2, cache="off", progress=lambda done, needed, share: own.append(share))
    assert pages == [] and own[-1] == 1.0


def test_a_search_shows_its_stage(pages: list[str]) -> None:
    bar = notebook.bar()
    assert bar is not None
    bar.plan(10)
    bar.step("line search: <red>", None, "utilisation 99 %")
    bar.batched(4, 5)
    bar.batched(1, 5)
    assert shares(pages) == [0.0, 0.4, 0.5]
    assert "line search: &lt;red&gt;; best so far: utilisation 99 %" in pages[-1]


def test_there_is_no_bar_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert notebook.bar() is None
    shell = ModuleType("IPython")
    shell.get_ipython = lambda: None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", shell)
    assert notebook.bar() is None
