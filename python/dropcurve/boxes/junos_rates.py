"""Rates that statements of Junos give: of an interface, and of a scheduler on it.

Reference: JunosCoS.
"""

from __future__ import annotations

from ..quantities import units
from .numbers import one_of, real, word_after

#: In place of a percentage: an equal share of what the other schedulers leave.
REMAINDER = -1.0


def of_interface(lines: list[list[str]], scheduler: str) -> float | None:
    """The shaping rate in bit/s of the interface that a scheduler is on; the first of the text where no interface has
    a map with the scheduler."""
    shapers = [one for one in lines if "shaping-rate" in one and "schedulers" not in one]
    maps = {word_after(one, "scheduler-maps") for one in lines if one[-2:] == ["scheduler", scheduler]}
    users = [one for one in lines if one[-2:-1] == ["scheduler-map"] and one[-1] in maps]
    profiles = {word_after(one, "traffic-control-profiles") for one in users} - {""}
    users += [
        one for one in lines if one[-2:-1] == ["output-traffic-control-profile"] and one[-1] in profiles
    ]
    for place in (one[:-2] for one in users):
        # A unit without a rate has that of its port.
        port = place[: place.index("unit")] if "unit" in place else place
        for level in (place, port):
            rate = shaped([one for one in shapers if one[: one.index("shaping-rate")] == level])
            if rate is not None:
                return rate
    return None if users else shaped(shapers)


def shaped(lines: list[list[str]], rate: float | None = None) -> float | None:
    """The first shaping rate, in bit/s; a percentage is of ``rate``."""
    for one in lines:
        if one[-3:-1] == ["shaping-rate", "percent"] and rate is not None:
            return real(one[-1], "shaping-rate percent") / 100.0 * rate
    stated = (one[-1] for one in lines if one[-2:-1] == ["shaping-rate"])
    return next((units.rate(f"{metric(one)} bit/s") for one in stated if one != "0"), None)


def stated(lines: list[list[str]], key: str, rate: float | None) -> float | None:
    """The percentage in a statement of a scheduler, `REMAINDER` for what others leave; None without the statement, and
    for a rate where that of the interface is not known."""
    for words in lines:
        if key not in words:
            continue
        value = words[words.index(key) + 1 :]
        if value[:1] == ["percent"]:
            return real(one_of(value, 1), f"{key} percent")
        if value[:1] == ["remainder"]:
            return REMAINDER
        if one_of(value, 0)[:1].isdecimal() and rate:
            return 100.0 * float(metric(value[0])) / rate
    return None


def metric(text: str) -> str:
    """``100m`` as a plain number of bits a second."""
    factor = {"k": 10**3, "m": 10**6, "g": 10**9}.get(text[-1:].lower(), 1)
    return str(int(real(text.rstrip("kmgKMG"), "rate") * factor))
