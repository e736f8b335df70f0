"""Import from Cisco IOS and IOS-XE: the WRED of a policy map's class, from a configuration or from `show policy-map`.

Reference: CiscoWRED.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, TypeVar

from ..quantities import units
from . import code_points, ios_class, policers
from .ios_policy import Block, Policies, policies, title_of
from .model import Import, Note, chosen, promise, refuse
from .numbers import SECONDS, bytes_of_time, whole

T = TypeVar("T")

#: Defaults of IOS (CiscoWRED): by precedence, and by DSCP, where others have 20.
DEFAULT_MIN = (20, 22, 24, 26, 28, 31, 33, 35)
DEFAULT_MAX, DEFAULT_DENOMINATOR, DEFAULT_CONSTANT, DEFAULT_LIMIT, DEFAULT_FLOWS = 40, 10, 9, 64, 16

DSCP_MIN = {
    0: 20, 46: 36,
    **{8 * n: 20 + 2 * n for n in range(1, 8)},
    **{8 * x + 2 * y: 36 - 4 * y for x in range(1, 5) for y in range(1, 4)},
}  # fmt: skip
_STATED = re.compile(
    r"random-detect\s+(precedence|dscp)\s+(\S+)\s+(\d+)\s*(packets|bytes|ms|us)?"
    r"\s+(\d+)\s*(packets|bytes|ms|us)?(?:\s+(\d+))?\s*$"
)
_WRED = re.compile(r"^\s*(?:random-detect|E?xp-weight-constant)", re.M | re.I)
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
    """The queue of a policy map's class, or of ``show policy-map interface``; of several, the one named, else the first
    with WRED, else the first that is not a priority class. Raises ScenarioError for a text without a queue, an
    unknown name, and contradictions.
    """
    policies_of = _policies(text, origin)
    if alone := _policers(policies_of, rate_bps, text):
        return chosen(alone, name, what="class", origin=origin)
    _needs_rate(policies_of, rate_bps, origin)
    return _of(
        policies_of, _chosen(_queues(policies_of, origin), name, origin), rate_bps, packet_bytes, origin
    )


def read_all(
    text: str, *, origin: str = "", rate_bps: float | None = None, packet_bytes: int = 1500, **_: Any
) -> list[Import]:
    """Every queue of the text, in its order. Raises ScenarioError as `read`."""
    policies_of = _policies(text, origin)
    if alone := _policers(policies_of, rate_bps, text):
        return alone
    _needs_rate(policies_of, rate_bps, origin)
    return [_of(policies_of, one, rate_bps, packet_bytes, origin) for one in _queues(policies_of, origin)]


def _policies(text: str, origin: str) -> Policies:
    """The policies of a text. Raises ScenarioError for those of NX-OS, whose statements have the same words with other
    meanings."""
    if re.search(r"^\s*policy-map\s+type\s+queuing\s", text, re.MULTILINE):
        refuse(
            "policy-map type queuing", "", "is of NX-OS, not of IOS", "read it with --from nxos", origin=origin,
        )  # fmt: skip
    return policies(text)


def _needs_rate(policies: Policies, rate_bps: float | None, origin: str) -> None:
    """Raises ScenarioError where the text has no queue and its policers state shares of a rate that is not known."""
    if any(ios_class.is_queue(one) for one in policies.blocks):
        return
    for one in policies.blocks:
        known = policies.rate_bps(one) or rate_bps
        drops = ios_class.is_policed(one) and ios_class.drops_beyond(one)
        if drops and known is None and ios_class.police_bps(one, 1.0) is not None:
            rule = "is a share of the link's rate, which is not known"
            refuse(one.title, "police percent", rule, "give --rate", origin=origin)


def _policers(policies: Policies, rate_bps: float | None, text: str) -> list[Import]:
    """The policers of a text in which no class has a queue."""
    if any(ios_class.is_queue(one) for one in policies.blocks):
        return []
    dropping = [
        one
        for one in policies.blocks
        if ios_class.is_policed(one) and ios_class.drops_beyond(one) and not one.nested
    ]
    queues = policers.alone(
        [
            policers.Policer(
                one.title,
                ios_class.police_bps(one, policies.rate_bps(one) or rate_bps),
                ios_class.police_burst(one),
            )
            for one in dropping
        ],
        box="ios",
    )
    blocks = {one.title: one for one in dropping}
    return [
        replace(
            one, rate_bps=policies.rate_bps(blocks[one.title]),
            notes=[*one.notes, *_inbound(blocks[one.title].policy, text)],
        )
        for one in queues
    ]  # fmt: skip


def _inbound(policy: str, text: str) -> list[Note]:
    """The note on a policy for arriving packets, which IOS polices and does not queue."""
    if not re.search(rf"service-policy\s+input\s+{re.escape(policy)}(?!\S)", text):
        return []
    where = f"{policy} is for arriving packets, which IOS does not queue"
    return [Note("load", "shape", f"{where}: put a shaper on the interface that they leave by")]


def _queues(policies: Policies, origin: str) -> list[Block]:
    queues = [one for one in policies.blocks if ios_class.is_queue(one)]
    if not queues:
        refuse(
            "", "the text", "holds no random-detect and no queue limit", "show the policy-map", origin=origin
        )
    return queues


def _of(policies: Policies, block: Block, rate_bps: float | None, packet_bytes: int, origin: str) -> Import:
    """One queue, with the queues above it and notes on lost settings."""
    notes: list[Note] = []
    rate = policies.rate_bps(block)
    known = rate or rate_bps
    limit = _limit(block.body, known, notes, origin)
    _rate_notes(policies, block, known, notes)
    matched = policies.maps.get(block.title.partition("/")[2], [])
    points = [point for word in matched if (point := code_points.number(word)) is not None]
    kind, params = _discipline(block, limit, known, packet_bytes, notes, origin, points)
    first = ios_class.above(policies, block, known)
    if len(first) > 1:
        titles = ", ".join(one.title for one in first)
        notes.append(Note("lost", "priority", f"{titles}: served as one queue, the first"))
    for one in first[:1]:
        cut = "" if one.police_bps is None else f", policed to {units.show_rate(one.police_bps)}"
        notes.append(Note("load", "priority", f"{one.title} is served first{cut}"))
    share, policed = ios_class.share_bps(policies, block, known), _policed(policies, block, known, notes)
    notes += ios_class.lost_lines(policies, block)
    notes += [
        Note(
            "lost",
            "service-policy",
            f"{other.title} holds this policy too: the rate is that of {taken.title}",
        )
        for taken, other in policies.ambiguities(block)
    ]
    others = [one.title for one in policies.blocks if ios_class.is_queue(one) and one is not block]
    return Import(
        "ios", kind, params, notes, rate, others, title=block.title,
        share_bps=share, above=first[:1], urgent=ios_class.is_priority(block), policed_bps=policed,
        policed_burst=None if policed is None else ios_class.police_burst(block),
        applications=code_points.applications(map(code_points.number, matched)),
    )  # fmt: skip


def _policed(policies: Policies, block: Block, rate: float | None, notes: list[Note]) -> float | None:
    """The rate above which the policer of a queue's own class drops, with its note."""
    if ios_class.is_priority(block) or not ios_class.is_policed(block):
        return None
    if not ios_class.drops_beyond(block):
        notes.append(policers.marks_only(block.title))
        return None
    policed = ios_class.police_bps(block, rate)
    notes.append(policers.on_queue(block.title, policed, ios_class.share_bps(policies, block, rate) or rate))
    return policed


