"""OpenWrt's sqm-scripts: a section of /etc/config/sqm, whose two directions are two queues.

A direction is read as the `tc` command that the script runs: limit 1001, a target of 33 ATM-framed packets but at
least 5 ms, 1024 flow queues, and the options that are stated (sqm-scripts). One script and one kind of queue hold for
both directions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..scenario.links.framing import NONE, Framing
from . import tc_read
from .cake_functions import NONE as NO_FUNCTIONS
from .cake_functions import CakeFunctions
from .model import Export, Import, Note, Problems, chosen, refuse, with_others
from .numbers import whole
from .settings import Settings
from .tc_delay import FQ_CODEL
from .tc_write import WRITERS

__all__ = [
    "DIRECTIONS",
    "KINDS",
    "LIMIT",
    "defaults",
    "export",
    "looks_like",
    "options_of",
    "read",
    "read_all",
]

#: Kinds of queues that sqm-scripts set up.
KINDS = ("fq_codel", "cake", "codel", "pie", "sfq")
#: Those of them that have a target and for which the scripts switch ECN on or off.
MARKED = ("fq_codel", "codel", "pie")
#: Directions, each with its option of the rate and the first letter of its other options.
DIRECTIONS = {"upload": "e", "download": "i"}
#: Packets of a queue unless a limit is stated; least target in microseconds, and the interval above a target.
LIMIT, LEAST_TARGET_US, ABOVE_TARGET_US = 1001, 5000, 95000
#: Bits of the longest packet in ATM cells, 33 of 53 bytes.
ATM_PACKET_BITS = 33 * 53 * 8
#: Scripts with a single queue in each direction, and the tins of those with CAKE; `simple.qos` has three queues, of
#: which that of best effort is taken.
SCRIPTS = {
    "piece_of_cake.qos": "besteffort", "layer_cake.qos": "diffserv3", "simplest.qos": "", "simplest_tbf.qos": "",
    "simple.qos": "",
}  # fmt: skip


@dataclass
class Section:
    """One section: its name and its options."""

    name: str
    options: dict[str, str] = field(default_factory=dict)

    def get(self, key: str, otherwise: str = "") -> str:
        """The value of an option; ``otherwise`` where it is not stated."""
        return self.options.get(key) or otherwise

    @property
    def dev(self) -> str:
        """The interface; the section's name where it is not stated."""
        return self.get("interface", self.name)


def export(
    settings: Settings, *, params: dict[str, object], dev: str = "eth0", name: str = "wan", shape: bool = True,
    direction: str = "up", other_bps: float | None = None, framing: Framing = NONE,
    functions: CakeFunctions = NO_FUNCTIONS,
) -> Export:  # fmt: skip
    """A section whose one direction has the queue. Raises ScenarioError.

    Args:
        settings: The queue.
        params: As asked for.
        dev: The interface.
        name: Name of the section.
        shape: Has no effect: sqm-scripts always shape.
        direction: Direction of the queue, "up" or "down".
        other_bps: Rate of the other direction, which has the same kind of queue with the settings of the script; by
            default it is not shaped.
        framing: Bytes that the line adds to each packet, which the script counts.
        functions: Those of a CAKE.
    """
    if settings.discipline not in KINDS:
        refuse("kind", settings.discipline, f"sqm-scripts have {', '.join(KINDS)}", "choose one of these")
    notes: list[Note] = []
    problems = Problems()
    written = WRITERS[settings.discipline](settings, notes, problems)
    problems.raise_if_any()
    assert written is not None, "a writer that finds no problem writes"
    written.words += functions.words
    if written.kind == "fq_codel":
        # Where no times are stated, the script sizes them by the rate.
        times = [key for key in ("target", "interval") if key not in written.words]
        written.words += [word for key in times for word in (key, FQ_CODEL[key])]
    own, other = ("download", "upload") if direction == "down" else ("upload", "download")
    options = options_of(written.kind, written.words, own)
    rates = {own: _kbit(settings.rate_bps, "rate", notes), other: 0}
    if other_bps is not None:
        rates[other] = _kbit(other_bps, other, notes)
        # The script reads the options of both directions; ECN of the other direction also affects its traffic.
        if written.kind in MARKED:
            options |= {_ecn_key(one): options[_ecn_key(own)] for one in (own, other)}
    else:
        notes.append(
            Note("load", other, "not shaped: give it the line's rate, or a long queue there stays long")
        )
    lines = [f"config queue '{name}'", "\toption enabled '1'", f"\toption interface '{dev}'",
             *(f"\toption {key} '{rates[key]}'" for key in ("download", "upload")),
             *_link_layer(framing)]  # fmt: skip
    lines += [f"\toption {key} '{value}'" for key, value in options.items()]
    notes.append(Note("load", "", "the rates must be a little below those of the line: 95 % of a speed test"))
    text = "\n".join(lines) + "\n"
    # The script adds options of its own to those of FQ-CoDel.
    loaded = read(text, name=f"{name} {own}").params if written.kind == "fq_codel" else written.loaded
    return Export(
        "sqm", settings.discipline, dict(params), text, notes, written.discipline, loaded, functions=functions
    )


