"""CAKE in the place of a queue: the options that a new one keeps, and the addresses that it sees."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..boxes.cake_functions import CakeFunctions
from ..boxes.model import Import
from ..quantities import wording
from ..scenario.links import LinkProfile

#: Options that another CAKE in the same place keeps.
KEPT = ("tins", "isolate", "ack_filter", "wash")
#: Values of `isolate` that read no hosts.
BLIND = ("flows", "flowblind")
#: Values of `isolate` that read the hosts of one side alone.
SOURCES, DESTINATIONS = ("srchost", "dual_srchost"), ("dsthost", "dual_dsthost")
#: Interfaces towards the devices of a customer, where addresses are not translated yet.
INNER = re.compile(r"(?:br|lan|wlan|wl)(?:[-.]?\w+)*")
#: The side of a queue on which the devices of a customer are, by its direction.
CUSTOMERS_SIDE = {"up": "source", "down": "destination"}
#: Functions that no run shows, by the field of `CakeFunctions`.
UNSIMULATED = {
    "ingress": "the protection of the queue before it (ingress)", "autorate": "the estimation of the rate",
    "mark": "tins by firewall mark",
}  # fmt: skip


def kept(queue: Import) -> dict[str, Any]:
    """Options of a CAKE that another CAKE in its place keeps; none of another queue."""
    return (
        {key: queue.params[key] for key in KEPT if key in queue.params} if queue.discipline == "cake" else {}
    )


def unsimulated(queue: Import) -> str:
    """Functions of a queue that no run shows, in words; "" if there are none."""
    return wording.listed([text for key, text in UNSIMULATED.items() if getattr(queue.functions, key)])


def sending(queue: Import) -> str:
    """The word of ``tc`` by which a CAKE is that of an upload: it tells hosts apart by source, or filters
    acknowledgements; "" for any other queue, and on an interface towards the devices."""
    params = queue.params if queue.discipline == "cake" else {}
    if INNER.fullmatch(queue.dev) or queue.dev.startswith("ifb") or queue.functions.ingress:
        return ""
    isolate = str(params.get("isolate", ""))
    if isolate in SOURCES:
        return isolate.replace("_", "-")
    return "ack-filter" if params.get("ack_filter", "off") != "off" and isolate not in DESTINATIONS else ""


def directed(queue: Import, link: str | None) -> tuple[str, str | None]:
    """Clause on the direction that the options of a CAKE tell ("" where the link or the text states it), and the link
    with that direction."""
    if queue.link_text or (link and ":" in link.partition(",")[0]) or not (word := sending(queue)):
        return "", link
    clause = (
        f"your CAKE has {word}, an option of the side that sends: it is judged as the queue of an upload; state "
        "the line with --link, such as 100/10:up, or 100/10:down for a download"
    )
    return clause, re.sub(r"^[^,]*", r"\g<0>:up", link, count=1) if link else None


def inverted(queue: Import) -> list[str]:
    """Clause on a CAKE towards the devices that tells servers apart, not devices; nothing for another queue."""
    isolate = queue.params.get("isolate") if queue.discipline == "cake" else None
    if isolate not in SOURCES or not INNER.fullmatch(queue.dev):
        return []
    words = [f"{side}{isolate.removeprefix('dual_').removeprefix('src')}" for side in ("src", "dst")]
    mine, other = (f"dual-{word}" if isolate.startswith("dual") else word for word in words)
    return [
        f"on {queue.dev}, towards the devices, {mine} tells the servers apart: {other} shares between devices"
    ]


def translated(queue: Import, line: LinkProfile, direction: str) -> str:
    """The side of a queue whose hosts share an address: that of a customer, whose router translates addresses unless
    the queue is on an interface towards the devices; else ""."""
    return "" if line.is_local or INNER.fullmatch(queue.dev) else CUSTOMERS_SIDE[direction]


def seen(kind: str, params: Mapping[str, Any], functions: CakeFunctions, side: str) -> dict[str, Any]:
    """Parameters of a queue, for a CAKE that shares the link between hosts with the side that it sees one address
    of."""
    hidden = kind == "cake" and side and not functions.nat and params.get("isolate") not in BLIND
    return {**params, "translated": side} if hidden else dict(params)
