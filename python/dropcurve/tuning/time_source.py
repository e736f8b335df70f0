"""The clock that limits of time are measured by: the wall clock, or processor seconds.

Every reading of time in `tune` comes from here, so that a limit can be given in processor seconds, in which the load of
the machine does not count.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


class TimeSource(Protocol):
    """Source of time in seconds; only differences have a meaning."""

    def now(self) -> float:
        """The time, in seconds."""

    def slowdown(self) -> float:
        """Current duration of this thread's work relative to an idle machine."""


@dataclass
class WallTime:
    """The wall clock. ``slowdown`` is measured over the last `WINDOW_S` seconds of processor time, since the load of a
    machine changes."""

    #: What the system reported before: nanoseconds that this thread ran, and that it waited for a processor.
    _seen: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)], repr=False)

    def now(self) -> float:
        """Seconds of the monotonic clock."""
        return time.monotonic()

    def slowdown(self) -> float:
        """Processor time of this thread and its wait for a processor, over the former; 1 where the system does not
        report it."""
        try:
            text = Path("/proc/thread-self/schedstat").read_text(encoding="ascii")
            ran, waited = map(int, text.split()[:2])
        except (OSError, ValueError):
            return 1.0
        while len(self._seen) > 1 and ran - self._seen[1][0] >= WINDOW_S * 1e9:
            del self._seen[0]
        if ran - self._seen[-1][0] >= WINDOW_S * 1e9 / 8:
            self._seen.append((ran, waited))
        before = self._seen[0] if self._seen[0][0] <= ran else (0, 0)
        spent = ran - before[0]
        return 1.0 + max(0, waited - before[1]) / spent if spent > 0 else 1.0


#: Processor seconds over which a slowdown is measured.
WINDOW_S = 1.0


@dataclass(frozen=True)
class ProcessorTime:
    """Processor seconds of this process: those of the calling thread, and those of all others over their number
    ``threads``. What a limit of time buys is then that of an idle machine with as many processors."""

    threads: int = 1

    def now(self) -> float:
        """Processor seconds of the calling thread and, over ``threads``, of the others."""
        own = time.thread_time()
        return own + max(0.0, time.process_time() - own) / self.threads

    def slowdown(self) -> float:
        """1: other processes do not count."""
        return 1.0
