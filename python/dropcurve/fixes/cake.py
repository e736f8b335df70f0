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


def of_upload(queue: Import) -> list[str]:
    """Clause on a CAKE whose options are those of an upload, judged as a download; nothing for another queue."""
    params = queue.params if queue.discipline == "cake" else {}
    if params.get("ack_filter", "off") == "off" and params.get("isolate") not in ("srchost", "dual_srchost"):
        return []
    return [
        "your CAKE is judged as the queue of a download, and has options of an upload: if it is one, give the line, "
        "such as --link 100/10:up"
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
