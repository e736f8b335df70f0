"""Junos: drop profiles over the fill level of a queue, a scheduler that uses them, its map and the interface.

Reference: JunosCoS. Fill levels and drop probabilities are whole percent; the buffer is a time at the rate of the
queue. There is no weight to set: the fill level is judged as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from .. import quantities
from .model import Export, Import, Note, Problems, bottleneck, refuse
from .red_rows import INSTANT, Row, lost, no_weight, percent, rows_of
from .settings import Settings

PRIORITIES = ("low", "medium-low", "medium-high", "high")
#: Most points of an interpolated profile.
MOST = 64

Point = tuple[int, int]


def export(
    given: Settings,
    *,
    params: dict[str, Any],
    dev: str = "ge-0/0/0",
    name: str = "dropcurve",
    shape: bool = False,
) -> Export:
    """``set`` lines. Raises ScenarioError."""
    notes: list[Note] = []
    asked = given.bytes_("limit")
    curves, joined = _drawn(given, notes) if given.discipline == "curve" else (_curves(given, notes), True)
    micro = max(1, round(asked * 8e6 / given.rate_bps))
    limit = round(micro * given.rate_bps / 8e6)
    if abs(limit - asked) > 0.005 * asked:
        notes.append(Note("rounded", "limit", f"{asked:g} B becomes {micro} us, {limit} B at this rate"))
    several = len(curves) > 1
    root = "set class-of-service"
    lines = []
    for i, points in enumerate(curves):
        levels, shares = (" ".join(str(one[k]) for one in points) for k in (0, 1))
        profile = f"{name}-{PRIORITIES[i]}" if several else name
        if joined:
            lines.append(f"{root} drop-profiles {profile} interpolate fill-level [ {levels} ]")
            lines.append(f"{root} drop-profiles {profile} interpolate drop-probability [ {shares} ]")
        else:
            step = f"{root} drop-profiles {profile} fill-level"
            lines += [f"{step} {level} drop-probability {share}" for level, share in points]
        priority = PRIORITIES[i] if several else "any"
        lines.append(
            f"{root} schedulers {name} drop-profile-map loss-priority {priority} protocol any drop-profile {profile}"
        )
    lines.append(f"{root} schedulers {name} buffer-size temporal {micro}")
    ecn = given.flag("ecn")
    if ecn:
        lines.append(f"{root} schedulers {name} explicit-congestion-notification")
    lines.append(f"{root} scheduler-maps {name} forwarding-class best-effort scheduler {name}")
    lines.append(f"{root} interfaces {dev} scheduler-map {name}")
    if shape:
        lines.append(f"{root} interfaces {dev} shaping-rate {round(given.rate_bps)}")
    else:
        notes.append(bottleneck(dev, given.rate_bps))
    if several:
        notes.append(
            Note("load", "class", f"classes are loss priorities: {', '.join(PRIORITIES[: len(curves)])}")
        )
    if several:
        notes.append(
            Note("lost", "class", "as loaded, the first loss priority is shown: one curve is simulated")
        )
    loaded = _loaded(curves[0], limit, ecn, given.mean_packet, interpolated=joined)
    return Export("junos", given.discipline, params, "\n".join(lines) + "\n", notes, "curve", loaded)


def _curves(given: Settings, notes: list[Note]) -> list[list[Point]]:
    """The profile of each class of the RED family. Raises ScenarioError."""
    problems = Problems()
    rows = rows_of(given, problems, box="Junos", most=4)
    problems.raise_if_any()
    lost(given, notes, box="Junos")
    no_weight(rows, notes, box="Junos")
    several = len(rows.rows) > 1
    return [
        _points(row, rows.limit[1], f"class {i}." if several else "", notes)
        for i, row in enumerate(rows.rows)
    ]


def _drawn(given: Settings, notes: list[Note]) -> tuple[list[list[Point]], bool]:
    """The one profile of a `curve` that was drawn as points or as steps, and whether lines join them. Raises
    ScenarioError."""
    told, limit = given.text("curve"), given.bytes_("limit")
    lost(given, notes, box="Junos")
    if given.number("w_q") < INSTANT:
        notes.append(Note("lost", "w_q", f"{given.number('w_q'):.4g}: Junos judges the queue as it is"))
    if told.startswith("points "):
        pairs = [one.split() for one in told.removeprefix("points ").split(",")]
    elif re.fullmatch(r"(until [\d.e+]+: [\d.e+-]+; )*[\d.e+-]+", told):
        *steps, last = told.split("; ")
        ends = [one.removeprefix("until ").split(": ") for one in steps]
        starts = [f"{given.bytes_('min_th'):g}", *(end for end, _ in ends)]
        pairs = list(map(list, zip(starts, [*(share for _, share in ends), last], strict=True)))
    else:
        refuse("curve", told, "Junos has points and steps", "draw it as 'points FILL SHARE, ...'")
    if given.text("unit") != "bytes":
        refuse("unit", given.text("unit"), "the points of a drop profile are shares of bytes", "say bytes")
    points = [
        (percent(float(fill) / limit, "curve", notes), percent(float(share), "curve", notes))
        for fill, share in pairs
    ]
    return [points], told.startswith("points ")


def _points(row: Row, limit: float, at: str, notes: list[Note]) -> list[Point]:
    """Fill levels and probabilities: flat to min_th, up to max_p at max_th, then everything one percent later."""
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


def _loaded(
    points: list[Point], limit: int, ecn: bool, packet_bytes: int, *, interpolated: bool
) -> dict[str, Any]:
    """The profile as `curve`: straight lines between points, or steps."""
    at = [(round(limit * level / 100.0), share / 100.0) for level, share in points]
    if interpolated:
        text = "points " + ", ".join(f"{level} {quantities.plain(share)}" for level, share in at)
    else:
        bounds = [
            f"until {level}: {quantities.plain(share)}"
            for (level, _), share in zip(at[1:], [one[1] for one in at], strict=False)
        ]
        text = "; ".join([*bounds, quantities.plain(at[-1][1])])
    starts = [level for level, share in at if share == 0.0]
    low = (
        starts[-1]
        if interpolated and starts
        else next((level for level, share in at if share > 0.0), at[0][0])
    )
    high = max(at[-1][0], low + 1)
    return {
        "limit": f"{limit} B", "unit": "bytes", "mean_packet": f"{packet_bytes} B", "min_th": f"{max(1, low)} B",
        "max_th": f"{high} B", "w_q": INSTANT, "curve": text, "refuse": "nothing", "spacing": "geometric",
        "idle_decay": "ignored", "ecn": ecn,
    }  # fmt: skip


def read(
    text: str, *, origin: str = "", name: str | None = None, rate_bps: float | None = None,
    buffer_bytes: int | None = None,     packet_bytes: int = 1500, **_: Any,
) -> Import:  # fmt: skip
    """A drop profile with the buffer of the scheduler that uses it; of several, the one named, or the first."""
    lines = [words for words in statements(text) if words]
    profiles = _profiles(lines, origin)
    if not profiles:
        refuse("drop-profiles", "", "is not there", "show configuration class-of-service", origin=origin)
    chosen = name or next(iter(profiles))
    if chosen not in profiles:
        refuse("--name", chosen, f"is none of the profiles there: {', '.join(profiles)}", origin=origin)
    points, interpolated = profiles[chosen]
    notes: list[Note] = []
    scheduler = next(
        (one[one.index("schedulers") + 1] for one in lines if "schedulers" in one and one[-1] == chosen), None
    )
    own = [one for one in lines if scheduler is not None and "schedulers" in one and scheduler in one]
    rate = next(
        (quantities.rate(f"{_metric(one[-1])} bit/s") for one in lines if one[-2:-1] == ["shaping-rate"]),
        None,
    )
    limit = buffer_bytes or _buffer(own, rate or rate_bps)
    if limit is None:
        refuse(
            "buffer-size",
            "",
            "is not told as a time, or the link's rate is not known",
            "give --buffer, or --rate",
            origin=origin,
        )
    notes.append(Note("load", "w_q", "Junos has no weight to set: the fill level is judged as it is"))
    ecn = any("explicit-congestion-notification" in one for one in own)
    others = [one for one in profiles if one != chosen]
    params = _loaded(points, limit, ecn, packet_bytes, interpolated=interpolated)
    return Import("junos", "curve", params, notes, rate, others)


def statements(text: str) -> Iterator[list[str]]:
    """Every statement as its full path of words: of ``set`` lines, or of stanzas in braces."""
    bare = re.sub(r"/\*.*?\*/|##.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
    if re.search(r"^\s*set\s", bare, re.MULTILINE):
        for line in bare.splitlines():
            if line.strip().startswith("set "):
                yield line.split()[1:]
        return
    path: list[list[str]] = []
    words: list[str] = []
    for token in re.findall(r"[{};]|[^\s{};]+", bare):
        if token == "{":
            path.append(words)
            words = []
        elif token == "}":
            if path:
                path.pop()
        elif token == ";":
            yield [word for part in path for word in part] + words
            words = []
        else:
            words.append(token)


def _profiles(lines: list[list[str]], origin: str) -> dict[str, tuple[list[Point], bool]]:
    """Points of each profile, and whether they are joined by lines."""
    found: dict[str, dict[str, list[int]]] = {}
    for words in lines:
        if "drop-profiles" not in words:
            continue
        at = words.index("drop-profiles")
        held = found.setdefault(words[at + 1], {"fill-level": [], "drop-probability": [], "interpolate": []})
        rest = words[at + 2 :]
        if rest[:1] == ["interpolate"]:
            held["interpolate"].append(1)
            rest = rest[1:]
        key = ""
        for word in rest:
            if word in ("fill-level", "drop-probability"):
                key = word
            elif key and word.isdigit():
                held[key].append(int(word))
    return {name: _checked(name, held, origin) for name, held in found.items()}


def _checked(name: str, held: dict[str, list[int]], origin: str) -> tuple[list[Point], bool]:
    levels, shares = held["fill-level"], held["drop-probability"]
    if len(levels) != len(shares) or not levels:
        refuse(
            f"drop-profiles {name}",
            f"{len(levels)} levels",
            f"need as many probabilities ({len(shares)})",
            origin=origin,
        )
    points = list(zip(levels, shares, strict=True))
    if not held["interpolate"]:
        points.sort()
    for (level, share), (after, higher) in pairwise(points):
        if after <= level or higher < share:
            refuse(
                f"drop-profiles {name}",
                f"{after} % {higher} %",
                f"must rise from {level} % {share} %",
                origin=origin,
            )
    if any(not 0 <= value <= 100 for pair in points for value in pair):
        refuse(f"drop-profiles {name}", "", "percentages must lie between 0 and 100", origin=origin)
    return points, bool(held["interpolate"])


def _metric(text: str) -> str:
    """``100m`` as a plain number of bits a second."""
    factor = {"k": 10**3, "m": 10**6, "g": 10**9}.get(text[-1:].lower(), 1)
    return str(int(float(text.rstrip("kmgKMG")) * factor))


def _buffer(lines: list[list[str]], rate: float | None) -> int | None:
    for words in lines:
        if "temporal" in words and rate is not None:
            return round(int(_metric(words[words.index("temporal") + 1])) * rate / 8e6)
    return None


def looks_like(text: str) -> bool:
    """Whether a text is of this kind."""
    return "drop-profiles" in text or bool(re.search(r"^set class-of-service", text, re.MULTILINE))
