"""Reads MikroTik RouterOS: queue types, and the simple queues, queue trees and interfaces that use them.

Reference: RouterOSQueues. RouterOS is a Linux; each queue is read as its `tc` command. A simple queue has a limit and a
queue for each direction, upload first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..quantities import units
from ..scenario.links import PACKET_BYTES
from . import tc_read
from .model import Import, Note, chosen, refuse, with_others
from .numbers import real
from .tc_cake import ETHERNET

#: Names of RouterOS for kinds of queues, and those of `tc`.
TC = {
    "pfifo": "pfifo", "bfifo": "bfifo", "mq-pfifo": "pfifo", "red": "red", "sfq": "sfq", "pcq": "sfq",
    "codel": "codel", "fq-codel": "fq_codel", "cake": "cake", "none": "pfifo",
}  # fmt: skip
#: Built-in queue types: kind and options.
BUILT_IN = {
    "default": ("pfifo", {"pfifo-limit": "50"}), "default-small": ("pfifo", {"pfifo-limit": "10"}),
    "ethernet-default": ("pfifo", {"pfifo-limit": "50"}), "wireless-default": ("sfq", {}),
    "synchronous-default": ("red", {}), "hotspot-default": ("sfq", {}),
    "multi-queue-ethernet-default": ("mq-pfifo", {}),
    "only-hardware-queue": ("none", {}), "pcq-upload-default": ("pcq", {"pcq-classifier": "src-address"}),
    "pcq-download-default": ("pcq", {"pcq-classifier": "dst-address"}),
}  # fmt: skip
#: Options without the prefix of their kind, and the word of `tc` for each; None for options that are not simulated.
WORDS: dict[str, str | None] = {
    "limit": "limit", "target": "target", "interval": "interval", "quantum": "quantum", "flows": "flows",
    "memlimit": "memory_limit", "ce-threshold": "ce_threshold", "perturb": "perturb", "rtt": "rtt", "mpu": "mpu",
    "overhead": "overhead", "allot": None,
}  # fmt: skip
#: Values of a CAKE, and the word of `tc` for each; "" for those that are the default.
CAKE_WORDS = {
    ("nat", "yes"): "nat", ("wash", "yes"): "wash", ("autorate-ingress", "yes"): "autorate-ingress",
    ("ack-filter", "filter"): "ack-filter", ("ack-filter", "aggressive"): "ack-filter-aggressive",
    ("nat", "no"): "", ("wash", "no"): "", ("autorate-ingress", "no"): "", ("ack-filter", "none"): "",
    ("atm", "none"): "", ("atm", "atm"): "atm", ("atm", "ptm"): "ptm",
}  # fmt: skip
#: A full packet with its Ethernet header, by which a size in bytes becomes a number of packets.
FRAME_BYTES = PACKET_BYTES + ETHERNET
#: Sizes of PCQ that RouterOS takes where none is stated: the queue of one address, and all queues together.
PCQ_SIZES = {"limit": "50KiB", "total-limit": "2000KiB"}
#: What packets of one queue of PCQ have in common, by the hosts among its classifiers; with ports a flow.
PCQ_KEYS = {
    ("src-address",): "source", ("dst-address",): "destination", ("dst-address", "src-address"): "hosts",
}  # fmt: skip
#: Menus whose entries may have parents.
TREES = ("queue tree", "queue simple")
_SCALES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}


@dataclass(frozen=True)
class Entry:
    """One ``add`` or ``set`` of a menu, with its values."""

    menu: str
    values: dict[str, str]


def read(text: str, *, origin: str = "", name: str | None = None, **options: Any) -> Import:
    """The queue of a simple queue, tree or interface, or a queue type; of several the one ``name``, or the first.
    Raises ScenarioError for a text without one, and for contradictions.
    """
    return chosen(read_all(text, origin=origin, **options), name, what="queue", origin=origin)


def read_all(text: str, *, origin: str = "", **_: Any) -> list[Import]:
    """Every queue of the text; the queue types alone where nothing uses them. Raises ScenarioError as `read`."""
    entries = [one for one in menu_entries(text) if one.menu.startswith("queue")]
    types = dict(BUILT_IN)
    for one in entries:
        if one.menu == "queue type" and "name" in one.values:
            kind = one.values.get("kind", types.get(one.values["name"], ("pfifo", {}))[0])
            types[one.values["name"]] = (kind, one.values)
    # Packets wait in leaves alone: a parent shapes its children.
    parents = {one.values["parent"]: one for one in entries if "parent" in one.values}
    inner = [one for one in entries if one.menu in TREES and one.values.get("name") in parents]
    leaves = [one for one in entries if one.menu != "queue type" and one not in inner]
    queues = [
        queue
        for one in leaves
        for queue in _used(_below(one, inner), types, origin, siblings=_siblings(one, leaves))
    ]
    queues = _paired(queues, leaves) or [
        _queue(one.values["name"], one.values["name"], types, None, origin)
        for one in entries if one.menu == "queue type" and "name" in one.values
    ]  # fmt: skip
    if not queues:
        refuse("", "the text", "holds no queue", "give /queue export", origin=origin)
    return with_others(queues)


#: Words in the names of leaves of a tree by which they are the two directions of a line.
_SIDES = {"up": re.compile(r"(?:^|[^a-z])(?:up|upload|ul|upstream)(?:[^a-z]|$)", re.IGNORECASE),
          "down": re.compile(r"(?:^|[^a-z])(?:down|download|dl|downstream)(?:[^a-z]|$)", re.IGNORECASE)}  # fmt: skip


def _paired(queues: list[Import], leaves: list[Entry]) -> list[Import]:
    """The queues; the only two leaves of trees that are named as upload and download with the line that they make."""
    names = [one.values.get("name", "") for one in leaves if one.menu == "queue tree"]
    sides = {side: [one for one in queues if words.search(one.title)] for side, words in _SIDES.items()}
    if len(leaves) != 2 or len(names) != 2 or any(len(some) != 1 for some in sides.values()):
        return queues
    (up,), (down,) = sides["up"], sides["down"]
    rates = [up.rate_bps, down.rate_bps]
    if up is down or up.share_bps is not None or down.share_bps is not None:
        return queues
    both = {"upload": up, "download": down}
    return [
        replace(one, link_text=_line(rates, "upload" if one is up else "download", both)) for one in queues
    ]


def _below(entry: Entry, inner: list[Entry]) -> Entry:
    """A leaf with the limit of the nearest parent that has one, where it states none itself."""
    limit, at, seen = entry.values.get("max-limit", "0"), entry, list[Entry]()
    while re.fullmatch(r"0?(?:/0)?", limit):
        around = next(
            (one for one in inner if one.menu == at.menu and one.values["name"] == at.values.get("parent")),
            None,
        )
        if around is None or around in seen:
            return entry
        limit, at, seen = around.values.get("max-limit", "0"), around, [*seen, around]
    return replace(entry, values={**entry.values, "max-limit": limit})


def _siblings(entry: Entry, leaves: list[Entry]) -> bool:
    """Whether a leaf shares its parent with another one."""
    parent = entry.values.get("parent", "")
    return entry.menu == "queue tree" and any(
        one is not entry and one.menu == entry.menu and one.values.get("parent", "") == parent
        for one in leaves
    )


def _used(
    entry: Entry, types: dict[str, tuple[str, dict[str, str]]], origin: str, *, siblings: bool = False
) -> Iterator[Import]:
    """The queues of one entry: two of a simple queue, upload first. A leaf of a tree that has siblings is guaranteed
    its ``limit-at`` alone."""
    values = entry.values
    title = values.get("name") or values.get("target") or values.get("") or values.get("interface", "queue")
    if values.get("disabled") == "yes":
        return
    if entry.menu == "queue simple":
        limits = [*values.get("max-limit", "0/0").split("/"), "0"]
        kinds = values.get("queue", "default-small/default-small").split("/")
        sides = ("upload", "download")
        rates = [_rate(limits[i], origin) for i in range(len(sides))]
        queues = {
            side: _queue(f"{title} {side}", kinds[min(i, len(kinds) - 1)], types, rates[i], origin, values)
            for i, side in enumerate(sides)
            if rates[i] is not None
        }
        for side, one in queues.items():
            yield replace(one, link_text=_line(rates, side, queues))
    elif entry.menu == "queue tree":
        rate = _rate(values.get("max-limit", "0"), origin)
        guaranteed = _rate(values.get("limit-at", "0"), origin) if siblings else None
        own = {key: value for key, value in values.items() if key != "limit-at" or guaranteed is None}
        leaf = _queue(title, values.get("queue", "default-small"), types, rate, origin, own)
        yield (
            leaf
            if guaranteed is None or rate is None or guaranteed >= rate
            else _guaranteed(leaf, guaranteed)
        )
    elif entry.menu == "queue interface" and "queue" in values:
        yield _queue(title, values["queue"], types, None, origin)


def _guaranteed(queue: Import, sure_bps: float) -> Import:
    """A queue that is judged at the rate it is guaranteed."""
    text = f"the queue is guaranteed {units.show_rate(sure_bps)}, and gets more while others are idle"
    note = Note("load", "limit-at", f"{text}: it is judged at the rate it is guaranteed")
    return replace(queue, share_bps=sure_bps, notes=[note, *queue.notes])


def _line(rates: list[float | None], side: str, queues: dict[str, Import]) -> str:
    """The line of a simple queue in the form of ``--link``: both rates, and the kind of queue in the other direction;
    "" where a direction has no rate."""
    up, down = rates
    if up is None or down is None:
        return ""
    other = queues["upload" if side == "download" else "download"]
    way = "down" if side == "download" else "up"
    return f"{down / 1e6:g}/{up / 1e6:g}Mbit:{way},back={other.discipline}"


def _queue(
    title: str, name: str, types: dict[str, tuple[str, dict[str, str]]], rate: float | None, origin: str,
    values: dict[str, str] | None = None,
) -> Import:  # fmt: skip
    """One queue, read as the `tc` command of its type."""
    if name not in types:
        refuse(title, name, "is not a queue type of the text", "give /queue type export too", origin=origin)
    kind, options = types[name]
    if kind not in TC:
        refuse(
            f"queue type {name}", kind, f"must be one of {', '.join(TC)}", "correct the kind", origin=origin
        )
    notes: list[Note] = []
    words = ["tc qdisc replace dev eth0 root", TC[kind]]
    own: dict[str, Any] = {}
    if kind == "pcq":
        each, total, key = _pcq(options, notes, origin)
        words = words if key else ["tc qdisc replace dev eth0 root pfifo"]
        words += ["limit", str(total if key else min(each, total))]
        own = {"by": key} if key else {}
        if key and each < total:
            own |= {"refuse": "longest_head", "child": {"kind": "droptail", "limit": f"{each} pkts"}}
    else:
        words += _red(options, notes, origin) if kind == "red" else list(_words(kind, options, rate, notes))
    if kind == "mq-pfifo":
        notes.append(Note("lost", "mq-pfifo", "a queue for each processor: one is taken"))
    plain = ("0/0", "8", "8/8", "0", "no-mark", "")
    notes += [
        Note("lost", key, f"{values[key]}: is not simulated")
        for key in ("burst-limit", "limit-at", "priority", "packet-mark", "packet-marks", "time")
        if values and values.get(key, "0") not in plain
    ]
    parsed = tc_read.read(" ".join(words), origin=origin)
    return replace(
        parsed, box="mikrotik", title=title, notes=[*notes, *parsed.notes], rate_bps=rate or parsed.rate_bps,
        params={**parsed.params, **own},
    )  # fmt: skip


def _words(kind: str, options: dict[str, str], rate: float | None, notes: list[Note]) -> Iterator[str]:
    """The words of `tc` for the values of a type."""
    if kind == "sfq" and "sfq-perturb" not in options:
        yield "perturb 5"
    for key, value in options.items():
        if not key.startswith(f"{kind}-"):
            continue
        bare = key.removeprefix(f"{kind}-")
        if bare == "ecn":
            yield "ecn" if value == "yes" else "noecn"
        elif bare == "bandwidth" and not value.startswith("0"):
            yield f"bandwidth {_bits(value)}"
        elif bare == "bandwidth":
            continue  # without a shaper of its own
        elif bare in ("diffserv", "flowmode", "rtt-scheme"):
            yield value if value not in ("none", "") else ""
        elif kind == "cake" and (bare, value) in CAKE_WORDS:
            yield CAKE_WORDS[bare, value]
        elif bare == "overhead-scheme":
            yield value.replace(",", " ") if value != "none" else ""
        elif bare == "memlimit" and kind == "cake":
            yield f"memlimit {_size(value)}"
        elif WORDS.get(bare):
            yield f"{WORDS[bare]} {_size(value) if bare in ('memlimit', 'quantum') else value}"
        elif bare in WORDS or kind != "pcq":
            notes.append(Note("lost", key, f"{value}: is not simulated"))
    if kind == "cake" and rate is not None and options.get("cake-bandwidth", "0").startswith("0"):
        yield f"bandwidth {round(rate)}bit"
    if kind in ("codel", "fq-codel") and f"{kind}-ecn" not in options:
        yield "noecn" if kind == "codel" else "ecn"


def _pcq(options: dict[str, str], notes: list[Note], origin: str) -> tuple[int, int, str]:
    """Sizes of PCQ in packets, of the queue of one address and of all queues together, and what the packets of a queue
    have in common; "" where all share one."""
    packets = {}
    for key, usual in PCQ_SIZES.items():
        text = options.get(f"pcq-{key}", usual)
        size = _size(f"{text}KiB" if re.fullmatch(r"[0-9.]+", text) else text)
        packets[key] = max(1, round(real(size, f"pcq-{key}", origin=origin) / FRAME_BYTES))
    parts = tuple(sorted(one for one in options.get("pcq-classifier", "").split(",") if one))
    if not parts:
        notes.append(
            Note("assumed", "pcq-classifier", "none is stated: all packets share one queue of pcq-limit")
        )
    for side in ("src", "dst"):
        mask = options.get(f"pcq-{side}-address-mask", "32")
        if f"{side}-address" in parts and mask != "32":
            text = f"{mask}: each address is taken for itself, not the network"
            notes.append(Note("lost", f"pcq-{side}-address-mask", text))
    rate = options.get("pcq-rate", "0")
    if rate not in ("0", ""):
        text = (
            f"{rate}: the bound on each address is not simulated; while it binds, packets wait at that rate, not at "
            "that of the queue"
        )
        notes.append(Note("lost", "pcq-rate", text))
    return packets["limit"], packets["total-limit"], PCQ_KEYS.get(parts, "flow" if parts else "")


def _red(options: dict[str, str], notes: list[Note], origin: str) -> list[str]:
    """RED in packets of the average size, as RouterOS counts."""

    def value(key: str, otherwise: int) -> int:
        return round(real(options.get(f"red-{key}", str(otherwise)), f"red-{key}", origin=origin))

    size = max(1, value("avg-packet", 1000))
    low, high = value("min-threshold", 10), value("max-threshold", 50)
    notes.append(Note("assumed", "max_p", "RouterOS does not say: 0.02, tc's default"))
    return ["limit", str(value("limit", 60) * size), "min", str(low * size), "max", str(high * size), "avpkt",
            str(size), "burst", str(value("burst", 20)), "probability", "0.02"]  # fmt: skip


def _rate(text: str, origin: str) -> float | None:
    match = re.fullmatch(r"([0-9.]{1,15})([kKmMgG]?)(?:bps)?", text.strip())
    if match is None:
        if text.strip() in ("", "unlimited"):
            return None
        refuse("max-limit", text, "must be a rate such as 10M", "write it so", origin=origin)
    return real(match[1], "max-limit", origin=origin) * _SCALES[match[2].lower()] or None


def _bits(text: str) -> str:
    return f"{text}bit" if re.fullmatch(r"[0-9.]+[kKmMgG]?", text) else text.replace("bps", "bit")


def _size(text: str) -> str:
    """A size with binary prefixes (``32.0MiB``) in bytes."""
    match = re.fullmatch(r"([0-9.]{1,15})\s*([KMG]?)i?B?", text)
    if match is None or match[1].count(".") > 1 or match[1] == ".":
        return text
    return str(round(float(match[1]) * {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}[match[2]]))


def menu_entries(text: str) -> Iterator[Entry]:
    """Every ``add`` and ``set`` with its menu."""
    menu = ""
    for line in re.sub(r"\\\r?\n\s*", "", text).splitlines():
        bare = line.strip()
        if bare.startswith("/"):
            head = re.match(r"/([a-z0-9\- ]*?)\s*(?=\b(?:add|set|export|print|remove)\b|$)", bare)
            menu = head[1].strip() if head else ""
            bare = bare[head.end() :] if head else ""
        command = re.match(r"(add|set)\s+(.*)", bare)
        if command:
            rest = re.sub(r"\[.*?(?:default-name|name)=(\S+?)\s*\]", r"\1", command[2])
            values = {key: value.strip('"') for key, value in re.findall(r"([\w-]+)=(\"[^\"]*\"|\S*)", rest)}
            first = rest.split()[0] if rest.split() and "=" not in rest.split()[0] else ""
            yield Entry(menu, {**({"": first} if first else {}), **values})


def looks_like(text: str) -> bool:
    """Whether a text is of this kind."""
    return bool(re.search(r"^\s*/queue\b", text, re.MULTILINE))
