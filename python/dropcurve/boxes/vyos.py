"""VyOS: policies of ``qos`` (or ``traffic-policy``), from ``set`` lines or from the tree in braces.

VyOS builds `tc` commands (VyOSQoS); each queue is read as the command that it becomes. Times of a queue are whole
milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from . import code_points, tc_read
from .cake_functions import NONE as NO_FUNCTIONS
from .cake_functions import CakeFunctions
from .model import Export, Import, Note, Problems, bottleneck, refuse, with_others
from .numbers import real, whole
from .settings import Settings
from .tc_commands import TcCommands
from .tc_write import WRITERS

__all__ = ["KINDS", "export", "looks_like", "read", "read_all"]

#: Disciplines, and VyOS's name for the policy of each.
KINDS = {"fq_codel": "fq-codel", "sfq": "fair-queue", "droptail": "drop-tail", "cake": "cake"}
#: Names of policies and queue types, and the `tc` queue of each.
TYPES = {
    "fq-codel": "fq_codel", "fair-queue": "sfq", "drop-tail": "pfifo", "random-detect": "red", "rate-control": "tbf",
    "cake": "cake", "priority": "pfifo", "priority-queue": "pfifo",
}  # fmt: skip
#: Options of a queue and the words of `tc`; `TIMES` are in milliseconds.
WORDS = {"codel-quantum": "quantum", "flows": "flows", "queue-limit": "limit", "hash-interval": "perturb"}
TIMES = {"interval": "interval", "target": "target"}
#: CAKE's isolation of flows in VyOS, and the words of `tc`.
ISOLATION = {
    "blind": "flowblind", "src-host": "srchost", "dst-host": "dsthost", "host": "hosts", "flow": "flows",
    "dual-src-host": "dual-srchost", "dual-dst-host": "dual-dsthost", "triple-isolate": "triple-isolate", "nat": "nat",
}  # fmt: skip
#: Policies that are not read as queues, with the reason.
LOST = {
    "limiter": "a policer drops before any queue: it is not simulated",
    "network-emulator": "its delay and loss are not simulated", "round-robin": "its classes are not taken",
    "shaper-hfsc": "its classes are not taken",
}  # fmt: skip
_RATES = {"bit": 1.0, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9, "": 1e3}
#: Options by their path below the policy's name.
Options = dict[tuple[str, ...], str]


def export(
    settings: Settings,
    *,
    params: dict[str, object],
    dev: str = "eth0",
    name: str = "DROPCURVE",
    shape: bool = False,
    inside: str = "",
    functions: CakeFunctions = NO_FUNCTIONS,
) -> Export:
    """``set`` lines of a policy and of the interface that uses it. Raises ScenarioError.

    Args:
        settings: The queue.
        params: As asked for.
        dev: The interface.
        name: Name of the policy.
        shape: Puts the queue into a shaper of the link's rate.
        inside: Title of the class of a shaper that gets the queue, such as ``WAN/class 10``, instead of a policy.
        functions: Those of a CAKE.
    """
    if settings.discipline not in KINDS:
        refuse("kind", settings.discipline, f"VyOS has {', '.join(KINDS)}", "choose one of these")
    notes: list[Note] = []
    problems = Problems()
    written = WRITERS[settings.discipline](settings, notes, problems)
    problems.raise_if_any()
    assert written is not None, "a writer that finds no problem writes"
    # Options of one node of the tree stay together.
    options = [
        line for one in _options_of(written, notes)
        for line in ([one, *functions.vyos] if one.startswith("flow-isolation ") else [one])
    ]  # fmt: skip
    policy = KINDS[settings.discipline]
    if inside:
        return _inside(settings, params, inside, policy, options, notes)
    shaped = shape and policy != "cake"
    root = f"set qos policy {'shaper' if shaped else policy} {name}"
    lines = [f"{root} {option}" for option in options]
    if shaped:
        rate = max(1, round(settings.rate_bps / 1e3))
        lines = [f"{root} bandwidth {rate}kbit", f"{root} default bandwidth 100%",
                 f"{root} default queue-type {policy}",
                 *(f"{root} default {option}" for option in options)]  # fmt: skip
    elif not written.shapes:
        notes.append(bottleneck(dev, settings.rate_bps))
    lines.append(f"set qos interface {dev} egress {name}")
    text = "\n".join(lines or [root]) + "\n"
    back = read(text)
    return Export(
        "vyos", settings.discipline, dict(params), text, notes, back.discipline, back.params,
        functions=back.functions,
    )  # fmt: skip


def _inside(
    settings: Settings,
    params: dict[str, object],
    title: str,
    policy: str,
    options: list[str],
    notes: list[Note],
) -> Export:
    """The queue of a shaper's class. Raises ScenarioError for one that a class cannot have."""
    if policy == "cake":
        refuse("kind", "cake", "VyOS has it on an interface, not in a class of a shaper", "choose fq_codel")
    name, _, part = title.partition("/")
    root = f"set qos policy shaper {name} {part}"
    text = "\n".join([f"{root} queue-type {policy}", *(f"{root} {one}" for one in options)]) + "\n"
    back = read(text)
    return Export("vyos", settings.discipline, dict(params), text, notes, back.discipline, back.params)


