"""Cisco IOS and IOS-XE: weighted RED in a policy map.

Reference: CiscoWRED. Thresholds are packets (or bytes, on IOS-XE), the probability is one in a mark denominator, the
weight 2^-n with n the exponential weighting constant. Classes are IP precedences, or DSCPs where there are more than
eight.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

from .model import Export, Import, Note, Problems, bottleneck, refuse
from .red_rows import Row, Rows, lost, rows_of, whole
from .settings import Settings

T = TypeVar("T")

#: What IOS takes where a configuration does not say (CiscoWRED).
DEFAULT_MIN = (20, 22, 24, 26, 28, 31, 33, 35)
DEFAULT_MAX, DEFAULT_DENOMINATOR, DEFAULT_CONSTANT, DEFAULT_LIMIT = 40, 10, 9, 64
MOST_THRESHOLD = 512_000


def export(
    given: Settings,
    *,
    params: dict[str, Any],
    dev: str = "GigabitEthernet0/0",
    name: str = "DROPCURVE",
    shape: bool = False,
) -> Export:
    """A policy map and where it goes. ``shape`` shapes to the link's rate. Raises ScenarioError."""
    notes: list[Note] = []
    problems = Problems()
    if given.discipline == "droptail":
        return _plain(given, params, notes, dev=dev, name=name, shape=shape)
    rows = rows_of(given, problems, box="IOS", most=64)
    problems.raise_if_any()
    lost(given, notes, box="IOS")
    unit = "bytes" if rows.in_bytes else "packets"
    told = [
        _told(row, rows, unit, f"class {i}." if len(rows.rows) > 1 else "", notes)
        for i, row in enumerate(rows.rows)
    ]
    limit = whole(rows.limit[1 if rows.in_bytes else 0], "limit", unit, notes)
    constant = _constant(rows.w_q, notes)
    by_dscp = len(told) > 8
    lines = [
        *_head(given, name, shape),
        f"  queue-limit {limit} {unit}",
        "  random-detect" + (" dscp-based" if by_dscp else ""),
    ]
    lines.append(f"  random-detect exponential-weighting-constant {constant}")
    words = " bytes" if rows.in_bytes else ""
    for i in range(64 if by_dscp else 8):
        low, high, denominator = told[min(i, len(told) - 1)]
        lines.append(
            f"  random-detect {'dscp' if by_dscp else 'precedence'} {i} {low}{words} {high}{words} {denominator}"
        )
    ecn = given.flag("ecn")
    lines += ["  random-detect ecn"] if ecn else []
    if ecn and given.options.get("ecn_forced") == "mark":
        notes.append(
            Note("lost", "ecn_forced", "mark: IOS drops from the maximum threshold up, capable or not")
        )
    if not shape:
        notes.append(bottleneck(dev, given.rate_bps))
    short, shown = "B" if rows.in_bytes else "pkts", trimmed(told)
    loaded: dict[str, Any] = {
        "limit": f"{limit} {short}", "unit": unit, "min_th": [f"{one[0]} {short}" for one in shown],
        "max_th": [f"{one[1]} {short}" for one in shown],
        "denominator": [one[2] for one in shown], "exponent": constant,
        "mean_packet": f"{given.mean_packet} B", "ecn": ecn,
    }  # fmt: skip
    return Export(
        "ios", given.discipline, params, "\n".join([*lines, *_tail(dev, name)]) + "\n", notes, "wred", loaded
    )


def _head(given: Settings, name: str, shape: bool) -> list[str]:
    asks = f"  shape average {round(given.rate_bps)}" if shape else "  bandwidth remaining percent 100"
    return [f"policy-map {name}", " class class-default", asks]


def _tail(dev: str, name: str) -> list[str]:
    return ["!", f"interface {dev}", f" service-policy output {name}", "!"]


def _plain(
    given: Settings, params: dict[str, Any], notes: list[Note], *, dev: str, name: str, shape: bool
) -> Export:
    """Tail drop: a queue limit alone."""
    in_bytes = not given.text("limit").endswith(("pkts", "pkt"))
    unit, short = ("bytes", "B") if in_bytes else ("packets", "pkts")
    limit = whole(given.bytes_("limit") if in_bytes else given.packets("limit"), "limit", unit, notes)
    if given.text("victim") != "tail":
        notes.append(Note("lost", "victim", f"{given.text('victim')}: IOS drops the arriving packet"))
    if not shape:
        notes.append(bottleneck(dev, given.rate_bps))
    lines = [*_head(given, name, shape), f"  queue-limit {limit} {unit}", *_tail(dev, name)]
    return Export(
        "ios", "droptail", params, "\n".join(lines) + "\n", notes, "droptail", {"limit": f"{limit} {short}"}
    )


