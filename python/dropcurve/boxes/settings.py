"""A discipline's options as plain numbers, with automatic ones resolved for the given link."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..errors import UsageError
from ..quantities import units
from ..scenario import Scenario

_LINK = """\
[run]
duration = "1 s"

[dumbbell]
rate = "{rate} bit/s"
delay = "{delay}"
packet = "{packet} B"
access_delay = "0 s"
exit_delay = "0 s"

[queue]
kind = "{kind}"

[flows.tcp]
mss = "{mss} B"
"""

#: Round trip for automatic values if none is given.
RTT_S = 0.1


@dataclass(frozen=True)
class Settings:
    """Resolved options of a discipline on a link of ``rate_bps`` with full packets of ``packet_bytes``."""

    discipline: str
    options: dict[str, Any]
    rate_bps: float
    packet_bytes: int

    def __contains__(self, key: str) -> bool:
        return key in self.options

    def text(self, key: str) -> str:
        """An option as text."""
        return str(self.options[key])

    def number(self, key: str) -> float:
        """A plain number."""
        return float(self.options[key])

    def whole(self, key: str) -> int:
        """A count."""
        return int(self.options[key])

    def flag(self, key: str) -> bool:
        """A switch; off where the discipline has no such option."""
        return bool(self.options.get(key, False))

    def seconds(self, key: str) -> float:
        """A time in seconds."""
        return span(self.text(key))

    def rate(self, key: str) -> float:
        """A rate in bit/s."""
        return units.rate(self.text(key))

    @property
    def mean_packet(self) -> int:
        """Bytes of a typical packet: the option, or else a full packet."""
        value = self.options.get("mean_packet", "auto")
        return self.packet_bytes if value == "auto" else units.size(value)

    def packets(self, key: str) -> float:
        """An amount in packets."""
        return amount(self.options[key], packet_bytes=self.mean_packet)[0]

    def bytes_(self, key: str) -> float:
        """An amount in bytes."""
        return amount(self.options[key], packet_bytes=self.mean_packet)[1]

    def amounts(self, key: str) -> list[tuple[float, float]]:
        """A list of amounts, each in (packets, bytes)."""
        return [amount(one, packet_bytes=self.mean_packet) for one in self.options[key]]

    def numbers(self, key: str) -> list[float]:
        """A list of plain numbers."""
        return [float(one) for one in self.options[key]]


def settings(
    discipline: str,
    params: Mapping[str, Any],
    *,
    rate_bps: float,
    packet_bytes: int = 1500,
    rtt_s: float = RTT_S,
) -> Settings:
    """Validates parameters and resolves them on a link.

    Args:
        discipline: Its kind.
        params: Its parameters as in scenarios.
        rate_bps: Rate of the link.
        packet_bytes: Size of a full packet.
        rtt_s: Round trip that automatic values are computed for.

    Raises:
        ScenarioError: With every problem in the parameters.
        UsageError: For a rate or packet size out of range.
    """
    if not 0.0 < rate_bps < 1e13:
        raise UsageError(
            "rate",
            f"{rate_bps:g} bit/s",
            "must be above 0 and below 10 Tbit/s",
            "give the rate of the link, such as 100Mbit",
        )
    if not 64 <= packet_bytes <= 65535:
        raise UsageError(
            "packet",
            f"{packet_bytes} B",
            "must lie between 64 and 65535",
            "give the usual size of a packet, such as 1500",
        )
    text = _LINK.format(
        rate=units.plain(rate_bps),
        delay=units.show_span(rtt_s / 2.0),
        packet=packet_bytes,
        kind="droptail",
        mss=packet_bytes - 40,
    )
    plain = {key: value for key, value in params.items() if key != "kind"}
    scenario = _link(text).edit([("queue", {"kind": discipline, **plain})])
    options = dict(scenario.resolved["queue"])
    options.update(scenario.automatic.get("bottleneck", {}))
    return Settings(discipline, options, rate_bps, packet_bytes)


@lru_cache(maxsize=64)
def _link(text: str) -> Scenario:
    """The scenario of a link; cached, since a search resolves many designs on one link."""
    return Scenario.parse(text)


def amount(value: Any, *, packet_bytes: int) -> tuple[float, float]:
    """(packets, bytes) of an amount such as ``"50 pkts"`` or ``"75 kB"``."""
    text = str(value)
    unit = text.lstrip("0123456789.eE+- ")
    if unit.startswith(("pkt", "packet")):
        count = float(text[: -len(unit)])
        return count, count * packet_bytes
    size = 0.0 if float(text[: -len(unit)]) == 0.0 else float(units.size(text))
    return size / packet_bytes, size


def span(text: str) -> float:
    """Seconds of a time, which may be 0."""
    zero = re.fullmatch(r"\s*0+(?:\.0*)?\s*[a-z]*\s*", text)
    return 0.0 if zero else units.span(text)
