"""The files of a sweep's folder besides its runs: the points, the record of the sweep, and checksums."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import ResultError, require, unwritable
from ...files import checksums
from ...files.writing import draft, write_text
from ...scenario import Scenario, library
from ..job import build
from . import columns
from .design import DesignPoint
from .run_table import RunTable
from .table import FORMAT


def write(
    folder: Path,
    base: Scenario,
    points: Sequence[DesignPoint],
    *,
    command: str,
    seeds: Sequence[int],
    grid: bool,
    store: str | Path | None,
) -> dict[str, Any]:
    """Writes the points and the record of a sweep, and returns the record.

    Args:
        folder: The folder of the sweep.
        base: The scenario whose settings the points are.
        points: The settings.
        command: The command line that asks for the same.
        seeds: The seed of each replication.
        grid: Whether the points are every combination of listed values.
        store: Another folder for the runs than ``runs`` in this one.

    Raises:
        ResultError: The folder cannot be written.
    """
    require("pyarrow", "duckdb")
    import pyarrow as pa
    import pyarrow.parquet as parquet

    record = {
        "format": FORMAT, "version": library.version(), "build": build(), "title": base.title, "command": command,
        "seeds": list(seeds), "settings": columns.names(points), "grid": grid,
        "store": "runs" if store is None else str(Path(store).resolve()), "scenario": base.resolved,
    }  # fmt: skip
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with draft(folder / "points.parquet") as partial:
            parquet.write_table(pa.table(columns.columns(points)), partial, write_page_checksum=True)
        write_text(folder / "sweep.json", json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        checksums.update(folder, [folder / "points.parquet", folder / "sweep.json"])
    except OSError as error:
        where = error.filename or folder
        raise ResultError.of([unwritable(where, error)]) from None
    return record


def mark_complete(folder: Path, table: RunTable) -> None:
    """Stores the checksums of the files of runs, which never change once they exist; not of runs in another folder."""
    if table.folder.parent != folder:
        return
    known = set(checksums.covered(folder))
    checksums.update(
        folder, [path for path in table.files() if path.relative_to(folder).as_posix() not in known]
    )
