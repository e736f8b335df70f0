"""The model in the wheel: networks, factors of intervals, ranges and the counts behind them, read once and checked."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import DropcurveError
from ...files.writing import write_bytes, write_text
from .features import KINDS, Condition, ScaledDesign, rows, units_ms
from .network import Network
from .outcomes import OUTCOMES

#: Version of the two files.
FORMAT = 2
#: The files: arrays, and their description.
ARRAYS, RECORD = "atlas.npz", "atlas.json"
#: Folder of the model in the package, and the keys of its record that `store` writes itself.
FOLDER, OWN = Path(__file__).parent / "data", ("format", "sha256", "parts")
#: Most bytes of the arrays.
MOST_BYTES = 5_000_000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Prediction:
    """Outcomes of designs at a condition, one line for each design, in learned numbers: the expected ones and the
    half-widths of their intervals."""

    centre: Floats
    half: Floats
    units_ms: Floats


@dataclass(frozen=True)
class TrafficModel:
    """The networks of one kind of traffic.

    Attributes:
        centre, error: Networks for the outcomes and for the logarithm of the size of their errors.
        factors: Factors on the error at which intervals cover, by discipline and outcome.
        ranges: Lowest and highest value of each quantity in the runs.
        caution: Share of an interval that a pick stays inside a bound.
        widening: Factor on the intervals of an answer's numbers, from answers that were simulated.
        rows: Settled conditions.
        sum_share: Factor on the interval of an objective of several terms: their errors add up in part.
    """

    centre: Network
    error: Network
    factors: Floats
    ranges: Mapping[str, tuple[float, float]]
    caution: float
    widening: float
    rows: int
    sum_share: float = 1.0

    def predict(self, condition: Condition, settings: list[ScaledDesign]) -> Prediction:
        """The outcomes of designs at a condition."""
        found = rows(condition, settings)
        factors = self.factors[[KINDS.index(one.kind) for one in settings]]
        units = units_ms(condition, settings, condition.traffic)
        return Prediction(self.centre(found), factors * np.exp(self.error(found)), units)


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
        content = (folder / ARRAYS).read_bytes()
    except (OSError, ValueError) as error:
        raise DropcurveError(
            folder, "", f"the atlas cannot be read ({error})", "install dropcurve again", shown="path"
        ) from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise DropcurveError(
            folder / RECORD,
            "",
            f"format {record.get('format') if isinstance(record, dict) else '?'} of the atlas must be {FORMAT}",
            "install dropcurve again",
            shown="path",
        )
    if len(content) > MOST_BYTES or hashlib.sha256(content).hexdigest() != record.get("sha256"):
        raise DropcurveError(
            folder / ARRAYS,
            "",
            f"its checksum must be that of {RECORD}: the file is damaged",
            "install dropcurve again",
            shown="path",
        )
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            known = {name: arrays[name] for name in arrays.files}
        parts = {name: _part(name, known, record["parts"][name]) for name in OUTCOMES}
    except (KeyError, ValueError, TypeError, OSError) as error:
        raise DropcurveError(
            folder, "", f"the atlas lacks a part ({error})", "install dropcurve again", shown="path"
        ) from None
    return Atlas(parts, record)


def _part(name: str, arrays: Mapping[str, NDArray[np.generic]], record: Mapping[str, Any]) -> TrafficModel:
    return TrafficModel(
        Network.of_arrays(arrays, f"{name}.centre"), Network.of_arrays(arrays, f"{name}.error"),
        arrays[f"{name}.factors"].astype(np.float64),
        {key: (float(low), float(high)) for key, (low, high) in record["ranges"].items()},
        float(record["caution"]), float(record["widening"]), int(record["rows"]), float(record["sum_share"]),
    )  # fmt: skip


def store(folder: Path, parts: Mapping[str, TrafficModel], record: Mapping[str, Any]) -> None:
    """Writes a model; ``record`` is added to what the parts are described by."""
    arrays: dict[str, Any] = {}
    for name, part in parts.items():
        arrays |= part.centre.arrays(f"{name}.centre") | part.error.arrays(f"{name}.error")
        arrays[f"{name}.factors"] = part.factors.astype(np.float32)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    content = buffer.getvalue()
    folder.mkdir(parents=True, exist_ok=True)
    write_bytes(folder / ARRAYS, content)
    own = {
        name: {"rows": part.rows, "caution": part.caution, "widening": part.widening, "sum_share": part.sum_share,
               "ranges": {key: list(ends) for key, ends in part.ranges.items()}}
        for name, part in parts.items()
    }  # fmt: skip
    text = json.dumps(
        {"format": FORMAT, "sha256": hashlib.sha256(content).hexdigest(), "parts": own, **record}, indent=1
    )
    write_text(folder / RECORD, text + "\n")
    _load.cache_clear()
