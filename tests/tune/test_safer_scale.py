"""The nearest safer scale of a design that misses its bound: close steps, then wide ones whose gap is halved."""

from __future__ import annotations

from pathlib import Path

import pytest

from dropcurve.runs.sweeping.rows import Row
from dropcurve.tuning import proof, safer_scale, unsettled, validation_lines
from dropcurve.tuning.bench import PairedTrial, block
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.challengers import Challengers
from dropcurve.tuning.effort import Budget, Clock
from dropcurve.tuning.families import family
from dropcurve.tuning.findings import Findings
from dropcurve.tuning.outcome import SearchOutcome
from dropcurve.tuning.robustness import ScaledParameter, Sensitivity
from dropcurve.tuning.stages import Stages
from dropcurve.tuning.text import text
from dropcurve.tuning.validation import APART, Validation

from .test_proof import Lucky, tail_drop


class Scattered(Lucky):
    """The delay of every fourth run is ``factor`` times that of the others."""

    def __init__(self, factor: float) -> None:
        super().__init__(0.0)
        self.factor = factor

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row:
        self.share = self.factor - 1.0 if trial.seed % 4 == 0 else 0.0
        base = super().row(candidate, trial)
        longer = 1.0 + self.share
        return {
            **base,
            "sojourn_ms_p95": longer * float(candidate.params["limit"].split()[0]) * 8.0 / 10e6 * 1e3,
        }


class Inelastic(Scattered):
    """The delay rises as the third root of the limit, and comes to 15 ms at 18 700 B."""

    def __init__(self) -> None:
        super().__init__(1.1)

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row:
        row = super().row(candidate, trial)
        limit = float(candidate.params["limit"].split()[0])
        return {**row, "sojourn_ms_p95": row["sojourn_ms_p95"] * (18_700.0 / limit) ** (2 / 3)}


def retreated(bench: Lucky, *limits: int, margin: float = 0.01) -> Validation:
    """Tail drops that are validated, and then the nearest safer scales of those that are ahead."""
    validation = Validation(bench, Budget(100, replications=4, fresh=6), 1, margin)
    validation.run([tail_drop(limit) for limit in limits])
    first = block(bench.question.conditions(), 1)
    space = {"droptail": family("droptail", bench.question.sizing)}
    outcome = SearchOutcome([], first, [], [], first, [], space, {}, {}, {})
    safer_scale.take(validation, outcome, Challengers(bench, first, first, 1, margin))
    return validation


@pytest.mark.parametrize(("factor", "share"), [(1.05, 0.947), (1.2, 0.821), (2.0, 0.485)])
def test_the_nearest_scale_that_holds_is_found_however_far_it_is(factor: float, share: float) -> None:
    """18 700 B are 14.96 ms, and in some runs ``factor`` times as long; 4 000 B hold and use a fifth of the bound."""
    validation = retreated(Scattered(factor), 18_700, 4_000)
    best = validation.decide()
    assert not validation.misses(best)
    assert float(best.params["limit"].split()[0]) == pytest.approx(share * 18_700, rel=0.015)


def test_a_gap_is_halved_only_if_its_middle_would_be_better_by_more_than_the_margin() -> None:
    """A scale of 0.74 misses the bound and 0.6 holds it: their middle is 0.12 points better than that, as 1000 B are
    0.1 points of utilisation."""
    fine, coarse = (
        [
            one.params["limit"]
            for one in retreated(Scattered(1.5), 18_700, 4_000, margin=margin).candidates[2:]
        ]
        for margin in (0.01, 0.2)
    )
    assert coarse == ["13800 B", "11200 B"]
    assert fine[:2] == coarse and fine[2] == "12500 B" and len(fine) == 2 + safer_scale.HALVINGS


def test_steps_are_as_long_as_the_excess_and_the_elasticity_of_the_delay_ask_for() -> None:
    """Every fourth run is a tenth over the bound: 0.753 of the scale holds it, and no step of 2 % is tried."""
    validation = retreated(Inelastic(), 18_700, 2_000)
    tried = [float(one.params["limit"].split()[0]) / 18_700 for one in validation.candidates[2:]]
    assert not validation.misses(validation.decide())
    assert float(validation.decide().params["limit"].split()[0]) == pytest.approx(0.74 * 18_700, rel=0.03)
    assert max(tried) < 0.92 and len(tried) <= 5


class Slow(Lucky):
    """The delay rises as the third root of the limit to 14.9 ms at 18 700 B, and is a twentieth longer on fresh seeds,
    and in ``missed`` runs of the validation."""

    def __init__(self, missed: int) -> None:
        super().__init__(0.05)
        self.unlucky = missed

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row:
        row = super().row(candidate, trial)
        limit = float(candidate.params["limit"].split()[0])
        longer = 1.05 if APART <= trial.seed - 1 < APART + self.unlucky else 1.0
        delay = longer * row["sojourn_ms_p95"] * (18_700.0 / limit) ** (2 / 3)
        return {**row, "sojourn_ms_p95": 0.996 * delay}


