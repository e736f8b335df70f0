"""The runs that a build learns from: all can be run, none is there twice, and one that differs in a bit is reported."""

from __future__ import annotations

import importlib.util
import json

import training
from dropcurve import _core


def test_every_case_is_a_scenario() -> None:
    cases = training.cases(_core)
    for case in cases:
        _core.Scenario(case.text).edit(case.edits)
    assert len({case.name for case in cases}) == len(cases)


def test_everything_the_core_has_is_trained() -> None:
    names = {case.name for case in training.cases(_core)}
    catalogue = json.loads(_core.catalogue())
    assert {entry["kind"] for entry in catalogue["disciplines"]} <= names
    assert {f"cc {entry['name']}, red" for entry in catalogue["congestion_controls"]} <= names


def test_a_run_is_identified_by_its_bits() -> None:
    case = next(training.ladder())
    short = _core.Scenario(case.text).edit([("run.duration", '"2 s"')])
    runs = _core.run_many([(short, 1, "series"), (short, 1, "series"), (short, 2, "series")], 1)
    one, same, other = (training.digest(run) for run in runs)
    assert one == same != other


def test_the_core_is_loaded_without_its_package() -> None:
    spec = importlib.util.find_spec("dropcurve._core")
    assert spec is not None
    assert spec.origin is not None
    assert training.load(spec.origin).version() == _core.version()
