"""The completion of commands in bash, zsh and fish."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dropcurve.cli import completion

#: A line up to the cursor, a word that is offered for its last word, and one that is not.
LINES = [
    ("dropcurve stu", "studio", "run"),
    ("dropcurve run --see", "--seed", "--see"),
    ("dropcurve describe code", "codel", "red"),
    ("dropcurve run droptail_", "droptail_vs_red", "chain"),
    ("dropcurve compare chain --queue fq_c", "fq_codel", "codel"),
    ("dropcurve plot some he", "heat_map", "queue"),
    ("dropcurve trace x --engine ", "plain", "slow"),
]


def shell(name: str) -> str:
    """Where a shell is installed; skips the test where it is not."""
    return shutil.which(name) or pytest.skip(f"no {name} here")


@pytest.fixture
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """An empty folder with one file, and the environment of a shell that finds the program."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "droptail_mine.toml").write_text("", encoding="utf-8")
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": programs, "HOME": str(tmp_path)}


def offered(script: str, surroundings: dict[str, str], *command: str) -> list[str]:
    done = subprocess.run([*command, script], env=surroundings, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def in_bash(line: str, surroundings: dict[str, str]) -> list[str]:
    script = f"""compopt() {{ :; }}
{completion.SCRIPTS[completion.Shell.bash]}
COMP_LINE='{line}' COMP_POINT={len(line)}
_dropcurve
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    return offered(script, surroundings, shell("bash"), "--norc", "-c")


def in_fish(line: str, surroundings: dict[str, str]) -> list[str]:
    script = f"{completion.SCRIPTS[completion.Shell.fish]}\ncomplete -C '{line}'"
    return [
        row.partition("\t")[0] for row in offered(script, surroundings, shell("fish"), "--no-config", "-c")
    ]


def in_zsh(line: str, surroundings: dict[str, str]) -> list[str]:
    """The words of the line as zsh splits them; what its completion would describe or find is printed."""
    words = " ".join(f"'{word}'" for word in line.split(" "))
    script = f"""compdef() {{ :; }}
_describe() {{ print -rl -- ${{${{(P)4}}%%:*}}; }}
_files() {{ print -rl -- *(N); }}
{completion.SCRIPTS[completion.Shell.zsh]}
words=({words}) CURRENT={len(line.split(" "))} PREFIX=
_dropcurve
"""
    return offered(script, surroundings, shell("zsh"), "-f", "-c")


@pytest.mark.parametrize("shell_of", [in_bash, in_zsh, in_fish])
def test_a_shell_offers_verbs_options_names_and_files(
    shell_of: Callable[[str, dict[str, str]], list[str]], surroundings: dict[str, str]
) -> None:
    for line, wanted, unwanted in LINES:
        words = shell_of(line, surroundings)
        assert wanted in words, line
        assert unwanted not in words, line
    assert "droptail_mine.toml" in shell_of("dropcurve run droptail_", surroundings)
    assert "droptail_mine.toml" not in shell_of("dropcurve describe drop", surroundings)


def test_a_value_after_an_equals_sign(surroundings: dict[str, str]) -> None:
    # bash takes = and : for the ends of words, so that only what follows is offered.
    assert in_bash("dropcurve compare chain --queue=fq_co", surroundings)[:2] == ["fq_cobalt", "fq_codel"]
    assert in_bash("dropcurve describe codel:ns", surroundings) == ["ns3"]


@pytest.mark.parametrize("words", [[], ["nonsense", "x"], ["run", "--nonsense", "x"], ["nonsense", "--x="]])
def test_lines_that_mean_nothing_are_no_error(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert completion.print_words(words) == 0
    assert capsys.readouterr().err == ""


def test_each_shell_has_its_completion(dropcurve: Callable[..., Any]) -> None:
    for name in completion.Shell:
        assert "_DROPCURVE_COMPLETE" in dropcurve("completion", name.value).out
    assert dropcurve("completion", "csh").code == 2
