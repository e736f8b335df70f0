"""The command line from end to end: output, stored results, and refusals."""

from __future__ import annotations

import ast
import errno
import json
import os
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
from dropcurve.present.visible import cut
from dropcurve.report import directory
from dropcurve.scenario import library

Dropcurve = Callable[..., Any]

ROOT = Path(__file__).parents[2]
VERSION = re.compile(r"dropcurve \d+\.\d+\.\d+ \(build [0-9a-f]{8}, engine fast\)\n")
FEW = ("--replications", "2", "--no-report", "--out", "kept")


def test_run_prints_a_table_keeps_a_folder_and_says_how_to_repeat(dropcurve: Dropcurve) -> None:
    answer = dropcurve("run", "short.toml", *FEW)
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[:2] == ["Two flows through a small queue", "2 replications, seeds 1 to 2, 95 % intervals"]
    assert any(line.startswith("link utilisation") and "(" in line for line in lines)
    assert lines[-2:] == ["Repeat: dropcurve run short.toml --seed 1 --replications 2", "Folder: kept"]
    assert {path.name for path in Path("kept").iterdir()} == {
        "result.json", "runs.json", "series.parquet", "scenario.toml", "SHA256SUMS",
    }  # fmt: skip


def test_the_command_it_prints_gives_the_same_answer(dropcurve: Dropcurve) -> None:
    first = dropcurve("run", "short.toml", "--set", "queue.max_p=0.3", "--duration", "3 s", "--json", *FEW)
    record = json.loads(first.out)
    words = shlex.split(record["command"])
    assert words[0] == "dropcurve"
    again = dropcurve(*words[1:], "--json", "--no-report", "--out", "other")
    assert json.loads(again.out) == record


def test_compare_says_which_differences_are_real(dropcurve: Dropcurve) -> None:
    answer = dropcurve(
        "compare", "short.toml", "--queue", "droptail", "--queue", "red:max_p=0.5", "--replications", "5",
        "--no-report", "--out", "kept",
    )  # fmt: skip
    assert answer.code == 0
    assert "red:max_p=0.5 lowers mean queueing delay by " in answer.out
    assert "Against droptail: ✓ better, ✗ worse, ≠ differs" in answer.out
    shown = dropcurve("show", "kept")
    assert answer.out == shown.out + "Folder: kept\n"


def test_compare_varies_and_takes_several_scenarios(dropcurve: Dropcurve) -> None:
    answer = dropcurve("compare", "short.toml", "--vary", "queue.max_p=0.02,0.1", "--json", *FEW)
    assert [one["name"] for one in json.loads(answer.out)["variants"]] == ["max_p=0.02", "max_p=0.1"]
    text = Path("short.toml").read_text(encoding="utf-8")
    Path("slow.toml").write_text(text.replace("5 Mbit/s", "2 Mbit/s"), encoding="utf-8")
    answer = dropcurve("compare", "short.toml", "slow.toml", "--json", "--force", *FEW)
    assert [one["name"] for one in json.loads(answer.out)["variants"]] == ["short", "slow"]


def test_an_index_beside_a_scenario_names_its_variants(dropcurve: Dropcurve) -> None:
    Path("INDEX.toml").write_text(
        '[short]\ntitle = "x"\n[short.variants]\nas_is = {}\ntail = { "queue.kind" = "droptail" }\n',
        encoding="utf-8",
    )
    record = json.loads(dropcurve("compare", "short.toml", "--json", *FEW).out)
    assert [one["name"] for one in record["variants"]] == ["as_is", "tail"]
    assert [one["scenario"]["queue"]["kind"] for one in record["variants"]] == ["red", "droptail"]
    Path("INDEX.toml").write_text("[short", encoding="utf-8")
    assert (
        dropcurve("compare", "short.toml", *FEW).errors[0].startswith("dropcurve: INDEX.toml: is not TOML: ")
    )


def test_precision_adds_runs_until_it_is_reached(dropcurve: Dropcurve) -> None:
    wanted = ("--precision", "10%", "--on", "throughput_bps")
    answer = dropcurve("run", "short.toml", *wanted, "--json", "--no-report", "--out", "kept")
    record = json.loads(answer.out)
    row = next(row for row in record["table"] if (row["metric"], row["scope"]) == ("throughput_bps", ""))
    cell = row["variants"]["short"]
    assert cell["n"] >= 5
    assert cell["half_width"] <= 0.1 * cell["mean"]
    assert record["level"] == 0.97
    assert "--precision 10% --on throughput_bps" in record["command"]


