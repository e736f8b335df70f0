"""Results: kept, read back, shown."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import dropcurve as dc
from dropcurve.results import Result, Variant, other_way
from dropcurve.scenario import links


@pytest.fixture
def result(folder: Path) -> dc.Result:
    return dc.compare("short.toml", queues=["droptail", "red"], replications=3)


def test_a_kept_result_is_the_same_when_read(result: dc.Result, folder: Path) -> None:
    result.save("kept")
    back = dc.Result.load("kept")
    assert back.table() == result.table()
    assert back.differences() == result.differences()
    assert back.verdict() == result.verdict()
    assert str(back) == str(result)
    for one, other in zip(result.variants, back.variants, strict=True):
        assert one.scenario == other.scenario
        assert one.automatic == other.automatic
        assert dc.Scenario.parse(other.toml).hash == one.hash == other.hash
        assert list(one.series) == list(other.series)
        for key in one.series:
            for mine, theirs in zip(one.series.select(*key), other.series.select(*key), strict=True):
                assert np.array_equal(mine, theirs, equal_nan=True)


def test_the_folder_of_an_answer_of_tune_names_its_page(folder: Path) -> None:
    Path("tuned").mkdir()
    Path("tuned/tune.json").write_text("{}")
    with pytest.raises(
        dc.ResultError, match=r"is an answer of `dropcurve tune`; its page is tuned/report\.html"
    ):
        dc.Result.load("tuned")


def test_the_folder_holds_what_its_page_says(result: dc.Result, folder: Path) -> None:
    result.save("kept")
    names = {path.name for path in Path("kept").iterdir()}
    assert names == {"result.json", "runs.json", "series.parquet", "scenario.toml", "SHA256SUMS"}
    assert dc.Scenario.load("kept/scenario.toml").hash == result.baseline.hash


def test_automatic_values_are_reported_by_link(result: dc.Result) -> None:
    tail, red = result.variants
    assert tail.automatic == {}
    # 1500 bytes of three TCP flows and 500 of a voice, to the byte below.
    assert red.automatic["bottleneck"]["mean_packet"] == "1250 B"
    assert "max_p" not in red.automatic["bottleneck"]


def test_more_replications_take_those_that_are_there(folder: Path) -> None:
    few = dc.run("short.toml", replications=2, out="kept")
    more = dc.run("short.toml", replications=3, out="kept")
    assert (few.reused, more.reused) == (0, 2)
    fresh = dc.run("short.toml", replications=3)
    assert more.baseline.runs == fresh.baseline.runs
    assert dc.run("short.toml", replications=2, seed=2, out="kept").reused == 1
    file = Path("kept/result.json")
    other = {**json.loads(file.read_text(encoding="utf-8")), "build": "01234567"}
    file.write_text(json.dumps(other), encoding="utf-8")
    assert dc.run("short.toml", replications=2, seed=2, out="kept").reused == 0


def test_variants_have_given_and_distinct_names(folder: Path) -> None:
    long = "red:max_p=0.1,min_th=5 pkts,max_th=15 pkts"
    comparison = dc.compare(
        "short.toml", queues=["classic=red:max_p=0.1", "red", "red", long], replications=2
    )
    assert [one.name for one in comparison.variants] == ["classic", "red", "red (2)", long]
    lines = str(comparison).splitlines()
    assert f"[4] {long}" in lines
    assert any("red:max_p=0.1… [4]" in line for line in lines)
    with pytest.raises(dc.UsageError, match="must be NAME=KIND"):
        dc.compare("short.toml", queues=["=red", "red"])


def test_another_discipline_starts_from_its_own_defaults_in_the_same_buffer(folder: Path) -> None:
    base = dc.Scenario.load("short.toml").edit([
        ("queue.dialect", "linux"), ("queue.limit", "90000 B"), ("queue.min_th", "9 kB"), ("queue.max_th", "27 kB"),
        ("queue.ecn", True),
    ])  # fmt: skip
    own = ["red:max_p=0.5", "gred", "ared", "codel", "droptail"]
    red, gred, ared, codel, tail = dc.compare(base, queues=own, replications=1).variants
    limits = {one.scenario["queue"]["limit"] for one in (red, gred, ared, codel, tail)}
    assert limits == {"90000 B"}
    assert red.scenario["queue"]["min_th"] == "9000 B" and red.scenario["queue"]["dialect"] == "linux"
    assert ared.scenario["queue"]["max_th"] == "auto", "not that of the other discipline"
    assert all(one.scenario["queue"]["ecn"] for one in (red, gred, ared, codel))


def test_another_format_is_refused(result: dc.Result, folder: Path) -> None:
    file = result.save("kept") / "result.json"
    file.write_text(
        json.dumps({**json.loads(file.read_text(encoding="utf-8")), "format": 2}), encoding="utf-8"
    )
    with pytest.raises(dc.ResultError, match="has format 2, this version of dropcurve reads format 1"):
        dc.Result.load("kept")


def test_damage_is_named(result: dc.Result, folder: Path) -> None:
    kept = result.save("kept")
    (kept / "runs.json").write_text('{"format": 1, "ru', encoding="utf-8")
    with pytest.raises(dc.ResultError, match=r"runs\.json: is damaged"):
        dc.Result.load("kept")
    (kept / "SHA256SUMS").unlink()
    (kept / "series.parquet").write_bytes(b"PAR1 nonsense")
    (kept / "runs.json").write_text('{"format": 1, "runs": []}', encoding="utf-8")
    with pytest.raises(dc.ResultError, match=r"series\.parquet: is damaged"):
        dc.Result.load("kept")
    with pytest.raises(dc.ResultError, match="no such folder"):
        dc.Result.load("nowhere")


def test_summary_and_variants_by_name(result: dc.Result) -> None:
    assert result.summary["utilisation"].n == 3
    assert [variant.name for variant in result.variants] == ["droptail", "red"]
    assert result.variants[1].scenario["queue"]["kind"] == "red"
    times, values = result.variants[0].series.select("queue_pkts", "bottleneck")
    assert len(times) == len(values) > 100


def test_a_notebook_gets_a_table(result: dc.Result) -> None:
    page = result._repr_html_()
    assert page.count("<tr>") == page.count("</tr>") > 5
    assert "droptail" in page


def test_text_fits_a_hundred_columns(result: dc.Result) -> None:
    table = str(result).split("\n\nRepeat:")[0]
    assert max(len(line) for line in table.splitlines()) <= 100


def test_seven_variants_are_shown_in_blocks(folder: Path) -> None:
    comparison = dc.compare(
        "short.toml", vary={"queue.max_p": [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]}, replications=2
    )
    lines = str(comparison).splitlines()
    assert max(len(line) for line in lines if "Repeat:" not in line) <= 100
    assert sum("link utilisation" in line for line in lines) > 1


def test_unknown_tables_are_refused(result: dc.Result) -> None:
    with pytest.raises(dc.UsageError, match="per = link: must be one of total, class, flow"):
        result.table(per="link")
    with pytest.raises(dc.UsageError, match="no metric is called"):
        result.table(only=["speed"])


@pytest.mark.parametrize(("backlog", "warned"), [(120_000, True), (20_000, False)])
def test_a_long_queue_of_the_other_direction_is_named_with_its_remedy(backlog: int, warned: bool) -> None:
    run = {"links": {
        "bottleneck": {"rate_bps": 30_000_000}, "bottleneck.back": {"rate_bps": 8_000_000, "queue_bytes_mean": backlog},
    }}  # fmt: skip
    variant = Variant("droptail", links.scenarios("lte")[0].resolved, [run])
    comparison = Result(
        "r", [variant], [1], "", command="dropcurve compare link:lte --queue droptail --queue codel"
    )
    text = other_way.sentence(comparison, "droptail")
    # 120 kB at 8 Mbit/s take 120 ms, on a base round trip of 63 ms.
    assert ("delays acknowledgements by 120 ms on average, on a base round trip of 63 ms" in text) is warned
    assert ("(dropcurve tune --link lte:up)" in text) is warned


def test_a_queue_of_the_other_direction_that_is_stated_gets_no_advice() -> None:
    run = {
        "links": {"bottleneck": {"rate_bps": 1}, "bottleneck.back": {"rate_bps": 1, "queue_bytes_mean": 1e9}}
    }
    known = Variant("droptail", links.scenarios("lte,back=fq_codel")[0].resolved, [run])
    assert other_way.sentence(Result("r", [known], [1], ""), "droptail") == ""
