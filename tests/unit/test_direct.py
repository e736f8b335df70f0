"""The line of `tune --instant` that is answered without the parser of all verbs: it is read as that parser reads it."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropcurve.cli import direct, invoke, verbs

LINE = ["tune", "--instant", "--rate", "10Mbit", "--rtt", "40ms", "--flows", "5", "--buffer", "100pkts"]
COMMAND = verbs.command("tune")
PARAMS = {opt: param for param in COMMAND.params for opt in param.opts}


def parsed(arguments: list[str]) -> dict[str, Any]:
    """The options that the parser of all verbs reads in a line, without those that have their defaults."""
    context = COMMAND.make_context("tune", list(arguments))
    return {
        name: list(value) if isinstance(value, (list, tuple)) else value
        for name, value in context.params.items()
        if context.get_parameter_source(name).name == "COMMANDLINE"
    }


def test_the_options_are_those_of_the_verb() -> None:
    for opt, name in (direct.SINGLE | direct.REPEATED).items():
        param = PARAMS[opt]
        assert (param.name, param.nargs, param.multiple) == (name, 1, opt in direct.REPEATED)
        assert param.type.name == "str" and not param.is_flag
    for opt, name in direct.FLAGS.items():
        assert PARAMS[opt].is_flag and PARAMS[opt].name == name
    variables = {param.envvar for param in COMMAND.params if param.envvar}
    assert {str(one) for one in variables} <= set(direct.VARIABLES)


words = st.one_of(
    st.sampled_from(
        [*PARAMS, "--rate=5Mbit", "--ecn=1", "--", "-", "", "x y", "--nonsense", "-qx", "droptail_vs_red"]
    ),
    st.text(alphabet="ab1-=. ", max_size=5),
)


@given(st.lists(words, max_size=8))
def test_both_parsers_read_the_same(arguments: list[str]) -> None:
    given = direct.options(arguments)
    if given is not None:
        assert parsed(arguments) == given


@pytest.mark.parametrize(
    "more",
    [
        ["--nonsense"], ["--runs", "5"], ["--rate", "5Mbit"], ["--goal", ""], ["--goal", "-1"], ["-h"], ["--ecn=yes"],
        ["--within", "f"], ["a", "b"], ["--"], ["--tcp"],
    ],
)  # fmt: skip
def test_a_line_with_anything_to_decide_is_left_to_the_other_parser(more: list[str]) -> None:
    assert direct.options([*LINE[1:], *more]) is None


@pytest.mark.parametrize(
    "more",
    [
        [], ["--json"], ["-q"], ["--ecn", "--for=linux"], ["--goal", "p95 delay < 20ms, max utilisation"],
        ["--queue", "red", "--queue=codel"], ["--goal", "nonsense"], ["--exchange", "nonsense"], ["--link", "dsl"],
        ["droptail_vs_red"], ["--range", "queue.limit=5-9 pkts"], ["--robust", "best"], ["--rtt=1s"],
    ],
)  # fmt: skip
def test_answers_and_refusals_are_those_of_the_other_parser(
    more: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def outcome() -> tuple[int, str, str]:
        code = invoke([*LINE, *more])
        return code, *capsys.readouterr()

    here = outcome()
    monkeypatch.setattr(direct, "print_answer", lambda _: None)
    assert outcome() == here


@pytest.mark.parametrize("variable", direct.VARIABLES)
def test_defaults_are_left_to_the_other_parser(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, variable, "x")
    assert direct.print_answer(LINE) is None


def test_a_file_of_defaults_is_left_to_the_other_parser(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dropcurve").mkdir()
    (tmp_path / "dropcurve" / "config.toml").write_text("[tune]\ngoal = 'voip'\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert direct.print_answer(LINE) is None
