"""A bottleneck in virtual time for tests of other people's protocols: the simulator's queues, no device, no clock.

The caller owns the clock. It hands over packets at times of its own choosing and takes back the packets that have
arrived by then; the same calls with the same seed return the same arrivals and drops on any machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import dropcurve._core as _core

from ..errors import UsageError
from ..runs.variants import with_queue
from ..scenario import Scenario

#: Values of the ECN field (RFC 3168 section 5, RFC 9331 section 2).
ECN = {"not-ect": 0, "ect1": 1, "ect0": 2, "ce": 3}
_NS = 1_000_000_000


@dataclass(frozen=True)
class PacketArrival:
    """A packet at the far end: the sent packet, its arrival (s), and whether a queue on its path set CE."""

    packet: Any
    time_s: float
    marked: bool


@dataclass(frozen=True)
class PacketDrop:
    """A packet that the queue dropped: when (s), and why ("early", "forced" or "overflow")."""

    packet: Any
    time_s: float
    reason: str


class Bottleneck:
    """One direction of a link: a queue discipline, a transmitter and a propagation delay, in virtual time.

    Args:
        rate: of the transmitter, such as ``"10Mbit"``.
        delay: propagation delay, such as ``"20ms"``.
        queue: discipline as ``--queue`` takes it, such as ``"codel"``, ``"red:ns2,max_p=0.1"`` or
            ``"droptail:limit=50pkts"``.
        seed: of the discipline's random numbers.

    Raises:
        DropcurveError: a value or the queue is refused.

    Example:
        >>> link = Bottleneck(rate="12Mbit", delay="10ms", queue="droptail:limit=2pkts")
        >>> for number in range(4):
        ...     link.send(number, at=0.0, size=1500)
        >>> [(one.packet, one.time_s) for one in link.receive(until=1.0)]
        [(0, 0.011), (1, 0.012), (2, 0.013)]
        >>> [(one.packet, one.reason) for one in link.dropped]
        [(3, 'overflow')]
    """

    def __init__(self, *, rate: str, delay: str = "0ms", queue: str = "droptail", seed: int = 1) -> None:
        wire = f"[dumbbell]\nrate = {json.dumps(rate)}\ndelay = {json.dumps(delay)}\n"
        base = Scenario.parse(
            f'{wire}[queue]\nkind = "droptail"\n[flows.tcp]\ncount = 1\n', name="bottleneck"
        )
        resolved = with_queue(base, queue, "queue").resolved
        settings = {
            "queue": resolved["queue"],
            **{key: resolved["dumbbell"][key] for key in ("rate", "delay", "packet", "counts_wire")},
        }
        self._core = _core.Bottleneck(json.dumps(settings), seed, "queue/bottleneck")
        self._packets: dict[int, Any] = {}
        self._sent = 0
        self._now_ns = 0
        self.dropped: list[PacketDrop] = []

    def send(
        self,
        packet: Any,
        *,
        at: float,
        size: int | None = None,
        flow: int = 0,
        ecn: Literal["not-ect", "ect0", "ect1", "ce"] = "not-ect",
        precedence: int = 0,
    ) -> None:
        """Hands a packet to the queue at a time.

        Args:
            packet: any object; it comes back in a `PacketArrival` or a `PacketDrop`.
            at: seconds; never before the time of an earlier call.
            size: bytes on the wire (default: ``len(packet)``).
            flow: equal for packets of one flow, for disciplines that tell flows apart.
            ecn: the ECN field.
            precedence: class of the packet, 0 to 7.

        Raises:
            UsageError: the time goes back, or a value is out of range.

        Example:
            >>> link = Bottleneck(rate="10 Mbit/s", queue="codel")
            >>> link.send(b"1" * 1250, at=0.0)
        """
        length = len(packet) if size is None else size
        if not 1 <= length <= 2**31:
            raise UsageError(
                "size", length, "must be from 1 to 2147483648 bytes", "give the length of the packet"
            )
        if not 0 <= precedence <= 7:
            raise UsageError(
                "precedence", precedence, "must be from 0 to 7", "give the IP precedence of the packet"
            )
        if ecn not in ECN:
            raise UsageError("ecn", ecn, f"must be one of {', '.join(ECN)}", "choose one of these")
        now = self._time(at, "at")
        self._packets[self._sent] = packet
        self._sent += 1
        self._core.send(now, length, flow & (2**64 - 1), ECN[ecn], precedence)
        self._note_drops()

    def receive(self, until: float) -> list[PacketArrival]:
        """Returns the packets that arrive by a time and were not returned before.

        Args:
            until: seconds; never before the time of an earlier call.

        Returns:
            The arrivals in their order.

        Raises:
            UsageError: the time goes back.

        Example:
            >>> link = Bottleneck(rate="10 Mbit/s", queue="codel")
            >>> link.send(b"1" * 1250, at=0.0)
            >>> len(link.receive(until=1.0))
            1
        """
        return list(self._arrivals(self._time(until, "until")))

    def next_event(self) -> float | None:
        """Returns the next time at which something is due, for the caller's event loop.

        Returns:
            Seconds; None if the link is empty.

        Example:
            >>> Bottleneck(rate="10 Mbit/s", queue="codel").next_event() is None
            True
        """
        due = self._core.next_due()
        return None if due is None else due / _NS

    @property
    def backlog(self) -> tuple[int, int]:
        """Packets and bytes in the queue, without the packet being transmitted."""
        return self._core.backlog()

    def _arrivals(self, now_ns: int) -> Iterator[PacketArrival]:
        arrived = self._core.advance(now_ns)
        self._note_drops()
        for number, due, marked in arrived:
            yield PacketArrival(self._packets.pop(number), due / _NS, marked)

    def _note_drops(self) -> None:
        for number, time_ns, reason in self._core.take_drops():
            self.dropped.append(PacketDrop(self._packets.pop(number), time_ns / _NS, reason))

    def _time(self, seconds: float, name: str) -> int:
        if not 0 <= seconds < 1e9:
            raise UsageError(name, seconds, "must be from 0 to 1e9 seconds", "give seconds since the start")
        time_ns = round(seconds * _NS)
        if time_ns < self._now_ns:
            raise UsageError(
                name,
                seconds,
                f"lies before {self._now_ns / _NS}, the time of the last call",
                "call in the order of time",
            )
        self._now_ns = time_ns
        return time_ns
