"""The tree that ``tc`` commands build: queues, their classes, and the shapers above.

A queue's rate is that of its own class, never of another one's; bands of `prio` above it are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from ..errors import UsageError
from . import tc_numbers as tc
from .model import Note, Priority
from .tc_filters import Filter

#: Queues that contain others, and their properties that are not simulated when a leaf is taken alone.
CONTAINERS = {
    "htb": "", "tbf": "", "hfsc": "", "mq": "", "prio": "", "pfifo_fast": "",
    "ets": "its bands are taken each alone", "drr": "its classes are taken each alone",
    "qfq": "its classes are taken each alone", "multiq": "its bands are taken each alone",
    "mqprio": "its classes are taken each alone", "cbq": "its classes are taken each alone",
    "atm": "its circuits are taken each alone",
}  # fmt: skip
#: The handle of a shaper whose command states none.
UNNAMED = "0:"
#: Kinds that queue no packets, or have no delay of their own.
NO_QUEUE = ("ingress", "clsact", "noqueue")


@dataclass
class Queue:
    """One queue of the text: its kind, its place (interface and parent as tc states them, such as ``dev eth0 root``),
    and its options (a flag has the value ""). ``virtual`` has the options of the virtual queues of `gred`."""

    kind: str
    place: str
    options: dict[str, str]
    virtual: list[dict[str, str]] = field(default_factory=list)
    dev: str = ""
    parent: str = ""
    handle: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.place}".strip()


@dataclass(frozen=True)
class Branch:
    """A class, or a shaper: its interface, identity and parent, its guaranteed rate, the highest rate it can get, and
    its priority among its siblings as written.
    """

    dev: str
    name: str
    parent: str
    rate: float | None
    ceil: float | None
    prio: str = ""


@dataclass
class Tree:
    """All queues, classes, filters into classes, and notes of a text."""

    queues: list[Queue] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def branch(self, queue: Queue) -> Branch | None:
        """The class or shaper above a queue; the only one of its interface if no parent is stated."""
        own = [one for one in self.branches if one.dev in ("", queue.dev) or not queue.dev]
        if queue.parent and queue.parent != "root":
            major = f"{queue.parent.partition(':')[0]}:"
            around = next(
                (
                    one for one in self.queues
                    if one.handle == major and one.dev == queue.dev and one.kind in ("prio", "mq", "multiq", "ets")
                ),
                None,
            )  # fmt: skip
            if around is not None and around is not queue:
                return self.branch(around)
            return next((one for one in own if _same(one.name, queue.parent)), None) or next(
                (one for one in own if one.name.endswith(":") and queue.parent.startswith(one.name)), None
            )
        if "root" in queue.place.split():
            return None
        return own[-1] if own and len({one.rate for one in own}) == 1 else None

    def prio(self, queue: Queue) -> str:
        """The priority of a queue's class; empty where all of its siblings have the same."""
        own = self.branch(queue)
        if own is None:
            return ""
        siblings = {one.prio for one in self.branches if (one.dev, one.parent) == (own.dev, own.parent)}
        return own.prio if len(siblings) > 1 else ""

    def rates(self, queue: Queue) -> tuple[float | None, float | None]:
        """The highest rate that a queue can get, and its guaranteed rate if that is lower, in bit/s."""
        at, most, guaranteed = self.branch(queue), [], None
        seen: set[str] = set()
        while at is not None and at.name not in seen:
            seen.add(at.name)
            limit = at.ceil or at.rate
            if limit is not None:
                most.append(limit)
            if guaranteed is None:
                guaranteed = at.rate
            at = next(
                (one for one in self.branches if one.dev == at.dev and _same(one.name, at.parent)), None
            )
        rate = min(most) if most else None
        return rate, guaranteed if guaranteed is not None and rate is not None and guaranteed < rate else None

    def above(self, queue: Queue) -> tuple[Priority, ...]:
        """The band of a `prio` queue that is served before this one."""
        major, _, minor = queue.parent.partition(":")
        holder = next(
            (
                one for one in self.queues
                if one.kind == "prio" and one.handle == f"{major}:" and one.dev == queue.dev and major
            ),
            None,
        )  # fmt: skip
        if holder is None or not re.fullmatch(r"[0-9a-f]{1,4}", minor) or int(minor, 16) < 2:
            return ()
        first = next(
            (one for one in self.queues if one.parent == f"{major}:1" and one.dev == queue.dev), None
        )
        limit = first.options.get("limit", "") if first is not None and first.kind == "pfifo" else ""
        pkts = tc.count(limit) if limit else 1000
        return (
            Priority(f"band 1 of {holder}", f"{pkts} pkts", None if first is None else self.rates(first)[0]),
        )


