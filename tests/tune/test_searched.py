"""The page that holds the search against grids."""

from __future__ import annotations

from dropcurve.agree import searched
from dropcurve.agree.searched import PROBLEMS, Found, Outcome
from dropcurve.statistics import Interval
from dropcurve.tuning.families import family


def _found(*behind: float) -> Found:
    outcomes = (Outcome(2, 60, 600, Interval(mean, 0.5, 20)) for mean in behind)
    return Found(PROBLEMS[2], tuple(outcomes))


def test_a_search_is_judged_by_the_median_of_its_seeds_and_one_by_one() -> None:
    lucky, unlucky = _found(0.4, -0.4, 1.4, -1.0, 0.2), _found(0.6, 2.4, 0.9, 0.7, 0.4)
    assert lucky.median.reached and not unlucky.median.reached
    assert [one.reached for one in lucky.searches] == [True, True, False, True, True]
    text = "\n".join(searched.page([lucky, unlucky]))
    assert (
        "**In 1 of 2 the median of the searches reaches the grid within its interval, and 5 of the\n10"
        in text
    )
    assert "| 60–60 | 600 | +0.20 ± 0.50 | +1.40 ± 0.50 | 4 of 5 |" in text
    assert "| 60–60 | 600 | +0.70 ± 0.50 | +2.40 ± 0.50 | 1 of 5 |" in text


def test_a_grid_costs_about_ten_times_the_search() -> None:
    for problem in PROBLEMS:
        question = problem.question
        conditions, knobs = len(question.conditions()), len(family(problem.kind, question.room).knobs)
        steps = searched.side(problem, conditions, knobs)
        wanted = searched.TIMES * problem.runs / conditions
        assert (steps - 0.5) ** knobs <= wanted <= (steps + 0.5) ** knobs
