"""A configuration with its queue replaced: everything else, such as shapers, parents and names of classes, stays."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .model import Export, Import

#: What tc calls a discipline, where that is another word.
_TC_KINDS = {"droptail": ("pfifo", "bfifo", "pfifo_head_drop"), "ared": ("red",)}
#: The lines of an IOS class that say how its queue drops.
_IOS_QUEUE = re.compile(r"\s*(random-detect|queue-limit|fair-queue)\b")


def rewritten(text: str, found: Import, made: Export, *, name: str | None = None) -> tuple[str, bool]:
    """The text with ``made`` in place of ``found``.

    Args:
        text: The configuration.
        found: The queue in it.
        made: The queue to put there.
        name: The policy or class of ``found``, if it was named.

    Returns:
        The new text and True; where the text has no such commands (it was printed by a box, or its form is not
        rewritten), the commands of the new queue alone and False.
    """
    maker = {"linux": _linux, "ios": _ios}.get(found.box)
    lines = None if maker is None else maker(text.splitlines(), found, made, name)
    if lines is None:
        return made.text, False
    return "\n".join(lines) + ("\n" if text.endswith("\n") else ""), True


def _linux(lines: list[str], found: Import, made: Export, name: str | None) -> list[str] | None:
    """The queue's own command with other words after its parent and handle."""
    words = "|".join(_TC_KINDS.get(found.discipline, (found.discipline,)))
    pattern = re.compile(rf"^(.*\bqdisc\s+(?:add|replace|change)\b.*?)\s({words})\b(?!:).*$")
    matches = [(i, one) for i, line in enumerate(lines) if (one := pattern.match(line.split("#")[0]))]
    if len(matches) != 1 or any(line.rstrip().endswith("\\") for line in lines):
        return None
    number, match = matches[0]
    commands = made.text.strip().splitlines()
    own = re.search(r"\shandle \S+ (.*)$", commands[-1])
    dev = re.search(r"\bdev (\S+)", match[1])
    if own is None or dev is None:
        return None
    if len(commands) > 1 or found.params.get("bandwidth"):
        # The old queue was at the root; shaper and queue take its place.
        new = [re.sub(r"\bdev \S+", f"dev {dev[1]}", one) for one in commands]
    else:
        head = re.sub(r"\bqdisc\s+(add|change)\b", "qdisc replace", match[1])
        new = [f"{head} {own[1]}"]
    return [*lines[:number], *new, *lines[number + 1 :]]


def _ios(lines: list[str], found: Import, made: Export, name: str | None) -> list[str] | None:
    """The queue's lines within its class."""
    classes: dict[str, list[int]] = {}
    for title, number in _class_lines(lines):
        classes.setdefault(title, []).append(number)
    dropping = {title: [n for n in some if _IOS_QUEUE.match(lines[n])] for title, some in classes.items()}
    dropping = {title: some for title, some in dropping.items() if some}
    weighted = [title for title, some in dropping.items() if any("random-detect" in lines[n] for n in some)]
    if name is None:
        chosen = next(iter(weighted or dropping), None)
    else:
        chosen = next((title for title in dropping if name in (title, *title.split("/"))), None)
    if chosen is None:
        return None
    old = dropping[chosen]
    indent = re.match(r"\s*", lines[old[0]])
    new = [
        f"{indent[0] if indent else ''}{line.strip()}"
        for line in made.text.splitlines()
        if _IOS_QUEUE.match(line)
    ]
    kept: list[str] = []
    for i, line in enumerate(lines):
        kept += new if i == old[0] else []
        kept += [] if i in old else [line]
    return kept


def _class_lines(lines: list[str]) -> Iterator[tuple[str, int]]:
    """(POLICY/CLASS, number) of every line within a class of a policy map."""
    policy = inner = ""
    for number, line in enumerate(lines):
        if found := re.match(r"\s*policy-map\s+(\S+)", line):
            policy, inner = found[1], ""
        elif found := re.match(r"\s*class\s+(\S+)", line):
            inner = found[1] if policy else ""
        elif re.match(r"\S", line):
            policy = inner = ""
        elif policy and inner:
            yield f"{policy}/{inner}", number
