"""The place of an imported queue: its scenario, with the traffic served before it and the rate left to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from ..boxes import policers
from ..boxes.cake_functions import CakeFunctions
from ..boxes.link import profile, scenario
from ..boxes.model import MOST_PLACED, Import, placed, remedied
from ..errors import UsageError
from ..quantities import units, wording
from ..scenario import Scenario
from ..scenario.links import LinkProfile, framing
from ..scenario.links.framing import NONE, Framing
from . import cake, traffic

#: Largest rate of the link behind a policer, as a multiple of the policer's; also used if the rate is not known.
BEHIND = 10.0
#: Bytes of the Ethernet header, which shapers count.
ETHERNET = 14
#: Disciplines whose own shaper counts the bytes that the line adds.
SELF_SHAPED = ("cake",)
#: Burst of a shaper, as time at its rate.
SHAPER_BURST_S = 0.004
#: Base round trip where none is given.
DEFAULT_RTT_S = (0.04, 0.04)
#: Rates that a place can have, in bit/s.
LEAST_BPS, MOST_BPS = 1e4, 1e13


@dataclass(frozen=True)
class Place:
    """A queue with the scenario that it is judged in.

    Attributes:
        imported: The queue of the configuration, as imported.
        base: The scenario with that queue.
        rate_bps: Rate that is left for the queue's own traffic, a policer considered.
        condition: The condition in words, where there are several.
        others: The same queue under the other conditions.
        policed: Whether a policer holds it below the rate that it is served with: new designs are shaped to the rate
            of the policer.
        room: Buffer of new designs, if the present queue belongs to another box (a modem); else "".
        buffer: The usual buffer of the link, as a limit in packets.
        framing: Bytes that the line adds to every packet, whatever queue is on it.
        line_bps: Rate of the whole link, of which a class may have a share; None where it is not known.
        translated: The side of the queue whose hosts share one address for a CAKE without `nat`: "source",
            "destination", or "" where each has its own.
        assumed: Clause on the direction, where the options of the queue alone tell it; else "".
    """

    imported: Import
    base: Scenario
    rate_bps: float
    condition: str = ""
    others: tuple[Place, ...] = ()
    room: str = ""
    policed: bool = False
    buffer: str = ""
    framing: Framing = NONE
    line_bps: float | None = None
    translated: str = ""
    assumed: str = ""

    @property
    def conditions(self) -> tuple[Place, ...]:
        """The queue under every condition, this one first."""
        return (self, *self.others)

    @property
    def basis(self) -> str:
        """Sentence on the other parts of the configuration and their effect on the scenario; "" if there
        are none."""
        parts = []
        if self.imported.share_bps is not None and not self.policed:
            rate = self.imported.rate_bps
            whole = f" of {units.show_rate(rate)}" if rate and rate >= self.rate_bps else ""
            share = f"{units.show_rate(float(f'{self.rate_bps:.4g}'))}{whole}"
            parts.append(f"judged at {share}, as if all other classes were busy")
        lost = [note.text for note in self.imported.notes if (note.kind, note.key) == ("lost", policers.KEY)]
        if lost and not self.policed:
            parts.append(f"not simulated: {wording.listed([text.partition(':')[0] for text in lost])}")
        if self.policed:
            guaranteed_bps = self.imported.share_bps
            below = (
                f", below the {units.show_rate(guaranteed_bps)} that it is served with"
                if guaranteed_bps
                else ""
            )
            parts.append(
                f"policed to {units.show_rate(self.rate_bps)}{below}, so that no queue forms; every other design is "
                "shaped to that rate, and utilisation is a share of it"
            )
        if self.share_of(counted=ETHERNET) < 1.0:
            parts.append(
                f"the line adds bytes to every packet, whatever queue is on it: full packets get "
                f"{units.show_rate(float(f'{self.framing.share * self.rate_bps:.4g}'))}"
            )
        if uncounted := self.uncounted:
            parts.append(uncounted)
        parts += [self.assumed] if self.assumed else []
        parts += cake.inverted(self.imported)
        if self.lacks_nat:
            parts.append(
                "your CAKE has no nat: it sees the devices behind the router as one host, if the router translates "
                "their addresses"
            )
        text = "; ".join(parts)
        return f"{text[:1].upper()}{text[1:]}." if text else ""

    @property
    def uncounted(self) -> str:
        """Clause on a CAKE whose shaper does not count what the line adds; "" for any other queue."""
        if self.imported.discipline != "cake" or self.imported.params.get("bandwidth", "auto") == "auto":
            return ""
        counted, taken = (
            one.on_wire(framing.FULL_BYTES) for one in (framing.of_params(self.imported.params), self.framing)
        )
        if counted >= taken:
            return ""
        cells = f" {self.framing.cells}" if self.framing.cells else ""
        return (
            f"your CAKE counts {counted} bytes for a full packet, of which the line makes {taken}: at more than "
            f"{units.show_rate(float(f'{self.rate_bps * counted / taken:.3g}'))} the modem's queue fills, which is not "
            f"simulated; add overhead {self.framing.overhead}{cells}, or lower its bandwidth to that"
        )

    @property
    def unsimulated(self) -> str:
        """Functions of the present queue that no run shows, in words; "" if there are none."""
        return cake.unsimulated(self.imported)

    @property
    def kept(self) -> dict[str, Any]:
        """Options of a CAKE in place that another CAKE keeps."""
        return cake.kept(self.imported)

    @property
    def functions(self) -> CakeFunctions:
        """Functions of a new CAKE: those of the one in place, else `nat` where addresses are translated."""
        if self.imported.discipline == "cake":
            return self.imported.functions
        return CakeFunctions(nat=bool(self.translated))

    @property
    def lacks_nat(self) -> bool:
        """Whether a CAKE in place shares the link between hosts and cannot tell them apart."""
        queue = self.imported
        return "translated" in cake.seen(queue.discipline, queue.params, queue.functions, self.translated)

    @property
    def translating(self) -> Place:
        """This place, with the addresses that a CAKE without `nat` sees."""
        if not self.lacks_nat:
            return self
        return replace(self, base=self.put(self.imported.discipline, self.imported.params))

    def share_of(self, *, counted: int) -> float:
        """Share of the line's rate at which a shaper that counts ``counted`` bytes next to a full packet fills it."""
        full = framing.FULL_BYTES
        return min(1.0, (full + counted) / self.framing.on_wire(full)) if self.framing else 1.0

    @property
    def yours(self) -> str:
        """Name of the present queue in sentences."""
        return "your policer" if self.policed else "your queue"

    @property
    def own(self) -> Scenario:
        """The scenario of the queue on a link of its own rate, for formulas and searches."""
        if not self.policed:
            return self.base
        kind, settings = placed("droptail", {"limit": self.base.get("back_queue.limit")}, self.imported.above)
        rate = units.show_rate(self.capacity_bps)
        return self.base.edit([("dumbbell.rate", rate), ("queue", {"kind": kind, **settings})])

    @property
    def capacity_bps(self) -> float:
        """The rate of the queue and of the calls that are served before it."""
        return self.rate_bps + traffic.calls_bps(
            self.imported.above, int(self.base.get("flows.call.count") or 0)
        )

    @property
    def title(self) -> str:
        """Name of the queue in the configuration; its discipline where it has no name."""
        return self.imported.title or self.imported.discipline

    def put(self, kind: str, params: dict[str, Any], functions: CakeFunctions | None = None) -> Scenario:
        """The scenario with another queue in this place, for a CAKE with these functions, by default those of a new
        one; with a shaper above it where a policer is there."""
        seen = cake.seen(kind, params, self.functions if functions is None else functions, self.translated)
        whole, settings = placed(kind, seen, self.imported.above)
        if self.policed:
            # A scheduler cannot hold a shaper inside: all of it is shaped, to a rate with room for the calls.
            whole, settings = shaped(whole, settings, self.capacity_bps)
        return self.base.set("queue", {"kind": whole, **settings})


