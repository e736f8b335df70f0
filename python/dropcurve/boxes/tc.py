"""The box "linux": whole ``tc`` commands around the words of `tc_write`, and the shaper where the link needs one."""

from __future__ import annotations

from . import tc_numbers as tc
from .model import Export, Note, Problems, bottleneck, refuse
from .settings import Settings
from .tc_write import WRITERS
from .tc_written import Written


def export(given: Settings, *, params: dict[str, object], dev: str = "eth0", shape: bool = False) -> Export:
    """``tc`` commands. ``shape`` puts an htb class of the link's rate above the queue. Raises ScenarioError."""
    writer = WRITERS.get(given.discipline)
    if writer is None:
        refuse(
            "kind",
            given.discipline,
            f"Linux has no such queue; it has {', '.join(WRITERS)}",
            "choose one of these",
        )
    notes: list[Note] = []
    problems = Problems()
    written = writer(given, notes, problems)
    problems.raise_if_any()
    assert written is not None, "a writer that finds no problem writes"
    if not shape and not written.shapes:
        notes.append(bottleneck(dev, given.rate_bps))
    if shape and written.shapes:
        notes.append(Note("load", "", "CAKE shapes by itself: no class was put above it"))
    lines = _commands(written, given, dev, shape=shape and not written.shapes)
    return Export(
        "linux",
        given.discipline,
        dict(params),
        "\n".join(lines) + "\n",
        notes,
        written.discipline,
        written.loaded,
    )


def _commands(written: Written, given: Settings, dev: str, *, shape: bool) -> list[str]:
    place = f"dev {dev} root handle 1:"
    lines = []
    if shape:
        rate = tc.show_rate(given.rate_bps)
        # What leaves in a millisecond, and a packet: a class that may send less at once misses its rate.
        burst = max(2 * given.packet_bytes, round(given.rate_bps / 8000.0) + given.packet_bytes)
        lines += [
            f"tc qdisc replace dev {dev} root handle 1: htb default 1",
            f"tc class replace dev {dev} parent 1: classid 1:1 htb rate {rate} ceil {rate} burst {burst} cburst "
            f"{burst} "
            f"quantum {given.packet_bytes + 14}",
        ]
        place = f"dev {dev} parent 1:1 handle 10:"
    lines.append(f"tc qdisc replace {place} {written.kind} {' '.join(written.words)}")
    lines += [f"tc qdisc change {place} {written.kind} {' '.join(words)}" for words in written.changes]
    return lines
