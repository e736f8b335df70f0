"""Queues of VyOS and of dummynet replaced in the commands that configure them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import dummynet, vyos
from .model import Export, Import

#: Options of a class of VyOS's shaper that are about its queue.
VYOS_QUEUE = (
    "queue-type", *vyos.WORDS, *vyos.TIMES, "average-packet", "mark-probability", "maximum-threshold",
    "minimum-threshold",
)  # fmt: skip
#: Policies of VyOS that are one queue without a rate, and those that hold a rate.
_VYOS_POLICIES = ("fq-codel", "fair-queue", "drop-tail", "random-detect", "priority", "priority-queue")
_VYOS_RATED = ("cake", "rate-control")
#: Words of a dummynet command: those about its queue that have a value, those about its queue without one, and other
#: words with a value.
_DUMMYNET_VALUES = (
    "queue",
    "red",
    "gred",
    "type",
    *{word for words in dummynet.AQM.values() for word in words},
)
_DUMMYNET_FLAGS = ("ecn", "noecn", "codel", "pie", "fq_codel", "fq_pie")
_DUMMYNET_OTHERS = ("bw", "bandwidth", "delay", "plr", "pipe", "sched", "weight", "lmax", "buckets", "mask")


def continued(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """The commands of a script with the numbers of their first and last lines; a backslash continues a line."""
    first, held = 0, ""
    for number, line in enumerate(lines):
        first = first if held else number
        held = f"{held} {line.strip()}" if held else line
        if line.rstrip().endswith("\\") and number < len(lines) - 1:
            held = held.rstrip()[:-1].rstrip()
            continue
        yield first, number, held
        held = ""


def of_vyos(text: str, queue: Import, exported: Export) -> str | None:
    """The ``set`` lines of a policy, or of a class of a shaper, with another queue; None without such lines, and for
    policies whose rate a new one would lose."""
    lines = text.splitlines()
    name, _, part = queue.title.partition("/")
    old: list[int] = []
    kept: list[str] = []
    before = root = ""
    for number, line in enumerate(lines):
        prefix, words = _policy(line)
        if not prefix or words[1:2] != [name]:
            continue
        if part and words[0] == "shaper" and words[2 : 2 + len(part.split())] == part.split():
            before, root = prefix, f"shaper {name} {part}"
            option = words[2 + len(part.split()) :][:1]
            old += [number] if option and option[0] in VYOS_QUEUE else []
            last = number
        elif not part and words[0] in replaceable(exported):
            before, root = prefix, f"{_kind(exported)} {name}"
            old.append(number)
            kept += [" ".join(words[2:])] if words[2:3] == ["description"] else []
            last = number
    if not root:
        return None
    new = [_renamed(one, before, name) for one in exported.text.splitlines() if " policy " in one]
    new = new or [f"{before} {root}"]
    new += [f"{before} {root} {one}" for one in kept]
    at = old[0] if old else last + 1
    after = [*lines[:at], *new, *(line for i, line in enumerate(lines[at:], at) if i not in old)]
    return "\n".join(after) + ("\n" if text.endswith("\n") else "")


def replaceable(exported: Export) -> tuple[str, ...]:
    """The kinds of VyOS policies whose place a new queue can take: those with a rate only if it has one too."""
    return (*_VYOS_POLICIES, *(_VYOS_RATED if " bandwidth " in exported.text else ()))


def _kind(exported: Export) -> str:
    """The kind of policy of an export."""
    first = next((line.split() for line in exported.text.splitlines() if " policy " in line), [])
    return first[3] if first else vyos.KINDS[exported.discipline]


def _policy(line: str) -> tuple[str, list[str]]:
    """The words of a ``set`` line before and after the kind of its policy; "" for other lines."""
    match = re.match(r"\s*(set qos policy|set traffic-policy)\s+(.*)$", line)
    return (match[1], [word.strip("'\"") for word in match[2].split()]) if match else ("", [])


def _renamed(line: str, before: str, name: str) -> str:
    """A line of an export with the first words and the policy's name of the text."""
    return re.sub(r"\bDROPCURVE\b", name, line.replace("set qos policy", before, 1))


def of_dummynet(text: str, queue: Import, exported: Export) -> str | None:
    """The command of a pipe, queue or scheduler with other words about its queue; None where the new queue needs
    commands of its own."""
    what, _, number = queue.title.partition(" ")
    scheduled = exported.discipline in ("fq_codel", "fq_pie")
    if (what == "sched" and not scheduled) or (what == "queue" and scheduled) or "\\\n" in text:
        return None
    wanted = next(one for one in exported.text.splitlines() if (" sched " in one) == scheduled)
    new = list(_queue_words(wanted.partition(" config ")[2].split(), own=True))
    # A pipe keeps its rate and delay, and gets a scheduler with a queue.
    below = exported.text.splitlines()[1:] if what == "pipe" and scheduled else []
    new = [] if below else new
    lines = text.splitlines()
    for i, line in enumerate(lines):
        code, mark, comment = line.partition("#")
        match = dummynet.COMMAND.search(code)
        if match is None or (match[1], match[2]) != (what, number):
            continue
        words = [*_queue_words(match[3].split(), own=False), *new]
        lines[i] = f"{code[: match.start(3)]} {' '.join(words)}{f' {mark}{comment}' if mark else ''}"
        # The new commands begin as this one, which may have another program or none.
        lines[i + 1 : i + 1] = [f"{code[: match.start(1)]}{one.removeprefix('ipfw ')}" for one in below]
        return "\n".join(lines) + ("\n" if text.endswith("\n") else "")
    return None


def _queue_words(words: list[str], *, own: bool) -> Iterator[str]:
    """The words of a command that are about its queue, or the others."""
    i = 0
    while i < len(words):
        mine = words[i] in (*_DUMMYNET_VALUES, *_DUMMYNET_FLAGS)
        size = 2 if words[i] in (*_DUMMYNET_VALUES, *_DUMMYNET_OTHERS) else 1
        if mine == own:
            yield from words[i : i + size]
        i += size
