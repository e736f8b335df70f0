"""Builds the atlas and its page; see the package's docstring.

Runs are stored in ``--runs``, so that an interrupted or a larger call continues from there. Without ``--train`` it
stops after the runs.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from dropcurve.metrics import statistics
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import build
from dropcurve.scenario import library
from dropcurve.tuning.atlas import model as models
from dropcurve.tuning.atlas import storing
from dropcurve.tuning.atlas.model import TrafficModel
from dropcurve.tuning.atlas.outcomes import OUTCOMES

from . import dataset, questions, runs, training
from .dataset import Dataset
from .draw import Traffic
from .page import write
from .questions import SimulatedAnswer

#: Share of the intervals that are to cover.
LEVEL = 0.9
#: Share by which the ranges of the atlas reach beyond its runs; bounds on the delay in seconds as they are drawn.
BEYOND, BOUNDS_S = 0.05, (1e-3, 0.6)
#: Distance from a bound of the answers that the distance is set by, and the share of them that is to hold.
CAUTION, HELD = 0.7, 0.9


def main() -> int:
    """Executes the missing runs; with ``--train`` fits, counts and writes model and page; with ``--calibrate`` sets the
    intervals of the stored model again instead."""
    options = _arguments()
    executor = Executor(options.jobs, options.cluster)
    if options.calibrate:
        return _calibrate(options, executor)
    counts: dict[Traffic, int] = {"stated": options.stated, "usual": options.usual}
    hours = runs.make(options.runs, counts, executor)
    sys.stderr.write(f"{hours:.3f} processor hours now, {runs.cost_h(options.runs):.3f} for all runs\n")
    if not options.train:
        return 0
    parts: dict[str, TrafficModel] = {}
    fitted: dict[str, Any] = {}
    for kind in counts:
        parts[kind], fitted[kind] = _made(kind, options, executor)
    record = {
        "level": LEVEL, "version": library.version(), "build": build(),
        "cost_h": runs.cost_h(options.runs), "made": fitted,
    }  # fmt: skip
    storing.store(options.model, parts, record)
    write(options.out, models.load(options.model))
    return 0


def _calibrate(options: argparse.Namespace, executor: Executor) -> int:
    """Sets the intervals of the stored model by drawn links, counts others, and writes model and page."""
    known = models.load(options.model)
    parts = dict(known.parts)
    record = {key: value for key, value in known.record.items() if key not in models.OWN}
    kinds: tuple[Traffic, ...] = ("stated", "usual")
    for kind in kinds:
        setting = _simulated(kind, parts[kind], options, executor, questions.SETTING, options.questions)
        parts[kind] = questions.calibrated(setting, parts[kind], LEVEL)
        counted = _simulated(kind, parts[kind], options, executor, questions.COUNTED, options.counted)
        record["made"][kind] |= _counts(parts[kind], counted, len(setting))
    storing.store(options.model, parts, record)
    write(options.out, models.load(options.model))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m validation.atlas", description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=Path, required=True, help="folder for the runs, to go on from")
    parser.add_argument("--stated", type=int, default=20_000, help="draws of stated traffic")
    parser.add_argument("--usual", type=int, default=40_000, help="draws of usual traffic")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--train", action="store_true", help="fit and count, then write model and page")
    how.add_argument("--calibrate", action="store_true", help="only set the intervals of the stored model")
    parser.add_argument("--questions", type=int, default=120, help="links of each kind that set intervals")
    parser.add_argument("--counted", type=int, default=100, help="links of each kind that are counted")
    parser.add_argument("--model", type=Path, default=models.FOLDER)
    parser.add_argument("--out", type=Path, default=Path("docs/atlas.md"), help="page to write")
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--cluster", default=None, help="address of a Dask cluster")
    return parser.parse_args()


def _made(
    kind: Traffic, options: argparse.Namespace, executor: Executor
) -> tuple[TrafficModel, dict[str, Any]]:
    """The part of the model for a kind of traffic, and its statistics."""
    data = dataset.load(options.runs, kind)
    began = time.process_time()
    fitted = training.fit(data, level=LEVEL)
    ranges = {"bound on the delay": BOUNDS_S}
    for name, values in data.quantities.items():
        ranges[name] = (float(values.min()) * (1 - BEYOND), float(values.max()) * (1 + BEYOND))
    part = TrafficModel(fitted.networks, fitted.factors.tolist(), ranges, CAUTION, 1.0, data.size)
    spent = time.process_time() - began
    sys.stderr.write(f"{kind}: {data.size} simulated conditions, trained in {spent:.0f} s\n")
    setting = _simulated(kind, part, options, executor, questions.SETTING, options.questions)
    part = questions.calibrated(setting, replace(part, caution=_caution(kind, setting)), LEVEL)
    counted = _simulated(kind, part, options, executor, questions.COUNTED, options.counted)
    return part, _record(data, fitted, part, counted, len(setting), spent)


def _caution(kind: Traffic, simulated: list[SimulatedAnswer]) -> float:
    """The distance kept from a bound: larger where fewer answers than wanted held at the first one."""
    bounded = [one for one in simulated if one.question.goal.constraints]
    if not bounded:
        return CAUTION
    share = statistics.mean([float(one.held) for one in bounded])
    sys.stderr.write(f"{kind}: {share:.2f} of the answers held their bound at {CAUTION}\n")
    return CAUTION if share >= HELD else 1.0


def _simulated(
    kind: Traffic, part: TrafficModel, options: argparse.Namespace, executor: Executor, seed: int, count: int
) -> list[SimulatedAnswer]:
    simulated = questions.simulated(kind, part, count, seed=seed, folder=options.runs, executor=executor)
    for one in simulated:
        sys.stderr.write(f"  {questions.described(one)}\n")
    return simulated


def _record(
    data: Dataset,
    fitted: training.Fit,
    part: TrafficModel,
    counted: list[SimulatedAnswer],
    setting: int,
    spent: float,
) -> dict[str, Any]:
    """Everything that the page shows of a kind of traffic."""
    return {
        "rows": data.size, "trained_s": spent,
        "measures": [
            {"name": outcome.name, "coverage": float(cover), "error": float(error)}
            for outcome, cover, error in zip(
                OUTCOMES[data.traffic], fitted.coverage, fitted.errors, strict=True
            )
        ],
        "regions": training.regions(data, fitted), **_counts(part, counted, setting),
    }  # fmt: skip


def _counts(part: TrafficModel, counted: list[SimulatedAnswer], setting: int) -> dict[str, Any]:
    """Counts of the answers that were simulated, for the page; ``setting`` links have set the intervals."""
    bounded = [one for one in counted if one.question.goal.constraints]
    sure = [one for one in bounded if questions.again(one, part).sure >= 0.9]
    answers = [(one, questions.again(one, part)) for one in counted]
    measures = [held for one, answer in answers for held in one.covered(answer)]
    sums = [answer.score.covers(one.score) for one, answer in answers if one.sums]
    return {
        "setting": setting,
        "questions": len(counted),
        "measures_asked": len(measures),
        "measures_covered": sum(measures),
        "sums": len(sums),
        "sums_covered": sum(sums),
        "bounded": len(bounded),
        "held": sum(one.held for one in bounded),
        "sure": len(sure),
        "sure_held": sum(one.held for one in sure),
    }


if __name__ == "__main__":
    sys.exit(main())
