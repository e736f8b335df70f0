"""Results that were kept: each still loads, each of its figures draws, and so does its page."""

from __future__ import annotations

from pathlib import Path

import pytest

from dropcurve import plot, report
from dropcurve.results import Result

STORED = sorted(path for path in (Path(__file__).parent / "stored").iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", STORED, ids=lambda folder: folder.name)
def test_the_page_of_a_stored_result_with_every_figure(folder: Path, tmp_path: Path) -> None:
    result = Result.load(folder)
    kinds = plot.available(result)
    assert {"queue", "drop_curve", "delay_distribution", "throughput", "cwnd"} <= set(kinds)
    assert ("comparison" in kinds) == (len(result.variants) > 1)
    page = report.write(result, tmp_path).read_text(encoding="utf-8")
    assert len(page) > 50_000
    assert all(plot.KINDS[kind].title in page for kind in kinds)


def test_observed_drops_follow_the_law() -> None:
    """With ns-2's spacing the share of dropped packets of a real run is nearer to the expected share than to `p_b`."""
    result = Result.load(Path(__file__).parent / "stored" / "dumbbell")
    (panel,) = plot.KINDS["drop_curve"].module.data(result)
    assert panel.spacing == "wait"
    low, high = (value for _, value in panel.thresholds)
    between = (panel.avg > low) & (panel.avg < high)
    assert between.sum() >= 4
    configured = 0.02 * (panel.avg[between] - low) / (high - low)
    assert (panel.observed[between] < 0.8 * configured).all()
