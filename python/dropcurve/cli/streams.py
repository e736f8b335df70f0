"""Standard streams: closed ones are noticed before they are used, and a reader that leaves is distinguished from other
broken pipes."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any

from ..errors import UsageError
from ..present.visible import visible


class ReaderGone(Exception):
    """The reader of standard output has closed it, as ``head`` does: the command ends without an error."""


class Output(io.TextIOWrapper):
    """Standard output without characters that control a terminal; its own failures are reported as its
    own.

    A broken pipe becomes `ReaderGone`, so that no other pipe is taken for it; other failures, such as a full disk,
    name the stream.
    """

    def write(self, text: str) -> int:
        """Writes text as `io.TextIOWrapper` does. Raises ReaderGone, or OSError that names the stream."""
        try:
            return super().write(visible(text, lines=True))
        except OSError as error:
            raise self._own(error) from None

    def flush(self) -> None:
        """Flushes the buffer. Raises as `write`."""
        try:
            super().flush()
        except OSError as error:
            raise self._own(error) from None

    def _own(self, error: OSError) -> Exception:
        if error.errno == errno.EPIPE:
            return ReaderGone()
        return OSError(error.errno, error.strerror, "standard output")


class Messages(io.TextIOWrapper):
    """Standard error. If it cannot be written, on a full disk or because its reader has left, its messages are lost;
    the answer and the exit code stay as they are."""

    def write(self, text: str) -> int:
        """Writes text as `io.TextIOWrapper` does, or discards it."""
        try:
            return super().write(text)
        except OSError:
            self._discard()
            return len(text)

    def flush(self) -> None:
        """Flushes the buffer, or discards it."""
        try:
            super().flush()
        except OSError:
            self._discard()

    def _discard(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)


def own() -> None:
    """Takes over the standard streams of this process.

    A closed standard input or error becomes the null device, so that no file we open gets its number.

    Raises:
        UsageError: If standard output is closed, as the answer would have nowhere to go.
    """
    for number, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is this one: those below it are open by now.
            os.open(os.devnull, mode)
    closed = sys.stdout is None
    sys.stdin = sys.stdin or os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)
    plain: Any = sys.stderr
    if isinstance(plain, io.TextIOWrapper) and not isinstance(plain, Messages):
        sys.stderr = _taken_over(Messages, plain)
    if closed:
        raise UsageError(
            "standard output",
            "closed",
            "standard output is closed, so the answer has nowhere to go",
            "send it to a file, or to /dev/null",
            shown="rule",
        )
    plain = sys.stdout
    if isinstance(plain, io.TextIOWrapper) and not isinstance(plain, Output):
        sys.stdout = _taken_over(Output, plain)


def _taken_over(kind: type[io.TextIOWrapper], plain: io.TextIOWrapper) -> io.TextIOWrapper:
    """A stream of another kind with the file and the settings of one, which is detached; unbuffered if that was
    (``PYTHONUNBUFFERED``), so that progress does not wait for the end."""
    encoding, errors, lines, through = plain.encoding, plain.errors, plain.line_buffering, plain.write_through
    return kind(plain.detach(), encoding, errors, line_buffering=lines, write_through=through)


def leave() -> None:
    """Discards buffered output, so that the interpreter reports no error at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return
