"""A configuration with one of its queues replaced: everything else, such as shapers, parents and names of classes,
stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from . import altq, junos_read, openbsd, rewrite_braces, rewrite_json, rewrite_lines, rewrite_tc, sqm
from .model import Export, Import

#: The lines of an IOS class that configure the drops of its queue.
_IOS_QUEUE = re.compile(r"\s*(random-detect|queue-limit|fair-queue)\b")


def rewritten(text: str, queue: Import, exported: Export) -> tuple[str, bool]:
    """The text with ``exported`` in place of ``queue``.

    Args:
        text: The configuration.
        queue: The queue in it.
        exported: The queue to put there.

    Returns:
        The new text and True. Where the commands of the queue cannot be replaced in the text (a box printed it, or its
        form is not supported), the commands of the new queue alone, with the names of the text, and False.
    """
    writers: dict[str, Callable[[str, Import, Export], str | None]] = {
        "linux": rewrite_tc.of_linux, "ios": _ios, "nxos": _ios, "junos": _junos,
        "sonic": rewrite_json.of_sonic, "openconfig": rewrite_json.of_openconfig,
        "sqm": _sqm, "mikrotik": _mikrotik, "vyos": _vyos, "dummynet": rewrite_lines.of_dummynet,
        "altq": altq.rewritten, "openbsd": openbsd.rewritten,
    }  # fmt: skip
    write = writers.get(queue.box)
    changed = None if write is None else write(text, queue, exported)
    if changed is not None:
        return changed, True
    alone = {"linux": rewrite_tc.commands_alone, "ios": _ios_alone}.get(queue.box)
    return exported.text if alone is None else alone(text, queue, exported), False


def all_rewritten(text: str, changes: Sequence[tuple[Import, Export | None]]) -> tuple[str, bool]:
    """The text with every queue replaced that has a new one, and whether that is the whole text; else the new queues
    alone, one after the other."""
    after, loose = text, list[str]()
    for queue, exported in changes:
        if exported is not None:
            changed, whole = rewritten(after, queue, exported)
            after = changed if whole else after
            loose += [] if whole else [changed]
    return ("".join(loose), False) if loose else (after, True)


def _joined(lines: list[str], text: str) -> str:
    return "\n".join(lines) + ("\n" if text.endswith("\n") else "")


def _ios(text: str, queue: Import, exported: Export) -> str | None:
    """The text with the queue's lines in its class replaced."""
    lines = text.splitlines()
    mine = [number for title, number in _class_lines(lines) if title == queue.title]
    if not mine:
        return None
    policed = _polices(queue, exported)
    old = [number for number in mine if _IOS_QUEUE.match(lines[number])]
    old += _police_lines(lines, mine) if policed else []
    old.sort()
    first = old[0] if old else mine[-1] + 1
    shown = lines[old[0]] if old else lines[mine[-1]]
    indent = re.match(r"\s*", shown)
    around = [one for one in queue.others if one.partition("/")[0] == queue.title.partition("/")[0]]
    wanted = queue.rate_bps is None and queue.share_bps is None
    shaped = policed or (wanted and not around)
    new = [f"{indent[0] if indent else ''}{line}" for line in _ios_statements(exported.text, shaped=shaped)]
    kept: list[str] = []
    for i, line in enumerate([*lines, ""]):
        kept += new if i == first else []
        kept += [] if i in old or i == len(lines) else [line]
    rate = re.search(r"shape average (\d+)", exported.text)
    if rate and wanted and around and not policed:
        kept = _ios_shaped(kept, queue.title.partition("/")[0], rate[1])
    return _joined(kept, text)


def _ios_shaped(lines: Sequence[str], policy: str, rate: str) -> list[str]:
    """The lines with a policy that shapes all classes of another one, in its place on its interfaces."""
    outer = f"{policy}-SHAPE"
    if f"policy-map {outer}" in lines:
        return list(lines)
    placed = re.compile(rf"(\s*service-policy\s+output\s+){re.escape(policy)}\s*$")
    used = [number for number, line in enumerate(lines) if placed.match(line)]
    if not used:
        return list(lines)
    at = next((number for number in range(used[0], -1, -1) if lines[number].startswith("interface")), used[0])
    shaper = [
        f"policy-map {outer}",
        " class class-default",
        f"  shape average {rate}",
        f"  service-policy {policy}",
        "!",
    ]
    renamed = [placed.sub(rf"\g<1>{outer}", line) for line in lines]
    return [*renamed[:at], *shaper, *renamed[at:]]


def _ios_statements(text: str, *, shaped: bool) -> list[str]:
    """The statements of an export that go into a class: those of its queue, and that of its shaper if it gets one."""
    lines = [line.strip() for line in text.splitlines()]
    return [one for one in lines if _IOS_QUEUE.match(one) or (shaped and one.startswith("shape average"))]


