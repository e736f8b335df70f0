"""Adds the worst conditions of a recommendation to the question until no worse one is found (``--robust stress``).

The conditions are those of the ranges, and with bounds also datagrams inside their envelope in addition to the traffic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..metrics import statistics
from ..quantities import units
from ..quantities.ranges import Range
from .bench import Bench, PairedTrial
from .candidates import Candidate
from .question import Condition, Question
from .stress.bounds import Bounds, Case
from .stress.search import StressSearch
from .stress.traffic import DATAGRAM_KEYS, StressLink, with_envelope

#: Largest number of searches for a worse condition, and the number of cases of each.
ROUNDS, CASES = 4, 48
#: Number of seeds by which a new condition is compared with the known ones, and their distance from all others.
SEEDS, APART = 6, 3_000_000


@dataclass
class _ConditionLosses:
    """The losses of one design at the conditions of a question, for `StressSearch`."""

    bench: Bench
    candidate: Candidate
    bounds: Bounds
    datagrams: bool
    late: bool = False
    stage: str = ""
    worst: float | None = None
    _numbers: dict[tuple[tuple[str, float], ...], int] = field(default_factory=dict)

    def enveloped(self, case: Case) -> Case:
        """The case with its datagrams inside the envelope of the bounds."""
        if not self.datagrams:
            return case
        return with_envelope(case, self.bounds, link_at(self.bench.question, condition_of(case)))

    def losses(self, cases: Sequence[Case], seeds: Sequence[int]) -> list[list[float]]:
        """The loss of the design at each case under each seed."""
        trials = [[self._trial(case, seed) for seed in seeds] for case in cases]
        self.bench.run((self.candidate, trial) for row in trials for trial in row)
        return [[self.bench.loss(self.candidate, trial) for trial in row] for row in trials]

    def _trial(self, case: Case, seed: int) -> PairedTrial:
        condition = condition_of(case)
        number = self._numbers.setdefault(tuple(condition.items()), len(self._numbers))
        return PairedTrial.of(number, condition, seed)


def worse(bench: Bench, best: Candidate, *, margin: float, seed: int) -> Condition | None:
    """A condition at which a design loses more than at any it was validated for, by more than the margin and the
    interval of the difference; None if the search finds none."""
    question = bench.question
    source = _ConditionLosses(bench, best, _bounds(question), question.within is not None)
    search = StressSearch(source, CASES, seed + APART)
    worst = search.go()[0]
    known: list[Case] = [dict(one) for one in question.conditions()]
    seeds = [seed + APART + 100 + number for number in range(SEEDS)]
    rows = source.losses([worst.case, *known], seeds)
    least = max(rows[1:], key=statistics.mean)
    pair = statistics.paired(rows[0], least)
    if pair is None or pair.mean <= max(margin, pair.half_width or 0.0):
        return None
    return condition_of(worst.case)


def summary(question: Question, left: Condition | None) -> str:
    """Sentence on the worst conditions that a question took in; ``left`` is a worse one that the last round found."""
    some = [question.describe(dict(one)) for one in question.worst]
    taken = "no condition worse than those of the ranges was found"
    if some:
        noun = "worst condition" if len(some) == 1 else f"{len(some)} worst conditions"
        taken = f"the {noun} found ({'; '.join(some)}) {'counts' if len(some) == 1 else 'count'} in it"
    if left is None:
        return f"Stress: {taken}" + (", and none worse was found after that" if some else "")
    return f"Stress: {taken}, and a still worse one was found ({question.describe(left)})"


def condition_of(case: Case) -> Condition:
    """A case as a condition; datagrams that are not sent are left out."""
    sent = {"cbr": case.get("cbr"), "pulse_rate": case.get("pulse_rate")}
    left_out = {name for name, value in sent.items() if not value}
    if "pulse_rate" in left_out:
        left_out |= {"pulse_width", "pulse_period"}
    if {"cbr", "pulse_rate"} <= left_out:
        left_out.add("datagram")
    return {name: float(value) for name, value in case.items() if name not in left_out}


def link_at(question: Question, condition: Condition) -> StressLink:
    """The link of a condition, for the envelope of datagrams."""
    bare = {name: value for name, value in condition.items() if name not in DATAGRAM_KEYS}
    rate = units.rate(str(question.scenario(bare).get("dumbbell.rate")))
    return StressLink("", rate, rate, question.sizing.rtt_s, question.sizing.buffer_pkts)


def _bounds(question: Question) -> Bounds:
    """The ranges of a question, and those of the datagrams, as bounds of a search."""
    own: dict[str, Range] = {axis.name: axis.range for axis in question.axes}
    usual = dict(question.middle())
    given = question.within
    if given is None:
        return Bounds(own, {}, usual=usual)
    own |= {name: given.ranges[name] for name in DATAGRAM_KEYS}
    return Bounds(own, {}, given.envelope_rate, given.envelope_burst, usual)