@pytest.mark.parametrize(("replications", "missed", "runs"), [(7, 0, 48), (12, 1, 78)])
def test_a_safer_scale_gets_the_few_runs_that_speak_for_it_before_the_next_one_is_tried(
    replications: int, missed: int, runs: int
) -> None:
    """0.91 of the scale is less than the excess below the refused design. Of 45 runs none may break the bound, of 77
    one."""
    bench = Slow(missed)
    validation = Validation(bench, Budget(100, replications=replications, fresh=6), 1, 0.01)
    validation.run([tail_drop(18_700)])
    refused = proof.prove(bench, tail_drop(18_700), 1, 0)
    assert refused is not None and not refused.holds
    validation.refuse(refused)
    first = block(bench.question.conditions(), 1)
    space = {"droptail": family("droptail", bench.question.sizing)}
    outcome = SearchOutcome([], first, [], [], first, [], space, {}, {}, {})
    safer_scale.step_back(refused, validation, outcome, Challengers(bench, first, first, 1, 0.01))
    tried = [float(one.params["limit"].split()[0]) / 18_700 for one in validation.candidates[1:]]
    assert tried[0] == pytest.approx(0.91, abs=0.005) and min(tried) == tried[0]
    assert validation.made(validation.candidates[1]) * 6 == runs
    assert not validation.misses(validation.candidates[1])


def test_no_step_is_taken_below_a_recommendation_that_holds_and_is_better() -> None:
    validation = retreated(Scattered(3.0), 18_700, 10_000)
    tried = [float(one.params["limit"].split()[0]) for one in validation.candidates]
    # The wide step of 0.45 is the first below 10 000 B, which misses its bound, too: 6 300 B would hold.
    assert validation.misses(tail_drop(10_000)) and not validation.misses(validation.decide())
    validation = retreated(Scattered(1.2), 18_700, 15_500)
    tried = [float(one.params["limit"].split()[0]) for one in validation.candidates]
    # A setting that is known to hold ends the steps; only the gap above it is halved.
    assert validation.decide().params["limit"] == "15600 B"
    assert min(tried) == 15_500


def test_scales_above_one_that_is_known_to_miss_are_not_tried_again() -> None:
    alone = retreated(Scattered(1.2), 18_700, 4_000)
    both = retreated(Scattered(1.2), 18_700, 18_400, 18_100, 4_000)
    limits = [float(one.decide().params["limit"].split()[0]) for one in (alone, both)]
    assert limits[0] <= limits[1] <= 15_600
    assert len(both.candidates) <= len(alone.candidates) + 4


def test_the_sensitivity_of_a_design_that_a_safer_scale_replaced_late_is_kept_with_its_name() -> None:
    bench, budget, clock = Lucky(0.0), Budget(100, replications=4, fresh=6), Clock(60.0)
    stages = Stages(bench, budget, clock, 1, Path(), lambda *_: None, lambda _: None)
    before, best = tail_drop(18_700), tail_drop(18_300)
    validation = Validation(bench, budget, 1, 0.2)
    validation.run([best])
    first = block(bench.question.conditions(), 1)
    space = {"droptail": family("droptail", bench.question.sizing)}
    outcome = SearchOutcome([], first, [], [], first, [], space, {}, {}, {})
    row = [ScaledParameter(factor, "", (90.0,), {}, True, before) for factor in (0.5, 1.0, 2.0)]
    stages.moved = [Sensitivity("limit", tuple(row))]
    # Under a time limit this bench makes no run.
    stages._surroundings(before, validation, outcome, 1.0)
    assert stages.moved[0].design is before

    def left_out(moved: list[Sensitivity]) -> str:
        return unsettled.cut(clock, bench, outcome, best, moved, [], rivals=1, missing=0, hopeless=False)

    assert "sensitivity" not in left_out(stages.moved) and "sensitivity and drift left out" in left_out([])
    answer = Findings(
        bench.question, 1, tuple(validation_lines.lines(validation)), (), (), tuple(stages.moved), (), "", (), 10, 10,
        "0", "tune", replications=4, fresh_conditions=6,
    )  # fmt: skip
    shown = " ".join(text(answer).split())
    assert "If a parameter is off, of tail drop with limit 18700 B, which was recommended before:" in shown
    # Another discipline says nothing about this one.
    other = Candidate("pie", "pie", {"target": "3 ms"}, "search")
    stages.moved = [Sensitivity("target", (ScaledParameter(1.0, "", (90.0,), {}, True, other),))]
    stages._surroundings(before, validation, outcome, 1.0)
    assert stages.moved == []
