"""Cisco IOS and IOS-XE: a policy map with weighted RED, fair queues, tail drop, or a priority class above one of them.

References: CiscoWRED, CiscoLLQ. Thresholds are packets (or bytes, on IOS-XE), the probability is one in a mark
denominator, the weight 2^-n with n the exponential weighting constant. Classes are IP precedences, or DSCPs where there
are more than eight.
"""

from __future__ import annotations

import math
from typing import Any

from . import llq
from .ios_read import DEFAULT_FLOWS, looks_like, read, read_all, trimmed
from .model import Export, Note, Problems, bottleneck, refuse
from .red_rows import RedRow, Rows, lost, rows_of, whole
from .settings import Settings

__all__ = ["MOST_THRESHOLD", "export", "looks_like", "read", "read_all"]

#: Most flow queues of a class.
MOST_FLOWS = 4096
#: The largest threshold in packets.
MOST_THRESHOLD = 512_000


def export(
    settings: Settings,
    *,
    params: dict[str, Any],
    dev: str = "GigabitEthernet0/0",
    name: str = "DROPCURVE",
    shape: bool = False,
) -> Export:
    """A policy map and the interface that uses it. ``shape`` shapes to the link's rate. Raises ScenarioError."""
    notes: list[Note] = []
    problems = Problems()
    if settings.discipline in ("droptail", "drr"):
        return _plain(settings, params, notes, dev=dev, name=name, shape=shape)
    if settings.discipline == "prio":
        return _low_latency(settings, params, notes, dev=dev, name=name, shape=shape)
    rows = rows_of(settings, problems, box="IOS", most=64)
    problems.raise_if_any()
    lost(settings, notes, box="IOS")
    unit = "bytes" if rows.in_bytes else "packets"
    stated = [
        _thresholds(row, rows, unit, f"class {i}." if len(rows.rows) > 1 else "", notes)
        for i, row in enumerate(rows.rows)
    ]
    limit = whole(rows.limit[1 if rows.in_bytes else 0], "limit", unit, notes)
    constant = _constant(rows.w_q, notes)
    by_dscp = len(stated) > 8
    lines = [
        *_head(settings, name, shape),
        f"  queue-limit {limit} {unit}",
        "  random-detect" + (" dscp-based" if by_dscp else ""),
    ]
    lines.append(f"  random-detect exponential-weighting-constant {constant}")
    words = " bytes" if rows.in_bytes else ""
    for i in range(64 if by_dscp else 8):
        low, high, denominator = stated[min(i, len(stated) - 1)]
        lines.append(
            f"  random-detect {'dscp' if by_dscp else 'precedence'} {i} {low}{words} {high}{words} {denominator}"
        )
    ecn = settings.flag("ecn")
    lines += ["  random-detect ecn"] if ecn else []
    if ecn and settings.options.get("ecn_forced") == "mark":
        notes.append(
            Note("lost", "ecn_forced", "mark: IOS drops from the maximum threshold up, capable or not")
        )
    if not shape:
        notes.append(bottleneck(dev, settings.rate_bps))
    short, shown = "B" if rows.in_bytes else "pkts", trimmed(stated)
    loaded: dict[str, Any] = {
        "limit": f"{limit} {short}", "unit": unit, "min_th": [f"{one[0]} {short}" for one in shown],
        "max_th": [f"{one[1]} {short}" for one in shown],
        "denominator": [one[2] for one in shown], "exponent": constant,
        "mean_packet": f"{settings.mean_packet} B", "ecn": ecn,
    }  # fmt: skip
    return Export(
        "ios",
        settings.discipline,
        params,
        "\n".join([*lines, *_tail(dev, name)]) + "\n",
        notes,
        "wred",
        loaded,
    )


def _head(settings: Settings, name: str, shape: bool) -> list[str]:
    asks = f"  shape average {round(settings.rate_bps)}" if shape else "  bandwidth remaining percent 100"
    return [f"policy-map {name}", " class class-default", asks]


def _tail(dev: str, name: str) -> list[str]:
    return ["!", f"interface {dev}", f" service-policy output {name}", "!"]


