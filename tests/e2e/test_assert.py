"""Statements about a scenario that hold, fail or stay undecided, and their exit codes and annotations for pipelines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

Dropcurve = Callable[..., Any]
FEW = ("--replications", "3", "--maximum", "6")


def test_statements_that_hold_exit_with_zero(dropcurve: Dropcurve) -> None:
    answer = dropcurve("assert", "short.toml", "utilisation > 30%", "p95 delay < 200ms", *FEW)
    assert (answer.code, answer.err) == (0, "")
    first, second = answer.out.splitlines()
    assert first.startswith("utilisation > 30 %: holds (") and first.endswith("over 3 runs)")
    assert second.startswith("p95 delay < 200 ms: holds (")


def test_statements_that_fail_exit_with_one(dropcurve: Dropcurve) -> None:
    answer = dropcurve("assert", "short.toml", "p95 delay < 1ms", "utilisation > 30%", *FEW)
    assert answer.code == 1
    assert answer.out.splitlines()[0].startswith("p95 delay < 1 ms: fails (")


def test_a_bound_inside_the_interval_gets_more_runs_and_is_then_undecided(dropcurve: Dropcurve) -> None:
    shown = json.loads(dropcurve("assert", "short.toml", "mean delay < 1000ms", "--json", *FEW).out)
    mean = shown["statements"][0]["mean"]
    answer = dropcurve("assert", "short.toml", f"mean delay < {mean:.6f}ms", *FEW)
    assert answer.code == 1
    assert ": cannot be decided (" in answer.out and "over 6 runs)" in answer.out


def test_a_pipeline_gets_junit_and_annotations(dropcurve: Dropcurve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    statements = ("p95 delay < 1ms", "utilisation > 30%")
    answer = dropcurve("assert", "short.toml", *statements, "--junit", "outcome.xml", "--quiet", *FEW)
    assert answer.code == 1
    assert "::error title=dropcurve short::p95 delay < 1 ms: fails (" in answer.out
    suite = ElementTree.fromstring(Path("outcome.xml").read_text(encoding="utf-8"))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["p95 delay < 1 ms"]


def test_a_name_from_a_stranger_steers_neither_junit_nor_the_pipeline(
    dropcurve: Dropcurve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    name = "a\x01b\n::warning title=x,y::%0A\udcff.toml"
    Path("short.toml").rename(name)
    answer = dropcurve("assert", name, "p95 delay < 1ms", "--junit", "outcome.xml", "--quiet", *FEW)
    assert answer.code == 1, answer.err
    (line,) = [line for line in answer.out.splitlines() if line.startswith("::")]
    assert line.startswith("::error title=dropcurve a\\x01b\\n%3A%3Awarning title=x%2Cy%3A%3A%250A")
    suite = ElementTree.fromstring(Path("outcome.xml").read_text(encoding="utf-8"))
    assert str(suite.get("name")).startswith("dropcurve a\\x01b\\n::warning")


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("max utilisation", "must be a bound on one measure"),
        ("p95 delay < 20ms, loss < 1%", "must be a bound on one measure"),
        ("p95 dely < 20ms", "p95 delay"),
    ],
)
def test_invalid_statements_are_refused(dropcurve: Dropcurve, statement: str, words: str) -> None:
    answer = dropcurve("assert", "short.toml", statement)
    assert answer.code == 2 and words in answer.err and "Traceback" not in answer.err


def test_a_measure_without_a_value_is_no_success(
    dropcurve: Dropcurve, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dropcurve.tuning import assertions

    monkeypatch.setattr(assertions, "_refuse_missing", lambda *_: None)
    answer = dropcurve("assert", "short.toml", "call quality > 3", *FEW)
    assert answer.code == 1 and "no run has a value" in answer.out


def test_a_measure_of_flows_that_are_not_there_is_refused_before_any_run(dropcurve: Dropcurve) -> None:
    answer = dropcurve("assert", "droptail_vs_red", "mos of voic > 4")
    assert answer.code == 2 and answer.errors == [
        "dropcurve: mos of voic > 4: the scenario has no flows named voic; did you mean 'voice'?"
    ]


def test_a_measure_that_no_run_can_have_is_refused_before_anything_runs(
    dropcurve: Dropcurve, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dropcurve.tuning import assertions

    monkeypatch.setattr(assertions, "_Runs", None)
    answer = dropcurve(
        "assert", "short.toml", "call quality > 3", "utilisation > 30%", "page load time < 1s", *FEW
    )
    assert answer.code == 2
    first, second = answer.err.splitlines()
    assert first.endswith("add a call, such as --link cable")
    assert "call quality > 3: only UDP flows with small packets have call quality" in first
    assert "only web pages of several objects have a load time" in second
