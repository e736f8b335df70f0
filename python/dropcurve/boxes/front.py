"""Every box by name: export of a discipline, and import of a configuration."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import replace
from importlib import import_module
from inspect import signature
from typing import Any

from ..errors import ScenarioError, UsageError, nearest
from ..quantities.arguments import checked
from ..scenario.links.framing import KEYS, NONE, Framing
from . import effect, policers
from .cake_functions import CakeFunctions
from .model import DEVICE, Export, Import, Note, chosen, remedied, uncounted
from .numbers import check_digits
from .red_rows import KINDS
from .settings import settings
from .tc_cake import ETHERNET
from .tc_write import WRITERS

#: The boxes, with a description of each.
BOXES = {
    "linux": "Linux: tc commands",
    "ios": "Cisco IOS and IOS-XE: policy maps with random-detect",
    "nxos": "Cisco NX-OS: policy maps of type queuing",
    "junos": "Junos: drop profiles, schedulers and their map",
    "sonic": "SONiC: WRED_PROFILE, QUEUE and SCHEDULER of CONFIG_DB",
    "openconfig": "OpenConfig: queue management profiles, as JSON",
    "sqm": "OpenWrt: a section of /etc/config/sqm",
    "mikrotik": "MikroTik RouterOS: queue types and what uses them",
    "vyos": "VyOS: policies of qos",
    "dummynet": "FreeBSD: pipes and schedulers of ipfw or dnctl",
    "altq": "FreeBSD and pfSense: ALTQ queues of pf.conf",
    "openbsd": "OpenBSD: queues of pf.conf",
}
#: Other names of the boxes.
ALIASES = {
    "tc": "linux", "iproute2": "linux", "cisco": "ios", "iosxe": "ios", "ios-xe": "ios", "ios_xe": "ios",
    "nexus": "nxos", "nx-os": "nxos", "juniper": "junos", "config_db": "sonic", "oc": "openconfig",
    "openwrt": "sqm", "sqm-scripts": "sqm", "routeros": "mikrotik", "freebsd": "dummynet", "ipfw": "dummynet",
    "dnctl": "dummynet", "opnsense": "dummynet", "pfsense": "altq", "pf": "altq",
}  # fmt: skip
#: Boxes with other disciplines than RED: the module of each lists them as ``KINDS``.
OWN_KINDS = ("nxos", "sqm", "mikrotik", "vyos", "dummynet", "altq", "openbsd")
#: Names that are safe in a line of any box's configuration.
_NAMES = {
    "name": re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/@-]{0,62}"),
    "dev": DEVICE,
}
#: Note on the interface of the downstream queue: boxes queue the packets that they send.
DOWNWARDS = Note(
    "load",
    "",
    "the queue holds what users receive, so that it belongs to the interface towards them, which sends it",
)
#: Remedy for a value of a text that breaks a rule.
CORRECT = "correct it in the text, or export it from the box once more"
#: Readers of the policers of boxes whose queues do not name them.
_POLICERS = {
    "sonic": policers.of_sonic, "openconfig": policers.of_openconfig, "mikrotik": policers.of_routeros,
    "dummynet": policers.of_netgraph, "junos": policers.of_junos,
    "linux": policers.of_tc,
}  # fmt: skip
#: The module that reads each box, in the order in which they are tried on a text.
_READERS = {
    "sonic": "sonic", "openconfig": "openconfig", "sqm": "sqm", "mikrotik": "mikrotik", "vyos": "vyos",
    "dummynet": "dummynet", "altq": "altq", "openbsd": "openbsd", "junos": "junos", "nxos": "nxos",
    "ios": "ios",
    "linux": "tc_parse",
}  # fmt: skip


@checked
def export(
    discipline: str,
    params: Mapping[str, object],
    *,
    box: str,
    rate_bps: float,
    packet_bytes: int = 1500,
    rtt_s: float = 0.1,
    direction: str = "",
    framing: Framing = NONE,
    **options: Any,
) -> Export:
    """Returns the configuration of a box for a discipline.

    Args:
        discipline: Its kind, such as ``red``.
        params: Its parameters as in scenarios; automatic ones are computed for the link.
        box: Name of the box, or one of its other names.
        rate_bps: Rate of the link.
        packet_bytes: Size of a full packet.
        rtt_s: Typical round-trip time.
        direction: "up" or "down" for the queue of a customer's line, "" for any other.
        framing: Bytes that the line adds to each packet, which CAKE, sqm-scripts and shapers of Linux count.
        options: Options of the box, such as ``dev`` and ``shape`` of Linux.

    Returns:
        The text of the configuration, with notes on every deviation.

    Raises:
        ScenarioError: For parameters that contradict each other or that the box refuses.
        UsageError: For an unknown box or option.

    Example:
        >>> export("codel", {"target": "5 ms"}, box="linux", rate_bps=10e6).text
    """
    box = named(box)
    writer = _writer(box)
    params = _stated(discipline, params, framing)
    options = _of_line(discipline, direction, framing, signature(writer).parameters) | options
    unknown = [key for key in options if key not in signature(writer).parameters]
    if unknown:
        raise UsageError(
            ", ".join(unknown),
            "",
            f"{box} has no such option",
            "leave it out, or name another box with --for",
        )
    for key in ("name", "dev"):
        if key in options and not _NAMES[key].fullmatch(str(options[key])):
            raise UsageError(
                f"--{key}",
                options[key],
                "must be a name of letters, digits and _ . : / @ -, of at most 63 characters, as a box takes it",
                "choose such a name",
            )
    if discipline != "cake":
        options.pop("functions", None)
    wanted = settings(discipline, params, rate_bps=rate_bps, packet_bytes=packet_bytes, rtt_s=rtt_s)
    exported: Export = writer(wanted, params=dict(params), **options)
    loaded = settings(
        exported.discipline_as_loaded,
        exported.params_as_loaded,
        rate_bps=rate_bps,
        packet_bytes=packet_bytes,
        rtt_s=rtt_s,
    )
    notes = [*exported.notes, *([DOWNWARDS] if direction == "down" and "direction" not in options else [])]
    notes += _uncounted(framing, rate_bps) if discipline != "cake" and "framing" not in options else []
    return replace(exported, notes=notes, effect=effect.effect(wanted, loaded))


def _of_line(discipline: str, direction: str, framing: Framing, known: Container[str]) -> dict[str, Any]:
    """The options of a writer that a customer's line sets, of those that the writer has."""
    options: dict[str, Any] = {}
    if direction:
        options["direction"] = direction
    if direction and discipline == "cake":
        # The router of the line translates addresses, so that its CAKE sees hosts by `nat` alone.
        options["functions"] = CakeFunctions(nat=True)
    if framing:
        options["framing"] = framing
    return {key: value for key, value in options.items() if key in known}


