"""Cisco NX-OS: a policy map of type queuing, whose classes have weighted RED or a queue limit.

Reference: NexusQoS. Thresholds are packets, bytes, kilobytes, megabytes, or a time at the port's rate; the probability
is whole percent at the upper one; the weight n averages the queue with 2^-n, and 0 takes it as it is.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

from . import ios_class
from .ios_policy import Block, Policies, policies, title_of
from .model import Export, Import, Note, Problems, bottleneck, promise, refuse, with_others
from .numbers import SECONDS, bytes_of_time, whole
from .red_rows import INSTANT, Rows, as_red, cells, lost, percent, rows_of
from .settings import Settings

#: Disciplines of a class.
KINDS = ("red", "wred", "gred", "droptail")
#: The class of everything that no other class has.
CLASS = "c-out-8q-q-default"
#: Largest weight.
MOST_WEIGHT = 15
#: Bytes of the units of sizes, and seconds of those of times.
BYTES = {"bytes": 1, "kbytes": 1_000, "mbytes": 1_000_000}
#: What the text does not say of its units.
KILOBYTE = "a kilobyte is taken as 1000 bytes"
_AMOUNT = r"(\d+)\s*(packets|bytes|kbytes|mbytes|ms|us)?"
_WRED = re.compile(
    rf"^\s*random-detect\s+minimum-threshold\s+{_AMOUNT}\s+maximum-threshold\s+{_AMOUNT}(?!\S)(?P<rest>.*)$",
    re.M,
)
_LIMIT = re.compile(rf"^\s*queue-limit\s+{_AMOUNT}\s*$", re.M)
_ANY = re.compile(r"^\s*(?:random-detect|queue-limit)\b.*$", re.M)
_SHAPE = re.compile(r"^\s*shape\s+min\s+\d+\s*[kmg]?bps\s+max\s+(\d+)\s*([kmg]?)bps\s*$", re.M)
_SCALE = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
_SPEED = re.compile(r"^\s*speed\s+(\d+)\s*$", re.M)


def export(
    settings: Settings,
    *,
    params: dict[str, Any],
    dev: str = "Ethernet1/1",
    name: str = "DROPCURVE",
    shape: bool = False,
) -> Export:
    """A policy map with the queue in the default class, and the interface that uses it. ``shape`` shapes the class to
    the link's rate. Raises ScenarioError."""
    notes: list[Note] = []
    if settings.discipline == "droptail":
        statement, loaded = _tail_drop(settings, notes)
        kind = "droptail"
    else:
        problems = Problems()
        rows = rows_of(settings, problems, box="NX-OS", most=1)
        problems.raise_if_any()
        lost(settings, notes, box="NX-OS")
        statement, loaded = _random_detect(settings, rows, notes)
        kind = "red"
    kbps = max(1, round(settings.rate_bps / 1e3))
    shaper = [f"    shape min 0 kbps max {kbps} kbps"] if shape else []
    notes += [] if shape else [bottleneck(dev, settings.rate_bps)]
    lines = [
        f"policy-map type queuing {name}", f"  class type queuing {CLASS}", "    bandwidth remaining percent 100",
        *shaper, f"    {statement}", f"interface {dev}", f"  service-policy type queuing output {name}",
    ]  # fmt: skip
    return Export("nxos", settings.discipline, params, "\n".join(lines) + "\n", notes, kind, loaded)


def _tail_drop(settings: Settings, notes: list[Note]) -> tuple[str, dict[str, Any]]:
    if settings.text("victim") != "tail":
        notes.append(Note("lost", "victim", f"{settings.text('victim')}: NX-OS drops the arriving packet"))
    limit = cells(settings.bytes_("limit"), "limit", 1, notes)
    return f"queue-limit {limit} bytes", {"limit": f"{limit} B"}


def _random_detect(settings: Settings, rows: Rows, notes: list[Note]) -> tuple[str, dict[str, Any]]:
    (row,) = rows.rows
    low = cells(row.low[1], "min_th", 1, notes)
    high = cells(row.high[1], "max_th", 1, notes)
    share = percent(row.max_p, "max_p", notes, least=1)
    weight = 0 if rows.w_q >= INSTANT else min(MOST_WEIGHT, max(1, round(-math.log2(rows.w_q))))
    if abs(_w_q(weight) - rows.w_q) > 1e-9:
        notes.append(Note("rounded", "w_q", f"{rows.w_q:.4g} becomes 2^-{weight} = {_w_q(weight):.4g}"))
    buffer = f"{rows.limit[0]:g} pkts: the buffer is shared, and belongs to the ports together"
    notes.append(Note("lost", "limit", buffer))
    ecn = settings.flag("ecn")
    limit = f"{round(rows.limit[1])} B"
    statement = (
        f"random-detect minimum-threshold {low} bytes maximum-threshold {high} bytes drop-probability {share} "
        f"weight {weight}{' ecn' if ecn else ''}"
    )
    return statement, as_red(
        low, high, share, limit, ecn=ecn, packet_bytes=settings.mean_packet, w_q=_w_q(weight)
    )


def _w_q(weight: int) -> float:
    """The share of a sample in the average."""
    return 2.0**-weight if weight else INSTANT


def read(text: str, *, origin: str = "", name: str | None = None, **options: Any) -> Import:
    """The queue of the class ``name``; by default of the first with weighted RED, or with a queue limit. Raises
    ScenarioError for a text without one, and for contradictions."""
    queues = read_all(text, origin=origin, **options)
    if name is None:
        return next((one for one in queues if one.discipline == "red"), queues[0])
    title = title_of(name, [one.title for one in queues], origin)
    return next(one for one in queues if one.title == title)


