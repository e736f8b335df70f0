"""The search on functions with a known maximum, and its proposals."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from dropcurve.quantities import units
from dropcurve.runs.sweeping.rows import Row
from dropcurve.tuning import gaussian_process, of_link
from dropcurve.tuning.bench import Bench, PairedTrial
from dropcurve.tuning.candidates import Candidate, Target
from dropcurve.tuning.effort import Budget
from dropcurve.tuning.families import family
from dropcurve.tuning.initial_designs import is_default
from dropcurve.tuning.search import Search
from dropcurve.tuning.search_space import Sizing
from dropcurve.tuning.study import STEP, FamilyStudy

GOAL = "p95 delay < 25ms, max utilisation"
#: Share of its range at which each parameter of RED is best, and the cost of being a whole range off: utilisation
#: (points) and delay (ms). Screening finds the parameters that break the bound; the memory decides between feasible
#: settings.
BEST = {"min_th": 0.4, "ratio": 0.5, "max_p": 0.3, "memory_s": 0.05}
UTILISATION = {"min_th": 2.0, "ratio": 1.0, "max_p": 1.0, "memory_s": 8.0}
DELAY_MS = {"min_th": 90.0, "ratio": 15.0, "max_p": -25.0, "memory_s": 1.0}


class Hills(Bench):
    """A bench whose runs follow from a formula: a smooth hill, a bound next to its top, and noise by seed."""

    def __init__(self) -> None:
        question = of_link(
            rate="5Mbit", rtt="24ms", flows="6", buffer="80pkts", goal=GOAL, candidates=["red"]
        )
        super().__init__(question, None, None)  # type: ignore[arg-type]
        self.family = family("red", question.sizing)

    def run(self, pairs: Iterable[tuple[Candidate, PairedTrial]], *, until: float | None = None) -> bool:
        fresh = {(one.key, trial.seed) for one, trial in pairs} - self._asked
        self._asked |= fresh
        self.runs += len(fresh)
        return True

    def has(self, candidate: Candidate, trial: PairedTrial) -> bool:
        return (candidate.key, trial.seed) in self._asked

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row | None:
        coordinates = self.family.coordinates_of(candidate.params) if candidate.kind == "red" else None
        if coordinates is None:
            return {"utilisation": 99.0, "sojourn_ms_p95": 60.0}
        off = {name: axis.share(coordinates[name]) - BEST[name] for name, axis in self.family.axes.items()}
        luck = np.random.default_rng([trial.seed, 7]).normal(size=6)
        delay = 24.0 + 0.3 * luck[0] + sum(DELAY_MS[name] * off[name] for name in off)
        delay += 2.0 * sum(one * by for one, by in zip(luck[2:], off.values(), strict=True))
        used = 99.0 + 0.1 * luck[1] - sum(UTILISATION[name] * abs(off[name]) for name in off)
        return {"utilisation": used, "sojourn_ms_p95": float(delay)}

    def expected(self, candidate: Candidate) -> float:
        """The loss over many seeds, none of them of a search."""
        fresh = [PairedTrial.of(0, {}, 900_000 + number) for number in range(50)]
        return float(np.mean([self.loss(candidate, trial) for trial in fresh]))


def test_the_search_finds_the_top_of_a_hill_beside_a_bound() -> None:
    """With 150 runs of four parameters. The maximum is 99 %, and a tenth less at a safe distance from the bound."""
    for seed in (1, 2, 3):
        bench = Hills()
        outcome = Search(bench, seed, Budget(150)).go()
        assert bench.runs <= 150
        assert bench.expected(outcome.finalists[0]) < -97.5


class Scattered(Hills):
    """Every design has its own luck in each trial: three points of utilisation, one standard deviation."""

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row | None:
        row = super().row(candidate, trial) or {}
        luck = np.random.default_rng([trial.seed, zlib.crc32(candidate.key.encode())]).normal()
        return {**row, "utilisation": row["utilisation"] + 3.0 * luck}


def test_no_round_looks_for_less_than_the_validation_can_find() -> None:
    gains = []
    for bench in (Hills(), Scattered()):
        search = Search(bench, 1, Budget(120))
        search.go()
        gains.append(search.evaluations.least_gain)
    # A quarter of the margin of 0.2; or of the half-width of a difference over 24 runs.
    assert gains[0] == pytest.approx(0.05)
    assert gains[1] == pytest.approx(0.25 * 1.96 * 3.0 * (2.0 / 24.0) ** 0.5, rel=0.4)


def test_the_search_does_not_hang_on_last_bits_of_linear_algebra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processors round sums of products differently: the same seed shall give the same answer on all of them."""

    def went() -> list[str]:
        bench = Hills()
        outcome = Search(bench, 1, Budget(60)).go()
        return [one.key for one in outcome.finalists] + sorted(key for key, _ in bench._asked)

    before = went()
    rng, root, solve = np.random.default_rng(1), gaussian_process._root, gaussian_process._solve

    def off(values: np.ndarray) -> np.ndarray:
        return np.asarray(values * (1.0 + rng.normal(0.0, 1e-14, values.shape)))

    monkeypatch.setattr(gaussian_process, "_root", lambda matrix: off(root(matrix)))
    monkeypatch.setattr(gaussian_process, "_solve", lambda lower, right: off(solve(lower, right)))
    assert went() == before


