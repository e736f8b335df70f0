"""Statements of a Cisco policy's class besides dropping: priority, policing, shares of the link; and its other lines.

Reads configurations and the output of ``show policy-map interface`` (CiscoWRED, CiscoLLQ).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..present.visible import cut
from .ios_policy import Block, Policies
from .model import PRIORITY_PKTS, Note, Priority
from .policers import KEY

_UNITS = {"": 1.0, "bps": 1.0, "k": 1e3, "kbps": 1e3, "m": 1e6, "mbps": 1e6, "g": 1e9, "gbps": 1e9}
#: A class that is served first: ``priority percent 33``, ``priority 512 [BURST]``, ``Priority: 33% (3300 kbps)``.
_PRIORITY = re.compile(
    r"^\s*priority(?:\s+level\s+\d+)?(?:\s+percent\s+(?P<percent>\d+)|\s+(?P<kbps>\d+)|:\s*(?P<shown>\d+)%)?(?=\s|$)",
    re.M | re.I,
)
#: ``police cir 512000``, ``police rate percent 10``, ``police 1 m``, ``police 32k``.
_POLICE = re.compile(
    r"^\s*police:?(?:\s+(?:cir|rate))*\s+(?:percent\s+(?P<percent>\d+)|(?P<stated>\d+)\s*(?P<unit>[kmg]?(?:bps)?)(?=\s|$))",
    re.M,
)
#: The burst of a policer in bytes: ``bc 1562500``, ``burst 64000``, ``police 512000 64000 64000``.
_BURST = re.compile(
    r"^\s*police\b[^\n]*?\b(?:bc|burst|conform-burst)\s+(\d+)|^\s*police\s+(?:cir\s+)?\d+\s+(\d{4,})", re.M
)
_ANY_POLICE = re.compile(r"^\s*police\b", re.M)
_FAIR = re.compile(r"^\s*fair-queue(?:\s+(\d+))?|^\s*Fair-queue:", re.M)
_SHARE = re.compile(
    r"^\s*bandwidth\s+(?:(?P<shown>\d+)% \(\d+ kbps\)|percent\s+(?P<percent>\d+)|(?P<kbps>\d+)(?:\s+kbps)?\s*$"
    r"|remaining\s+percent\s+(?P<rest>\d+)|remaining\s+ratio\s+(?P<ratio>\d+))",
    re.M,
)
#: Lines that make a class a queue of its own.
_OWN_QUEUE = re.compile(
    r"^\s*(?:random-detect|queue[- ]limit|bandwidth\s|priority\b|fair-queue|E?xp-weight-constant|shape\b|Fair-queue:)",
    re.M | re.I,
)
#: Statements of a class that change how packets queue, and are not simulated.
_UNMODELLED = {
    "compression": "headers are not compressed", "drop": "the class drops all of its packets",
    "queue-buffers": "the share of the shared buffer does not enter the limit",
    "wrr-queue": "weights of hardware queues are not simulated",
    "tx-ring-limit": "the ring of the interface adds no delay",
    "hold-queue": "the interface's own queue is not simulated",
    "priority-group": "legacy priority queueing is not simulated",
    "custom-queue-list": "legacy custom queueing is not simulated",
    "max-reserved-bandwidth": "classes may reserve all of the link",
}  # fmt: skip


def is_queue(block: Block) -> bool:
    """Whether a class or interface of the text has a queue of its own."""
    if not block.policy:
        return bool(
            re.search(r"^\s*(?:random-detect|fair-queue|E?xp-weight-constant)", block.body, re.M | re.I)
        )
    return bool(_OWN_QUEUE.search(block.body)) and not block.nested


def is_policed(block: Block) -> bool:
    """Whether the class has a policer."""
    return bool(block.policy) and _ANY_POLICE.search(block.body) is not None


def is_priority(block: Block) -> bool:
    """Whether the class is served before others."""
    return bool(block.policy) and _PRIORITY.search(block.body) is not None


def fair_queues(block: Block) -> int | None:
    """The number of flow queues of ``fair-queue``, 0 where it is not stated; None without it."""
    match = _FAIR.search(block.body)
    return None if match is None else int((match[1] or "0")[:6])


def drops_beyond(block: Block) -> bool:
    """Whether the policer of a class drops what exceeds its rate; else it only marks."""
    actions = re.findall(
        r"\b(?:exceed|violate)-action\s+(\S+)|\bexceeded\b.*?actions:\s*(\S+)", block.body, re.S
    )
    named = [one or other for one, other in actions]
    return not named or "drop" in named


def police_bps(block: Block, rate_bps: float | None) -> float | None:
    """The rate above which packets of the class are dropped: that of its policer or of its priority; None if there is
    none, or it is a share of a rate that is not known."""
    for statement in (_POLICE.search(block.body), _PRIORITY.search(block.body)):
        if statement is None:
            continue
        parts = statement.groupdict()
        share = parts.get("percent") or parts.get("shown")
        if share:
            if rate_bps is not None:
                return float(share) / 100.0 * rate_bps
        elif parts.get("kbps"):
            return 1e3 * float(parts["kbps"])
        elif parts.get("stated"):
            return float(parts["stated"]) * _UNITS[parts["unit"]]
    return None


def police_burst(block: Block) -> float | None:
    """The burst of the policer of a class in bytes; None where the text does not state it."""
    match = _BURST.search(block.body)
    return float(next(one for one in match.groups() if one)) if match else None


def above(policies: Policies, block: Block, rate_bps: float | None) -> tuple[Priority, ...]:
    """The priority classes of the same policy, as one queue each."""
    if is_priority(block):
        return ()
    return tuple(
        Priority(one.title, _limit(one), police_bps(one, rate_bps))
        for one in policies.blocks
        if one.policy == block.policy and one is not block and block.policy and is_priority(one)
    )


def _limit(block: Block) -> str:
    """The queue limit of a priority class."""
    match = re.search(r"^\s*queue[- ]limit\s+(\d{1,9})(?:\s+packets)?\s*$", block.body, re.M)
    return f"{max(1, int(match[1]))} pkts" if match else f"{PRIORITY_PKTS} pkts"


def share_bps(policies: Policies, block: Block, rate_bps: float | None) -> float | None:
    """The guaranteed rate of a class while all others are busy; None if it is unknown or is the whole rate."""
    if not block.policy:
        return None
    if is_priority(block):
        return police_bps(block, rate_bps)
    own = _promised(policies, block, rate_bps)
    if own is not None or rate_bps is None:
        return own
    siblings = [one for one in policies.blocks if one.policy == block.policy and one is not block]
    promised = [_promised(policies, one, rate_bps) or 0.0 for one in siblings if not is_priority(one)]
    first = _priority_bps(policies, block.policy, rate_bps)
    rest = rate_bps - first - sum(promised)
    # The rest is the rate that the policers of priority classes leave; without guarantees to others all of it.
    return (
        max(rest, 0.01 * rate_bps)
        if any(promised)
        else (rate_bps - first if 0.0 < first < rate_bps else None)
    )


def _promised(policies: Policies, block: Block, rate_bps: float | None) -> float | None:
    """The rate that a statement of ``bandwidth`` promises."""
    stated = _SHARE.search(block.body)
    if stated is None:
        return None
    if stated["kbps"]:
        return 1e3 * float(stated["kbps"])
    if rate_bps is None:
        return None
    if stated["shown"] or stated["percent"]:
        share = float(stated["shown"] or stated["percent"]) / 100.0
        return share * rate_bps if share < 1.0 else None
    rest = max(0.0, rate_bps - _priority_bps(policies, block.policy, rate_bps))
    if stated["rest"]:
        share = float(stated["rest"]) / 100.0
        return share * rest if share < 1.0 else None
    ratios = [
        float(match["ratio"])
        for other in policies.blocks
        if other.policy == block.policy and (match := _SHARE.search(other.body)) and match["ratio"]
    ]
    share = float(stated["ratio"]) / max(1.0, sum(ratios))
    return share * rest if share < 1.0 else None


def _priority_bps(policies: Policies, policy: str, rate_bps: float) -> float:
    return sum(
        police_bps(one, rate_bps) or 0.0
        for one in policies.blocks
        if one.policy == policy and is_priority(one)
    )


#: Statements about queueing that are understood in this form.
_UNDERSTOOD = re.compile(
    r"\s*(?:random-detect\s*$|random-detect\s+(?:dscp-based|prec-based|precedence-based|ecn)\s*$"
    r"|random-detect\s+exponential-weighting-constant\s+\d+\s*$"
    r"|random-detect\s+(?:precedence|dscp)\s+\S+\s+\d+(?:\s*(?:packets|bytes|ms|us))?"
    r"\s+\d+(?:\s*(?:packets|bytes|ms|us))?(?:\s+\d+)?\s*$"
    r"|queue[- ]limit\s+\d+(?:\s*(?:packets|bytes|ms|us))?(?:\s*\(.*)?\s*$"
    r"|fair-queue(?:\s+\d+)?\s*$|shape\s+(?:average|peak)\s+(?:percent\s+)?\d+|shape\s+\(average\)"
    r"|bandwidth\s+(?:(?:remaining\s+)?(?:percent|ratio)\s+)?\d+|priority(?:\s+(?:level|percent)|\s+\d|\s*$)|police\b)"
)
_QUEUEING = re.compile(
    r"\s*(?:random-detect|queue-limit|fair-queue|shape|bandwidth|priority|service-policy type)\b"
)


def lost_lines(policies: Policies, block: Block) -> Iterator[Note]:
    """Notes on parts of the class, or of another one of its policy, that are not simulated."""
    for line in block.lines:
        if block.policy and _QUEUEING.match(line) and not _UNDERSTOOD.match(line):
            yield Note("lost", line.split()[0], f"'{cut(line.strip(), 80)}' is not understood")
        word = line.split()[0] if line.split() else ""
        if word in _UNMODELLED:
            yield Note("lost", word, _UNMODELLED[word])
    for one in policies.blocks:
        if one is block or one.policy != block.policy or not one.policy or is_priority(one):
            continue
        if is_policed(one):
            yield Note("lost", KEY, f"{one.title} is policed: its drops are not simulated")
