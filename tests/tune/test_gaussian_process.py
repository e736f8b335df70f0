"""Gaussian processes of noisy runs, and the proposals of the surrogate made of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dropcurve.runs.sweeping.rows import Row
from dropcurve.tuning import gaussian_process, of_link
from dropcurve.tuning.bench import Bench, PairedTrial
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.families import family
from dropcurve.tuning.gaussian_process import GaussianProcess, Observations
from dropcurve.tuning.surrogate import Surrogate

CONDITIONS = 3


def _seen(count: int, trials: int = 1) -> Observations:
    """Places spread over a square, each at one of three conditions in turn."""
    rng = np.random.default_rng(1)
    conditions = np.arange(count) % CONDITIONS
    return Observations(rng.random((count, 2)), conditions, conditions * trials)


def _height(places: np.ndarray, conditions: np.ndarray) -> np.ndarray:
    """A bowl, steeper in one direction, on another level and a little shifted at each condition."""
    x, y = places.T
    height: np.ndarray = 30.0 * (x - 0.4 - 0.05 * conditions) ** 2 + 8.0 * (y - 0.6) ** 2 + 10.0 * conditions
    return height


def test_a_process_interpolates_between_noisy_runs() -> None:
    seen = _seen(60)
    rng = np.random.default_rng(2)
    process = GaussianProcess()
    process.fit(seen, _height(seen.points, seen.conditions) + rng.normal(0.0, 0.5, 60))
    places = np.array([(x, y) for x in (0.2, 0.5, 0.8) for y in (0.3, 0.6)])
    mean, variance = process.at(places, CONDITIONS)
    truth = np.stack([_height(places, np.full(len(places), one)) for one in range(CONDITIONS)], axis=1)
    off = np.abs(mean - truth)
    # Closer than one run, and within three of its standard deviations.
    assert off.mean() < 0.25 and (off < 3.0 * np.sqrt(variance)).all()
    assert ((process.noise(CONDITIONS) > 0.3) & (process.noise(CONDITIONS) < 1.0)).all()


def test_an_outlier_gets_less_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    def moved(wrong: int) -> float:
        seen = _seen(60)
        values = _height(seen.points, seen.conditions) + np.random.default_rng(3).normal(0.0, 0.5, 60)
        before, after = GaussianProcess(), GaussianProcess()
        before.fit(seen, values)
        values[wrong] += 8.0
        after.fit(seen, values)
        place = seen.points[[wrong]]
        return float(np.abs(after.at(place, CONDITIONS)[0] - before.at(place, CONDITIONS)[0]).max())

    doubted = [moved(wrong) for wrong in (7, 20, 31)]
    monkeypatch.setattr(gaussian_process, "DOUBTS", 0)
    believed = [moved(wrong) for wrong in (7, 20, 31)]
    assert all(one < 0.6 * other for one, other in zip(doubted, believed, strict=True)) and max(doubted) < 1.0


def test_noise_is_estimated_condition_by_condition() -> None:
    seen = _seen(90)
    wide = np.where(seen.conditions == 2, 3.0, 0.3)
    process = GaussianProcess()
    process.fit(seen, _height(seen.points, seen.conditions) + np.random.default_rng(4).normal(0.0, wide))
    steady, other, noisy = process.noise(CONDITIONS)
    assert noisy > 2.0 * max(steady, other)


class Bowl(Bench):
    """Utilisation and delay of CoDel by formula, over three conditions: one counts for nearly all of the sum."""

    def __init__(self) -> None:
        goal = "p95 delay < 40ms, max utilisation"
        question = of_link(
            rate="5Mbit", rtt="24ms", flows="6", buffer="80pkts", goal=goal, candidates=["codel"]
        )
        super().__init__(question, None, None)  # type: ignore[arg-type]
        self.family = family("codel", self.question.sizing)
        self.scales = [1.0]

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row:
        coordinates = self.family.coordinates_of(candidate.params)
        assert coordinates is not None
        x, y = (axis.share(coordinates[name]) for name, axis in self.family.axes.items())
        used = 99.0 - (40.0 if trial.index == 1 else 0.5) * (x - 0.3) ** 2 - 5.0 * (y - 0.5) ** 2
        # Points above 0.8 of the first parameter break the bound.
        return {"utilisation": used, "sojourn_ms_p95": 40.0 * math.exp(2.0 * (x - 0.8))}

    def value(self, candidate: Candidate, trial: PairedTrial, measure: str) -> float | None:
        return self.row(candidate, trial).get(measure)


def _landscape(count: int) -> tuple[Surrogate, list[np.ndarray]]:
    bench = Bowl()
    surrogate = Surrogate(bench, CONDITIONS, 1)
    rng = np.random.default_rng(5)
    places = [rng.random(2) for _ in range(count)]
    for number, place in enumerate(places):
        coordinates = {
            name: axis.at(float(share))
            for (name, axis), share in zip(bench.family.axes.items(), place, strict=True)
        }
        one = Candidate("", "codel", bench.family.params(coordinates))
        surrogate.observe(one, place, PairedTrial.of(number % CONDITIONS, {}, 1))
    return surrogate, places


def test_a_surrogate_needs_a_few_runs() -> None:
    assert not _landscape(5)[0].fit()
    assert _landscape(6)[0].fit()


def test_a_surrogate_proposes_near_the_best_and_expects_broken_bounds() -> None:
    surrogate, places = _landscape(30)
    assert surrogate.fit()
    good, poor, broken = surrogate.expected(
        [np.array([0.3, 0.5]), np.array([0.7, 0.1]), np.array([0.95, 0.5])]
    )
    assert good == pytest.approx(-99.0, abs=0.7) and good < poor - 2.0 and poor < broken - 100.0
    proposed = surrogate.propose(places, 3)
    # One of them may be in a corner.
    assert sum(abs(x - 0.3) < 0.25 and abs(y - 0.5) < 0.35 for x, y in proposed) >= 2
    chances = surrogate.better([np.array([0.3, 0.5]), np.array([0.95, 0.5])], np.array([0.7, 0.1]))
    assert chances[0] > 0.9 and chances[1] < 0.1


def test_a_run_goes_to_the_most_informative_condition() -> None:
    surrogate, places = _landscape(12)
    assert surrogate.fit()
    orders = [surrogate.informative(place) for place in places]
    assert all(sorted(order) == [0, 1, 2] for order in orders)
    # Seldom where a place was already looked at: a third of them would be chance.
    assert sum(order[0] == number % CONDITIONS for number, order in enumerate(orders)) <= 2


def test_the_same_runs_make_the_same_proposals() -> None:
    proposals = []
    for _ in range(2):
        surrogate, places = _landscape(20)
        surrogate.fit()
        proposals.append([place.tolist() for place in surrogate.propose(places, 3)])
    assert proposals[0] == proposals[1]