def place(
    queue: Import, *, rate_bps: float | None = None, rtt_s: tuple[float, float] | None = None,
    flows: int | None = None, packet_bytes: int = 1500, link: str | None = None, name: str = "imported",
) -> Place:  # fmt: skip
    """Returns the scenario in which a queue is judged.

    A queue with a share of the link gets that share, as if all others were busy. Queues that are served before it
    carry calls: half of what they are policed to, on top of that share.

    Args:
        queue: The imported queue.
        rate_bps: Rate of the whole link; by default that of the shaper in the text, or of the port.
        rtt_s: Least and greatest base round trip; by default that of the link, or 40 ms.
        flows: Long transfers through the queue at the same time, next to the usual traffic; by default those of the
            link, or one for each 2 Mbit/s of the rate, from 2 to 20 (`traffic.usual_flows`).
        packet_bytes: Size of the packets of long transfers.
        link: A link with its traffic as `dropcurve.scenario.links.parse` takes it; a text that states both rates of a
            line keeps them.
        name: Name of the scenario.

    Returns:
        The queue with its scenario and the rate of its link.

    Raises:
        UsageError: If neither an argument nor the text states the rate.

    Example:
        >>> queue = place(dropcurve.boxes.read(text), rate_bps=10e6)
    """
    line_bps = rate_bps or queue.rate_bps or queue.port_bps
    guaranteed_bps = _guaranteed(queue, rate_bps)
    policed = queue.policed_bps is not None and queue.policed_bps < (guaranteed_bps or line_bps or inf)
    served = guaranteed_bps or line_bps
    if policed and queue.policed_bps is not None:
        # The traffic is that of a line of the policed rate, the link behind is faster.
        guaranteed_bps, served = queue.policed_bps, min(served or inf, BEHIND * queue.policed_bps)
    assumed, link = cake.directed(queue, link)
    direction = "up" if assumed else "down"
    if link or queue.link_text:
        line, direction = traffic.named(queue, link, guaranteed_bps or rate_bps)
        line = traffic.overridden(line, direction, rtt_s, flows)
        rate = line.rate_bps(direction)
    elif guaranteed_bps is not None or line_bps is not None:
        rate = guaranteed_bps or line_bps or 0.0
        count = traffic.usual_flows(rate) if flows is None else flows
        line = profile(
            rate, rtt_s or DEFAULT_RTT_S, count, ecn=queue.params.get("ecn") is True, direction=direction
        )
    else:
        raise UsageError(
            "--rate", "", "not given, and no shaper in the text states it", "give it, such as --rate 100Mbit"
        )
    _check_rate(queue, rate)
    line = traffic.of_class(line, direction, queue, rate, flows)
    line = _framed(traffic.with_calls(line, direction, queue.above, rate), queue)
    kind, params = queue.placed if not policed else _policed(queue)
    with remedied("correct it in the configuration"):
        base = scenario(
            kind, params, link=line, direction=direction, packet_bytes=packet_bytes, name=name,
            title=f"{name}{f', {queue.title}' if queue.title else ''} ({queue.box})", urgent=bool(queue.above),
            ecn=queue.params.get("ecn") is True,
        )  # fmt: skip
        if policed and served is not None:
            behind = units.rate(str(base.get("dumbbell.rate"))) + served - rate
            base = base.set("dumbbell.rate", units.show_rate(behind))
    found = Place(
        queue, base, rate, policed=policed, buffer=f"{line.buffer_pkts(direction)} pkts", framing=line.framing,
        line_bps=line_bps, translated=cake.translated(queue, line, direction), assumed=assumed,
    )  # fmt: skip
    return found.translating


