"""Claims on work that several processes share a folder for: who claims something works on it alone.

A claim is a lock on one byte of the file ``claims.lock`` in that folder, at a place that is the hash of what is
claimed: no file for each claim, and none left over, since the system gives the locks of a process back when it
dies, however it dies. POSIX record locks also hold between machines on shared file systems that have them (NFS 4,
Lustre with ``flock``, GPFS). They do not hold between the threads of one process, so this module also keeps what
its own process has claimed.
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

from ...errors import ResultError

try:
    import fcntl
except ImportError:  # a system without POSIX locks: claims hold within one process
    fcntl = None  # type: ignore[assignment,unused-ignore]

#: The file whose bytes are locked; it stays empty.
FILE = "claims.lock"
#: Seconds between looks at a claim that another has; a wait begins with the first and doubles to the second.
PAUSE_S = (0.02, 1.0)
#: What the system says of a byte that another process has.
_TAKEN = (errno.EACCES, errno.EAGAIN)


@dataclass
class _Held:
    """The lock file of a folder as this process has it open, and the places in it that it holds."""

    file: int
    inode: int
    places: set[int] = field(default_factory=set)


#: By folder. Files stay open: closing any descriptor of a file gives up all locks of the process on it.
_held: dict[str, _Held] = {}
_mutex = threading.Lock()


@dataclass(frozen=True)
class Claims:
    """The claims in ``folder``, which must exist."""

    folder: Path

    def take(self, name: str) -> bool:
        """Claims ``name``; False if any thread of any process has it. Raises ResultError if the file system has no
        locks."""
        return bool(self.take_each([name]))

    def take_each(self, names: Iterable[str]) -> list[str]:
        """Claims ``names``, and says which of them nobody had; none if it is interrupted. Raises ResultError as
        `take`."""
        taken: list[str] = []
        with ExitStack() as undo:
            undo.callback(self.give_each, taken)
            with _mutex:
                held = self._open()
                taken.extend(name for name in names if self._lock(held, _place(name)))
            undo.pop_all()
        return taken

    def give(self, name: str) -> None:
        """Gives a claim back."""
        self.give_each([name])

    def give_each(self, names: Iterable[str]) -> None:
        """Gives claims back."""
        with _mutex:
            held = self._open()
            for place in map(_place, names):
                if place in held.places:
                    if fcntl is not None:
                        fcntl.lockf(held.file, fcntl.LOCK_UN, 1, place)
                    held.places.remove(place)

    def wait(self, name: str) -> None:
        """Claims ``name`` as soon as whoever has it gives it back or dies."""
        pause, longest = PAUSE_S
        while not self.take(name):
            time.sleep(pause)
            pause = min(2 * pause, longest)

    @contextmanager
    def held(self, name: str) -> Iterator[None]:
        """Waits for a claim and keeps it for a ``with`` block."""
        self.wait(name)
        try:
            yield
        finally:
            self.give(name)

    def _open(self) -> _Held:
        """The open lock file. A folder that was removed and made again has a new one, and nothing in it is held."""
        path = os.path.realpath(self.folder / FILE)
        known = _held.get(path)
        try:
            if known is not None and known.inode == _inode(path):
                return known
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            if known is not None:
                os.close(known.file)
            _held[path] = _Held(file, os.fstat(file).st_ino)
        except OSError as error:
            raise ResultError(f"{path}: cannot be written: {error.strerror or error}") from None
        return _held[path]

    def _lock(self, held: _Held, place: int) -> bool:
        """Locks a byte; False if any thread of any process has it."""
        if place in held.places:
            return False
        if fcntl is not None:
            try:
                fcntl.lockf(held.file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            except OSError as error:
                if error.errno in _TAKEN:
                    return False
                raise self._unfit(error) from None
        held.places.add(place)
        return True

    def _unfit(self, error: OSError) -> ResultError:
        return ResultError(
            f"{self.folder}: its file system has no record locks ({error.strerror or error}), which keep one run from "
            "being made twice; keep the runs in a folder that has them"
        )


def _place(name: str) -> int:
    """The byte that stands for ``name``: 62 bits, so that two names share one as good as never, and then only wait."""
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
