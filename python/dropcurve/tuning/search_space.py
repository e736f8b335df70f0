"""A search space: axes with ranges sized for the link, and their conversion to the parameters of a discipline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import UsageError
from ..quantities import units
from ..quantities.ranges import Range

#: Bytes of a full packet, as links are described by.
FULL_BYTES = 1500

#: A point of a search space: axis to value.
Coordinates = dict[str, float]
#: Parameters of a discipline as a scenario has them: name to value.
Params = dict[str, Any]


@dataclass(frozen=True)
class Sizing:
    """The link for which ranges and designs are sized.

    Attributes:
        capacity: Packets of 1500 bytes a second.
        buffer_pkts: Its buffer in packets.
        rtt_s: The longest round trip.
        ecn: Whether designs mark.
        dialects: Discipline to the dialect that replaces its default one.
        modem_pkts: Buffer of a modem behind the box; None where the buffer is the box's own.
    """

    capacity: float
    buffer_pkts: float
    rtt_s: float
    ecn: bool = False
    dialects: Mapping[str, str] = field(default_factory=dict)
    modem_pkts: float | None = None


@dataclass(frozen=True)
class Family:
    """A discipline with the axes of its search space. ``build`` makes the parameters of a scenario from coordinates;
    ``read`` finds the coordinates of parameters, where it can."""

    kind: str
    axes: dict[str, Range]
    build: Callable[[Coordinates], Params]
    read: Callable[[Mapping[str, Any]], Coordinates | None]
    fixed: Params = field(default_factory=dict)
    #: Customary coordinates, where they are known.
    usual: Coordinates = field(default_factory=dict)

    def params(self, coordinates: Mapping[str, float]) -> Params:
        """The parameters at these coordinates, each inside its range."""
        inside = {
            name: min(max(axis.rounded(coordinates[name]), axis.low), axis.high)
            for name, axis in self.axes.items()
        }
        return {**self.build(inside), **self.fixed}

    def coordinates_of(self, params: Mapping[str, Any]) -> Coordinates | None:
        """The coordinates closest to given parameters; None if those do not determine them."""
        try:
            coordinates = self.read(params)
        except (KeyError, UsageError, ValueError):
            return None
        if coordinates is None:
            return None
        return {name: min(max(coordinates[name], axis.low), axis.high) for name, axis in self.axes.items()}

    @property
    def scale(self) -> str:
        """Name of the parameter in which the queueing delay rises: a target, a limit, the lower threshold."""
        return next(iter(self.axes))


def show_span(seconds: float) -> str:
    """A time as text with its unit, to three significant digits."""
    return units.show_span(digits(seconds))


def digits(value: float) -> float:
    """A value rounded to three significant digits; more would claim a precision that no run supports."""
    return float(f"{value:.3g}")


def log_range(low: float, high: float, unit: str = "", *, whole: bool = False) -> Range:
    """A range on a log scale; its high end is at least one and a half times its low end."""
    high = max(high, low * 1.5)
    if not whole:
        # A value at an end is printed like any other.
        low, high = digits(low), digits(high)
    return Range(low, high, unit, "log", whole)


def memory_range(sizing: Sizing) -> Range:
    """Time constants of an averaged queue: from one packet to two seconds."""
    return log_range(max(2e-4, 1.0 / sizing.capacity), 2.0, "s")


def limit(sizing: Sizing) -> Params:
    """The limit of a queue that has the whole buffer of the link."""
    return {"limit": units.show_packets(sizing.buffer_pkts)}
