"""The files of a sweep's folder besides its runs: the points, the record of what was asked, and checksums."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import ResultError
from ...files import checksums
from ...files.writing import draft, write_text
from . import columns
from .design import DesignPoint
from .run_table import RunTable


def write(folder: Path, record: dict[str, Any], points: Sequence[DesignPoint]) -> None:
    """Writes points and record. Raises ResultError if the folder cannot be written."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with draft(folder / "points.parquet") as beside:
            parquet.write_table(pa.table(columns.columns(points)), beside, write_page_checksum=True)
        write_text(folder / "sweep.json", json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        checksums.update(folder, [folder / "points.parquet", folder / "sweep.json"])
    except OSError as error:
        where = error.filename or folder
        raise ResultError(f"{where}: cannot be written: {error.strerror or error}") from None


def seal(folder: Path, table: RunTable) -> None:
    """Stores the checksums of the files of runs, which never change once they are there."""
    known = set(checksums.covered(folder))
    checksums.update(
        folder, [path for path in table.files() if path.relative_to(folder).as_posix() not in known]
    )
