"""Locks on runs that several processes share a folder for: the holder of a lock makes that run alone.

A lock is a POSIX record lock on one byte of the file ``runs.lock`` in the folder, at a place that is the hash of its
name: no file for each lock, and none left over, since the system releases the locks of a process when it ends, however
it ends. Record locks also hold between machines on shared file systems that have them (NFS 4, Lustre with ``flock``,
GPFS). They do not hold between the threads of one process, so this module also has a list of the locks of its own
process.
"""

from __future__ import annotations

import errno
import hashlib
import os
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import ResultError, unwritable

try:
    import fcntl
except ImportError:  # a system without POSIX locks: they hold within one process
    fcntl = None  # type: ignore[assignment,unused-ignore]

#: The file whose bytes are locked; it stays empty.
FILE = "runs.lock"
#: Seconds between attempts to acquire a lock that another process holds: the first pause, doubled up to the second.
PAUSE_S = (0.02, 1.0)
#: Errors of the system for a byte that another process has locked.
_TAKEN = (errno.EACCES, errno.EAGAIN)


@dataclass
class _OpenLock:
    """The lock file of a folder as this process has it open, and the bytes that it has locked."""

    file: int
    inode: int
    places: set[int] = field(default_factory=set)


#: By folder. Files stay open: closing any descriptor of a file releases all locks of the process on it.
_held: dict[str, _OpenLock] = {}
_mutex = threading.Lock()


@dataclass(frozen=True)
class Locks:
    """The locks in ``folder``, which must exist."""

    folder: Path

    def try_acquire(self, names: Iterable[str]) -> list[str]:
        """Acquires the locks that no thread of any process holds and returns their names; none if it is interrupted.

        Raises ResultError if the file system has no record locks.
        """
        taken: list[str] = []
        with ExitStack() as undo:
            undo.callback(self.release, taken)
            with _mutex:
                lock_file = self._open()
                taken.extend(name for name in names if self._lock(lock_file, _place(name)))
            undo.pop_all()
        return taken

    def acquire(self, name: str) -> None:
        """Acquires a lock as soon as its holder releases it or ends."""
        pause, longest = PAUSE_S
        while not self.try_acquire([name]):
            time.sleep(pause)
            pause = min(2 * pause, longest)

    def release(self, names: Iterable[str]) -> None:
        """Releases locks; those that this process does not hold are left alone."""
        with _mutex:
            lock_file = self._open()
            for place in map(_place, names):
                if place in lock_file.places:
                    if fcntl is not None:
                        fcntl.lockf(lock_file.file, fcntl.LOCK_UN, 1, place)
                    lock_file.places.remove(place)

    @contextmanager
    def holding(self, name: str) -> Iterator[None]:
        """Acquires a lock and holds it for a ``with`` block."""
        self.acquire(name)
        try:
            yield
        finally:
            self.release([name])

    def _open(self) -> _OpenLock:
        """The open lock file. A folder that was removed and made again has a new one, and nothing in it is locked."""
        path = os.path.realpath(self.folder / FILE)
        known = _held.get(path)
        try:
            if known is not None and known.inode == _inode(path):
                return known
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            if known is not None:
                os.close(known.file)
            _held[path] = _OpenLock(file, os.fstat(file).st_ino)
        except OSError as error:
            raise ResultError.of([unwritable(path, error)]) from None
        return _held[path]

    def _lock(self, lock: _OpenLock, place: int) -> bool:
        """Locks a byte; False if any thread of any process has locked it."""
        if place in lock.places:
            return False
        if fcntl is not None:
            try:
                fcntl.lockf(lock.file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            except OSError as error:
                if error.errno in _TAKEN:
                    return False
                raise self._unfit(error) from None
        lock.places.add(place)
        return True

    def _unfit(self, error: OSError) -> ResultError:
        return ResultError(
            "folder",
            self.folder,
            f"its file system has no record locks ({error.strerror or error}), which keep one run from being "
            "made twice",
            "keep the runs in a folder that has them",
            shown="value",
        )


def _place(name: str) -> int:
    """The byte of ``name``, one of 2^62: two names rarely share one, and then one only waits for the other."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") >> 2


def _inode(path: str) -> int | None:
    try:
        return Path(path).stat().st_ino
    except FileNotFoundError:
        return None


def _forget() -> None:
    """A forked child has none of its parent's locks."""
    global _mutex
    _mutex = threading.Lock()
    for held in _held.values():
        held.places.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
