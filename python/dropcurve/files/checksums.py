"""Checksums over the files of a folder, in ``SHA256SUMS``: damage to a written file is noticed when it is read.

The file has the form of ``sha256sum`` (one line ``HASH  NAME`` for each file), so that ``sha256sum -c SHA256SUMS``
checks a folder without dropcurve. It reveals accidents, not forgery: anyone who can write the files can write it too.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import ResultError
from .reading import is_regular, read_bytes
from .writing import write_text

#: The file of checksums.
NAME = "SHA256SUMS"
_LINE = re.compile(r"([0-9a-f]{64})  ([^\n]+)")


@dataclass(frozen=True)
class Fault:
    """A damaged file and its fault."""

    path: Path
    what: str

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


def update(folder: Path, paths: Iterable[Path]) -> None:
    """Stores the checksums of files that were just written; those of other files stay. Raises OSError."""
    known = dict(_entries(folder))
    for path in paths:
        known[path.relative_to(folder).as_posix()] = _digest(path)
    kept = {name: digest for name, digest in known.items() if (folder / name).exists()}
    write_text(folder / NAME, "".join(f"{digest}  {name}\n" for name, digest in sorted(kept.items())))


def add(folder: Path, paths: Iterable[Path]) -> None:
    """Stores the checksums of those files that were just written into a folder, or below it. Raises OSError."""
    inside = [path for path in paths if path.resolve().is_relative_to(folder.resolve())]
    if inside:
        update(folder.resolve(), [path.resolve() for path in inside])


def faults(folder: Path, *, only: Iterable[str] | None = None) -> Iterator[Fault]:
    """Yields the files of a folder that are missing or not as they were written.

    Args:
        folder: The folder; without checksums in it nothing is known, and nothing found.
        only: Names of the files to check; None for all that have a checksum.

    Raises:
        ResultError: If the checksums themselves cannot be read.
    """
    known = dict(_entries(folder))
    for name in known if only is None else (one for one in only if one in known):
        path = folder / name
        if not path.exists():
            yield Fault(path, "is missing")
        elif not is_regular(path) or not path.resolve().is_relative_to(folder.resolve()):
            yield Fault(path, "is not a regular file of this folder")
        elif _digest(path) != known[name]:
            yield Fault(path, "is not what was written: its checksum (SHA-256) differs")


def covered(folder: Path) -> list[str]:
    """The names of the files that have a checksum."""
    return [name for name, _ in _entries(folder)]


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _entries(folder: Path) -> Iterator[tuple[str, str]]:
    """(name, checksum) of every line."""
    path = folder / NAME
    remedy = "remove it, or run the command again"
    try:
        text = read_bytes(path, limit=2**26).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, UnicodeDecodeError) as error:
        raise ResultError(
            path, "", f"cannot be read: {getattr(error, 'strerror', error)}", remedy, shown="path"
        ) from None
    for number, line in enumerate(text.splitlines(), start=1):
        match = _LINE.fullmatch(line)
        if match is None or ".." in Path(match[2]).parts or Path(match[2]).is_absolute():
            # Without the line: the file may be a link to one that is nobody else's business.
            raise ResultError(
                f"{path}:{number}", "", "is damaged: no line of a checksum", remedy, shown="path"
            )
        yield match[2], match[1]
