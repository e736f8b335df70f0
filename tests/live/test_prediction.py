"""The page of predictions: made of its kept numbers, and its comparison in a quick form."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType

import pytest

from dropcurve import Scenario
from dropcurve.live import launch, plan
from dropcurve.live.lab import lab

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def page() -> ModuleType:
    """The script that writes it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS))
        return importlib.import_module("live_prediction")


def test_the_page_is_made_of_the_kept_numbers(
    page: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(page, "KEPT", tmp_path / "kept.json")
    (tmp_path / "kept.json").write_bytes((DOCS / "live-prediction.json").read_bytes())
    page.write(None)
    assert (tmp_path / "page.md").read_text() == (DOCS / "live-prediction.md").read_text()
    # What the front page says of it.
    kept = json.loads((DOCS / "live-prediction.json").read_text())
    agrees = [run[metric]["agrees"] for run in kept.values() for metric in ("goodput_bps", "queue_pkts_mean")]
    told = f"{agrees.count(True)} of {len(agrees) - agrees.count(None)}"
    assert f"{told} comparisons" in (tmp_path / "page.md").read_text()
    assert f": {told} |" in (DOCS.parent / "README.md").read_text()


def test_every_exception_has_its_cause(page: ModuleType) -> None:
    assert "Not found." not in (DOCS / "live-prediction.md").read_text()
    assert all(plan.make(Scenario.parse(text)).flows for text, _ in page.cases().values())


WHY = launch.missing_for_virtual_time()


@pytest.mark.skipif(bool(WHY), reason=WHY or "virtual time is here")
def test_a_short_case_agrees_in_virtual_time(page: ModuleType) -> None:
    text = page.scenario(10, 40, page.QUEUES["RED, ECN"], page.CONTROLS["cubic"])
    short = Scenario.parse(text).edit([("run.duration", "4 s"), ("run.warmup", "1 s")])
    answer = lab(short, virtual=True, predict=5)
    rows = {row.metric: row for row in answer.rows}
    assert rows["goodput_bps"].agrees
    assert rows["queue_pkts_mean"].agrees
    assert rows["marks"].live.mean
    assert answer.trustworthy, answer.warnings