def _link_layer(framing: Framing) -> list[str]:
    """The options of the bytes that the line adds to a packet."""
    if not framing:
        return ["\toption linklayer 'none'"]
    layer = "atm" if framing.cells == "atm" else "ethernet"
    values = {"linklayer": layer, "overhead": framing.overhead, "tcMPU": framing.mpu}
    return [f"\toption {key} '{value}'" for key, value in values.items() if value != 0]


def line_framing(section: Section) -> Framing:
    """The bytes that the line of a section adds to a packet."""
    layer = section.get("linklayer", "none")
    if layer == "none":
        return NONE
    numbers = [whole(section.get(key, "0"), f"{section.name}.{key}") for key in ("overhead", "tcMPU")]
    return Framing(max(0, numbers[0]), numbers[1], "atm" if layer == "atm" else "")


def defaults(rate_bps: float) -> dict[str, str]:
    """Limit, target and interval that the script sets for FQ-CoDel at a rate, as scenarios write them."""
    least = _target_us(max(1, round(rate_bps / 1e3)))
    return {"limit": f"{LIMIT} pkts", "target": f"{least} us", "interval": f"{ABOVE_TARGET_US + least} us"}


def _target_us(kbit: int) -> int:
    """The target for a rate in microseconds: that of a packet in ATM cells, but at least 5 ms."""
    return max(LEAST_TARGET_US, 1000 * ATM_PACKET_BITS // kbit)


def _kbit(rate_bps: float, key: str, notes: list[Note]) -> int:
    """A rate in the whole kbit/s that the script takes."""
    rate = max(1, round(rate_bps / 1e3))
    if abs(rate * 1e3 - rate_bps) > 0.5:
        notes.append(Note("rounded", key, f"{rate_bps:g} bit/s becomes {rate} kbit/s"))
    return rate


def _ecn_key(direction: str) -> str:
    """The option that switches ECN on in a direction."""
    return "egress_ecn" if DIRECTIONS[direction] == "e" else "ingress_ecn"


def options_of(kind: str, words: list[str], direction: str) -> dict[str, str]:
    """The options of one direction that set up a `tc` queue of these words, script and kind first."""
    side = DIRECTIONS[direction]
    rest: list[str] = []
    ecn = _ecn_key(direction)
    options = {
        "qdisc": kind, "script": "simplest.qos", "qdisc_advanced": "1", "qdisc_really_really_advanced": "1",
        ecn: "NOECN",
    }  # fmt: skip
    if kind == "cake":
        options["script"] = "piece_of_cake.qos" if "besteffort" in words else "layer_cake.qos"
        options |= {"squash_dscp": "0", "squash_ingress": "0"}
    i = 0
    while i < len(words):
        word, after = words[i], words[i + 1] if i + 1 < len(words) else ""
        if word == "limit":
            options[f"{side}limit"], i = after, i + 2
        elif word == "target" and kind != "cake":
            options[f"{side}target"], i = after, i + 2
        elif word == "bandwidth":
            i += 2
        elif word in ("ecn", "noecn"):
            options[ecn], i = word.upper(), i + 1
        elif word == "besteffort" and kind == "cake":
            i += 1
        else:
            rest.append(word)
            i += 1
    if kind not in MARKED:
        del options[ecn]
    if rest:
        options[f"{side}qdisc_opts"] = " ".join(rest)
    return options


def kept(section: Section, options: Mapping[str, str], side: str) -> dict[str, str]:
    """The values that a section keeps instead of the new ones: its script, where that sets up a queue of the new kind,
    for a CAKE with what it does to code points, and its link layer, which framing in the options of the queue would
    override.

    Args:
        section: The section of the text.
        options: The new options.
        side: First letter of the options of the direction.

    Returns:
        Options to put in place of those in ``options``.
    """
    changed: dict[str, str] = {}
    script = section.get("script", "simple.qos")
    if script in SCRIPTS and options["qdisc"] != "cake" and "cake" not in script:
        changed["script"] = script
    key = f"{side}qdisc_opts"
    if section.get("linklayer", "none") != "none" and key in options:
        framing = re.compile(r"\b(?:(?:overhead|mpu)\s+-?\d+|noatm|atm|ptm)\s*")
        changed[key] = framing.sub("", options[key]).strip()
    if options["qdisc"] == "cake" and SCRIPTS.get(script):
        changed |= {"script": script} | {one: section.get(one) for one in ("squash_dscp", "squash_ingress")}
        if options["script"] == "piece_of_cake.qos" != script:
            changed[key] = f"besteffort {changed.get(key, options.get(key, ''))}".strip()
    return changed


def read(text: str, *, origin: str = "", name: str | None = None, **_: Any) -> Import:
    """The queue of a direction: the upload of the first section, or the one of the section, interface or direction
    ``name``. Raises ScenarioError for a text without a section, and for contradictions.
    """
    return chosen(read_all(text, origin=origin), name, what="section or direction", origin=origin)


def read_all(text: str, *, origin: str = "", **_: Any) -> list[Import]:
    """Both directions of every section. Raises ScenarioError as `read`."""
    queues = [
        one for section in sections(text) for direction in DIRECTIONS
        if (one := _direction(section, direction, origin)) is not None
    ]  # fmt: skip
    if not queues:
        refuse("", "the text", "holds no queue section with a rate", "give /etc/config/sqm", origin=origin)
    return with_others(queues)


def sections(text: str) -> list[Section]:
    """The queue sections of a file, of ``uci show sqm`` or of ``uci set`` commands."""
    by_name: dict[str, Section] = {}
    at: Section | None = None
    for number, line in enumerate(text.splitlines()):
        bare = line.strip()
        if head := re.fullmatch(r"config\s+['\"]?(\w+)['\"]?(?:\s+['\"]?([^'\"\s]+)['\"]?)?", bare):
            at = None
            if head[1] == "queue":
                at = by_name.setdefault(
                    head[2] or f"line {number + 1}", Section(head[2] or _anonymous(len(by_name)))
                )
        elif (
            option := re.fullmatch(r"option\s+['\"]?(\w+)['\"]?\s+(?:'([^']*)'|\"([^\"]*)\"|(\S+))", bare)
        ) and at:
            at.options[option[1]] = option[2] or option[3] or option[4] or ""
        elif flat := re.match(
            r"(?:uci\s+(?:-q\s+)?set\s+)?['\"]?sqm\.(@?[\w.-]+?(?:\[-?\d+\])?)\.(\w+)=['\"]?([^'\"]*)['\"]?$",
            bare,
        ):
            name = flat[1].lstrip("@")
            by_name.setdefault(name, Section(name)).options[flat[2]] = flat[3]
    return list(by_name.values())


def _anonymous(before: int) -> str:
    """The name of a section without one, by the number of those before it."""
    return f"queue{before}"


def _direction(section: Section, direction: str, origin: str) -> Import | None:
    """One direction of a section; None if it is not shaped."""
    path = f"{section.name}.{direction}"
    kbit = whole(section.get(direction, "0"), path, origin=origin)
    if kbit <= 0:
        return None
    notes: list[Note] = []
    if section.get("enabled", "1") != "1":
        notes.append(Note("load", "enabled", "the section is switched off: nothing is shaped until it is 1"))
    line = _command(section, direction, kbit, notes)
    read = tc_read.read(line, origin=origin)
    down, up = (
        whole(section.get(key, "0"), f"{section.name}.{key}", origin=origin) for key in ("download", "upload")
    )
    both = f"{(down or kbit) / 1e3:g}/{(up or kbit) / 1e3:g}Mbit:{'up' if direction == 'upload' else 'down'}"
    # The script sets the same kind of queue in the other direction.
    both += f",back={read.discipline}"
    both += line_framing(section).typed if read.discipline != "cake" else ""
    return replace(
        read, box="sqm", notes=[*notes, *read.notes], rate_bps=kbit * 1e3, title=f"{section.name} {direction}",
        link_text=both if down > 0 and up > 0 else "",
    )  # fmt: skip


def _command(section: Section, direction: str, kbit: int, notes: list[Note]) -> str:
    """The `tc` command of a direction, as the script runs it."""
    side = DIRECTIONS[direction]
    script = section.get("script", "simple.qos")
    kind = "cake" if "cake" in script else section.get("qdisc", "fq_codel")
    if script not in SCRIPTS:
        notes.append(Note("lost", "script", f"{script} is not known: a single queue each way is taken"))
    if script == "simple.qos" and kind != "cake":
        text = "three queues by code point: that of best effort is taken, alone at the whole rate"
        notes.append(Note("lost", "script", f"simple.qos has {text}"))
    words = ["tc qdisc replace dev", section.dev, "root", kind]
    if kind == "cake":
        words += ["bandwidth", f"{kbit}kbit", *_cake(section, script, side)]
    else:
        words += _plain(section, kind, side, kbit, notes)
    return " ".join([*words, section.get(f"{side}qdisc_opts")])


def _plain(section: Section, kind: str, side: str, kbit: int, notes: list[Note]) -> list[str]:
    words = ["limit", section.get(f"{side}limit", str(LIMIT))]
    target = section.get(f"{side}target", "auto")
    if kind in MARKED and re.fullmatch(r"\d{1,9}(s|secs?|ms|msecs?|us|usecs?)", target):
        words += ["target", target]
    elif kind in MARKED and target != "default":
        least = _target_us(kbit)
        words += ["target", f"{least}us"]
        words += ["interval", f"{ABOVE_TARGET_US + least}us"] if kind != "pie" else []
    if kind in MARKED:
        ecn = section.get(_ecn_key("upload" if side == "e" else "download"), "ECN")
        words.append({"ECN": "ecn", "NOECN": "noecn"}.get(ecn.upper(), "ecn"))
    if kind == "fq_codel":
        words += ["flows", "1024"]
    return words


def _cake(section: Section, script: str, side: str) -> list[str]:
    squash = side == "i" and section.get("squash_ingress", "1") == "1" and script == "layer_cake.qos"
    tins = (
        "besteffort"
        if squash
        else SCRIPTS.get(script) or ("besteffort" if "simplest" in script else "diffserv3")
    )
    words = [tins]
    layer = section.get("linklayer", "none")
    if layer != "none":
        words += ["atm"] if layer == "atm" else []
        words += ["overhead", section.get("overhead", "0"), "mpu", section.get("tcMPU", "0")]
    return words


def looks_like(text: str) -> bool:
    """Whether a text is of this kind."""
    return bool(
        re.search(r"^\s*(?:uci\s+(?:-q\s+)?set\s+)?['\"]?sqm\.\S+=", text, re.MULTILINE)
        or (
            re.search(r"^\s*config\s+'?queue'?", text, re.MULTILINE)
            and re.search(r"\boption\s+'?upload'?", text)
        )
    )


def replaced(text: str, name: str, options: Mapping[str, str]) -> str | None:
    """The text with options of a section set; None where it has no such section in this form."""
    lines = text.splitlines()
    heads = [
        (i, head[1]) for i, line in enumerate(lines)
        if (head := re.fullmatch(r"\s*config\s+['\"]?queue['\"]?(?:\s+['\"]?([^'\"\s]+)['\"]?)?\s*", line))
    ]  # fmt: skip
    start = next((i for count, (i, head) in enumerate(heads) if (head or _anonymous(count)) == name), None)
    if start is None:
        return None
    end = next((i for i in range(start + 1, len(lines)) if re.match(r"\s*config\s", lines[i])), len(lines))
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    body, left = lines[start + 1 : end], dict(options)
    indent = re.match(r"\s*", body[0] if body else "\t")
    for i, line in enumerate(body):
        key = re.match(r"\s*option\s+['\"]?(\w+)", line)
        if key and key[1] in left:
            value = left.pop(key[1])
            body[i] = f"{indent[0] if indent else ''}option {key[1]} '{value}'" if value else ""
    body = [line for line in body if line]
    body += [f"{indent[0] if indent else ''}option {key} '{value}'" for key, value in left.items() if value]
    return "\n".join([*lines[: start + 1], *body, *lines[end:]]) + ("\n" if text.endswith("\n") else "")
