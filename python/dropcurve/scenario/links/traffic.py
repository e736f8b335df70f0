"""A link and its traffic as a scenario.

The forward direction is the one whose queue is under design; the other has tail drop with the link's buffer, and
carries acknowledgements and the transfers that go that way. Sources:

* Long transfers: CUBIC with the numbers of Linux, unless the mix names another congestion control.
* Web pages: sessions arrive as a Poisson process, each a page as a browser fetches it: a document, then its objects
  over up to six connections, each opened by a handshake; 500 kB on average: the part of a page that is needed to read
  it, a quarter of its whole weight (WA22).
* Video: chunks of 4 s over TCP whose quality follows the throughput (ISO-23009).
* Calls: G.711 in frames of 20 ms (RFC 3551), without silence suppression: 80 kbit/s with headers.
* Games: updates of 127 bytes with 28 of headers every 60 ms (Fae02).

A data centre has DCTCP and no pages and games, but:

* Responses: one object on one connection, 20 kB on average.
* Remote procedure calls: on each of 40 connections messages of 2 kB, as the workers of a rack answer (DCTCP10 section
  2.2), with an exponential time of 5 ms in between: eight messages a millisecond.
* Connections that are open when the run begins, and a minimum retransmission timeout of 10 ms (DCTCP10 section 4.2.1):
  with the 200 ms of Linux and its handshakes, a single loss would stop a flow for the whole of a run.
* No transfers against the direction of the queue, which is another port of the switch. Their pure ACKs, which Linux
  sends as ECN-capable with DCTCP, are not ECN-capable here: a queue that marks would drop them.

The customer has three devices, so that a queue that shares the link between hosts is judged by it: a computer with the
long transfers, another one with the pages and calls, and a television with the video and the game. What they talk to
are hosts of their own. In a data centre every flow has two hosts of its own.
"""

from __future__ import annotations

from ...quantities import units
from ..scenario import Scenario
from .profile import DEVICES, PACKET_BYTES, LinkProfile

#: First words of the description of such a scenario.
ASSUMED = "Assumed: "
#: Mean size of a page in bytes: the model "browser" of web sessions has 31 kB and 19 objects of 25 kB.
PAGE_BYTES = 500_000
#: Mean size of responses in a data centre and its standard deviation, in bytes, most of which fit into a few packets
#: (DCTCP10); those beyond the last are cut.
RESPONSE_BYTES, RESPONSE_SD, RESPONSE_MOST = 20_000, 40_000, 1_000_000
#: Messages of remote procedure calls in bytes, and the mean time between those of a connection, in seconds.
MESSAGE_BYTES, MESSAGE_GAP_S = 2_000, 5e-3
#: What the TCP of a data centre has beyond the numbers of Linux. Linux derives the longest delay of an acknowledgement
#: from the minimum timeout.
LOCAL_TCP = 'handshake = "none"\nmin_rto = "10 ms"\nack_timeout = "9 ms"'
#: The host at the customer's end of each class.
HOSTS = {name: device for device, classes in DEVICES.items() for name in classes}
#: The key of that end by the direction of a flow's data.
_CUSTOMERS_END = {"down": "destination_host", "up": "source_host"}
#: Places from which pages are asked for, each with a round trip of its own.
PLACES = 8
#: Packets that the measurement window should hold, and the most.
ENOUGH_PACKETS, MOST_PACKETS = 5_000, 400_000


def scenario(
    profile: LinkProfile,
    *,
    direction: str = "down",
    duration: str | None = None,
    title: str = "",
    name: str = "",
) -> Scenario:
    """The scenario of a link, with a tail-drop queue.

    Args:
        profile: The link and its traffic.
        direction: Direction of the queue under design: "down" or "up".
        duration: Simulated time of a run; by default long enough for the measures to settle.
        title: Title of the scenario; by default the link's name and rates.
        name: Name of the scenario; by default the link's name and the direction.

    Returns:
        A dumbbell whose classes are download, upload, web, video, call and game, in a data centre download, upload,
        response and rpc.

    Raises:
        UsageError: For a direction that is neither.

    Example:
        ``links.scenario(links.preset("dsl"), direction="up")``
    """
    other = "up" if direction == "down" else "down"
    rate, back = profile.rate_bps(direction), profile.rate_bps(other)
    warmup, length = (
        times(profile, rate) if duration is None else _split(units.span(duration, what="duration"))
    )
    low, high = profile.rtt_s
    trunk = 0.3 * low
    near, far = low / 2.0 - trunk, high / 2.0 - trunk
    spread = _span(near) if near == far else f"even {_span(near)} to {_span(far)}"
    parts = [
        f'title = "{title or f"{profile.name}, {direction}: {units.show_rate(rate)}"}"',
        f'description = "{ASSUMED}{profile.assumptions(direction)}"',
        f'[run]\nduration = "{_span(length)}"\nwarmup = "{_span(warmup)}"',
        f'[dumbbell]\nrate = "{units.show_rate(rate)}"\ndelay = "{_span(trunk)}"\naccess_rate = "0 bit/s"\n'
        f'access_delay = "{spread}"\nexit_delay = "0 s"{_framing(profile)}',
        f'[dumbbell.back]\nrate = "{units.show_rate(back)}"',
        f'[queue]\nkind = "droptail"\nlimit = "{profile.buffer_pkts(direction)} pkts"',
        _back(profile, other),
        *_groups(profile, direction, warmup),
    ]
    return Scenario.parse("\n\n".join(parts) + "\n", name=name or f"{profile.name}-{direction}")


