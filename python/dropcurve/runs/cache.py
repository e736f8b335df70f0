"""Location of the store of runs: a cache folder of the user, another one, or none.

The option ``--cache`` (``cache=`` in Python) comes first, then the environment variable ``DROPCURVE_CACHE``; both take
a folder or ``off``. Otherwise it is ``dropcurve`` in the user's cache folder (``XDG_CACHE_HOME``, else ``~/.cache``; on
Windows ``LOCALAPPDATA``). ``DROPCURVE_CACHE_SIZE`` limits its size ("500 MB"; 2 GB if it is not set).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import Interruption, ResultError
from ..quantities import units
from .store import SIZE, RunStore, writable

#: The value of option and variable that switches the cache off.
OFF = "off"
#: Folder inside a result for the runs of unfinished work, where there is no cache.
UNFINISHED = "unfinished"


def named(option: str | Path | None) -> str:
    """Returns the folder that the user asked for, "off", or "" for the default."""
    return str(option) if option is not None else os.environ.get("DROPCURVE_CACHE", "")


def folder(option: str | Path | None = None) -> Path | None:
    """The folder of the store; None if it is switched off, or if none is named and the default cannot be written."""
    chosen = named(option)
    if chosen == OFF:
        return None
    if chosen:
        return Path(chosen).expanduser()
    default = _default()
    try:
        writable(default)
    except ResultError:
        return None
    return default


def size() -> int:
    """Bytes that the store may take. Raises UsageError if the variable holds no size."""
    text = os.environ.get("DROPCURVE_CACHE_SIZE")
    return units.size(text, what="DROPCURVE_CACHE_SIZE") if text else SIZE


@contextmanager
def store(option: str | Path | None = None, *, out: Path | None = None) -> Iterator[RunStore | None]:
    """The store, open. Where it is off, the unfinished runs of a command that writes ``out`` are stored inside that
    folder and removed when the work is done; without ``out`` there is none.

    Raises ResultError if the folder that was named cannot be used, Interruption after Ctrl-C.
    """
    place = folder(option)
    if place is None and out is None:
        yield None
    elif place is None and out is not None:
        with _opened(out / UNFINISHED) as opened:
            yield opened
        shutil.rmtree(out / UNFINISHED, ignore_errors=True)
    elif place is not None:
        with _opened(place) as opened:
            yield opened


@contextmanager
def store_or(otherwise: Path, option: str | Path | None = None) -> Iterator[RunStore]:
    """The store, open; where it is off, one in the folder ``otherwise`` that stays. Raises as `store`."""
    with _opened(folder(option) or otherwise) as opened:
        yield opened


@contextmanager
def _opened(place: Path) -> Iterator[RunStore]:
    with RunStore(place, size()) as opened:
        try:
            yield opened
        except KeyboardInterrupt:
            raise Interruption(opened.served) from None


def _default() -> Path:
    home = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME")
    return (Path(home) if home else Path("~/.cache").expanduser()) / "dropcurve"
