"""Short and rich displays, and tables for papers."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import dropcurve as dc
from dropcurve.errors import UsageError
from dropcurve.present import latex
from dropcurve.scenario import toml


@pytest.fixture(scope="module")
def scenario() -> dc.Scenario:
    return dc.Scenario.load("droptail_vs_red").edit([("run.duration", "3 s"), ("run.warmup", "1 s")])


@pytest.fixture(scope="module")
def result(scenario: dc.Scenario) -> dc.Result:
    return dc.compare(scenario, queues=["red", "droptail"], replications=2)


def test_a_scenario_shows_what_differs_from_the_defaults(scenario: dc.Scenario) -> None:
    assert repr(scenario).startswith("<Scenario droptail_vs_red: 9 flows, run.duration = '3 s'")
    shown = scenario._repr_html_()
    assert "duration = &quot;3 s&quot;" in shown and "max_memory" not in shown
    assert dc.Scenario.parse(scenario.given()).hash == scenario.hash
    shown = scenario.set("queue.min_th", scenario.get("queue.min_th"))._repr_html_()
    assert "min_th" not in shown and "floyd93" in shown


@pytest.mark.parametrize("name", ["droptail_vs_red", "mm1", "household", "chain"])
def test_every_value_that_is_shown_makes_a_difference(name: str) -> None:
    whole = dc.Scenario.load(name)
    text = whole.differences()
    assert dc.Scenario.parse(text).hash == whole.hash
    tables = tomllib.loads(text)
    for key, table in tables.items():
        if key == "flows" or not isinstance(table, dict):
            continue
        for inner in table:
            rest = {**tables, key: {one: value for one, value in table.items() if one != inner}}
            try:
                assert dc.Scenario.parse(toml.dump(rest)).hash != whole.hash, inner
            except dc.ScenarioError:
                continue


def test_results_are_short_in_a_line(result: dc.Result) -> None:
    assert repr(result) == f"<Result {result.name}: red, droptail; 2 replications>"
    assert repr(result.variants[0]).startswith("<Variant red: 2 runs, ")


def test_a_table_goes_into_a_paper(result: dc.Result) -> None:
    lines = result.to_latex(only=["utilisation", "loss"]).splitlines()
    assert lines[0] == r"\begin{tabular}{llrr}" and lines[-1] == r"\end{tabular}"
    assert lines[2].endswith(r"& red & droptail \\")
    rows = {line.split(" & ", 1)[0]: line for line in lines[4:-2]}
    # Tail drop keeps the link full in both runs; the losses differ.
    assert rows["link utilisation"].endswith(r"& 100 (all runs) \\") and r"& \% &" in rows["link utilisation"]
    assert r"$\pm$" in rows["drops by the queue"]
    assert latex.text("a_b & 5 % {\\x}") == r"a\_b \& 5 \% \{\textbackslash{}x\}"


def test_figures_for_papers_are_drawn_alike_each_time(result: dc.Result, tmp_path: Path) -> None:
    files = [tmp_path / "one.pdf", tmp_path / "two.pdf"]
    for file in files:
        dc.plot.plot("queue", result, path=file, width="column", style="paper")
    assert files[0].read_bytes() == files[1].read_bytes()
    assert b"STIX" in files[0].read_bytes()
    with pytest.raises(UsageError, match="must be one of screen, paper"):
        dc.plot.plot("queue", result, style="poster")


def test_a_trace_goes_into_tables(scenario: dc.Scenario, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    trace = dc.trace(scenario)
    assert repr(trace).startswith(f"<Trace: {len(trace)} rows of 9 flows, ")
    assert trace._repr_html_().count("<tr>") == 13
    frame = trace.to_pandas()
    assert list(frame["what"].unique()) and len(frame) == len(trace)
    again = pandas.read_parquet(trace.write(tmp_path / "trace.parquet"))
    assert again.equals(frame)
    assert len((trace.write(tmp_path / "trace.csv")).read_text().splitlines()) == len(trace) + 1
    with pytest.raises(UsageError, match=r"must end in \.csv, \.parquet or \.pcapng"):
        trace.write(tmp_path / "trace.xls")
