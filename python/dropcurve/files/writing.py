"""Files that appear complete or not at all, even after a failure during the write."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path


@contextmanager
def draft(path: Path) -> Iterator[Path]:
    """A temporary file in the folder of ``path``, renamed to ``path`` when the block ends without an error.

    If the block fails, the draft is removed, and ``path`` is unchanged.

    Raises:
        OSError: If the disk is full or the folder cannot be written; ``filename`` is ``path``.
    """
    partial = path.with_name(f".{path.name[:100]}.{uuid.uuid4().hex[:12]}.part")
    try:
        yield partial
        with partial.open("rb") as written:
            # The content reaches the disk before the rename.
            os.fsync(written.fileno())
        partial.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None
    finally:
        with suppress(OSError):
            partial.unlink()


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file whole or not at all. Raises OSError with its path."""
    with draft(path) as partial:
        partial.write_bytes(content)


def write_parts(path: Path, parts: Iterable[bytes]) -> None:
    """Writes a file whole or not at all, of parts that need not be in memory at once. Raises OSError with its path."""
    with draft(path) as partial, partial.open("wb") as file:
        file.writelines(parts)


def write_text(path: Path, text: str) -> None:
    """Writes a file of UTF-8 text with line feeds whole or not at all. Raises OSError with its path."""
    write_bytes(path, text.encode("utf-8"))


def copy_files(paths: Iterable[Path], folder: Path) -> None:
    """Copies files into a folder, all of them or none: no file there changes before the last copy is complete.

    Raises:
        OSError: If the disk is full or the folder cannot be written; ``filename`` is the file in ``folder``.
    """
    with ExitStack() as drafts:
        for path in paths:
            copy = drafts.enter_context(draft(folder / path.name))
            with path.open("rb") as source, copy.open("wb") as copied:
                shutil.copyfileobj(source, copied, 1 << 20)
                copied.flush()
                os.fsync(copied.fileno())
