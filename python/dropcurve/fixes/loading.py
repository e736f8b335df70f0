"""A design as the box of an imported queue loads it in the queue's place, by the names of its text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..boxes import export, kinds
from ..boxes.cake_functions import CakeFunctions
from ..boxes.model import NEEDS_SHAPER, Export, Note, bottleneck
from ..errors import DropcurveError
from ..quantities import units
from .place import ETHERNET, SELF_SHAPED, Place

#: Disciplines that Linux only has with their own shaper.
SHAPING = ("cake", "cobalt")
#: Boxes whose exports have an option for a shaper.
SHAPED = ("linux", "ios", "junos", "mikrotik")
#: The shaper of boxes whose schedulers are tables of their own, which `fix` leaves as they are (sonic-scheduler.yang,
#: openconfig-qos.yang).
SHAPERS = {
    "sonic": 'otherwise give the queue a SCHEDULER with meter_type "bytes", and cir and pir "{bytes}"',
    "openconfig": "otherwise give the queue a scheduler with one-rate-two-color and a cir of {bits}",
}
#: Ratio of two rates that count as the same.
ALIKE = 1.02
#: Boxes whose exports have no interface.
NO_INTERFACE = ("dummynet",)


def export_at(
    where: Place, kind: str, params: dict[str, Any], *, shape: bool, functions: CakeFunctions | None = None
) -> Export | None:
    """A design as the box loads it; None where the box refuses it, or it contradicts the buffer.

    Args:
        where: The queue in its place.
        kind: The discipline.
        params: Its parameters.
        shape: Puts a shaper above the queue, where the text has none and its place can have one.
        functions: Those of a CAKE; by default the usual ones of the place.
    """
    box = where.imported.box
    known = kinds(box)
    if kind not in known and not (kind == "ared" and "red" in known):
        return None
    if not _has_room(where, kind):
        return None
    if kind == "cake":
        params = where.kept | params
    if box == "linux":
        params = {key: value for key, value in params.items() if key != "above_max"}
    rate = where.rate_bps
    if kind not in SELF_SHAPED and box not in ("sqm", "linux"):
        # Shapers of these boxes count the Ethernet header alone.
        rate *= where.share_of(counted=ETHERNET)
    options = _options(where, kind, shape=shape)
    if kind == "cake":
        options["functions"] = where.functions if functions is None else functions
    try:
        exported = export(kind, params, box=box, rate_bps=rate, framing=where.framing, **options)
        where.put(exported.discipline_as_loaded, exported.params_as_loaded, exported.functions)
    except DropcurveError:
        return None
    shapes = bool(_options(where, kind, shape=True).get("shape"))
    return replace(exported, notes=[_at_place(one, where, rate, shapes) for one in exported.notes])


def _has_room(where: Place, kind: str) -> bool:
    """Whether the place of the queue can have a discipline of this kind."""
    queue = where.imported
    if queue.box == "dummynet":
        return _schedules(queue.title, kind)
    if queue.box == "altq" and queue.scheduler:
        # FAIRQ has fair queues alone, the other schedulers have none.
        return (kind == "drr") == (queue.scheduler == "fairq")
    if queue.box != "linux":
        return True
    if kind in SHAPING and queue.share_bps is not None:
        # Its own shaper would limit the class to its share, although it may borrow unused rate of other classes.
        return False
    if _at_root(where) or "bandwidth" not in queue.params or kind in SELF_SHAPED:
        return True
    # The rate of a queue that shapes itself goes with it, unless its class has the same.
    return queue.port_bps is not None and queue.port_bps <= ALIKE * (queue.rate_bps or 0.0)


def _at_root(where: Place) -> bool:
    """Whether a queue of Linux is that of its interface, or becomes it in place of a policer."""
    return where.policed or "parent" not in where.imported.title.split()


def _schedules(title: str, kind: str) -> bool:
    """Whether dummynet can have a discipline in this place: a scheduler has fair queues alone, and would serve the
    other queues of its pipe too if it took the place of one of them."""
    label = title.split()[0]
    return label == "pipe" or (kind in ("fq_codel", "fq_pie")) == (label == "sched")


def _options(where: Place, kind: str, *, shape: bool) -> dict[str, Any]:
    """The options of an export: whether it has a shaper, and the names of the text."""
    queue, box = where.imported, where.imported.box
    # A queue that shapes itself takes its shaper along when it goes.
    shape = (
        shape
        or where.policed
        or ("bandwidth" in queue.params and kind not in SELF_SHAPED)
        or (box == "linux" and queue.rate_bps is not None)
    )
    options: dict[str, Any] = {"dev": queue.dev} if queue.dev and box not in NO_INTERFACE else {}
    if box == "linux":
        # The queues around would lose their places to a shaper at the root.
        options["shape"] = shape and _at_root(where)
    elif box in SHAPED:
        options["shape"] = shape and (where.policed or _takes_shaper(where))
        if box == "junos" and (queue.rate_bps is not None or queue.share_bps is not None):
            options["interface_bps"] = queue.rate_bps or where.line_bps
    elif box == "vyos" and "/" in queue.title:
        options["inside"] = queue.title
    elif box == "vyos":
        options |= {"shape": shape or queue.rate_bps is not None, "name": queue.title}
    elif box == "dummynet":
        # Another pipe of the text may have the number that an export has by default.
        options["name"] = queue.title.split()[-1]
    elif box == "altq":
        options |= {"inside": queue.scheduler, **({"name": queue.title} if queue.scheduler else {})}
    elif box == "openbsd":
        options["name"] = queue.title
    back = where.base.resolved["dumbbell"].get("back", {})
    if box == "sqm" and "rate" in back:
        side = "down" if queue.title.endswith("download") else "up"
        options |= {"direction": side, "other_bps": units.rate(back["rate"])}
    return options


def _takes_shaper(where: Place) -> bool:
    """Whether the text of a router can get a shaper for the queue: it has none, and the place is known."""
    queue = where.imported
    if queue.rate_bps is not None or queue.share_bps is not None:
        return False
    # A simple queue and a tree of RouterOS hold their own rate.
    return bool(queue.dev) and (queue.box != "mikrotik" or queue.dev == queue.title)


def _at_place(note: Note, where: Place, rate_bps: float, shapes: bool) -> Note:
    """The note that the queue must form here with the interface of the text, and the verb that has the option."""
    if NEEDS_SHAPER not in note.text:
        return note
    dev = where.imported.dev or "the interface of this queue"
    if where.imported.share_bps is not None and where.line_bps:
        # A class: the queue forms where the whole link is full.
        rate_bps, shapes = where.line_bps, False
    plain = bottleneck(dev, rate_bps, shaper=shapes and "--shape" in note.text, verb="fix")
    words = SHAPERS.get(where.imported.box, "").format(bits=round(rate_bps), bytes=round(rate_bps / 8.0))
    return replace(plain, text=f"{plain.text}; {words}") if words else plain
