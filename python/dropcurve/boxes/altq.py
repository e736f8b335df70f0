"""ALTQ of FreeBSD, pfSense and NetBSD: queues of pf.conf under HFSC, CBQ, PRIQ or FAIRQ, or CoDel alone.

Reference: FreeBSD pf.conf(5) and altq(4); for the sizes FreeBSD's altq_red.c, altq_rmclass.c, altq_hfsc.c and
altq_priq.c. A queue is tail drop of 50 slots, RED with thresholds of 10 and 30 % of its slots, at most 1 in 10, or
CoDel; FAIRQ has fair queues. In a scheduler CoDel has 5 and 100 ms.

RED takes a shorter average on slow links: it is given the time of a packet in microseconds, by CBQ. HFSC and PRIQ give
it nanoseconds, so that they count as slow up to 600 Mbit/s, and their average hardly decays while they are idle. A full
buffer drops the arrival; RED of ALTQ 1.1.2 and before chose a victim at random.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..quantities import units
from . import pf
from .model import Export, Import, Note, Problems, chosen, refuse, with_others
from .numbers import whole
from .red_rows import rows_of
from .red_rows import whole as rounded
from .settings import Settings

__all__ = ["KINDS", "export", "looks_like", "read", "read_all", "rewritten"]

#: Disciplines that ALTQ has.
KINDS = ("droptail", "red", "codel", "drr")
SCHEDULERS = ("hfsc", "cbq", "priq", "fairq", "codel")
#: Hash buckets of FAIRQ by default.
BUCKETS = 256
#: Thresholds of RED as shares of the slots, and its greatest probability.
LOW, HIGH, MAX_P = 0.1, 0.3, 0.1
#: Time constant of RED's average in packets, by the most packets a second of the queue; and the factor by which HFSC
#: and PRIQ mistake the time of a packet.
WEIGHTS = ((50.0, 64.0), (300.0, 128.0), (float("inf"), 512.0))
MISTAKEN = 1000.0
#: Words of a queue's options that are about its drops.
_OWN = ("red", "rio", "ecn", "codel")


def export(
    given: Settings, *, params: dict[str, object], dev: str = "em0", name: str = "dropcurve",
    inside: str = "", shape: bool = True,
) -> Export:  # fmt: skip
    """An ALTQ interface with one queue. Raises ScenarioError.

    Args:
        given: The queue.
        params: As asked for.
        dev: The interface.
        name: Name of the queue.
        inside: The scheduler that the queue is in, where it has one already.
        shape: Has no effect: ALTQ always shapes.
    """
    kind, notes = given.discipline, list[Note]()
    if kind not in KINDS:
        refuse("kind", kind, f"ALTQ has {', '.join(KINDS)}", "choose one of these")
    if kind == "drr" and inside not in ("", "fairq"):
        refuse("kind", kind, f"a queue of {inside} is one queue for all flows", "choose another discipline")
    if kind == "red":
        problems = Problems()
        rows_of(given, problems, box="ALTQ", most=1)
        problems.raise_if_any()
    slots = rounded(given.packets("limit"), "limit", "slots", notes, least=2, most=65535)
    ecn = given.flag("ecn") and kind != "drr"
    bandwidth = f"bandwidth {pf.shown_rate(given.rate_bps)}b"
    if kind == "codel" and not inside:
        target, interval = (
            rounded(1e3 * given.seconds(key), key, "ms", notes) for key in ("target", "interval")
        )
        mark = " ecn" if ecn else ""
        text = f"altq on {dev} codel(target {target} interval {interval}{mark}) {bandwidth} qlimit {slots}\n"
    else:
        scheduler = inside or ("fairq" if kind == "drr" else "hfsc")
        own = {"red": ["red"], "codel": ["codel"]}.get(kind, []) + (["ecn"] if ecn and kind == "red" else [])
        own += ["buckets", str(given.whole("queues"))] if kind == "drr" else []
        options = " ".join(["default", *own])
        text = (
            f"altq on {dev} {scheduler} {bandwidth} queue {{ {name} }}\n"
            f"queue {name} {bandwidth} qlimit {slots} {scheduler}({options})\n"
        )
    notes += _fixed(given, kind, inside, slots)
    notes.append(
        Note("load", "", "rules send packets to a queue by its name; the one with default gets the others")
    )
    back = read(text)
    return Export("altq", kind, dict(params), text, notes, back.discipline, back.params)


def _fixed(given: Settings, kind: str, inside: str, slots: int) -> Iterator[Note]:
    """Notes on what ALTQ fixes."""
    if kind == "red":
        for key, share in (("min_th", LOW), ("max_th", HIGH)):
            text = f"{given.packets(key):g} pkts becomes {100.0 * share:g} % of the slots, {_slots(slots, share)}"
            yield Note("rounded", key, text)
        yield Note("rounded", "max_p", f"{given.number('max_p'):g} becomes {MAX_P:g}, which ALTQ fixes")
    if kind == "codel" and inside:
        yield Note("rounded", "target, interval", f"CoDel within {inside} has 5 and 100 ms and does not mark")


def _slots(limit: int, share: float) -> int:
    return max(1, int(limit * share))


def read(text: str, *, origin: str = "", name: str | None = None, **options: Any) -> Import:
    """A queue; of several the one ``name``, or the first. Raises ScenarioError."""
    return chosen(read_all(text, origin=origin, **options), name, what="queue", origin=origin)


def read_all(text: str, *, origin: str = "", **_: Any) -> list[Import]:
    """Every queue without queues below it. Raises ScenarioError for a text without one, and for contradictions."""
    held = _statements(text)
    queues = {one.words[1]: one for one in held if one.words[0] == "queue" and len(one.words) > 1}
    imports: list[Import] = []
    for root in (one for one in held if one.words[:2] == ("altq", "on") and len(one.words) > 2):
        dev = root.words[2]
        bandwidth = root.after("bandwidth")
        rate = None if bandwidth is None else pf.rate(bandwidth, f"altq {dev} bandwidth", origin)
        names = root.inside("queue") or tuple(one for one in [root.after("queue")] if one not in (None, "{"))
        if names:
            imports += [
                _queue(*one, scheduler=_scheduler(root), rate=rate, dev=dev, origin=origin)
                for one in _leaves(names, queues, rate, origin)
            ]
        else:
            imports.append(_queue(root, dev, None, scheduler="", rate=rate, dev=dev, origin=origin))
    if not imports:
        refuse("", "the text", "configures no ALTQ queue", "give the altq and queue lines", origin=origin)
    return with_others(imports)


def _statements(text: str) -> list[pf.PfStatement]:
    """The statements of a text. CoDel alone is ``codelq`` in those that pfSense writes."""
    return [
        replace(one, words=tuple("codel" if word == "codelq" else word for word in one.words))
        for one in pf.statements(text)
    ]


def _scheduler(root: pf.PfStatement) -> str:
    return next((one for one in root.words if one in SCHEDULERS), "")


def _leaves(
    names: tuple[str, ...],
    queues: Mapping[str, pf.PfStatement],
    rate: float | None,
    origin: str,
    depth: int = 0,
) -> Iterator[tuple[pf.PfStatement, str, float | None]]:
    """The queues below some names that have no queues below them, with the rate of each."""
    for name in names:
        own = queues.get(name)
        if own is None or depth > 16:
            refuse(f"queue {name}", "", "is not there", "give its line", origin=origin)
        stated = own.after("bandwidth")
        share = rate if stated is None else pf.rate(stated, f"queue {name} bandwidth", origin, whole_bps=rate)
        below = own.inside(own.words[own.words.index("{") - 1]) if "{" in own.words else ()
        if below:
            yield from _leaves(below, queues, share, origin, depth + 1)
        else:
            yield own, name, None if stated is None or share == rate else share


def _queue(
    own: pf.PfStatement, title: str, share: float | None, *, scheduler: str, rate: float | None, dev: str,
    origin: str,
) -> Import:  # fmt: skip
    """The queue of a statement."""
    notes: list[Note] = []
    stated = own.after("qlimit")
    slots = pf.SLOTS if stated is None else max(1, whole(stated, f"queue {title} qlimit", origin=origin))
    if stated is None:
        notes.append(
            Note("assumed", "limit", f"queue {title} does not say: {pf.SLOTS} slots, ALTQ's default")
        )
    options = own.inside(scheduler) if scheduler else own.inside("codel")
    notes += [
        Note("lost", word, f"queue {title}: {word} is not simulated")
        for word in ("priority", "realtime", "linkshare", "upperlimit", "borrow")
        if word in own.words
    ]
    limit = f"{slots} pkts"
    if "red" in options or "rio" in options:
        if "rio" in options:
            notes.append(Note("lost", "rio", "packets out of profile are taken as the others"))
        kind, params = "red", _red(slots, share or rate, "ecn" in options, scheduler)
    elif (scheduler == "" and "codel" in own.words) or "codel" in options:
        alone = not scheduler
        times = {
            key: f"{whole(stated_ms, f'{title} {key}', origin=origin)} ms"
            for key in ("target", "interval")
            if alone and (stated_ms := own.after(key)) is not None
        }
        kind, params = "codel", {"limit": limit, **times, "ecn": alone and "ecn" in options}
    elif scheduler == "fairq":
        buckets = own.after("buckets")
        queues = BUCKETS if buckets is None else whole(buckets, f"{title} buckets", origin=origin)
        kind, params = "drr", {"limit": limit, "queues": max(1, queues)}
    else:
        kind, params = "droptail", {"limit": limit}
    return Import("altq", kind, params, notes, rate, title=title, share_bps=share, scheduler=scheduler)


def _red(slots: int, rate_bps: float | None, ecn: bool, scheduler: str) -> dict[str, Any]:
    """RED as ALTQ sizes it for the slots and the rate of a queue in a scheduler."""
    low = _slots(slots, LOW)
    taken_bps = rate_bps if rate_bps is None or scheduler == "cbq" else rate_bps / MISTAKEN
    packets = float("inf") if taken_bps is None else taken_bps / 12_000.0
    idle = {} if taken_bps == rate_bps or taken_bps is None else {"idle_rate": units.show_rate(taken_bps)}
    memory = next(weight for most, weight in WEIGHTS if packets < most or most == float("inf"))
    return {
        "dialect": "altq", "limit": units.show_packets(slots), "min_th": units.show_packets(low),
        "max_th": units.show_packets(max(low + 1, _slots(slots, HIGH))), "max_p": MAX_P, "w_q": 1.0 / memory,
        "victim": "arriving", "ecn": ecn, **idle,
    }  # fmt: skip


def rewritten(text: str, queue: Import, exported: Export) -> str | None:
    """The text with other drops in a queue's statement; None where the new queue needs a scheduler of its own."""
    held = pf.statements(text)
    own = next((one for one in held if one.words[:2] == ("queue", queue.title)), None)
    lines = [one for one in pf.statements(exported.text) if one.words[0] == "queue"]
    alone = next((one for one in held if one.words[:3] == ("altq", "on", queue.title)), None)
    if own is None and alone is not None:
        # The interface has one queue; a scheduler with a queue may take its place.
        placed = [
            re.sub(r"^altq on \S+", f"altq on {queue.title}", one) for one in exported.text.splitlines()
        ]
        kept = text.splitlines()
        kept[alone.first : alone.last + 1] = placed
        return "\n".join(kept) + ("\n" if text.endswith("\n") else "")
    scheduler = next((one for one in (own.words if own else ()) if one in SCHEDULERS), "")
    if own is None or not lines or scheduler not in lines[0].words:
        return None
    new = lines[0]
    words = list(own.words)
    if "qlimit" in words:
        at = words.index("qlimit")
        del words[at : at + 2]
    at = words.index(scheduler)
    words[at:at] = ["qlimit", str(new.after("qlimit"))]
    kept = [one for one in _other_words(own.inside(scheduler)) if one not in _OWN]
    drops = [one for one in new.inside(scheduler) if one in _OWN]
    buckets = new.after("buckets")
    drops += [] if buckets is None else ["buckets", buckets]
    at = words.index(scheduler) + 1
    end = at
    if words[at : at + 1] == ["("]:
        end = words.index(")", at) + 1 if ")" in words[at:] else len(words)
    words[at:end] = ["(", *kept, *drops, ")"] if kept or drops else []
    return pf.replaced(text, own, words)


def _other_words(words: tuple[str, ...]) -> list[str]:
    """The words of a scheduler without the number of its fair queues."""
    at = words.index("buckets") if "buckets" in words else len(words)
    return [*words[:at], *words[at + 2 :]]


def looks_like(text: str) -> bool:
    """Whether a text is of this kind."""
    return bool(re.search(r"^\s*altq\s+on\s+\S+\s", text, re.MULTILINE))
