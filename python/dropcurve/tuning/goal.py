"""Goals: ``p95 delay < 15ms, max utilisation``, or the name of a preset.

    goal       = part { ("," | ";" | " and " | " at " | " with ") part }
    part       = constraint | objective
    constraint = measure ("<" | ">" | "below" | "above" | "at most" | "at least") value
    objective  = ["max" | "min"] [weight "*"] measure { ("+" | "-") [weight "*"] measure }

One objective is optimised, several give a Pareto front. A weighted sum counts each measure in the unit of its
table. Constraints hold at every condition, not on average.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from .. import metrics
from ..advise import planned
from ..advise.planned import PlannedClass
from ..advise.scenario import base_round_trip_s
from ..errors import UsageError, nearest
from ..scenario import Scenario
from ..verdict import Exchange
from . import goal_presets
from .goal_presets import PRESETS
from .measures import Measure, measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


#: One value, or many.
Values = TypeVar("Values", float, "NDArray[np.float64]")

_SEPARATOR = re.compile(r"\s*[,;]\s*|\s+(?:and|at|with|while|subject to|s\.t\.)\s+")
_BOUND = re.compile(r"(.+?)\s*(<=|<|≤|>=|>|≥|\bbelow\b|\bunder\b|\babove\b|\bover\b)\s*(.+)")
_OBJECTIVE = re.compile(r"(max|maximi[sz]e|highest|most|min|minimi[sz]e|lowest|least)\s+(.+)", re.IGNORECASE)
_TERM = re.compile(r"([+-]?)\s*(?:((?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)\s*\*?\s*)?([^+]+?)")

#: The goal where none is stated.
DEFAULT = "balanced"
#: Largest possible value of a measure, by unit or name.
MOST = {"%": 100.0, "jain": 1.0}


@dataclass(frozen=True)
class Constraint:
    """A bound on a measure: at most ``bound`` if ``upper``, else at least."""

    measure: Measure
    upper: bool
    bound: float

    def excess(self, value: float, *, margin: float = 0.0) -> float:
        """Excess of a value over the bound, as a share of it; 0 if it holds. ``margin`` tightens it by a share."""
        return max(0.0, self.beyond(value, margin=margin))

    def beyond(self, values: Values, *, margin: float) -> Values:
        """Signed distance of values beyond the bound, as a share of it; below 0 where it holds."""
        size = abs(self.bound) or 1.0
        inside = self.bound - margin * size if self.upper else self.bound + margin * size
        if self.measure.unit == "%" and not self.upper:
            inside = min(inside, 100.0 - (100.0 - self.bound) * (1.0 - margin))
        return (values - inside if self.upper else inside - values) / size

    def __str__(self) -> str:
        return f"{self.measure.text} {'<' if self.upper else '>'} {self.bound:g} {self.measure.unit}".rstrip()


@dataclass(frozen=True)
class Objective:
    """A weighted sum of measures, to be made as large as possible if ``higher``, else as small."""

    terms: tuple[tuple[float, Measure], ...]
    higher: bool

    def value(self, row: Mapping[str, float]) -> float | None:
        """The sum for a run, in the units of its measures; None if one of them is missing. Next to others the load time
        of pages adds nothing in a run that loads none."""
        total = 0.0
        for weight, term in self.terms:
            if term.key not in row:
                if len(self.terms) > 1 and term.key.startswith("page_"):
                    continue
                return None
            total += weight * row[term.key]
        return total

    @property
    def sign(self) -> float:
        """Factor that turns its value into a loss, the smaller the better."""
        return -1.0 if self.higher else 1.0

    @property
    def single(self) -> Measure | None:
        """The measure of an objective with one term, else None."""
        return self.terms[0][1] if len(self.terms) == 1 and self.terms[0][0] == 1.0 else None

    @property
    def in_points(self) -> bool:
        """Whether a difference of 1 is a percentage point: a share alone, or a sum with a share of weight 1."""
        return any(one.unit == "%" and abs(weight) == 1.0 for weight, one in self.terms)

    @property
    def unit(self) -> str:
        """The unit of its value; "points" for a sum in percentage points, "" for any other sum."""
        if self.single:
            return self.single.unit
        return "points" if self.in_points else ""

    @property
    def label(self) -> str:
        """Label of the objective: its measure or weighted sum."""
        if self.single:
            return self.single.text
        return " ".join(_term(weight, one) for weight, one in self.terms).removeprefix("+ ")

    def __str__(self) -> str:
        return f"{'max' if self.higher else 'min'} {self.label}"


def _term(weight: float, measure: Measure) -> str:
    """A term of a weighted sum with its sign; weights of rates are for a Mbit/s."""
    sign = "−" if weight < 0 else "+"
    if measure.unit == "bit/s" and abs(weight) != 1:
        return f"{sign} {1e6 * abs(weight):g} × {measure.text} in Mbit/s"
    return f"{sign} {f'{abs(weight):g} × ' if abs(weight) != 1 else ''}{measure.text}"


@dataclass(frozen=True)
class Goal:
    """Objectives under constraints, as read from ``text``; ``margin`` is the difference of the score that matters, in
    points, where a preset has one of its own (0: the usual one)."""

    text: str
    objectives: tuple[Objective, ...]
    constraints: tuple[Constraint, ...]
    margin: float = 0.0

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Every measure that the goal names, objectives first, each once."""
        named = [one for objective in self.objectives for _, one in objective.terms]
        named += [one.measure for one in self.constraints]
        return tuple({one.key: one for one in named}.values())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the objectives in sentences and tables: their labels; "score" for a sum that is the only one."""
        if len(self.objectives) == 1 and not self.objectives[0].single:
            return ("score",)
        return tuple(one.label for one in self.objectives)

    def __str__(self) -> str:
        return ", ".join([*map(str, self.objectives), *map(str, self.constraints)])


def named(text: str) -> str:
    """The name of the preset that a text is, or ""."""
    name = text.strip().lower()
    return name if name in PRESETS else ""


def parse(
    text: str,
    *,
    classes: Iterable[PlannedClass] = (),
    exchange: Exchange | None = None,
    round_trip_s: float | None = None,
) -> Goal:
    """Parses a goal, or the name of one of `PRESETS`; one of constraints alone also asks for the highest utilisation.

    Args:
        text: The goal.
        classes: Classes of the traffic, for presets.
        exchange: Between delay and utilisation, for presets; by default that of the round trip.
        round_trip_s: The base round trip in seconds, for presets.

    Raises:
        UsageError: For text it cannot parse, with the part and the form to write.

    Example:
        ``parse("p95 delay < 15ms, max utilisation").constraints``
    """
    name = named(text)
    if name:
        text = goal_presets.written(name, classes, exchange=exchange, round_trip_s=round_trip_s)
    flat = re.sub(r"\bat most\b|\bno more than\b", "<", " ".join(text.split()))
    flat = re.sub(r"\bat least\b|\bno less than\b", ">", flat)
    objectives: list[Objective] = []
    constraints: list[Constraint] = []
    for part in filter(None, _SEPARATOR.split(flat)):
        wanted = _OBJECTIVE.fullmatch(part)
        bound = _BOUND.fullmatch(part)
        if bound and not wanted:
            one = measure(bound[1])
            constraints.append(
                Constraint(one, bound[2] in ("<", "<=", "≤", "below", "under"), one.number(bound[3]))
            )
        elif wanted and not bound:
            objectives.append(
                Objective(_terms(wanted[2]), wanted[1].lower().startswith(("max", "high", "most")))
            )
        elif wanted:
            raise UsageError(
                "goal", part, "is both a bound and something to optimise", "put a comma between them"
            )
        elif _directed(part):
            objectives.append(
                Objective(_terms(part), metrics.find(metrics.split(measure(part).key)[0]).better == "higher")
            )
        elif _known(part):
            raise UsageError(
                "goal",
                part,
                "has neither a direction nor a bound",
                f"say max or min before it, or a bound after it, such as '{part} < 15ms'",
            )
        else:
            example = "p95 delay < 15ms, max utilisation"
            write = f"write constraints and objectives such as '{example}'"
            # A direction alone is not a misprint of a name.
            hint = (
                write if part.lower() in ("min", "max") else nearest(part.lower(), PRESETS, otherwise=write)
            )
            raise UsageError("goal", part, "cannot be read", hint)
    if not objectives and not constraints:
        raise UsageError("goal", "", "is empty", "write one such as 'p95 delay < 15ms, max utilisation'")
    if not objectives:
        objectives.append(Objective(((1.0, measure("utilisation")),), higher=True))
    _check(objectives, constraints)
    return Goal(text, tuple(objectives), tuple(constraints), goal_presets.MARGINS.get(name, 0.0))


def of_scenario(text: str, scenario: Scenario, *, exchange: Exchange | None = None) -> Goal:
    """The goal for a scenario, with the presets written out for its traffic.

    Args:
        text: The goal, or the name of a preset.
        scenario: Scenario to run.
        exchange: Between delay and utilisation, for presets; by default that of the scenario's round trip.

    Raises:
        UsageError: As `parse`, and for measures that no run of the scenario has a value of.
    """
    goal = parse(
        text,
        classes=planned.classes(scenario).values(),
        exchange=exchange,
        round_trip_s=base_round_trip_s(scenario),
    )
    planned.refuse_missing([one.key for one in goal.measures], scenario)
    return goal


def _terms(text: str) -> tuple[tuple[float, Measure], ...]:
    terms = []
    for piece in re.split(r"\s(?=[+-]\s)", f" {text}"):
        term = _TERM.fullmatch(piece.strip())
        if term is None:
            raise UsageError(
                "goal", piece.strip(), "must be WEIGHT * MEASURE", "write one such as 0.5 * loss"
            )
        weight = float(term[2] or 1.0) * (-1.0 if term[1] == "-" else 1.0)
        terms.append((weight, measure(term[3])))
    return tuple(terms)


def _known(part: str) -> bool:
    try:
        measure(part)
    except UsageError:
        return False
    return True


def _directed(part: str) -> bool:
    """Whether a bare measure has a direction that is better."""
    return _known(part) and metrics.find(metrics.split(measure(part).key)[0]).better != "none"


def _check(objectives: list[Objective], constraints: list[Constraint]) -> None:
    """Refuses contradictions, and directions in which the measure gets worse."""
    for one in objectives:
        single = one.single
        better = metrics.find(metrics.split(single.key)[0]).better if single else "none"
        if single and better != "none" and (better == "higher") != one.higher:
            other = "min" if one.higher else "max"
            raise UsageError("goal", one, "asks for the worst value", f"write {other} {single.text}")
    for bound in constraints:
        most = MOST.get("jain" if bound.measure.key == "jain" else bound.measure.unit)
        if most is not None and not 0 <= bound.bound <= most:
            raise UsageError(
                "goal",
                bound,
                f"the bound of a share must lie between 0 and {most:g}",
                "choose one in between",
            )
    for upper in constraints:
        for lower in constraints:
            same = upper.measure.key == lower.measure.key
            if same and upper.upper and not lower.upper and lower.bound >= upper.bound:
                raise UsageError(
                    "goal", f"{upper}, {lower}", "contradict each other", "leave out one of the two"
                )
