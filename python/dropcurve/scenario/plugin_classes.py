"""The classes of plug-ins in Python: what a discipline, a congestion control, a source and a metric are to write."""

from __future__ import annotations

import copy
import math
import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import dropcurve._core as _core

from ..errors import UsageError
from ..files import lazy

#: Which direction of a metric is better.
Better = Literal["higher", "lower", "none"]

# The metrics are loaded when the first plug-in of one is registered.
_metrics = lazy.attributes(__package__.rpartition(".")[0], {"metrics": ""})

Packet = _core.PluginPacket
Call = _core.PluginCall
Window = _core.PluginWindow
Ack = _core.PluginAck
Congestion = _core.PluginCongestion
Draws = _core.PluginDraws


@dataclass(frozen=True)
class Parameter:
    """A parameter of a plug-in: a number.

    Attributes:
        default: Its default, in seconds, bits per second, or ``unit``.
        unit: "s" (written ``"20 ms"``), "bit/s" (``"10 Mbit/s"``), or any other word, which may follow the number.
        about: Its meaning.
        least: The least value.
        greatest: The greatest value.
    """

    default: float
    unit: str = ""
    about: str = ""
    least: float = 0.0
    greatest: float = 1e15


@dataclass(frozen=True)
class LinkSetting:
    """The link behind a queue: bit/s (0 is unlimited), seconds of propagation delay, bytes of a typical packet."""

    rate_bps: int
    delay_s: float
    packet_bytes: int


class Discipline(ABC):
    """Base class of disciplines in Python; the docstring of a class is its description.

    A packet is handled by its number (``packet.number``), which is free for another one once it has left or is
    dropped; the simulator stores the packets and counts them. Random numbers come from ``call.uniform()`` alone, so
    that a run can be repeated.

    Attributes:
        name: Value of ``kind`` in a scenario: lower-case letters, digits and ``_``.
        title: Its name in words; by default the name of the class.
        parameters: Its parameters by key.
        shapes: Whether it holds packets back although the link is free; then it sets ``call.set_ready(ns)``.
        decides_at_arrival: Whether every packet that it accepts leaves unchanged after all accepted before it. Runs are
            then faster, and end with an error if the promise is broken.
        values: The parameters' values of this queue.
        link: The link behind this queue.
        queue: An empty deque, for the numbers of packets.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    parameters: ClassVar[Mapping[str, Parameter]] = {}
    shapes: ClassVar[bool] = False
    decides_at_arrival: ClassVar[bool] = False

    def __init__(self, values: Mapping[str, float], link: LinkSetting) -> None:
        self.values = dict(values)
        self.link = link
        self.queue: deque[int] = deque()

    def first_deadline(self) -> int | None:
        """Nanoseconds until the first call of `on_deadline`; None for a discipline without a periodic controller."""
        return None

    @abstractmethod
    def enqueue(self, packet: Packet, call: Call) -> None:
        """Takes a packet: queues its number, or drops it (or another one) with ``call.drop``."""

    @abstractmethod
    def dequeue(self, call: Call) -> int | None:
        """Returns the number of the packet to send. None if there is none: the link becomes idle."""

    def on_deadline(self, call: Call) -> None:
        """A periodic controller's tick: sets the next one with ``call.set_deadline(ns)``. Here it sets none."""
        call.set_deadline(2**64 - 1)


