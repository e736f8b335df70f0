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
from ...files.writing import write_bytes, write_text
from .features import DISCIPLINES, Condition, ScaledDesign, rows, units_ms
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
    """Outcomes of designs at a condition, a list for each design, on the scales that the networks learn: the expected
    ones and the half-widths of their intervals; the unit of time of each, and the scales (``outcomes``)."""

    centre: list[list[float]]
    half: list[list[float]]
    units_ms: list[list[float]]
    outcomes: Sequence[LearnedMeasure]

    def expected(self, design: int, outcome: int) -> float:
        """The expected value of an outcome."""
        return self.outcomes[outcome].value(self.centre[design][outcome], self.units_ms[design][outcome])

    def interval(self, design: int, outcome: int, widening: float) -> tuple[float, float, float]:
        """Low end, expected value and high end of an outcome, its interval multiplied by a factor."""
        scale, unit = self.outcomes[outcome], self.units_ms[design][outcome]
        centre, half = self.centre[design][outcome], widening * self.half[design][outcome]
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
        half = [
            [factor * math.exp(min(error, LARGEST)) for factor, error in zip(own, some, strict=True)]
            for own, some in zip(factors, errors, strict=True)
        ]
        units = units_ms(condition, settings, condition.traffic)
        return Prediction(centre, half, units, OUTCOMES[condition.traffic])


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
    return _load(folder or FOLDER)


@cache
def _load(folder: Path) -> Atlas:
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


def store(folder: Path, parts: Mapping[str, TrafficModel], record: Mapping[str, Any]) -> None:
    """Writes a model.

    Args:
        folder: Where the two files go.
        parts: The networks by kind of traffic.
        record: Further keys of the description, such as how the model was made.
    """
    content = b""
    own: dict[str, Any] = {}
    for name, part in parts.items():
        networks: dict[str, Any] = {}
        for group, both in part.networks.items():
            networks[group] = {}
            for key, one in (("centre", both.centre), ("error", both.error)):
                networks[group][key] = {
                    "sizes": list(one.sizes), "at": len(content), "bytes": len(one.content)
                }  # fmt: skip
                content += one.content
        own[name] = {
            "rows": part.rows, "caution": part.caution, "widening": part.widening, "sum_share": part.sum_share,
            "networks": networks, "factors": [[float(f"{one:.6g}") for one in some] for some in part.factors],
            "ranges": {key: list(ends) for key, ends in part.ranges.items()},
        }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    write_bytes(folder / NETWORKS, content)
    digest = hashlib.sha256(content).hexdigest()
    text = json.dumps({"format": FORMAT, "sha256": digest, "parts": own, **record}, indent=1)
    write_text(folder / RECORD, text + "\n")
    _load.cache_clear()
