"""Verbs: loaded when called, listed as they describe themselves, options grouped alike."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from dropcurve.cli import verbs

#: Libraries and packages that the list of verbs does without.
HEAVY = ("numpy", "scipy", "pyarrow", "matplotlib", "rich", "dropcurve.runs", "dropcurve.tuning", "dropcurve.boxes",
         "dropcurve.metrics", "dropcurve.scenario", "dropcurve.cli.tune")  # fmt: skip


@pytest.mark.parametrize("name", list(verbs.VERBS))
def test_the_list_of_verbs_has_the_first_line_of_each_help(name: str) -> None:
    help_ = inspect.cleandoc(verbs.command(name).help or "")
    assert help_.splitlines()[0] == verbs.VERBS[name].help


def test_the_list_of_verbs_loads_none_of_them() -> None:
    code = (
        "import sys; from dropcurve.cli import invoke; invoke(['--help']); "
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert all(f"  {name} " in done.stdout for name in verbs.VERBS)


@pytest.mark.parametrize("name", [name for name in verbs.VERBS if name != "live"])
def test_an_option_is_in_one_group_of_every_help(name: str, dropcurve: Callable[..., Any]) -> None:
    shown = dropcurve(name, "--help").out
    titles = [
        line.rstrip(":") for line in shown.splitlines() if line.rstrip(":") in (*verbs.GROUPS, verbs.OWN)
    ]
    order = [verbs.OWN, *verbs.GROUPS]
    assert titles == [title for title in order if title in titles]
    assert "\n  Example" in shown
    grouped = [one for names in verbs.GROUPS.values() for one in names]
    assert len(grouped) == len(set(grouped))


def test_the_help_of_a_group_has_whole_sentences(dropcurve: Callable[..., Any]) -> None:
    shown = " ".join(dropcurve("live", "--help").out.split())
    assert "Feed a record through the simulator's queue and compare the verdicts." in shown
    assert "..." not in shown.partition("Commands")[2]


def test_an_unknown_verb_is_refused_with_the_nearest(dropcurve: Callable[..., Any]) -> None:
    failed = dropcurve("evalute", "pie")
    assert failed.code == 2
    assert failed.errors == [
        "dropcurve: no verb is called 'evalute'; did you mean 'evaluate'? see `dropcurve --help`"
    ]


def test_a_former_name_still_calls_its_verb(dropcurve: Callable[..., Any]) -> None:
    for former, name in verbs.FORMER.items():
        assert former not in verbs.VERBS
        shown = dropcurve(former, "--help")
        assert (shown.code, shown.out.split("\n", 1)[1]) == (
            0,
            dropcurve(name, "--help").out.split("\n", 1)[1],
        )
