"""The last block of a validation: a design that was lucky in the runs that chose it is not recommended."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from dropcurve.metrics import statistics
from dropcurve.runs.sweeping.rows import Row
from dropcurve.tuning import effort, of_link, proof, safer_scale, settling, validation_lines
from dropcurve.tuning.bench import Bench, PairedTrial, block
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.effort import Budget, Clock
from dropcurve.tuning.families import family
from dropcurve.tuning.outcome import SearchOutcome
from dropcurve.tuning.stages import Stages
from dropcurve.tuning.validation import APART, ENOUGH, PATIENT, Validation


class Lucky(Bench):
    """Tail drop at 10 Mbit/s whose delay is ``share`` longer under the seeds of the last block than under others."""

    def __init__(self, share: float, most: int = 1000) -> None:
        goal = "p95 delay < 15ms, max utilisation"
        super().__init__(  # type: ignore[arg-type]
            of_link(rate="10Mbit", rtt="20-40ms", flows="4-8", buffer="200pkts", goal=goal), None, None
        )
        self.share, self.scales, self.seen, self.most = share, [1.0], set[int](), most

    def run(self, pairs: Iterable[tuple[Candidate, PairedTrial]], *, until: float | None = None) -> bool:
        self.seen |= {trial.seed for _, trial in pairs}
        return until is None

    def has(self, candidate: Candidate, trial: PairedTrial) -> bool:
        return trial.index < self.most

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row:
        limit = float(candidate.params["limit"].split()[0])
        longer = 1.0 + self.share if trial.seed > proof.APART else 1.0
        return {"sojourn_ms_p95": longer * limit * 8.0 / 10e6 * 1e3, "utilisation": 90.0 + limit / 1e4}


def tail_drop(limit: int) -> Candidate:
    return Candidate("tail drop", "droptail", {"limit": f"{limit} B"}, "search")


def proven(bench: Bench, *limits: int, spare: int | None = None) -> tuple[Stages, Validation]:
    """The stage of the last block after the validation of tail drops, with ``spare`` runs."""
    budget = Budget(100, replications=4, fresh=6)
    stages = Stages(bench, budget, Clock(), 1, Path(), lambda *_: None, lambda _: None)
    validation = Validation(bench, budget, 1, 0.2)
    validation.run([tail_drop(limit) for limit in limits])
    first = block(bench.question.conditions(), 1)
    space = {"droptail": family("droptail", bench.question.sizing)}
    outcome = SearchOutcome([], first, [], [], first, [], space, {}, {}, {})
    with pytest.MonkeyPatch.context() as patch:
        if spare is not None:
            patch.setattr(effort, "spare", lambda _: spare)
        stages._prove(validation, outcome)
    return stages, validation


def test_a_design_that_holds_on_fresh_seeds_is_recommended_with_its_figures_there() -> None:
    stages, validation = proven(Lucky(0.0), 18_700, 15_000)
    assert stages.proof is not None and not stages.refused
    assert stages.proof.candidate.key == validation.decide().key == tail_drop(18_700).key
    (kept,) = stages.proof.kept
    assert (kept.held, kept.runs, stages.proof.runs) == (72, 72, 72)
    assert kept.worst == pytest.approx(14.96)
    assert stages.proof.objectives[0].mean == pytest.approx(91.87)


def test_a_design_that_missed_one_run_gets_those_in_which_one_may_miss() -> None:
    class Unlucky(Lucky):
        """The fifth run of every design is a tenth longer."""

        def row(self, candidate: Candidate, trial: PairedTrial) -> Row:
            base = super().row(candidate, trial)
            longer = 1.1 if trial.seed == APART + 6 else 1.0
            return {**base, "sojourn_ms_p95": longer * base["sojourn_ms_p95"]}

    validation = Validation(Unlucky(0.0), Budget(100, replications=3, fresh=4), 1, 0.2)
    near, far = tail_drop(18_000), tail_drop(19_000)
    validation.run([near, far])
    # One run in twelve is too many, one in twenty is not.
    assert validation.misses(near) and validation.clears(near)
    assert sum(map(len, validation.trials(near))) == 20
    # A design that misses every run gets none.
    assert not validation.clears(far) and sum(map(len, validation.trials(far))) == 12


def test_a_further_design_gets_no_more_runs_once_it_missed_more_than_all_of_them_allow() -> None:
    """Of 24 runs one may miss the bound: two misses in the first replication end it after the second, one does not."""

    class Unlucky(Lucky):
        """The delay of the first runs is a tenth longer."""

        unlucky = 0

        def row(self, candidate: Candidate, trial: PairedTrial) -> Row:
            base = super().row(candidate, trial)
            longer = 1.1 if APART < trial.seed <= APART + self.unlucky else 1.0
            return {**base, "sojourn_ms_p95": longer * base["sojourn_ms_p95"]}

    def made(unlucky: int) -> int:
        bench = Unlucky(0.0)
        bench.unlucky = unlucky
        validation = Validation(bench, Budget(100, replications=4, fresh=6), 1, 0.01)
        validation.run([tail_drop(15_000)])
        assert validation.add(tail_drop(18_500))
        assert validation.misses(tail_drop(18_500)) == (unlucky > 1)
        return validation.made(tail_drop(18_500))

    assert [made(unlucky) for unlucky in (0, 1, 2)] == [4, 4, 2]


def test_a_design_that_breaks_its_bound_on_fresh_seeds_gives_way_to_a_safer_one() -> None:
    stages, validation = proven(Lucky(0.1), 18_700)
    # 18 700 B are 14.96 ms and 16.46 ms on fresh seeds, 1.097 times the bound: 0.91 of it is tried next.
    assert stages.refused[0].candidate.params["limit"] == "18700 B"
    assert stages.proof is not None and stages.proof.holds
    best = validation_lines.lines(validation)[0]
    assert best.holds and best.candidate.key == stages.proof.candidate.key
    limit = float(best.candidate.params["limit"].split()[0])
    assert limit == pytest.approx(0.91 * 18_700, rel=0.01) and len(stages.refused) == 1
    refused = next(
        line for line in validation_lines.lines(validation) if line.candidate.params["limit"] == "18700 B"
    )
    assert not refused.holds and refused.standing == "infeasible" and refused.kept[0].held == 0


def test_designs_that_are_as_close_to_the_bound_as_a_refused_one_are_not_tried_after_it() -> None:
    """18 600 and 18 500 B have delays within 1 % of the refused 18 700 B, which was a tenth over the bound."""
    stages, validation = proven(Lucky(0.1), 18_700, 18_600, 18_500)
    assert [one.candidate.params["limit"] for one in stages.refused] == ["18700 B"]
    assert stages.proof is not None and stages.proof.holds
    assert validation_lines.lines(validation)[0].candidate.key == stages.proof.candidate.key
    near = [
        line
        for line in validation_lines.lines(validation)
        if line.candidate.params["limit"] in ("18600 B", "18500 B")
    ]
    assert len(near) == 2 and all(line.holds and line.standing == "infeasible" for line in near)


def test_enough_runs_of_its_own_speak_for_a_design_like_a_refused_one_until_several_were_refused() -> None:
    bench, limits = Lucky(0.1), range(18_000, 18_700, 100)

    def misses(replications: int, refused: int) -> bool:
        validation = Validation(bench, Budget(100, replications=replications, fresh=6), 1, 0.2)
        validation.run([tail_drop(limit) for limit in limits])
        for limit in sorted(limits)[-refused:]:
            block_of = proof.prove(bench, tail_drop(limit), 1, 0)
            assert block_of is not None and not block_of.holds
            validation.refuse(block_of)
        return validation.misses(tail_drop(18_000))

    # Of 24 runs none may break a bound that one of twenty breaks; of 48 runs one at least would.
    assert misses(4, 1)
    assert not misses(8, 1) and not misses(8, 3)
    assert misses(8, 4)


def test_a_design_like_a_refused_one_gets_the_few_runs_after_which_its_own_speak_for_it() -> None:
    """One of twenty runs without a miss is no chance after 45 (10 %): 42 lack three, 30 lack too many."""

    def spoken(replications: int, margin: float = 0.5) -> tuple[bool, int]:
        bench, budget = Lucky(0.1), Budget(100, replications=replications, fresh=6)
        validation = Validation(bench, budget, 1, margin)
        validation.run([tail_drop(limit) for limit in (15_000, 18_000, 18_700)])
        block_of = proof.prove(bench, tail_drop(18_700), 1, 0)
        assert block_of is not None and not block_of.holds
        validation.refuse(block_of)
        assert validation.misses(tail_drop(18_000)) and not validation.misses(tail_drop(18_000), own=True)
        safer_scale.speak(validation)
        return validation.misses(tail_drop(18_000)), validation.made(tail_drop(18_000)) * 6

    assert [safer_scale.speaking(missed) for missed in range(3)] == [45, 77, 105]
    assert spoken(7) == (False, 48) and spoken(5) == (True, 30)
    # It is 0.3 points ahead of the next one: by more than the margin it is worth all of them.
    assert spoken(5, 0.2) == (False, 48)


def test_a_design_that_settling_brought_near_the_runs_that_speak_for_it_gets_them() -> None:
    """18 000 B have 24 runs when 18 700 B are refused, too few; 42 once the rivals are settled."""
    near = tail_drop(18_000)

    def settle(validation: Validation) -> None:
        validation.extend([near], 7, until=None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settling, "settle", settle)
        stages, validation = proven(Lucky(0.1), 18_700, 18_000)
    assert stages.refused[0].candidate.key == tail_drop(18_700).key
    assert validation.made(near) * 6 == 48


def test_no_two_blocks_share_a_seed_with_each_other_or_with_the_validation() -> None:
    bench = Lucky(0.1)
    stages, _ = proven(bench, 18_700)
    assert len([seed for seed in bench.seen if seed > proof.APART]) == proof.RUNS * (len(stages.refused) + 1)


def test_there_is_no_outcome_without_the_time_for_it() -> None:
    outcome = proof.prove(Lucky(0.0, most=proof.FEWEST), tail_drop(15_000), 1, 0, until=0.0)
    assert outcome is not None and outcome.runs == outcome.kept[0].runs == proof.FEWEST
    assert proof.prove(Lucky(0.0, most=proof.FEWEST - 1), tail_drop(15_000), 1, 0, until=0.0) is None


def test_a_block_of_one_condition_has_as_many_seeds() -> None:
    question = of_link(rate="10Mbit", rtt="20ms", flows="4", buffer="200pkts")
    bench = Lucky(0.0)
    bench.question = question
    trials = proof.block(bench, 7, 12)
    assert [trial.seed for trial in trials] == list(range(7, 19)) and len(
        {one.condition for one in trials}
    ) == 1
    spread = proof.block(Lucky(0.0), 7, 12)
    flows = [dict(trial.condition)["flows"] for trial in spread]
    assert statistics.mean(flows) == pytest.approx(6.0, abs=0.5) and len(set(spread)) == 12


class Rare(Lucky):
    """The same whose delay is longer in the runs of these numbers of a block alone."""

    def __init__(self, *numbers: int) -> None:
        super().__init__(0.1)
        parts = proof.parts(self, 1 + proof.APART, proof.RUNS_BRIEF, 4)
        self.longer = {parts[number].seed for number in numbers}

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row:
        self.share = 0.1 if trial.seed in self.longer else 0.0
        return super().row(candidate, trial)


@pytest.mark.parametrize(
    ("numbers", "runs", "held", "sure"),
    [((), 36, 36, True), ((7,), 72, 71, True), ((7, 40), 144, 142, True), ((7, 8), 36, 34, False),
     ((1, 40, 50, 60), 72, 68, False), ((1, 40, 80, 81), 144, 140, False)],
)  # fmt: skip
def test_a_block_that_is_not_clear_is_doubled(
    numbers: tuple[int, ...], runs: int, held: int, sure: bool
) -> None:
    outcome = proof.prove(Rare(*numbers), tail_drop(18_700), 1, 0, runs=proof.RUNS_BRIEF)
    assert outcome is not None and outcome.runs == runs
    assert [(one.held, one.runs) for one in outcome.kept] == [(held, runs)]
    assert outcome.holds == (held >= 0.95 * runs) and outcome.sure == sure


def test_a_block_of_a_large_link_is_doubled_once() -> None:
    assert proof.full(proof.RUNS_LARGE) == 40
    outcome = proof.prove(Lucky(0.0), tail_drop(18_700), 1, 0, runs=proof.RUNS_LARGE)
    assert outcome is not None and outcome.runs == 20


class Edge(Lucky):
    """The same whose delay is longer in every ``period``-th run of a block."""

    def __init__(self, period: int) -> None:
        super().__init__(0.0)
        self.period = period

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row:
        self.share = 0.02 if trial.seed > proof.APART and trial.seed % self.period == 0 else 0.0
        return super().row(candidate, trial)


def test_the_more_runs_are_left_the_closer_to_the_edge_a_design_may_be() -> None:
    """One run in 33 is broken: 72 and 144 runs cannot tell that from one in twenty, 288 can."""
    few, many = (proof.prove(Edge(33), tail_drop(18_700), 1, 0, spare=spare) for spare in (0, 1000))
    assert few is not None and few.holds and not few.sure and few.runs == 2 * proof.RUNS
    assert many is not None and many.sure and many.runs == 4 * proof.RUNS
    assert many.missed > proof.SURE
    # As many runs that are broken twice as often prove nothing.
    broken = proof.prove(Edge(16), tail_drop(18_700), 1, 0, spare=1000)
    assert broken is not None and not broken.sure and broken.runs < many.runs


@pytest.mark.parametrize(("spare", "parts"), [(0, 2), (71, 2), (72, 3), (143, 3), (144, 4), (300, 4)])
def test_spare_runs_too_few_for_a_doubled_block_add_a_part_of_it(spare: int, parts: int) -> None:
    """One run in 36 is broken: 4 of 144 may be one in twenty (15 %), 6 of 216 are not (9 %)."""
    outcome = proof.prove(Edge(36), tail_drop(18_700), 1, 0, spare=spare)
    assert outcome is not None and outcome.runs == parts * proof.RUNS
    assert outcome.holds and outcome.missed > proof.SURE and outcome.sure == (parts > 2)


def test_a_costly_link_decides_about_a_design_near_the_bound_before_a_refusal() -> None:
    """Without runs to spare the design would be refused after 144 runs, and a safer one takes 72 more."""
    stages, validation = proven(Edge(36), 18_700, spare=0)
    assert not stages.refused and stages.proof is not None and stages.proof.runs == 3 * proof.RUNS
    assert validation.decide().params["limit"] == "18700 B"


def test_a_design_that_is_not_sure_to_hold_gives_way_to_a_safer_one() -> None:
    stages, validation = proven(Edge(22), 18_700)
    (refused,) = stages.refused
    assert refused.holds and not refused.sure and refused.runs == proof.LARGEST_SPARE * proof.RUNS
    assert stages.proof is not None and stages.proof.sure
    # The nearest safer scale, 0.98 of it, holds in all runs.
    assert validation.decide().params["limit"] == "18300 B"


def test_a_further_design_that_is_clearly_worse_gets_no_more_runs() -> None:
    bench = Lucky(0.0)
    budget = Budget(100, replications=4, fresh=6)
    validation = Validation(bench, budget, 1, 0.2)
    validation.run([tail_drop(18000)])
    worse, close = tail_drop(9000), tail_drop(17900)
    for one in (worse, close):
        assert validation.add(one)
    runs = {
        line.candidate.key: sum(kept.runs for kept in line.kept)
        for line in validation_lines.lines(validation)
    }
    assert runs[worse.key] == ENOUGH * budget.fresh
    assert runs[close.key] == budget.replications * budget.fresh


class Noisy(Lucky):
    """The utilisation of each design has its own luck in each run, of 1.5 points, and 14 000 B are 0.1 behind."""

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row:
        luck = random.Random(f"{candidate.key} {trial.seed}").gauss(0.0, 1.5)
        row = super().row(candidate, trial)
        return {**row, "utilisation": row["utilisation"] + luck}


def test_a_further_design_that_is_behind_and_not_better_by_the_margin_gets_no_more_runs() -> None:
    validation = Validation(Noisy(0.0), Budget(100, replications=30, fresh=6), 1, 0.2)
    validation.run([tail_drop(15_000)])
    assert validation.add(tail_drop(14_000))
    stands, pair = validation.standing_of(tail_drop(14_000))
    assert stands == "no better" and pair is not None and pair.mean > 0.0
    assert PATIENT <= validation.made(tail_drop(14_000)) < 25 < validation.made(tail_drop(15_000))


def test_a_further_design_gets_no_more_than_the_most_replications_at_first() -> None:
    """Ninety replications of each would take the time of the block that is to confirm the recommendation."""
    validation = Validation(Lucky(0.0), Budget(100, replications=4, fresh=6), 1, 0.2)
    validation.run([tail_drop(18_000)])
    validation._made[tail_drop(18_000).key] = 90
    assert validation.add(tail_drop(17_900))
    assert len(validation.trials(tail_drop(17_900))) == validation.most == 16


def test_a_block_that_has_little_hope_of_being_sure_ends_early() -> None:
    """Of 144 runs 6 are broken: 216 would be sure with no further one alone, 576 with 21 or fewer."""
    assert proof.hope(6, 144, 216) < proof.HOPE < proof.hope(6, 144, 576)
    assert proof.hope(7, 144, 216) == 0.0 and proof.hope(0, 36, 72) > 0.5
    spare = proof.RUNS
    few, more = (proof.prove(Edge(period), tail_drop(18_700), 1, 0, spare=spare) for period in (22, 33))
    assert few is not None and few.runs == 2 * proof.RUNS and few.holds and not few.sure
    assert more is not None and more.runs > 2 * proof.RUNS