def _options_of(written: TcCommands, notes: list[Note]) -> Iterator[str]:
    """Options of a policy from the words of `tc`; those without an option in VyOS are noted."""
    names = {word: key for key, word in {**WORDS, **TIMES, "rtt": "rtt", "bandwidth": "bandwidth"}.items()}
    names |= {"rtt": "rtt", "bandwidth": "bandwidth"}
    flags = {word: key for key, word in ISOLATION.items()}
    if written.kind == "bfifo" or "headdrop" in written.words:
        refuse(
            "limit", " ".join(written.words), "VyOS counts tail drop in packets", "give the limit in packets"
        )
    i = 0
    while i < len(written.words):
        word, after = written.words[i], written.words[i + 1] if i + 1 < len(written.words) else ""
        if word in flags and written.kind == "cake":
            yield f"flow-isolation {flags[word]}"
            i += 1
        elif word in names:
            yield f"{names[word]} {_value(word, after, notes)}"
            i += 2
        else:
            lone = (
                word in ("ecn", "noecn", "besteffort", "diffserv3", "noatm", "headdrop")
                or not after[:1].isdigit()
            )
            if word not in ("noecn", "diffserv3", "noatm") and (word, after) != ("overhead", "0"):
                notes.append(
                    Note("lost", word, f"{'' if lone else after}: VyOS has no such option".lstrip(": "))
                )
            i += 1 if lone else 2


def _value(word: str, value: str, notes: list[Note]) -> str:
    """A value as VyOS takes it."""
    if word in (*TIMES.values(), "rtt"):
        factor = 1e-3 if value.endswith("us") else 1.0 if value.endswith("ms") else 1e3
        exact = float(re.sub(r"[a-z]+$", "", value)) * factor
        milli = max(1, round(exact))
        if abs(milli - exact) > 1e-9:
            notes.append(Note("rounded", word, f"{value} becomes {milli} ms: whole milliseconds"))
        return str(milli)
    return value.lower() if word == "bandwidth" else value.rstrip("s") if word == "perturb" else value


def read(text: str, *, origin: str = "", name: str | None = None, **options: Any) -> Import:
    """The queue of a policy; of several the one of the policy or class ``name``, or the first that an interface uses.
    Raises ScenarioError for a text without one, and for contradictions.
    """
    queues = read_all(text, origin=origin, **options)
    if name is None:
        return queues[0]
    for one in queues:
        if name in (one.title, one.title.partition("/")[0]):
            return one
    titles = ", ".join(one.title for one in queues)
    refuse("--name", name, f"is not a policy there: {titles}", "name one of these", origin=origin)


def read_all(text: str, *, origin: str = "", rate_bps: float | None = None, **_: Any) -> list[Import]:
    """Every queue of every policy, those that interfaces use first. Raises ScenarioError as `read`."""
    policies, used = _policies(text)
    notes = [Note("lost", kind, f"{name}: {LOST[kind]}") for kind, name in policies if kind in LOST]
    order = sorted(policies, key=lambda one: one[1] not in used)
    queues: list[Import] = []
    for kind, name in order:
        if kind == "shaper":
            queues += _shaper(name, policies[kind, name], rate_bps, origin)
        elif kind in TYPES:
            rate = policies[kind, name].get(("bandwidth",), "")
            shaped = _rate(rate, None, origin) if rate else None
            queues.append(_queue(name, kind, policies[kind, name], shaped, origin))
    if not queues:
        refuse(
            "",
            "the text",
            "holds no policy with a queue that is known here",
            "show configuration qos",
            origin=origin,
        )
    return with_others(replace(one, notes=[*one.notes, *notes]) for one in queues)


