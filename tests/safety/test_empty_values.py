"""An empty value of an option or argument is refused by every verb: it would be taken for the default."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import dropcurve as dc
from dropcurve.cli import verbs
from dropcurve.errors import DropcurveError
from tests.conftest import Answer


def _commands() -> Iterator[tuple[list[str], Any]]:
    """The words of each verb and subcommand, with its parser."""
    for name in verbs.VERBS:
        command = verbs.command(name)
        if hasattr(command, "commands"):
            yield from (([name, sub], one) for sub, one in command.commands.items())
        else:
            yield [name], command


def _words(param: Any) -> list[list[str]]:
    """Ways to give a parameter an empty value; none for a flag."""
    if getattr(param, "is_flag", False):
        return []
    if param.param_type_name == "argument":
        return [[""], [" \t"]]
    return [*([name, ""] for name in param.opts), [f"{param.opts[0]}="], [param.opts[0], " \t"]]


def test_every_option_and_argument_of_every_verb(dropcurve: Callable[..., Answer]) -> None:
    tried = 0
    for verb, parser in _commands():
        for param in parser.params:
            for words in _words(param):
                answer = dropcurve(*verb, *words)
                assert answer.code == 2 and " is empty; give a value" in answer.err, (verb, words, answer)
                tried += 1
    assert tried > 700


@pytest.mark.parametrize(
    "words", [("--plugin", ""), ("--plugin=",), ("--allow-files", ""), ("--allow-files= ",)]
)
def test_options_that_may_be_anywhere(dropcurve: Callable[..., Answer], words: tuple[str, ...]) -> None:
    answer = dropcurve("list", "disciplines", *words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"dropcurve: {words[0].partition('=')[0]}: is empty")


def test_the_file_of_defaults(
    dropcurve: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch, folder: Any
) -> None:
    (folder / "dropcurve").mkdir()
    (folder / "dropcurve" / "config.toml").write_text('[tune]\ngoal = ""\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    answer = dropcurve("tune", "short.toml")
    assert answer.code == 2
    assert answer.err.startswith("dropcurve: --goal: is empty")


@pytest.mark.parametrize("changes", [{"goal": ""}, {"short": ""}, {"udp": " "}])
def test_tune_from_python(folder: Any, changes: dict[str, str]) -> None:
    with pytest.raises(DropcurveError):
        dc.tune(
            rate="10Mbit", rtt="20ms", flows="5", buffer="100pkts", runs=20, out=folder / "out", **changes
        )  # type: ignore[arg-type]
