"""Measures in the atlas, and the scales on which its networks learn them: logarithms of delays, and of the distance of
shares from 100 %, so that errors have one size everywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Least share in % and least loss in % that a logarithm is taken of.
LEAST_UNUSED, LEAST_LOSS = 0.1, 0.01


@dataclass(frozen=True)
class LearnedMeasure:
    """A measure and its scale.

    Attributes:
        name: Of the measure: its column in rows of runs, with ``bulk`` for the long transfers of the queue's direction.
        learned: From the measure's value and a unit of time in ms to the number that is learned.
        value: The inverse.
    """

    name: str
    learned: Callable[[Floats, Floats], Floats]
    value: Callable[[Floats, Floats], Floats]


def _delay(name: str) -> LearnedMeasure:
    return LearnedMeasure(
        name,
        lambda value, unit: np.log(value / unit + 0.01),
        lambda y, unit: unit * np.maximum(np.exp(y) - 0.01, 0.0),
    )


def _share(name: str) -> LearnedMeasure:
    return LearnedMeasure(
        name,
        lambda value, _: np.log(100.0 - np.minimum(value, 100.0) + LEAST_UNUSED),
        lambda y, _: np.clip(100.0 + LEAST_UNUSED - np.exp(y), 0.0, 100.0),
    )


def _loss(name: str) -> LearnedMeasure:
    return LearnedMeasure(
        name,
        lambda value, _: np.log(value + LEAST_LOSS),
        lambda y, _: np.maximum(np.exp(y) - LEAST_LOSS, 0.0),
    )


def _plain(name: str, scale: float) -> LearnedMeasure:
    return LearnedMeasure(name, lambda value, _: value / scale, lambda y, _: y * scale)


#: Outcomes of each kind of traffic. Delays of the queue count in the scale of the design, one-way delays and page load
#: times in the longest round trip.
OUTCOMES: Mapping[str, tuple[LearnedMeasure, ...]] = {
    "stated": (
        _share("utilisation"), _loss("loss"), _delay("sojourn_ms_mean"), _delay("sojourn_ms_p50"),
        _delay("sojourn_ms_p95"), _delay("sojourn_ms_p99"),
    ),
    "usual": (
        _share("utilisation"), _loss("loss"), _delay("sojourn_ms_mean"), _delay("sojourn_ms_p95"),
        _delay("sojourn_ms_p99"), _delay("delay_ms_p95[call]"), _delay("delay_ms_p99[call]"),
        _delay("delay_ms_p95[game]"), _delay("delay_ms_p99[game]"), _delay("delay_ms_p95[bulk]"),
        _loss("flow_loss[call]"), _loss("flow_loss[game]"), _plain("link_share[bulk]", 20.0),
        _plain("reverse_utilisation", 20.0), _plain("mos[call]", 0.5),
    ),
}  # fmt: skip
