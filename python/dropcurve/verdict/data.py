"""Data of a verdict: designs and criteria, rivals and changes, the verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .equivalence import Relation

#: Equivalence margin of a measure with a bound, as a share of the bound.
MARGIN_SHARE = 0.02
#: Change of an unweighted outcome, as a share of it, from which the trade-off is left to the reader.
NOTABLE = 0.1
#: Least value of which a logarithm is taken.
LEAST = 1e-9

#: Largest possible advantage, in margins, of a design that is not worth waiting for.
FAINT = 3.0
Status = Literal["load", "keep", "undecided", "none feasible", "unknown"]


@dataclass(frozen=True)
class Bound:
    """A limit on a criterion in its unit: at most ``limit`` if ``upper``, else at least."""

    limit: float
    upper: bool = True

    def excess(self, value: float) -> float:
        """Excess of a value over the limit, as a share of the limit; 0 if the bound holds."""
        beyond = value - self.limit if self.upper else self.limit - value
        return max(0.0, beyond / (abs(self.limit) or 1.0))


@dataclass(frozen=True)
class Criterion:
    """A measure that a verdict weighs.

    Attributes:
        key: Its key in `SampledDesign.samples`.
        title: Name in sentences: "p95 delay of voice".
        unit: "ms", "%" (a share; differences are in points) or "bit/s".
        worth: Points per unit in the score; negative where less is better, 0 if it is only reported.
        bound: A constraint, or None.
        better: The direction that is better, "higher" or "lower", if ``worth`` is 0.
        most: The largest value that is possible (a link's rate), or None.
        log: Whether ``worth`` is that of a doubling, for values above 0: users perceive its logarithm
            (ITU-T G.1030).
    """

    key: str
    title: str
    unit: str
    worth: float = 0.0
    bound: Bound | None = None
    better: Literal["higher", "lower"] = "lower"
    most: float | None = None
    log: bool = False

    def score(self, value: float) -> float:
        """Points of a value; only differences between two of them have a meaning."""
        return self.worth * (math.log2(max(value, LEAST)) if self.log else value)

    @property
    def higher(self) -> bool:
        """Whether larger values are better."""
        return self.worth > 0 if self.worth else self.better == "higher"

    def margin(self, points: float, value: float = 0.0) -> float:
        """The difference from a value, in the criterion's unit, below which two values are equal: 2 % of a bound; of a
        weighed criterion the equivalent of the margin in points; of any other 2 % of the value."""
        if self.bound is not None:
            return MARGIN_SHARE * abs(self.bound.limit)
        if not self.worth:
            return MARGIN_SHARE * abs(value)
        if self.log:
            return abs(value) * (math.pow(2.0, points / abs(self.worth)) - 1.0)
        return points / abs(self.worth)


@dataclass(frozen=True)
class SampledDesign:
    """A design with its paired samples.

    Attributes:
        name: Name in sentences.
        samples: A value for each run by criterion key, None where a run has none. Run i of every design has the same
            conditions and random numbers.
        simplicity: The smaller, the simpler.
        current: Whether it is in use already.
        manages: "fair" of a queue for each flow, "none" of tail drop, "" of any other.
        unsimulated: Its functions that the runs do not show, in words; "" if there are none.
        made: Whether each run was made, where a design that was given up early lacks the later ones; None if all were.
    """

    name: str
    samples: Mapping[str, Sequence[float | None]]
    simplicity: float = 0.0
    current: bool = False
    manages: Literal["fair", "none", ""] = ""
    made: Sequence[bool] | None = None
    unsimulated: str = ""

    @property
    def complete(self) -> bool:
        """Whether every run was made."""
        return self.made is None or all(self.made)


@dataclass(frozen=True)
class MissedBound:
    """A bound that a design misses: in ``missed`` of ``runs`` runs, with the worst value, or without any value."""

    criterion: Criterion
    missed: int
    runs: int
    worst: float | None


@dataclass(frozen=True)
class Value:
    """Mean and half-width of a criterion; ``half_width`` is None for one run."""

    criterion: Criterion
    mean: float
    half_width: float | None


@dataclass(frozen=True)
class Change:
    """A criterion of the recommended design against another one.

    ``difference`` is recommended less other, with ``half_width``; ``kind`` is "gain", "cost", "same" (within the
    criterion's margin) or "undecided".
    """

    criterion: Criterion
    recommended: float
    other: float
    difference: float
    half_width: float | None
    kind: Literal["gain", "cost", "same", "undecided"]

    def swapped(self) -> Change:
        """The same change of the other design against the recommended one."""
        kinds: dict[str, Literal["gain", "cost", "same", "undecided"]] = {"gain": "cost", "cost": "gain"}
        return replace(
            self, recommended=self.other, other=self.recommended, difference=-self.difference,
            kind=kinds.get(self.kind, self.kind),
        )  # fmt: skip

    @property
    def share(self) -> float:
        """The difference as a share of the other design's value."""
        return abs(self.difference) / (abs(self.other) or 1.0)

    @property
    def unweighed(self) -> bool:
        """Whether it is an outcome that the score does not weigh, and a notable share of it."""
        return not self.criterion.worth and self.criterion.bound is None and self.share >= NOTABLE


@dataclass(frozen=True)
class Rival:
    """A design against the leader of the feasible ones.

    ``behind`` is how far its score lies behind the leader's, with ``half_width``; ``relation`` says how the leader
    compares: "better", "equal", "undecided", or "infeasible" if the rival misses a bound. ``more`` is the number of
    further replications that would decide, None if none are needed or `MOST_REPLICATIONS` would not do. ``values`` are
    its own criteria; ``better_at`` the outcomes that the score does not weigh in which it surely and notably beats the
    recommended design, as changes from that one to itself.
    """

    name: str
    behind: float | None
    half_width: float | None
    relation: Relation
    more: int | None = None
    missed: tuple[MissedBound, ...] = ()
    values: tuple[Value, ...] = ()
    better_at: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The verdict on several designs from paired runs.

    Attributes:
        status: "load" (the recommended design), "keep" (the one in use), "undecided", "none feasible", or "unknown"
            where no run has the values that are weighed.
        recommended: The design to load or keep. Where that is undecided, the one in use; without one the simplest of
            the leader and of what is as good so far.
        leader: The feasible design with the best mean score; another one is recommended where that is as good and
            simpler.
        current: The design in use, or "".
        reference: The design that `changes` are against: the current one or the baseline, else the best of the
            others; "" if none.
        values: The criteria of the recommended design.
        leading: Those of the leader.
        changes: Criteria of the recommended design against `reference`; where the design in use is kept because nothing
            is decided, that is the leader.
        advantage: Its score less that of `reference` in points, with `half_width`; None if either misses a value.
        rivals: Every other design against the leader.
        missed: The bounds that the recommended design misses; of "unknown" the criteria that no design has in every
            run.
        more: Further replications that would decide, for "undecided".
        margin: The equivalence margin in points.
        exchange: What the score counts, in words; "" for a single objective.
        confidence: Confidence level of every statement together.
        replications: Paired runs of each design, over all conditions.
        points: The unit of scores.
        conditions: Conditions that the runs are over.
        fewest: Paired runs of the design that has the fewest, because it was given up early as surely worse; 0 if all
            designs have the same.
        passed_over: The tail drop that ties with the recommended design and gives way because that has a queue for each
            flow (RFC7567); "" if there is none.
        unsimulated: Functions of the design in use for which it, or another one that has them, is recommended although
            the leader is slightly better in these runs, which do not show them; "" if that is not so.
    """

    status: Status
    recommended: str
    leader: str
    current: str
    reference: str
    values: tuple[Value, ...]
    leading: tuple[Value, ...]
    changes: tuple[Change, ...]
    advantage: float | None
    half_width: float | None
    rivals: tuple[Rival, ...]
    missed: tuple[MissedBound, ...]
    more: int | None
    margin: float
    exchange: str
    confidence: float
    replications: int
    points: str = "points"
    conditions: int = 1
    passed_over: str = ""
    fewest: int = 0
    unsimulated: str = ""

    @property
    def others(self) -> list[str]:
        """Every design but the recommended one, the leader first."""
        names = [self.leader, *(one.name for one in self.rivals)]
        return [name for name in names if name and name != self.recommended]

    def related(self, relation: Relation) -> list[Rival]:
        """The rivals of a relation to the leader."""
        return [one for one in self.rivals if one.relation == relation]

    @property
    def unsettled(self) -> list[str]:
        """Designs of which the runs do not show whether they are better or worse than the recommended one."""
        unsure = [one.name for one in self.related("undecided")]
        if self.recommended in unsure:
            # A design equal to the leader has the leader's distance.
            unsure = [self.leader, *(one.name for one in self.related("equal")), *unsure]
        return [name for name in unsure if name != self.recommended]

    def possible(self, rival: Rival) -> float:
        """Points by which an undecided rival may be better than the leader: the end of its interval; infinite for a
        single run, which has none."""
        if rival.behind is None or rival.half_width is None:
            return math.inf
        return rival.half_width - rival.behind

    @property
    def in_question(self) -> list[Rival]:
        """The rivals that may be better than the design to keep by more than is not worth waiting for, the one that may
        be most first."""
        if self.status != "keep":
            return []
        some = [one for one in self.related("undecided") if self.possible(one) > FAINT * self.margin]
        return sorted(some, key=self.possible, reverse=True)

    @property
    def faint(self) -> float | None:
        """Points by which the leader may be better than the design in use, where that is undecided and not worth
        waiting for; else None."""
        if self.status != "undecided" or not self.current or self.half_width is None:
            return None
        most = abs(self.advantage or 0.0) + self.half_width
        return most if most <= FAINT * self.margin else None

    @property
    def firm(self) -> bool:
        """Whether the runs show that the design to load or keep is right, up to what is not worth waiting for."""
        return self.faint is not None or (self.status in ("load", "keep") and not self.in_question)

    @property
    def settling(self) -> int | None:
        """Further replications that would decide the undecided rivals that `MOST_REPLICATIONS` would do for; None if
        there is none."""
        return max((one.more for one in self.related("undecided") if one.more is not None), default=None)

    @property
    def equals(self) -> list[str]:
        """Designs that are as good as the recommended one within the margin."""
        same = [self.leader, *(one.name for one in self.related("equal"))]
        return [name for name in same if name != self.recommended] if self.recommended in same else []