def _told(row: Row, rows: Rows, unit: str, at: str, notes: list[Note]) -> tuple[int, int, int]:
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
    import math

    constant = min(16, max(1, round(-math.log2(w_q))))
    if abs(0.5**constant - w_q) > 1e-9 * w_q:
        text = f"{w_q:.4g} becomes 2^-{constant} = {0.5**constant:.4g} (x {0.5**constant / w_q:.2f})"
        notes.append(Note("rounded", "w_q", text))
    return constant


def trimmed(rows: list[T]) -> list[T]:
    """Rows without those at the end that repeat the one before: further classes use the last."""
    kept = list(rows)
    while len(kept) > 1 and kept[-1] == kept[-2]:
        kept.pop()
    return kept


#: DSCPs by name.
DSCPS = {
    "default": 0, "ef": 46, **{f"cs{n}": 8 * n for n in range(8)},
    **{f"af{x}{y}": 8 * x + 2 * y for x in range(1, 5) for y in range(1, 4)},
}  # fmt: skip
_TOLD = re.compile(
    r"random-detect\s+(precedence|dscp)\s+(\S+)\s+(\d+)\s*(packets|bytes|ms|us)?"
    r"\s+(\d+)\s*(packets|bytes|ms|us)?(?:\s+(\d+))?\s*$"
)
_SHOWN = re.compile(r"^\s*(\d+|af\d\d|cs\d|ef|default)\s+(?:\S+/\S+\s+)+(\d+)\s+(\d+)\s+1/(\d+)\s*$")


def read(
    text: str,
    *,
    origin: str = "",
    name: str | None = None,
    rate_bps: float | None = None,
    packet_bytes: int = 1500,
    **_: Any,
) -> Import:
    """The WRED of a policy map's class, or of ``show policy-map interface``; of several, the first or the one
    named.
    """
    blocks = _blocks(text)
    if not blocks:
        refuse(
            "", "the text", "holds no random-detect and no queue limit", "show the policy-map", origin=origin
        )
    names = [one for one, _ in blocks]
    chosen = next(
        ((title, lines) for title, lines in blocks if name is None or name in title.split("/")), None
    )
    if chosen is None:
        refuse("--name", name, f"is none of the classes there: {', '.join(names)}", origin=origin)
    title, lines = chosen
    notes: list[Note] = []
    body = "\n".join(lines)
    rate = _rate(body)
    limit = _limit(body, rate or rate_bps, notes, origin)
    others = [one for one in names if one != title]
    if "random-detect" not in body and "xp-weight-constant" not in body:
        return Import("ios", "droptail", {"limit": limit}, notes, rate, others)
    found = trimmed(_rows(lines, notes, rate or rate_bps, origin))
    constant = re.search(r"(?:exponential-weighting-constant\s+|xp-weight-constant:\s*)(\d+)", body)
    if constant is None:
        notes.append(Note("assumed", "exponent", f"the text does not say: {DEFAULT_CONSTANT}, IOS's default"))
    in_bytes = any(row[0].endswith("B") for row in found)
    params: dict[str, Any] = {
        "limit": limit, "unit": "bytes" if in_bytes else "packets", "min_th": [row[0] for row in found],
        "max_th": [row[1] for row in found], "denominator": [row[2] for row in found],
        "exponent": int(constant[1]) if constant else DEFAULT_CONSTANT, "mean_packet": f"{packet_bytes} B",
        "ecn": bool(re.search(r"random-detect ecn|explicit congestion notification", body)),
    }  # fmt: skip
    return Import("ios", "wred", params, notes, rate, others)


