"""Types of the arguments of public functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dropcurve as dc
from dropcurve import advise, boxes
from dropcurve.errors import UsageError
from dropcurve.quantities.arguments import checked


@checked
def example(
    place: str | Path,
    *,
    count: int | None = None,
    share: float = 0.0,
    on: bool = False,
    names: Sequence[str] = (),
    pairs: Sequence[tuple[str, Any]] = (),
    all_of: tuple[str, ...] = (),
    rows: Mapping[str, Any] | None = None,
    anything: Any = None,
    unknown: Example | None = None,
) -> str:
    """The place."""
    return str(place)


class Example:
    """A class that no rule names."""


class Silent:
    """An object without text."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"count": 3},
        {"count": np.int64(3)},
        {"count": None},
        {"share": 1},
        {"share": np.float64(0.5)},
        {"on": True},
        {"names": ["a"]},
        {"names": ("a", "b")},
        {"names": {"a": 1}.keys()},
        {"pairs": [("a", 1), ["b", None]]},
        {"all_of": ("a", "b", "c")},
        {"rows": {"a": 1}},
        {"anything": object()},
        {"unknown": 3},
    ],
)
def test_values_of_the_named_types_pass(given: dict[str, Any]) -> None:
    assert example("here", **given) == "here"
    assert example(Path("there"), **given) == "there"


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"count": "3"}, "must be a whole number or None, not str"),
        ({"count": 1.0}, "must be a whole number or None, not float"),
        ({"count": True}, "must be a whole number or None, not bool"),
        ({"share": "0.1"}, "must be a number, not str"),
        ({"share": False}, "must be a number, not bool"),
        ({"on": 1}, "must be True or False, not int"),
        ({"names": "ab"}, "must be a list of text, not str"),
        ({"names": {"a": 1}}, "must be a list of text"),
        ({"names": ["a", 1]}, "must be a list of text"),
        ({"pairs": [("a",)]}, "must be a list of pairs"),
        ({"pairs": [("a", 1, 2)]}, "must be a list of pairs"),
        ({"pairs": [(1, "a")]}, "must be a list of pairs"),
        ({"all_of": ("a", 1)}, "must be a pair of text"),
        ({"rows": {1: "a"}}, "must be a dictionary with text as keys or None"),
        ({"rows": ["a"]}, "must be a dictionary with text as keys or None"),
        ({"place": b"x"}, "must be text or a path, not bytes"),
        ({"place": Silent()}, "must be text or a path, not Silent"),
    ],
)
def test_others_are_refused_with_name_rule_and_remedy(given: dict[str, Any], rule: str) -> None:
    with pytest.raises(UsageError) as refused:
        example(**{"place": "here", **given})
    (problem,) = refused.value.problems
    assert (problem.path, problem.rule, problem.remedy) == (
        *given,
        rule,
        "help(example) describes it",
    )
    assert problem.value


def test_all_wrong_arguments_are_named_and_those_of_a_call_are_left_to_python() -> None:
    with pytest.raises(UsageError) as refused:
        example(3, count="x", on=2)  # type: ignore[arg-type]
    assert [one.path for one in refused.value.problems] == ["place", "count", "on"]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'place'"):
        example()  # type: ignore[call-arg]


SHORT = "droptail_vs_red"
# Without types, so that the calls may be wrong.
api: Any = dc
adviser: Any = advise
front: Any = boxes


@pytest.mark.parametrize(
    ("call", "path"),
    [
        (lambda: api.run(1), "scenario"),
        (lambda: api.run(SHORT, seed="one"), "seed"),
        (lambda: api.run(SHORT, maximum=range(3)), "maximum"),
        (lambda: api.run(SHORT, jobs=1j), "jobs"),
        (lambda: api.run(SHORT, out=["red"]), "out"),
        (lambda: api.compare(SHORT, queues="red"), "queues"),
        (lambda: api.compare(SHORT, precision="5%"), "precision"),
        (lambda: api.compare([SHORT, 3]), "scenario"),
        (lambda: api.sweep(SHORT, 3, out="x"), "vary"),
        (lambda: api.sweep(SHORT, {1: [2]}, out="x"), "vary"),
        (lambda: api.trace(SHORT, seed="x"), "seed"),
        (lambda: api.tune(ranges=["red"], out="x"), "ranges"),
        (lambda: api.Scenario.load(3), "path"),
        (lambda: api.Scenario.parse(b"x"), "text"),
        (lambda: api.Scenario.load(SHORT).set(1, 2), "path"),
        (lambda: api.Scenario.load(SHORT).edit("ab"), "edits"),
        (lambda: api.Scenario.load(SHORT).edit([("queue.max_p",)]), "edits"),
        (lambda: api.Scenario.load(SHORT).queue(3), "kind"),
        (lambda: api.Scenario.load(SHORT).get(None), "path"),
        (lambda: api.Result.load({}), "folder"),
        (lambda: api.Sweep.load(3), "folder"),
        (lambda: adviser.advise(rate=[1]), "rate"),
        (lambda: front.read(3), "text"),
        (lambda: front.export(3, {}, box="linux", rate_bps=1e6), "discipline"),
        (lambda: front.kinds(None), "box"),
        (lambda: api.report.write(3, "x"), "result"),
    ],
)
def test_public_functions_name_the_argument(call: Any, path: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        call()
    assert [one.path for one in refused.value.problems] == [path]
    assert not Path("x").exists()
