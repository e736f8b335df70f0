"""The question of `tune`, from a scenario, a link with its usual traffic, or a link by a few numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..scenario import Scenario, links
from ..verdict import Exchange
from . import stress
from .link_question import of_link, of_mix
from .question import Question
from .scenario_question import of_file


def ask(
    scenario: Scenario | str | Path | None, *, within: str | Path | None = None, **given: Any
) -> Question:
    """Returns the question of `tune`, parsed and validated.

    Args:
        scenario: A scenario or its file; None for a question about a link.
        within: File with the bounds of ``robust="stress"``.
        given: The other arguments of `tune` about link and goal.

    Returns:
        The question.

    Raises:
        DropcurveError: For every fault of it.

    Example:
        >>> question = ask("access.toml", goal="balanced", ranges={}, robust="mean", box="", candidates=(), space={})
    """
    return _within(_asked(scenario, **given), within)


def _reads_as_goal(scenario: str | Path | Scenario) -> bool:
    """Whether a goal stands where a scenario belongs."""
    return isinstance(scenario, str) and re.search(r"[<>]|\b(?:min|max) ", scenario) is not None


def _asked(
    scenario: Scenario | str | Path | None,
    *,
    link: str | None = None,
    goal: str | None,
    ranges: Mapping[str, str] | None,
    robust: str | None,
    box: str | None,
    candidates: Sequence[str],
    space: Mapping[str, Mapping[str, str]] | None,
    exchange: Exchange | None = None,
    **numbers: Any,
) -> Question:
    """The question, before `_within` adds the bounds of datagrams."""
    given = {name: value for name, value in numbers.items() if value is not None and value is not False}
    if isinstance(scenario, str) and scenario.startswith(links.PREFIX) and link is None:
        link, scenario = scenario.removeprefix(links.PREFIX), None
    if scenario is not None:
        if wrong := [name for name in ("link", *given) if name in given or (name == "link" and link)]:
            raise UsageError(
                f"--{wrong[0]}",
                given.get(wrong[0], link),
                "describes a link, and a scenario was named",
                "a goal is given as --goal" if _reads_as_goal(scenario) else "give one or the other",
                shown="path",
            )
        return of_file(
            scenario, goal=goal, ranges_=ranges, box=box, candidates=candidates, robust=robust, space=space,
            exchange=exchange,
        )  # fmt: skip
    shared: dict[str, Any] = {
        "goal": goal, "box": box or "", "candidates": candidates, "robust": robust or "mean", "space": space,
        "exchange": exchange,
    }  # fmt: skip
    if ranges:
        path = next(iter(ranges))
        raise UsageError(
            f"--range {path}",
            ranges[path],
            "varies a scenario",
            "leave it out: the options of a link take ranges themselves",
            shown="path",
        )
    if link is None and "rate" in given and "flows" not in given:
        # Traffic that is not stated is the usual one of the link.
        link = str(given.pop("rate"))
    if link is not None:
        return of_mix(link, override=links.overrides(link, **given), **shared)
    if missing := [f"--{name}" for name in ("rate", "flows") if name not in given]:
        raise UsageError(
            ", ".join(missing),
            "",
            "not given",
            "give a rate for the usual traffic of such a line (--rate 100Mbit), "
            "or with its long flows (--rate 100Mbit --rtt 20-200ms --flows 5-100 --buffer 1000pkts); "
            "or a link (--link cable); or a scenario",
        )
    usual: dict[str, Any] = {name: value for name, value in links.USUAL.items() if name not in given}
    return of_link(**usual, **given, **shared, taken=usual)


def _within(question: Question, path: str | Path | None) -> Question:
    """The question with the bounds of datagrams in a file.

    Raises:
        UsageError: For a question of another ``robust``, and for "stress" where nothing varies.
        DropcurveError: As `bounds.load`.
    """
    if path is not None:
        if question.robust != "stress":
            raise UsageError("within", path, "bounds the search of --robust stress", "give both or neither")
        question = replace(question, within=stress.bounds.load(path))
    if question.robust == "stress" and question.within is None and not question.varying:
        raise UsageError(
            "robust", "stress", "nothing varies", "give a range, such as --flows 1-50, or --within FILE"
        )
    return question
