"""The program behind the atlas: draws that depend on their number alone, runs that resume, networks that are exact."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from dropcurve.errors import UsageError
from dropcurve.runs.executor import Executor
from dropcurve.tuning import Question
from dropcurve.tuning.atlas import load
from dropcurve.tuning.atlas.conditions import known
from dropcurve.tuning.atlas.network import Network
from dropcurve.tuning.atlas.pick import Pick, picks
from dropcurve.tuning.atlas.start import starts
from dropcurve.tuning.effort import by_size
from validation.atlas import dataset, gain, page, questions, runs, training
from validation.atlas.draw import KINDS, Traffic, drawn, kept


@pytest.mark.parametrize("kind", ["stated", "usual"])
def test_a_draw_depends_on_the_seed_and_its_number_alone(kind: Traffic) -> None:
    several = list(drawn(kind, range(40), seed=3))
    assert several[7] == next(drawn(kind, [7], seed=3)) != next(drawn(kind, [7], seed=4))
    assert {one.candidate.kind for one in several} == set(KINDS)


def test_long_runs_are_drawn_less_often_and_short_ones_always() -> None:
    some = list(drawn("stated", range(300), seed=5))
    assert all(kept(one) for one in some if one.packets < 30_000)
    long = [one for one in some if one.packets > 120_000]
    assert 0 < sum(map(kept, long)) < len(long) / 2


def test_interrupted_runs_resume_and_become_a_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "BLOCK", 6)
    runs.make(tmp_path, {"stated": 6}, Executor(1))
    runs.make(tmp_path, {"stated": 12}, Executor(1))
    assert len(list((tmp_path / "index").iterdir())) == 2
    stored = dataset.load(tmp_path, "stated")
    assert 6 <= stored.size <= 12 and np.isfinite(stored.x).all() and np.isfinite(stored.y).all()
    assert runs.cost_h(tmp_path) > 0


def test_a_network_is_exact_whatever_the_order_of_its_sums() -> None:
    rng = np.random.default_rng(1)
    weights = [rng.normal(size=one) for one in ((20, 30), (30, 4))]
    biases = [rng.normal(size=30), rng.normal(size=4)]
    scales = (np.zeros(20), np.ones(20), np.zeros(4), np.ones(4))
    network = training.rounded(scales, weights, biases)
    rows, order = rng.normal(size=(50, 20)), rng.permutation(20)
    other = training.rounded(scales, [weights[0][order], weights[1]], biases)
    assert network(rows.tolist()) == other(rows[:, order].tolist())
    state = np.rint(rows * 2**12) @ np.rint(weights[0] * 2**10) + np.rint(biases[0] * 2**22)
    state = np.floor(np.maximum(state, 0) / 2**10) @ np.rint(weights[1] * 2**10) + np.rint(biases[1] * 2**22)
    assert network(rows.tolist()) == (state / 2**22).tolist(), "the same in whole numbers"
    floats = np.maximum(rows @ weights[0] + biases[0], 0) @ weights[1] + biases[1]
    assert np.abs(np.array(network(rows.tolist())) - floats).max() < 0.05


def test_a_network_of_the_wrong_length_is_refused() -> None:
    scales = (np.zeros(2), np.ones(2), np.zeros(1), np.ones(1))
    network = training.rounded(scales, [np.ones((2, 1))], [np.zeros(1)])
    assert network([[1.0, 2.0]]) == [[3.0]]
    for content, message in ((network.content[:-1], "fewer bytes"), (network.content + b"0", "more bytes")):
        with pytest.raises(ValueError, match=message):
            Network(network.sizes, content)([[1.0, 2.0]])
    with pytest.raises(ValueError, match="a row has 3 inputs"):
        network([[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match="does not fit"):
        training.rounded(scales, [np.full((2, 1), 40.0)], [np.zeros(1)])


def test_questions_are_of_drawn_links() -> None:
    stated = list(islice(questions.asked("stated", 6, seed=9), 6))
    usual = list(islice(questions.asked("usual", 4, seed=9), 4))
    assert len({one.title for one in [*stated, *usual]}) == 10
    assert [bool(one.goal.constraints) for one in stated] == [True, True, False] * 2


def test_intervals_are_set_by_the_rank_of_their_scores() -> None:
    scores = [float(one) for one in range(1, 101)]
    assert questions._ranked(scores, 0.9, 50) == 92.0, "90 % of 51 ranks of 50 links"
    assert questions._ranked([0.12341], 0.9, 50) == 0.124, "rounded up, so that the score itself is covered"
    assert questions._ranked(scores, 0.9, 5) == 100.0, "few links cover with the largest"


def test_an_objective_of_several_terms_has_a_factor_of_its_own() -> None:
    question = next(one for one in questions.asked("usual", 9, seed=9) if questions_of_sums(one))
    part = load().parts["usual"]
    pick = picks(question, part, known(question))[0]
    exact = questions.SimulatedAnswer("", question, pick, pick.score.high, measures_of(pick), True)
    whole, half = (questions.again(exact, replace(part, sum_share=share)) for share in (1.0, 0.5))
    assert half.measures == whole.measures and half.score.value == whole.score.value
    assert half.score.high - half.score.value == pytest.approx((whole.score.high - whole.score.value) / 2)
    assert half.score.value - half.score.low == pytest.approx((whole.score.value - whole.score.low) / 2)


def test_the_factors_cover_the_links_that_set_them() -> None:
    """Answers whose simulated numbers lie a known way off: the factors come out at that way."""
    part = replace(load().parts["usual"], widening=1.0, sum_share=1.0)
    some = []
    for one in islice((one for one in questions.asked("usual", 40, seed=9) if questions_of_sums(one)), 3):
        try:
            pick = picks(one, part, known(one))[0]
        except UsageError:
            continue
        some.append(questions.SimulatedAnswer("", one, pick, pick.score.high, measures_of(pick), True))
    calibrated = questions.calibrated(some, part, 0.9)
    assert some and 1.0 <= calibrated.widening <= 1.06
    assert all(all(one.covered(questions.again(one, calibrated))) for one in some)
    assert all(questions.again(one, calibrated).score.covers(one.score) for one in some)


def questions_of_sums(question: Question) -> bool:
    return question.goal.objectives[0].single is None


def measures_of(pick: Pick) -> dict[str, float]:
    """The high end of every measure."""
    return {key: one.high for key, one in pick.measures.items()}


def test_the_share_that_covers_has_an_interval_by_links() -> None:
    assert page.covered(90, 100, 100) == pytest.approx((82.56, 94.48), abs=0.01), "Wilson, 90 of 100"
    low, high = page.covered(90, 100, 50)
    assert low < 82.56 and high > 94.48, "fewer links"
    assert page.covered(100, 100, 10)[1] == pytest.approx(100.0)


def test_the_search_runs_the_pick_of_the_atlas_first(tmp_path: Path) -> None:
    question = gain.within(1)[0].question()
    bench, _, trials = gain.searched(question, tmp_path / "runs", by_size(question, 60), Executor(1))
    kind = next(iter(starts(question)))
    first, count, _ = next(iter(bench.log.values()))
    assert first.kind == kind and count <= 2 * len(trials)