def _blocks(text: str) -> list[tuple[str, list[str]]]:
    """(policy/class, lines) of each class or interface that has a queue."""
    found: list[tuple[str, list[str]]] = []
    policy = ""
    for line in text.splitlines():
        bare = line.strip()
        head = re.match(r"(?:policy-map|Service-policy output:)\s+(\S+)", bare)
        inner = re.match(r"(?:class|Class-map:)\s+(\S+)", bare)
        if head:
            policy = head[1]
        elif inner and policy and "ransmitted" not in bare:
            found.append((f"{policy}/{inner[1]}", []))
        elif re.match(r"interface\s+(\S+)", bare):
            found.append((bare.split()[1], []))
            policy = ""
        elif found:
            found[-1][1].append(line)
        elif bare.startswith("random-detect"):
            found.append(("interface", [line]))
    return [
        one
        for one in found
        if re.search(r"random-detect|queue[- ]limit|xp-weight-constant", "\n".join(one[1]))
    ]


def _rate(body: str) -> float | None:
    found = re.search(
        r"shape (?:average|peak)\s+(\d+)|shape \(average\) cir (\d+)|target shape rate (\d+)", body
    )
    return float(next(one for one in found.groups() if one)) if found else None


def _limit(body: str, rate: float | None, notes: list[Note], origin: str) -> str:
    found = re.search(r"queue[- ]limit\s+(\d+)\s*(packets|bytes|ms|us)?", body)
    if found is None:
        notes.append(
            Note("assumed", "limit", f"the text does not say: {DEFAULT_LIMIT} packets, a common default")
        )
        return f"{DEFAULT_LIMIT} pkts"
    return _amount(int(found[1]), found[2] or "packets", rate, "queue-limit", origin)


def _amount(value: int, unit: str, rate: float | None, key: str, origin: str) -> str:
    """An amount as scenarios write it; times are what leaves in them."""
    if unit in ("ms", "us"):
        if rate is None:
            refuse(
                key,
                f"{value} {unit}",
                "is a time, so the link's rate must be known",
                "give --rate",
                origin=origin,
            )
        return f"{round(value * (1e-3 if unit == 'ms' else 1e-6) * rate / 8.0)} B"
    return f"{value} pkts" if unit == "packets" else f"{value} B"


def _rows(lines: list[str], notes: list[Note], rate: float | None, origin: str) -> list[tuple[str, str, int]]:
    """(min, max, denominator) of each class, in the order of precedence or DSCP."""
    found: dict[int, tuple[str, str, int]] = {}
    by_dscp = any("dscp" in line for line in lines)
    for line in lines:
        told, shown = _TOLD.search(line), _SHOWN.match(line)
        if told:
            low, high = (
                _amount(int(told[i]), told[i + 1] or told[6] or "packets", rate, "random-detect", origin)
                for i in (3, 5)
            )
            if told[2] != "rsvp":
                found[_number(told[2], origin)] = (low, high, int(told[7] or DEFAULT_DENOMINATOR))
        elif shown:
            found[_number(shown[1], origin)] = (f"{shown[2]} pkts", f"{shown[3]} pkts", int(shown[4]))
    for number, (low, high, _) in found.items():
        if float(low.split()[0]) >= float(high.split()[0]):
            refuse(
                f"class {number}",
                f"{low}, {high}",
                "the minimum threshold must lie below the maximum",
                origin=origin,
            )
    if by_dscp or any(number > 7 for number in found):
        numbers = sorted(found)
        which = ", ".join(f"{i} is DSCP {number}" for i, number in enumerate(numbers))
        notes.append(Note("load", "class", f"classes of the scenario: {which}"))
        return [found[number] for number in numbers]
    if len(set(found.values())) > 1:
        notes.append(
            Note(
                "load",
                "class",
                "class N of the scenario is precedence N; flows are of class 0 unless they say",
            )
        )
    missing = [number for number in range(8) if number not in found]
    if missing:
        which, least = ", ".join(map(str, missing)), DEFAULT_MIN[missing[0]]
        text = f"precedence {which}: not told; IOS's defaults, from {least} of {DEFAULT_MAX} packets"
        notes.append(Note("assumed", "min_th", text))
    return [
        found.get(n, (f"{DEFAULT_MIN[n]} pkts", f"{DEFAULT_MAX} pkts", DEFAULT_DENOMINATOR)) for n in range(8)
    ]


def _number(word: str, origin: str) -> int:
    if word.isdigit():
        return int(word)
    if word.lower() not in DSCPS:
        refuse("random-detect dscp", word, "is no DSCP", "write its number", origin=origin)
    return DSCPS[word.lower()]


def looks_like(text: str) -> bool:
    """Whether a text is of this kind."""
    return bool(
        re.search(
            r"random-detect|^\s*policy-map\s|Service-policy output:|xp-weight-constant", text, re.MULTILINE
        )
    )
