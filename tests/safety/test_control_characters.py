"""Control characters reach no terminal, page, figure or text for a box unescaped."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dropcurve as dc
from dropcurve import boxes, report
from dropcurve.errors import Problem, UsageError
from dropcurve.present import markdown
from dropcurve.present.visible import cut, json_text, visible
from dropcurve.scenario import toml

#: Clears the screen, sets the title of the window, rings, deletes, C1's CSI, reverses the line.
NASTY = "a\x1b[2J\x1b]0;x\x07\x7f\x9b31m\u202eb"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
RED = {"min_th": "30 pkts", "max_th": "90 pkts", "limit": "500 pkts"}


@given(st.text())
def test_visible_text_has_no_control_characters(text: str) -> None:
    assert not RAW.search(visible(text)) and "\n" not in visible(text)
    assert not RAW.search(visible(text, lines=True))
    assert len(cut(text, 20)) <= 20
    if text.isascii() and text.isprintable():
        assert visible(text) == text


@given(
    st.recursive(
        st.text() | st.integers() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_json_shows_nothing_raw_and_says_the_same(value: Any) -> None:
    text = json_text(value)
    assert not RAW.search(text)
    assert json.loads(text) == value


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_toml_shows_nothing_raw_and_says_the_same(text: str) -> None:
    import tomllib

    assert not RAW.search(toml.dump({"a": text}))
    assert tomllib.loads(toml.dump({"a": text})) == {"a": text}


def test_titles_and_names_of_a_scenario_are_shown_as_escapes(folder: Path) -> None:
    text = (folder / "short.toml").read_text(encoding="utf-8")
    text = text.replace(
        "Two flows", json.dumps(NASTY + "\nRepeat: rm -rf .")[1:-1].replace("\x7f", "\\u007f")
    )
    (folder / "odd.toml").write_text(text, encoding="utf-8")
    result = dc.run("odd.toml", replications=2)
    assert NASTY in result.title
    for shown in (
        str(result),
        report.render(result),
        result._repr_html_(),
        markdown.render(result.document()),
    ):
        assert not RAW.search(shown)
    assert "\nRepeat: rm" not in str(result)
    for words in (
        ["run", "odd.toml", "--replications", "2", "--out", "kept"],
        ["show", "kept"],
        ["show", "kept", "--json"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "dropcurve", *words], capture_output=True, text=True, check=True
        )
        assert not RAW.search(done.stdout) and not RAW.search(done.stderr)
    for path in (folder / "kept").rglob("*"):
        if path.suffix in (".html", ".svg"):
            assert not RAW.search(path.read_text(encoding="utf-8")), path


def test_errors_show_nothing_raw(dropcurve: Callable[..., Any]) -> None:
    answer = dropcurve("run", "short.toml", "--set", f"queue.{NASTY}=1")
    assert answer.code == 2 and not RAW.search(answer.err)
    answer = dropcurve("run", NASTY)
    assert answer.code == 2 and not RAW.search(answer.err)
    problem = str(Problem("a\nb", "v" * 5000 + "\x1b", "must be short", "cut it"))
    assert "\n" not in problem and len(problem) < 300


@pytest.mark.parametrize("box", list(boxes.BOXES))
@pytest.mark.parametrize(
    "name",
    ["x\nreload", "x\r", "x y; reboot", "$(reboot)", "`id`", 'a"b', "a'b", "", "-x", "é", "x" * 64, NASTY],
)
def test_a_name_cannot_carry_a_command(box: str, name: str) -> None:
    for key in ("name", "dev"):
        try:
            kind, params = ("red", RED) if "red" in boxes.kinds(box) else ("fq_codel", {})
            exported = boxes.export(kind, params, box=box, rate_bps=1e8, **{key: name})
        except UsageError as refused:
            assert "must be a name of letters" in str(refused) or "has no such option" in str(refused)
            assert "\n" not in str(refused)
        else:
            assert key == "dev" and name == "x" * 64 and exported.text.count(name)


def test_usual_names_of_interfaces_and_policies_are_taken() -> None:
    for box, dev in (
        ("linux", "eth0.100"),
        ("ios", "GigabitEthernet0/0"),
        ("ios", "TenGigE 0/0/1"),
        ("junos", "ge-0/0/0"),
    ):
        assert dev in boxes.export("red", RED, box=box, rate_bps=1e8, dev=dev).text
    assert "WAN_OUT-1" in boxes.export("red", RED, box="ios", rate_bps=1e8, name="WAN_OUT-1").text
