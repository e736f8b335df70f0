"""Junos read: a drop profile and the scheduler that uses it, from stanzas or ``set`` lines.

Reference: JunosCoS.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ..quantities import units
from .model import Import, Note, promise, refuse
from .numbers import at as word_at
from .numbers import one_of, real, whole
from .red_rows import INSTANT

#: A fill level and a drop probability, in whole percent.
Point = tuple[int, int]


def read(
    text: str, *, origin: str = "", name: str | None = None, rate_bps: float | None = None,
    buffer_bytes: int | None = None, packet_bytes: int = 1500, **_: Any,
) -> Import:  # fmt: skip
    """A drop profile with the buffer of the scheduler that uses it; of several, the one named, or the first that a
    scheduler uses. Raises ScenarioError for a text without a profile, a name that is not there, and contradictions.
    """
    lines = [words for words in statements(text) if words]
    profiles = _profiles(lines, origin)
    if not profiles:
        refuse("drop-profiles", "", "is not there", "show configuration class-of-service", origin=origin)
    users = {one[-1]: one[one.index("schedulers") + 1] for one in reversed(lines) if _uses(one)}
    used = [one[-1] for one in lines if _uses(one) and one[-1] in profiles]
    chosen = name or (used or list(profiles))[0]
    if chosen not in profiles:
        refuse("--name", chosen, f"is none of the profiles there: {', '.join(profiles)}", origin=origin)
    points, interpolated = profiles[chosen]
    notes: list[Note] = []
    own = [one for one in lines if "schedulers" in one and users.get(chosen) in one]
    rate = _shaped(own) or _shaped(lines)
    limit = buffer_bytes or _buffer(own, rate or rate_bps)
    if limit is None:
        refuse(
            "buffer-size",
            "",
            "is not stated as a time, or the link's rate is not known",
            "give --buffer, or --rate",
            origin=origin,
        )
    notes.append(Note("load", "w_q", "Junos has no weight to set: the fill level is judged as it is"))
    promised = _promised(own, rate or rate_bps)
    if promised is not None:
        notes.append(promise("transmit-rate", "the queue", promised))
    ecn = any("explicit-congestion-notification" in one for one in own)
    others = [one for one in profiles if one != chosen]
    params = as_simulated(points, limit, ecn, packet_bytes, interpolated=interpolated)
    return Import("junos", "curve", params, notes, rate, others)


def _uses(words: list[str]) -> bool:
    """Whether a statement names the drop profile of a scheduler."""
    return "schedulers" in words and "drop-profile-map" in words and words[-2] == "drop-profile"


def _shaped(lines: list[list[str]]) -> float | None:
    """The first shaping rate, in bit/s."""
    stated = (one[-1] for one in lines if one[-2:-1] == ["shaping-rate"])
    return next((units.rate(f"{_metric(one)} bit/s") for one in stated), None)


def _promised(lines: list[list[str]], rate: float | None) -> float | None:
    """What a scheduler's ``transmit-rate`` promises, if that is less than all; in bit/s."""
    for words in lines:
        if "transmit-rate" not in words:
            continue
        stated = words[words.index("transmit-rate") + 1 :]
        if stated[:1] == ["percent"]:
            share = real(one_of(stated, 1), "transmit-rate percent") / 100.0
            return rate * share if rate is not None and share < 1.0 else None
        if one_of(stated, 0)[:1].isdecimal():
            return float(_metric(stated[0]))
    return None


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
        name = word_at(words, at + 1, "drop-profiles", origin=origin)
        held = found.setdefault(name, {"fill-level": [], "drop-probability": [], "interpolate": []})
        rest = words[at + 2 :]
        if rest[:1] == ["interpolate"]:
            held["interpolate"].append(1)
            rest = rest[1:]
        key = ""
        for word in rest:
            if word in ("fill-level", "drop-probability"):
                key = word
            elif key and word.isdecimal():
                held[key].append(whole(word, f"drop-profiles {name} {key}", origin=origin))
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
    return str(int(real(text.rstrip("kmgKMG"), "rate") * factor))


def _buffer(lines: list[list[str]], rate: float | None) -> int | None:
    for words in lines:
        if "temporal" in words and rate is not None:
            return round(int(_metric(one_of(words, words.index("temporal") + 1))) * rate / 8e6)
    return None


def as_simulated(
    points: list[Point], limit: int, ecn: bool, packet_bytes: int, *, interpolated: bool
) -> dict[str, Any]:
    """The profile as `curve`: straight lines between points, or steps.

    Lines begin at 0 %, 0 % and end at 100 %, 100 %, whether these are stated or not (JunosCoS).
    """
    if interpolated:
        points = [
            *([(0, 0)] if points[0][1] else []),
            *points,
            *([(100, 100)] if points[-1][1] < 100 else []),
        ]
    at = [(round(limit * level / 100.0), share / 100.0) for level, share in points]
    if interpolated:
        text = "points " + ", ".join(f"{level} {units.plain(share)}" for level, share in at)
    else:
        bounds = [
            f"until {level}: {units.plain(share)}"
            for (level, _), share in zip(at[1:], [one[1] for one in at], strict=False)
        ]
        text = "; ".join([*bounds, units.plain(at[-1][1])])
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


def looks_like(text: str) -> bool:
    """Whether a text is of this kind."""
    return "drop-profiles" in text or bool(re.search(r"^set class-of-service", text, re.MULTILINE))
