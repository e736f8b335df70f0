"""The record of a finished run, and how it is serialised for the store."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from io import BytesIO
from typing import Any, TypedDict
from zipfile import BadZipFile

import dropcurve._core as _core

from ..files.shape import faults
from ..files.typed import shape_of
from ..metrics.summary import DerivedSummary, RunSummary
from ..results import rows
from ..results.series import Series
from . import derived
from .job import Keep

#: Compression level: the highest one that takes no longer than the lowest and still gains by the dictionary.
LEVEL = 2
#: zlib looks back no farther, so a longer dictionary is of no use.
REACH = 32768
#: Largest summary, as text: a damaged blob must not fill the memory.
LARGEST = 2**30


class ProbeRecord(TypedDict):
    """Numbers computed from the fate of every packet of a run."""

    scenario: str
    seed: int
    numbers: dict[str, float]


@dataclass(frozen=True)
class RunRecord:
    """A finished run: its summary with ``derived``, and its series if they were asked for."""

    summary: RunSummary
    series: Series | None = None

    @classmethod
    def of(cls, run: _core.Run, *, keep: Keep) -> RunRecord:
        """The record of a run of the core."""
        return cls(derived.summary(run), Series.from_curves(run.series()) if keep == "series" else None)

    def cut(self, keep: Keep) -> RunRecord:
        """Returns the part that a job with ``keep`` may see, so that a run looks the same even if another job stored
        more of it."""
        summary = derived.without(self.summary) if keep == "summary" else self.summary
        return RunRecord(summary, self.series if keep == "series" else None)


def serialise(record: RunRecord) -> bytes:
    """The summary as JSON text, not yet compressed."""
    return rows.dump(record.summary, separators=(",", ":"))


def text_of(run: _core.Run, numbers: DerivedSummary) -> bytes:
    """The text that `serialise` would make of a run, written by the core without the Python objects in between."""
    return (
        run.summary_json()[:-1] + b',"derived":' + json.dumps(numbers, separators=(",", ":")).encode() + b"}"
    )


def compress(text: bytes, dictionary: bytes) -> bytes:
    """Text compressed against a similar text, in half the size that it would have alone."""
    packer = _packer(dictionary).copy()
    compressed: bytes = packer.compress(text) + packer.flush()
    return compressed


@lru_cache(maxsize=4)
def _packer(dictionary: bytes) -> Any:
    """A compressor that has read the dictionary, to be copied for each text: reading takes as long as a short text."""
    return zlib.compressobj(LEVEL, zdict=dictionary[-REACH:])


@cache
def _shape(kind: type) -> Any:
    return shape_of(kind)


def parse(
    blob: bytes, dictionary: bytes, key: tuple[str, int], *, kind: type = RunSummary
) -> RunSummary | None:
    """The summary of a stored run; None if it is damaged, of other types than ``kind``, or not the run of the scenario
    (its hash) and seed ``key``."""
    try:
        text = zlib.decompressobj(zdict=dictionary[-REACH:]).decompress(blob, LARGEST)
        summary = rows.parse(text)
        named = summary["scenario"], summary["seed"]
    except (zlib.error, ValueError, KeyError, TypeError):
        return None
    if named != key or any(faults(summary, _shape(kind))):
        return None
    parsed: RunSummary = summary
    return parsed


def pack_series(series: Series | None) -> bytes | None:
    """Series as one compressed blob: all curves concatenated, and the samples of each.

    An archive with arrays of their own for each curve takes most of the time of a run of ten thousand links.
    """
    import numpy as np

    if series is None:
        return None
    curves = list(series.curves.values())
    blob = BytesIO()
    np.savez_compressed(
        blob,
        names=np.array(json.dumps(list(series.curves))),
        samples=np.array([len(times) for times, _ in curves], dtype=np.int64),
        times=np.concatenate([times for times, _ in curves] or [np.empty(0)]),
        values=np.concatenate([values for _, values in curves] or [np.empty(0)]),
    )
    return blob.getvalue()


def unpack_series(blob: bytes) -> Series | None:
    """The inverse of `pack_series`; None if the blob is damaged."""
    import numpy as np

    try:
        with np.load(BytesIO(blob)) as arrays:
            names: Sequence[tuple[str, str]] = [
                (name, component) for name, component in json.loads(str(arrays["names"]))
            ]
            times, values, ends = arrays["times"], arrays["values"], np.cumsum(arrays["samples"]).tolist()
            starts = [0, *ends][: len(ends)]
            pairs = [(times[start:end], values[start:end]) for start, end in zip(starts, ends, strict=True)]
            return Series(dict(zip(names, pairs, strict=True)))
    except (OSError, ValueError, KeyError, zlib.error, BadZipFile):
        return None