def _discipline(
    block: Block,
    limit: str,
    rate: float | None,
    packet_bytes: int,
    notes: list[Note],
    origin: str,
    points: list[int],
) -> tuple[str, dict[str, Any]]:
    """Fair queueing, WRED or tail drop."""
    flows = ios_class.fair_queues(block)
    weighted = _WRED.search(block.body) is not None
    if flows is not None:
        if weighted:
            notes.append(Note("lost", "random-detect", "WRED inside fair-queue is not simulated"))
        if not flows:
            notes.append(
                Note(
                    "assumed",
                    "queues",
                    f"the text does not say: {DEFAULT_FLOWS} flow queues, IOS-XE's default",
                )
            )
        notes.append(
            Note("lost", "fair-queue", "a flow's share of the queue limit: the longest queue loses instead")
        )
        return "drr", {"limit": limit, "queues": flows or DEFAULT_FLOWS}
    if not weighted:
        return "droptail", {"limit": limit}
    rows = trimmed(_rows(block.lines, notes, rate, origin, points))
    match = re.search(r"(?:exponential-weighting-constant\s+|xp-weight-constant:\s*)(\d+)", block.body)
    constant = (
        DEFAULT_CONSTANT
        if match is None
        else whole(match[1], "exponential-weighting-constant", origin=origin)
    )
    if match is None:
        notes.append(Note("assumed", "exponent", f"the text does not say: {DEFAULT_CONSTANT}, IOS's default"))
    in_bytes = any(row[0].endswith("B") for row in rows)
    return "wred", {
        "limit": limit, "unit": "bytes" if in_bytes else "packets", "min_th": [row[0] for row in rows],
        "max_th": [row[1] for row in rows], "denominator": [row[2] for row in rows], "exponent": constant,
        "mean_packet": f"{packet_bytes} B",
        "ecn": bool(re.search(r"random-detect ecn|explicit congestion notification", block.body)),
    }  # fmt: skip


def _chosen(queues: list[Block], name: str | None, origin: str) -> Block:
    if name is None:
        plain = [one for one in queues if not ios_class.is_priority(one)]
        return next((one for one in queues if _WRED.search(one.body)), (plain or queues)[0])
    title = title_of(name, [one.title for one in queues], origin)
    return next(one for one in queues if one.title == title)


