"""What the command line says of itself: lists, descriptions of every name, the schema, help and its examples."""

from __future__ import annotations

import ast
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import dropcurve as dc
from dropcurve import metrics
from dropcurve.cli import names
from dropcurve.cli.describe import _found
from dropcurve.errors import UsageError
from dropcurve.report import directory
from dropcurve.scenario import library

Dropcurve = Callable[..., Any]

ROOT = Path(__file__).parents[2]
VERSION = re.compile(r"dropcurve \d+\.\d+\.\d+ \(build [0-9a-f]{8}, engine fast\)\n")


@pytest.mark.parametrize("section", directory.SECTIONS)
def test_everything_listed_is_described(dropcurve: Dropcurve, section: str) -> None:
    answer = dropcurve("list", section)
    assert (answer.code, answer.err) == (0, "")
    names = [row["name"] for row in json.loads(dropcurve("list", section, "--json").out)]
    assert names
    for name in names:
        assert name in answer.out
        for page in directory.describe(name):
            # The text of a scenario's file is printed unchanged.
            tables = directory.text(replace(page, blocks=[]))
            assert max(len(line) for line in tables.splitlines()) <= 100
    answer = dropcurve("describe", names[0])
    assert (answer.code, answer.err) == (0, "")


def test_list_shows_every_section(dropcurve: Dropcurve) -> None:
    shown = dropcurve("list").out
    titles = [*directory.SECTIONS, *names.sections()]
    assert [part.splitlines()[0] for part in shown.split("\n\n")] == titles


@pytest.mark.parametrize(
    "name",
    [
        "balanced", "cable", "cubic", "call quality", "evaluate", "linux", "red:ns2", "cisco", "target", "codel:target",
        "tcp:initial_window", "count", "score", "exchange", "fair-queue", "policer", "bottleneck",
    ],
)  # fmt: skip
def test_names_of_answers_errors_and_boxes_are_described(name: str, dropcurve: Dropcurve) -> None:
    assert dropcurve("describe", name).out.startswith(f"{name}:") or name == "linux"
    assert json.loads(dropcurve("describe", name, "--json").out)


@pytest.mark.parametrize(
    ("typed", "name"),
    [("LLQ", "llq"), ("fq-codel", "fq_codel"), ("tail-drop", "tail drop"), ("Points", "points"), ("police", "police"),
     ("DROPCURVE_JOBS", "DROPCURVE_JOBS"), ("queue.max_p", "max_p"), ("fq_codel.target", "fq_codel:target")],
)  # fmt: skip
def test_a_name_is_described_whatever_its_capitals_and_hyphens(
    typed: str, name: str, dropcurve: Dropcurve
) -> None:
    assert dropcurve("describe", typed).out.startswith(f"{name}:")


def test_a_parameter_is_described_with_all_that_have_it(dropcurve: Dropcurve) -> None:
    every, one = dropcurve("describe", "target").out, dropcurve("describe", "codel:target").out
    assert {"codel", "pie", "fq_codel"} <= {
        line.split()[0] for line in every.splitlines() if line.startswith("  ") and line.strip()
    }
    assert "5 ms" in one and "pie" not in one
    answer = dropcurve("describe", "codel:targt")
    assert answer.errors == ["dropcurve: nothing is called 'codel:targt'; did you mean 'codel:target'?"]


def test_every_key_of_every_section_is_described() -> None:
    known = names.sections()
    for part in library.catalogue()["sections"]:
        for field in part["fields"]:
            assert directory.describe(field["name"], known)
    for word in (*names.TERMS, *names.ROUTER_WORDS):
        assert directory.describe(word, known)


def test_descriptions_tell_default_range_and_source(dropcurve: Dropcurve) -> None:
    answer = dropcurve("describe", "red")
    line = next(line for line in answer.out.splitlines() if line.split()[:1] == ["max_p"])
    assert "(0, 1]" in line and "FJ93" in line
    data = json.loads(dropcurve("describe", "sojourn_ms_p95", "--json").out)
    assert data[0]["unit"] == metrics.find("sojourn_ms_p95").unit


def test_the_schema_takes_the_scenario(dropcurve: Dropcurve) -> None:
    import tomllib

    schema = json.loads(dropcurve("schema").out)
    jsonschema.Draft202012Validator(schema).validate(
        tomllib.loads(Path("short.toml").read_text(encoding="utf-8"))
    )
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("verb", ["run", "compare", "show", "plot", "report", "list", "describe", "schema"])
def test_help_has_an_example(dropcurve: Dropcurve, verb: str) -> None:
    answer = dropcurve(verb, "--help")
    assert answer.code == 0
    assert f"  dropcurve {verb}" in answer.out


@pytest.mark.parametrize("verb", ["run", "compare", "show", "plot", "report", "list", "describe", "schema"])
def test_the_examples_of_help_work(dropcurve: Dropcurve, verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples of long commands are run up to their first simulation."""
    from dropcurve.runs import comparison, replicate

    short = dropcurve("run", "short.toml", "--replications", "2", "--no-report", "--out", "demo")
    assert short.code == 0
    kept = dc.Result.load("demo")
    if verb == "plot":
        dc.sweep(
            "short.toml",
            {"queue.max_p": [0.02, 0.5], "dumbbell.delay": ["5 ms", "20 ms"]},
            replications=2,
            out="grid",
        )
    monkeypatch.setattr(replicate, "replicate", lambda *_, **__: kept)
    monkeypatch.setattr(comparison, "replicate", lambda *_, **__: kept)
    monkeypatch.setattr("dropcurve.cli.answer.draw", lambda *_, **__: None)
    help_text = dropcurve(verb, "--help").out
    examples = re.findall(r"^ +(dropcurve .*)$", help_text.split("Example")[1], re.MULTILINE)
    assert examples
    for line in examples:
        words = shlex.split(line.split(" > ")[0])[1:]
        answer = dropcurve(*words)
        assert answer.code == 0, (line, answer.err)


def test_help_and_version(dropcurve: Dropcurve) -> None:
    assert VERSION.fullmatch(dropcurve("--version").out)
    assert "Verbs:" in dropcurve("--help").out


def test_the_package_is_the_command() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "dropcurve", "--version"], capture_output=True, text=True, check=True
    )
    assert VERSION.fullmatch(printed.stdout)


def named_by_errors_and_notes() -> list[str]:
    """Returns the plain names that messages of the sources begin with, and those that pages describe."""
    takes = {"UsageError": 0, "ScenarioError": 0, "Problem": 0, "refuse": 0, "Note": 1}
    named: set[str] = set()
    for file in (ROOT / "python" / "dropcurve").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            called = getattr(node, "func", None)
            place = takes.get(getattr(called, "id", getattr(called, "attr", "")))
            if not isinstance(node, ast.Call) or place is None or len(node.args) <= place:
                continue
            first = getattr(node.args[place], "value", None)
            if isinstance(first, str) and re.fullmatch(r"-{0,2}[a-z][a-z_-]+", first):
                named.add(first.lstrip("-"))
    for page in (ROOT / "docs").rglob("*.md"):
        named |= set(re.findall(r"dropcurve describe ([a-z]\S*?)[`'\s|]", page.read_text(encoding="utf-8")))
    return sorted(named)


def test_describe_knows_every_name_that_errors_notes_and_pages_use() -> None:
    some = named_by_errors_and_notes()
    assert len(some) > 100
    unknown = []
    for name in some:
        try:
            _found(name)
        except UsageError:
            unknown.append(name)
    assert unknown == []
