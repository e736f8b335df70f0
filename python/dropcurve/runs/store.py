"""The store of finished runs: each is stored once, under its address, and found by every later request.

One SQLite file, ``runs-1.sqlite``. Any number of processes use it at once: a write is one transaction, and a process
that is killed leaves the file as its last transaction left it. Runs are found and added singly, by key, which is what
SQLite does well; the table of a sweep, which is read by column, has a form of its own (`sweeping.run_table`).
`docs/decisions/010-one-store-of-runs.md` has the measurements behind both.

A record has a checksum, and is parsed and compared with the job when it is loaded: one that is damaged counts as
missing, and the run is made again. The file grows to a stated size; beyond it the least recently used runs are
removed.
"""

from __future__ import annotations

import math
import sqlite3
import time
import uuid
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from ..errors import ResultError, unwritable
from ..metrics.summary import RunSummary
from ..results.series import Series
from . import record
from .job import Job, address
from .locks import Locks
from .record import ProbeRecord, RunRecord

#: Bytes that the file may take (`cache.size` lets a user choose).
SIZE = 2_000_000_000
#: Share of that size that remains after runs are removed.
LEFT = 0.8
#: Most seconds before a finished run is written, together with others.
WAIT_S = 0.2
#: Runs written in one transaction at most.
TOGETHER = 256
#: Seconds to wait for another process's transaction.
BUSY_S = 60.0
#: Errors of SQLite that come from the disk, not from the file.
_OF_THE_DISK = ("SQLITE_IOERR", "SQLITE_FULL", "SQLITE_READONLY")
#: Seconds between two notes that a run was used.
USED_S = 86_400

TABLES = """
CREATE TABLE IF NOT EXISTS about (one INTEGER PRIMARY KEY CHECK (one = 1), dictionary BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS runs (
    address BLOB PRIMARY KEY, level INTEGER NOT NULL, used INTEGER NOT NULL, checksum INTEGER NOT NULL,
    summary BLOB NOT NULL, series BLOB);
CREATE INDEX IF NOT EXISTS by_use ON runs (used);
CREATE TABLE IF NOT EXISTS tables (folder TEXT PRIMARY KEY, made_by TEXT NOT NULL);
"""
ADD = """
INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (address) DO UPDATE SET
    level = excluded.level, used = excluded.used, checksum = excluded.checksum, summary = excluded.summary,
    series = excluded.series WHERE excluded.level >= level
"""
FIND = "SELECT level, used, checksum, summary, CASE WHEN ? THEN series END FROM runs WHERE address = ?"


def writable(folder: Path) -> None:
    """Creates a folder. Raises ResultError if it cannot be written."""
    probe = folder / f".part-{uuid.uuid4().hex}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ResultError.of([unwritable(folder, error)]) from None


