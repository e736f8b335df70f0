"""The question about a scenario: its ``[tune]`` section, overridden by the arguments of the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import advise
from ..advise.scenario import buffer_of
from ..errors import DropcurveError, Problem, ScenarioError, UsageError, nearest
from ..files.named import load_toml
from ..quantities import ranges, units
from ..scenario import Scenario, library
from ..scenario.links.framing import of_params
from ..scenario.scenario import located
from ..verdict import Exchange
from . import goal as goals
from .candidates import scheduler_of, target_of
from .question import ConditionAxis, Question, assembled
from .search_space import Sizing


def of_file(
    path: str | Path | Scenario,
    *,
    goal: str | None = None,
    ranges_: Mapping[str, str] | None = None,
    box: str | None = None,
    candidates: Sequence[str] = (),
    robust: str | None = None,
    space: Mapping[str, Mapping[str, str]] | None = None,
    exchange: Exchange | None = None,
) -> Question:
    """Returns a question about a scenario: its ``[tune]`` section, overridden by the arguments.

    ``[tune]`` has ``goal``, ``for``, ``candidates``, ``robust``, ``[tune.ranges]`` (path to range) and
    ``[tune.space.KIND]`` (parameter to range).

    Args:
        path: A scenario or its file.
        goal: As `goal.parse` takes it.
        ranges_: Ranges of conditions by path.
        box: The configuration is for this box.
        candidates: Disciplines to choose from.
        robust: A key of `aggregation.ROBUST`.
        space: Ranges of parameters by discipline.
        exchange: Between delay and utilisation, for goals by name.

    Returns:
        The question.

    Raises:
        ScenarioError: For faults of the scenario.
        UsageError: For faults of the question.

    Example:
        >>> question = of_file("access.toml", goal="balanced")
    """
    base = path if isinstance(path, Scenario) else Scenario.load(path)
    section = {} if isinstance(path, Scenario) else section_of(path)
    text = section.get("goal", goals.DEFAULT) if goal is None else goal
    axes = []
    for name, value in {**section.get("ranges", {}), **(ranges_ or {})}.items():
        base.get(name)
        axes.append(ConditionAxis(name, ranges.parse(str(value), name=f"tune.ranges.{name}")))
    if "dumbbell" not in base.resolved:
        raise UsageError(
            "scenario",
            base.name,
            "has no [dumbbell], which tune needs; its queue is the one that is chosen",
            "name another scenario",
            shown="value",
        )
    rate, framing = units.rate(str(base.get("dumbbell.rate"))), of_params(base.resolved["dumbbell"])
    limit = units.packets(buffer_of(base) or str(base.get("queue.limit")), packet_bytes=1500)
    sizing = Sizing(rate * framing.share / (8 * 1500), limit, _round_trip(base), bool(_ecn(base)))
    question = assembled(
        base.title, goals.of_scenario(str(text), base, exchange=exchange), tuple(axes), sizing,
        target_of(
            box if box is not None else str(section.get("for", "")), rate, sizing.rtt_s,
            scheduler=scheduler_of(base), framing=framing,
        ),
        candidates or tuple(section.get("candidates", ())), robust or str(section.get("robust", "mean")),
        {**section.get("space", {}), **(space or {})}, base=base,
    )  # fmt: skip
    for condition in question.conditions():
        question.scenario(condition)
    return question


#: Keys that a ``[tune]`` section may have.
KEYS = ("goal", "for", "candidates", "robust", "ranges", "space")


def section_of(path: str | Path) -> dict[str, Any]:
    """The ``[tune]`` section of a scenario's file; empty if it has none. Raises ScenarioError for unknown keys."""
    file = library.locate(path)
    try:
        tables, text = load_toml(file)
    except DropcurveError:
        return {}
    section = tables.get("tune", {})
    if not isinstance(section, dict):
        problem = Problem("tune", str(section), "must be a section", "write [tune]")
        raise ScenarioError(located([problem], text), origin=str(path))
    wrong = [
        Problem(
            f"tune.{key}",
            str(section[key]),
            "no such key here",
            nearest(key, KEYS, otherwise=f"known keys: {', '.join(KEYS)}"),
        )
        for key in section
        if key not in KEYS
    ]
    wrong += [
        Problem(f"tune.{key}", str(section[key]), "must be a table", f"write [tune.{key}]")
        for key in ("ranges", "space")
        if key in section and not isinstance(section[key], dict)
    ]
    if wrong:
        raise ScenarioError(located(wrong, text), origin=str(path))
    return section


def _round_trip(base: Scenario) -> float:
    """The longest round trip of a dumbbell, for sizing ranges: 100 ms where it is unknown."""
    try:
        return advise.advise(base).conditions.rtt_s[1]
    except DropcurveError:
        return 0.1


def _ecn(base: Scenario) -> bool:
    flows = base.resolved.get("flows", {})
    members = flows.values() if isinstance(flows, dict) else flows
    return any(bool(one.get("ecn")) for one in members if isinstance(one, dict))