def _guaranteed(queue: Import, rate_bps: float | None) -> float | None:
    """The rate that a queue is guaranteed, as the same share of another rate of the whole link; None for all of it."""
    if queue.share_bps is None or not queue.rate_bps or not rate_bps:
        return queue.share_bps
    return queue.share_bps * rate_bps / queue.rate_bps


def _framed(line: LinkProfile, queue: Import) -> LinkProfile:
    """The link with what CAKE's shaper counts: it is the line's, and is there below any other queue."""
    if line.framing or queue.discipline != "cake" or queue.params.get("bandwidth", "auto") == "auto":
        return line
    return replace(line, framing=framing.of_params(queue.params))


def _check_rate(queue: Import, rate_bps: float) -> None:
    """Raises UsageError for a rate that no place can have."""
    if not LEAST_BPS <= rate_bps <= MOST_BPS:
        raise UsageError(
            f"rate of {queue.title or queue.discipline}", f"{rate_bps:g} bit/s",
            "must lie between 10 kbit/s and 10 Tbit/s", "give it as --rate",
        )  # fmt: skip


def _policed(queue: Import) -> tuple[str, dict[str, Any]]:
    """Kind and parameters of the queue of a class behind its policer, below the queues that are served before it."""
    assert queue.policed_bps is not None, "the class is policed"
    params = policers.params(queue.policed_bps, queue.policed_burst)
    if queue.discipline != "policer":
        inner = {key: value for key, value in queue.params.items() if key != "limit"}
        params |= {
            "limit": queue.params.get("limit", "1000 pkts"),
            "child": {"kind": queue.discipline, **inner},
        }
    return placed("policer", params, queue.above)


def shaped(kind: str, params: Mapping[str, Any], rate_bps: float) -> tuple[str, dict[str, Any]]:
    """Kind and parameters of a queue below a shaper, whose own limit never binds; CAKE with a rate shapes itself."""
    if "bandwidth" in params:
        return kind, dict(params)
    rate = units.show_rate(rate_bps)
    # The interval of a router's shaper, at least two packets.
    burst = max(3000, round(rate_bps * SHAPER_BURST_S / 8.0))
    return "tbf", {
        "rate": rate, "burst": f"{burst} B", "limit": f"{MOST_PLACED} pkts", "child": {"kind": kind, **params},
    }  # fmt: skip
