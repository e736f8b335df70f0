"""The edge of a bound on the delay on a bench whose delays are a formula."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from dropcurve.quantities import units
from dropcurve.runs.sweeping.rows import Row
from dropcurve.tuning import goal as goals
from dropcurve.tuning import of_link, spread
from dropcurve.tuning.adjust import UNUSED, Adjustment
from dropcurve.tuning.bench import Bench, PairedTrial
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.challengers import Challengers
from dropcurve.tuning.constraint import AIM, ALONE, Edge, direction, log_ratio, scaled
from dropcurve.tuning.delay_bounds import bound_s, delay_bounds
from dropcurve.tuning.evaluations import Evaluations
from dropcurve.tuning.families import family
from dropcurve.tuning.line_search import LineSearch
from dropcurve.tuning.solving import FamilySolver
from dropcurve.tuning.study import FamilyStudy

GOAL = "p95 delay < 20ms, max utilisation"
#: Delay at each of four conditions, as a share of the transmission time of the limit.
SHARES = (0.5, 1.1, 0.8, 0.9)


class Formula(Bench):
    """A bench of tail drop on 12 Mbit/s: the delay is a share of limit over rate by condition, with noise by seed."""

    def __init__(self, goal: str = GOAL, scatter: float = 0.0) -> None:
        question = of_link(rate="12Mbit", rtt="20ms", flows="4", buffer="200pkts", goal=goal)
        super().__init__(question, None, None)  # type: ignore[arg-type]
        self.scales = [1.0]
        self.spread = scatter

    def run(self, pairs: Iterable[tuple[Candidate, PairedTrial]], *, until: float | None = None) -> bool:
        fresh = {(one.key, (trial.index, trial.seed)) for one, trial in pairs} - self._asked
        self._asked |= fresh  # type: ignore[arg-type]
        self.runs += len(fresh)
        return True

    def has(self, candidate: Candidate, trial: PairedTrial) -> bool:
        return (candidate.key, (trial.index, trial.seed)) in self._asked

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row | None:
        limit_s = 8e-6 / 12 * 1500.0 * units.packets(str(candidate.params["limit"]), packet_bytes=1500)
        luck = np.random.default_rng([trial.index, trial.seed]).normal()
        delay = 1e3 * limit_s * SHARES[trial.index] * math.exp(self.spread * luck)
        return {"sojourn_ms_p95": float(delay), "utilisation": 100.0 * limit_s / (limit_s + 0.002)}


def _study(bench: Bench) -> FamilyStudy:
    return FamilyStudy(family("droptail", bench.question.sizing), bench.question.target, 1, 1)


def _trials(count: int = 4, seed: int = 1) -> list[PairedTrial]:
    condition = {"rate": 12e6, "rtt": 0.02, "flows": 4.0}
    return [PairedTrial.of(place, condition, seed) for place in range(count)]


def test_the_rule_of_thumb_is_the_share_of_bound_times_rate() -> None:
    bench = Formula()
    bound = bound_s(bench.question.goal, bench.question.sizing)
    assert bound == 0.02
    # 12 Mbit/s for 20 ms are 30 kB; PIE's target is a share of the time itself.
    assert scaled(_study(bench), bench.question.sizing, bound, 0.95) == {"limit": 28_500.0}
    pie = FamilyStudy(family("pie", bench.question.sizing), bench.question.target, 1, 1)
    assert scaled(pie, bench.question.sizing, bound, 0.45)["target"] == pytest.approx(0.009)
    assert delay_bounds(bench.question.goal) == bench.question.goal.constraints


def test_bounds_that_do_not_rise_with_the_queue_are_left_to_the_search() -> None:
    bench = Formula("loss < 1%, max utilisation")
    assert bound_s(bench.question.goal, bench.question.sizing) is None
    queue = Formula("mean queue < 20pkts, max utilisation")
    assert bound_s(queue.question.goal, queue.question.sizing) == pytest.approx(0.02)
    # 20 packets at 500 packets/s; the tightest of two bounds; one of nothing bounds nothing.
    sizing = replace(queue.question.sizing, capacity=500.0)
    assert bound_s(queue.question.goal, sizing) == pytest.approx(0.04)
    both = goals.parse("mean queue < 20pkts, p95 delay < 30ms, max utilisation")
    assert bound_s(both, sizing) == pytest.approx(0.03)
    nothing = replace(both, constraints=(replace(both.constraints[0], bound=0.0), both.constraints[1]))
    assert bound_s(nothing, sizing) == pytest.approx(0.03)


def test_the_edge_is_found_at_the_worst_condition_in_few_runs() -> None:
    bench = Formula()
    solution = Edge(bench, _study(bench), _trials()).solve({"limit": 3000.0})
    assert solution is not None
    # The second condition binds: 1.1 * limit * 8 / 12 Mbit/s = 20 ms at 27.3 kB.
    edge = 0.02 * 12e6 / 8 / 1.1
    assert edge * (1 - 3 * AIM) <= solution[1]["limit"] <= edge
    assert bench.runs <= 20


class Rough(Formula):
    """A bench whose delay scatters with the limit too, as that of a few flows does."""

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row | None:
        base = super().row(candidate, trial)
        number = [trial.index, trial.seed, round(float(candidate.params["limit"].split()[0]))]
        luck = float(np.random.default_rng(number).normal())
        return base and {**base, "sojourn_ms_p95": base["sojourn_ms_p95"] * math.exp(0.06 * luck)}


def test_a_coarse_edge_takes_fewer_runs_and_holds_the_bound() -> None:
    runs = {True: 0, False: 0}
    for seed in range(1, 13):
        for coarse in runs:
            bench = Rough()
            solution = Edge(bench, _study(bench), _trials(2, seed), coarse=coarse).solve({"limit": 3000.0})
            runs[coarse] += bench.runs
            assert solution is not None
            delays = [log_ratio(bench, solution[0], trial) for trial in _trials(2, seed)]
            assert max(delays) <= 0.0
            assert solution[1]["limit"] > 0.6 * 0.02 * 12e6 / 8 / 1.1
    assert runs[True] < 0.85 * runs[False]


def test_a_bound_that_no_limit_keeps_or_breaks() -> None:
    impossible = Formula("p95 delay < 1ms, max utilisation")
    assert Edge(impossible, _study(impossible), _trials()).solve({"limit": 3000.0}) is None
    harmless = Formula("p95 delay < 10s, max utilisation")
    solution = Edge(harmless, _study(harmless), _trials()).solve({"limit": 3000.0})
    assert solution is not None and solution[1]["limit"] == 300_000.0


def test_the_margin_follows_the_scatter_between_seeds() -> None:
    """With one condition the mean must lie 1.645 standard deviations below the bound."""
    limits = {}
    for scatter in (0.0, 0.1):
        bench = Formula(scatter=scatter)
        trials = [trial for seed in range(1, 7) for trial in _trials(1, seed)]
        solution = Edge(bench, _study(bench), trials).solve({"limit": 10_000.0})
        assert solution is not None
        limits[scatter] = solution[1]["limit"]
    assert math.log(limits[0.0] / limits[0.1]) > 0.3 * ALONE * 0.1


def test_finalists_move_to_the_edge_of_fresh_conditions() -> None:
    """One that breaks the bound there comes down; one that leaves a third of the budget goes up."""
    bench = Formula()
    study = _study(bench)
    trials = _trials(seed=9)
    for limit in (40_000.0, 15_000.0):
        start = study.candidate({"limit": limit})
        assert start is not None
        study.coordinates[start.key] = {"limit": limit}
        (moved,) = Adjustment(bench, {"droptail": study}, trials, 1.0).go([start])
        worst = max(row["sojourn_ms_p95"] for trial in trials if (row := bench.row(moved, trial)) is not None)
        assert math.exp(UNUSED) * 20.0 <= worst <= 20.0


class Busy(Formula):
    """The same link, busy all the time from a limit of 12 kB on."""

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row | None:
        base = super().row(candidate, trial)
        assert base is not None
        return {**base, "utilisation": min(100.0, 1.25 * base["utilisation"])}


def test_a_finalist_without_room_for_a_gain_takes_no_further_runs() -> None:
    """At 100 % of the link no other scale is better; one that breaks the bound still comes down."""
    for limit, designs in ((15_000.0, 1), (40_000.0, 2)):
        bench = Busy()
        study = _study(bench)
        start = study.candidate({"limit": limit})
        assert start is not None
        study.coordinates[start.key] = {"limit": limit}
        trials = _trials(seed=9)
        (adjusted,) = Adjustment(bench, {"droptail": study}, trials, 1.0).go([start])
        assert bench.missed(adjusted, trials) == 0 and bench.runs == designs * len(trials)
        assert (adjusted is start) == (designs == 1)


@pytest.mark.parametrize(
    ("goal", "where"),
    [
        ("p95 delay < 20ms, max utilisation", 1),
        ("p95 delay < 20ms, loss < 5%, max goodput", 1),
        ("p99 delay < 20ms, min loss", 1),
        ("min mean delay, utilisation > 95%", -1),
        ("min p99 one-way delay, loss < 1%", -1),
        ("p95 delay < 20ms, min jitter", 0),
        ("max utilisation - 0.5 * p95 delay", 0),
        ("p95 delay < 20ms, max goodput of short", 0),
        ("max utilisation, min p95 delay", 0),
    ],
)
def test_where_the_best_scale_lies_follows_from_the_goal(goal: str, where: int) -> None:
    assert direction(goals.parse(goal)) == where


def test_the_least_delay_that_keeps_a_share_is_at_the_other_edge() -> None:
    """Utilisation is limit / (limit + 2 ms): 95 % at 38 ms, 57 kB."""
    bench = Formula("min p95 delay, utilisation > 95%")
    solution = Edge(bench, _study(bench), _trials()).solve({"limit": 3000.0})
    assert solution is not None
    assert 57_000.0 <= solution[1]["limit"] <= 57_000.0 * (1 + 3 * AIM)
    assert bench.runs <= 24


def test_a_line_search_finds_the_best_of_a_sum_from_anywhere() -> None:
    """100 L / (L + 2) - 0.5 * mean share * L ms is greatest at L = sqrt(200 / 0.4125) - 2 = 20 ms, 30 kB."""
    bench = Formula("max utilisation - 0.5 * p95 delay")
    for start in (4000.0, 250_000.0):
        solution = LineSearch(bench, _study(bench), _trials(), _trials()[:2]).solve({"limit": start})
        assert solution is not None and solution[1]["limit"] == pytest.approx(30_000.0, rel=0.06)
    narrow = LineSearch(bench, _study(bench), _trials(), _trials()[:2])
    assert narrow.solve({"limit": 27_000.0}, wide=False) is not None and len(narrow.seen) <= 8


def test_a_finalist_without_an_edge_climbs_to_the_best_scale_of_fresh_conditions() -> None:
    bench = Formula("max utilisation - 0.5 * p95 delay")
    study = _study(bench)
    start = study.candidate({"limit": 22_000.0})
    assert start is not None
    study.coordinates[start.key] = {"limit": 22_000.0}
    (moved,) = Adjustment(bench, {"droptail": study}, _trials(seed=9), 1.0).go([start])
    assert units.packets(str(moved.params["limit"]), packet_bytes=1) == pytest.approx(30_000.0, rel=0.12)


def test_a_challenger_must_hold_and_win_half_the_margin() -> None:
    bench = Formula()
    study = _study(bench)
    best, ahead, alike, breaks = (
        study.candidate({"limit": at}) for at in (20_000.0, 26_000.0, 20_100.0, 40_000.0)
    )
    assert best and ahead and alike and breaks
    fresh = [trial for seed in (9, 10, 11) for trial in _trials(seed=seed)]
    challengers = Challengers(bench, fresh, _trials(), 1, 0.2)
    assert challengers.better(best, [alike, breaks, ahead]) == [ahead]
    assert challengers.near(best, study.family, {"limit": 20_000.0})[0].params["limit"] == "23600 B"


class Uneven(Formula):
    """The utilisation is ``loss`` points lower than that of the formula for all but 20 000 B, and 1.5 more or less."""

    def __init__(self, loss: float) -> None:
        super().__init__()
        self.loss = loss

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row | None:
        base = super().row(candidate, trial)
        if base is None or candidate.params["limit"] == "20000 B":
            return base
        luck = 1.5 if trial.index % 2 else -1.5
        return {**base, "utilisation": base["utilisation"] - self.loss + luck}


@pytest.mark.parametrize(("loss", "errors", "there"), [(0.3, 0.0, 0), (0.3, 1.0, 1), (1.0, 1.0, 0)])
def test_a_further_discipline_may_be_behind_by_the_error_of_the_trials(
    loss: float, errors: float, there: int
) -> None:
    """Twelve differences of 1.5 points to either side have a standard error of 0.45."""
    bench = Uneven(loss)
    study = _study(bench)
    best, other = study.candidate({"limit": 20_000.0}), study.candidate({"limit": 20_100.0})
    assert best and other
    fresh = [trial for seed in (9, 10, 11) for trial in _trials(seed=seed)]
    challengers = Challengers(bench, fresh, _trials(), 1, 0.2)
    assert len(challengers.better(best, [other], errors=errors)) == there


def test_the_best_edges_hold_the_bound_and_were_run_in_half_of_the_trials() -> None:
    bench = Formula()
    study, trials = _study(bench), _trials()
    evaluations = Evaluations(bench, bench.question.target, trials, len(trials), {"droptail": study})
    solving = FamilySolver(bench, evaluations, trials, math.inf)
    low, high, over, unseen = (
        study.candidate({"limit": at}) for at in (20_000.0, 26_000.0, 40_000.0, 21_000.0)
    )
    assert low and high and over and unseen
    solving.edges["droptail"] = {one.key: one for one in (over, low, unseen, high)}
    bench.run((one, trial) for one in (low, high, over) for trial in trials[: len(trials) // 2])
    assert solving.best_edges("droptail", 4) == [high, low, over]
    assert solving.best_edges("droptail", 1) == [high]
    assert solving.best_edges("pie", 4) == []


def test_a_run_without_a_value_and_each_constraint_by_itself_count_as_missed() -> None:
    bench = Formula("p95 delay < 20ms, utilisation > 90%, max utilisation")
    low, high = (_study(bench).candidate({"limit": at}) for at in (24_000.0, 27_600.0))
    assert low and high
    bench.run((one, trial) for one in (low, high) for trial in _trials())
    # 16 of 18 ms are 88.9 %; 18.4 of 20.4 ms are 90.2 %, and the second condition has 1.1 times 18.4 ms.
    assert bench.missed(low, _trials()) == 1.0
    assert bench.missed(high, _trials()) == 0.25
    nothing = Formula("fairness > 0.5, max utilisation")
    assert nothing.missed(low, _trials()) == 1.0


def test_points_are_spread_evenly_and_strata_are_filled_once() -> None:
    for dimensions in (1, 2, 5):
        even = spread.even(dimensions, 64, seed=3)
        assert even.shape == (64, dimensions) and even.min() >= 0.0 and even.max() < 1.0
        # Every quarter of every axis has its share of the points.
        for axis in even.T:
            assert np.abs(np.histogram(axis, 4, (0.0, 1.0))[0] - 16).max() <= 3
        cells = np.sort((spread.stratified(dimensions, 7, seed=3) * 7).astype(int), axis=0)
        assert (cells == np.arange(7)[:, None]).all()
    assert (spread.even(2, 8, seed=1) == spread.even(2, 8, seed=1)).all()
    for dimensions in (1, 2, 5, len(spread.SHIFT), len(spread.SHIFT) + 1):
        fixed, even = np.array(spread.fixed(dimensions, 40)), spread.even(dimensions, 40, seed=0)
        assert fixed.shape == even.shape and np.abs(fixed - even).max() < 1e-13


def test_a_line_search_stops_where_more_delay_buys_less_than_the_margin() -> None:
    """Utilisation rises with the limit up to the end of the axis, less and less for more and more delay."""
    bench = Formula("max utilisation")
    solution = LineSearch(bench, _study(bench), _trials(), _trials()[:2]).solve({"limit": 20_000.0})
    assert solution is not None
    most = bench.row(bench_candidate(bench, 300_000.0), _trials()[0])
    mine = bench.row(solution[0], _trials()[0])
    assert most is not None and mine is not None
    assert most["utilisation"] - mine["utilisation"] < 0.2
    assert mine["sojourn_ms_p95"] < 0.95 * most["sojourn_ms_p95"]


def bench_candidate(bench: Bench, limit: float) -> Candidate:
    """Tail drop of a limit in bytes."""
    candidate = _study(bench).candidate({"limit": limit})
    assert candidate is not None
    return candidate


class Interval(Formula):
    """CoDel on the same link: the delay follows its target, utilisation is greatest at an interval of 200 ms."""

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row | None:
        target_s, interval_s = (units.span(str(candidate.params[name])) for name in ("target", "interval"))
        lost = 10.0 * abs(math.log(interval_s / 0.2)) + 1.0 / (1e3 * target_s)
        return {"sojourn_ms_p95": 3e3 * target_s * SHARES[trial.index], "utilisation": 100.0 - lost}


def test_a_challenger_along_the_edge_has_another_parameter_at_a_given_factor() -> None:
    """From 100 ms the interval has to double; a factor to the other side has no design that is better."""
    bench = Interval()
    space = family("codel", bench.question.sizing)
    at = {"target": 0.006, "interval": 0.1}
    best = FamilyStudy(space, bench.question.target, 1, 1).candidate(at)
    assert best is not None
    challengers = Challengers(bench, _trials(seed=9), _trials(), 1, 0.2)
    assert list(challengers.along(best, space, at, math.inf, (0.7,))) == []
    (challenger,) = challengers.along(best, space, at, math.inf, (2.0,))
    assert units.span(str(challenger.params["interval"])) == pytest.approx(0.2)
    assert bench.missed(challenger, _trials(seed=9)) == 0
    next_to = {
        one: Challengers(bench, _trials(seed=9), _trials(), 1, 0.2, coarse=one) for one in (True, False)
    }
    moved = {
        one: [challenger.params["interval"] for challenger in next_to[one].near(best, space, at)]
        for one in next_to
    }
    assert moved == {True: ["140 ms"], False: []}