def read_all(
    text: str, *, origin: str = "", rate_bps: float | None = None, buffer_bytes: int | None = None,
    packet_bytes: int = 1500, **_: Any,
) -> list[Import]:  # fmt: skip
    """Every class with thresholds or a limit, in the text's order. Raises ScenarioError as `read`."""
    held = policies(text)
    stated = [
        one for one in held.blocks if one.policy and (_WRED.search(one.body) or _LIMIT.search(one.body))
    ]
    unknown = [
        Note(
            "lost", "class", f"{one.title}: '{' '.join(match[0].split())}' states no size, and is not judged"
        )
        for one in held.blocks
        if one.policy and one not in stated and (match := _ANY.search(one.body))
    ]
    if not stated:
        remedy = "give --queue of dropcurve compare or tune the thresholds that the switch shows"
        refuse(
            "", "the text", "holds no random-detect with thresholds and no queue limit", remedy, origin=origin
        )
    queues = [_of(held, one, rate_bps, buffer_bytes, packet_bytes, origin) for one in stated]
    return with_others(replace(one, notes=[*one.notes, *unknown]) for one in queues)


def _of(
    held: Policies,
    block: Block,
    rate_bps: float | None,
    buffer_bytes: int | None,
    packet_bytes: int,
    origin: str,
) -> Import:
    notes: list[Note] = []
    port_bps = _port_bps(held, block)
    shaper = _SHAPE.search(block.body)
    shaped_bps = float(shaper[1]) * _SCALE[shaper[2]] if shaper else None
    known = shaped_bps or rate_bps or port_bps
    match = _WRED.search(block.body)
    if match is None:
        limit = _LIMIT.search(block.body)
        assert limit is not None, "a class that is read states one of both"
        kind, params = (
            "droptail",
            {"limit": f"{_bytes(limit[1], limit[2], known, packet_bytes, notes, origin)} B"},
        )
    else:
        kind, params = "red", _curve(match, known, buffer_bytes, packet_bytes, notes, origin)
    first = ios_class.above(held, block, known)
    notes += [Note("load", "priority", f"{one.title} is served first") for one in first]
    share_bps = ios_class.share_bps(held, block, rate_bps or port_bps)
    if share_bps is not None and shaped_bps is not None and shaped_bps <= share_bps:
        share_bps = None
    if share_bps is not None:
        notes.append(promise("bandwidth", "the class", share_bps))
    return Import(
        "nxos", kind, params, notes, shaped_bps, title=block.title, share_bps=share_bps, above=first[:1],
        urgent=ios_class.is_priority(block), port_bps=port_bps,
    )  # fmt: skip


def _port_bps(held: Policies, block: Block) -> float | None:
    """The ``speed`` of the interface that the class's policy is put on, which is stated in Mbit/s."""
    place = held.places.get(block.policy)
    speed = _SPEED.search(place.body) if place else None
    return float(speed[1]) * 1e6 if speed and int(speed[1]) else None


def _curve(
    match: re.Match[str], rate_bps: float | None, buffer_bytes: int | None, packet_bytes: int, notes: list[Note],
    origin: str,
) -> dict[str, Any]:  # fmt: skip
    """The parameters of a class with weighted RED."""
    low = _bytes(match[1], match[2], rate_bps, packet_bytes, notes, origin)
    high = _bytes(match[3], match[4], rate_bps, packet_bytes, notes, origin)
    if low > high:
        rule = f"must not exceed maximum-threshold ({match[3]} {match[4] or 'packets'})"
        refuse("random-detect", f"{match[1]} {match[2] or 'packets'}", rule, origin=origin)
    rest = match["rest"].split()
    share, weight = (
        _number(rest, "drop-probability", 100, 100, origin),
        _number(rest, "weight", 0, MOST_WEIGHT, origin),
    )
    # Equal thresholds are a step, a probability of 0 is none: both become the nearest values that can be simulated.
    high = max(high, low + 1)
    if buffer_bytes is None:
        buffer_bytes = 2 * high
        text = (
            f"the text does not state the buffer: {buffer_bytes} B, twice the upper threshold; say --buffer"
        )
        notes.append(Note("assumed", "limit", text))
    return as_red(
        max(1, low), max(2, high), max(1, share), f"{max(2, buffer_bytes)} B", ecn="ecn" in rest,
        packet_bytes=packet_bytes, w_q=_w_q(weight),
    )  # fmt: skip


def _number(words: list[str], key: str, usual: int, most: int, origin: str) -> int:
    """The number after a word of the statement, ``usual`` without it."""
    if key not in words:
        return usual
    at = words.index(key) + 1
    value = whole(words[at] if at < len(words) else "", key, origin=origin)
    if not 0 <= value <= most:
        refuse(key, value, f"must lie between 0 and {most}", origin=origin)
    return value


def _bytes(
    number: str, unit: str | None, rate_bps: float | None, packet_bytes: int, notes: list[Note], origin: str
) -> int:
    """A size in bytes; a time counts as the bytes that leave in it."""
    value = whole(number, "random-detect", origin=origin)
    if unit in SECONDS:
        return bytes_of_time(value, str(unit), rate_bps, "random-detect", of="port", origin=origin)
    if unit in ("kbytes", "mbytes") and not any(KILOBYTE in one.text for one in notes):
        notes.append(Note("assumed", "random-detect", KILOBYTE))
    return value * (packet_bytes if unit in (None, "packets") else BYTES[str(unit)])


def looks_like(text: str) -> bool:
    """Whether a text is of this kind."""
    return re.search(r"^\s*policy-map\s+type\s+queuing\s", text, re.M) is not None
