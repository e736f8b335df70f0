"""A scenario around an imported queue: the link and traffic that the configuration does not state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..scenario import Scenario, links

#: Rate in bit/s below which a link is too slow for video next to everything else.
VIDEO_BPS = 3e6


def profile(
    rate_bps: float, rtt_s: tuple[float, float], flows: int, *, ecn: bool, direction: str = "down"
) -> links.LinkProfile:
    """A link of a rate in both directions with ``flows`` transfers in one, a transfer in the other and the usual
    traffic next to them: that of a data centre if the round trip is below `links.LOCAL_S`."""
    if rtt_s[1] < links.LOCAL_S:
        usual = links.preset("datacentre")
        mix = replace(usual.mix, downloads=flows)
        return links.LinkProfile("link", rate_bps, rate_bps, rtt_s, usual.buffer, mix)
    mix = links.Mix(downloads=flows, videos=1 if rate_bps >= VIDEO_BPS else 0, ecn=ecn)
    if direction == "up":
        mix = replace(mix, downloads=mix.uploads, uploads=flows)
    return links.LinkProfile("link", rate_bps, rate_bps, rtt_s, "1bdp", mix)


def scenario(
    discipline: str,
    params: Mapping[str, Any],
    *,
    link: links.LinkProfile,
    direction: str = "down",
    packet_bytes: int = 1500,
    title: str = "An imported queue",
    name: str = "imported",
    urgent: bool = False,
    ecn: bool | None = None,
) -> Scenario:
    """The link with its traffic and the queue.

    Args:
        discipline: Kind of the queue.
        params: Its parameters.
        link: The link with its traffic.
        direction: Direction of the queue, "down" or "up".
        packet_bytes: Size of the packets of long transfers.
        title: Title of the scenario.
        name: Name of the scenario.
        urgent: Marks the packets of calls as expedited forwarding.
        ecn: Whether senders use ECN; by default that of the parameters.
    """
    if (params.get("ecn") is True if ecn is None else ecn) and not link.mix.ecn:
        link = replace(link, mix=replace(link.mix, ecn=True))
    plain = links.scenario(link, direction=direction, title=title, name=name)
    bulk = [one for one in ("download", "upload") if getattr(link.mix, f"{one}s")]
    sizes = [
        (f"flows.{one}.mss", f"{packet_bytes - 40} B") for one in bulk if packet_bytes != links.PACKET_BYTES
    ]
    calls = [("flows.call.class", "EF")] if urgent and link.mix.calls else []
    return plain.edit([*sizes, *calls, ("queue", {"kind": discipline, **dict(params)})])
