"""The place of an imported queue: its scenario, with the traffic served before it and the rate left to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from ..boxes import policers
from ..boxes.cake_functions import CakeFunctions
from ..boxes.link import profile, scenario
from ..boxes.model import MOST_PLACED, Import, Priority, placed, remedied
from ..errors import UsageError
from ..quantities import units
from ..scenario import Scenario, links
from ..scenario.links import LinkProfile, framing
from ..scenario.links.framing import NONE, Framing
from . import cake

#: Rate of a call of G.711 with its headers, in bit/s (RFC 3551).
CALL_BPS = 80e3
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
#: Rate for each download where their number is not given, and the least and most of them: twenty transfers through
#: 1 Mbit/s have windows of less than a packet each, and lose a third of what they send whatever the queue does.
FLOW_BPS, FEWEST_FLOWS, MOST_FLOWS = 2e6, 2, 20
#: Share of a policed rate that calls fill, and the most calls.
CALLS_SHARE, MOST_CALLS = 0.5, 50


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
        parts += [f"not simulated: {text.partition(':')[0]}" for text in ([] if self.policed else lost)]
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
        return self.rate_bps + _calls_bps(self.imported.above, int(self.base.get("flows.call.count") or 0))

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
            link, or one for each 2 Mbit/s of the rate, from 2 to 20 (`usual_flows`).
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
    guaranteed_bps = queue.share_bps
    if guaranteed_bps is not None and queue.rate_bps and rate_bps and queue.rate_bps != rate_bps:
        guaranteed_bps *= rate_bps / queue.rate_bps
    policed = queue.policed_bps is not None and queue.policed_bps < (guaranteed_bps or line_bps or inf)
    served = guaranteed_bps or line_bps
    if policed and queue.policed_bps is not None:
        # The traffic is that of a line of the policed rate, the link behind is faster.
        guaranteed_bps, served = queue.policed_bps, min(served or inf, BEHIND * queue.policed_bps)
    assumed, link = cake.directed(queue, link)
    direction = "up" if assumed else "down"
    if link or queue.link_text:
        line, direction = _line(queue, link, guaranteed_bps or rate_bps)
        line = _overridden(line, direction, rtt_s, flows)
        rate = line.rate_bps(direction)
    elif guaranteed_bps is not None or line_bps is not None:
        rate = guaranteed_bps or line_bps or 0.0
        count = usual_flows(rate) if flows is None else flows
        line = profile(
            rate, rtt_s or DEFAULT_RTT_S, count, ecn=queue.params.get("ecn") is True, direction=direction
        )
    else:
        raise UsageError(
            "--rate", "", "not given, and no shaper in the text states it", "give it, such as --rate 100Mbit"
        )
    _check_rate(queue, rate)
    line = _of_class(line, direction, queue, rate, flows)
    line = _framed(_with_calls(line, direction, queue.above, rate), queue)
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


def _line(queue: Import, link: str | None, own_bps: float | None) -> tuple[LinkProfile, str]:
    """The link that is named, or that the text states, with the rate of the queue, and the queue's direction."""
    line, direction = links.parse(link or queue.link_text)
    if link is not None and queue.link_text:
        stated, direction = links.parse(queue.link_text)
        line = line if "back=" in link else replace(line, back=stated.back)
        own = stated
    elif link is not None and own_bps is None:
        own = _at(line, direction, queue.rate_bps or line.rate_bps(direction))
    else:
        own = line
    if link is None or "rate=" not in link:
        line = replace(line, down_bps=own.down_bps, up_bps=own.up_bps)
        line = line if own_bps is None else _at(line, direction, own_bps)
    return line, direction


def _overridden(
    line: LinkProfile, direction: str, rtt_s: tuple[float, float] | None, flows: int | None
) -> LinkProfile:
    """The link with this round trip, and this number of transfers through the queue, where they are given."""
    if rtt_s is not None:
        line = replace(line, rtt_s=rtt_s)
    if flows is None:
        return line
    mix = replace(line.mix, downloads=flows) if direction == "down" else replace(line.mix, uploads=flows)
    return replace(line, mix=mix)


def _of_class(
    line: LinkProfile, direction: str, queue: Import, rate_bps: float, flows: int | None
) -> LinkProfile:
    """The link with the traffic that the queue's class is for alone; transfers next to that where they are asked for.
    Calls that are served before the class stay."""
    kinds = queue.applications
    if not kinds or queue.calls_alone or line.is_local or direction == "up":
        return line
    mix = line.mix
    # Pages alone would fill no queue for longer than a page takes.
    transfers = mix.downloads if kinds & {"web", "transfer"} or flows is not None else 0
    viewers = (mix.videos or 1) if transfers else usual_flows(rate_bps)
    # The sound of a conference is a call next to its pictures.
    calls = mix.calls if kinds & {"call", "video"} or queue.above else 0
    mix = replace(
        mix, downloads=transfers, uploads=0, videos=viewers if "video" in kinds else 0,
        web=mix.web if "web" in kinds else 0.0, calls=calls, games=0,
    )  # fmt: skip
    return replace(line, mix=mix)


def usual_flows(rate_bps: float) -> int:
    """Downloads at the same time at a rate: as many as leave each a window of some packets."""
    return max(FEWEST_FLOWS, min(MOST_FLOWS, round(rate_bps / FLOW_BPS)))


def _at(line: LinkProfile, direction: str, rate_bps: float) -> LinkProfile:
    return replace(line, down_bps=rate_bps) if direction == "down" else replace(line, up_bps=rate_bps)


def _with_calls(
    line: LinkProfile, direction: str, above: tuple[Priority, ...], rate_bps: float
) -> LinkProfile:
    """The link with calls for the queue above, and room for them."""
    if not above or not line.mix.calls:
        return line
    police = above[0].police_bps
    calls = line.mix.calls
    if police is not None:
        calls = min(MOST_CALLS, max(calls, round(CALLS_SHARE * police / CALL_BPS)))
    widened = _at(line, direction, rate_bps + _calls_bps(above, calls))
    return replace(widened, mix=replace(line.mix, calls=calls))


def _calls_bps(above: tuple[Priority, ...], calls: int) -> float:
    """The rate of calls that are served before a queue."""
    return calls * CALL_BPS if above else 0.0
