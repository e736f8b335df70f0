"""Every scenario that ships: read, checked against the schema, run shortened, every packet accounted for."""

from __future__ import annotations

import tomllib

import jsonschema
import pytest

import dropcurve as dc
from dropcurve.results import health

NAMES = sorted(dc.scenarios())

#: Simulated seconds of a shortened run.
SHORT_S = 4.0


def seconds(text: str) -> float:
    """A span as the resolved scenario writes it."""
    number, unit = text.split()
    return (
        float(number)
        * {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}[unit]
    )


@pytest.fixture(scope="module")
def schema() -> dict[str, object]:
    return dc.schema()


def test_there_are_scenarios() -> None:
    assert NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_schema_takes_it(name: str, schema: dict[str, object]) -> None:
    text = dc.scenarios()[name].read_text(encoding="utf-8")
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(tomllib.loads(text))
    validator.validate(dc.Scenario.load(name).resolved)


@pytest.mark.parametrize("name", NAMES)
def test_text_and_hash_go_round(name: str) -> None:
    scenario = dc.Scenario.load(name)
    assert dc.Scenario.parse(scenario.to_toml()).hash == scenario.hash


@pytest.mark.parametrize("name", NAMES)
def test_every_packet_is_accounted_for(name: str) -> None:
    scenario = dc.Scenario.load(name)
    length = min(SHORT_S, seconds(scenario.get("run.duration")))
    short = scenario.with_(run__duration=f"{length:g} s", run__warmup="0 s")
    (run,) = dc.run(short, replications=1).baseline.runs
    assert health.unbalanced(run) == []
    assert run["stopped_by"] == "duration"
    for flow in run["flows"]:
        assert flow["goodput_bytes"] <= flow["received_bytes"] <= flow["sent_bytes"]
    for link in run["links"].values():
        ended = link["departed_pkts"] + link["early_pkts"] + link["forced_pkts"] + link["overflow_pkts"]
        assert 0 <= link["arrived_pkts"] - ended <= link["queue_pkts_max"] + 1
        assert link["busy_s"] <= length * (1 + 1e-9)
