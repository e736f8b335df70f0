"""Junos: drop profiles over the fill level of a queue, a scheduler that uses them, its map and the interface.

Reference: JunosCoS. Fill levels and drop probabilities are whole percent; the buffer is a time at the rate of the
queue. There is no weight to set: the instantaneous fill level counts.
"""

from __future__ import annotations

import re
from typing import Any

from . import llq
from .junos_read import Point, as_simulated, looks_like, read, read_all
from .model import Export, Note, Problems, bottleneck, refuse
from .red_rows import INSTANT, RedRow, lost, no_weight, percent, rows_of
from .settings import Settings

__all__ = ["PRIORITIES", "export", "looks_like", "read", "read_all"]

#: Loss priorities, in the order of the classes.
PRIORITIES = ("low", "medium-low", "medium-high", "high")
#: First words of every statement.
ROOT = "set class-of-service"
#: Largest number of points of an interpolated profile.
MOST = 64


def export(
    settings: Settings,
    *,
    params: dict[str, Any],
    dev: str = "ge-0/0/0",
    name: str = "dropcurve",
    shape: bool = False,
    interface_bps: float | None = None,
) -> Export:
    """``set`` lines of a scheduler, its drop profiles and its interface; ``shape`` shapes to the link's rate.
    ``interface_bps`` is the rate of the interface, where the scheduler has a share of it: a buffer in time is filled
    at that rate (JunosCoS, buffer-size). Raises ScenarioError."""
    notes: list[Note] = []
    if settings.discipline == "prio":
        return _low_latency(settings, params, notes, dev=dev, name=name, shape=shape)
    speed = interface_bps or settings.rate_bps
    if settings.discipline == "droptail":
        return _plain(settings, params, notes, dev=dev, name=name, shape=shape, speed=speed)
    wanted_bytes = settings.bytes_("limit")
    curves, joined = (
        _drawn(settings, notes) if settings.discipline == "curve" else (_curves(settings, notes), True)
    )
    micro, limit = _temporal(wanted_bytes, speed, notes)
    several = len(curves) > 1
    lines = []
    for i, points in enumerate(curves):
        levels, shares = (" ".join(str(one[k]) for one in points) for k in (0, 1))
        profile = f"{name}-{PRIORITIES[i]}" if several else name
        if joined:
            lines.append(f"{ROOT} drop-profiles {profile} interpolate fill-level [ {levels} ]")
            lines.append(f"{ROOT} drop-profiles {profile} interpolate drop-probability [ {shares} ]")
        else:
            step = f"{ROOT} drop-profiles {profile} fill-level"
            lines += [f"{step} {level} drop-probability {share}" for level, share in points]
        priority = PRIORITIES[i] if several else "any"
        lines.append(
            f"{ROOT} schedulers {name} drop-profile-map loss-priority {priority} protocol any drop-profile {profile}"
        )
    lines.append(f"{ROOT} schedulers {name} buffer-size temporal {micro}")
    ecn = settings.flag("ecn")
    if ecn:
        lines.append(f"{ROOT} schedulers {name} explicit-congestion-notification")
    lines += _use(settings, notes, dev=dev, name=name, shape=shape)
    if several:
        notes.append(
            Note("load", "class", f"classes are loss priorities: {', '.join(PRIORITIES[: len(curves)])}")
        )
    if several:
        notes.append(
            Note("lost", "class", "as loaded, the first loss priority is shown: one curve is simulated")
        )
    loaded = as_simulated(curves[0], limit, ecn, settings.mean_packet, interpolated=joined)
    return Export("junos", settings.discipline, params, "\n".join(lines) + "\n", notes, "curve", loaded)


def _temporal(asked: float, rate_bps: float, notes: list[Note]) -> tuple[int, int]:
    """A buffer as microseconds at a rate, and the bytes that this is."""
    micro = max(1, round(asked * 8e6 / rate_bps))
    limit = round(micro * rate_bps / 8e6)
    if abs(limit - asked) > 0.005 * asked:
        notes.append(Note("rounded", "limit", f"{asked:g} B becomes {micro} us, {limit} B at this rate"))
    return micro, limit


def _use(settings: Settings, notes: list[Note], *, dev: str, name: str, shape: bool) -> list[str]:
    """Statements that put the scheduler to use on an interface."""
    lines = [
        f"{ROOT} scheduler-maps {name} forwarding-class best-effort scheduler {name}",
        f"{ROOT} interfaces {dev} scheduler-map {name}",
    ]
    if shape:
        lines.append(f"{ROOT} interfaces {dev} shaping-rate {round(settings.rate_bps)}")
    else:
        notes.append(bottleneck(dev, settings.rate_bps))
    return lines