def _same(one: str, other: str) -> bool:
    return bool(one) and one.removesuffix(":0").rstrip(":") == other.removesuffix(":0").rstrip(":")


def rate_in(words: list[str], *keys: str) -> float | None:
    """The rate that one of the words states; None if none is there.

    Curves of hfsc state it as ``rate R``, or as ``m1 R d TIME m2 R``, where m2 is the lasting rate.
    """
    for key in keys:
        if key not in words[:-1]:
            continue
        rest = words[words.index(key) + 1 :]
        if rest[0] in ("rate", "m1", "m2", "umax", "d"):
            last = "m2" if "m2" in rest else "rate"
            rest = rest[rest.index(last) + 1 :] if last in rest[:-1] else []
        if rest:
            return tc.rate(rest[0]) or None
    return None


def branch(words: list[str], *, dev: str = "") -> Branch:
    """A class from ``add dev eth0 parent 1: classid 1:10 htb rate 1mbit`` or ``htb 1:10 parent 1:1 rate 1Mbit``."""
    at = dict(pairwise(words))
    shown = words[1] if len(words) > 1 and ":" in words[1] and "classid" not in words else ""
    return Branch(
        at.get("dev", dev), at.get("classid", shown), at.get("parent", ""),
        rate_in(words, *(("sc", "ls", "rt") if "hfsc" in words else ("rate",))), rate_in(words, "ceil", "ul"),
        at.get("prio", ""),
    )  # fmt: skip


#: An assignment of a shell, up to the semicolon or the end of its line.
_SET = re.compile(
    r"\s*(?:export\s+|local\s+)?([A-Za-z_]\w*)=(?:\"([^\"`$]*)\"|'([^']*)'|([\w./:-]*))\s*(?:;|#.*$|$)"
)


