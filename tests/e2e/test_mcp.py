"""The verbs as tools of the Model Context Protocol, asked by a real client over standard input and output."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import anyio
import pytest
import typer
from mcp import Client, StdioServerParameters

from dropcurve import cli
from dropcurve.cli import tools
from dropcurve.cli.app import app
from dropcurve.errors import UsageError

ROOT = typer.main.get_command(app)
SCENARIO = """
[run]
duration = "2 s"
[dumbbell]
rate = "5 Mbit/s"
delay = "10 ms"
[queue]
kind = "red"
[flows.tcp]
count = 2
"""


def test_a_client_lists_the_tools_and_gets_answers(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SCENARIO, encoding="utf-8")
    started = StdioServerParameters(command=sys.executable, args=["-m", "dropcurve", "mcp"], cwd=tmp_path)
    answers: dict[str, Any] = {}

    async def talk() -> None:
        async with Client(started) as client:
            answers["tools"] = {one.name: one for one in (await client.list_tools()).tools}
            asserted = {"scenario": "small.toml", "statements": ["utilisation > 20%"], "replications": 2}
            answers["assert"] = await client.call_tool("assert", asserted)
            answers["wrong"] = await client.call_tool(
                "assert", {"scenario": "none.toml", "statements": ["loss < 1%"]}
            )
            text = "tc qdisc replace dev eth0 root pie limit 100 target 20ms"
            answers["import"] = await client.call_tool("import", {"text": text, "rate": "10Mbit"})

    anyio.run(talk)
    assert set(answers["tools"]) == set(tools.VERBS)
    tune = answers["tools"]["tune"].input_schema
    assert tune["properties"]["goal"]["type"] == "string" and "goal" in tune["properties"]
    assert not answers["assert"].is_error
    assert json.loads(answers["assert"].content[0].text)["statements"][0]["judgement"] == "holds"
    assert answers["wrong"].is_error and "none.toml" in answers["wrong"].content[0].text
    assert not answers["import"].is_error and "pie" in answers["import"].content[0].text


@pytest.mark.parametrize(
    "words", [["--plugin=own.so"], ["--plugin", "own.so"], ["--allow-files=/"], ["--debug"]]
)
def test_a_place_is_never_taken_for_an_option_of_every_verb(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A plug-in is machine code: an agent, or a file's name, must not load one."""
    seen: list[object] = []
    monkeypatch.setattr("dropcurve.cli._load", lambda plugins: seen.extend(plugins))
    monkeypatch.setattr("dropcurve.cli._allowing", lambda folders: seen.extend(folders) or nullcontext())
    call = tools.call(ROOT, "assert", {"scenario": "mm1", "statements": words})
    assert cli.invoke(call.arguments) == 2
    assert not seen and "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("word", ["a\0b", "a\ud800b"])
def test_invalid_characters_are_refused(word: str) -> None:
    for given in ({"scenario": word}, {"scenario": "mm1", "set": [f"run.title={word}"]}):
        with pytest.raises(UsageError, match="zero byte or half a character"):
            tools.call(ROOT, "run", given)
    with pytest.raises(UsageError, match="zero byte or half a character"):
        tools.call(ROOT, "import", {"text": word})


def test_a_value_is_never_taken_for_an_option() -> None:
    call = tools.call(
        ROOT, "run", {"scenario": "--out=elsewhere", "duration": "--json", "set": ["a=1", "b=2"]}
    )
    assert call.arguments[:4] == ["run", "--duration=--json", "--set=a=1", "--set=b=2"]
    assert call.arguments[-2:] == ["--", "--out=elsewhere"]


def test_arguments_have_the_words_of_the_command_line() -> None:
    for verb in ("tune", "export"):
        assert "for" in tools.schemas(ROOT)[verb][1]["properties"]
    assert tools.call(ROOT, "tune", {"for": "linux"}).arguments[:2] == ["tune", "--for=linux"]


@pytest.mark.parametrize(
    ("verb", "given", "words"),
    [
        ("tun", {}, "tune"),
        ("tune", {"gaol": "x"}, "goal"),
        ("tune", {"json": True}, "no argument is called 'json'"),
    ],
)
def test_an_unknown_name_gets_the_nearest(verb: str, given: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        tools.call(ROOT, verb, given)
