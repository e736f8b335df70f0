"""Customary designs: the scale of a family at a share of a bound, its other parameters as in the documents."""

from __future__ import annotations

from .search_space import Coordinates, Family, Sizing

#: Rules of thumb: scale of the first evaluation as a share of the bound on the delay, by discipline.
SHARES = {
    "droptail": 0.95, "pie": 0.45, "fq_pie": 0.45, "dualpi2": 0.45, "codel": 0.35, "fq_codel": 0.35,
    "cobalt": 0.35, "ared": 0.5, "pi": 0.5, "red": 0.25, "choke": 0.25, "nlred": 0.25, "wred": 0.25,
}  # fmt: skip
#: Share of the bound for the lower threshold of a narrow ramp.
NARROW = 0.5


def customary(family: Family, sizing: Sizing, bound: float, share: float | None = None) -> Coordinates:
    """The parameters of a family with its scale at ``share`` of a bound (s), the others at customary values.

    The interval of CoDel is the longest round trip, RED averages over one, with ``max_th`` at three times ``min_th``
    and ``max_p`` at 0.1; the rest as in the discipline's own document, or as the catalogue has it.
    """
    share = SHARES.get(family.kind, 0.5) if share is None else share
    axis = family.axes[family.scale]
    delay = share * bound
    levels = {"s": delay, "pkts": delay * sizing.capacity, "B": delay * sizing.capacity * 1500.0}
    usual = {
        "ratio": 3.0, "max_p": 0.1, "memory_s": max(sizing.rtt_s, 2.0 / sizing.capacity), "t_update": 0.015,
        "alpha": 0.125, "beta": 1.25, "interval": 0.1,
    }  # fmt: skip
    if family.kind in ("codel", "cobalt", "fq_codel"):
        usual["interval"] = max(sizing.rtt_s, 0.02)
    if family.kind == "dualpi2":
        usual |= {"t_update": 0.016, "alpha": 0.16, "beta": 3.2, "step": 0.067}
    if family.kind == "ared":
        usual["interval"] = 0.5
    usual |= family.usual
    coordinates = {name: usual.get(name, one.at(0.5)) for name, one in family.axes.items()}
    # A scale without a unit, such as a target utilisation, does not follow from a delay.
    coordinates[family.scale] = levels.get(axis.unit, coordinates[family.scale])
    return {name: min(max(coordinates[name], one.low), one.high) for name, one in family.axes.items()}


def short_memory(family: Family, sizing: Sizing, bound: float) -> Coordinates | None:
    """A second design of the families that average the queue: over five packets, with a narrow ramp, so that it acts on
    the present queue as tail drop does, but earlier; None for other families."""
    if "memory_s" not in family.axes:
        return None
    at = customary(family, sizing, bound, NARROW) | {
        "ratio": 1.5,
        "max_p": 0.05,
        "memory_s": 5.0 / sizing.capacity,
    }
    return {name: min(max(at[name], one.low), one.high) for name, one in family.axes.items()}
