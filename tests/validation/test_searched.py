"""The page that compares the search with grids."""

from __future__ import annotations

from dropcurve.metrics.statistics import Interval
from dropcurve.tuning.families import family
from validation.agree import searched
from validation.agree.searched import PROBLEMS, SearchedProblem, SearchOutcomes


def _found(*behind: float) -> SearchedProblem:
    outcomes = (SearchOutcomes(2, 60, 600, Interval(mean, 0.5, 20)) for mean in behind)
    return SearchedProblem(PROBLEMS[2], tuple(outcomes))


def test_a_search_is_judged_by_the_median_of_its_seeds_and_one_by_one() -> None:
    lucky, unlucky = _found(0.4, -0.4, 1.4, -1.0, 0.2), _found(0.6, 2.4, 0.9, 0.7, 0.4)
    assert lucky.median.reached and not unlucky.median.reached
    assert [one.reached for one in lucky.searches] == [True, True, False, True, True]
    text = "\n".join(searched.page([lucky, unlucky]))
    words = " ".join(text.split())
    assert (
        "**In 1 of 2 the median of the searches reaches the grid within its interval, and 5 of the 10"
        in words
    )
    assert "| 60–60 | 600 | +0.20 ± 0.50 | +1.40 ± 0.50 | 4 of 5 |" in text
    assert "| 60–60 | 600 | +0.70 ± 0.50 | +2.40 ± 0.50 | 1 of 5 |" in text


def test_a_grid_costs_about_ten_times_the_search() -> None:
    for problem in PROBLEMS:
        question = problem.question
        conditions, coordinates = (
            len(question.conditions()),
            len(family(problem.kind, question.sizing).axes),
        )
        steps = searched.side(problem, conditions, coordinates)
        wanted = searched.TIMES * problem.runs / conditions
        assert (steps - 0.5) ** coordinates <= wanted <= (steps + 0.5) ** coordinates


def test_progress_is_a_sentence() -> None:
    one = SearchOutcomes(2, 59, 544, Interval(-0.123, 0.26, 20))
    assert searched.progress_line(13, 3, one) == (
        "problem 13 of 14, seed 3: the search reached the grid with 59 runs against 544: "
        "behind by −0.12 ± 0.26 points over 20 fresh seeds"
    )
    assert "did not reach the grid" in searched.progress_line(
        1, 1, SearchOutcomes(1, 60, 79, Interval(0.5, 0.1, 20))
    )
