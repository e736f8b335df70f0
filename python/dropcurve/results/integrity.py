"""Verifies the files of a result folder against their checksums."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import ResultError, require
from ..files import checksums
from ..files.checksums import Fault
from ..files.reading import is_regular, read_bytes
from . import rows

#: Files that mark a folder of ours.
MARKS = ("result.json", "sweep.json", "tune.json")


@dataclass(frozen=True)
class Integrity:
    """The outcome of a check.

    Attributes:
        files: Number of files that were checked.
        faults: The damaged ones.
        compared: Whether the folder has checksums. Without them its files were only read.
    """

    files: int
    faults: list[Fault]
    compared: bool = True


def check(folder: Path) -> Integrity:
    """Checks every file of a folder: its checksum where it has one, the form of JSON, the pages of Parquet.

    Raises:
        ResultError: If dropcurve did not write the folder, or its checksums cannot be read.
    """
    if not any((folder / name).exists() for name in (*MARKS, checksums.NAME)):
        what = "has no result, sweep or answer" if folder.exists() else "no such folder"
        raise ResultError("folder", folder, what, "name a folder that dropcurve wrote", shown="value")
    faults = {fault.path: fault for fault in checksums.faults(folder)}
    known = {folder / name for name in checksums.covered(folder)}
    readable = sorted(path for kind in ("json", "parquet") for path in folder.rglob(f"*.{kind}"))
    for path in readable:
        if path not in faults:
            for what in _unreadable(path):
                faults[path] = Fault(path, what)
    return Integrity(
        len(known | set(readable)), sorted(faults.values(), key=str), (folder / checksums.NAME).exists()
    )


def _unreadable(path: Path) -> Iterator[str]:
    """Why a file cannot be read, in a sentence without its path."""
    if not is_regular(path):
        yield "is not a regular file"
        return
    try:
        if path.suffix == ".json":
            rows.parse(read_bytes(path, limit=rows.LIMIT))
        else:
            _read_pages(path)
    except (OSError, ValueError) as error:
        yield f"cannot be read: {' '.join(str(error).split())[:200]}"


def _read_pages(path: Path) -> None:
    """Reads every page, each compared with its checksum. Raises OSError or ValueError, MissingError without pyarrow."""
    require("pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        file = parquet.ParquetFile(path, page_checksum_verification=True)
        for group in range(file.num_row_groups):
            file.read_row_group(group)
    except pa.ArrowException as error:
        raise ValueError(str(error)) from None
