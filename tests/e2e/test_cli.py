"""The command line from end to end: runs, comparisons, stored results, and refusals."""

from __future__ import annotations

import errno
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dropcurve.present.visible import cut

Dropcurve = Callable[..., Any]
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
         ["dropcurve: --precision = 5: must lie between 0 and 1; write one such as 5% or 0.05"]),
        (["run", "short.toml", "--replications", "0"],
         ["dropcurve: --replications = 0: must be 1 or more; choose 5 or more for an interval"]),
        (["run", "short.toml", "--metric", "speed"],
         ["dropcurve: no metric is called 'speed'; `dropcurve list metrics` shows all"]),
        (["run", "short.toml", "--per", "link"],
         ["dropcurve: --per = link: must be one of total, class, flow; choose one of these"]),
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
def test_wrong_input_is_reported_in_one_line(
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
