"""The model in the wheel: networks, factors of intervals, ranges and the counts behind them, read once and checked."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import DropcurveError
from .features import DISCIPLINES, Condition, ScaledDesign, delay_s, rows
from .network import Network
from .outcomes import LARGEST, OUTCOMES, LearnedMeasure, groups

#: Version of the two files.
FORMAT = 3
#: The files: the contents of all networks, one after the other, and their description.
NETWORKS, RECORD = "atlas.bin", "atlas.json"
#: Folder of the model in the package, and the keys of its record that `store` writes itself.
FOLDER, OWN = Path(__file__).parent / "data", ("format", "sha256", "parts")
#: Most bytes of the networks.
MOST_BYTES = 5_000_000


@dataclass(frozen=True)
class Prediction:
    """Outcomes of designs at a condition, on the scales that the networks learn.

    Attributes:
        centre: For each design the expected outcomes.
        errors: For each design the logarithms of the sizes of their errors.
        factors: For each design the factors on these sizes with which intervals have their coverage.
        scales_ms: For each design its scale, the unit of time of delays of the queue.
        trip_ms: The longest round trip, that of all others.
        outcomes: The scales.
    """

    centre: list[list[float]]
    errors: list[list[float]]
    factors: Sequence[Sequence[float]]
    scales_ms: Sequence[float]
    trip_ms: float
    outcomes: Sequence[LearnedMeasure]

    def unit_ms(self, design: int, outcome: int) -> float:
        """The unit of time of an outcome."""
        return self.scales_ms[design] if self.outcomes[outcome].of_queue else self.trip_ms

    def half(self, design: int, outcome: int) -> float:
        """The half-width of the interval of an outcome."""
        return self.factors[design][outcome] * math.exp(min(self.errors[design][outcome], LARGEST))

    def expected(self, design: int, outcome: int) -> float:
        """The expected value of an outcome."""
        return self.outcomes[outcome].value(self.centre[design][outcome], self.unit_ms(design, outcome))

    def interval(self, design: int, outcome: int, widening: float) -> tuple[float, float, float]:
        """Low end, expected value and high end of an outcome, its interval multiplied by a factor."""
        scale, unit = self.outcomes[outcome], self.unit_ms(design, outcome)
        centre, half = self.centre[design][outcome], widening * self.half(design, outcome)
        low, high = sorted((scale.value(centre - half, unit), scale.value(centre + half, unit)))
        return low, scale.value(centre, unit), high


@dataclass(frozen=True)
class GroupNetworks:
    """The networks of one group of outcomes: for the outcomes, and for the logarithm of the size of their errors."""

    centre: Network
    error: Network


@dataclass(frozen=True)
class TrafficModel:
    """The networks of one kind of traffic.

    Attributes:
        networks: Networks by group of outcomes, in the order of `outcomes.groups`.
        factors: Factors on the predicted error with which intervals have their coverage: for each discipline a list by
            outcome.
        ranges: Lowest and highest value of each quantity in the runs.
        caution: Distance that a pick keeps inside each bound, as a share of the half-width of the interval.
        widening: Factor on the intervals of an answer's numbers, from answers that were simulated.
        rows: Simulated conditions.
        sum_share: Factor on the interval of an objective of several terms, whose errors add up only in part.
    """

    networks: Mapping[str, GroupNetworks]
    factors: Sequence[Sequence[float]]
    ranges: Mapping[str, tuple[float, float]]
    caution: float
    widening: float
    rows: int
    sum_share: float = 1.0

    def predict(self, condition: Condition, settings: Sequence[ScaledDesign]) -> Prediction:
        """The outcomes of designs at a condition; those of a group whose traffic is missing have no meaning."""
        inputs = rows(condition, settings)
        centre: list[list[float]] = [[] for _ in settings]
        errors: list[list[float]] = [[] for _ in settings]
        for group in self.networks.values():
            for own, more in zip(centre, group.centre(inputs), strict=True):
                own += more
            for own, more in zip(errors, group.error(inputs), strict=True):
                own += more
        factors = [self.factors[DISCIPLINES.index(one.kind)] for one in settings]
        scales = [1e3 * delay_s(condition, one) for one in settings]
        return Prediction(centre, errors, factors, scales, 1e3 * condition.rtt_s, OUTCOMES[condition.traffic])


@dataclass(frozen=True)
class Atlas:
    """The whole model: a part for each kind of traffic, and the record of how it was made."""

    parts: Mapping[str, TrafficModel]
    record: Mapping[str, Any]


def load(folder: Path | None = None) -> Atlas:
    """The model in a folder, by default that of the package.

    Raises:
        DropcurveError: For files that are missing, damaged or of another version.
    """
    return read(folder or FOLDER)


@cache
def read(folder: Path) -> Atlas:
    """The model in a folder, as `load`."""
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        content = (folder / NETWORKS).read_bytes()
    except (OSError, ValueError) as error:
        raise _refused(folder, f"the atlas cannot be read ({error})") from None
    version = record.get("format") if isinstance(record, dict) else "?"
    if version != FORMAT:
        raise _refused(folder / RECORD, f"format {version} of the atlas must be {FORMAT}")
    if len(content) > MOST_BYTES or hashlib.sha256(content).hexdigest() != record.get("sha256"):
        raise _refused(folder / NETWORKS, f"its checksum must be that of {RECORD}: the file is damaged")
    try:
        parts = {name: _part(record["parts"][name], content, name) for name in OUTCOMES}
    except (KeyError, ValueError, TypeError) as error:
        raise _refused(folder, f"the atlas lacks a part ({error})") from None
    return Atlas(parts, record)


def _refused(path: Path, problem: str) -> DropcurveError:
    return DropcurveError(path, "", problem, "install dropcurve again", shown="path")


def _part(record: Mapping[str, Any], content: bytes, traffic: str) -> TrafficModel:
    networks = {
        group: GroupNetworks(
            *(_network(record["networks"][group][key], content) for key in ("centre", "error"))
        )
        for group in groups(traffic)
    }
    return TrafficModel(
        networks, record["factors"],
        {key: (float(low), float(high)) for key, (low, high) in record["ranges"].items()},
        float(record["caution"]), float(record["widening"]), int(record["rows"]), float(record["sum_share"]),
    )  # fmt: skip


def _network(record: Mapping[str, Any], content: bytes) -> Network:
    at, length = int(record["at"]), int(record["bytes"])
    return Network(tuple(record["sizes"]), content[at : at + length])
