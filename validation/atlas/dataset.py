"""Features and learned outcomes of the runs of the atlas, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dropcurve.runs.sweeping.rows import Row
from dropcurve.scenario.links import LinkProfile
from dropcurve.tuning.atlas import features
from dropcurve.tuning.atlas.outcomes import OUTCOMES
from dropcurve.tuning.families import family
from dropcurve.tuning.link import Link

from .draw import Draw, Traffic
from .runs import finished

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Dataset:
    """One line for each settled condition: features, learned outcomes and the unit of time (ms) of each outcome."""

    x: Floats
    y: Floats
    units_ms: Floats
    kinds: NDArray[np.str_]
    quantities: dict[str, Floats]
    traffic: Traffic

    @property
    def size(self) -> int:
        """Number of conditions."""
        return len(self.x)


def condition(one: Draw) -> features.Condition:
    """The condition of a draw."""
    if isinstance(one.link, Link):
        return features.stated(one.link, one.condition)
    return features.usual(one.link, one.direction)


def setting(one: Draw) -> features.ScaledDesign:
    """The design of a draw."""
    kind = one.candidate.kind
    at = family(kind, one.room).coordinates_of(one.candidate.params)
    assert at is not None, "the draw built the parameters from coordinates"
    return features.setting(kind, at, one.room, linux=bool(one.candidate.loaded_kind))


def values(one: Draw, row: Row) -> list[float] | None:
    """The outcomes of a run; None where it has no value of one."""
    names = [outcome.name for outcome in OUTCOMES[one.traffic]]
    if isinstance(one.link, LinkProfile):
        bulk = "upload" if one.direction == "up" else "download"
        names = [name.replace("[bulk]", f"[{bulk}]") for name in names]
    found = [row.get(name) for name in names]
    return (
        None
        if any(value is None for value in found)
        else [float(value) for value in found if value is not None]
    )


def load(folder: Path, kind: Traffic) -> Dataset:
    """The dataset of the finished runs of a kind of traffic, in the order of their draws."""
    x, y, scales, kinds = [], [], [], []
    quantities: dict[str, list[float]] = {}
    for one, row in finished(folder, kind):
        known = values(one, row)
        if known is None:
            continue
        where, design = condition(one), setting(one)
        units = np.array(features.units_ms(where, [design], kind)[0])
        x.append(features.rows(where, [design])[0])
        y.append([
            float(outcome.learned(np.array(value), np.array(unit)))
            for outcome, value, unit in zip(OUTCOMES[kind], known, units, strict=True)
        ])  # fmt: skip
        scales.append(units)
        kinds.append(design.kind)
        for name, value in where.quantities.items():
            quantities.setdefault(name, []).append(value)
    columns = {name: np.array(some) for name, some in quantities.items()}
    return Dataset(np.array(x), np.array(y), np.array(scales), np.array(kinds), columns, kind)