def expanded(text: str, origin: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers from 1, continued ones joined, and shell variables that the text sets filled in."""
    known: dict[str, str] = {}
    held, first = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        first = first if held else number
        held += line
        if held.endswith("\\"):
            held = f"{held[:-1]} "
            continue
        while set_ := _SET.match(held):
            known[set_[1]] = set_[2] or set_[3] or set_[4] or ""
            held = held[set_.end() :]
        if held.strip():
            filled = re.sub(r"\$\{?([A-Za-z_]\w*)\}?", lambda one: known.get(one[1], one[0]), held)
            yield (
                first,
                re.sub(r"\$\(\(([^()$`]{1,80})\)\)", lambda one: _worked_out(one[1]) or one[0], filled),
            )
        held = ""
    if held:
        yield first, held


def _worked_out(text: str) -> str:
    """The value of an arithmetic expansion of whole numbers; "" for any other."""
    parts = re.findall(r"\d{1,12}|[+\-*/]", text)
    values, signs = parts[::2], parts[1::2]
    if re.search(r"[^0-9+\-*/ ]", text) or len(values) != len(signs) + 1:
        return ""
    if not all(one.isdecimal() for one in values) or any(one.isdecimal() for one in signs):
        return ""
    total, held, sign = 0, int(values[0]), 1
    for operator, value in zip(signs, map(int, values[1:]), strict=True):
        if operator == "*":
            held *= value
        elif operator == "/":
            if value == 0:
                return ""
            held //= value
        else:
            total, held, sign = total + sign * held, value, 1 if operator == "+" else -1
    return str(total + sign * held)


def check(words: list[str], number: int) -> None:
    """Raises UsageError for a line of `tc` with a shell variable or command that the text does not resolve."""
    loose = next((one for one in words if "$" in one or "`" in one), None)
    if loose is not None:
        raise UsageError(
            f"line {number}", loose, "is a shell variable that the text does not set", "write its value"
        )


def fill(tree: Tree) -> None:
    """Adds the default queues of the kernel where a text states none: in bands, classes and token buckets."""
    for one in [other for other in tree.queues if other.kind in ("prio", "tbf")]:
        inside = [
            other for other in tree.queues if other.dev == one.dev and other.parent.startswith(one.handle)
        ]
        if one.handle and inside:
            continue
        if one.kind == "tbf":
            parent = f"{one.handle or UNNAMED}1"
            tree.queues.append(replace(one, kind="bfifo", options=_bucket(one.options), parent=parent))
        elif one.handle:
            _put(tree, one.dev, f"{one.handle}{one.options.get('bands', '3')}")
    for leaf in [one for one in tree.branches if re.fullmatch(r"[0-9a-f]*:[0-9a-f]+", one.name)]:
        inner = any(other.dev == leaf.dev and other.parent == leaf.name for other in tree.branches)
        taken = any(
            other.dev in (leaf.dev, "") or not leaf.dev for other in tree.queues if other.parent == leaf.name
        )
        if not inner and not taken and leaf.dev:
            _put(tree, leaf.dev, leaf.name)


def _default_class(shaper: Queue) -> str | None:
    """The class of packets that no filter classifies, with the minor number 0 where none is stated; None for a text
    that is not a number."""
    minor = shaper.options.get("default", "0").removeprefix("0x")
    return f"{shaper.handle}{int(minor, 16):x}" if re.fullmatch(r"[0-9a-fA-F]{1,4}", minor) else None


def takes_the_rest(tree: Tree, queue: Queue) -> bool:
    """Whether a queue is in the ``default`` class of an `htb` or `hfsc`, which carries what no filter classifies."""
    around = [one for one in tree.queues if one.handle and queue.parent.startswith(one.handle)]
    parents = {queue.parent, *(one.parent for one in around if one.kind not in ("htb", "hfsc"))}
    return any(
        _default_class(one) in parents
        for one in tree.queues
        if one.kind in ("htb", "hfsc") and one.handle and one.dev == queue.dev
    )


def unshaped(tree: Tree) -> list[Note]:
    """Notes on `htb` queues whose traffic without a class passes unshaped: no ``default`` is stated, or a class that
    the text does not have (tc-htb(8))."""
    notes = []
    for one in [other for other in tree.queues if other.kind == "htb" and other.handle]:
        mine = [other for other in tree.branches if not one.dev or other.dev in ("", one.dev)]
        names = {other.name.lower() for other in mine if other.name.startswith(one.handle)}
        wanted = _default_class(one)
        if names <= {one.handle} or wanted is None or wanted in names:
            continue
        stated = wanted != f"{one.handle}0"
        reason = f"there is no class {wanted}" if stated else "no default class is stated"
        notes.append(
            Note(
                "lost",
                "htb default",
                f"{one}: {reason}, so that packets that no filter classifies pass unshaped",
            )
        )
    return notes


def _put(tree: Tree, dev: str, parent: str) -> None:
    place = " ".join([*(["dev", dev] if dev else []), "parent", parent])
    tree.queues.append(Queue("pfifo", place, {}, [], dev, parent, ""))


def _bucket(options: Mapping[str, str]) -> dict[str, str]:
    """The limit of a token bucket's own queue in bytes: as stated, or the bytes sent within its latency, and the burst
    (tc-tbf(8))."""
    if "limit" in options:
        return {"limit": options["limit"]}
    burst = next((options[key] for key in ("burst", "buffer", "maxburst") if key in options), "0")
    if "latency" not in options or "rate" not in options:
        return {}
    return {"limit": f"{round(tc.time(options['latency']) * tc.rate(options['rate']) / 8) + tc.size(burst)}"}
