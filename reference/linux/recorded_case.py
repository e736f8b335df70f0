"""A case recorded on a Linux kernel: the discipline, its load, and the packets that are sent."""

import math
import re
import statistics
from dataclasses import dataclass

#: Load and seconds.
Phases = tuple[tuple[float, float], ...]
RATE_BPS = 10e6
SIZES = (242, 1042, 1442)
FLOWS = 5
#: Load and seconds: overload, light load, silence, a burst.
PHASES = ((1.4, 1.0), (0.7, 0.5), (0.0, 0.3), (1.2, 1.5), (2.0, 0.3), (0.9, 0.7), (0.0, 0.2), (1.1, 1.5))


@dataclass(frozen=True)
class Case:
    """A discipline of the kernel, and ours set up in the same way, except for the 0.1 s before the packets."""

    name: str
    tc: str
    ours: str
    #: Share of the packets that are ECN-capable.
    capable: float = 0.0
    #: Whether the kernel draws random numbers: then means over repetitions are compared, otherwise each packet.
    random: bool = True
    #: ECN field of the capable ones: 2 is ECT(0), 1 is ECT(1).
    field: int = 2
    #: Known differences, and their largest size.
    difference: str = ""
    packets: int = 4500
    #: Number of seeds in our test for values that the kernel rounds at random.
    draws: int = 1
    #: DiffServ code point of each flow.
    codes: tuple[int, ...] = ()
    #: Source and destination host of each flow, from 1; empty: one of each for all.
    hosts: tuple[tuple[int, int], ...] = ()
    #: Load and seconds.
    phases: Phases = PHASES
    #: Whether it is asked for a packet after each departure, by which it learns when it is idle.
    learns_idle: bool = False
    #: Packets between two readings of the averages; 0: they are never read.
    watch: int = 0


class SplitMix:
    """The generator splitmix64."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def uniform(self) -> float:
        """A number in [0, 1)."""
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return ((z ^ (z >> 31)) >> 11) / (1 << 53)


def arrivals(case: Case) -> list[tuple[int, int, int, int]]:
    """Nanosecond, flow, bytes, and TOS field (code point and ECN field) of each packet."""
    rng = SplitMix(1)
    now, rows = 1_000_000, []
    for load, seconds in case.phases:
        end = now + int(seconds * 1e9)
        while load > 0.0 and now < end:
            gap = statistics.fmean(SIZES) * 8 / RATE_BPS / load * 1e9
            now += max(1000, int(-gap * math.log(1.0 - rng.uniform())))
            flow, size = int(rng.uniform() * FLOWS), SIZES[int(rng.uniform() * len(SIZES))]
            code = case.codes[flow] if case.codes else 0
            rows.append((now, flow, size, code << 2 | (case.field if rng.uniform() < case.capable else 0)))
        now = max(now, end)
    return rows


def head(case: Case, *lines: str) -> str:
    """Header of a trace."""
    keys = [f"# {key.strip()}" for key in re.split(r";(?![^{]*\})", case.ours)]
    return "\n".join([f"# A Linux kernel under: {case.tc}", *(f"# {line}" for line in lines), *keys, ""])
