"""An unused part of the bound on the delay: the same discipline is run with more delay before an answer says why."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from dropcurve.runs.sweeping.rows import Row
from dropcurve.tuning import challengers, delay_budget, validation_lines
from dropcurve.tuning.bench import PairedTrial, block
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.challengers import further_kinds
from dropcurve.tuning.effort import Budget, Clock
from dropcurve.tuning.families import family
from dropcurve.tuning.outcome import SearchOutcome
from dropcurve.tuning.stages import Stages
from dropcurve.tuning.validation import Validation
from tests.tune.test_proof import Lucky, tail_drop


class Curved(Lucky):
    """Tail drop whose utilisation rises with its limit up to ``best`` bytes, by a point for each 1000 bytes."""

    def __init__(self, best: int) -> None:
        super().__init__(0.0)
        self.best = best

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row:
        limit = float(candidate.params["limit"].split()[0])
        return {
            **super().row(candidate, trial), "utilisation": 80.0 + min(limit, self.best) / 1e3,
        }  # fmt: skip


def spent(bench: Lucky, *limits: int) -> Validation:
    """The validation of tail drops after the stage."""
    validation = Validation(bench, Budget(100, replications=4, fresh=6), 1, 0.2)
    validation.run([tail_drop(limit) for limit in limits])
    space = {"droptail": family("droptail", bench.question.sizing)}
    first = block(bench.question.conditions(), 1)
    delay_budget.spend(validation, SearchOutcome([], first, [], [], first, [], space, {}, {}, {}), 1)
    return validation


# 15 ms at 10 Mbit/s are 18750 bytes.
@pytest.mark.parametrize(
    ("best", "limits", "limit", "designs"),
    [
        pytest.param(20_000, (10_000,), "18200 B", 2, id="more delay is better: the budget is used"),
        pytest.param(10_000, (10_000,), "10000 B", 2, id="more delay is no better: it was tried"),
        pytest.param(10_000, (10_000, 14_000), "10000 B", 2, id="more delay was tried before"),
        pytest.param(10_000, (10_000, 90_000), "10000 B", 3, id="far over the bound is not more delay"),
        pytest.param(20_000, (17_500,), "17500 B", 1, id="the budget is used already"),
    ],
)
def test_the_same_discipline_is_run_with_more_delay(
    best: int, limits: tuple[int, ...], limit: str, designs: int
) -> None:
    validation = spent(Curved(best), *limits)
    assert validation.decide().params["limit"] == limit
    assert len(validation_lines.lines(validation)) == designs


class Timed(Curved):
    """The same where each run takes a second of the clock that this is."""

    def __init__(self, best: int) -> None:
        super().__init__(best)
        self.time_s, self.finished = 0.0, set[tuple[str, int]]()

    def now(self) -> float:
        return self.time_s

    def slowdown(self) -> float:
        return 1.0

    def run(self, pairs: Iterable[tuple[Candidate, PairedTrial]], *, until: float | None = None) -> bool:
        for one, trial in pairs:
            if (one.key, trial.seed) not in self.finished:
                if until is not None and self.time_s >= until:
                    return False
                self.time_s += 1.0
                self.finished.add((one.key, trial.seed))
        return True


def test_more_delay_is_tried_before_replications_take_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stages, "_use_time", lambda *_: None)
    monkeypatch.setattr(Stages, "_surroundings", lambda _, before, *__: before)
    bench, budget = Timed(20_000), Budget(100, replications=4, fresh=6)
    clock = Clock(1000.0, page=False, source=bench)
    stages = Stages(bench, budget, clock, 1, Path(), lambda *_: None, lambda _: None)
    validation = Validation(bench, budget, 1, 0.2)
    validation.run([tail_drop(10_000)])
    space = {"droptail": family("droptail", bench.question.sizing)}
    first = block(bench.question.conditions(), 1)
    best = validation.decide()
    stages._decide(best, validation, SearchOutcome([], first, [], [], first, [], space, {}, {}, {}))
    assert bench.time_s > 700.0, "the time is used"
    assert validation.decide().params["limit"] == "18200 B"
    assert not validation.left_out


def test_a_design_without_time_to_be_validated_is_among_those_not_compared() -> None:
    bench = Lucky(0.0)
    validation = Validation(bench, Budget(100, replications=4, fresh=6), 1, 0.2)
    validation.run([tail_drop(18_000)])
    validation.until = 0.0
    assert not validation.add(tail_drop(18_500))
    assert [one.name for one in validation.left_out] == ["tail drop with limit 18500 B"]


def test_further_disciplines_akin_to_the_best_ones_come_first() -> None:
    question = Lucky(0.0).question
    some = further_kinds(question, {"red": -98.7, "fq_codel": -97.5, "pie": -97.1, "codel": -94.0})
    assert some == ["ared", "choke", "nlred", "fq_pie", "pi", "cobalt"]
    assert further_kinds(question, {"codel": -94.0})[0] == "cobalt"
    assert further_kinds(question, {"droptail": -99.0, "codel": -98.0, "red": -95.0})[0] == "choke"
    assert set(challengers.AKIN) == set(challengers.FURTHER)


def test_a_named_discipline_is_recommended_however_short_the_time(tmp_path: Path) -> None:
    from dropcurve import tune

    answer = tune(
        rate="4Mbit", rtt="20ms", flows="2", buffer="60pkts", goal="p95 delay < 60ms, max utilisation",
        candidates=("pie",), box="linux", seconds=0.01, out=tmp_path / "tune", jobs=1, cache="off",
    )  # fmt: skip
    assert answer.best.kind == "pie"
    front = tune(
        rate="4Mbit", rtt="20ms", flows="2", buffer="60pkts", goal="min p95 delay, max utilisation",
        candidates=("pie",), seconds=0.01, out=tmp_path / "front", jobs=1, cache="off",
    )  # fmt: skip
    assert {line.candidate.kind for line in front.lines[: front.front]} == {"pie"}
