"""Queues of Linux replaced in the commands that configure them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import tc, tc_cake, tc_delay
from .model import Export, Import
from .numbers import word_after
from .rewrite_lines import continued

#: Names of disciplines in tc, where they differ from those of scenarios; a token bucket without a queue of its own, and
#: the default queue of an interface, are tail drop.
_KINDS = {
    "droptail": ("pfifo", "bfifo", "pfifo_head_drop", "pfifo_fast", "tbf"), "ared": ("red",),
    "cobalt": ("cobalt", "cake"),
}  # fmt: skip
#: The beginning of a command, which may have ``sudo``, a path or a variable in place of tc, or nothing in a batch file.
_RUN = r"(?P<run>(?:sudo\s+)?(?:(?:[\w./-]*\btc|\"?\$\{?TC\}?\"?)\s+(?:-\w+\s+)*)?)"
#: The words of a command, up to the end of its line, a comment, a redirection or another command.
_WORDS = r"(?P<words>(?:(?!\s*(?:\d?>|[;|#&]))[^\n])*)"
_QUEUE = re.compile(rf"(?<![\w$]){_RUN}qdisc\s+(?:add|replace|change|link)\s+{_WORDS}")
_CLASS = re.compile(rf"(?<![\w$]){_RUN}(?:qdisc|class)\s+(?:add|replace|change)\s+{_WORDS}")


@dataclass(frozen=True)
class _Command:
    """A command of the text: its first and last line, what stands before and after it there, how tc is called, and its
    words up to the kind of queue and from there on."""

    first: int
    last: int
    before: str
    after: str
    run: str
    head: str
    kind: str


def of_linux(text: str, queue: Import, exported: Export) -> str | None:
    """The text with the new queue in place of the commands of the old one, or after those of its class where the kernel
    has put the old one there; None if a box printed the text, and where the new queue needs a shaper that its place
    cannot have."""
    lines = text.splitlines()
    if queue.discipline == "policer":
        return _instead_of_ingress(lines, queue, exported, text)
    export_lines = exported.text.strip().splitlines()
    own = re.search(r"\shandle \S+ (.*)$", export_lines[-1])
    if own is None:
        return None
    commands, words = list(_commands(lines, queue)), own[1]
    if queue.discipline == "cake" and words.startswith("cake "):
        words = tc_cake.defaults(words, queue.params)
    if queue.discipline == "fq_codel" and words.startswith("fq_codel "):
        words = tc_delay.fq_codel_defaults(words, queue.params)
    if not commands:
        return _added(lines, queue, words, text) if len(export_lines) == 1 else None
    head = commands[0].head
    dev = word_after(head.split(), "dev")
    if len(export_lines) > 1 or commands[0].kind == "tbf":
        # Shaper and queue together take the place of the root alone: elsewhere they would replace the queues around.
        if "root" not in head.split() or not dev:
            return None
        new = [re.sub(r"\bdev \S+", f"dev {dev}", one).removeprefix("tc ") for one in export_lines]
    else:
        new = [f"qdisc replace {head.strip()} {words}"]
    return _joined(_replaced(lines, commands, new), text)


def _commands(lines: Sequence[str], queue: Import) -> Iterator[_Command]:
    """The commands that set up a queue, the first one and changes of it."""
    kinds = "|".join(_KINDS.get(queue.discipline, (queue.discipline,)))
    candidates = []
    for first, last, line in continued(list(lines)):
        for match in _QUEUE.finditer(line):
            words = re.match(rf"(.*?)(?<!\S)({kinds})(?!\S)", match["words"])
            if words and "#" not in line[: match.start()]:
                before, after = line[: match.start()], line[match.end() :]
                candidates.append(_Command(first, last, before, after, match["run"], words[1], words[2]))
    there = [one for one in candidates if _at(one.head, queue.title)]
    # A text may state the place of its only queue in another way than the title.
    yield from there or (candidates if len(candidates) == 1 else [])


def _replaced(lines: Sequence[str], commands: Sequence[_Command], new: Sequence[str]) -> list[str]:
    """The lines with new commands in place of the first, and without the others."""
    first = commands[0]
    called = [f"{first.run}{one}" for one in new]
    called[0], called[-1] = f"{first.before}{called[0]}", f"{called[-1]}{first.after}"
    places = {first.first: called}
    for one in commands[1:]:
        rest = f"{one.before}{one.after}".strip(" \t;&|")
        places[one.first] = [rest] if rest and not rest.startswith("#") else []
    kept: list[str] = []
    gone = {number for one in commands for number in range(one.first, one.last + 1)}
    for number, line in enumerate(lines):
        kept += places.get(number, []) if number in gone else [line]
    return kept


def _added(lines: Sequence[str], queue: Import, words: str, text: str) -> str | None:
    """The text with a queue in a class, or in a band, that has the default one of the kernel."""
    parent = word_after(queue.title.split(), "parent")
    if not parent:
        return None
    around = f"{parent.partition(':')[0]}:"
    best = None
    for _, last, line in continued(list(lines)):
        for match in _CLASS.finditer(line.split("#")[0]):
            held = match["words"].split()
            of_class = word_after(held, "classid") == parent
            of_bands = word_after(held, "handle") == around and best is None
            if (of_class or of_bands) and _same(
                word_after(held, "dev"), word_after(queue.title.split(), "dev")
            ):
                best = last, match["run"], word_after(held, "dev"), re.match(r"\s*", line)
    if best is None:
        return None
    last, run, dev, indent = best
    added = f"{indent[0] if indent else ''}{run}qdisc replace dev {dev} parent {parent} {words}"
    return _joined([*lines[: last + 1], added, *lines[last + 1 :]], text)


def _at(head: str, title: str) -> bool:
    """Whether the head of a command, which may contain shell variables, names the interface and parent ``title``."""
    place, wanted = _place(head), _place(title)
    return len(place) == len(wanted) and all(map(_same, place, wanted))


def _place(text: str) -> list[str]:
    """Interface and parent of a command or a title, in this order."""
    words = text.replace('"', "").split()
    named = [word for key in ("dev", "parent") for word in [word_after(words, key)] if word]
    return [*named, *(["root"] if "root" in words else [])]


def _same(one: str, other: str) -> bool:
    return one == other or "$" in one


def commands_alone(text: str, queue: Import, exported: Export) -> str:
    """The commands of a new queue in the place of the old one."""
    if queue.discipline == "policer":
        return _instead_of_filter(text, queue, exported)
    parent = word_after(queue.title.split(), "parent")
    if not parent or len(exported.text.strip().splitlines()) > 1:
        return exported.text
    return re.sub(r"\broot handle \S+", f"parent {parent}", exported.text)


def _instead_of_ingress(lines: Sequence[str], queue: Import, exported: Export, text: str) -> str | None:
    """The text with a queue on a device of its own in place of the filter that polices arriving packets; None for a
    policer of another place."""
    at = int(queue.title.split()[-1]) - 1
    dev = word_after(lines[at].split(), "dev")
    if not queue.title.startswith("ingress") or not dev or "$" in dev or lines[at].rstrip().endswith("\\"):
        return None
    run = re.match(rf"\s*{_RUN}", lines[at])
    called = run["run"] if run else "tc "
    export_lines = [
        one for one in tc.ingress(exported.text, wan=dev).splitlines() if not one.endswith(" ingress")
    ]
    new = [f"{called}{one.removeprefix('tc ')}" if one.startswith("tc ") else one for one in export_lines]
    return _joined([*lines[:at], *new, *lines[at + 1 :]], text)


def _instead_of_filter(text: str, queue: Import, exported: Export) -> str:
    """Commands that remove the filter of a policer and queue what it polices."""
    number = int(queue.title.split()[-1])
    line = text.splitlines()[number - 1]
    words = line.split()
    dev = word_after(words, "dev") or "eth0"
    if queue.title.startswith("ingress"):
        return f"tc qdisc del dev {dev} ingress\n{tc.ingress(exported.text, wan=dev)}"
    removed = re.sub(r"\bfilter (?:add|replace|change)\b", "filter del", line.strip())
    kept = re.sub(r"\s(?:police|action)\s.*$", "", removed)
    return f"{kept}\n" + re.sub(r"\bdev eth0\b", f"dev {dev}", exported.text)


def _joined(lines: Sequence[str], text: str) -> str:
    return "\n".join(lines) + ("\n" if text.endswith("\n") else "")
