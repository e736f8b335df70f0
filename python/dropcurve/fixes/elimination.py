"""A comparison with the design in use in which further replications go to the designs that may still be the best."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ..metrics import statistics
from ..results import Result, Variant
from ..verdict import Rival, Verdict
from ..verdict.equivalence import HELD_SHARE, relation


@dataclass
class Elimination:
    """Rounds of replications; a design that is surely worse takes no part in further ones.

    A design that a later leader does not surely beat over the runs that both have comes back, with all runs.

    Attributes:
        replicate: Replications of designs, by their names and the replications of each, or as many as the time allows;
            None stands for all designs. Finished runs are not made again.
        judge: The verdict on a comparison.
        title: The name of a variant's design in the verdict.
        count: Replications of each design in the first round.
        most: Replications at most.
        conditions: Conditions, of which a replication has a run each.
        until: Time of `time.monotonic` by which a further round has to end; None without a limit. With one, rounds go
            on until no design in contention is undecided: the caller has given the time for that.
    """

    replicate: Callable[[Sequence[str] | None, int], Result]
    judge: Callable[[Result], Verdict]
    title: Callable[[Variant], str]
    count: int
    most: int
    conditions: int = 1
    until: float | None = None
    #: Seconds of a replication of one design.
    _each_s: float = field(default=0.0, init=False)

    def settling_s(self, verdict: Verdict) -> float | None:
        """Seconds of the further replications that would decide the undecided rivals that replications can decide; None
        if there is none."""
        if verdict.settling is None:
            return None
        return -(-verdict.settling // self.conditions) * self.replication_s(verdict)

    def replication_s(self, verdict: Verdict) -> float:
        """Seconds of one more replication of the designs in contention."""
        return len(contenders(verdict, most=self.most * self.conditions)) * self._each_s

    def run(self) -> tuple[Result, Verdict]:
        """The comparison and its verdict: decided, or as far as replications and time allow."""
        began = time.monotonic()
        result = self.replicate(None, self.count)
        self.count = len(result.seeds)
        designs = len(result.variants) / self.conditions
        self._each_s = (time.monotonic() - began) / (self.count * designs)
        while True:
            result, verdict = self._completed(result)
            if self._decided(verdict) or self.count >= self.most:
                return result, verdict
            # Half as many again, although the verdict may ask for more: each round leaves fewer designs.
            size = statistics.next_size(self.count, maximum=self.most)
            names = contenders(verdict, most=self.most * self.conditions)
            if self.until is not None:
                size = min(size, self.count + self._affordable(len(names)))
            if size <= self.count:
                return result, verdict
            before, began = self.count, time.monotonic()
            result = self._extended(result, names, size)
            self.count = max(len(one.runs) for one in result.variants)
            if self.count == before:
                return result, verdict
            self._each_s = (time.monotonic() - began) / ((self.count - before) * len(names))

    def _decided(self, verdict: Verdict) -> bool:
        """Whether no further round is wanted: without a time limit as soon as it is known what to load or keep."""
        if self.until is None:
            return verdict.status != "undecided" or verdict.more is None
        return verdict.status in ("none feasible", "unknown") or not verdict.related("undecided")

    def _affordable(self, designs: int) -> int:
        """Further replications of this number of designs that end in time."""
        assert self.until is not None, "asked for with a limit only"
        left = self.until - time.monotonic()
        return max(0, math.floor(left / max(1e-6, designs * self._each_s)))

    def _completed(self, result: Result) -> tuple[Result, Verdict]:
        """The comparison with all replications of the designs that are in contention, and its verdict."""
        while True:
            verdict = self.judge(result)
            short = {self.title(one) for one in result.variants if len(one.runs) < self.count}
            if verdict.status != "none feasible":
                short &= set(contenders(verdict, most=self.most * self.conditions))
            if not short:
                return result, verdict
            more = self._extended(result, sorted(short), self.count)
            if all(len(one.runs) == self.count for one in more.variants if self.title(one) in short):
                result = more
                continue
            # The time is over: the runs that all designs in contention have.
            self.count = min(len(one.runs) for one in more.variants if self.title(one) in short)
            runs = [replace(one, runs=one.runs[: self.count]) for one in more.variants]
            result = replace(more, variants=runs, seeds=more.seeds[: self.count])

    def _extended(self, result: Result, names: Sequence[str], count: int) -> Result:
        """The comparison with this number of replications of these designs, or as many as the time allows."""
        added = self.replicate(names, count)
        fresh = {one.name: one for one in added.variants}
        variants = [
            max(one, fresh.get(one.name, one), key=lambda some: len(some.runs)) for one in result.variants
        ]
        return replace(added, variants=variants, seeds=max(result.seeds, added.seeds, key=len))


def contenders(verdict: Verdict, *, most: int) -> list[str]:
    """The designs that further runs may make the best.

    Args:
        verdict: So far.
        most: Runs of a design at most.

    Returns:
        The design in use, the leader, and those that are neither surely worse nor sure to miss a bound.

    Example:
        >>> names = contenders(verdict, most=30)
    """
    out = {one.name for one in verdict.rivals if _is_out(one, verdict, most)} - {verdict.current}
    return [name for name in (verdict.leader, *(one.name for one in verdict.rivals)) if name not in out]


def _is_out(rival: Rival, verdict: Verdict, most: int) -> bool:
    # A bound is sure to be missed if it does not hold often enough even where it holds in every further run.
    spare = (1.0 - HELD_SHARE) * most
    if any(miss.criterion.bound is None or miss.missed > spare + 1e-9 for miss in rival.missed):
        return rival.relation == "infeasible"
    behind = rival.behind
    return (
        behind is not None and relation(behind, rival.half_width, verdict.margin) == "better" and behind > 0
    )