@dataclass
class RunStore:
    """The runs in ``folder``; use it in a ``with`` block, in one thread."""

    folder: Path
    size: int = SIZE
    _open: sqlite3.Connection | None = field(default=None, repr=False)
    _dictionary: bytes = field(default=b"", repr=False)
    _waiting: list[tuple[object, ...]] = field(default_factory=list, repr=False)
    _used: list[bytes] = field(default_factory=list, repr=False)
    _written: float = 0.0
    #: Runs found and added since the store was opened.
    served: int = 0

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / "runs-1.sqlite"

    @property
    def locks(self) -> Locks:
        """The locks on runs that are being made."""
        return Locks(self.folder)

    def __enter__(self) -> Self:
        """Raises ResultError if the folder cannot be written or the file is not a store, before any work is done."""
        writable(self.folder)
        with self._translated("cannot be used", "move it away"):
            self._open = sqlite3.connect(self.path, timeout=BUSY_S, isolation_level=None)
            self._open.execute("PRAGMA auto_vacuum = INCREMENTAL")
            # Readers and a writer at once; on a file system without support the mode stays the same.
            self._open.execute("PRAGMA journal_mode = WAL")
            self._open.execute("PRAGMA synchronous = NORMAL")
            self._open.executescript(TABLES)
            about = self._open.execute("SELECT dictionary FROM about").fetchone()
        self._dictionary = about[0] if about else b""
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        try:
            self.flush()
            self._note_use()
            self.shrink()
        finally:
            self._connection.close()
            self._open = None

    def find(self, job: Job) -> RunRecord | None:
        """The run of a job; None if it is missing, damaged, or was stored with less than the job asks for."""
        series = job.keep == "series"
        with self._translated("cannot be read", "move it away"):
            row = self._connection.execute(FIND, (series, job.address)).fetchone()
        if row is None or row[0] < job.level or row[2] != zlib.crc32(row[3]):
            return None
        kind = ProbeRecord if job.probe else RunSummary
        summary = record.parse(row[3], self._dictionary, job.key, kind=kind)
        curves = record.unpack_series(row[4]) if series and row[4] is not None else None
        if summary is None or (series and curves is None):
            return None
        self.served += 1
        if row[1] < time.time() - USED_S:
            self._used.append(job.address)
        return RunRecord(summary, curves).cut(job.keep)

    def summaries(self, keys: Collection[tuple[str, int]]) -> Iterator[RunSummary]:
        """The summaries of those of the runs (hash of the scenario, seed) that are stored, ``derived`` left out."""
        names = {address(*one): one for one in keys}
        wanted = list(names)
        for start in range(0, len(wanted), TOGETHER):
            batch = wanted[start : start + TOGETHER]
            query = (
                f"SELECT address, checksum, summary FROM runs WHERE address IN ({','.join('?' * len(batch))})"
            )
            with self._translated("cannot be read", "move it away"):
                rows = self._connection.execute(query, batch).fetchall()
            for name, checksum, blob in rows:
                if checksum == zlib.crc32(blob):
                    summary = record.parse(blob, self._dictionary, names[bytes(name)])
                    if summary is not None:
                        summary.pop("derived", None)
                        yield summary

    def note_table(self, folder: Path, made_by: str) -> None:
        """Records that a folder has the table of a sweep, whose rows the code ``made_by`` computes."""
        with self._transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO tables VALUES (?, ?)", (str(folder), made_by))

    def tables(self, made_by: str) -> list[Path]:
        """The recorded folders of tables, without those of other code and those that no longer exist."""
        rows = self._connection.execute("SELECT folder FROM tables WHERE made_by = ?", (made_by,)).fetchall()
        folders = [Path(folder) for (folder,) in rows]
        gone = [(str(folder),) for folder in folders if not folder.is_dir()]
        if gone:
            with self._transaction() as connection:
                connection.executemany("DELETE FROM tables WHERE folder = ?", gone)
        return [folder for folder in folders if (str(folder),) not in gone]

    def add(self, job: Job, added: RunRecord) -> None:
        """Stores a run, at once or together with those that finish within a fifth of a second (`flush`)."""
        self.add_text(job, record.serialise(added), added.series)

    def add_text(self, job: Job, text: bytes, series: Series | None = None) -> None:
        """Stores a run as `add` does, by the text of its summary."""
        if not self._dictionary:
            self._dictionary = self._agree_on(text)
        blob = record.compress(text, self._dictionary)
        packed = record.pack_series(series)
        self.served += 1
        self._waiting.append((job.address, job.level, int(time.time()), zlib.crc32(blob), blob, packed))
        if len(self._waiting) >= TOGETHER:
            self.flush()
        else:
            self.tick()

    def tick(self) -> None:
        """Writes the runs that are old enough."""
        if self._waiting and time.monotonic() - self._written >= WAIT_S:
            self.flush()

    def flush(self) -> None:
        """Writes all runs that are not written yet."""
        if self._waiting:
            with self._transaction() as connection:
                connection.executemany(ADD, self._waiting)
            self._waiting.clear()
        self._written = time.monotonic()

    def changed(self) -> int:
        """A number that changes when another process writes."""
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def count(self) -> int:
        """Number of runs in the file."""
        return int(self._connection.execute("SELECT count(*) FROM runs").fetchone()[0])

    def used_bytes(self) -> int:
        """Bytes in use in the file."""
        pages, free, size = (
            int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free) * size

    def shrink(self) -> None:
        """Removes the least recently used runs if the file is too large."""
        if self.used_bytes() <= self.size:
            return
        while (excess := 1.0 - LEFT * self.size / self.used_bytes()) > 0 and (count := self.count()):
            with self._transaction() as connection:
                oldest = "SELECT address FROM runs ORDER BY used LIMIT ?"
                fewer = math.ceil(excess * count)
                connection.execute(f"DELETE FROM runs WHERE address IN ({oldest})", (fewer,))
        self._connection.executescript("PRAGMA incremental_vacuum")

    def _agree_on(self, text: bytes) -> bytes:
        """The dictionary that all runs are compressed against: the text of the first one ever stored."""
        with self._transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO about VALUES (1, ?)", (text[-record.REACH :],))
            return bytes(connection.execute("SELECT dictionary FROM about").fetchone()[0])

    def _note_use(self) -> None:
        if self._used:
            with self._transaction() as connection:
                now = int(time.time())
                connection.executemany(
                    "UPDATE runs SET used = ? WHERE address = ?", [(now, one) for one in self._used]
                )
            self._used.clear()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._translated("cannot be written", "make room, or choose another folder"):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except sqlite3.Error:
                # Also after a COMMIT that failed: the transaction would stay open, and refuse the next one.
                self._connection.rollback()
                raise

    @contextmanager
    def _translated(self, action: str, remedy: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if str(getattr(error, "sqlite_errorname", "")).startswith(_OF_THE_DISK):
                action, remedy = "cannot be written", "make room on its disk, or name another folder"
            raise ResultError(self.path, "", f"{action}: {error}", remedy, shown="path") from None

    @property
    def _connection(self) -> sqlite3.Connection:
        assert self._open is not None, "a store is used inside its with block"
        return self._open
