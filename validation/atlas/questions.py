"""Questions about links that no training has seen: the answers of the atlas, simulated at every condition.

Half of the links set the width of the intervals and the distance kept from a bound, the other half is counted.
"""

from __future__ import annotations

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

#: Seeds of the links that the intervals are set by, and of those that are counted.
SETTING, COUNTED = 301, 402
#: Seeds of the runs of an answer; replications of each condition.
SEED, REPLICATIONS = 70_000, 2
#: Goals of links with their usual traffic, in turn.
GOALS = ("balanced", "gaming", "bulk", "voip")
#: Distances from a bound and factors on intervals that are tried.
CAUTIONS, WIDENINGS = (0.3, 0.5, 0.7, 0.9, 1.2), (0.6, 0.8, 1.0, 1.2, 1.4, 1.7, 2.0, 2.5)


@dataclass(frozen=True)
class Simulated:
    """An answer and its runs: the actual objective and measures, and whether every bound held in the mean."""

    title: str
    question: Question
    answer: Pick
    score: float
    measures: Mapping[str, float]
    held: bool

    def covered(self, answer: Pick) -> list[bool]:
        """Whether the intervals of an answer cover the simulated value, for the objective and each measure."""
        pairs = [(answer.score, self.score)]
        pairs += [(answer.measures[key], value) for key, value in self.measures.items()]
        return [one.low <= value <= one.high for one, value in pairs]


def asked(kind: Traffic, count: int, *, seed: int) -> Iterator[Question]:
    """Questions about drawn links; those of stated traffic bound the delay or weigh it, in turn."""
    if kind == "stated":
        for number, link in enumerate(drawn(count, seed=seed)):
            yield (replace(link, goal="balanced") if number % 3 == 2 else link).question()
        return
    for number in range(count):
        rng = random.Random(f"{seed}/usual/{number}")
        yield of_mix(_link(rng), goal=GOALS[number % len(GOALS)])


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
    kind: Traffic, model: TrafficModel, count: int, *, seed: int, folder: Path, where: Executor
) -> list[Simulated]:
    """The answers to drawn questions with their runs."""
    store = RunTable(folder / "answers", build(), cache="off")
    found = []
    for question in asked(kind, count, seed=seed):
        try:
            known = conditions.known(question)
        except UsageError:
            continue  # a measure that the atlas does not have, such as the delay of UDP
        if conditions.beyond(known, model.ranges, question.goal):
            continue
        answer = pick.picks(question, model, known)[0]
        bench = Bench(question, store, where)
        bench.open()
        found.append(_simulated(bench, answer))
    return found


def _simulated(bench: Bench, answer: Pick) -> Simulated:
    question = bench.question
    trials = [
        trial for number in range(REPLICATIONS) for trial in block(question.conditions(), SEED + number)
    ]
    bench.run((answer.candidate, trial) for trial in trials)
    places: dict[int, list[Mapping[str, float]]] = {}
    for trial in trials:
        places.setdefault(trial.place, []).append(bench.row(answer.candidate, trial) or {})
    means = [
        {
            one.key: statistics.mean([float(row.get(one.key, 0.0)) for row in rows])
            for one in question.goal.measures
        }
        for rows in places.values()
    ]
    return _judged(question, answer, means)


def _judged(question: Question, answer: Pick, means: Sequence[Mapping[str, float]]) -> Simulated:
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
    return Simulated(question.title, question, answer, score, measures, held)


def again(one: Simulated, model: TrafficModel) -> Pick:
    """The same design judged by another model of the same networks, such as one with wider intervals."""
    question = one.question
    return pick.judge(question, model, conditions.known(question), one.answer)


def coverage(some: Sequence[Simulated], model: TrafficModel) -> float:
    """Share of the intervals, of objectives and measures, that cover the simulated value."""
    found = [held for one in some for held in one.covered(again(one, model))]
    return sum(found) / max(1, len(found))


def widened(some: Sequence[Simulated], model: TrafficModel, level: float) -> TrafficModel:
    """The model with the smallest widening at which the intervals of these answers cover, with the correction of
    conformal prediction for their number."""
    wanted = min(1.0, level * (len(some) + 1) / max(1, len(some)))
    for factor in WIDENINGS:
        model = replace(model, widening=factor)
        if coverage(some, model) >= wanted:
            break
    return model


def described(one: Simulated) -> str:
    """An answer in a line, for the log."""
    held = "held" if one.held else "missed"
    span = units.plain(round(one.answer.score.value, 3))
    return f"{one.title}: {one.answer.candidate.kind}: {span} expected, {one.score:.3f} simulated, {held}"
