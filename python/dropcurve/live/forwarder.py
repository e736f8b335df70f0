"""The forwarding process, and its control socket.

    python -m dropcurve.live.forwarder SETTINGS RESULT

reads settings and writes its counters, both as JSON. It runs until SIGTERM, or until it is stopped.
"""

from __future__ import annotations

import contextlib
import json
import re
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dropcurve._core as _core

from ..errors import DropcurveError, Problem, WorkError


class Control:
    """A connection to a running forwarder."""

    def __init__(self, path: str | Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(10)
        self._socket.connect(str(path))
        self._file = self._socket.makefile("rw", encoding="utf-8")

    def ask(self, wish: str, **more: Any) -> dict[str, Any]:
        """Asks the forwarder for one of stats, reset, set (with ``values``), stop.

        Raises:
            DropcurveError: With every problem of the settings.
            WorkError: If the forwarder does not answer.
        """
        try:
            self._file.write(json.dumps({"do": wish, **more}) + "\n")
            self._file.flush()
            line = self._file.readline()
        except TimeoutError:
            raise WorkError(
                "forwarder", "", "the forwarder does not answer", "stop it and run it again", shown="rule"
            ) from None
        except (OSError, ValueError):
            line = ""
        if not line.endswith("\n"):
            raise WorkError("forwarder", "", "the forwarder has ended", "run it again", shown="rule")
        answer: dict[str, Any] = json.loads(line)
        if problems := answer.get("problems"):
            raise DropcurveError.of(
                Problem(
                    wish, ", ".join(map(str, more.values())), one, "correct it, and ask again", shown="rule"
                )
                for one in problems
            )
        return answer

    def close(self) -> None:
        """Closes the connection; requests not yet sent are dropped if the forwarder has ended."""
        with contextlib.suppress(OSError):
            self._file.close()
        self._socket.close()


@contextlib.contextmanager
def control(path: str | Path) -> Iterator[Control]:
    """Connects to the forwarder with this control socket. Raises DropcurveError if there is none."""
    try:
        line = Control(path)
    except OSError as error:
        raise DropcurveError(
            path,
            "",
            f"no forwarder answers there: {error.strerror or error}",
            "start one with `dropcurve live run`, which prints its control socket",
            shown="path",
        ) from None
    try:
        yield line
    finally:
        line.close()


def await_control(path: Path, alive: Any, *, seconds: float = 300.0) -> Control:
    """A control connection to a forwarder that is starting; ``alive`` returns whether it still runs."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and alive():
        with contextlib.suppress(OSError):
            return Control(path)
        time.sleep(0.02)
    raise DropcurveError(
        "forwarder",
        "",
        "the forwarder did not start",
        "run it again; its own message comes before this one",
        shown="rule",
    )


def plain(error: OSError) -> str:
    """Message of an error of the core, without its errno, and with the remedy if rights are missing."""
    text = re.sub(r" \(os error \d+\)", "", str(error))
    if "Operation not permitted" in text:
        text += "; that needs root, or CAP_NET_RAW and CAP_NET_ADMIN"
    return text


def main(arguments: list[str]) -> int:
    """Runs the forwarder; 1 and a line on standard error if it cannot."""
    settings, result = arguments
    # Opened now, because this process may not open files while it forwards.
    with Path(result).open("w", encoding="utf-8") as file:
        try:
            file.write(_core.live_forward(Path(settings).read_text(encoding="utf-8")))
        except OSError as error:
            sys.stderr.write(f"{plain(error)}\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
