"""Roles of the classes of a run in a verdict: thin, short, bulk, media, unresponsive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ..metrics import Flows, Run, by_class, main_links
from ..metrics.run_parts import active_s, known

Role = Literal["bulk", "short", "thin", "media", "unresponsive"]

#: Share of the link from which datagrams without feedback are an attack on the rest.
ATTACK_SHARE = 0.25
#: A flow that sends less than this is thin on any link: narrowband speech with its headers.
THIN_BPS = 100e3
#: Mean size of the messages of thin flows over TCP, in bytes: two full packets. Keystrokes and remote procedure calls
#: are smaller; their delay is that of their packets, and no window limits it.
MESSAGE_BYTES = 3_000
#: The same delay counts this much for long transfers, relative to thin flows.
BULK_FACTOR = 0.25
#: Pages in a run, on average, from which their load time counts: that of fewer decides by chance.
PAGES = 5.0


def roles(run: Run) -> dict[str, Role]:
    """The role of each class of flows.

    Returns:
        By class: "unresponsive" for datagrams without feedback that send a quarter of the link's rate or more
        together, "thin" for those of which each sends at most its fair share (a call, a game) and for small messages
        over TCP (remote procedure calls), "media" for datagrams in between, "short" for flows that hand over larger
        objects or have an end, else "bulk".
    """
    names = main_links(run)
    rate = float(run["links"][names[0]]["rate_bps"]) if names else float("inf")
    sets = by_class(run)
    fair = rate / max(1, sum(map(len, sets.values())))
    return {name: _role(run, flows, rate, fair) for name, flows in sets.items()}


def _role(run: Run, flows: Flows, rate: float, fair: float) -> Role:
    first = flows[0]
    if first["transport"] == "udp":
        each = [_sent_bps(run, flow) for flow in flows]
        return datagrams(sum(each), max(each), rate, fair)
    if flows.object_senders and _messages(flows.object_senders):
        return "thin"
    if flows.object_senders or known(flows, "size_bytes"):
        return "short"
    return "bulk"


def _messages(flows: Flows) -> bool:
    """Whether objects are small messages and no parts of pages."""
    objects = [flow["objects"] for flow in flows]
    if any(one.get("page_ms") for one in objects):
        return False
    completed = sum(one.get("completed", 0) for one in objects)
    return bool(0 < sum(one.get("payload_bytes", 0) for one in objects) <= MESSAGE_BYTES * completed)


def datagrams(together_bps: float, most_bps: float, rate_bps: float, fair_bps: float) -> Role:
    """The role of datagrams without feedback.

    Args:
        together_bps: Rate at which all flows of the class send.
        most_bps: Rate of the largest of them.
        rate_bps: Rate of the link.
        fair_bps: Fair share of a flow.
    """
    if together_bps >= ATTACK_SHARE * rate_bps and most_bps > THIN_BPS:
        return "unresponsive"
    return "thin" if most_bps <= max(fair_bps, THIN_BPS) else "media"


def _sent_bps(run: Run, flow: Mapping[str, Any]) -> float:
    seconds = active_s(run, flow)
    return 8.0 * float(flow.get("sent_bytes") or 0) / seconds if seconds else 0.0