def _uncounted(framing: Framing, rate_bps: float) -> list[Note]:
    """A note where the line adds more to a packet than the header that any shaper counts."""
    return [uncounted(framing, rate_bps)] if framing.overhead > ETHERNET else []


def _stated(discipline: str, params: Mapping[str, object], framing: Framing) -> Mapping[str, object]:
    """The parameters, for CAKE with the bytes that the line adds unless they state some."""
    return {**params, **framing.params} if discipline == "cake" and not set(params) & set(KEYS) else params


@checked
def kinds(box: str) -> tuple[str, ...]:
    """Returns the disciplines that a box can be configured for.

    Args:
        box: Name of the box, or one of its other names.

    Returns:
        Kinds of disciplines.

    Raises:
        UsageError: For an unknown box.

    Example:
        >>> "fq_codel" in kinds("linux")
        True
    """
    box = named(box)
    if box == "linux":
        return (*WRITERS, "prio")
    if box in OWN_KINDS:
        return tuple(import_module(f"{__package__}.{box}").KINDS)
    more = {"ios": ("droptail", "drr", "prio"), "junos": ("curve", "droptail", "prio")}
    return (*KINDS, *more.get(box, ()))


def _writer(box: str) -> Any:
    return import_module(f"{__package__}.{'tc' if box == 'linux' else box}").export


