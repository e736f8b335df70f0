"""Replications beyond the usual ones go to the rivals that they decide."""

from __future__ import annotations

import random
from collections.abc import Iterable

from dropcurve.runs.sweeping.rows import Row
from dropcurve.tuning import settling
from dropcurve.tuning.bench import PairedTrial
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.effort import Budget
from dropcurve.tuning.validation import Validation

from .test_proof import Lucky, tail_drop

#: Utilisation of each limit in the mean.
LEVELS = {10_000: 95.0, 9_000: 94.8, 8_000: 93.6, 7_000: 95.0}


class Noisy(Lucky):
    """The utilisation of a run scatters by three points; ``made`` counts the runs."""

    def __init__(self) -> None:
        super().__init__(0.0)
        self.pairs: set[tuple[str, int]] = set()

    def run(self, pairs: Iterable[tuple[Candidate, PairedTrial]], *, until: float | None = None) -> bool:
        self.pairs |= {(candidate.key, trial.seed) for candidate, trial in pairs}
        self.runs = len(self.pairs)
        return True

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row:
        limit = int(candidate.params["limit"].split()[0])
        noise = random.Random(f"{limit} {trial.seed}").gauss(0.0, 3.0)
        return {"sojourn_ms_p95": 10.0, "utilisation": LEVELS[limit] + noise}


def settled(spare: int, *limits: int, last: bool = True) -> Validation:
    """A validation of tail drops after its replications."""
    validation = Validation(Noisy(), Budget(100, replications=4, fresh=4), 1, 0.2, spare=spare)
    validation.run([tail_drop(limit) for limit in limits])
    settling.settle(validation, last=last)
    return validation


def undecided(validation: Validation) -> list[Candidate]:
    """The rivals that are not decided."""
    return [
        one for one in validation.candidates if one is not validation.best and not validation.is_decided(one)
    ]


def test_rivals_with_few_replications_get_more_though_the_recommendation_has_all() -> None:
    validation = Validation(Noisy(), Budget(100, replications=4, fresh=4), 1, 0.2)
    validation.run([tail_drop(10_000)])
    validation.extend([tail_drop(10_000)], validation.most, until=None)
    late = tail_drop(8_000)
    validation.candidates.append(late)
    validation.extend([late], 2, until=None)
    assert validation.decide().key == tail_drop(10_000).key and not validation.is_decided(late)
    settling.settle(validation)
    assert validation.is_decided(late) and 2 < validation.made(late) <= validation.most


def test_spare_runs_decide_rivals_that_the_usual_replications_leave_undecided() -> None:
    usual, more = (settled(spare, 10_000, 9_000, 8_000, 7_000) for spare in (0, 10_000))
    assert [len(undecided(one)) for one in (usual, more)] == [2, 0]
    assert usual.replications == usual.most < more.replications
    assert more.bench.runs - usual.bench.runs == 10_000 - more.spare > 0


def test_only_the_last_time_spends_spare_runs_and_no_more_than_there_are() -> None:
    assert settled(10_000, 10_000, 9_000, last=False).spare == 10_000
    few = settled(40, 10_000, 9_000)
    assert few.bench.runs <= settled(0, 10_000, 9_000).bench.runs + 40


def test_the_rival_that_is_cheapest_to_decide_comes_first() -> None:
    validation = settled(0, 10_000, 9_000, 8_000, 7_000)
    rivals = undecided(validation)
    assert len(rivals) == 2
    validation.spare = 1_000_000
    some, most = settling.cheapest(validation, rivals)
    assert {one.key for one in some} == {one.key for one in rivals}
    for spare in range(0, 100_000, 500):
        validation.spare = spare
        few, target = settling.cheapest(validation, rivals)
        if few:
            break
    assert few == some[:1] and target < most


class Targets(Noisy):
    """FQ-CoDel whose utilisation rises with the target and scatters by two points."""

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row:
        target = float(candidate.params["target"].split()[0])
        noise = random.Random(f"{target} {trial.seed}").gauss(0.0, 2.0)
        return {"sojourn_ms_p95": 10.0, "utilisation": 90.0 + 0.08 * target + noise}


def test_the_setting_nearest_the_defaults_is_compared_until_it_is_shown_to_be_worse() -> None:
    """A setting that nobody else uses has to be worth it: that the usual one is no better does not say by how much."""

    def fair(target: int) -> Candidate:
        return Candidate("", "fq_codel", {"target": f"{target} ms", "interval": "300 ms"}, "search")

    validation = Validation(Targets(), Budget(100, replications=4, fresh=4), 1, 0.2)
    best, usual = fair(30), fair(5)
    validation.run([best])
    validation.extend([best], validation.most, until=None)
    validation.candidates.append(usual)
    standings = []
    for count in range(2, 8):
        validation.extend([usual], count, until=None)
        assert validation.decide() is best
        standings.append(validation.standing_of(usual)[0])
        if standings[-1] == "no better":
            break
    assert standings[-1] == "no better"
    made = validation.made(usual)
    settling.settle(validation)
    assert validation.made(usual) == made, "only once the recommendation is settled"
    settling.settle(validation, last=True)
    assert validation.standing_of(usual)[0] == "worse" and made < validation.made(usual) <= validation.most
