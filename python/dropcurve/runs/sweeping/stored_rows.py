"""Rows of runs that other commands stored: computed from their summaries, or read from the tables of other sweeps."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import ResultError, installed
from ..job import build
from ..store import RunStore
from . import run_files
from .rows import KEY, Key, Row, identity, key, row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The multiplier of Fibonacci hashing, 2**64 over the golden ratio: odd, so that its product with each seed is
#: different.
_SPREAD = 0x9E3779B97F4A7C15


def find(store: RunStore, keys: Collection[Key], *, exclude: Path) -> dict[Key, Row]:
    """Returns the rows of those runs of ``keys`` that some command has stored, except in the folder ``exclude``."""
    made_by = build()
    rows = {key(one): one for one in (row(summary, build=made_by) for summary in store.summaries(keys))}
    for folder in store.tables(identity()):
        if folder == exclude or not installed("pyarrow"):
            continue
        for path in sorted(folder.glob("part-*.parquet")):
            missing = [one for one in keys if one not in rows]
            if not missing:
                return rows
            try:
                rows |= _read(path, missing)
            except ResultError:
                # A damaged file of another sweep is for that sweep to report; here its runs are made again.
                continue
    return rows


def _read(path: Path, keys: Collection[Key]) -> dict[Key, Row]:
    """The rows of a file, which is read only if it has one of the runs."""
    import numpy as np
    import pyarrow.compute as pc

    hashes = np.fromiter((_run_hash(*one) for one in keys), dtype=np.uint64, count=len(keys))
    if not np.isin(hashes, _hashes(path, build())).any():
        return {}
    table = run_files.read_table(path, columns=None)
    if table is None:
        return {}
    import pyarrow as pa

    some = table.filter(pc.is_in(table.column("scenario"), value_set=pa.array({one for one, _ in keys})))
    wanted = set(keys)
    rows = ({name: value for name, value in one.items() if value is not None} for one in some.to_pylist())
    return {key(one): one for one in rows if one["build"] == build() and key(one) in wanted}


@lru_cache(maxsize=1_000)
def _hashes(path: Path, made_by: str) -> NDArray[np.uint64]:
    """The hashes of all runs of a build in a file. They can be cached, as a file never changes once it exists."""
    import numpy as np

    table = run_files.read_table(path, columns=list(KEY))
    columns = [table.column(name).to_pylist() for name in KEY] if table is not None else [[], [], []]
    hashes = [_run_hash(scenario, seed) for scenario, seed, of in zip(*columns, strict=True) if of == made_by]
    return np.array(hashes, dtype=np.uint64)


def _run_hash(scenario: str, seed: int) -> int:
    """A hash of 64 bits for a run. Two runs rarely share one; where they do, a file is read without need."""
    try:
        return (int(scenario, 16) ^ (seed * _SPREAD)) % 2**64
    except ValueError:
        return 0