def test_a_precision_out_of_reach_is_said(dropcurve: Dropcurve) -> None:
    answer = dropcurve(
        "run",
        "short.toml",
        "--precision",
        "0.01%",
        "--maximum",
        "6",
        "--json",
        "--no-report",
        "--out",
        "kept",
    )
    (warning,) = [line for line in json.loads(answer.out)["warnings"] if "precision" in line]
    assert warning == (
        "the precision asked for was not reached in 6 replications for sojourn_ms_mean, goodput_bps; "
        "raise --maximum, lengthen --duration, or ask for less"
    )


def test_replications_that_are_all_alike_are_no_error_bar(dropcurve: Dropcurve) -> None:
    def warnings(*settings: str) -> list[str]:
        answer = dropcurve(
            "run",
            "short.toml",
            *settings,
            "--replications",
            "3",
            "--json",
            "--no-report",
            "--out",
            "kept",
            "--force",
        )
        return [line for line in json.loads(answer.out)["warnings"] if "random" in line]

    assert warnings() == []
    (warning,) = warnings("--set", "flows.tcp.start=0 s", "--set", "queue.kind=droptail")
    assert warning.startswith(
        "short: all 3 replications are identical, because nothing in the scenario is random"
    )


def test_a_result_is_made_more_precise_in_its_place(dropcurve: Dropcurve) -> None:
    few = dropcurve("run", "short.toml", "--replications", "2", "--no-report")
    more = dropcurve("run", "short.toml", "--replications", "3", "--no-report")
    assert few.out.splitlines()[-1] == more.out.splitlines()[-1]
    assert few.err == ""
    assert more.err == "dropcurve: 2 of 3 runs were stored already; only the others were made\n"


def test_the_setting_is_shown_down_to_automatic_values(dropcurve: Dropcurve) -> None:
    dropcurve("run", "short.toml", *FEW)
    lines = [line.split() for line in dropcurve("show", "kept", "--setup").out.splitlines()]
    assert ["mean_packet", "auto:", "1250", "B", "default"] in lines
    data = json.loads(dropcurve("show", "kept", "--setup", "--json").out)
    assert data["automatic"]["short"]["bottleneck"]["mean_packet"] == "1250 B"


def test_quiet_prints_the_folder_only(dropcurve: Dropcurve) -> None:
    answer = dropcurve("run", "short.toml", "--quiet", "--replications", "2", "--no-report")
    (line,) = answer.out.splitlines()
    assert line.startswith("results/short-")
    assert (Path(line) / "result.json").is_file()