def named(box: str, *, what: str = "box") -> str:
    """Returns the key of `BOXES` for any name of a box.

    Args:
        box: The name given.
        what: What an error message calls it.

    Returns:
        The name.

    Raises:
        UsageError: For an unknown name.

    Example:
        >>> named("linux")
        'linux'
    """
    word = box.strip().lower()
    name = ALIASES.get(word, word)
    if name not in BOXES:
        hint = nearest(word, [*BOXES, *ALIASES], otherwise="choose one of these")
        rule = f"must be one of {', '.join(BOXES)}"
        raise UsageError(what, box, rule, hint)
    return name


@checked
def read(text: str, *, box: str | None = None, origin: str = "", **options: Any) -> Import:
    """Returns the discipline and the parameters of an existing configuration.

    Args:
        text: The configuration.
        box: Its kind; recognised by the text if not given.
        origin: The file's name, for messages.
        options: Options of the box.

    Returns:
        The queue, with notes on every deviation.

    Raises:
        ScenarioError: For a text without a queue, with an unknown one, or with contradictions.

    Example:
        >>> read("qdisc codel 8001: root refcnt 2 limit 1000p target 5ms interval 100ms").discipline
        'codel'
    """
    check_digits(text, origin=origin)
    name = named(box) if box else _kind_of(text)
    with remedied(CORRECT):
        try:
            queue: Import = _reader(name)(text, origin=origin, **options)
        except ScenarioError as error:
            alone = _policers_alone(name, text, error)
            return chosen(alone, options.get("name"), what="policer", origin=origin)
    return _placed(_with_policers(queue, text), text)


@checked
def read_all(text: str, *, box: str | None = None, origin: str = "", **options: Any) -> list[Import]:
    """Returns every queue of an existing configuration in its order, including classes and priority classes.

    Args:
        text: The configuration.
        box: Its kind; recognised by the text if not given.
        origin: The file's name, for messages.
        options: As for `read`, except for ``name``.

    Returns:
        One import for each queue.

    Raises:
        ScenarioError: As `read`, for any queue that cannot be used.

    Example:
        >>> queues = read_all(Path("router.cfg").read_text())
    """
    check_digits(text, origin=origin)
    name = named(box) if box else _kind_of(text)
    module = import_module(_reader(name).__module__)
    with remedied(CORRECT):
        try:
            if hasattr(module, "read_all"):
                queues: list[Import] = module.read_all(text, origin=origin, **options)
            else:
                first: Import = module.read(text, origin=origin, **options)
                queues = [
                    first,
                    *(module.read(text, origin=origin, name=one, **options) for one in first.others),
                ]
        except ScenarioError as error:
            return _policers_alone(name, text, error)
    return [_placed(_with_policers(one, text), text) for one in queues]


def _placed(queue: Import, text: str) -> Import:
    """The import with the interface that its text puts it on."""
    of_queue = import_module(f"{__package__}.interfaces").of_queue
    return replace(queue, dev=of_queue(queue.box, text, queue.title))


def _policers_alone(box: str, text: str, error: ScenarioError) -> list[Import]:
    """The policers of a text that has no queue. Raises the error where it is another one, or there is no policer."""
    # A text without a queue is a problem of the whole text, which has no path, or of a part that is not there.
    if box not in _POLICERS or any(one.path and one.rule != "is not there" for one in error.problems):
        raise error
    try:
        queues = policers.alone(list(_POLICERS[box](text)), box=box)
    except ValueError:
        # The text is not even JSON.
        raise error from None
    if not queues:
        raise error
    return queues


def _with_policers(queue: Import, text: str) -> Import:
    """The import with a note on the policers that its text has in addition to the queue."""
    # The reader of tc places its notes itself.
    reader = None if queue.box == "linux" else _POLICERS.get(queue.box)
    notes = policers.elsewhere(list(reader(text))) if reader else []
    return replace(queue, notes=[*queue.notes, *notes]) if notes else queue


def _kind_of(text: str) -> str:
    for box, module in _READERS.items():
        if import_module(f"{__package__}.{module}").looks_like(text):
            return box
    raise UsageError(
        "configuration",
        "",
        f"the kind of the configuration is not recognised (known: {', '.join(BOXES)})",
        "name it with --from",
        shown="rule",
    )


def _reader(box: str) -> Any:
    return import_module(f"{__package__}.{'tc_read' if box == 'linux' else box}").read
