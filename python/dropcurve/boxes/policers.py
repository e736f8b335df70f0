"""Policers of a box's configuration: token buckets that drop before any queue, and their effect on a queue.

If a policer's rate is below the rate of the queue behind it, packets are dropped before they can queue, and no setting
of the queue changes that. Otherwise the queue is the bottleneck, and the policer drops almost nothing (RFC 2697). The
policer of a queue's own class is simulated, and so is that of a text without any queue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import UsageError
from ..files.reading import parse_json
from ..quantities import units
from . import tc_numbers
from .junos_read import statements
from .model import Import, Note, with_others

#: The key of the notes.
KEY = "police"


@dataclass(frozen=True)
class Policer:
    """A policer: its name in the text, its rate and its burst, None where the text does not state them."""

    title: str
    rate_bps: float | None = None
    burst_bytes: float | None = None

    def __str__(self) -> str:
        return self.title if self.rate_bps is None else f"{self.title} ({units.show_rate(self.rate_bps)})"


def elsewhere(policers: Sequence[Policer]) -> list[Note]:
    """The note on policers that may be passed before or after the queues of a text; none without any."""
    if not policers:
        return []
    names = ", ".join(map(str, dict.fromkeys(policers)))
    drops = "drops" if len(policers) == 1 else "drop"
    return [
        Note(
            "lost",
            KEY,
            f"{names}: {drops} before any queue, which is not simulated; where the policed rate is below the queue's, "
            "no queue forms: shape to that rate instead",
        )
    ]


def on_queue(title: str, rate_bps: float | None, queue_bps: float | None) -> Note:
    """The note on the policer of a queue's own class.

    Args:
        title: Title of the class.
        rate_bps: The policed rate.
        queue_bps: The rate that the queue is served with.
    """
    if rate_bps is None or queue_bps is None:
        known = "" if rate_bps is None else f" to {units.show_rate(rate_bps)}"
        rule = "no queue forms where that is less than the queue is served with"
        return Note("lost", KEY, f"{title} is policed{known}: drops before its queue, not simulated; {rule}")
    policed, served = units.show_rate(rate_bps), units.show_rate(queue_bps)
    if rate_bps >= queue_bps:
        return Note(
            "lost",
            KEY,
            f"{title} is policed to {policed}, no less than the {served} that its queue is served with: the queue is "
            "the bottleneck, the policer drops bursts at most",
        )
    return Note(
        "lost",
        KEY,
        f"{title} is policed to {policed}, less than the {served} that its queue is served with: packets are dropped "
        "before they queue, and no setting of the queue changes that",
    )


#: Time at its rate that the burst of a policer holds where the text does not state it: the default of IOS, a
#: thirty-second of the rate in bit/s as bytes.
BURST_S = 0.25
#: The smallest burst: a full packet.
LEAST_BURST = 1500


def burst(rate_bps: float, burst_bytes: float | None) -> int:
    """The burst of a policer in bytes, by default `BURST_S` at its rate."""
    size = burst_bytes if burst_bytes is not None else rate_bps * BURST_S / 8.0
    return max(LEAST_BURST, round(size))


def params(rate_bps: float, burst_bytes: float | None) -> dict[str, Any]:
    """The parameters of the discipline `policer`, as scenarios write them."""
    return {"rate": units.show_rate(rate_bps), "burst": f"{burst(rate_bps, burst_bytes)} B"}


def alone(policers: Sequence[Policer], *, box: str, others: Sequence[str] = ()) -> list[Import]:
    """The policers of a text without any queue that state a rate, as queues of the discipline `policer`."""
    queues = []
    for one in policers:
        if one.rate_bps is None:
            continue
        rate = units.show_rate(one.rate_bps)
        notes = [
            Note("load", KEY, f"{one.title} holds {rate} by drops; for a queue shape to that rate instead")
        ]
        if one.burst_bytes is None:
            size = burst(one.rate_bps, None)
            notes.append(Note("assumed", "burst", f"the text does not say: {size} bytes, 250 ms at its rate"))
        queues.append(
            Import(
                box, "policer", params(one.rate_bps, one.burst_bytes), notes, title=one.title,
                policed_bps=one.rate_bps, policed_burst=one.burst_bytes,
            )
        )  # fmt: skip
    return with_others(queues)


def marks_only(title: str) -> Note:
    """The note on a policer that remarks packets and drops none."""
    return Note("lost", KEY, f"{title} is policed without dropping: its marks are not simulated")


#: An action of a Linux filter: ``police rate 10mbit burst 100k drop``.
_TC = re.compile(r"\bpolice\b.*?\brate\s+(\S+)")
#: A rate in front of a firewall's action in RouterOS, and the limits of a switch's ports.
_ROUTEROS = re.compile(r"\b(ingress-rate|egress-rate)=(\S+)")
_ROUTEROS_DROPS = re.compile(r"\b(?:dst-)?limit=\S+")
#: A committed access rate of netgraph: ``ngctl msg car: setconf { upstream={ cir=10000000 …``.
_NETGRAPH = re.compile(r"\bcir=(\d+)")


def of_filter(words: Sequence[str], number: int) -> Policer:
    """The policer of a `tc filter` command on a line."""
    match = _TC.search(" ".join(words))
    where = "ingress policer" if {"ffff:", "ingress"} & set(words) else "policer"
    size = re.search(r"\b(?:burst|buffer|maxburst)\s+(\S+)", " ".join(words))
    return Policer(
        f"{where} of line {number}",
        _tc_rate(match[1]) if match else None,
        _tc_size(size[1]) if size else None,
    )


def of_tc(text: str) -> Iterator[Policer]:
    """The policers of `tc filter` commands."""
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split("#")[0].split()
        if "filter" in words and "police" in words:
            yield of_filter(words, number)


def _tc_size(text: str) -> float | None:
    try:
        return float(tc_numbers.size(text))
    except UsageError:
        return None


def _tc_rate(text: str) -> float | None:
    try:
        return float(tc_numbers.rate(text))
    except UsageError:
        return None


def of_routeros(text: str) -> Iterator[Policer]:
    """The policers of RouterOS outside its queues: limits of switch ports, and rules that match up to a rate."""
    for number, line in enumerate(text.splitlines(), start=1):
        bare = line.strip()
        if port := _ROUTEROS.search(bare):
            yield Policer(f"{port[1]} of line {number}", _bits(port[2]))
        elif "chain=" in bare and _ROUTEROS_DROPS.search(bare):
            yield Policer(f"firewall limit of line {number}")


def of_netgraph(text: str) -> Iterator[Policer]:
    """The committed access rates of FreeBSD's ng_car."""
    for number, line in enumerate(text.splitlines(), start=1):
        if re.search(r"\bngctl\b", line) and re.search(r"\bcar\b", line):
            rate = _NETGRAPH.search(line)
            yield Policer(f"ng_car of line {number}", float(rate[1]) if rate else None)


