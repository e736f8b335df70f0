"""The types of a run's summary match real runs: they are generated in Rust and compared there with its keys."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

import dropcurve as dc
from dropcurve.metrics.summary import FlowSummary, RunSummary


def differences(value: Any, kind: Any, path: str) -> list[str]:
    """Where a value is not of a type."""
    if is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        needed = {name for name, one in hints.items() if get_origin(one) is not NotRequired}
        missing = [f"{path}.{name} is missing" for name in needed - set(value)]
        unknown = [f"{path}.{name} is not declared" for name in set(value) - set(hints)]
        known = set(value) & set(hints)
        return [
            *missing, *unknown,
            *(line for name in known for line in differences(value[name], hints[name], f"{path}.{name}")),
        ]  # fmt: skip
    if get_origin(kind) is NotRequired:
        return differences(value, get_args(kind)[0], path)
    if get_origin(kind) in (list, Sequence):
        return [line for one in value for line in differences(one, get_args(kind)[0], f"{path}[]")]
    if get_origin(kind) is dict:
        return [line for one in value.values() for line in differences(one, get_args(kind)[1], f"{path}.*")]
    if get_args(kind):
        return [] if value is None else differences(value, get_args(kind)[0], path)
    return [] if type(value) is kind else [f"{path} = {value!r} is no {kind.__name__}"]


def test_a_summary_has_the_types_that_are_declared(folder: Path) -> None:
    result = dc.compare("short.toml", queues=["droptail", "red"], replications=2)
    for variant in result.variants:
        for run in variant.runs:
            assert differences(run, RunSummary, "run") == []


def test_a_difference_is_seen(folder: Path) -> None:
    (run,) = dc.run("short.toml", replications=1).baseline.runs
    flow: dict[str, Any] = {**run["flows"][0], "id": 1.5, "more": 1}
    del flow["class"]
    lines = ["flow.class is missing", "flow.id = 1.5 is no int", "flow.more is not declared"]
    assert sorted(differences(flow, FlowSummary, "flow")) == lines
