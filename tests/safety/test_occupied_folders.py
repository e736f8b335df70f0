"""A result is never replaced by that of another question, unless the user allows it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve.errors import ResultError

VARY = {"queue.max_p": [0.02, 0.1]}


def content(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def occupied(folder: Path) -> Path:
    """The result of two runs."""
    dc.run("short.toml", replications=2, out="kept")
    return folder / "kept"


def other() -> dc.Scenario:
    """Another scenario."""
    return dc.Scenario.load("short.toml").set("queue.max_p", 0.5)


def test_another_scenario_is_refused_and_changes_nothing(occupied: Path) -> None:
    before = content(occupied)
    with pytest.raises(ResultError, match="--force"):
        dc.run(other(), replications=1, out=occupied)
    with pytest.raises(ResultError, match=r"`dropcurve run or compare` wrote.*--force"):
        dc.sweep("short.toml", VARY, replications=1, out=occupied)
    assert content(occupied) == before


def test_more_of_the_same_and_a_comparison_with_it_are_taken(occupied: Path) -> None:
    assert len(dc.run("short.toml", replications=3, out=occupied).seeds) == 3
    both = dc.compare("short.toml", queues=["droptail"], replications=2, out=occupied)
    assert len(both.variants) == 2
    with pytest.raises(ResultError, match="another scenario"):
        dc.run("short.toml", replications=3, out=occupied)


def test_force_replaces(occupied: Path, dropcurve: Callable[..., Any]) -> None:
    words = ("--set", "queue.max_p=0.5", "--replications", "2", "--out", "kept", "--no-report", "--quiet")
    refused = dropcurve("run", "short.toml", *words)
    assert (refused.code, len(refused.errors)) == (2, 1)
    assert dropcurve("run", "short.toml", *words, "--force").code == 0
    assert dc.Result.load(occupied).baseline.scenario["queue"]["max_p"] == 0.5


def test_an_unreadable_result_is_not_replaced(occupied: Path) -> None:
    for text in ("", "{", "[]", '{"variants": 1}'):
        (occupied / "result.json").write_text(text, encoding="utf-8")
        with pytest.raises(ResultError, match=r"cannot be read as a result.*--force"):
            dc.run("short.toml", replications=1, out=occupied)
    dc.run("short.toml", replications=1, out=occupied, force=True)


def test_a_sweep_is_replaced_by_one_of_the_same_scenario_only(folder: Path) -> None:
    dc.sweep("short.toml", VARY, replications=1, out="kept")
    dc.sweep("short.toml", {"queue.max_p": [0.02, 0.1, 0.2]}, replications=1, out="kept")
    before = content(folder / "kept")
    with pytest.raises(ResultError, match="another scenario"):
        dc.sweep(other().set("dumbbell.delay", "7 ms"), VARY, replications=1, out="kept")
    with pytest.raises(ResultError, match="`dropcurve sweep` wrote"):
        dc.run("short.toml", replications=1, out="kept")
    assert content(folder / "kept") == before
    dc.sweep(other(), VARY, replications=1, out="kept", force=True)


def test_an_answer_does_not_mix_with_a_result(occupied: Path, dropcurve: Callable[..., Any]) -> None:
    before = content(occupied)
    answer = dropcurve(
        "tune", "--rate", "5Mbit", "--rtt", "20ms", "--flows", "3", "--runs", "60", "--out", "kept"
    )
    assert (answer.code, len(answer.errors)) == (2, 1)
    assert "holds what `dropcurve run or compare` wrote; name another folder" in answer.err
    assert content(occupied) == before
