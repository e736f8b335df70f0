"""The link of a queue's place with its traffic: rates and direction, transfers, the applications of a class, and the
calls that are served before it."""

from __future__ import annotations

from dataclasses import replace

from ..boxes.model import Import, Priority
from ..scenario import links
from ..scenario.links import LinkProfile

#: Rate of a call of G.711 with its headers, in bit/s (RFC 3551).
CALL_BPS = 80e3
#: Rate for each download where their number is not given, and the least and most of them: twenty transfers through
#: 1 Mbit/s have windows of less than a packet each, and lose a third of what they send whatever the queue does.
FLOW_BPS, FEWEST_FLOWS, MOST_FLOWS = 2e6, 2, 20
#: Share of a policed rate that calls fill, and the most calls.
CALLS_SHARE, MOST_CALLS = 0.5, 50


def named(queue: Import, link: str | None, own_bps: float | None) -> tuple[LinkProfile, str]:
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


def overridden(
    line: LinkProfile, direction: str, rtt_s: tuple[float, float] | None, flows: int | None
) -> LinkProfile:
    """The link with this round trip, and this number of transfers through the queue, where they are given."""
    if rtt_s is not None:
        line = replace(line, rtt_s=rtt_s)
    if flows is None:
        return line
    mix = replace(line.mix, downloads=flows) if direction == "down" else replace(line.mix, uploads=flows)
    return replace(line, mix=mix)


def of_class(
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


def with_calls(
    line: LinkProfile, direction: str, above: tuple[Priority, ...], rate_bps: float
) -> LinkProfile:
    """The link with calls for the queue above, and room for them."""
    if not above or not line.mix.calls:
        return line
    police = above[0].police_bps
    calls = line.mix.calls
    if police is not None:
        calls = min(MOST_CALLS, max(calls, round(CALLS_SHARE * police / CALL_BPS)))
    widened = _at(line, direction, rate_bps + calls_bps(above, calls))
    return replace(widened, mix=replace(line.mix, calls=calls))


def calls_bps(above: tuple[Priority, ...], calls: int) -> float:
    """The rate of calls that are served before a queue."""
    return calls * CALL_BPS if above else 0.0