def _shaper(name: str, options: Options, rate_bps: float | None, origin: str) -> Iterator[Import]:
    """The queues of a shaper's classes, each at its share."""
    whole_rate = _rate(options.get(("bandwidth",), "auto"), rate_bps, origin) or rate_bps
    classes = dict.fromkeys(path[:2] for path in options if path[0] == "class" and len(path) > 2)
    parts = [*classes, *([("default",)] if any(path[0] == "default" for path in options) else [])]
    for part in parts:
        own = {
            path[len(part) :]: value
            for path, value in options.items()
            if path[: len(part)] == part and path != part
        }
        kind = own.get(("queue-type",), "fq-codel")
        guaranteed = _rate(own.get(("bandwidth",), "100%"), whole_rate, origin)
        most = _rate(own.get(("ceiling",), ""), whole_rate, origin) if ("ceiling",) in own else guaranteed
        queue = _queue(f"{name}/{' '.join(part)}", kind, own, most or whole_rate, origin)
        if ("priority",) in own:
            lost = Note("lost", "priority", f"{own['priority',]}: which class borrows first is not simulated")
            queue = replace(queue, notes=[*queue.notes, lost])
        yield replace(
            queue,
            share_bps=guaranteed if guaranteed and most and guaranteed < most else None,
            applications=_applications(own),
        )


def _applications(options: Options) -> frozenset[str]:
    """The applications of a class, if each of its matches is by code point."""
    matches = {path: value for path, value in options.items() if path[:1] == ("match",) and len(path) > 2}
    points = {path[1]: value for path, value in matches.items() if path[-1] == "dscp"}
    return code_points.applications(code_points.number(points.get(path[1], "")) for path in matches)


def _queue(title: str, kind: str, options: Options, rate: float | None, origin: str) -> Import:
    """One queue, as the `tc` command that VyOS derives from it."""
    notes: list[Note] = []
    words = ["tc qdisc replace dev", "eth0", "root", TYPES.get(kind, kind)]
    if kind == "cake":
        words += ["rtt", f"{options[('rtt',)]}ms"] if ("rtt",) in options else []
        words += [
            ISOLATION[path[1]] for path in options if path[0] == "flow-isolation" and path[-1] in ISOLATION
        ]
        words += ["bandwidth", f"{round(rate)}bit"] if rate else []
    elif kind == "random-detect":
        words += _red(options, notes, title, origin)
    elif kind == "rate-control":
        words += ["rate", f"{round(rate or 0)}bit", "burst", options.get(("burst",), "15k"), "latency",
                  f"{options.get(('latency',), '50')}ms"]  # fmt: skip
    for key, word in WORDS.items():
        if (key,) in options and kind not in ("random-detect", "cake", "rate-control"):
            words += [word, str(whole(options[key,], f"{title} {key}", origin=origin))]
    for key, word in TIMES.items():
        if (key,) in options and kind == "fq-codel":
            words += [word, f"{whole(options[key,], f'{title} {key}', origin=origin)}ms"]
    words += ["noecn"] if kind == "fq-codel" else []
    if kind in ("priority", "priority-queue"):
        notes.append(Note("lost", kind, "its bands are taken as one queue"))
    parsed = tc_read.read(" ".join(words), origin=origin)
    return replace(
        parsed, box="vyos", title=title, rate_bps=rate, notes=[*notes, *parsed.notes],
        discipline=parsed.discipline, params=dict(parsed.params),
    )  # fmt: skip


