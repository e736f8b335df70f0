"""Runs kept once each, under the hash of their scenario, their seed and the build of the core.

A store is a folder of Parquet files that grows by whole files only, so that any number of processes on any
number of machines may write into it at once. While a file is being filled its rows also go, one line each, into
a journal beside it: a process that is killed leaves the journal, and whoever opens the store next, or is given
the same work again, reads it. A run that is there is never made again; should two processes have made the
same one, readers see it once.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from ..errors import ResultError
from .rows import KEY, Row, key

#: Rows of a file while work goes on; `Store.compact` makes larger ones of many.
ROWS = 2_000
#: Rows of a file afterwards.
COMPACT_ROWS = 500_000


@dataclass(frozen=True)
class Store:
    """The runs in ``folder``; those of another ``build`` are kept but not seen."""

    folder: Path
    build: str

    def open(self) -> None:
        """Makes the folder and takes in what interrupted work left. Raises ResultError if it cannot be
        written."""
        probe = self.folder / f".part-{uuid.uuid4().hex}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise ResultError(f"{self.folder}: cannot be written: {error.strerror or error}") from None
        self.adopt()

    def adopt(self) -> None:
        """Takes in the journals of processes that were killed. One that still lives writes its rows again when it is
        done, and readers see them once."""
        left = sorted(self.folder.glob("journal-*.jsonl"))
        rows = [row for path in left for row in _journal(path)]
        if rows:
            self._write(rows)
        for path in left:
            path.unlink(missing_ok=True)

    def files(self) -> list[Path]:
        """The Parquet files, in order of their names."""
        return sorted(self.folder.glob("part-*.parquet"))

    def keys(self) -> set[tuple[str, int]]:
        """(scenario, seed) of every run that is there."""
        return {key(row) for row in self.rows(columns=KEY)}

    def rows(self, *, columns: Iterable[str] | None = None) -> Iterator[Row]:
        """Every run of this build once, gaps left out."""
        import pyarrow.parquet as parquet

        wanted = None if columns is None else list(columns)
        seen: set[tuple[str, int]] = set()
        for path in self.files():
            try:
                table = parquet.read_table(path, columns=wanted)
            except (OSError, ValueError) as error:
                raise ResultError(
                    f"{path}: cannot be read: {error}; remove it to make its runs again"
                ) from None
            for row in table.to_pylist():
                if row["build"] == self.build and key(row) not in seen:
                    seen.add(key(row))
                    yield {name: value for name, value in row.items() if value is not None}

    def left(self, batch: str) -> list[Row]:
        """What journals of a batch hold, whoever began it."""
        return [
            row for path in sorted(self.folder.glob(f"journal-{batch}-*.jsonl")) for row in _journal(path)
        ]

    def writer(self, *, batch: str = "") -> Writer:
        """A place to put rows. ``batch`` names the work, for `left`."""
        return Writer(self, batch or uuid.uuid4().hex)

    def compact(self) -> None:
        """Makes few large files of many small ones; killed half-way it leaves runs twice, which readers see once."""
        import pyarrow.parquet as parquet

        small = [path for path in self.files() if parquet.read_metadata(path).num_rows < COMPACT_ROWS // 2]
        if len(small) < 2:
            return
        seen: set[tuple[Any, ...]] = set()
        rows: list[Row] = []
        for path in small:
            for row in parquet.read_table(path).to_pylist():
                name = tuple(row[column] for column in KEY)
                if name not in seen:
                    seen.add(name)
                    rows.append({column: value for column, value in row.items() if value is not None})
        fresh = {self._write(rows[i : i + COMPACT_ROWS]) for i in range(0, len(rows), COMPACT_ROWS)}
        for path in small:
            if path not in fresh:
                path.unlink(missing_ok=True)

    def _write(self, rows: list[Row]) -> Path:
        """A Parquet file named by the runs in it; it appears whole or not at all."""
        import pyarrow as pa
        import pyarrow.parquet as parquet

        columns = dict.fromkeys(name for row in rows for name in row)
        table = pa.table({name: [row.get(name) for row in rows] for name in columns})
        names = "\n".join(":".join(str(row[column]) for column in KEY) for row in rows)
        path = self.folder / f"part-{hashlib.sha256(names.encode()).hexdigest()[:24]}.parquet"
        draft = path.with_name(f"{path.name}.{uuid.uuid4().hex}.draft")
        try:
            parquet.write_table(table, draft, compression="zstd")
            draft.replace(path)
        except OSError as error:
            raise ResultError(f"{path}: cannot be written: {error.strerror or error}") from error
        return path


@dataclass
class Writer:
    """Rows on their way into a store; use it in a ``with`` block."""

    store: Store
    batch: str
    rows: list[Row] = field(default_factory=list)
    _file: IO[str] | None = None

    def add(self, row: Row) -> None:
        """Keeps a row: on disk when this returns."""
        if self._file is None:
            self._path = self.store.folder / f"journal-{self.batch}-{uuid.uuid4().hex}.jsonl"
            self._file = self._path.open("w", encoding="utf-8")
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()
        self.rows.append(row)
        if len(self.rows) >= ROWS:
            self.flush()

    def flush(self) -> None:
        """Turns the journal into a file."""
        if self._file is None:
            return
        self.store._write(self.rows)
        self._file.close()
        self._path.unlink(missing_ok=True)
        self._file, self.rows = None, []

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.flush()


def _journal(path: Path) -> Iterator[Row]:
    """The rows of a journal; a last line that was cut off is left out."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and all(column in row for column in KEY):
            yield row
