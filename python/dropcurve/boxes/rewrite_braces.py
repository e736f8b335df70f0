"""Queues of VyOS and of Junos replaced in configurations in braces."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from .braces import Edits, New, block, parsed
from .model import Export, Import
from .rewrite_lines import VYOS_QUEUE, replaceable

#: Statements of a Junos scheduler that are about its queue.
_JUNOS_QUEUE = ("buffer-size", "drop-profile-map")
_JUNOS_ECN = "explicit-congestion-notification"
#: Options of a VyOS policy that have options of their own.
_VYOS_NODES = ("default", "flow-isolation")


def of_vyos(text: str, queue: Import, exported: Export) -> str | None:
    """The tree of a VyOS configuration with another queue; None without the policy in it."""
    name, _, part = queue.title.partition("/")
    top, edits = parsed(text, by_line=True), Edits(text, by_line=True)
    rows = [line.split()[3:] for line in exported.text.splitlines() if " policy " in line]
    if part:
        own = block(top, ["shaper", name, *part.split()])
        if own is None:
            return None
        new = [words[2 + len(part.split()) :] for words in rows]
        old = [one for one in own.inner if one.first in VYOS_QUEUE]
    else:
        own = block(top, *([kind, name] for kind in replaceable(exported)))
        if own is None or not rows or len(own.words) != 2:
            return None
        edits.replace(own.start, own.open, f"{rows[0][0]} {name} ")
        new = [words[2:] for words in rows]
        old = [one for one in own.inner if one.first != "description"]
    for one in old:
        edits.remove(one)
    edits.insert(own, _nested(new))
    return edits.result()


def _nested(options: Sequence[list[str]]) -> list[New]:
    """Options of a policy as statements; those of one node together."""
    statements: list[New] = []
    for node, some in groupby(
        [one for one in options if one], key=lambda one: one[0] if one[0] in _VYOS_NODES else ""
    ):
        if node:
            statements.append(([node], [(one[1:], None) for one in some]))
        else:
            statements += [(one, None) for one in some]
    return statements


def of_junos(
    text: str, queue: Import, statements: Sequence[str], unused: Sequence[str], *, shaper: str = ""
) -> str | None:
    """The stanzas of a Junos configuration with another queue.

    Args:
        text: The configuration.
        queue: The queue in it.
        statements: The ``set`` lines of the new scheduler and its drop profiles, under the names of the text.
        unused: Names of the drop profiles that no queue uses any more.
        shaper: Rate in bit/s that the interface of the queue is shaped to; "" for none.

    Returns:
        The new text; None if the scheduler is not in it.
    """
    top, edits = parsed(text, by_line=False), Edits(text, by_line=False)
    own = block(top, ["schedulers", queue.title])
    if own is None:
        return None
    rows = [line.split()[2:] for line in statements]
    new: list[New] = [(words[2:], None) for words in rows if words[0] == "schedulers"]
    marks = any(words[0] == _JUNOS_ECN for words, _ in new)
    for one in own.inner:
        if one.first in _JUNOS_QUEUE or (marks and one.first == _JUNOS_ECN):
            edits.remove(one)
    edits.insert(own, new)
    for path, one in top.walk() if shaper and queue.dev else ():
        if (
            "interfaces" in path
            and queue.dev in path
            and any(each.first == "scheduler-map" for each in one.inner)
        ):
            edits.insert(one, [(["shaping-rate", shaper], None)])
    profiles = _profiles([words[1:] for words in rows if words[0] == "drop-profiles"])
    held = block(top, ["drop-profiles"])
    for one in held.inner if held else []:
        if one.first in unused:
            edits.remove(one)
    if profiles and held is not None:
        edits.insert(held, profiles)
    elif profiles:
        around = block(top, ["class-of-service"]) or top
        edits.insert(around, [(["drop-profiles"], profiles)], first=True)
    return edits.result()


def _profiles(rows: Sequence[list[str]]) -> list[New]:
    """Drop profiles as statements, from their name and words."""
    profiles: list[New] = []
    for name, some in groupby(rows, key=lambda one: one[0]):
        points: list[New] = []
        for node, inner in groupby([one[1:] for one in some], key=lambda one: one[0] == "interpolate"):
            lines: list[New] = [(one[1:] if node else one, None) for one in inner]
            points += [(["interpolate"], lines)] if node else lines
        profiles.append(([name], points))
    return profiles