def of_junos(text: str) -> Iterator[Policer]:
    """The policers that a Junos text defines, by name."""
    names: dict[str, float | None] = {}
    bursts: dict[str, float | None] = {}
    for words in statements(text):
        kinds = [i for i, word in enumerate(words[:-1]) if word in ("policer", "three-color-policer")]
        if not kinds or "then" in words[: kinds[0]]:
            continue
        name = words[kinds[0] + 1]
        names.setdefault(name, None)
        if "bandwidth-limit" in words[:-1]:
            names[name] = _bits(words[words.index("bandwidth-limit") + 1])
        if "burst-size-limit" in words[:-1]:
            bursts[name] = _bits(words[words.index("burst-size-limit") + 1])
    return (Policer(f"policer {name}", rate, bursts.get(name)) for name, rate in names.items())


def of_sonic(text: str) -> Iterator[Policer]:
    """The policers of CONFIG_DB; ``cir`` counts bytes a second where the meter does."""
    tables = parse_json(text)
    entries = tables.get("POLICER") if isinstance(tables, dict) else None
    for name, one in entries.items() if isinstance(entries, dict) else ():
        cir = str(one.get("cir", "")) if isinstance(one, dict) else ""
        counted = isinstance(one, dict) and one.get("meter_type") == "bytes" and cir.isdecimal()
        size = str(one.get("cbs", "")) if isinstance(one, dict) else ""
        yield Policer(
            f"policer {name}",
            8.0 * float(cir) if counted else None,
            float(size) if size.isdecimal() else None,
        )


def of_openconfig(text: str) -> Iterator[Policer]:
    """The policers of OpenConfig's scheduler policies: ``one-rate-two-color`` and the like, with their ``cir``."""
    pattern = r'"(?:openconfig-qos:)?((?:one-rate-two|one-rate-three|two-rate-three)-color)"\s*:'
    for match in re.finditer(pattern, text):
        cir = re.match(r"[^}]*?\"cir\"\s*:\s*\"?(\d+)", text[match.end() :])
        yield Policer(match[1], float(cir[1]) if cir else None)


def _bits(text: str) -> float | None:
    """A rate with a metric prefix: ``10M``, ``512k``, ``5000000``."""
    match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([kmg]?)(?:bps|bit)?", text.strip('";').lower())
    if match is None:
        return None
    return float(match[1]) * {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}[match[2]]
