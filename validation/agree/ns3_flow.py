"""One flow of segments over the path of ns-3's programs: destroys chosen transmissions and compares all
transmissions.

Path: 100 Mbit/s 1 ms, then a slower link. A loss destroys a transmission of a segment on arrival, so the drop
list belongs to a further link without delay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import dropcurve as dc

from .cases import AgreementCase, Figure

#: (microseconds, segment)
Sent = tuple[int, int]
#: In packets: never full.
ENDLESS = 1_000_000
#: The first link: nanoseconds a byte, and its delay.
NEAR_NS_PER_BYTE, NEAR_NS = 80, 1_000_000

SCENARIO = """\
[run]
duration = "120 s"
warmup = "0 s"

[links.near]
from = "s"
to = "r1"
rate = "100 Mbit/s"
delay = "1 ms"

[links.middle]
from = "r1"
to = "r2"
rate = "{rate} Mbit/s"
delay = "{delay} ms"
ring = {ring}

[links.middle.queue]
kind = "droptail"
limit = "{limit} pkts"

[links.end]
from = "r2"
to = "d"
rate = "1000 Gbit/s"
delay = "0 s"
drop = {drop}

[flows.tcp]
from = "s"
to = "d"
bytes = "{segments}000 B"
profile = "ns3"
{stack}
mss = "1000 B"
ack_every = {every}
"""


@dataclass(frozen=True)
class SingleFlow:
    """Arguments of one run: the sender's keys; the number of lost transmissions of each segment in ``lost``; segments
    per acknowledgement (``every``) and in total; rate (Mbit/s), delay (ms) and queue (packets; 0: never full) of the
    slower link.
    """

    stack: str
    lost: Mapping[int, int]
    every: int = 1
    segments: int = 300
    rate: float = 10
    delay: float = 24
    queue: int = 0

    @property
    def packet_us(self) -> int:
        """Returns the transmission time of a packet on the slower link, headers included."""
        return round(8500 / self.rate)

    def scenario(self, drop: list[int]) -> str:
        """The run with losses at these places of the last link."""
        return SCENARIO.format(
            rate=f"{self.rate:g}",
            delay=f"{self.delay:g}",
            ring=int(self.queue > 0),
            limit=self.queue or ENDLESS,
            drop=sorted(drop),
            segments=self.segments,
            stack=self.stack,
            every=self.every,
        )

    def play(self) -> list[Sent]:
        """Our transmissions. The position of a loss depends on all earlier losses, so each loss takes one
        run."""
        drop: list[int] = []
        while True:
            trace = dc.trace(dc.Scenario.parse(self.scenario(drop)))
            place = self._next_loss(_entering(trace), drop)
            if place is None:
                rows = trace.rows("send")
                return [(int(trace.time_ns[row]) // 1000, int(trace.seq[row])) for row in rows][1:]
            drop.append(place)

    def _next_loss(self, entered: list[int], drop: list[int]) -> int | None:
        """The first position of a transmission that is still to be destroyed; the SYN at position 0 does not
        count."""
        times: dict[int, int] = {}
        for place, segment in enumerate(entered[1:], 1):
            before = times.get(segment, 0)
            times[segment] = before + 1
            if before < self.lost.get(segment, 0) and place not in drop:
                return place
        return None


def compared(name: str, flow: SingleFlow, theirs: list[Sent]) -> AgreementCase:
    """One run compared with ns-3's."""
    ours = flow.play()
    pairs = list(zip(ours, theirs, strict=False))
    same = next(
        (i for i, (a, b) in enumerate(pairs) if a[1] != b[1] or abs(a[0] - b[0]) > flow.packet_us), len(pairs)
    )
    worst = max((abs(a[0] - b[0]) for a, b in pairs[:same]), default=0)
    note = "" if same == len(theirs) else f"ns-3 {theirs[same : same + 3]}, here {ours[same : same + 3]}"
    sent = Figure("sent", len(theirs), same if same < len(theirs) else len(ours))
    return AgreementCase(name, (sent, Figure("worst_us", 0, worst, flow.packet_us)), note=note)


def lost(text: str) -> dict[int, int]:
    """Number of lost transmissions by segment, from a list such as "100:1,120:2"."""
    return {int(segment): int(times) for segment, times in re.findall(r"(\d+):(\d+)", text)}


def runs_in(path: Path) -> Iterator[tuple[str, list[Sent]]]:
    """The runs of a file."""
    return runs_of(path.read_text(encoding="utf-8"))


def runs_of(text: str) -> Iterator[tuple[str, list[Sent]]]:
    """The runs of a recording: the text after `case`, and the transmissions."""
    for block in re.split(r"^case ", text, flags=re.MULTILINE)[1:]:
        head, *lines = block.splitlines()
        sent, at = list[Sent](), 0
        for line in lines:
            if line.startswith("p "):
                for time, segment in re.findall(r"(\d+)[A-Za-z](\d+)", line):
                    at += int(time)
                    sent.append((at, int(segment)))
        yield head, sent


def _entering(trace: dc.Trace) -> list[int]:
    """Segments in the order in which they enter the last link: those that arrive, and those dropped there.

    The queue drops packets as they arrive from the first link.
    """
    free, queued, segments = 0, set[tuple[int, int]](), []
    for row in range(len(trace.time_ns)):
        if trace.back[row]:
            continue
        word, at, segment = trace.words[int(trace.what[row])], int(trace.time_ns[row]), int(trace.seq[row])
        if word == "send":
            free = max(free, at) + int(trace.size_bytes[row]) * NEAR_NS_PER_BYTE
            queued.add((free + NEAR_NS, segment))
        elif word == "receive" or (word == "drop" and (at, segment) not in queued):
            segments.append(segment)
    return segments
