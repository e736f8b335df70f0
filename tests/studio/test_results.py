"""Results and searches of the studio: listed, opened as numbers, and `tune` with its progress."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

import dropcurve as dc
from dropcurve.cli import studio_results
from dropcurve.cli.studio_server import StudioServer
from dropcurve.errors import DropcurveError

SHORT = [("run.duration", "2 s"), ("run.warmup", "1 s")]
QUESTION = {"rate": "4Mbit", "rtt": "20ms", "flows": "2", "buffer": "50pkts", "goal": "balanced",
            "queues": ["droptail"], "box": "linux", "runs": 60}  # fmt: skip


def test_results_of_the_folder_are_listed(tmp_path: Path) -> None:
    assert studio_results.listed(tmp_path / "none")["results"] == []
    scenario = dc.Scenario.load("droptail_vs_red").edit(SHORT)
    dc.run(scenario, replications=2, out=tmp_path / "mine")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "result.json").write_text("{")
    (row,) = studio_results.listed(tmp_path)["results"]
    assert (row["name"], row["kind"], row["opens"]) == ("mine", "run", True)
    assert dc.Scenario.parse(row["scenarios"][0]["toml"]).hash == scenario.hash


def test_a_comparison_opens_with_the_numbers_of_its_table(tmp_path: Path) -> None:
    scenario = dc.Scenario.load("droptail_vs_red").edit(SHORT)
    result = dc.compare([scenario], queues=["red", "droptail"], replications=3, out=tmp_path / "mine")
    view = studio_results.opened(tmp_path, "mine")
    frame = {row.key: row.cells for row in result.table()}
    (red, tail) = view["rows"]
    for place, row in enumerate((red, tail)):
        cell = frame["utilisation"][place]
        assert row["utilisation"]["mean"] == cell.mean
        assert row["utilisation"]["half"] == pytest.approx(cell.half_width)
    shown = result.to_markdown()
    for measure in view["measures"]:
        cells = [row[measure["key"]] for row in view["rows"] if row[measure["key"]]]
        if any(cell["mean"] for cell in cells):
            assert f"| {measure['title']} |" in shown
        for cell in cells:
            assert cell["low"] <= cell["mean"] <= cell["high"]
    for key in ("utilisation", "loss", "overflow_loss", "goodput_bps"):
        assert f"| {red[key]['words']} | {tail[key]['words']} |" in shown
    assert red["utilisation"]["high"] <= 100
    (queue, *_) = view["lines"]
    assert [line["name"] for line in queue["lines"]] == [red["variant"], tail["variant"]]
    held = result.variants[0].series.select("queue_pkts", "bottleneck")[1]
    assert max(queue["lines"][0]["y"]) == held.max()


def test_a_sweep_opens_with_its_settings(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    scenario = dc.Scenario.load("droptail_vs_red").edit(SHORT)
    table = dc.sweep(scenario, vary={"queue.max_p": [0.02, 0.5]}, replications=2, out=tmp_path / "grid")
    view = studio_results.opened(tmp_path, "grid")
    assert [one["key"] for one in view["settings"]] == table.settings
    means = [row["utilisation"].mean for row in table.means()]
    assert [row["utilisation"]["mean"] for row in view["rows"]] == means


@pytest.mark.parametrize("name", ["..", ".hidden", "a/b", "a\\b", "none"])
def test_only_a_result_of_the_folder_is_opened(tmp_path: Path, name: str) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    with pytest.raises(DropcurveError, match="is not a result of this folder"):
        studio_results.opened(tmp_path, name)
    with pytest.raises(DropcurveError, match="contains no result"):
        studio_results.opened(tmp_path, "a")


def test_a_damaged_result_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "result.json").write_text("{")
    with pytest.raises(DropcurveError, match="cannot be read"):
        studio_results.opened(tmp_path, "a")


@pytest.fixture
def server(tmp_path: Path) -> StudioServer:
    return StudioServer(tmp_path, tmp_path / "results")


def ended(server: StudioServer) -> dict[str, object]:
    """The progress at the end of the search."""
    assert server.tuning is not None
    shares = []
    while server.tuning.progress()["running"]:
        shares.append(server.tuning.progress()["share"])
        server.tuning.thread.join(0.05)
    assert shares == sorted(shares)
    return server.tuning.progress()


def test_a_search_ends_with_an_answer_that_opens(server: StudioServer, tmp_path: Path) -> None:
    began = server.tune(QUESTION)
    assert began["running"] is True and str(began["command"]).startswith("dropcurve tune --rate 4Mbit")
    with pytest.raises(DropcurveError, match="a search is running"):
        server.tune(QUESTION)
    end = ended(server)
    assert end["error"] == "" and end["share"] == 1.0
    stored = json.loads((tmp_path / "results" / str(end["answer"]) / "tune.json").read_text())
    view = server.result({"name": end["answer"]})
    assert view["sentences"][: len(stored["verdict"])] == stored["verdict"]
    assert view["configuration"] == stored["configuration"] != ""
    assert view["rows"][0]["design"] == stored["confirmed"][0]["name"]


def test_a_search_can_be_stopped(server: StudioServer) -> None:
    with pytest.raises(DropcurveError, match="no search is running"):
        server.stop({})
    server.tune(QUESTION | {"queues": ["red", "codel"], "runs": 2000})
    server.stop({})
    began = time.monotonic()
    end = ended(server)
    assert "stopped" in str(end["error"]) and time.monotonic() - began < 60


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [({"rate": "ten"}, "rate"), ({"runs": "many"}, "runs"), ({"goal": 7}, "goal"), ({"queues": ["none"]}, "none")],
)  # fmt: skip
def test_a_wrong_question_is_refused(server: StudioServer, wrong: dict[str, object], problem: str) -> None:
    with pytest.raises(DropcurveError, match=problem):
        server.tune(QUESTION | wrong)
    assert server.tuning is None