def _ios_alone(_: str, queue: Import, exported: Export) -> str:
    """The commands that change a class on a running box, by the names that it printed."""
    policy, _, inner = queue.title.partition("/")
    if not inner:
        return exported.text
    shaped = queue.rate_bps is None and queue.share_bps is None
    gone = {"wred": "random-detect", "drr": "fair-queue", "droptail": "queue-limit"}.get(queue.discipline)
    statements = [*([f"no {gone}"] if gone else []), *_ios_statements(exported.text, shaped=shaped)]
    return (
        "\n".join([f"policy-map {policy}", f" class {inner}", *(f"  {one}" for one in statements), "!"])
        + "\n"
    )


def _polices(queue: Import, exported: Export) -> bool:
    """Whether the new queue has a shaper in place of the policer of its class."""
    return queue.policed_bps is not None and "shape average" in exported.text


def _police_lines(lines: list[str], mine: Sequence[int]) -> list[int]:
    """The numbers of the lines of a class that police or shape, with the actions of the policer below it."""
    numbers: list[int] = []
    for number in mine:
        depth = len(lines[number]) - len(lines[number].lstrip())
        if re.match(r"\s*(?:police|shape)\b", lines[number]):
            numbers.append(number)
        elif numbers and number - 1 in numbers:
            head = next(one for one in reversed(numbers) if re.match(r"\s*(?:police|shape)\b", lines[one]))
            if depth > len(lines[head]) - len(lines[head].lstrip()):
                numbers.append(number)
    return numbers


def _class_lines(lines: list[str]) -> Iterator[tuple[str, int]]:
    """(POLICY/CLASS, number) of every line within a class of a policy map."""
    policy = inner = ""
    for number, line in enumerate(lines):
        if match := re.match(r"\s*policy-map\s+(?:type\s+queu\w+\s+)?(\S+)", line):
            policy, inner = match[1], ""
        elif match := re.match(r"\s*class\s+(?:type\s+queu\w+\s+)?(\S+)", line):
            inner = match[1] if policy else ""
        elif re.match(r"\S", line):
            policy = inner = ""
        elif policy and inner and line.strip():
            yield f"{policy}/{inner}", number


def _junos(text: str, queue: Import, exported: Export) -> str | None:
    """The text with the drop profiles and buffer of the scheduler replaced; None if it has no such scheduler."""
    lines = text.splitlines()
    if not any(re.match(r"\s*set\s", line) for line in lines):
        return _junos_stanzas(text, queue, exported)
    old = [i for i, line in enumerate(lines) if _of_scheduler(line.split(), queue.title)]
    if not old:
        return None
    first = min(old)
    own = {word for i in old for key, word in _pairs(lines[i]) if key == "drop-profile"}
    others = {
        word
        for i, line in enumerate(lines)
        if i not in old
        for key, word in _pairs(line)
        if key == "drop-profile"
    }
    unused = own - others
    old += [
        i
        for i, line in enumerate(lines)
        for key, word in _pairs(line)
        if key == "drop-profiles" and word in unused
    ]
    new = _named(exported.text, queue.title, free=others)
    new += [
        f"{line.rstrip().rpartition(' scheduler-map ')[0]} shaping-rate {rate}"
        for rate in re.findall(r" shaping-rate (\d+)$", exported.text, re.MULTILINE)
        for line in lines
        if line.split()[-2:-1] == ["scheduler-map"] and queue.dev and queue.dev in line.split()
    ]
    kept: list[str] = []
    for i, line in enumerate(lines):
        kept += new if i == first else []
        kept += [] if i in old else [line]
    return _joined(kept, text)


def _of_scheduler(words: list[str], title: str) -> bool:
    """Whether a statement is the buffer or drop profile of a scheduler."""
    if "schedulers" not in words[:-1] or words[words.index("schedulers") + 1] != title:
        return False
    return "buffer-size" in words or "drop-profile-map" in words


def _pairs(line: str) -> Iterator[tuple[str, str]]:
    words = line.split()
    return pairwise(words)


def _named(text: str, title: str, *, free: set[str] | None = None) -> list[str]:
    """The lines of an export for the scheduler and its profile, with the names of the text."""
    profile = next(
        name for name in (title, f"{title}-fixed", *(f"{title}-fixed{n}" for n in range(2, 99)))
        if name not in (free or set())
    )  # fmt: skip
    renamed = []
    for line in text.splitlines():
        if not re.search(r"\b(drop-profiles|schedulers) ", line):
            continue
        named = re.sub(r"\b(drop-profiles|drop-profile) dropcurve\b", rf"\1 {profile}", line)
        renamed.append(re.sub(r"\bschedulers dropcurve\b", f"schedulers {title}", named))
    return renamed


def _junos_stanzas(text: str, queue: Import, exported: Export) -> str | None:
    """The stanzas with the drop profiles and buffer of the scheduler replaced; None if it is not there."""
    users: dict[str, set[str]] = {}
    for words in junos_read.statements(text):
        if "schedulers" in words[:-1] and words[-2:-1] == ["drop-profile"]:
            users.setdefault(words[-1], set()).add(words[words.index("schedulers") + 1])
    unused = [name for name, some in users.items() if some == {queue.title}]
    others = {name for name in _stanzas(text, "drop-profiles") if name not in unused}
    shaper = re.search(r" shaping-rate (\d+)$", exported.text, re.MULTILINE)
    return rewrite_braces.of_junos(
        text,
        queue,
        _named(exported.text, queue.title, free=others),
        unused,
        shaper=shaper[1] if shaper else "",
    )