def _rate_notes(policies: Policies, block: Block, rate: float | None, notes: list[Note]) -> None:
    """Notes on rates in the text that no shaper states."""
    speed, promised = policies.speed(block), ios_class.share_bps(policies, block, rate)
    if speed and policies.rate_bps(block) is None:
        shown = units.show_rate(speed[1])
        notes.append(
            Note("load", "rate", f"nothing is shaped; {speed[0]} says it has {shown}: give it as --rate")
        )
    if promised and not (ios_class.is_policed(block) and ios_class.drops_beyond(block)):
        notes.append(promise("bandwidth", "the class", promised))


def _limit(body: str, rate: float | None, notes: list[Note], origin: str) -> str:
    match = re.search(r"queue[- ]limit\s+(\d+)\s*(packets|bytes|ms|us)?", body)
    if match is None:
        notes.append(
            Note("assumed", "limit", f"the text does not say: {DEFAULT_LIMIT} packets, a common default")
        )
        return f"{DEFAULT_LIMIT} pkts"
    return _amount(int(match[1]), match[2] or "packets", rate, "queue-limit", origin)


def _amount(value: int, unit: str, rate: float | None, key: str, origin: str) -> str:
    """An amount as scenarios write it; a time counts as the bytes that leave in it."""
    if unit in SECONDS:
        return f"{bytes_of_time(value, unit, rate, key, of='link', origin=origin)} B"
    return f"{value} pkts" if unit == "packets" else f"{value} B"


def _rows(
    lines: list[str], notes: list[Note], rate: float | None, origin: str, points: list[int]
) -> list[tuple[str, str, int]]:
    """(min, max, denominator) of each class, in the order of precedence or DSCP; of a class whose map names its code
    points those alone, in their order."""
    rows: dict[int, tuple[str, str, int]] = {}
    by_dscp = any("dscp" in line for line in lines)
    for line in lines:
        stated, shown = _STATED.search(line), _SHOWN.match(line)
        if stated:
            low, high = (
                _amount(
                    int(stated[i]), stated[i + 1] or stated[6] or "packets", rate, "random-detect", origin
                )
                for i in (3, 5)
            )
            if stated[2] != "rsvp":
                rows[_number(stated[2], origin)] = (low, high, int(stated[7] or DEFAULT_DENOMINATOR))
        elif shown:
            rows[_number(shown[1], origin)] = (f"{shown[2]} pkts", f"{shown[3]} pkts", int(shown[4]))
    for number, (low, high, _) in rows.items():
        if float(low.split()[0]) >= float(high.split()[0]):
            refuse(
                f"class {number}",
                f"{low}, {high}",
                "the minimum threshold must lie below the maximum",
                origin=origin,
            )
    if by_dscp and not rows:
        rows = {n: (f"{low} pkts", f"{DEFAULT_MAX} pkts", DEFAULT_DENOMINATOR) for n, low in DSCP_MIN.items()}
        text = f"the text has no DSCP: IOS's defaults, from {min(DSCP_MIN.values())} of {DEFAULT_MAX} packets"
        notes.append(Note("assumed", "min_th", text))
    if by_dscp or any(number > 7 for number in rows):
        numbers = [number for number in points if number in rows] or sorted(rows)
        which = ", ".join(f"{i} is DSCP {number}" for i, number in enumerate(numbers))
        notes.append(Note("load", "class", f"classes of the scenario: {which}"))
        return [rows[number] for number in numbers]
    if len(set(rows.values())) > 1:
        notes.append(
            Note(
                "load",
                "class",
                "class N of the scenario is precedence N; flows are of class 0 unless they state another",
            )
        )
    missing = [number for number in range(8) if number not in rows]
    if missing:
        which, least = ", ".join(map(str, missing)), DEFAULT_MIN[missing[0]]
        text = f"precedence {which}: not in the text; IOS's defaults, from {least} of {DEFAULT_MAX} packets"
        notes.append(Note("assumed", "min_th", text))
    return [
        rows.get(n, (f"{DEFAULT_MIN[n]} pkts", f"{DEFAULT_MAX} pkts", DEFAULT_DENOMINATOR)) for n in range(8)
    ]


def trimmed(rows: list[T]) -> list[T]:
    """Rows without those at the end that repeat the one before: further classes use the last."""
    kept = list(rows)
    while len(kept) > 1 and kept[-1] == kept[-2]:
        kept.pop()
    return kept


def _number(word: str, origin: str) -> int:
    if word.isdecimal():
        return whole(word, "random-detect dscp", origin=origin)
    point = code_points.number(word)
    if point is None:
        refuse("random-detect dscp", word, "is no DSCP", "write its number", origin=origin)
    return point


def looks_like(text: str) -> bool:
    """Whether a text is of this kind."""
    return bool(
        re.search(
            r"random-detect|^\s*policy-map\s|Service-policy output:|xp-weight-constant", text, re.MULTILINE
        )
    )
