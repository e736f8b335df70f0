"""Features and learned outcomes of the runs of the atlas, as arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dropcurve.runs.sweeping.rows import Row
from dropcurve.tuning.atlas import features
from dropcurve.tuning.atlas.outcomes import OUTCOMES
from dropcurve.tuning.families import family
from dropcurve.tuning.link import Link

from .draw import Draw, Traffic
from .runs import finished

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Dataset:
    """One line for each simulated condition: features, and learned outcomes, NaN where the run has none of a group."""

    x: Floats
    y: Floats
    kinds: NDArray[np.str_]
    quantities: dict[str, Floats]
    traffic: Traffic

    @property
    def size(self) -> int:
        """Number of conditions."""
        return len(self.x)


def condition(draw: Draw) -> features.Condition:
    """The condition of a draw."""
    if isinstance(draw.link, Link):
        return features.stated(draw.link, draw.condition)
    return features.usual(draw.link, draw.direction)


def setting(draw: Draw) -> features.ScaledDesign:
    """The design of a draw."""
    kind = draw.candidate.kind
    at = family(kind, draw.sizing).coordinates_of(draw.candidate.params)
    assert at is not None, "the draw built the parameters from coordinates"
    return features.scaled_design(kind, at, draw.sizing, linux=bool(draw.candidate.loaded_kind))


def values(draw: Draw, row: Row) -> list[float | None] | None:
    """The outcomes of a run, None for those of a group that it does not have; None where it lacks one that every run
    has."""
    bulk = "upload" if draw.direction == "up" else "download"
    names = [outcome.name.replace("[bulk]", f"[{bulk}]") for outcome in OUTCOMES[draw.traffic]]
    measures = [None if row.get(name) is None else float(row[name]) for name in names]
    missing = {
        outcome.group
        for outcome, value in zip(OUTCOMES[draw.traffic], measures, strict=True)
        if value is None
    }
    if "" in missing:
        return None
    return [
        None if outcome.group in missing else value
        for outcome, value in zip(OUTCOMES[draw.traffic], measures, strict=True)
    ]


def load(folder: Path, kind: Traffic) -> Dataset:
    """The dataset of the finished runs of a kind of traffic, in the order of their draws."""
    x, y, kinds = [], [], []
    quantities: dict[str, list[float]] = {}
    for one, row in finished(folder, kind):
        known = values(one, row)
        if known is None:
            continue
        where, design = condition(one), setting(one)
        scale, trip = features.delay_s(where, design), where.rtt_s
        units = [1e3 * (scale if outcome.of_queue else trip) for outcome in OUTCOMES[kind]]
        x.append(features.rows(where, [design])[0])
        y.append([
            math.nan if value is None else outcome.learned(value, unit)
            for outcome, value, unit in zip(OUTCOMES[kind], known, units, strict=True)
        ])  # fmt: skip
        kinds.append(design.kind)
        for name, value in where.quantities.items():
            quantities.setdefault(name, []).append(value)
    columns = {name: np.array(some) for name, some in quantities.items()}
    return Dataset(np.array(x), np.array(y), np.array(kinds), columns, kind)