def _plain(
    settings: Settings, params: dict[str, Any], notes: list[Note], *, dev: str, name: str, shape: bool
) -> Export:
    """Tail drop, a queue limit alone; and fair queues, with their number."""
    in_bytes = not settings.text("limit").endswith(("pkts", "pkt"))
    unit, short = ("bytes", "B") if in_bytes else ("packets", "pkts")
    limit = whole(settings.bytes_("limit") if in_bytes else settings.packets("limit"), "limit", unit, notes)
    fair = settings.discipline == "drr"
    if not fair and settings.text("victim") != "tail":
        notes.append(Note("lost", "victim", f"{settings.text('victim')}: IOS drops the arriving packet"))
    if not shape:
        notes.append(bottleneck(dev, settings.rate_bps))
    loaded: dict[str, Any] = {"limit": f"{limit} {short}"}
    lines = [*_head(settings, name, shape), f"  queue-limit {limit} {unit}"]
    if fair:
        queues = min(MOST_FLOWS, 2 ** max(4, round(math.log2(settings.whole("queues")))))
        if queues != settings.whole("queues"):
            notes.append(
                Note("rounded", "queues", f"{settings.whole('queues')} becomes {queues}: a power of two")
            )
        if settings.options.get("child", "plain") != "plain":
            notes.append(Note("lost", "child", "each flow queue of IOS is tail drop"))
        lines.append("  fair-queue" if queues == DEFAULT_FLOWS else f"  fair-queue {queues}")
        loaded["queues"] = queues
    text = "\n".join([*lines, *_tail(dev, name)]) + "\n"
    return Export("ios", settings.discipline, params, text, notes, settings.discipline, loaded)


def _low_latency(
    settings: Settings, params: dict[str, Any], notes: list[Note], *, dev: str, name: str, shape: bool
) -> Export:
    """A priority class with a policer for voice above the queue of class-default."""
    parts = llq.parts(settings, "IOS", notes)
    below = llq.inside(parts, export, dev=dev, name=name)
    queue = [line for line in below.text.splitlines() if line.startswith(("  queue", "  random", "  fair"))]
    voice = f"{name}-VOICE"
    lines = [
        f"class-map match-any {voice}", " match dscp ef", "!", f"policy-map {name}", f" class {voice}", "  priority",
        f"  police cir {round(parts.police_bps)}", f"  queue-limit {parts.voice_pkts} packets",
        " class class-default", *queue,
    ]  # fmt: skip
    outer = name
    if shape:
        outer = f"{name}-SHAPE"
        rate = round(settings.rate_bps)
        lines += ["!", f"policy-map {outer}", " class class-default", f"  shape average {rate}",
                  f"  service-policy {name}"]  # fmt: skip
    inner = [one for one in below.notes if one.kind != "load" or one.key]
    if not shape:
        inner.append(bottleneck(dev, settings.rate_bps))
    kind, loaded = parts.loaded(voice, below)
    text = "\n".join([*lines, *_tail(dev, outer)]) + "\n"
    return Export("ios", "prio", params, text, [*notes, *inner], kind, loaded)


def _thresholds(row: RedRow, rows: Rows, unit: str, at: str, notes: list[Note]) -> tuple[int, int, int]:
    which = 1 if rows.in_bytes else 0
    most = 2**31 if rows.in_bytes else MOST_THRESHOLD
    low, high = (
        whole(end[which], f"{at}{key}", unit, notes, most=most)
        for key, end in (("min_th", row.low), ("max_th", row.high))
    )
    if high <= low:
        refuse(
            f"{at}max_th",
            high,
            f"must exceed min_th ({low}) once both are whole {unit}",
            "take them further apart",
        )
    denominator = min(65535, max(1, round(1.0 / row.max_p)))
    if abs(1.0 / denominator - row.max_p) > 1e-9:
        text = f"{row.max_p:.4g} becomes 1/{denominator} = {1.0 / denominator:.4g}: one in a whole number"
        notes.append(Note("rounded", f"{at}max_p", text))
    return low, high, denominator


def _constant(w_q: float, notes: list[Note]) -> int:
    constant = min(16, max(1, round(-math.log2(w_q))))
    if abs(0.5**constant - w_q) > 1e-9 * w_q:
        text = f"{w_q:.4g} becomes 2^-{constant} = {0.5**constant:.4g} (x {0.5**constant / w_q:.2f})"
        notes.append(Note("rounded", "w_q", text))
    return constant