def _red(options: Options, notes: list[Note], title: str, origin: str) -> list[str]:
    """The words of RED: those of a queue type, or of precedence 0 of a policy."""
    own = {
        path[-1]: value for path, value in options.items() if path[0] != "precedence" or path[1:2] == ("0",)
    }
    if any(path[0] == "precedence" and path[1:2] != ("0",) for path in options):
        notes.append(Note("lost", "precedence", "a curve for each precedence: that of 0 is taken for all"))
    size = whole(own.get("average-packet", "1024"), f"{title} average-packet", origin=origin)
    high = whole(own.get("maximum-threshold", "18"), f"{title} maximum-threshold", origin=origin)
    low = whole(
        own.get("minimum-threshold", str(9 * high // 18)), f"{title} minimum-threshold", origin=origin
    )
    limit = whole(own.get("queue-limit", str(4 * high)), f"{title} queue-limit", origin=origin)
    one_in = real(own.get("mark-probability", "10"), f"{title} mark-probability", origin=origin)
    if one_in < 1 or size < 1:
        refuse(
            f"{title} mark-probability",
            f"{one_in:g}",
            "must be 1 or more",
            "give one in how many",
            origin=origin,
        )
    return ["limit", str(limit * size), "avpkt", str(size), "max", str(high * size), "min", str(low * size), "burst",
            str((2 * low + high) // 3), "probability", f"{1 / one_in:.6f}"]  # fmt: skip


def _rate(text: str, whole_bps: float | None, origin: str) -> float | None:
    """A bandwidth in bit/s; a share is of ``whole_bps``. None for ``auto`` and shares of an unknown rate."""
    match = re.fullmatch(r"([0-9.]+)\s*(%|[kmg]?bit|)", text.strip().lower())
    if match is None:
        if text in ("auto", ""):
            return None
        refuse("bandwidth", text, "must be a rate such as 10mbit, or a share", "write it so", origin=origin)
    value = real(match[1], "bandwidth", origin=origin)
    if match[2] == "%":
        return None if whole_bps is None else value / 100.0 * whole_bps
    return value * _RATES[match[2]] or None


def interfaces(text: str, policy: str) -> Iterator[str]:
    """The interfaces that send through a policy."""
    for words in _statements(text):
        if (words[:2] == ["qos", "interface"] and words[3:] == ["egress", policy]) or (
            words[:1] == ["interfaces"] and words[-3:] == ["traffic-policy", "out", policy] and len(words) > 5
        ):
            yield words[2]


def _policies(text: str) -> tuple[dict[tuple[str, str], Options], list[str]]:
    """Options of each policy by its kind and name, and the names that interfaces use."""
    policies: dict[tuple[str, str], Options] = {}
    used: list[str] = []
    for words in _statements(text):
        if words[:2] == ["qos", "interface"] and len(words) > 4:
            used.append(words[4])
        elif "traffic-policy" in words[1:-1] and words[0] == "interfaces":
            used.append(words[-1])
        rest = (
            words[2:]
            if words[:2] == ["qos", "policy"]
            else words[1:]
            if words[:1] == ["traffic-policy"]
            else []
        )
        if len(rest) >= 2:
            options = policies.setdefault((rest[0], rest[1]), {})
            if len(rest) > 2:
                *path, value = rest[2:]
                if path == ["flow-isolation"]:
                    # A node that has one of its words for hosts, and "nat" next to it.
                    path = [*path, value]
                options[tuple(path) or (value,)] = value
    return policies, used


def _statements(text: str) -> Iterator[list[str]]:
    """Every statement as its full path of words: of ``set`` lines, or of the tree in braces."""
    path: list[list[str]] = []
    for line in text.splitlines():
        words = [word.strip("'\"") for word in re.findall(r"'[^']*'|\"[^\"]*\"|\S+", line)]
        if not words or words[0].startswith(("#", "/*", "//")):
            continue
        if words[0] == "set":
            yield words[1:]
            continue
        statement: list[str] = []
        for word in [*words, ""]:
            if word not in ("{", "}", ""):
                statement.append(word)
                continue
            if statement and (path or word == "{"):
                yield [one for part in path for one in part] + statement
            if word == "{":
                path.append(statement)
            elif word == "}":
                path[-1:] = []
            statement = []


def looks_like(text: str) -> bool:
    """Whether a text is of this kind."""
    return bool(re.search(r"^\s*(?:set )?(?:qos policy|traffic-policy)\b|^\s*qos\s*\{", text, re.MULTILINE))