def test_figures_and_page_are_written_from_what_is_kept(dropcurve: Dropcurve) -> None:
    dropcurve("run", "short.toml", *FEW)
    assert dropcurve("report", "kept").out == "kept/report.html\n"
    assert Path("kept/report.html").read_text(encoding="utf-8").startswith("<!")
    answer = dropcurve("plot", "kept", "queue", "--write", "queue.pdf")
    assert (answer.out, answer.err) == (
        "queue.pdf\n",
        "Repeat: dropcurve plot kept queue --write queue.pdf\n",
    )
    assert Path("queue.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
def test_a_comparison_comes_with_figures_and_page(dropcurve: Dropcurve) -> None:
    queues = ("--queue", "droptail", "--queue", "red")
    assert dropcurve("compare", "short.toml", *queues, "--replications", "2", "--out", "kept").code == 0
    figures = sorted(path.name for path in Path("kept/figures").iterdir())
    assert {"queue.svg", "queue.png", "comparison.svg"} <= set(figures)
    page = Path("kept/report.html").read_bytes()
    dropcurve("report", "kept", "--write", "again.html")
    assert Path("again.html").read_bytes() == page
    assert len(dropcurve("plot", "kept").out.splitlines()) == len(figures)


def test_tables_per_flow_and_by_metric(dropcurve: Dropcurve) -> None:
    dropcurve("run", "short.toml", *FEW)
    answer = dropcurve("show", "kept", "--per", "flow", "--metric", "throughput_bps")
    rows = [line for line in answer.out.splitlines() if line.startswith("throughput (")]
    assert [row.split()[1] for row in rows] == ["(0)", "(1)", "(2)", "(3)"]
    answer = dropcurve("show", "kept", "--metric", "pdv_ms")
    assert "delay variation (PDV) (voice)" in answer.out


def test_a_run_at_its_limit_is_a_problem(dropcurve: Dropcurve) -> None:
    answer = dropcurve("run", "short.toml", "--set", "run.max_events=1000", *FEW)
    assert answer.code == 1
    text = " ".join(answer.out.split())
    assert "Problem: short: 2 of 2 runs stopped early, the first (seed 1) at " in text
    assert ", at the limit of events; raise run.max_events" in text


@pytest.mark.parametrize(
    ("arguments", "errors"),
    [
        (["run", "other"],
         ["dropcurve: other: no such file; `dropcurve list scenarios` shows those that come with it"]),
        (["run", "shrt.toml"], ["dropcurve: shrt.toml: no such file; did you mean 'short.toml'?"]),
        (["run", "."], ["dropcurve: .: is a folder; a scenario is a TOML file; name a file in it"]),
        (["run", "short.toml", "--set", "queue.max_p=2"],
         ["dropcurve: short.toml: queue.max_p = 2: must lie in (0, 1]; the default is 0.02"]),
        (["run", "short.toml", "--set", "queue.max_pp=1"],
         ["dropcurve: short.toml: queue.max_pp = 1: no such key here; did you mean 'max_p'?"]),
        (["run", "short.toml", "--set", "queue"],
         ["dropcurve: queue: must be PATH=VALUE; write one such as queue.max_p=0.1"]),
        (["run", "short.toml", "--precision", "5"],
         ["dropcurve: precision = 5: must lie between 0 and 1; write one such as 5% or 0.05"]),
        (["run", "short.toml", "--replications", "0"],
         ["dropcurve: replications = 0: must be 1 or more; choose 5 or more for an interval"]),
        (["run", "short.toml", "--metric", "speed"],
         ["dropcurve: no metric is called 'speed'; `dropcurve list metrics` shows all"]),
        (["run", "short.toml", "--per", "link"],
         ["dropcurve: per = link: must be one of total, class, flow; choose one of these"]),
        (["run", "short.toml", "--sed", "1"],
         ["dropcurve: No such option: "]),
        (["compare", "short.toml"],
         ["dropcurve: a comparison needs two variants or more; give --queue twice, --vary with two values, "
          "or two scenarios"]),
        (["compare", "short.toml", "--queue", "droptail", "--queue", "rde"],
         ["dropcurve: short.toml: queue.kind = \"rde\": no such discipline; did you mean 'red'? "
          "`dropcurve list disciplines` shows all 64"]),
        (["show", "nowhere"],
         ["dropcurve: nowhere: no such folder; name a folder that `dropcurve run` or `compare` "
          "wrote; they print its name"]),
        (["show", "."],
         ["dropcurve: .: is not a result folder: it has no result.json; name a folder that `dropcurve run` or "
          "`compare` wrote; they print its name"]),
        (["plot", ".", "queu"],
         ["dropcurve: no figure is called 'queu'; did you mean 'queue'?"]),
        (["list", "metric"], ["dropcurve: no list is called 'metric'; did you mean 'metrics'?"]),
        (["describe", "redd"], ["dropcurve: nothing is called 'redd'; did you mean 'red'?"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(
    dropcurve: Dropcurve, arguments: list[str], errors: list[str]
) -> None:
    answer = dropcurve(*arguments)
    assert answer.code == 2
    assert answer.out == ""
    assert len(answer.errors) == len(errors)
    for line, expected in zip(answer.errors, errors, strict=True):
        assert line == expected or (expected.endswith(" ") and line.startswith(expected))


def _process(*words: str, pipe: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """The command line as a process of its own, its output cut off after ``pipe`` if there is one."""
    command = shlex.join([sys.executable, "-c", "from dropcurve import cli; cli.main()", *words])
    shell = ["bash", "-c", f"set -o pipefail; {command}{pipe}"]
    return subprocess.run(
        shell,
        capture_output=True,
        text=True,
        encoding="latin-1",
        env={**os.environ, **environment},
        check=False,
    )


def test_a_reader_that_leaves_early_is_no_error(folder: Path) -> None:
    for words in (["describe", "red"], ["list"], ["schema"]):
        process = _process(*words, pipe=" | head -n 1")
        assert process.returncode == 0
        assert "Traceback" not in process.stderr and "BrokenPipe" not in process.stderr


def test_a_terminal_without_our_signs_gets_plain_ones(folder: Path) -> None:
    process = _process("run", "short.toml", *FEW, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (process.returncode, process.stderr) == (0, "")
    assert " +- " in process.stdout and "?" not in process.stdout


def test_a_narrow_terminal_gets_narrow_text(dropcurve: Dropcurve, monkeypatch: pytest.MonkeyPatch) -> None:
    dropcurve("compare", "short.toml", "--vary", "queue.max_p=0.02,0.1,0.5", *FEW)
    monkeypatch.setattr("dropcurve.cli.console.width", lambda: 80)
    answer = dropcurve("show", "kept")
    assert max(len(line) for line in answer.out.split("Repeat:")[0].splitlines()) <= 80


def test_a_folder_that_cannot_be_written_is_said_before_any_run(
    dropcurve: Dropcurve, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("taken").write_text("", encoding="utf-8")
    answer = dropcurve("run", "short.toml", "--out", "taken")
    assert (answer.code, answer.errors) == (
        2,
        ["dropcurve: taken: cannot be written: File exists; name a folder, not a file"],
    )
    answer = dropcurve("run", "short.toml", "--out", "taken/inside")
    assert (answer.code, answer.errors) == (
        2,
        ["dropcurve: taken/inside: cannot be written: Not a directory; name a folder, not a file"],
    )

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "kept/figures/queue.svg")

    monkeypatch.setattr("dropcurve.plot.save_all", full)
    answer = dropcurve("run", "short.toml", "--replications", "2", "--out", "kept")
    assert answer.code == 2
    assert answer.err == (
        "dropcurve: kept/figures/queue.svg: No space left on device; make room, or name another folder\n"
    )


def test_files_that_are_no_scenarios_are_named(dropcurve: Dropcurve) -> None:
    Path("binary.toml").write_bytes(bytes(range(256)))
    Path("zeros.toml").write_bytes(bytes(40))
    for name in ("binary.toml", "zeros.toml", "n" * 5000):
        answer = dropcurve("run", name)
        assert answer.code == 2
        (line,) = answer.errors
        assert line.startswith(f"dropcurve: {cut(name)}: ")
        assert line.isprintable()


def test_every_problem_of_a_scenario_has_its_line(dropcurve: Dropcurve) -> None:
    Path("bad.toml").write_text('[run]\nduration = "long"\n[dumbell]\nrate = 3\n', encoding="utf-8")
    answer = dropcurve("run", "bad.toml")
    assert answer.code == 2
    assert len(answer.errors) >= 2
    assert answer.errors[0].startswith("dropcurve: bad.toml:2: run.duration = ")
    assert any(line.startswith("dropcurve: bad.toml:3: dumbell: ") for line in answer.errors)
    assert all(line.startswith("dropcurve: bad.toml:") for line in answer.errors)


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


@pytest.mark.usefixtures("no_figures")
def test_a_stored_result_keeps_the_goal_of_its_verdict(dropcurve: Dropcurve) -> None:
    words = [
        "--link",
        "20/2:up",
        "--queue",
        "droptail",
        "--queue",
        "codel",
        "--duration",
        "6 s",
        "--replications",
        "2",
    ]
    answer = dropcurve(
        "compare", *words, "--goal", "max call quality", "--exchange", "1ms=2", "--out", "kept"
    )
    shown = dropcurve("show", "kept")
    assert "goal max call quality" in " ".join(shown.out.split())
    assert answer.out.splitlines()[0] == shown.out.splitlines()[0]
    assert "--goal 'max call quality' --exchange 1ms=2" in shown.out
    dropcurve("report", "kept", "--write", "again.html")
    for page in (Path("kept/report.html"), Path("again.html")):
        assert "goal max call quality" in page.read_text(encoding="utf-8")


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
