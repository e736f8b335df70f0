"""The question: a link or a scenario, the conditions that vary, the goal, and the candidates.

`scenario_question` and `link_question` build it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from .. import advise
from ..errors import DropcurveError, UsageError, nearest
from ..quantities import units
from ..quantities.ranges import Range
from ..scenario import Scenario, library
from . import goal as goals
from . import spread, stress
from .aggregation import ROBUST, Robust
from .candidates import Candidate, Target, dialects_of, searched
from .families import USUAL
from .link import Link
from .link_mix import MixLink
from .search_space import Sizing

#: One condition: axis to value.
Condition = dict[str, float]

#: Number of conditions inside the ranges, besides the corners.
INSIDE = 4
#: Number of axes up to which all corners are conditions; of more axes half of the corners are.
ALL_CORNERS = 3


@dataclass(frozen=True)
class ConditionAxis:
    """A condition that varies: ``rtt`` in seconds, ``rate`` in bit/s, ``flows``, ``short`` and ``udp`` in % of the
    link, or a path of the scenario in the unit of its range."""

    name: str
    range: Range

    def shown(self, value: float) -> str:
        """A value as text with its unit."""
        if self.name == "rtt":
            return units.show_span(value)
        if self.name in ("rate", "down", "up"):
            return units.show_rate(value)
        if self.name in ("short", "udp"):
            return f"{units.plain(value)} %"
        return str(self.range.shown(value))

    @property
    def label(self) -> str:
        """Name of the axis in sentences and tables."""
        words = {"rtt": "round trip", "rate": "rate", "flows": "flows", "short": "short flows", "udp": "UDP"}
        return words.get(self.name, self.name)

    def __str__(self) -> str:
        low, high = self.shown(self.range.low), self.shown(self.range.high)
        return f"{self.label} {low}" if self.range.single else f"{self.label} {low} to {high}"


@dataclass(frozen=True)
class Question:
    """All inputs of the answer except for seed and effort."""

    title: str
    goal: goals.Goal
    axes: tuple[ConditionAxis, ...]
    sizing: Sizing
    target: Target
    candidates: tuple[str, ...] = USUAL
    robust: Robust = "mean"
    space: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    link: Link | MixLink | None = None
    base: Scenario | None = None
    #: Bounds of datagrams in addition to the traffic, and the worst conditions found so far (``robust`` "stress").
    within: stress.Bounds | None = None
    worst: tuple[tuple[tuple[str, float], ...], ...] = ()

    @property
    def varying(self) -> tuple[ConditionAxis, ...]:
        """The axes that have a length."""
        return tuple(axis for axis in self.axes if not axis.range.single)

    @property
    def free(self) -> bool:
        """Whether any discipline may be recommended, since the question names none."""
        return self.candidates == searched((), self.space, box=self.target.box)

    @property
    def tried(self) -> str:
        """The designs among which the answer is chosen, after "no design": those that were tried, or asked for."""
        return "that was tried" if self.free else "that was asked for"

    def asks_for(self, candidate: Candidate) -> bool:
        """Whether a design is of a discipline that was named, where some were; the others are only compared."""
        return self.free or candidate.kind in self.candidates

    def may_recommend(self, candidate: Candidate) -> bool:
        """Whether a design may be the answer: it was asked for, and the box runs it as it was simulated."""
        return self.asks_for(candidate) and self.target.loads(candidate)

    def scenario(self, condition: Condition) -> Scenario:
        """The scenario at a condition, with its own queue."""
        if self.link is not None:
            return stress.with_datagrams(self.link.scenario(condition), condition)
        assert self.base is not None, "a question has a link or a scenario"
        edits = [(axis.name, axis.range.shown(condition[axis.name])) for axis in self.varying]
        return stress.with_datagrams(self.base.edit(edits) if edits else self.base, condition)

    def at(self, shares: Sequence[float]) -> Condition:
        """The condition at a point of the unit cube over the varying axes."""
        by_axis = dict(zip((axis.name for axis in self.varying), shares, strict=True))
        return {axis.name: axis.range.at(float(by_axis.get(axis.name, 0.0))) for axis in self.axes}

    def conditions(self, most: int | None = None) -> list[Condition]:
        """Conditions of the trials: the corners of the ranges, interleaved with points inside. The first half of the
        list is a fair sample of all. At ``most`` that number: the two ends, then points inside."""
        spread = self._spread(most)
        return _distinct([*spread, *map(dict, self.worst)]) if self.worst else spread

    def _spread(self, most: int | None) -> list[Condition]:
        """The conditions of the ranges alone."""
        count = len(self.varying)
        if count == 0:
            return [self.at(())]
        corners = [
            one
            for one in itertools.product((0.0, 1.0), repeat=count)
            if count <= ALL_CORNERS or sum(one) % 2 == 0
        ]
        inside = spread.fixed(count, max(INSIDE, 2 * count))
        if most is not None and most < len(corners) + len(inside):
            return _distinct([*(one for _, one in ends(self)), *(self.at(one) for one in inside)])[:most]
        # Opposite corners first, so that the first half has both ends of every axis.
        corners.sort(key=lambda one: (sum(one) % 2, one))
        mixed = [one for pair in itertools.zip_longest(corners, inside) for one in pair if one is not None]
        return _distinct([self.at(one) for one in mixed])

    def fresh(self, count: int, *, seed: int) -> list[Condition]:
        """Conditions that were not tried, stratified over the ranges, and the worst that were found."""
        axes = len(self.varying)
        inside = spread.stratified(axes, count, seed=seed) if axes else [()]
        return [*(self.at(one) for one in inside), *map(dict, self.worst)]

    def middle(self) -> Condition:
        """The centre of the ranges."""
        return self.at([0.5] * len(self.varying))

    def describe(self, condition: Condition) -> str:
        """A condition in words: ``5 flows, round trip 200 ms``."""
        parts = [
            f"{shown} flows" if axis.name == "flows" else f"{axis.label} {shown}"
            for axis in self.varying
            for shown in [axis.shown(condition[axis.name])]
        ]
        parts += [datagrams] if (datagrams := stress.described_datagrams(condition)) else []
        return ", ".join(parts) or "as given"

    def advice(self) -> advise.Advice | None:
        """Designs by formula; None for scenarios the formulas do not fit."""
        try:
            if self.link is None or isinstance(self.link, MixLink):
                base = self.base or self.scenario(self.middle())
                return advise.advise(base, goal=self.goal.text)
            ends = {axis.name: axis.range for axis in self.axes}
            return advise.advise(
                rate=ends["rate"].low, rtt=(ends["rtt"].low, ends["rtt"].high),
                flows=(max(1, round(ends["flows"].low)), max(1, round(ends["flows"].high))),
                buffer=self.link.buffer_pkts, goal=self.goal.text, ecn=self.link.ecn,
            )  # fmt: skip
        except DropcurveError:
            return None


def ends(question: Question) -> list[tuple[str, Condition]]:
    """The two ends of the ranges that matter most: fewest flows on the longest round trip, where oscillations are
    largest, and most flows on the shortest, where most drops are needed; for other axes all low and all high."""
    axes = question.varying
    if not axes:
        return [("", question.middle())]
    high = [0.0 if axis.name in ("rtt", "dumbbell.delay") else 1.0 for axis in axes]
    low = [1.0 - share for share in high]
    corners = [question.at(low), question.at(high)]
    return [(question.describe(one), one) for one in corners]


def _distinct(conditions: list[Condition]) -> list[Condition]:
    return list({tuple(one.items()): one for one in conditions}.values())


def assembled(
    title: str, wanted: goals.Goal, axes: tuple[ConditionAxis, ...], sizing: Sizing, target: Target,
    candidates: Sequence[str], robust: str, space: Mapping[str, Mapping[str, str]], *,
    link: Link | MixLink | None = None, base: Scenario | None = None,
) -> Question:  # fmt: skip
    """The question from its parsed parts. Raises UsageError for candidates that cannot be chosen from."""
    if robust not in ROBUST:
        raise UsageError(
            "robust",
            robust,
            f"must be one of {', '.join(ROBUST)}",
            nearest(robust, ROBUST, otherwise="mean is the default"),
        )
    kinds = library.disciplines()
    candidates, dialects = dialects_of(candidates, box=target.box)
    for kind in [*candidates, *space]:
        if kind not in kinds:
            hint = nearest(kind, kinds, otherwise="`dropcurve list disciplines` shows all")
            raise UsageError("queue", kind, "no such discipline", hint)
    chosen = searched(candidates, space, box=target.box)
    sizing = replace(sizing, dialects=dialects)
    question = Question(title, wanted, axes, sizing, target, chosen, "mean", space, link, base)
    return replace(question, robust=robust)
