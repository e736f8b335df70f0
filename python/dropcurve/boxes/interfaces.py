"""The interface that a configuration puts each of its queues on."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import junos_read, mikrotik_read, openbsd, pf, sqm, vyos
from .ios_policy import policies
from .model import DEVICE, json_of


def of_queue(box: str, text: str, title: str) -> str:
    """The name of an interface.

    Args:
        box: The kind of the text.
        text: The configuration.
        title: Title of the queue in it.

    Returns:
        The interface; "" where the text names none, a pattern, or several for the same queue.
    """
    reader = _READERS.get(box)
    names = {one for one in reader(text, title) if one} if reader else set[str]()
    name = names.pop() if len(names) == 1 else ""
    return name if DEVICE.fullmatch(name) else ""


def _linux(_: str, title: str) -> Iterator[str]:
    """The word after ``dev`` in the place that is the title."""
    words = title.split()
    yield from (after for word, after in itertools.pairwise(words) if word == "dev")


def _ios(text: str, title: str) -> Iterator[str]:
    """The interface that the outermost policy around a class is attached to."""
    held = policies(text)
    for block in held.blocks:
        if block.title == title:
            yield held.interface(block)


def _junos(text: str, title: str) -> Iterator[str]:
    """The interfaces whose scheduler map has a scheduler."""
    lines = [words for words in junos_read.statements(text) if words]
    maps = {
        words[words.index("scheduler-maps") + 1]
        for words in lines
        if "scheduler-maps" in words[:-1] and words[-2:] == ["scheduler", title]
    }
    for words in lines:
        if words[-2:-1] == ["scheduler-map"] and words[-1] in maps and "interfaces" in words[:-1]:
            yield words[words.index("interfaces") + 1]


def _sonic(text: str, title: str) -> Iterator[str]:
    """The ports of the queues that use a profile."""
    for key, one in _table(json_of(text), "QUEUE").items():
        if isinstance(one, dict) and _bare(one.get("wred_profile")) == title:
            yield from key.rpartition("|")[0].split(",")


def _bare(name: object) -> str:
    return re.sub(r"^\[WRED_PROFILE\|(.*)\]$", r"\1", name) if isinstance(name, str) else ""


def _table(tree: Any, key: str) -> dict[str, Any]:
    held = tree.get(key) if isinstance(tree, dict) else None
    return held if isinstance(held, dict) else {}


def _openconfig(text: str, title: str) -> Iterator[str]:
    """The interfaces with a queue that uses a profile."""
    for one in _objects(json_of(text)):
        name = one.get("interface-id")
        used = [inner.get("queue-management-profile") for inner in _objects(one)]
        if isinstance(name, str) and title in used:
            yield name


def _objects(tree: Any) -> Iterator[dict[str, Any]]:
    """Every object in a tree, this one first, with keys without their prefixes."""
    if isinstance(tree, dict):
        yield {key.rpartition(":")[2]: value for key, value in tree.items()}
    for one in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _objects(one)


def _mikrotik(text: str, title: str) -> Iterator[str]:
    """The interface itself, or the outermost parent of a tree."""
    entries = list(mikrotik_read.menu_entries(text))
    yield from (
        one.values[""] for one in entries if one.menu == "queue interface" and one.values.get("") == title
    )
    trees = {
        one.values.get("name", ""): one.values.get("parent", "")
        for one in entries
        if one.menu == "queue tree"
    }
    at, seen = trees.get(title, ""), set[str]()
    while at in trees and at not in seen:
        seen.add(at)
        at = trees[at]
    # The parents global and global-out of RouterOS are no interfaces.
    yield "" if at.startswith("global") else at


def _vyos(text: str, title: str) -> Iterable[str]:
    """The interfaces that a policy is attached to."""
    return vyos.interfaces(text, title.partition("/")[0])


def _altq(text: str, title: str) -> Iterator[str]:
    """The interface of the ALTQ statement around a queue."""
    held = pf.statements(text)
    queues = {one.words[1]: one for one in held if one.words[0] == "queue" and len(one.words) > 1}
    for root in (one for one in held if one.words[:2] == ("altq", "on") and len(one.words) > 2):
        waiting, seen = [*root.inside("queue"), root.after("queue") or ""], set[str]()
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            waiting += _inner(queues[name]) if name in queues else ()
        if title in (seen - {"", "{"}) or title == root.words[2]:
            yield root.words[2]


def _inner(own: pf.PfStatement) -> tuple[str, ...]:
    return own.inside(own.words[own.words.index("{") - 1]) if "{" in own.words else ()


def _openbsd(text: str, title: str) -> Iterator[str]:
    """The interface of the root above a queue."""
    yield openbsd.interface(text, title)


def _sqm(text: str, title: str) -> Iterator[str]:
    """The interface of a section."""
    name = title.rpartition(" ")[0]
    yield from (one.get("interface") for one in sqm.sections(text) if one.name == name)


_READERS: dict[str, Callable[[str, str], Iterable[str]]] = {
    "linux": _linux, "ios": _ios, "nxos": _ios, "junos": _junos, "sonic": _sonic, "openconfig": _openconfig,
    "mikrotik": _mikrotik, "vyos": _vyos, "altq": _altq, "openbsd": _openbsd, "sqm": _sqm,
}  # fmt: skip