def test_few_conditions_are_tried_under_several_seeds_a_few_trials_at_a_look() -> None:
    link = {"rate": "5Mbit", "buffer": "80pkts", "candidates": ["red"]}
    for goal, rtt, flows, runs, conditions, seeds, look in (
        (GOAL, "30ms", "6", 150, 1, 4, 1),
        (GOAL, "20-40ms", "6", 150, 6, 1, 2),
        (GOAL, "20-40ms", "4-8", 150, 8, 1, 2),
        # A small budget goes into settings rather than conditions; a large one looks at half of them.
        ("max utilisation - 0.1 * mean delay", "20-40ms", "4-8", 60, 8, 1, 1),
        ("max utilisation - 0.1 * mean delay", "20-40ms", "4-8", 1500, 8, 1, 4),
        ("max utilisation, min mean delay", "20-40ms", "4-8", 60, 8, 1, 4),
    ):
        bench = Hills()
        bench.question = of_link(**link, goal=goal, rtt=rtt, flows=flows)  # type: ignore[arg-type]
        one = Search(bench, 1, Budget(runs))
        assert len(one.conditions) == conditions and len({trial.seed for trial in one.first}) == seeds
        assert len(one.first) == conditions * seeds
        assert one.half == one.first[:look]


def test_a_first_look_spares_what_is_behind_by_more_than_the_best_varies() -> None:
    bench = Hills()
    one = Search(bench, 1, Budget(300))
    bench.scales = [1.0]
    best = {name: axis.at(BEST[name]) for name, axis in bench.family.axes.items()}

    def at(**other: float) -> Candidate:
        return Candidate("", "red", bench.family.params({**best, "min_th": 2.0, **other}))

    good, near, worse, broken = at(), at(max_p=best["max_p"] * 1.02), at(memory_s=1.0), at(min_th=20.0)
    assert bench.loss(broken, one.first[0]) > bench.loss(worse, one.first[0]) > bench.loss(near, one.first[0])
    one.half, one.evaluations.size = one.first[:2], 2
    one._close([broken, worse, near, good], until=None)
    # In the order in which they were run in all trials: the best, then those that are equal to it after the first
    # evaluation.
    assert one.whole == [good, near]
    assert not one._behind(near, good) and one._behind(worse, good) and one._behind(broken, good)


def test_defaults_of_other_disciplines_are_left_to_the_validation() -> None:
    bench = Hills()
    bench.question = of_link(
        rate="5Mbit", rtt="24ms", flows="6", buffer="80pkts", goal="max utilisation - 0.1 * p95 delay",
        candidates=["red"],
    )  # fmt: skip
    outcome = Search(bench, 1, Budget(60)).go()
    foreign = [one for one in outcome.known if one.kind not in ("red", "droptail") and is_default(one)]
    assert len(foreign) >= 3
    assert not any(bench.has(one, outcome.first[0]) for one in foreign)
    assert bench.runs <= 60