class CongestionControl(ABC):
    """Base class of congestion controls in Python; the docstring of a class is its description.

    Windows count segments. The sender asks at each ACK that may grow the window, and once for each congestion; it
    handles retransmissions and recovery itself. A control has no random numbers.

    Attributes:
        name: Value of ``cc`` in a group of flows: lower-case letters, digits and ``_``. Parameters follow it there:
            ``cc = "mine:gain=0.5"``.
        title: Its name in words; by default the name of the class.
        parameters: Its parameters by key.
        paces: Whether it paces; then `pace` returns the rate.
        values: The parameters' values.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    parameters: ClassVar[Mapping[str, Parameter]] = {}
    paces: ClassVar[bool] = False

    def __init__(self, values: Mapping[str, float]) -> None:
        self.values = dict(values)
        self._saved: dict[str, Any] = {}

    @abstractmethod
    def on_ack(self, window: Window, ack: Ack) -> None:
        """Grows the window: sets ``window.cwnd``. Not called in recovery, nor where the window is not used."""

    @abstractmethod
    def on_congestion(self, window: Window, congestion: Congestion) -> float:
        """Returns the reduced window after a loss, an ECN echo or a timeout: ``congestion.cause``."""

    def on_every_ack(self, ack: Ack) -> None:  # noqa: B027 (optional)
        """Observes every ACK, also in recovery. Called only if a class has its own."""

    def pace(self, now_ns: int) -> float | None:
        """Returns the pacing rate in segments per second; None: not paced at present."""
        return None

    def save(self) -> None:
        """Saves the state before a reduction that may be undone. Here a copy of all attributes."""
        self._saved = {}
        self._saved = copy.deepcopy({key: value for key, value in vars(self).items() if key != "_saved"})

    def undo(self) -> None:
        """Restores that state: the reduction was spurious."""
        vars(self).update(copy.deepcopy(self._saved))


class Source(ABC):
    """Base class of traffic sources in Python; the docstring of a class is its description.

    Random numbers come from ``self.draws`` alone, so that a run can be repeated.

    Attributes:
        name: Value of ``source`` in a group of flows: lower-case letters, digits and ``_``. Parameters follow it
            there: ``source = "mine:pause=20 ms"``.
        title: Its name in words; by default the name of the class.
        parameters: Its parameters by key.
        transport: ``"udp"`` (packets) or ``"tcp"`` (objects, one after another).
        packet_bytes: Typical packet on the wire over UDP.
        rate_bps: Typical rate over UDP.
        values: The parameters' values.
        draws: Its random numbers: ``uniform()`` and ``exponential(mean)``.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    parameters: ClassVar[Mapping[str, Parameter]] = {}
    transport: ClassVar[Literal["udp", "tcp"]] = "udp"
    packet_bytes: ClassVar[int] = 500
    rate_bps: ClassVar[int] = 1_000_000

    def __init__(self, values: Mapping[str, float], draws: Draws) -> None:
        self.values = dict(values)
        self.draws = draws

    @abstractmethod
    def next(self, now_ns: int) -> tuple[float, int] | None:
        """Returns a pause in seconds and the bytes that follow it; None if there is nothing more.

        Over UDP the bytes are a packet on the wire (28 of them headers), and the pause counts from the packet before.
        Over TCP they are the payload of an object, and the pause counts from when the one before was acknowledged.
        """


@dataclass(frozen=True)
class PluginMetric:
    """A metric of a plug-in, as `metric` has made it."""

    name: str
    title: str
    unit: str
    better: Better
    per: Literal["link", "flow"]
    function: Callable[..., float | None]

    def register(self) -> str:
        """Adds it to the metrics of this process; returns its name.

        Raises:
            UsageError: The name cannot be used, or another metric has it.
        """
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.name):
            rule = "must be lower-case letters, digits and _"
            raise UsageError("metric", repr(self.name), rule, "choose one such as burstiness")
        metrics = _metrics("metrics")
        registered = metrics.METRICS.get(self.name)
        if registered is not None:
            if isinstance(registered.function, _MetricFunction) and registered.function.metric == self:
                return self.name
            raise UsageError("metric", repr(self.name), "is a metric already", "choose another name")
        make = metrics.metric(
            self.name,
            title=self.title,
            unit=self.unit,
            better=self.better,
            source="a plug-in",
            per=self.per,
            shown=True,
        )
        make(_MetricFunction(self))
        return self.name


class _MetricFunction:
    """The function of a metric; a fault in it names the metric."""

    def __init__(self, metric: PluginMetric) -> None:
        self.metric = metric
        self.__doc__ = metric.function.__doc__

    def __call__(self, run: Any, place: Any) -> float | None:
        name = self.metric.name
        try:
            value = self.metric.function(run, place)
            number = None if value is None else float(value)
        except Exception as error:
            rule = f"the metric failed: {type(error).__name__}: {error}"
            raise UsageError("metric", name, rule, "correct its function", shown="rule") from error
        if number is not None and not math.isfinite(number):
            raise UsageError(
                "metric", name, f"has returned {number}", "return a finite number, or None", shown="rule"
            )
        return number


def metric(
    name: str,
    *,
    title: str,
    unit: str = "",
    better: Better = "none",
    per: Literal["link", "flow"] = "link",
) -> Callable[[Callable[..., float | None]], PluginMetric]:
    """Creates a metric from a function.

    Args:
        name: Its name in tables and options: lower-case letters, digits and ``_``.
        title: Its name in words.
        unit: Its unit; "" for counts and ratios.
        better: Which direction is better: ``"higher"``, ``"lower"``, or ``"none"``.
        per: ``"link"``: the function gets the run and the link, both as in docs/results.md; ``"flow"``: the run and a
            set of flows. It returns a number, or None where the run has no such value.

    Example:
        >>> @metric("fullness", title="longest queue", unit="pkts", better="lower")
        ... def fullness(run, link):
        ...     return link["queue_pkts_max"]
    """

    def make(function: Callable[..., float | None]) -> PluginMetric:
        return PluginMetric(name, title, unit, better, per, function)

    return make
