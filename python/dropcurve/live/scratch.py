"""Folders that are removed afterwards, even if the process that made them was killed.

A folder belongs to the process that holds its lock (`flock`), which the kernel releases when the last process with it
ends. So folders left by a killed program can be distinguished from those in use, and the next program removes them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..errors import DropcurveError

try:
    import fcntl
except ImportError:  # not on Windows, where `live` is refused before it locks or opens anything
    fcntl = None  # type: ignore[assignment,unused-ignore]

#: Most numbered folders at a time.
PLACES = 64
#: Called before a folder is removed; returns whether it may be.
MayRemove = Callable[[Path], bool]


@dataclass(frozen=True)
class FolderClaim:
    """A locked folder. ``lock`` is a descriptor: a child that inherits it holds the lock as well."""

    path: Path
    lock: int


@contextmanager
def fresh(
    prefix: str, where: Path | None = None, may_remove: MayRemove = lambda _: True
) -> Iterator[FolderClaim]:
    """Creates a folder with a name that begins with ``prefix``; first removes those of killed programs with that
    prefix."""
    base = where or Path(tempfile.gettempdir())
    sweep(base.glob(f"{prefix}*"), may_remove)
    while True:
        # Another process may remove the folder before we lock it; then another name is tried.
        if claim := _claim(Path(tempfile.mkdtemp(prefix=prefix, dir=base))):
            break
    try:
        yield claim
    finally:
        _release(claim, may_remove)


@contextmanager
def numbered(prefix: str, where: Path | None = None) -> Iterator[FolderClaim]:
    """An empty folder named ``prefix`` and the smallest free number, so that consecutive runs have the same name.

    Raises DropcurveError if there are too many.
    """
    base = where or Path(tempfile.gettempdir())
    sweep(base.glob(f"{prefix}*"))
    claim = next(filter(None, (_make(base / f"{prefix}{number:02}") for number in range(PLACES))), None)
    if claim is None:
        raise DropcurveError(
            f"{base / prefix}..",
            "",
            f"all {PLACES} places are taken",
            "wait for other labs to end, or remove their folders",
            shown="path",
        )
    try:
        yield claim
    finally:
        _release(claim)


def sweep(paths: Iterable[Path], may_remove: MayRemove = lambda _: True) -> dict[Path, bool]:
    """Removes the folders that no process holds; returns for each whether it was removed."""
    claims = filter(None, map(_claim, paths))
    return {claim.path: _release(claim, may_remove) for claim in claims}


def _make(path: Path) -> FolderClaim | None:
    """A new folder of this name; None if there is one."""
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        return None
    return _claim(path)


def _claim(path: Path) -> FolderClaim | None:
    """Locks a folder; None if another process holds it, or it no longer exists."""
    try:
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held, there = os.fstat(lock), path.stat(follow_symlinks=False)
        if held.st_uid == os.geteuid() and (held.st_dev, held.st_ino) == (there.st_dev, there.st_ino):
            return FolderClaim(path, lock)
    except OSError:
        pass
    os.close(lock)
    return None


def _release(claim: FolderClaim, may_remove: MayRemove = lambda _: True) -> bool:
    """Releases and removes a folder; returns whether it was removed."""
    if gone := may_remove(claim.path):
        shutil.rmtree(claim.path, ignore_errors=True)
    os.close(claim.lock)
    return gone
