"""Recordings that scenario files name."""

from __future__ import annotations

from pathlib import Path

import pytest

import dropcurve as dc
from dropcurve.errors import DropcurveError
from dropcurve.scenario import recordings

SCENARIO = """
[run]
duration = "10 s"
warmup = "1 s"

[dumbbell]
delay = "10 ms"
opportunities_ms = "file:cell.trace"

[queue]
kind = "droptail"
limit = "100 pkts"

[flows.tcp]
count = 2
"""


def test_a_link_follows_a_recording(tmp_path: Path) -> None:
    # 1500 bytes at 1, 2, 3 and 6 ms, and again: 4 x 12 kbit in 6 ms are 8 Mbit/s.
    (tmp_path / "cell.trace").write_text("1\n2\n3\n6\n", encoding="ascii")
    (tmp_path / "cell.toml").write_text(SCENARIO, encoding="utf-8")
    scenario = dc.Scenario.load(tmp_path / "cell.toml")
    assert scenario.get("dumbbell.opportunities_ms") == [1, 2, 3, 6]
    run = dc.run(scenario, replications=1).baseline.runs[0]
    assert run["links"]["bottleneck"]["rate_bps"] == 8_000_000
    # 1500-byte segments fill every opportunity once the windows are open.
    departed = run["links"]["bottleneck"]["departed_bytes"] * 8 / 9
    assert 0.98 * 8e6 < departed <= 8e6 * 1.001


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1\n2\nx\n", "entry 3: must be a time"),
        ("5\n4\n", "entry 2: must not lie before"),
        ("0\n0\n", "no time above 0"),
        ("", "no time above 0"),
    ],
)
def test_bad_recordings_are_named(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "bad.trace").write_text(content, encoding="ascii")
    with pytest.raises(DropcurveError, match=message.replace("(", r"\(").replace(")", r"\)")):
        recordings.mahimahi(tmp_path / "bad.trace")


def test_a_missing_recording_is_named(tmp_path: Path) -> None:
    (tmp_path / "cell.toml").write_text(SCENARIO, encoding="utf-8")
    with pytest.raises(DropcurveError, match=r"cell\.trace: cannot be read"):
        dc.Scenario.load(tmp_path / "cell.toml")
