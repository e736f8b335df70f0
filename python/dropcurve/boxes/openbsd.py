"""Queues of OpenBSD's pf.conf: HFSC with tail drop of 50 slots, or with flow queues, which are FQ-CoDel.

Reference: OpenBSD pf.conf(5). Flow queues have CoDel's 5 and 100 ms and do not mark.
"""

from __future__ import annotations

import re
from typing import Any

from . import pf
from .model import Export, Import, Note, chosen, refuse, with_others
from .numbers import whole
from .red_rows import whole as rounded
from .settings import Settings

__all__ = ["KINDS", "export", "looks_like", "read", "read_all", "rewritten"]

#: Disciplines that queues of OpenBSD have.
KINDS = ("droptail", "fq_codel")
#: Packets of flow queues by default.
FLOW_SLOTS = 1024
#: Words about the drops of a queue, each with a value.
_OWN = ("flows", "quantum", "qlimit")


def export(
    given: Settings,
    *,
    params: dict[str, object],
    dev: str = "em0",
    name: str = "dropcurve",
    shape: bool = True,
) -> Export:
    """A queue of an interface; it always shapes, whatever ``shape``. Raises ScenarioError."""
    kind, notes = given.discipline, list[Note]()
    if kind not in KINDS:
        refuse("kind", kind, f"OpenBSD has {', '.join(KINDS)}", "choose one of these")
    slots = rounded(given.packets("limit"), "limit", "packets", notes, most=65535)
    rate = pf.shown_rate(given.rate_bps)
    flows = ""
    if kind == "fq_codel":
        quantum = rounded(given.bytes_("quantum"), "quantum", "bytes", notes, least=256, most=65535)
        flows = f"flows {given.whole('flows')} quantum {quantum} "
        for key, usual in (("target", 0.005), ("interval", 0.1)):
            if abs(given.seconds(key) - usual) > 1e-9:
                text = f"{1e3 * given.seconds(key):g} ms becomes {1e3 * usual:g} ms, which OpenBSD fixes"
                notes.append(Note("rounded", key, text))
        if given.flag("ecn"):
            notes.append(Note("lost", "ecn", "flow queues of OpenBSD drop and do not mark"))
    text = f"queue {name} on {dev} {flows}bandwidth {rate} max {rate} qlimit {slots} default\n"
    notes.append(Note("load", "", "rules send packets to a queue by set queue; default gets the others"))
    back = read(text)
    return Export("openbsd", kind, dict(params), text, notes, back.discipline, back.params)


def read(text: str, *, origin: str = "", name: str | None = None, **options: Any) -> Import:
    """A queue; of several the one ``name``, or the first. Raises ScenarioError."""
    return chosen(read_all(text, origin=origin, **options), name, what="queue", origin=origin)


def read_all(text: str, *, origin: str = "", **_: Any) -> list[Import]:
    """Every queue without queues below it. Raises ScenarioError for a text without one, and for contradictions."""
    held = {one.words[1]: one for one in _queues(text)}
    parents = {one.after("parent") for one in held.values()}
    imports = [_queue(held, name, origin) for name in held if name not in parents]
    if not imports:
        refuse("", "the text", "configures no queue", "give the queue lines of pf.conf", origin=origin)
    return with_others(imports)


def _queues(text: str) -> list[pf.PfStatement]:
    """The statements of queues that have a rate or flows."""
    return [
        one for one in pf.statements(text)
        if one.words[0] == "queue" and len(one.words) > 2 and {"bandwidth", "flows", "max"} & set(one.words)
    ]  # fmt: skip


def _queue(held: dict[str, pf.PfStatement], name: str, origin: str) -> Import:
    own, notes = held[name], list[Note]()
    stated = own.after("qlimit")
    flows = own.after("flows")
    usual = pf.SLOTS if flows is None else FLOW_SLOTS
    slots = usual if stated is None else max(1, whole(stated, f"queue {name} qlimit", origin=origin))
    if stated is None:
        notes.append(Note("assumed", "limit", f"queue {name} does not say: {usual}, OpenBSD's default"))
    if "burst" in own.words:
        notes.append(Note("lost", "burst", f"queue {name}: burst is not simulated"))
    root = _root(held, name)
    rate = _rate(held[root], ("max", "bandwidth"), root, origin)
    share = _rate(own, ("min", "bandwidth"), name, origin) if root != name else None
    params: dict[str, Any] = {"limit": f"{slots} pkts"}
    if flows is not None:
        quantum = own.after("quantum")
        params |= {"flows": max(1, whole(flows, f"queue {name} flows", origin=origin))}
        params |= {
            "quantum": f"{1500 if quantum is None else whole(quantum, f'{name} quantum', origin=origin)} B"
        }
        params |= {"ecn": False}
    kind = "droptail" if flows is None else "fq_codel"
    return Import(
        "openbsd", kind, params, notes, rate, title=name, share_bps=None if share == rate else share
    )


def _root(held: dict[str, pf.PfStatement], name: str) -> str:
    """The name of the outermost queue around a queue."""
    root, steps = name, 0
    while (parent := held[root].after("parent")) in held and steps < 16:
        root, steps = str(parent), steps + 1
    return root


def interface(text: str, name: str) -> str:
    """The interface of a queue; "" where its text names none."""
    held = {one.words[1]: one for one in _queues(text)}
    return held[_root(held, name)].after("on") or "" if name in held else ""


def _rate(own: pf.PfStatement, keys: tuple[str, ...], name: str, origin: str) -> float | None:
    for key in keys:
        stated = own.after(key)
        if stated is not None:
            return pf.rate(stated, f"queue {name} {key}", origin)
    return None


def rewritten(text: str, queue: Import, exported: Export) -> str | None:
    """The text with other drops in a queue's statement."""
    own = next((one for one in _queues(text) if one.words[1] == queue.title), None)
    if own is None:
        return None
    (new,) = pf.statements(exported.text)
    words = list(own.words)
    for key in _OWN:
        if key in words:
            at = words.index(key)
            del words[at : at + 2]
    at = words.index("default") if "default" in words else len(words)
    words[at:at] = [word for key in _OWN for word in (key, new.after(key)) if word and new.after(key)]
    return pf.replaced(text, own, words)


def looks_like(text: str) -> bool:
    """Whether a text is of this kind."""
    return bool(
        re.search(
            r"^\s*queue\s+\S+\s+(?:on|parent|flows|bandwidth)\s.*\b(?:bandwidth|flows|max)\s",
            text,
            re.MULTILINE,
        )
    )
