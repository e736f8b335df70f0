"""Measures in the atlas, and the scales on which its networks learn them: logarithms of delays, and of the distance of
shares from 100 %, so that errors have one size everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

#: Least share in % and least loss in % that a logarithm is taken of.
LEAST_UNUSED, LEAST_LOSS = 0.1, 0.01
#: Least share of a run in % that video stalls, and least bit rate of video in bit/s, that a logarithm is taken of.
LEAST_STALLED, LEAST_VIDEO = 0.1, 5e4
#: Largest exponent: no outcome comes near it.
LARGEST = 100.0


@dataclass(frozen=True)
class LearnedMeasure:
    """A measure and its scale.

    Attributes:
        name: The measure: its column in rows of runs, with ``bulk`` for the long transfers of the queue's direction.
        learned: From the measure's value and a unit of time in ms to the number that is learned.
        value: The inverse.
        group: Traffic that a condition needs for the measure: "web" or "video"; empty for all conditions. Each group
            has networks of its own.
        falls: Whether the learned number falls where the value rises.
        of_queue: Whether it is a delay of the queue.
    """

    name: str
    learned: Callable[[float, float], float]
    value: Callable[[float, float], float]
    group: str = ""
    falls: bool = False
    of_queue: bool = False


def _exp(y: float) -> float:
    return math.exp(min(y, LARGEST))


def _delay(name: str, group: str = "") -> LearnedMeasure:
    return LearnedMeasure(
        name,
        lambda value, unit: math.log(value / unit + 0.01),
        lambda y, unit: unit * max(_exp(y) - 0.01, 0.0),
        group,
        of_queue=name.startswith("sojourn"),
    )


def _share(name: str) -> LearnedMeasure:
    return LearnedMeasure(
        name,
        lambda value, _: math.log(100.0 - min(value, 100.0) + LEAST_UNUSED),
        lambda y, _: min(max(100.0 + LEAST_UNUSED - _exp(y), 0.0), 100.0),
        falls=True,
    )


def _logarithm(name: str, least: float, most: float = math.inf, group: str = "") -> LearnedMeasure:
    return LearnedMeasure(
        name,
        lambda value, _: math.log(value + least),
        lambda y, _: min(max(_exp(y) - least, 0.0), most),
        group,
    )


def _plain(name: str, scale: float, low: float, high: float) -> LearnedMeasure:
    return LearnedMeasure(name, lambda value, _: value / scale, lambda y, _: min(max(y * scale, low), high))


#: Outcomes of each kind of traffic, those of a group next to each other. Delays of the queue count in the scale of the
#: design, one-way delays and page load times in the longest round trip.
OUTCOMES: Mapping[str, tuple[LearnedMeasure, ...]] = {
    "stated": (
        _share("utilisation"), _logarithm("loss", LEAST_LOSS, 100.0), _delay("sojourn_ms_mean"),
        _delay("sojourn_ms_p50"), _delay("sojourn_ms_p95"), _delay("sojourn_ms_p99"),
    ),
    "usual": (
        _share("utilisation"), _logarithm("loss", LEAST_LOSS, 100.0), _delay("sojourn_ms_mean"),
        _delay("sojourn_ms_p95"), _delay("sojourn_ms_p99"), _delay("delay_ms_p95[call]"), _delay("delay_ms_p99[call]"),
        _delay("delay_ms_p95[game]"), _delay("delay_ms_p99[game]"), _delay("delay_ms_p95[bulk]"),
        _logarithm("flow_loss[call]", LEAST_LOSS, 100.0), _logarithm("flow_loss[game]", LEAST_LOSS, 100.0),
        _plain("link_share[bulk]", 20.0, 0.0, 100.0),
        _plain("reverse_utilisation", 20.0, 0.0, 100.0), _plain("mos[call]", 0.5, 1.0, 4.5),
        LearnedMeasure("page_doublings[web]", lambda value, unit: value - math.log2(unit),
                       lambda y, unit: max(y, 0.0) + math.log2(unit), "web"),
        _delay("page_ms_p95[web]", "web"),
        _logarithm("video_bps[video]", LEAST_VIDEO, group="video"),
        _logarithm("video_stalled[video]", LEAST_STALLED, 100.0, "video"),
    ),
}  # fmt: skip


def groups(traffic: str) -> dict[str, tuple[LearnedMeasure, ...]]:
    """The outcomes of a kind of traffic by group, in their order."""
    by_group: dict[str, tuple[LearnedMeasure, ...]] = {}
    for one in OUTCOMES[traffic]:
        by_group[one.group] = (*by_group.get(one.group, ()), one)
    return by_group
