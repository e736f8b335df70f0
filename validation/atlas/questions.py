"""Questions about links that were not in the training set: the answers of the atlas, simulated at every condition.

Some links set the width of the intervals and the distance kept from a bound, others are counted.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dropcurve.errors import UsageError
from dropcurve.metrics import statistics
from dropcurve.quantities import units
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import build
from dropcurve.runs.sweeping.run_table import RunTable
from dropcurve.tuning import Question, of_mix
from dropcurve.tuning.atlas import conditions, pick
from dropcurve.tuning.atlas.model import TrafficModel
from dropcurve.tuning.atlas.pick import Pick
from dropcurve.tuning.bench import Bench, block

from ..regret.links import drawn
from .draw import Traffic

#: Seeds of the links that the intervals are set by, and of those that are counted, drawn after them.
SETTING, COUNTED = 501, 602
#: Seeds of the runs of an answer; replications of each condition.
SEED, REPLICATIONS = 70_000, 2
#: Goals of links with their usual traffic, in turn.
GOALS = ("balanced", "gaming", "bulk", "voip", "web")
#: Factors on intervals that are tried, in steps of 5 %.
WIDENINGS = tuple(round(0.4 * 1.05**step, 3) for step in range(60))


@dataclass(frozen=True)
class SimulatedAnswer:
    """An answer and its runs: the actual objective and measures, and whether every bound held in the mean."""

    title: str
    question: Question
    answer: Pick
    score: float
    measures: Mapping[str, float]
    held: bool

    @property
    def sums(self) -> bool:
        """Whether the objective has several terms; one of a single term is its measure."""
        return self.question.goal.objectives[0].single is None

    def covered(self, answer: Pick) -> list[bool]:
        """Whether the intervals of an answer cover the simulated measures."""
        return [answer.measures[key].covers(value) for key, value in self.measures.items()]


def asked(kind: Traffic, count: int, *, seed: int) -> Iterator[Question]:
    """Questions about drawn links; those of stated traffic bound the delay or weigh it, in turn."""
    if kind == "stated":
        for number, link in enumerate(drawn(count, seed=seed)):
            one = (replace(link, goal="balanced") if number % 3 == 2 else link).question()
            yield one
        return
    for number in range(count):
        typed, goal = _link(random.Random(f"{seed}/usual/{number}")), GOALS[number % len(GOALS)]
        yield of_mix(typed, goal="balanced" if goal == "web" and "web=0%" in typed else goal)


def _link(rng: random.Random) -> str:
    """A link as typed: a preset, or two rates with a mix."""
    direction = rng.choice(("up", "down"))
    downloads, uploads = f"downloads={rng.randint(1, 3)}-{rng.randint(4, 6)}", f"uploads={rng.randint(1, 3)}"
    if rng.random() < 0.4:
        return f"{rng.choice(('dsl', 'cable', 'lte', 'starlink', 'satellite'))}:{direction},{downloads}"
    up = float(f"{10 ** rng.uniform(0.0, 1.6):.2g}")
    down = float(f"{up * rng.uniform(1.0, 12.0):.2g}")
    low = rng.randint(5, 60)
    rtt = f"rtt={low}-{low * rng.randint(1, 4)}ms"
    mix = f"web={rng.choice((0, 10, 20))}%,videos={rng.randint(0, 2)},calls={rng.randint(1, 3)}"
    return (
        f"{down:g}/{up:g}:{direction},{rtt},{downloads},{uploads},{mix},buffer={rng.choice((60, 120, 250))}ms"
    )


def simulated(
    kind: Traffic, model: TrafficModel, count: int, *, seed: int, folder: Path, executor: Executor
) -> list[SimulatedAnswer]:
    """The answers to drawn questions with their runs."""
    store = RunTable(folder / "answers", build(), cache="off")
    results = []
    for question in asked(kind, count, seed=seed):
        try:
            known = conditions.known(question)
        except UsageError:
            continue  # a measure that the atlas does not have, such as the delay of UDP
        if conditions.beyond(known, model.ranges, question.goal):
            continue
        answer = pick.picks(question, model, known)[0]
        bench = Bench(question, store, executor)
        bench.open()
        results.append(_simulated(bench, answer))
    return results


def _simulated(bench: Bench, answer: Pick) -> SimulatedAnswer:
    question = bench.question
    trials = [
        trial for number in range(REPLICATIONS) for trial in block(question.conditions(), SEED + number)
    ]
    bench.run((answer.candidate, trial) for trial in trials)
    places: dict[int, list[Mapping[str, float]]] = {}
    for trial in trials:
        places.setdefault(trial.index, []).append(bench.row(answer.candidate, trial) or {})
    means = [
        {
            one.key: statistics.mean([float(row.get(one.key, 0.0)) for row in rows])
            for one in question.goal.measures
        }
        for rows in places.values()
    ]
    return _judged(question, answer, means)


def _judged(question: Question, answer: Pick, means: Sequence[Mapping[str, float]]) -> SimulatedAnswer:
    """An answer with the means of its measures at each condition."""
    objective = question.goal.objectives[0]
    scores = [objective.value(one) or 0.0 for one in means]
    worst = min if objective.higher else max
    score = worst(scores) if question.robust == "worst" else statistics.mean(scores)
    bounded = {one.measure.key: one.upper for one in question.goal.constraints}
    measures = {}
    for one in question.goal.measures:
        values = [mean[one.key] for mean in means]
        if one.key in bounded:
            measures[one.key] = max(values) if bounded[one.key] else min(values)
        else:
            measures[one.key] = statistics.mean(values)
    held = all(one.excess(measures[one.measure.key]) == 0 for one in question.goal.constraints)
    return SimulatedAnswer(question.title, question, answer, score, measures, held)


def again(result: SimulatedAnswer, model: TrafficModel) -> Pick:
    """The same design judged by another model of the same networks, such as one with wider intervals."""
    question = result.question
    return pick.judge(question, model, conditions.known(question), result.answer)


def calibrated(results: Sequence[SimulatedAnswer], model: TrafficModel, level: float) -> TrafficModel:
    """The model with the factors on intervals at which those of further links cover ``level``: split conformal
    prediction (VGS05), the score of a number being the least factor that covers it. Numbers of one link are
    correlated, so that the rank is corrected for the number of links."""
    scores = [score for one in results for score in needed(one, model)]
    model = replace(model, widening=_ranked(scores, level, len(results)))
    # An objective that sums is rescaled from the interval that the new factor on its terms leads to.
    sums = [_outside(one, again(one, replace(model, sum_share=1.0))) for one in results if one.sums]
    return replace(model, sum_share=_ranked(sums, level, len(sums))) if sums else model


def needed(result: SimulatedAnswer, model: TrafficModel) -> list[float]:
    """The least factor on its interval at which each measure of an answer is covered; infinite where none covers."""
    factors: dict[str, float] = {}
    for factor in WIDENINGS:
        answer = again(result, replace(model, widening=factor))
        for key, value in result.measures.items():
            if key not in factors and answer.measures[key].covers(value):
                factors[key] = factor
        if len(factors) == len(result.measures):
            break
    return [factors.get(key, math.inf) for key in result.measures]


def _outside(result: SimulatedAnswer, answer: Pick) -> float:
    """Distance of the simulated objective from the expected one as a share of the half of its interval on that side."""
    score = answer.score
    half = score.high - score.value if result.score > score.value else score.value - score.low
    return abs(result.score - score.value) / max(half, 1e-12)


def _ranked(scores: Sequence[float], level: float, links: int) -> float:
    """The score of the rank that covers ``level`` of further ones, rounded up to thousandths."""
    rank = math.ceil(len(scores) * min(1.0, level * (links + 1) / links))
    return math.ceil(1000 * round(sorted(scores)[rank - 1], 6)) / 1000


def described(result: SimulatedAnswer) -> str:
    """An answer in a line, for the log."""
    held = "held" if result.held else "missed"
    span = units.plain(round(result.answer.score.value, 3))
    return f"{result.title}: {result.answer.candidate.kind}: {span} expected, {result.score:.3f} simulated, {held}"