def _study(kind: str = "codel", buffer_pkts: float = 80.0, **given: Any) -> FamilyStudy:
    sizing = Sizing(capacity=400.0, buffer_pkts=buffer_pkts, rtt_s=0.03)
    study = FamilyStudy(family(kind, sizing), Target("", 5e6, 0.03), 1, 1, **given)
    study.start([])
    return study


def _share(study: FamilyStudy, coordinates: dict[str, float]) -> np.ndarray:
    return np.array([axis.share(coordinates[name]) for name, axis in study.family.axes.items()])


def test_steps_go_on_where_they_succeed_grow_there_and_shrink_elsewhere() -> None:
    study = _study()
    designs = [one for _, one in study.ask(3)]
    places = [_share(study, study.coordinates[one.key]) for one in designs]
    study._queue.clear()
    study.near([designs[0]], 2)
    study.near([designs[0]], 2)
    small = study._step
    assert small < STEP and len(study._queue) == 4
    study._queue.clear()
    study.near([designs[1]], 3)
    assert study._step > small
    # The first step is as long as the last successful one.
    onward = np.clip(2 * places[1] - places[0], 0.0, 1.0)
    assert _share(study, study._queue[0]) == pytest.approx(onward, abs=1e-9)
    assert all((_share(study, one) >= 0).all() and (_share(study, one) <= 1).all() for one in study._queue)


def test_steps_seldom_move_what_hardly_matters() -> None:
    study = _study("pie", quiet=frozenset({"beta"}))
    ((_, one),) = study.ask(1)
    study._queue.clear()
    for _ in range(50):
        study.near([one], 4)
    there = _share(study, study.coordinates[one.key])
    moved = np.mean([np.abs(_share(study, near) - there) > 1e-9 for near in study._queue], axis=0)
    often = dict(zip(study.family.axes, moved, strict=True))
    assert often.pop("beta") < 0.4 < min(often.values())


def test_no_setting_is_proposed_twice() -> None:
    study = _study("droptail", buffer_pkts=9.0)
    limits: list[str] = []
    while len(limits) < 24 and (proposals := study.ask(4)):
        for ticket, one in proposals:
            limits.append(one.params["limit"])
            study.tell(ticket, [abs(len(limits) - 5.0)], key=one.key)
    # Between one packet and nine, to three digits: every limit is another one and all are reported to Optuna.
    assert len(set(limits)) == len(limits) > 20
    assert all(1500 <= int(text.removesuffix(" B")) <= 13_500 for text in limits)


def test_learned_runs_are_known_to_the_study() -> None:
    study = _study()
    coordinates = {name: axis.at(0.5) for name, axis in study.family.axes.items()}
    one = study.candidate(coordinates)
    assert one is not None
    study.learn(one, coordinates, 3.0)
    study.learn(one, coordinates, 3.0)
    assert [trial.value for trial in study._optuna.trials] == [3.0] and study._optuna.best_value == 3.0
    assert one.key not in {other.key for _, other in study.ask(8)}


def test_dualpi2_has_parameters_that_begin_at_the_values_of_its_document() -> None:
    one = family("dualpi2", Sizing(capacity=2000.0, buffer_pkts=200.0, rtt_s=0.02, ecn=True))
    coordinates = one.coordinates_of({})
    assert coordinates is not None
    params = one.params(coordinates)
    # 0.8 ms of 15 ms: a share is kept to three digits.
    assert units.span(params.pop("min_th")) == pytest.approx(8e-4, rel=2e-3)
    assert units.span(params.pop("range")) == pytest.approx(4e-4, rel=2e-3)
    assert params == {
        "limit": "200 pkts", "target": "15 ms", "t_update": "16 ms", "alpha": 0.16, "beta": 3.2, "ecn": True,
    }  # fmt: skip
