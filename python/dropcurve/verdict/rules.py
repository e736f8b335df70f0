"""The rules of a verdict.

1. A design that meets every bound comes before one that does not.
2. A is better than B if its paired advantage exceeds both the equivalence margin and the half-width of its interval.
3. Two designs are equal if the whole interval of their difference lies within the margin (two one-sided tests,
   Schuirmann 1987); of equal designs the simplest is chosen, and the one in use counts as the simplest. A design to
   load gives way to one that is equal, or undecided and only slightly behind, for outcomes that the score does not
   weigh (page load time, video): if the other is surely and notably better in one of them, and worse in none.
4. Any other difference is undecided, with the replications that would decide it. Until then the design in use stays;
   without one the simplest of the leader and of those within the margin of it is named.
5. Where several measures are weighed and the choice would be a new tail drop, a fair queue that ties with it goes
   before it: one that is equal, or slightly behind and not shown to be worse. It protects traffic that the runs do not
   have, and RFC7567 asks for queue management wherever it does no harm.
6. A design in use with functions that the runs do not show, such as the isolation of hosts behind a router that
   translates addresses, goes only for one that has them too, or that is surely better by several margins.

Intervals are those of comparisons with the best (Hsu 1984), simultaneous by Bonferroni over all pairs with the leader.

A design that was given up early lacks the later runs. It is compared over the runs that both have, and it leads only if
no design with all runs is feasible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..metrics import statistics
from .data import Change, Criterion, MissedBound, Rival, SampledDesign, Status, Value, Verdict
from .equivalence import (
    MARGIN_POINTS,
    TIED,
    Relation,
    holds,
    margin_of,
    relation,
    replications_to_decide,
    slightly,
)


def decide(
    designs: Sequence[SampledDesign],
    criteria: Sequence[Criterion],
    *,
    margin: float | None = None,
    confidence: float = 0.95,
    exchange: str = "",
    points: str = "points",
    baseline: str = "",
) -> Verdict:
    """The verdict on designs by the rules above.

    Args:
        designs: Two designs or more, with samples of equal length; at most one is current, and one has every run.
        criteria: What is weighed, bounded and reported. The score is the sum of worth times value, or its logarithm.
        margin: Equivalence margin of the score; by default that of as many measures as have a worth.
        confidence: Confidence level of all statements together.
        exchange: What the score counts, in words.
        points: The unit of the score.
        baseline: The design that changes are against, where none is in use.

    Returns:
        The verdict; "unknown" if no design has a score.

    Example:
        >>> verdict = decide(designs, criteria, baseline="red")
    """
    counts = {len(values) for one in designs for values in one.samples.values()}
    assert len(designs) >= 2, "a verdict needs two designs or more"
    assert len(counts) == 1, "samples are paired"
    assert sum(one.current for one in designs) <= 1, "one design is in use"
    assert any(one.complete for one in designs), "one design has every run"
    if margin is None:
        margin = margin_of(sum(one.worth != 0 for one in criteria))
    context = _Context(tuple(designs), tuple(criteria), margin, confidence, counts.pop())
    current = next((one for one in designs if one.current), None)
    leader = context.leader()
    shared = {
        "leader": leader.name if leader else "", "current": current.name if current else "", "margin": margin,
        "exchange": exchange, "confidence": confidence, "replications": context.runs, "points": points,
        "fewest": 0 if all(one.complete for one in designs) else min(len(context.runs_of(one)) for one in designs),
    }  # fmt: skip
    if leader is None:
        return Verdict(
            "unknown", "", reference="", values=(), leading=(), changes=(), advantage=None, half_width=None,
            rivals=(), missed=context.nowhere(), more=None, **shared,  # type: ignore[arg-type]
        )  # fmt: skip
    rivals = tuple(context.rival(one, leader) for one in designs if one is not leader)
    status, chosen, more = _choose(context, leader, current, rivals)
    unsimulated = ""
    if status == "load" and current is not None and (better := context.with_functions(current, chosen)):
        status, chosen, unsimulated = "keep" if better is current else "load", better, current.unsimulated
    fair = context.fair_instead(chosen, current) if status in ("load", "undecided") else chosen
    chosen, passed = fair, "" if fair is chosen else chosen.name
    if status in ("load", "keep"):
        rivals = tuple(replace(one, better_at=context.outcomes(one.name, chosen)) for one in rivals)
    named = current or next((one for one in designs if one.name == baseline), None)
    reference = named if named is not None and named is not chosen else context.runner_up(chosen)
    if status == "undecided" and chosen is current:
        reference = leader
    pair = context.paired(chosen, reference) if reference else None
    return Verdict(
        status, chosen.name, reference=reference.name if reference else "", values=context.values(chosen),
        leading=context.values(leader), changes=context.changes(chosen, reference) if reference else (),
        advantage=pair.mean if pair else None, half_width=pair.half_width if pair else None, rivals=rivals,
        missed=context.missed(chosen), more=more, passed_over=passed,
        unsimulated=unsimulated, **shared,  # type: ignore[arg-type]
    )  # fmt: skip


def _choose(
    context: _Context, leader: SampledDesign, current: SampledDesign | None, rivals: Sequence[Rival]
) -> tuple[Status, SampledDesign, int | None]:
    """Status, design and the replications still needed."""
    by_name = {one.name: one for one in context.designs}
    if context.missed(leader):
        return "none feasible", leader, None
    equal = [by_name[one.name] for one in rivals if one.relation == "equal"]
    unsure = [one for one in rivals if one.relation == "undecided"]
    if current is not None:
        if current is leader or current in equal:
            return "keep", current, None
        mine = next((one for one in unsure if one.name == current.name), None)
        if mine is not None:
            return "undecided", current, mine.more
        if not context.missed(current):
            # A simpler equal of the leader is taken only if it, too, is better than the design in use.
            equal = [one for one in equal if context.relation(one, current) == "better"]
    elif unsure:
        known = [one.more for one in unsure if one.more is not None]
        more = max(known) if len(known) == len(unsure) else None
        # Undecided designs within the margin count as equal here, because one of them has to be named.
        level = [by_name[one.name] for one in unsure if (one.behind or 0.0) <= context.margin]
        return "undecided", context.simplest([leader, *equal, *level]), more
    chosen = context.simplest([leader, *equal])
    close = [by_name[one.name] for one in unsure if (one.behind or 0.0) <= slightly(context.margin)]
    if current is not None and not context.missed(current):
        close = [one for one in close if context.relation(one, current) == "better"]
    return "load", context.by_outcomes(chosen, [leader, *equal, *close]), None


@dataclass(frozen=True)
class _Context:
    """Designs and criteria, with the quantities that the rules use."""

    designs: tuple[SampledDesign, ...]
    criteria: tuple[Criterion, ...]
    margin: float
    confidence: float
    runs: int

    @property
    def level(self) -> float:
        """Confidence of one interval, so that those of all pairs with the leader are simultaneous."""
        return 1.0 - (1.0 - self.confidence) / (len(self.designs) - 1)

    def runs_of(self, one: SampledDesign) -> list[int]:
        """The numbers of the runs that a design has."""
        return [run for run in range(self.runs) if one.made is None or one.made[run]]

    def scores(self, one: SampledDesign) -> list[float | None]:
        """The score of each run; None where a weighed criterion has no value, unless no design has one in that run (no
        page was asked for): it adds nothing to any of them."""
        weighed = [criterion for criterion in self.criteria if criterion.worth]
        empty = {(criterion.key, run) for criterion in weighed for run in self.empty(criterion)}
        scores: list[float | None] = []
        for run in range(self.runs):
            counted = [criterion for criterion in weighed if (criterion.key, run) not in empty]
            values = [(criterion, one.samples[criterion.key][run]) for criterion in counted]
            known = [criterion.score(value) for criterion, value in values if value is not None]
            scores.append(math.fsum(known) if known and len(known) == len(values) else None)
        return scores

    def score(self, one: SampledDesign) -> float | None:
        """The mean score; None unless every run has one."""
        values = [value for value in self.scores(one) if value is not None]
        return statistics.mean(values) if values and len(values) == len(self.runs_of(one)) else None

    def missed(self, one: SampledDesign) -> tuple[MissedBound, ...]:
        """The bounds that a design misses, and the weighed criteria that it has no value of in some run."""
        missed, runs = [], len(self.runs_of(one))
        for criterion in self.criteria:
            values = one.samples[criterion.key]
            known = [value for value in values if value is not None]
            if criterion.bound is None:
                lost = self.lacking(one, criterion)
                if criterion.worth and lost:
                    missed.append(MissedBound(criterion, lost, runs, None))
                continue
            bound = criterion.bound
            held = sum(bound.excess(value) == 0 for value in known)
            if not holds(held, runs):
                worst = (max if bound.upper else min)(known) if known else None
                missed.append(MissedBound(criterion, runs - held, runs, worst))
        return tuple(missed)

    def nowhere(self) -> tuple[MissedBound, ...]:
        """The weighed criteria that no design has a value of in every run."""
        return tuple(
            MissedBound(one, self.runs, self.runs, None)
            for one in self.criteria
            if one.worth and all(self._blank(design, one) for design in self.designs)
        )

    def _blank(self, one: SampledDesign, criterion: Criterion) -> bool:
        """Whether some run of a design has no value of a criterion."""
        return any(one.samples[criterion.key][run] is None for run in self.runs_of(one))

    def empty(self, criterion: Criterion) -> list[int]:
        """The runs in which no design has a value of a criterion; none if it has no value anywhere."""
        rows = [one.samples[criterion.key] for one in self.designs]
        runs = [run for run in range(self.runs) if all(row[run] is None for row in rows)]
        return runs if len(runs) < self.runs else []

    def lacking(self, one: SampledDesign, criterion: Criterion) -> int:
        """The runs in which a design has no value of a criterion and another one has."""
        rows = [other.samples[criterion.key] for other in self.designs]
        mine = one.samples[criterion.key]
        return sum(
            mine[run] is None and any(row[run] is not None for row in rows) for run in self.runs_of(one)
        )

    def excess(self, one: SampledDesign) -> float:
        """Distance of a design from meeting its bounds: the mean excess over runs, summed over bounds; a weighed
        criterion without a value counts the share of such runs."""
        total, runs = 0.0, self.runs_of(one)
        for criterion in self.criteria:
            values = [one.samples[criterion.key][run] for run in runs]
            if criterion.bound is not None:
                each = [1.0 if value is None else criterion.bound.excess(value) for value in values]
                total += statistics.mean(each)
            elif criterion.worth:
                total += self.lacking(one, criterion) / len(runs)
        return total

    def leader(self) -> SampledDesign | None:
        """The best by mean score of the feasible designs; if there are none, the one closest to its bounds."""
        scored = [one for one in self.designs if self.score(one) is not None]
        feasible = [one for one in scored if not self.missed(one)]
        if feasible:
            return max(feasible, key=lambda one: (one.complete, self.score(one) or 0.0))
        return min(
            scored,
            key=lambda one: (not one.complete, self.excess(one), -(self.score(one) or 0.0)),
            default=None,
        )

    def runner_up(self, chosen: SampledDesign) -> SampledDesign | None:
        """The best of the others: feasible before infeasible, with all runs before others, then by mean score."""
        others = [one for one in self.designs if one is not chosen and self.score(one) is not None]
        return max(
            others,
            key=lambda one: (not self.missed(one), one.complete, self.score(one) or 0.0),
            default=None,
        )

    def paired(self, one: SampledDesign, other: SampledDesign) -> statistics.PairedDifference | None:
        """The score of ``one`` less that of ``other``."""
        return statistics.paired(self.scores(one), self.scores(other), confidence=self.level)

    def relation(self, leader: SampledDesign, other: SampledDesign) -> Relation:
        """How ``leader`` compares with ``other`` by score alone."""
        pair = self.paired(leader, other)
        return "undecided" if pair is None else relation(pair.mean, pair.half_width, self.margin)

    def with_functions(self, current: SampledDesign, chosen: SampledDesign) -> SampledDesign | None:
        """The design that goes before the chosen one for functions of the design in use that the runs do not show: the
        best of those that have them, if it is not surely worse by several margins. It is better than the one in use, or
        that itself. None if there is none, or the chosen one has the functions."""
        if not current.unsimulated or chosen.unsimulated:
            return None
        close = [
            one for one in self.designs
            if one.unsimulated and not self.missed(one) and self._is_close(chosen, one)
            and (one is current or self.missed(current) or self.relation(one, current) == "better")
        ]  # fmt: skip
        return max(close, key=lambda one: self.score(one) or 0.0, default=None)

    def _is_close(self, chosen: SampledDesign, other: SampledDesign) -> bool:
        """Whether a design is not surely worse than the chosen one by several margins."""
        pair = self.paired(chosen, other)
        return pair is None or pair.half_width is None or pair.mean - pair.half_width <= TIED * self.margin

    def rival(self, one: SampledDesign, leader: SampledDesign) -> Rival:
        """A design against the leader."""
        missed = self.missed(one)
        pair = self.paired(leader, one)
        behind, half = (pair.mean, pair.half_width) if pair else (None, None)
        if missed and not self.missed(leader):
            return Rival(one.name, behind, half, "infeasible", missed=missed, values=self.values(one))
        relation = self.relation(leader, one)
        more = None
        if relation == "undecided" and behind is not None:
            more = replications_to_decide(
                behind, half, margin=self.margin, runs=len(self.runs_of(one)), confidence=self.level
            )
        return Rival(one.name, behind, half, relation, more, missed, self.values(one))

    def simplest(self, some: Sequence[SampledDesign]) -> SampledDesign:
        """The simplest, the first of several."""
        return min(some, key=lambda one: one.simplicity)

    @property
    def change(self) -> float:
        """The difference in points from which a single measure changes: of several that are weighed less than the
        margin of their sum."""
        weighed = sum(one.worth != 0 for one in self.criteria)
        return min(self.margin, MARGIN_POINTS) if weighed > 1 else self.margin

    def fair_instead(self, chosen: SampledDesign, current: SampledDesign | None) -> SampledDesign:
        """The simplest feasible fair queue that ties with a new tail drop, the best of equally simple ones; else the
        chosen design."""
        weighed = sum(one.worth != 0 for one in self.criteria)
        if chosen.manages != "none" or chosen is current or weighed < 2:
            return chosen
        ties = [one for one in self.designs if one.manages == "fair" and self._ties(one, chosen)]
        if current is not None and not self.missed(current):
            ties = [one for one in ties if one is current or self.relation(one, current) == "better"]
        return min(ties, key=lambda one: (one.simplicity, -(self.score(one) or 0.0)), default=chosen)

    def _ties(self, one: SampledDesign, chosen: SampledDesign) -> bool:
        pair = self.paired(chosen, one)
        if pair is None or pair.half_width is None or self.missed(one):
            return False
        return pair.mean <= self.margin or (
            self.relation(chosen, one) != "better" and pair.mean <= slightly(self.margin)
        )

    def values(self, one: SampledDesign) -> tuple[Value, ...]:
        """The criteria of a design that have values."""
        values = []
        for criterion in self.criteria:
            interval = statistics.t_interval(one.samples[criterion.key], confidence=self.confidence)
            if interval.mean is not None:
                values.append(Value(criterion, interval.mean, interval.half_width))
        return tuple(values)

    def outcomes(self, name: str, chosen: SampledDesign) -> tuple[Change, ...]:
        """The outcomes without a weight in which the design of this name beats the chosen one."""
        one = next(one for one in self.designs if one.name == name)
        if one is chosen:
            return ()
        changes = self.changes(one, chosen, pairs=len(self.designs) - 1)
        return tuple(change for change in changes if change.kind == "gain" and change.unweighed)

    def by_outcomes(self, chosen: SampledDesign, some: Sequence[SampledDesign]) -> SampledDesign:
        """The design that gains most over the chosen one in outcomes without a weight and loses in none; the chosen one
        where there is none."""
        best, most = chosen, 0.0
        for one in some:
            changes = self.changes(one, chosen, pairs=len(self.designs) - 1) if one is not chosen else ()
            notable = [change for change in changes if change.unweighed]
            gain = max((change.share for change in notable if change.kind == "gain"), default=0.0)
            if gain > most and all(change.kind != "cost" for change in notable):
                best, most = one, gain
        return best

    def changes(self, chosen: SampledDesign, other: SampledDesign, *, pairs: int = 1) -> tuple[Change, ...]:
        """Every criterion of the chosen design against another one; intervals hold together over the criteria, and over
        ``pairs`` of designs."""
        level = 1.0 - (1.0 - self.confidence) / (len(self.criteria) * pairs)
        changes = []
        for criterion in self.criteria:
            mine, theirs = chosen.samples[criterion.key], other.samples[criterion.key]
            pair = statistics.paired(mine, theirs, confidence=level)
            if pair is None:
                continue
            complete = [(a, b) for a, b in zip(mine, theirs, strict=True) if a is not None and b is not None]
            means = [statistics.mean([both[i] for both in complete]) for i in (0, 1)]
            compared = relation(abs(pair.mean), pair.half_width, criterion.margin(self.change, means[1]))
            kind: Literal["gain", "cost", "same", "undecided"] = "undecided"
            if compared == "equal":
                kind = "same"
            elif compared == "better":
                kind = "gain" if (pair.mean > 0) == criterion.higher else "cost"
            changes.append(Change(criterion, means[0], means[1], pair.mean, pair.half_width, kind))
        return tuple(changes)
