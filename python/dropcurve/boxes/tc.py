"""The box "linux": whole ``tc`` commands around the words of `tc_write`, and the shaper where the link needs one."""

from __future__ import annotations

import re

from ..scenario.links.framing import NONE, Framing
from . import llq, tc_cake
from . import tc_numbers as tc
from .cake_functions import NONE as NO_FUNCTIONS
from .cake_functions import CakeFunctions
from .model import Export, Note, Problems, bottleneck, refuse
from .settings import Settings
from .tc_commands import TcCommands
from .tc_write import WRITERS


def ingress(commands: str, *, wan: str, dev: str = "eth0") -> str:
    """Commands for a queue of the packets that arrive at an interface: a filter redirects them through an ifb device.

    Args:
        commands: Commands of the queue, on ``dev``.
        wan: The interface where packets arrive.
        dev: The interface in ``commands``.

    Returns:
        The commands, the queue's own ones last.
    """
    # Names of interfaces have 15 characters at most.
    ifb = f"ifb4{wan}"[:15]
    return (
        f"ip link add {ifb} type ifb\nip link set {ifb} up\ntc qdisc replace dev {wan} handle ffff: ingress\n"
        f"tc filter replace dev {wan} parent ffff: matchall action mirred egress redirect dev {ifb}\n"
        + re.sub(rf"\bdev {dev}\b", f"dev {ifb}", commands)
    )


def export(
    settings: Settings, *, params: dict[str, object], dev: str = "eth0", shape: bool = False,
    framing: Framing = NONE, functions: CakeFunctions = NO_FUNCTIONS,
) -> Export:  # fmt: skip
    """``tc`` commands. ``shape`` puts an htb class of the link's rate above the queue, which counts packets as the line
    frames them; ``functions`` are those of a CAKE. Raises ScenarioError."""
    if settings.discipline == "prio":
        return _low_latency(settings, params, dev=dev, shape=shape, framing=framing)
    writer = WRITERS.get(settings.discipline)
    if writer is None:
        refuse(
            "kind",
            settings.discipline,
            f"Linux has no such queue; it has {', '.join(WRITERS)}",
            "choose one of these",
        )
    notes: list[Note] = []
    problems = Problems()
    written = writer(settings, notes, problems)
    problems.raise_if_any()
    assert written is not None, "a writer that finds no problem writes"
    written.words += functions.words
    if not shape and not written.shapes:
        notes.append(bottleneck(dev, settings.rate_bps))
    if shape and written.shapes:
        notes.append(Note("load", "", "CAKE shapes by itself: no class was put above it"))
    lines = _commands(written, settings, dev, shape=shape and not written.shapes, framing=framing)
    return Export(
        "linux",
        settings.discipline,
        dict(params),
        "\n".join(lines) + "\n",
        notes,
        written.discipline,
        written.loaded,
        functions=functions,
    )


def _low_latency(
    settings: Settings, params: dict[str, object], *, dev: str, shape: bool, framing: Framing
) -> Export:
    """A `prio` queue of two bands with a filter for expedited forwarding, policed, above the other queue."""
    notes: list[Note] = []
    parts = llq.parts(settings, "Linux", notes)
    below = llq.inside(parts, export, dev=dev)
    root, lines = "root handle 1:", []
    if shape:
        lines, root = _shaper(settings, dev, framing), "parent 1:1 handle 10:"
    else:
        notes.append(bottleneck(dev, settings.rate_bps))
    major = "10:" if shape else "1:"
    words = below.text.strip().splitlines()[-1].partition(" handle 1: ")[2]
    police = (
        f"police rate {tc.show_rate(parts.police_bps)} burst {max(3000, round(parts.police_bps / 800))} drop"
    )
    lines += [
        f"tc qdisc replace dev {dev} {root} prio bands 2 priomap{' 1' * 16}",
        f"tc qdisc replace dev {dev} parent {major}1 handle 11: pfifo limit {parts.voice_pkts}",
        f"tc qdisc replace dev {dev} parent {major}2 handle 12: {words}",
        f"tc filter replace dev {dev} parent {major} protocol ip prio 1 u32 match ip dsfield 0xb8 0xfc {police} "
        f"flowid {major}1",
    ]
    inner = [one for one in below.notes if one.kind != "load" or one.key]
    kind, loaded = parts.loaded("voice", below)
    return Export("linux", "prio", dict(params), "\n".join(lines) + "\n", [*notes, *inner], kind, loaded)


def _stab(framing: Framing) -> str:
    """The words of a size table, by which shapers count packets as the line frames them (tc-stab(8)): on an Ethernet
    device the kernel counts the 14 bytes of the header already. It has no PTM, of which 65 bytes for each 64 are left
    to the rate."""
    if not framing:
        return ""
    layer = "atm" if framing.cells == "atm" else "ethernet"
    least = f"mpu {framing.mpu} " if framing.mpu else ""
    return f"stab {least}overhead {framing.overhead - tc_cake.ETHERNET} linklayer {layer} "


def _shaper(settings: Settings, dev: str, framing: Framing) -> list[str]:
    """An htb class of the link's rate."""
    rate = tc.show_rate(settings.rate_bps)
    # The bytes of a millisecond and one packet: with a smaller burst a class does not reach its rate.
    burst = max(2 * settings.packet_bytes, round(settings.rate_bps / 8000.0) + settings.packet_bytes)
    return [
        f"tc qdisc replace dev {dev} root handle 1: {_stab(framing)}htb default 1",
        f"tc class replace dev {dev} parent 1: classid 1:1 htb rate {rate} ceil {rate} burst {burst} cburst "
        f"{burst} "
        f"quantum {settings.packet_bytes + 14}",
    ]


def _commands(
    written: TcCommands, settings: Settings, dev: str, *, shape: bool, framing: Framing
) -> list[str]:
    place = f"dev {dev} root handle 1:"
    lines = []
    if shape:
        lines += _shaper(settings, dev, framing)
        place = f"dev {dev} parent 1:1 handle 10:"
    lines.append(f"tc qdisc replace {place} {written.kind} {' '.join(written.words)}")
    lines += [f"tc qdisc change {place} {written.kind} {' '.join(words)}" for words in written.changes]
    return lines