def _framing(profile: LinkProfile) -> str:
    """The keys of the bytes that the line adds to a packet, in both directions."""
    return "".join(f'\n{key} = "{value}"' for key, value in profile.framing.params.items())


def _back(profile: LinkProfile, direction: str) -> str:
    """The queue of the other direction: as it is found, or a discipline with its own defaults."""
    if profile.back == "droptail":
        return f'[back_queue]\nkind = "droptail"\nlimit = "{profile.buffer_pkts(direction)} pkts"'
    return f'[back_queue]\nkind = "{profile.back}"'


def times(profile: LinkProfile, rate_bps: float) -> tuple[float, float]:
    """Warm-up and duration of a run in seconds: many round trips and many packets, but no more than are needed."""
    packets_s = rate_bps / (8.0 * PACKET_BYTES)
    slowest = profile.rtt_s[1]
    local = profile.is_local
    warmup = 100.0 * slowest if local else max(5.0, 20.0 * slowest)
    least = 500.0 * slowest if local else max(20.0, 60.0 * slowest)
    window = min(max(least, ENOUGH_PACKETS / packets_s), max(least / 4.0, MOST_PACKETS / packets_s))
    return warmup, warmup + window


def _split(length: float) -> tuple[float, float]:
    """A quarter of the run is warm-up."""
    return length / 4.0, length


def _groups(profile: LinkProfile, direction: str, warmup: float) -> list[str]:
    """The tables of flows; those of the other direction are reversed."""
    mix = profile.mix
    start = f'start = "uniform 0 s to {_span(warmup / 4.0)}"'

    def ends(name: str, way: str = direction) -> str:
        return _ends(profile, name, way, direction)

    tables = []
    for name, count, way in (("download", mix.downloads, "down"), ("upload", mix.uploads, "up")):
        tables += _tcp(name, count, profile, f"{start}{ends(name, way)}")
    if mix.l4s:
        sender = _transport(profile, 'profile = "l4s"')
        tables.append(f"[flows.l4s]\ncount = {mix.l4s}\n{start}{ends('l4s')}\n{sender}")
    if mix.web:
        tables += _tcp(
            "response" if profile.is_local else "web",
            PLACES,
            profile,
            f"{_pages(profile)}{ends('web', 'down')}",
        )
    tables += _tcp("video", mix.videos, profile, f'source = "video"\n{start}{ends("video", "down")}')
    if mix.calls:
        tables.append(
            f'[flows.call]\ncount = {mix.calls}\ntransport = "udp"\nsource = "voice"\nsuppression = false\n'
            f"{start}{ends('call')}"
        )
    if mix.games and profile.is_local:
        calls = (
            f'source = "http"\nconnection = "session"\nsize = "{MESSAGE_BYTES} B"\n'
            f'think = "exponential {_span(MESSAGE_GAP_S)}"\n{start}{ends("rpc")}'
        )
        tables += _tcp("rpc", mix.games, profile, calls)
    elif mix.games:
        tables.append(
            f'[flows.game]\ncount = {mix.games}\ntransport = "udp"\nsource = "cbr"\nrate = "20.6 kbit/s"\n'
            f'packet = "155 B"\njitter = 0.1\n{start}{ends("game")}'
        )
    return tables


def _ends(profile: LinkProfile, name: str, way: str, direction: str) -> str:
    """The keys of the customer's host of a class and, against the direction of the queue, of the reversal of a group
    whose data goes one way."""
    host = "" if profile.is_local else f'\n{_CUSTOMERS_END[way]} = "{HOSTS[name]}"'
    return host if way == direction else f"{host}\nreverse = true"


def _tcp(name: str, count: int, profile: LinkProfile, keys: str) -> list[str]:
    """The tables of a class over TCP: a group without ECN and one with it."""
    mix = profile.mix
    marked = round(mix.ecn * count)
    tcp = _transport(profile, f'profile = "linux"\ncc = "{mix.cc}"')
    tables = []
    if count > marked:
        tables.append(f"[flows.{name}]\ncount = {count - marked}\n{keys}\n{tcp}")
    if marked:
        own = f'[flows.{name}_ecn]\ncounted_as = "{name}"' if count > marked else f"[flows.{name}]"
        tables.append(f"{own}\ncount = {marked}\n{keys}\n{tcp}\necn = true")
    return tables


def _transport(profile: LinkProfile, sender: str) -> str:
    """The keys of a TCP sender, in a data centre with those of its hosts."""
    keys = f'transport = "tcp"\n{sender}'
    return f"{keys}\n{LOCAL_TCP}" if profile.is_local else keys


def _pages(profile: LinkProfile) -> str:
    """The keys of web pages, or of responses in a data centre."""
    local = profile.is_local
    mean = RESPONSE_BYTES if local else PAGE_BYTES
    gap = f'arrival = "exponential {_span(PLACES * 8.0 * mean / (profile.mix.web * profile.down_bps))}"'
    if not local:
        return f'source = "http"\nmodel = "browser"\n{gap}'
    size = f'size = "lognormal {RESPONSE_BYTES} B sd {RESPONSE_SD} B up to {RESPONSE_MOST} B"'
    return f'source = "http"\nsessions = "open"\n{gap}\n{size}'


def _span(seconds: float) -> str:
    """A time in whole nanoseconds, as scenarios write it."""
    return "0 s" if seconds < 5e-10 else units.show_span(round(seconds * 1e9) / 1e9)
