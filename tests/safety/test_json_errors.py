"""Under ``--json`` every verb writes its problems as JSON to standard output, and the same lines to standard error."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    "words",
    [
        ["run", "odd.toml"], ["compare", "odd.toml"], ["sweep", "odd.toml", "--vary", "queue.max_p=0.1"],
        ["tune", "odd.toml", "--goal", "max utilisation"], ["advise", "odd.toml"], ["show", "nowhere"],
        ["check", "nowhere"], ["plot", "nowhere"], ["query", "nowhere", "select 1"], ["describe", "nothing"],
        ["evaluate", "odd.toml"], ["import", "nowhere.txt"], ["fix", "nowhere.txt"], ["run", "--nonsense"],
        ["reproduce", "nothing"], ["live", "replay", "nowhere"], ["live", "stats", "nowhere"],
        ["live", "set", "nowhere", "rate=fast"], ["export", "odd.toml"], ["live", "lab", "odd.toml"],
        ["list", "nothing"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_problems_are_json_under_json(words: list[str], folder: Path, dropcurve: Callable[..., Any]) -> None:
    text = (folder / "short.toml").read_text(encoding="utf-8").replace('limit = "50 pkts"', "limit = -1")
    (folder / "odd.toml").write_text(text.replace("count = 3", "count = 0"), encoding="utf-8")
    answer = dropcurve(*words, "--json")
    assert answer.code in (1, 2), answer
    printed = json.loads(answer.out)
    assert printed["exit_code"] == answer.code
    assert [f"dropcurve: {one['message']}" for one in printed["problems"]] or printed["problems"]
    assert all(one["message"] and one["message"] in answer.err for one in printed["problems"]), (
        printed,
        answer.err,
    )


def test_a_problem_of_a_scenario_has_its_parts(folder: Path, dropcurve: Callable[..., Any]) -> None:
    text = (folder / "short.toml").read_text(encoding="utf-8").replace("count = 3", "count = 0")
    (folder / "odd.toml").write_text(text, encoding="utf-8")
    (problem,) = json.loads(dropcurve("run", "odd.toml", "--json").out)["problems"]
    assert (problem["file"], problem["line"], problem["path"], problem["value"]) == (
        "odd.toml",
        16,
        "flows.tcp.count",
        "0",
    )
    assert problem["rule"]


@pytest.mark.parametrize(
    ("failure", "code", "begins"),
    [
        (KeyError("rate"), 70, "internal error: KeyError: "),
        (KeyboardInterrupt(), 130, "interrupted"),
        (BrokenPipeError(32, "Broken pipe"), 1, "a process that this command talked to has ended"),
    ],
    ids=["ours", "interrupted", "lost"],
)
def test_every_end_of_a_command_is_json_under_json(
    folder: Path,
    dropcurve: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    failure: BaseException,
    code: int,
    begins: str,
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr("dropcurve.runs.replicate.run", fails)
    answer = dropcurve("run", "short.toml", "--json")
    assert answer.code == code, answer
    printed = json.loads(answer.out)
    assert printed["exit_code"] == code
    (problem,) = printed["problems"]
    assert problem["message"].startswith(begins)
    assert answer.err == f"dropcurve: {problem['message']}\n"
