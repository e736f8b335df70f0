"""The traffic of a case as a scenario: victims (transfers, a call, web objects) and unresponsive datagrams."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...quantities import units
from ...scenario import Scenario, toml
from ..link import LEAST_BYTES, MOST_BYTES, PLACES, SHAPE, short_bytes
from .bounds import Bounds, Case

#: Bytes of a full packet.
PACKET_BYTES = 1500
#: Class of all unresponsive datagrams.
DATAGRAMS = "datagrams"
#: Parameters of the datagrams.
DATAGRAM_KEYS = ("cbr", "pulse_rate", "pulse_width", "pulse_period", "datagram")
#: Rate of the call on the wire: G.711 in frames of 20 ms.
CALL_BPS = 80_000.0
#: Warm-up and measurement window in seconds, and in round trips of the farthest transfer, whichever is longer.
WARMUP_S, WARMUP_TRIPS, WINDOW_S, WINDOW_TRIPS = 3.0, 12.0, 20.0, 60.0
#: Most packets of a measurement window, unless it falls below its least length.
MOST_PACKETS, LEAST_WINDOW_S = 250_000, 6.0
#: Pareto shape of the lengths of pulses and pauses, with a standard deviation of 1 %.
EVEN = 100
#: Shortest pause between two pulses.
LEAST_PAUSE_S = 1e-3


@dataclass(frozen=True)
class StressLink:
    """The link under stress.

    Attributes:
        name: As typed.
        rate_bps: In the direction of the queue.
        back_bps: In the other one.
        rtt_s: Usual base round trip.
        buffer_pkts: Limit of the queue.
        ecn: Whether TCP negotiates ECN.
    """

    name: str
    rate_bps: float
    back_bps: float
    rtt_s: float
    buffer_pkts: float
    ecn: bool = False

    @property
    def packets_s(self) -> float:
        """Full packets a second."""
        return self.rate_bps / (8.0 * PACKET_BYTES)

    def __str__(self) -> str:
        rate, trip = units.show_rate(self.rate_bps), units.show_span(self.rtt_s)
        return f"{rate}, usual round trip {trip}, buffer of {units.show_packets(self.buffer_pkts)}"


def enveloped(case: Case, bounds: Bounds, link: StressLink) -> Case:
    """The case with its datagrams inside the envelope, and parameters without effect at their usual values."""
    inside, mild = with_envelope(case, bounds, link), bounds.mild()
    if inside["loss"] == 0:
        inside["loss_burst"] = mild["loss_burst"]
    if inside["flows"] == 1:
        inside["rtt_ratio"] = (
            mild["rtt_ratio"] if bounds.ranges["rtt_ratio"].low <= 1 else inside["rtt_ratio"]
        )
    return inside


def with_envelope(case: Case, bounds: Bounds, link: StressLink) -> Case:
    """The case with its datagrams inside the envelope: pulses are shortened first, down to the least width of the
    bounds, and then lowered."""
    changed = dict(case)
    most = bounds.envelope_rate
    cbr = min(float(changed["cbr"]), most)
    rate, width, period = (float(changed[name]) for name in ("pulse_rate", "pulse_width", "pulse_period"))
    width = min(width, period - LEAST_PAUSE_S)
    if rate > 0:
        burst_bits = 8 * PACKET_BYTES * units.buffer(
            bounds.envelope_burst, rate_bps=link.rate_bps, rtt_s=link.rtt_s, packet_bytes=PACKET_BYTES
        )  # fmt: skip
        # Seconds of the link's rate beyond the mean that one pulse may bring.
        burst_s = burst_bits / link.rate_bps
        limits = [(most - cbr) * period / rate]
        if cbr + rate > most:
            limits.append(100.0 * burst_s / (cbr + rate - most))
        least = min(bounds.ranges["pulse_width"].low, period - LEAST_PAUSE_S)
        width = max(least, min(width, *limits))
        rate = min(rate, (most - cbr) * period / width, most - cbr + 100.0 * burst_s / width)
    # Less than two datagrams are no pulse.
    if rate / 100.0 * link.rate_bps * width < 16.0 * float(changed["datagram"]):
        rate = 0.0
    mild = bounds.mild()
    if rate <= 0:
        rate, width, period = 0.0, float(mild["pulse_width"]), float(mild["pulse_period"])
    changed |= {
        "cbr": _short(cbr),
        "pulse_rate": _short(rate),
        "pulse_width": _short(width),
        "pulse_period": _short(period),
    }
    if changed["cbr"] == 0 and changed["pulse_rate"] == 0:
        changed["datagram"] = mild["datagram"]
    return changed


def offered(case: Case) -> float:
    """Mean rate of all datagrams in per cent of the link."""
    rate, width, period = (float(case[name]) for name in ("pulse_rate", "pulse_width", "pulse_period"))
    return float(case["cbr"]) + (rate * width / period if rate else 0.0)


def times(link: StressLink, case: Case) -> tuple[float, float]:
    """Warm-up and duration in whole seconds."""
    far = float(case["rtt"]) * float(case["rtt_ratio"])
    warmup = math.ceil(max(WARMUP_S, WARMUP_TRIPS * far))
    if "window" in case:
        return float(warmup), warmup + float(case["window"])
    window = max(WINDOW_S, WINDOW_TRIPS * far)
    window = min(window, max(LEAST_WINDOW_S, 20.0 * far, MOST_PACKETS / link.packets_s))
    return float(warmup), float(warmup + math.ceil(window))


def scenario(link: StressLink, case: Case, *, title: str = "") -> Scenario:
    """The scenario of a case, with a tail-drop queue.

    Args:
        link: The link.
        case: Inside the envelope (`enveloped`).
        title: Title of the scenario.

    Returns:
        A dumbbell whose classes are long, call, and where they are asked for short and datagrams.
    """
    warmup, duration = times(link, case)
    near = float(case["rtt"])
    far = near * float(case["rtt_ratio"])
    trunk = 0.3 * near
    own = [_span(trip / 2.0 - trunk) for trip in (near, far)]
    spread = own[0] if own[0] == own[1] else f"even {own[0]} to {own[1]}"
    start = float(case["start"])
    begin = f"uniform 0 s to {_span(start)}" if start > 0 else "0 s"
    loss = float(case["loss"]) / 100.0
    parts = [
        f'title = "{title or "stress"}"',
        f'[run]\nduration = "{_span(duration)}"\nwarmup = "{_span(warmup)}"',
        f'[dumbbell]\nrate = "{units.show_rate(link.rate_bps)}"\ndelay = "{_span(trunk)}"\n'
        f'access_rate = "0 bit/s"\naccess_delay = "{own[0]}"\nexit_delay = "0 s"{_lossy(loss, case)}',
        f'[dumbbell.back]\nrate = "{units.show_rate(link.back_bps)}"',
        f'[queue]\nkind = "droptail"\nlimit = "{units.show_packets(link.buffer_pkts)}"',
        f'[flows.long]\ncount = {round(float(case["flows"]))}\nstart = "{begin}"\naccess_delay = "{spread}"\n'
        f"{_tcp(link, case)}",
    ]
    if float(case.get("call", 1.0)) > 0:
        parts.append(
            '[flows.call]\ntransport = "udp"\nsource = "voice"\nsuppression = false\nstart = "uniform 0 s to 20 ms"'
        )
    if float(case["short"]) > 0:
        gap = PLACES * 8 * short_bytes() / (float(case["short"]) / 100 * link.rate_bps)
        parts.append(
            f'[flows.short]\ncount = {PLACES}\nsource = "http"\nsessions = "open"\naccess_delay = "{spread}"\n'
            f'arrival = "exponential {_span(gap)}"\n'
            f'size = "pareto from {LEAST_BYTES:.0f} B shape {SHAPE:g} up to {MOST_BYTES:.0f} B"\n{_tcp(link, case)}'
        )
    sent = datagrams(link.rate_bps, case)
    parts += [f"[flows.{name}]\n{toml.dump(group)}" for name, group in sent.items()]
    return Scenario.parse("\n\n".join(parts) + "\n", name="stress")


def described(case: Case, bounds: Bounds) -> str:
    """The traffic in words: ``1 transfer at 200 ms with pulses of 150 % of the link for 120 ms every 1.1 s``."""
    flows = round(float(case["flows"]))
    near = float(case["rtt"])
    far = near * float(case["rtt_ratio"])
    trip = units.show_span(_short(near))
    if far > near and flows > 1:
        trip += f" to {units.show_span(_short(far))}"
    choices = [str(case[name]) for name in bounds.choices if len(bounds.choices[name]) > 1]
    kind = f" ({', '.join(choices)})" if choices else ""
    words = f"{flows} transfer{'' if flows == 1 else 's'}{kind} at {trip}"
    more = []
    if float(case["short"]) > 0:
        more.append(f"web objects at {float(case['short']):g} % of the link")
    more += [sent] if (sent := described_datagrams(case)) else []
    if float(case["loss"]) > 0:
        bursts = f" in bursts of {float(case['loss_burst']):g}" if float(case["loss_burst"]) > 1 else ""
        more.append(f"{float(case['loss']):g} % random loss{bursts}")
    call = " and a call" if float(case.get("call", 1.0)) > 0 else ""
    return f"{words}{call}" + (f", with {' and '.join(more)}" if more else "")


def described_datagrams(case: Mapping[str, float | str]) -> str:
    """The datagrams of a case in words; "" if there are none."""
    parts = []
    size = float(case.get("datagram", PACKET_BYTES))
    of = f" of {size:g} B" if size != PACKET_BYTES else ""
    if cbr := float(case.get("cbr", 0.0)):
        parts.append(f"unresponsive datagrams{of} at {cbr:g} % of the link")
    if rate := float(case.get("pulse_rate", 0.0)):
        width, period = (units.show_span(float(case[name])) for name in ("pulse_width", "pulse_period"))
        parts.append(f"pulses of datagrams{of} at {rate:g} % of the link for {width} every {period}")
    return " and ".join(parts)


def datagrams(rate_bps: float, case: Mapping[str, float | str]) -> dict[str, dict[str, Any]]:
    """The groups of unresponsive datagrams of a case by name, as tables of a scenario."""
    shared = {
        "transport": "udp", "packet": f"{round(float(case.get('datagram', PACKET_BYTES)))} B",
        "counted_as": DATAGRAMS,
    }  # fmt: skip
    groups: dict[str, dict[str, Any]] = {}
    if cbr := float(case.get("cbr", 0.0)):
        rate = units.show_rate(_short(cbr / 100 * rate_bps, 6))
        groups["cbr"] = {**shared, "source": "cbr", "rate": rate, "jitter": 0.1}
    if pulse := float(case.get("pulse_rate", 0.0)):
        width, period = float(case["pulse_width"]), float(case["pulse_period"])
        groups["pulses"] = {
            **shared, "source": "onoff", "rate": units.show_rate(_short(pulse / 100 * rate_bps, 6)),
            "on": _span(width), "off": _span(period - width), "shape": EVEN,
            "start": f"uniform 0 s to {_span(period)}",
        }  # fmt: skip
    return groups


def with_datagrams(scenario: Scenario, case: Mapping[str, float | str]) -> Scenario:
    """A scenario with a dumbbell with the datagrams of a case added to its traffic; the same where there are none."""
    if not (case.get("cbr") or case.get("pulse_rate")):
        return scenario
    rate = units.rate(str(scenario.get("dumbbell.rate")))
    return scenario.edit([(f"flows.{name}", group) for name, group in datagrams(rate, case).items()])


def _lossy(loss: float, case: Case) -> str:
    """The keys of random loss, in bursts where their mean length exceeds 1."""
    if loss <= 0:
        return ""
    length = float(case["loss_burst"])
    if length <= 1:
        return f"\nloss = {_short(loss):g}"
    # Bursts lose everything: their share of the packets is loss, their mean length 1 / burst_end.
    end = 1.0 / length
    return f"\nburst_begin = {_short(end * loss / (1.0 - loss)):g}\nburst_end = {_short(end):g}"


def _tcp(link: StressLink, case: Case) -> str:
    ecn = "\necn = true" if link.ecn else ""
    cc = "" if case["senders"] == "l4s" else f'\ncc = "{case["cc"]}"'
    return f'transport = "tcp"\nprofile = "{case["senders"]}"{cc}{ecn}'


def _short(value: float, digits: int = 3) -> float:
    return float(f"{value:.{digits}g}")


def _span(seconds: float) -> str:
    """A time in whole microseconds."""
    return "0 s" if seconds < 5e-7 else units.show_span(round(seconds * 1e6) / 1e6)
