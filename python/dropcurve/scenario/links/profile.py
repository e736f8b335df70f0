"""Profile of a link: its rates, round trips, buffer and traffic."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...errors import UsageError
from ...quantities import units, wording
from .framing import NONE, Framing

#: Directions of a link, as seen from the customer.
DIRECTIONS = ("down", "up")
#: Bytes of a full packet.
PACKET_BYTES = 1500
#: Devices of a customer: the name of each as a host, the classes at its end, and their words in an assumption.
DEVICES = {
    "computer": {"download": "transfers", "upload": "transfers", "l4s": "transfers"},
    "laptop": {"web": "pages", "call": "calls"},
    "television": {"video": "video", "game": "games"},
}  # fmt: skip
#: Base round trip below which a link is one of a data centre.
LOCAL_S = 1e-3


@dataclass(frozen=True)
class Mix:
    """Traffic that shares a link at the same time.

    Attributes:
        downloads: Long transfers towards the customer.
        uploads: Long transfers from the customer.
        web: Load of web pages as a share of the download rate; in a data centre of responses.
        videos: Viewers of adaptive video.
        calls: Calls (G.711) in the direction of the queue.
        games: Thin flows in the direction of the queue: games, in a data centre connections of remote procedure calls.
        l4s: Further long transfers in the direction of the queue, by L4S senders (Prague with ECT(1)).
        ecn: Share of the other TCP flows that negotiate ECN, from 0 to 1.
        cc: Congestion control of the other TCP flows.
    """

    downloads: int = 2
    uploads: int = 1
    web: float = 0.1
    videos: int = 1
    calls: int = 1
    games: int = 1
    l4s: int = 0
    ecn: float = 0.0
    cc: str = "cubic"

    def __post_init__(self) -> None:
        counts = {"downloads": self.downloads, "uploads": self.uploads, "videos": self.videos, "calls": self.calls,
                  "games": self.games, "l4s": self.l4s}  # fmt: skip
        for name, count in counts.items():
            if count < 0:
                raise UsageError(name, count, "must be 0 or more", f"give the number of {name}")
        if not 0.0 <= self.web < 0.9:
            raise UsageError(
                "web",
                f"{self.web:g}",
                "must lie in [0, 0.9), the share of the link that pages take",
                "choose a share such as 0.2",
            )
        if not 0.0 <= self.ecn <= 1.0:
            raise UsageError(
                "ecn",
                f"{self.ecn:g}",
                "must lie in [0, 1], the share of TCP flows with ECN",
                "choose a share such as 0.5",
            )
        if self.downloads + self.uploads + self.l4s + self.videos == 0:
            raise UsageError(
                "downloads, uploads",
                "0, 0",
                "a queue needs at least one long transfer or video to fill it",
                "raise one of the two",
            )

    def __str__(self) -> str:
        return self.words()

    @property
    def devices(self) -> str:
        """Words such as "from 2 devices (transfers; pages and calls)"; "" for a single device."""
        used = {"download": self.downloads, "upload": self.uploads, "l4s": self.l4s, "web": self.web,
                "call": self.calls, "video": self.videos, "game": self.games}  # fmt: skip
        words = [
            wording.listed(list(dict.fromkeys(word for name, word in classes.items() if used[name])))
            for classes in DEVICES.values()
        ]
        some = [one for one in words if one]
        return f"from {wording.count(len(some), 'device')} ({'; '.join(some)})" if len(some) > 1 else ""

    def words(self, *, local: bool = False) -> str:
        """Returns the traffic in words, with ``local`` that of a data centre."""
        parts = [
            (self.downloads, "download"), (self.uploads, "upload"), (self.videos, "video"), (self.calls, "call"),
            (self.games, "RPC connection" if local else "game"),
        ]  # fmt: skip
        words = [wording.count(count, noun) for count, noun in parts if count]
        if self.web:
            words.insert(
                2, f"{'responses' if local else 'web pages'} at {wording.percent(self.web)} of the link"
            )
        ecn = {0.0: "without ECN", 1.0: "with ECN"}.get(
            self.ecn, f"{wording.percent(self.ecn)} of it with ECN"
        )
        l4s = wording.count(self.l4s, "L4S sender") if self.l4s else "no L4S senders"
        return f"{wording.listed(words)}; TCP is {self.cc.upper()} {ecn}, {l4s}"


@dataclass(frozen=True)
class LinkProfile:
    """A link with its traffic.

    Attributes:
        name: Name of the preset, or "link".
        down_bps: Rate towards the customer, in bit/s.
        up_bps: Rate from the customer.
        rtt_s: Least and greatest base round trip in seconds.
        buffer: Size of the queues as they are found: packets, bytes, time at the link's rate, or "1bdp".
        mix: The traffic on the link.
        source: Where the numbers come from.
        back: Discipline of the queue in the other direction, with its defaults; tail drop has the buffer.
        framing: Bytes that the line adds to each packet.
    """

    name: str
    down_bps: float
    up_bps: float
    rtt_s: tuple[float, float]
    buffer: str
    mix: Mix = field(default_factory=Mix)
    source: str = ""
    back: str = "droptail"
    framing: Framing = NONE

    def __post_init__(self) -> None:
        low, high = self.rtt_s
        if not 0.0 < low <= high:
            raise UsageError(
                "rtt",
                f"{low:g} s to {high:g} s",
                "must be above 0, and rise",
                "put the shorter round trip first",
            )
        for direction in DIRECTIONS:
            self.buffer_pkts(direction)

    @property
    def is_local(self) -> bool:
        """Whether the round trips are those within a data centre."""
        return self.rtt_s[1] < LOCAL_S

    def rate_bps(self, direction: str) -> float:
        """The rate of a direction. Raises UsageError for one that is not "down" or "up"."""
        if direction not in DIRECTIONS:
            raise UsageError("direction", direction, "must be down or up", "choose one of these")
        return self.down_bps if direction == "down" else self.up_bps

    def buffer_pkts(self, direction: str) -> int:
        """The buffer of a direction in full packets, at least 4."""
        rate = self.rate_bps(direction)
        size = units.buffer(self.buffer, rate_bps=rate, rtt_s=self.rtt_s[1], packet_bytes=PACKET_BYTES)
        return max(4, round(size))

    def assumptions(self, direction: str) -> str:
        """Returns the assumptions about link and traffic in one line."""
        low, high = (units.show_span(one) for one in self.rtt_s)
        # Rates may hold room for calls, of which three digits are enough.
        down, up = (units.show_rate(float(f"{one:.3g}")) for one in (self.down_bps, self.up_bps))
        rates = f"{down} down, {up} up"
        trip = f"round trip {low}" + (f" to {high}" if high != low else "")
        other = "tail drop" if self.back == "droptail" else self.back
        line = f", {self.framing.words()}" if self.framing else ""
        devices = "" if self.is_local or not self.mix.devices else f"; {self.mix.devices}"
        return (
            f"{self.name}: {rates}{line}, queue in the {direction} direction and {other} in the other, {trip}, "
            f"buffer {self.buffer}; {self.mix.words(local=self.is_local)}{devices}"
        )
