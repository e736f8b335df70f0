"""Takes ``tc`` commands, and what ``tc qdisc show`` prints, apart into queues with options; as text or JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from . import tc_numbers as tc
from .model import json_of
from .numbers import fit, one_of, real, whole

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
#: Kinds whose words "flows" and the like take a value.
VALUED_FLOWS = {"fq_codel", "fq_pie", "sfq"}
#: Queues that shape, and hold another.
SHAPERS = {"htb", "tbf", "hfsc"}


#: Types of what ``tc -j qdisc show`` prints.
_ROWS = [{"kind": str, "dev?": str, "root?": bool, "options?": {"vqs?": [dict]}}]


@dataclass
class Queue:
    """One queue of the text: its kind, its place, its options (a flag has the value "")."""

    kind: str
    place: str
    options: dict[str, str]
    virtual: list[dict[str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.kind} {self.place}".strip()


def queues(text: str, origin: str) -> tuple[list[Queue], float | None]:
    """Queues in the order of the text, and the rate of a shaper among them."""
    if text.lstrip().startswith("["):
        return _from_json(text, origin)
    found: list[Queue] = []
    rate: float | None = None
    for line in re.sub(r"\\\n", " ", text).splitlines():
        words = line.split("#")[0].split()
        while words and words[0] in ("sudo", "-"):
            words.pop(0)
        if not words:
            continue
        if words[0].endswith("tc"):
            words = [word for word in words[1:] if not word.startswith("-")]
        if not words:
            continue
        if words[0] in ("class", "htb", "hfsc"):
            rate = _rate_of(words) or rate
        elif words[0] == "qdisc":
            one = _parse(words[1:])
            if one is None:
                continue
            if one.kind in SHAPERS:
                rate = _rate_of(words) or rate
            elif one.kind == "gred" and "DP" in one.options and found and found[-1].kind == "gred":
                found[-1].virtual.append(one.options)
            else:
                found.append(one)
        elif words[0] == "vq" and found and found[-1].kind == "gred":
            found[-1].virtual.append({"DP": one_of(words, 1), **_options("gred", words[2:])})
    return found, rate


def _rate_of(words: list[str]) -> float | None:
    return tc.rate(words[words.index("rate") + 1]) if "rate" in words[:-1] else None


def _parse(words: list[str]) -> Queue | None:
    """``add dev eth0 root handle 1: red limit ...`` or ``red 8001: dev eth0 root refcnt 2 limit ...``."""
    if not words or words[0] in ("show", "del", "delete", "list"):
        return None
    command = words[0] in ("add", "replace", "change", "link")
    rest, place = words[1:] if command else words[2:], []
    kind = "" if command else words[0]
    while rest:
        if rest[0] in ("dev", "parent", "handle", "refcnt", "estimator"):
            if rest[0] in ("dev", "parent"):
                place += rest[:2]
            rest = rest[2:]
        elif rest[0] in ("root", "offloaded", "ingress", "clsact"):
            place.append(rest[0])
            rest = rest[1:]
        else:
            break
    if command:
        if not rest:
            return None
        kind, rest = rest[0], rest[1:]
    return Queue(kind, " ".join(place), _options(kind, rest))


def _options(kind: str, words: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    i = 0
    while i < len(words):
        word = words[i]
        flag = word in FLAGS and not (word == "flows" and kind in VALUED_FLOWS)
        if flag or i + 1 == len(words):
            found[word] = ""
            i += 1
        else:
            found[word] = words[i + 1]
            i += 2
    return found


def _from_json(text: str, origin: str) -> tuple[list[Queue], float | None]:
    """``tc -j qdisc show``: sizes in bytes, times in microseconds, rates in bytes a second."""
    rows = fit(json_of(text, origin=origin), _ROWS, "rows", origin=origin)
    found, rate = [], None
    for row in rows:
        options = row.get("options", {})
        if row["kind"] in SHAPERS and "rate" in options:
            rate = 8.0 * real(options["rate"], f"{row['kind']} rate", origin=origin)
        flat = {
            {"dp_cnt": "DPs", "dp_default": "default"}.get(key, key): ""
            if value is True
            else _plain(row["kind"], key, value, origin)
            for key, value in options.items()
            if value is not False and not isinstance(value, list)
        }
        for key in ("diffserv", "flowmode", "ack-filter", "atm"):
            if key in flat:
                flat[flat.pop(key)] = ""
        place = " ".join(["dev", row["dev"]] if "dev" in row else []) + (" root" if row.get("root") else "")
        virtual = [
            {
                {"vq": "DP"}.get(key, key): "" if value is True else str(value)
                for key, value in vq.items()
                if value is not False
            }
            for vq in options.get("vqs", [])
        ]
        found.append(Queue(row["kind"], place.strip(), flat, virtual))
    return found, rate


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
    return bool(re.search(r"^\s*(?:\S*\btc\s|qdisc\s)", text, re.MULTILINE)) or (
        text.lstrip().startswith("[") and '"kind"' in text
    )
