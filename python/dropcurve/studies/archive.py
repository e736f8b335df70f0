"""Finished runs of a study in one file, ``runs.sqlite``: summaries compressed against the first of them, series if a
figure needs them.

A run is known by the hash of its scenario and its seed. The file belongs to one build of the core: another one begins
it anew. Each run is written in a transaction of its own, so that whatever ends the process costs only the runs that
were under way.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import ResultError
from ..runs.job import build
from ..runs.record import RunRecord, pack_series, unpack_series
from ..runs.store import writable

#: zlib looks back no farther.
REACH = 32768
TABLES = """
CREATE TABLE IF NOT EXISTS about (build TEXT, sample BLOB);
CREATE TABLE IF NOT EXISTS runs (scenario TEXT, seed INTEGER, summary BLOB, series BLOB, UNIQUE (scenario, seed));
"""


@dataclass
class Archive:
    """The runs kept in ``folder``."""

    folder: Path
    _open: sqlite3.Connection | None = field(default=None, repr=False)
    _sample: bytes = field(default=b"", repr=False)

    @property
    def path(self) -> Path:
        """Where the runs are."""
        return self.folder / "runs.sqlite"

    def open(self) -> None:
        """Makes the file, empty if it is of another build. Raises ResultError if it cannot be written or is no such
        file, before any work is done."""
        writable(self.folder)
        try:
            self._open = sqlite3.connect(self.path, isolation_level=None)
            # What is written has to outlive the process, not the machine: no waiting for the disk.
            self._open.executescript(f"PRAGMA synchronous = OFF; PRAGMA journal_mode = TRUNCATE; {TABLES}")
            about = self._open.execute("SELECT build, sample FROM about").fetchone()
            if about is None or about[0] != build():
                self._open.executescript("DELETE FROM about; DELETE FROM runs; VACUUM")
                about = None
        except sqlite3.Error as error:
            raise ResultError(f"{self.path}: cannot be used: {error}; move it away") from None
        self._sample = b"" if about is None else about[1]

    def find(self, scenario: str, seed: int, *, series: bool = False) -> RunRecord | None:
        """The run of a scenario (by hash) and seed, if it is there and has series where they are wanted."""
        asked = "SELECT summary, series FROM runs WHERE scenario = ? AND seed = ?"
        row = self._file.execute(asked, (scenario, seed)).fetchone()
        if row is None or (series and row[1] is None):
            return None
        try:
            words = zlib.decompressobj(zdict=self._sample).decompress(row[0])
            return RunRecord(json.loads(words), unpack_series(row[1]) if series else None)
        except (zlib.error, ValueError, OSError, KeyError):
            return None

    def keep(self, scenario: str, seed: int, done: RunRecord) -> None:
        """Writes a run. Raises ResultError if the file cannot be written."""
        words = json.dumps(done.summary, separators=(",", ":")).encode()
        try:
            if not self._sample:
                self._file.execute("INSERT INTO about VALUES (?, ?)", (build(), words[-REACH:]))
                self._sample = words[-REACH:]
            press = zlib.compressobj(9, zdict=self._sample)
            row = (scenario, seed, press.compress(words) + press.flush(), pack_series(done.series))
            self._file.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            raise ResultError(f"{self.path}: cannot be written: {error}") from None

    def count(self) -> int:
        """How many finished runs are here."""
        if self._open is None and not self.path.is_file():
            return 0
        return int(self._file.execute("SELECT count(*) FROM runs").fetchone()[0])

    def close(self) -> None:
        """Lets go of the file; what was kept stays."""
        if self._open is not None:
            self._open.close()
            self._open = None

    @property
    def _file(self) -> sqlite3.Connection:
        if self._open is None:
            self.open()
        assert self._open is not None, "opening either gives a connection or raises"
        return self._open