def _vyos(text: str, queue: Import, exported: Export) -> str | None:
    """The text with the queue of a policy or of a shaper's class replaced, in ``set`` lines or in braces."""
    if re.search(r"^\s*set\s", text, re.MULTILINE):
        return rewrite_lines.of_vyos(text, queue, exported)
    return rewrite_braces.of_vyos(text, queue, exported)


#: A statement of RouterOS, with the lines that continue it.
_STATEMENT = re.compile(
    r"^(?:/queue[ \t][^\n]*?|[ \t]*)\b(?:add|set)\b(?:[^\n]*\\\r?\n)*[^\n]*$", re.MULTILINE
)


def _mikrotik(text: str, queue: Import, exported: Export) -> str | None:
    """The text with a new queue type, named in the simple queue (for one direction), tree or interface."""
    name, _, direction = queue.title.rpartition(" ")
    sides = {"upload": 0, "download": 1}
    simple = _users(text, name, r"\bqueue=([^\s/]+)/([^\s/]+)") if direction in sides else []
    users = simple or _users(text, queue.title, r"\bqueue=([^\s/]+)(?![^\s])")
    if len(users) != 1:
        return None
    ((start, end, *kinds),) = users
    trees = [one for one in exported.text.splitlines() if one.startswith("/queue tree ")]
    used = re.sub(r"\W+", "-", queue.title)
    if re.search(rf"\bname=\"?{re.escape(used)}\"?(?=\s|$)", "".join(_types(text))):
        used = f"{used}-new"
    kinds[sides[direction] if simple else 0] = used
    after = f"{text[:start]}queue={'/'.join(kinds)}{text[end:]}"
    if trees and queue.dev == queue.title:
        # The interface keeps its queue, which a tree with a rate fills no more.
        named = re.sub(r"\bname=\S+", f"name={used}-shaper", trees[0])
        named = re.sub(r"\bqueue=\S+", f"queue={used}", named)
        after = f"{text}{'' if text.endswith(chr(10)) else chr(10)}{named}{chr(10)}"
    added = re.sub(r"\bname=\S+", f"name={used}", exported.text.splitlines()[0], count=1)
    # Before the menu that the statement belongs to.
    at = max(
        (one.start() for one in re.finditer(r"^/", text, re.MULTILINE) if one.start() <= start), default=-1
    )
    if at < 0:
        return None
    return f"{after[:at]}{added}\n{after[at:]}"


def _types(text: str) -> Iterator[str]:
    """The statements of the menu of queue types."""
    for block in re.split(r"^(?=/)", text, flags=re.MULTILINE):
        if block.startswith("/queue type"):
            yield block


def _users(text: str, name: str, queue: str) -> list[tuple[Any, ...]]:
    """(start, end, names of types) of each ``queue=`` in a statement about ``name``."""
    own = re.compile(
        rf"\bname=\"?{re.escape(name)}\"?(?=\s|$)|\bset\s+(?:\[[^\]]*=)?{re.escape(name)}(?=[\s\]])"
    )
    uses: list[tuple[Any, ...]] = []
    for one in _STATEMENT.finditer(text):
        named = re.search(queue, one[0])
        if named and own.search(one[0]):
            uses.append((one.start() + named.start(), one.start() + named.end(), *named.groups()))
    return uses


def _stanzas(text: str, key: str) -> list[str]:
    """Names of the stanzas within those of a key: ``key { NAME { … } NAME { … } }``."""
    names, open_ = list[str](), list[str]()
    for match in re.finditer(r"([\w.-]+)\s*\{|\}", text):
        if match[1] is None:
            open_ = open_[:-1]
            continue
        if open_ and open_[-1] == key:
            names.append(match[1])
        open_.append(match[1])
    return names


def _sqm(text: str, queue: Import, exported: Export) -> str | None:
    """The text with the options of one direction of a section replaced; script and kind of queue hold for both
    directions."""
    name, _, direction = queue.title.rpartition(" ")
    (own,) = sqm.sections(exported.text)
    side, other = sqm.DIRECTIONS[direction], sqm.DIRECTIONS["upload"]
    options = {
        (
            f"{side}{key[1:]}" if key in (f"{other}limit", f"{other}target", f"{other}qdisc_opts") else key
        ): value
        for key, value in own.options.items()
        if key not in ("enabled", "interface", "download", "upload", "linklayer")
    }
    if direction == "download" and "egress_ecn" in options:
        options["ingress_ecn"] = options.pop("egress_ecn")
    section = next((one for one in sqm.sections(text) if one.name == name), None)
    if section is not None:
        options |= sqm.kept(section, options, side)
    # Options of another kind of queue have no meaning for the new one.
    cleared = {f"{side}{key}": "" for key in ("limit", "target", "qdisc_opts")}
    return sqm.replaced(text, name, cleared | options)
