"""The two engines: the same results, chosen by an option of the run and not of the scenario."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import dropcurve as dc
from dropcurve import _core
from dropcurve.cli.app import app
from dropcurve.errors import UsageError
from dropcurve.runs import engine

SCENARIO = "droptail_vs_red"
EDITS = [("run.duration", '"5 s"'), ("run.warmup", '"auto"')]
#: Verbs that simulate.
VERBS = [
    ["run"], ["compare"], ["sweep"], ["tune"], ["reproduce"], ["evaluate"], ["fix"], ["import"], ["live", "lab"],
    ["live", "check"],
]  # fmt: skip


def summary(name: str) -> dict[str, Any]:
    """The summary of a short run, without the number of events executed."""
    core = _core.Scenario(dc.Scenario.load(SCENARIO).to_toml()).edit(EDITS)
    with engine.using(name):
        (run,) = _core.run_many([(core, 1, "summary")], 1, **engine.options())
    values = run.summary()
    assert values.pop("events") > 1000
    return values


def test_both_engines_make_the_same_bits() -> None:
    assert json.dumps(summary("plain")) == json.dumps(summary("fast"))


def test_the_plain_engine_executes_more_events() -> None:
    core = _core.Scenario(dc.Scenario.load(SCENARIO).to_toml()).edit(EDITS)
    fast, plain = (
        _core.run_many([(core, 1, "summary")], 1, engine=name)[0].summary()["events"]
        for name in engine.ENGINES
    )
    assert plain > 2 * fast


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(UsageError, match="must be one of fast, plain"), engine.using("slow"):
        pass
    with pytest.raises(ValueError, match="fast or plain"):
        _core.run_many([], 1, engine="slow")


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_every_verb_that_simulates_has_the_option(verb: list[str]) -> None:
    outcome = CliRunner().invoke(app, [*verb, "--help"])
    assert outcome.exit_code == 0
    assert "--engine" in outcome.output


def test_the_option_reaches_the_core(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[Any] = []
    run_many = _core.run_many

    def noted(*arguments: Any, **more: Any) -> Any:
        asked.append(more.get("engine", "fast"))
        return run_many(*arguments, **more)

    monkeypatch.setattr(_core, "run_many", noted)
    edits = ["--duration", "2 s", "--set", "run.warmup=auto", "--replications", "2"]
    command = ["run", SCENARIO, *edits, "--quiet", "--no-report", "--cache", "off"]
    for name in engine.ENGINES:
        outcome = CliRunner().invoke(app, [*command, "--engine", name, "--out", str(tmp_path / name)])
        assert outcome.exit_code == 0, outcome.output
    assert set(asked) == set(engine.ENGINES)
    assert engine.chosen() == "fast"
