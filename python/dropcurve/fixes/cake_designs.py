"""Settings of CAKE to try in the place of a queue, next to the usual ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..boxes.cake_functions import CakeFunctions
from ..quantities import units
from ..scenario.links import PACKET_BYTES
from .place import Place

#: Filters of acknowledgements, with the word of ``tc`` for each.
ACK_FILTERS = {"off": "no ack-filter", "conservative": "ack-filter", "aggressive": "ack-filter-aggressive"}
#: Bytes of an acknowledgement with timestamps, of which one answers two full packets, and the share of the queue's rate
#: from which those of the other direction's transfers make a filter worth trying.
ACK_BYTES, FEWEST_ACKS = 52, 0.1
#: Intervals of a CAKE in place that are tried, in present ones: few long flows need more to fill the link.
LONGER = (2.0, 4.0)


def with_functions(where: Place) -> Iterator[tuple[str, dict[str, Any], CakeFunctions]]:
    """Name, options and functions of CAKEs to try before others: filters of acknowledgements where those are many, and
    `nat` where the one in place lacks it."""
    own = where.kept.get("ack_filter", "off")
    filters = [one for one in ACK_FILTERS if one != own] if acknowledgements(where) >= FEWEST_ACKS else []
    for name in filters:
        yield f"CAKE with {ACK_FILTERS[name]}", {"ack_filter": name}, where.functions
    if where.lacks_nat:
        finding = replace(where.functions, nat=True)
        yield "CAKE with nat", {}, finding
        for name in filters:
            yield f"CAKE with nat and {ACK_FILTERS[name]}", {"ack_filter": name}, finding


def longer(where: Place) -> Iterator[tuple[str, dict[str, Any], CakeFunctions]]:
    """Name, options and functions of CAKEs with longer intervals than the one in place has."""
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
