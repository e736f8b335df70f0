"""Parses ``tc`` commands and the output of ``tc qdisc show``, text or JSON, into queues with options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from . import tc_filters
from .model import Note, json_of
from .numbers import fit, one_of, real, whole
from .policers import elsewhere, of_filter
from .tc_tree import CONTAINERS, UNNAMED, Branch, Queue, Tree, branch, check, expanded, rate_in

#: Options of a queue without a value.
FLAGS = {
    "ecn", "noecn", "harddrop", "nodrop", "adaptive", "adaptative", "bytemode", "nobytemode",
    "dq_rate_estimator",
    "no_dq_rate_estimator", "grio", "drop_on_overload", "overflow", "drop_enqueue", "drop_dequeue",
    "split_gso",
    "no_split_gso", "any_ect", "l4s_ect", "headdrop", "setup",
    "unlimited", "besteffort", "precedence", "diffserv8", "diffserv4", "diffserv3", "flowblind",
    "srchost", "dsthost", "hosts",
    "flows", "dual-srchost", "dual-dsthost", "triple-isolate", "nat", "nonat", "wash", "nowash", "ack-filter",
    "ack-filter-aggressive", "no-ack-filter", "ingress", "egress", "split-gso", "no-split-gso", "atm",
    "noatm", "ptm", "raw",
    "conservative", "ethernet", "docsis", "autorate-ingress", "datacentre", "lan", "metro", "regional",
    "internet", "oceanic",
    "satellite", "interplanetary", "ether-vlan", "pppoa-vcmux", "pppoa-llc", "pppoe-vcmux", "pppoe-llcsnap",
    "bridged-vcmux", "bridged-llcsnap", "ipoa-vcmux", "ipoa-llcsnap", "pppoe-ptm", "bridged-ptm",
}  # fmt: skip
#: Verbs of commands that do not configure a queue.
NOT_SET = ("del", "delete", "show", "list", "ls", "lst", "get", "flush")
#: Kinds of queue in which the word "flows" takes a value; it is a flag of the others.
VALUED_FLOWS = {"fq_codel", "fq_pie", "sfq"}
#: Types in the output of ``tc -j qdisc show``.
_ROWS = [
    {"kind": str, "dev?": str, "root?": bool, "parent?": str, "handle?": str, "options?": {"vqs?": [dict]}}
]


def tree(text: str, origin: str) -> Tree:
    """All queues and classes of a text, in its order. Raises ScenarioError, or UsageError if it is not a command."""
    if text.lstrip().startswith("["):
        return _from_json(text, origin)
    parsed = Tree()
    for number, line in _single(text, origin):
        words = line.replace('"', "").split()
        while words and words[0] in ("sudo", "-", "do", "then", "else", "{", "("):
            words.pop(0)
        command = bool(words) and re.fullmatch(r"(?:\S*/)?tc|\$\{?TC\}?", words[0]) is not None
        if command:
            words = [word for word in words[1:] if not word.startswith("-")]
        elif words and words[0] in ("qdisc", "class", "filter"):
            pass
        elif not words or words[0] not in ("htb", "hfsc", "vq"):
            continue
        _take(parsed, words, number, command=command)
    return parsed


def _single(text: str, origin: str) -> Iterator[tuple[int, str]]:
    """Every command of a script with the number of its line, without comments and redirections."""
    for number, line in expanded(text, origin):
        code = re.sub(r"\s(?:\d|&)?>>?\s*&?[^\s;&|]+", "", line.split("#")[0])
        yield from ((number, one) for one in re.split(r";|&&|\|\|?|&", code))


def _take(tree: Tree, words: list[str], number: int, *, command: bool) -> None:
    """Enters one line of the text."""
    if not words:
        return
    if words[0] in ("qdisc", "class") and len(words) > 1 and words[1] not in NOT_SET:
        check(words, number)
    if words[0] == "filter" and words[1:2] and words[1] not in NOT_SET:
        if "police" in words:
            tree.notes += elsewhere([of_filter(words, number)])
        if (into := tc_filters.parsed(words)) is not None:
            tree.filters.append(into)
    elif words[0] == "class":
        if words[1:2] and words[1] not in NOT_SET:
            tree.branches.append(branch(words[1:]))
    elif words[0] in ("htb", "hfsc"):
        tree.branches.append(branch(words))
    elif words[0] == "qdisc":
        queue = _parse(words[1:])
        if queue is not None:
            _enter(tree, queue, words)
    elif words[0] == "vq" and tree.queues and tree.queues[-1].kind == "gred":
        tree.queues[-1].virtual.append({"DP": one_of(words, 1), **_options("gred", words[2:])})


def _enter(tree: Tree, queue: Queue, words: list[str]) -> None:
    """Enters a queue, a shaper, or a line that adds to the queue before it."""
    last = tree.queues[-1] if tree.queues else None
    if queue.kind == "gred" and "DP" in queue.options and last is not None and last.kind == "gred":
        last.virtual.append(queue.options)
        return
    if queue.kind in ("htb", "tbf", "hfsc") and (rate := rate_in(words, "rate")) is not None:
        tree.branches.append(Branch(queue.dev, queue.handle or UNNAMED, queue.parent, rate, rate))
    if queue.kind == "netem":
        tree.notes.append(Note("lost", "netem", f"{queue}: its delay and loss are not simulated"))
    elif CONTAINERS.get(queue.kind):
        tree.notes.append(Note("lost", queue.kind, f"{queue.place}: {CONTAINERS[queue.kind]}"))
    # A later change of the queue at the same interface and parent replaces the earlier one.
    tree.queues[:] = [
        other for other in tree.queues
        if (other.dev, other.place) != (queue.dev, queue.place) or not queue.place or other.kind != queue.kind
        or "change" not in words
    ]  # fmt: skip
    tree.queues.append(queue)


def _parse(words: list[str]) -> Queue | None:
    """``add dev eth0 root handle 1: red limit ...`` or ``red 8001: dev eth0 root refcnt 2 limit ...``."""
    if not words or words[0] in NOT_SET:
        return None
    command = words[0] in ("add", "replace", "change", "link")
    rest, place = words[1:] if command else words[2:], []
    kind = "" if command else words[0]
    at = {"handle": "" if command else one_of(words, 1)}
    while rest:
        if rest[0] in ("dev", "parent", "handle", "refcnt", "estimator"):
            if rest[0] in ("dev", "parent"):
                place += rest[:2]
            at[rest[0]] = one_of(rest, 1)
            rest = rest[2:]
        elif rest[0] in ("root", "offloaded", "ingress", "clsact"):
            place.append(rest[0])
            rest = rest[1:]
        elif rest[0] == "stab":
            rest = _after_stab(rest[1:])
        else:
            break
    if command:
        if not rest:
            return None
        kind, rest = rest[0], rest[1:]
    return Queue(
        kind, " ".join(place), _options(kind, rest), [], at.get("dev", ""), at.get("parent", ""), at["handle"]
    )


def _after_stab(words: list[str]) -> list[str]:
    """The words after a size table."""
    keys = ("mtu", "tsize", "mpu", "overhead", "linklayer", "size_log", "cell_log")
    while words and words[0] in keys:
        words = words[2:]
    return words


def _options(kind: str, words: list[str]) -> dict[str, str]:
    options: dict[str, str] = {}
    i = 0
    while i < len(words):
        word = words[i]
        flag = word in FLAGS and not (word == "flows" and kind in VALUED_FLOWS)
        # Of words that exclude each other tc takes the last.
        options.pop(word, None)
        if flag or i + 1 == len(words):
            options[word] = ""
            i += 1
        else:
            options[word] = words[i + 1]
            i += 2
    return options


def _from_json(text: str, origin: str) -> Tree:
    """``tc -j qdisc show``: sizes in bytes, times in microseconds, rates in bytes a second."""
    rows = fit(json_of(text, origin=origin), _ROWS, "rows", origin=origin)
    parsed = Tree()
    for row in rows:
        options = row.get("options", {})
        dev, parent, handle = row.get("dev", ""), row.get("parent", ""), row.get("handle", "")
        if row["kind"] in ("htb", "tbf", "hfsc") and "rate" in options:
            rate = 8.0 * real(options["rate"], f"{row['kind']} rate", origin=origin)
            parsed.branches.append(Branch(dev, handle, parent, rate, rate))
        flat = {
            {"dp_cnt": "DPs", "dp_default": "default"}.get(key, key): ""
            if value is True
            else _plain(row["kind"], key, value, origin)
            for key, value in options.items()
            if value is not False and not isinstance(value, list)
        }
        if (filtered := flat.pop("ack-filter", "disabled")) != "disabled":
            flat["ack-filter-aggressive" if filtered == "aggressive" else "ack-filter"] = ""
        for key in ("diffserv", "flowmode", "atm"):
            if key in flat:
                flat[flat.pop(key)] = ""
        if options.get("split_gso") is False:
            flat["no-split-gso"] = ""
        words = [*(["dev", dev] if dev else []), *(["root"] if row.get("root") else []),
                 *(["parent", parent] if parent else [])]  # fmt: skip
        virtual = [
            {
                {"vq": "DP"}.get(key, key): "" if value is True else str(value)
                for key, value in vq.items()
                if value is not False
            }
            for vq in options.get("vqs", [])
        ]
        parsed.queues.append(Queue(row["kind"], " ".join(words), flat, virtual, dev, parent, handle))
    return parsed


def _plain(kind: str, key: str, value: Any, origin: str) -> str:
    if key == "bandwidth" and not isinstance(value, str):
        return f"{8 * whole(value, f'{kind} {key}', origin=origin)}bit"
    if kind in ("codel", "fq_codel") and key in ("target", "interval", "ce_threshold"):
        value = whole(value, f"{kind} {key}", origin=origin)
        # CoDel's clock shows 4999 us where 5000 was typed.
        stated = next(
            us
            for us in (value + 1, value, value + 2)
            if us * 1000 // 1024 * 1024 // 1000 == value or us == value + 2
        )
        return f"{stated}us"
    if kind == "sfb" and key in ("rehash", "db"):
        return f"{value}us"
    return str(value)


def looks_like(text: str) -> bool:
    """Whether a text is of this kind."""
    return bool(
        re.search(
            r"(?:^|[;&|]|\bdo|\bthen)\s*(?:sudo\s+)?(?:\S*\btc\s|\$\{?TC\}?\s|qdisc\s)", text, re.MULTILINE
        )
    ) or (text.lstrip().startswith("[") and '"kind"' in text)
