"""The page of predictions is made from its stored numbers, and a quick form of its comparison runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dropcurve import Scenario
from dropcurve.live import launch, plan
from dropcurve.live.lab import lab
from validation.pages import live_prediction as page

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "live-prediction.md"


def test_the_page_is_made_of_the_kept_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    stored = page.KEPT.read_bytes()
    monkeypatch.setattr(page, "KEPT", tmp_path / "kept.json")
    (tmp_path / "kept.json").write_bytes(stored)
    page.write(None)
    assert (tmp_path / "page.md").read_text() == PAGE.read_text()
    # The front page has the same numbers.
    kept = json.loads(stored)
    agrees = [run[metric]["agrees"] for run in kept.values() for metric in ("goodput_bps", "queue_pkts_mean")]
    share = f"{agrees.count(True)} of {len(agrees) - agrees.count(None)}"
    assert f"{share} comparisons" in (tmp_path / "page.md").read_text()
    assert f": {share} |" in (ROOT / "README.md").read_text()


def test_every_exception_has_its_cause() -> None:
    assert "Not found." not in PAGE.read_text()
    assert all(plan.make(Scenario.parse(text)).flows for text, _ in page.cases().values())


WHY = launch.missing_for_virtual_time()


@pytest.mark.skipif(bool(WHY), reason=WHY or "virtual time is here")
def test_a_short_case_agrees_in_virtual_time() -> None:
    text = page.scenario(10, 40, page.QUEUES["RED, ECN"], page.CONTROLS["cubic"])
    short = Scenario.parse(text).edit([("run.duration", "4 s"), ("run.warmup", "1 s")])
    answer = lab(short, virtual=True, predict=5)
    rows = {row.metric: row for row in answer.rows}
    assert rows["goodput_bps"].agrees
    assert rows["queue_pkts_mean"].agrees
    assert rows["marks"].live.mean
    assert answer.trustworthy, answer.warnings
