"""The table of a sweep: a row for each run, under the hash of its scenario, its seed and the build of the core.

A run table is a folder of Parquet files that grows by whole files only, so that any number of processes on any
number of machines may write into it at the same time. Until a file is complete, its rows are written one per
line into a journal. If the process is killed, the next process that opens the table, or is assigned the same
work, reads the journal. Without pyarrow (the extra ``sweep``) the journal itself is the file.

No run is made twice. A session locks a run before it makes it (`locks`) and holds the lock until the run is
in a Parquet file. The lock holder knows the files that existed when the work was assigned, so it only reads
the files that other sessions have written since (`RunTable.read_new`): a run that is not in them has not been
made.

Files are called ``KIND-SESSION-WORK-NUMBER``. A session is one sweep or search; it assigns each piece of work
once, so that its files for other work need not be read.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import dropcurve._core as _core

from ...errors import ResultError, installed, unwritable
from ...files.writing import draft
from .. import cache as caches
from ..locks import Locks
from ..store import writable
from . import arrow, run_files
from .rows import KEY, Key, Row, identity, key

#: Rows of a file during a sweep; `RunTable.compact` makes larger ones of many.
ROWS = 2_000
#: Seconds after which a file is written even if it has fewer rows: others may be waiting for them.
FLUSH_S = 30.0
#: Rows of a file afterwards.
COMPACT_ROWS = 500_000
#: Size below which a file is merged whatever its number of rows.
SMALL_BYTES = 1_000_000
#: Number of files above which a table is compacted when it is opened.
MANY = 200
#: The lock under which files are merged or journals converted.
_TIDYING = "tidying"


def _part_of(journal: Path) -> Path:
    """The file that a journal becomes, without its suffix."""
    return journal.with_name(f"part-{journal.stem.removeprefix('journal-')}")


def _short() -> str:
    return uuid.uuid4().hex[:12]


@dataclass(frozen=True)
class RunTable:
    """The runs in ``folder``; those of another ``build`` stay there but are ignored.

    ``session`` names the sweep or search that uses the table, ``known`` the files it had read when it decided
    which runs to make, and ``cache`` the store of runs, as the option of a command does (`runs.cache`).
    """

    folder: Path
    build: str
    session: str = field(default_factory=_short, compare=False)
    known: set[str] = field(default_factory=set, compare=False)
    cache: str | Path | None = field(default=None, compare=False)

    def open(self) -> None:
        """Creates the folder, adopts the journals of interrupted work and notes the table in the store of runs,
        for other commands to read. Raises ResultError if it cannot be written."""
        writable(self.folder)
        self.adopt()
        if len(self.files()) > MANY:
            self.compact()
        with caches.store(self.cache) as store:
            if store is not None:
                store.note_table(self.folder.resolve(), identity())

    @property
    def locks(self) -> Locks:
        """The locks on its runs and journals."""
        return Locks(self.folder)

    def adopt(self) -> None:
        """Converts the journals of killed processes to files, removes the drafts that these left, and waits for other
        processes that do so."""
        with self.locks.holding(_TIDYING):
            self._remove_drafts("part-*-compact-0.parquet")
            for path in sorted(self.folder.glob("journal-*.jsonl")):
                if self.locks.try_acquire([path.name]):
                    try:
                        self._remove_drafts(f"{_part_of(path).name}.parquet")
                        self._close(path, list(run_files.journal_rows(path)))
                    finally:
                        self.locks.release([path.name])
            for path in sorted(self.folder.glob("part-*.jsonl")) if installed("pyarrow") else ():
                self._remove_drafts(path.with_suffix(".parquet").name)
                self._write(path.with_suffix(".parquet"), list(run_files.journal_rows(path)))
                path.unlink()

    def _remove_drafts(self, name: str) -> None:
        """Removes what killed processes left of files of this name, of which no other process writes one."""
        for path in self.folder.glob(f".{name}.*.part"):
            path.unlink(missing_ok=True)

    def files(self) -> list[Path]:
        """The Parquet files, in order of their names."""
        return sorted(self.folder.glob("part-*.parquet"))

    def parts(self) -> list[Path]:
        """The Parquet files, and the journals that no process with pyarrow has converted yet."""
        return sorted([*self.files(), *self.folder.glob("part-*.jsonl")])

    def keys(self) -> set[Key]:
        """(scenario, seed) of every run in the table."""
        return {key(row) for row in self.rows(columns=KEY)}

    def rows(self, *, columns: Iterable[str] | None = None) -> Iterator[Row]:
        """Every run of this build once, without gaps. Their files become `known`."""
        wanted = None if columns is None else list(columns)
        seen: set[Key] = set()
        read: set[str] = set()
        while fresh := [path for path in self.parts() if path.name not in read]:
            for path in fresh:
                rows = run_files.rows_of(path, columns=wanted)
                for row in rows or ():
                    if row["build"] == self.build and key(row) not in seen:
                        seen.add(key(row))
                        yield run_files.without_gaps(row)
                if rows is not None:
                    read.add(path.name)
        self.known.update(read)

    def read_new(self, keys: Iterable[Key], work: str, *, exclude: Path | None = None) -> dict[Key, Row]:
        """Rows of the runs ``keys``, which the caller has locked, as far as others have made them since this
        session read the table, or they were made for the same ``work`` before. The file ``exclude`` is not
        read.

        Journals are read first: one that disappears meanwhile has become a file before the files are listed.
        """
        wanted = set(keys)
        rows_of: dict[Key, Row] = {}
        for path in self._others("journal-*.jsonl", work):
            if path == exclude:
                continue
            rows_of |= {key(row): row for row in run_files.journal_rows(path) if row["build"] == self.build}
        rows_of = {name: row for name, row in rows_of.items() if name in wanted}
        read: set[str] = set()
        while fresh := [path for path in self._other_parts(work) if path.name not in read]:
            for path in fresh:
                read.add(path.name)
                if wanted & run_files.keys_of(path, self.build):
                    rows = run_files.rows_of(path, columns=None) or []
                    mine = (row for row in rows if row["build"] == self.build and key(row) in wanted)
                    rows_of |= {key(row): run_files.without_gaps(row) for row in mine}
        return rows_of

    def _other_parts(self, work: str) -> list[Path]:
        return [*self._others("part-*.parquet", work), *self._others("part-*.jsonl", work)]

    def _others(self, pattern: str, work: str) -> list[Path]:
        """Files of other sessions that are not `known`, and those of this session's ``work``."""
        own = {f"{kind}-{self.session}-{work}" for kind in ("journal", "part")}
        mine = {f"{kind}-{self.session}" for kind in ("journal", "part")}
        names = [path.name for path in self.folder.glob(pattern)]
        return [
            self.folder / name
            for name in sorted(names)
            if name not in self.known
            and (name.rsplit("-", 1)[0] in own or "-".join(name.split("-", 2)[:2]) not in mine)
        ]

    def writer(self, *, work: str = "") -> Writer:
        """A writer of rows; ``work`` names the work they belong to, for `read_new`."""
        return Writer(self, work or _short())

    def compact(self) -> None:
        """Merges many small files into few large ones. If it is killed half-way, some runs are stored twice,
        and readers return them once."""
        with self.locks.holding(_TIDYING):
            # A file whose journal still exists would be written again if its writer died now.
            small = [
                path
                for path in self.files()
                if (path.stat().st_size < SMALL_BYTES or run_files.row_count(path) < COMPACT_ROWS // 2)
                and not run_files.journal_of(path).exists()
            ]
            if len(small) < 2:
                return
            seen: set[tuple[Any, ...]] = set()
            some: list[Any] = []
            for path in small:
                table = run_files.read_table(path, columns=None)
                if table is not None:
                    some.append(run_files.unseen(table, seen))
                if sum(table.num_rows for table in some) >= COMPACT_ROWS:
                    self._join(some)
                    some = []
            self._join(some)
            for path in small:
                path.unlink(missing_ok=True)

    def _close(self, journal: Path, rows: list[Row]) -> None:
        """Writes a Parquet file of a journal's rows and removes the journal. The file has the journal's name,
        so that doing it again, after having been killed in between, leaves one file."""
        part = _part_of(journal)
        if rows and installed("pyarrow"):
            self._write(part.with_suffix(".parquet"), rows)
        elif rows:
            journal.replace(part.with_suffix(".jsonl"))
        journal.unlink(missing_ok=True)

    def _join(self, tables: Sequence[Any]) -> None:
        """One file of several tables, whose columns need not be the same: a missing value is null."""
        import pyarrow as pa

        if any(table.num_rows for table in tables):
            whole = pa.concat_tables(tables, promote_options="permissive")
            self._put(self.folder / f"part-{_short()}-compact-0.parquet", whole)

    def _write(self, path: Path, rows: list[Row]) -> None:
        """A Parquet file of rows."""
        self._put(path, arrow.table(rows))

    def _put(self, path: Path, table: Any) -> None:
        """A Parquet file; it appears whole or not at all, and is on the disk before its journal goes."""
        import pyarrow.parquet as parquet

        try:
            with draft(path) as partial:
                # Nearly all columns are numbers, which seldom repeat.
                parquet.write_table(
                    table, partial, compression="zstd", use_dictionary=False, write_page_checksum=True
                )
        except OSError as error:
            raise ResultError.of([unwritable(path, error)]) from error


@dataclass
class Writer:
    """Rows to be added to a table, and the locks on them; use it in a ``with`` block by one thread."""

    table: RunTable
    work: str
    rows: list[Row] = field(default_factory=list)
    _locked: set[str] = field(default_factory=set)
    _file: IO[bytes] | None = None
    _opened: float = 0.0

    def try_lock(self, keys: Sequence[Key]) -> list[Key]:
        """Locks those of the runs that no other session is making."""
        names = {self._name(one): one for one in keys}
        locked = self.table.locks.try_acquire(names)
        self._locked.update(locked)
        return [names[name] for name in locked]

    def lock(self, keys: Sequence[Key]) -> list[Key]:
        """Locks those of the runs that no other session is making; if there are none, waits for the first
        one.

        It holds no other lock while it waits, so that two sessions that wait for each other's runs cannot
        deadlock.
        """
        locked = self.try_lock(keys)
        if not locked and keys:
            self.flush()
            name = self._name(keys[0])
            self.table.locks.acquire(name)
            self._locked.add(name)
            locked = [keys[0]]
        return locked

    def read_new(self, keys: Iterable[Key]) -> dict[Key, Row]:
        """Existing rows of the runs that it has locked but not added itself; see `RunTable.read_new`."""
        own = None if self._file is None else Path(self._file.name)
        return self.table.read_new(keys, self.work, exclude=own)

    def add(self, row: Row) -> None:
        """Stores the row of a run that was locked: in the journal when this returns, which outlives the process."""
        if self._file is None:
            # The journal is locked before it exists, so that no session takes it for that of a dead process.
            name = f"journal-{self.table.session}-{self.work}-{_short()}.jsonl"
            if self.table.locks.try_acquire([name]):
                self._locked.add(name)
            self._file = (self.table.folder / name).open("wb")
            self._opened = time.monotonic()
        self._file.write(_core.json_line(row))
        self._file.flush()
        self.rows.append(row)

    def tidy(self) -> None:
        """Turns the journal into a file if it is long or old."""
        if len(self.rows) >= ROWS or (self.rows and time.monotonic() - self._opened > FLUSH_S):
            self.flush()

    def flush(self) -> None:
        """Turns the journal into a file and releases all locks."""
        try:
            if self._file is not None:
                self._file.close()
                self.table._close(Path(self._file.name), self.rows)
                self._file, self.rows = None, []
        finally:
            self.table.locks.release(self._locked)
            self._locked.clear()

    def _name(self, key: Key) -> str:
        return f"run {key[0]} {key[1]} {self.table.build}"

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.flush()
