"""CAKE in the place of a queue: the options that a new one keeps, the addresses that it sees, and designs to try."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..boxes.cake_functions import CakeFunctions
from ..boxes.model import Import
from ..quantities import units, wording
from ..scenario.links import PACKET_BYTES, LinkProfile

if TYPE_CHECKING:
    from .place import Place

#: Options that another CAKE in the same place keeps.
KEPT = ("tins", "isolate", "ack_filter", "wash")
#: Values of `isolate` that read no hosts.
BLIND = ("flows", "flowblind")
#: Interfaces towards the devices of a customer, where addresses are not translated yet.
INNER = re.compile(r"(?:br|lan|wlan|wl)(?:[-.]?\w+)*")
#: The side of a queue on which the devices of a customer are, by its direction.
CUSTOMERS_SIDE = {"up": "source", "down": "destination"}
#: Functions that no run shows, by the field of `CakeFunctions`.
UNSIMULATED = {
    "ingress": "the protection of the queue before it (ingress)", "autorate": "the estimation of the rate",
    "mark": "tins by firewall mark",
}  # fmt: skip
#: Filters of acknowledgements, with the word of ``tc`` for each.
ACK_FILTERS = {"off": "no ack-filter", "conservative": "ack-filter", "aggressive": "ack-filter-aggressive"}
#: Bytes of an acknowledgement with timestamps, of which one answers two full packets, and the share of the queue's rate
#: from which those of the other direction's transfers make a filter worth trying.
ACK_BYTES, FEWEST_ACKS = 52, 0.1
#: Intervals of a CAKE in place that are tried, in present ones: few long flows need more to fill the link.
LONGER = (2.0, 4.0)


def kept(queue: Import) -> dict[str, Any]:
    """Options of a CAKE that another CAKE in its place keeps; none of another queue."""
    return (
        {key: queue.params[key] for key in KEPT if key in queue.params} if queue.discipline == "cake" else {}
    )


def unsimulated(queue: Import) -> str:
    """Functions of a queue that no run shows, in words; "" if there are none."""
    return wording.listed([text for key, text in UNSIMULATED.items() if getattr(queue.functions, key)])


def translated(queue: Import, line: LinkProfile, direction: str) -> str:
    """The side of a queue whose hosts share an address: that of a customer, whose router translates addresses unless
    the queue is on an interface towards the devices; else ""."""
    return "" if line.is_local or INNER.fullmatch(queue.dev) else CUSTOMERS_SIDE[direction]


def seen(kind: str, params: Mapping[str, Any], functions: CakeFunctions, side: str) -> dict[str, Any]:
    """Parameters of a queue, for a CAKE that shares the link between hosts with the side that it sees one address
    of."""
    hidden = kind == "cake" and side and not functions.nat and params.get("isolate") not in BLIND
    return {**params, "translated": side} if hidden else dict(params)


def designs(where: Place) -> Iterator[tuple[str, dict[str, Any], CakeFunctions]]:
    """Name, options and functions of each CAKE to try next to the usual one: filters of acknowledgements where those
    are many, `nat` where the one in place lacks it, and longer intervals."""
    own = where.kept.get("ack_filter", "off")
    filters = [one for one in ACK_FILTERS if one != own] if acknowledgements(where) >= FEWEST_ACKS else []
    for name in filters:
        yield f"CAKE with {ACK_FILTERS[name]}", {"ack_filter": name}, where.functions
    if where.lacks_nat:
        finding = replace(where.functions, nat=True)
        yield "CAKE with nat", {}, finding
        for name in filters:
            yield f"CAKE with nat and {ACK_FILTERS[name]}", {"ack_filter": name}, finding
    if where.imported.discipline == "cake":
        for factor in LONGER:
            interval_s = factor * units.span(str(where.base.get("queue.interval")))
            shown = units.show_span(interval_s)
            yield f"CAKE with rtt {shown}", {"interval": shown}, where.functions


def acknowledgements(where: Place) -> float:
    """Share of the queue's rate that the acknowledgements of the other direction take while its transfers fill it; 0
    where nothing is sent there."""
    flows = where.base.get("flows") or {}
    if not any(one.get("reverse") and one.get("transport", "tcp") == "tcp" for one in flows.values()):
        return 0.0
    back = where.base.get("dumbbell.back.rate")
    each = where.framing.on_wire(ACK_BYTES) / (2.0 * where.framing.on_wire(PACKET_BYTES))
    return each * units.rate(str(back)) / where.rate_bps if back else 0.0