def _plain(
    settings: Settings,
    params: dict[str, Any],
    notes: list[Note],
    *,
    dev: str,
    name: str,
    shape: bool,
    speed: float,
) -> Export:
    """Tail drop: a scheduler with a buffer and no drop profile."""
    micro, limit = _temporal(settings.bytes_("limit"), speed, notes)
    if settings.text("victim") != "tail":
        notes.append(Note("lost", "victim", f"{settings.text('victim')}: Junos drops the arriving packet"))
    lines = [f"{ROOT} schedulers {name} buffer-size temporal {micro}"]
    lines += _use(settings, notes, dev=dev, name=name, shape=shape)
    return Export(
        "junos", "droptail", params, "\n".join(lines) + "\n", notes, "droptail", {"limit": f"{limit} B"}
    )


def _low_latency(
    settings: Settings, params: dict[str, Any], notes: list[Note], *, dev: str, name: str, shape: bool
) -> Export:
    """A strict-high scheduler for voice, limited in rate, above the scheduler of best effort."""
    parts = llq.parts(settings, "Junos", notes)
    inner = llq.inside(parts, export, dev=dev, name=name, shape=shape)
    micro, limit = _temporal(float(parts.voice_pkts * settings.packet_bytes), settings.rate_bps, notes)
    voice = f"{name}-voice"
    own = f"{ROOT} schedulers {voice}"
    lines = [
        *inner.text.splitlines(), f"{own} priority strict-high",
        f"{own} transmit-rate {round(parts.police_bps)} rate-limit", f"{own} buffer-size temporal {micro}",
        f"{ROOT} scheduler-maps {name} forwarding-class expedited-forwarding scheduler {voice}",
    ]  # fmt: skip
    kind, loaded = parts.loaded(voice, inner, limit=f"{limit} B")
    return Export("junos", "prio", params, "\n".join(lines) + "\n", [*notes, *inner.notes], kind, loaded)


def _curves(settings: Settings, notes: list[Note]) -> list[list[Point]]:
    """The profile of each class of the RED family. Raises ScenarioError."""
    problems = Problems()
    rows = rows_of(settings, problems, box="Junos", most=4)
    problems.raise_if_any()
    lost(settings, notes, box="Junos")
    no_weight(rows, notes, box="Junos")
    several = len(rows.rows) > 1
    return [
        _points(row, rows.limit[1], f"class {i}." if several else "", notes)
        for i, row in enumerate(rows.rows)
    ]


def _drawn(settings: Settings, notes: list[Note]) -> tuple[list[list[Point]], bool]:
    """The profile of a `curve` of points or of steps, and whether lines join its points. Raises ScenarioError."""
    stated, limit = settings.text("curve"), settings.bytes_("limit")
    lost(settings, notes, box="Junos")
    if settings.number("w_q") < INSTANT:
        notes.append(Note("lost", "w_q", f"{settings.number('w_q'):.4g}: Junos judges the queue as it is"))
    if stated.startswith("points "):
        pairs = [one.split() for one in stated.removeprefix("points ").split(",")]
    elif re.fullmatch(r"(until [\d.e+]+: [\d.e+-]+; )*[\d.e+-]+", stated):
        *steps, last = stated.split("; ")
        ends = [one.removeprefix("until ").split(": ") for one in steps]
        starts = [f"{settings.bytes_('min_th'):g}", *(end for end, _ in ends)]
        pairs = list(map(list, zip(starts, [*(share for _, share in ends), last], strict=True)))
    else:
        refuse("curve", stated, "Junos has points and steps", "draw it as 'points FILL SHARE, ...'")
    if settings.text("unit") != "bytes":
        refuse("unit", settings.text("unit"), "the points of a drop profile are shares of bytes", "say bytes")
    points = [
        (percent(float(fill) / limit, "curve", notes), percent(float(share), "curve", notes))
        for fill, share in pairs
    ]
    return [points], stated.startswith("points ")


def _points(row: RedRow, limit: float, at: str, notes: list[Note]) -> list[Point]:
    """Fill levels and probabilities: 0 up to min_th, rising to max_p at max_th, and 100 % from one percent above it."""
    low = percent(row.low[1] / limit, f"{at}min_th", notes)
    high = percent(row.high[1] / limit, f"{at}max_th", notes)
    share = percent(row.max_p, f"{at}max_p", notes)
    if high <= low:
        refuse(
            f"{at}max_th",
            f"{high} %",
            f"must exceed min_th ({low} %) in whole percent of the buffer",
            "lower limit",
        )
    points = [(low, 0), (high, share)]
    return [*points, (high + 1, 100)] if high < 100 else points
