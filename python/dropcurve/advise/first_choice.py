"""The design to start with, and the reason, from the figures that the models expect of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..quantities import units
from .designs import SLOWEST_S, Design
from .link_conditions import Conditions

#: Regimes in which a discipline acts by itself, not by overflow or at the jump of its curve.
ACTING = ("curve", "held")
#: Least gain margin of a loop, 6 dB.
MARGIN = 2.0
#: Rounding of parameters, by which an expected delay may exceed the one aimed at.
ROUNDING = 1.02


@dataclass(frozen=True)
class FirstChoice:
    """A design, its place in the list of designs from 1, and the sentences that open the advice."""

    design: Design
    number: int
    sentences: tuple[str, ...]


def first_choice(conditions: Conditions, designs: Sequence[Design]) -> FirstChoice:
    """The design to start with.

    It is the one with the fastest loop of those that keep the delay aimed at and have a gain margin of `MARGIN` under
    every condition. If only slow or unstable designs keep the delay it is CoDel, whose loop has no model; if none does,
    the design with the shortest delay.

    Args:
        conditions: The conditions.
        designs: For these conditions, CoDel and at least one more with expected figures.

    Returns:
        The design with the reason in sentences.

    Example:
        >>> advice = advise(rate="10Mbit", rtt="40ms", flows=8)
        >>> first_choice(advice.conditions, advice.designs).design.name
    """
    step = next((one for one in designs if one.discipline == "step_marking"), None)
    if step is not None:
        return _step(conditions, designs, step)
    acting = [one for one in designs if one.expected and all(row.at.regime in ACTING for row in one.expected)]
    keeping = [one for one in acting if _worst_s(one) <= conditions.aim_s * ROUNDING]
    stable = [one for one in keeping if _gain(one) >= MARGIN and _response_s(one) <= SLOWEST_S]
    where = (
        "at " + conditions.middle.label() if len(list(conditions.points())) == 1 else "under every condition"
    )
    aim = f"the {units.show_span(conditions.aim_s)} aimed at"
    if stable:
        chosen = min(stable, key=_response_s)
        fastest = ", the fastest of those within it" if len(stable) > 1 else ""
        response = units.show_span(float(f"{_response_s(chosen):.2g}"))
        reason = (
            f"the models expect {_delay(chosen)} of queueing delay {where}, within {aim}, and a stable loop: it "
            f"answers a change of load in about {response}{fastest}, and its gain may grow {_times(_gain(chosen))} "
            "before it oscillates"
        )
    elif keeping and (codel := next((one for one in acting if one.discipline == "codel"), None)):
        chosen = codel
        beyond = "within" if codel in keeping else "beyond"
        reason = (
            f"the models expect {_delay(chosen)} of queueing delay {where}, {beyond} {aim}; of the designs with a "
            "model of the loop none keeps that delay, is stable and answers within ten seconds"
        )
    else:
        chosen = min(acting or [one for one in designs if one.expected], key=_worst_s)
        reason = f"{where} no design is expected to stay within {aim}; this one comes closest, with {_delay(chosen)}"
        loops = [row.margins for row in chosen.expected]
        if any(one is not None and one.gain <= 1.0 for one in loops):
            reason += ", but its loop is not stable under every condition"
    opening = f"Start with {chosen.name} (number {designs.index(chosen) + 1} below): {reason}."
    return FirstChoice(chosen, designs.index(chosen) + 1, (opening, *_fair(designs)))


def _step(conditions: Conditions, designs: Sequence[Design], step: Design) -> FirstChoice:
    """The step for senders of DCTCP, whose steady queue is a little above its threshold."""
    number = designs.index(step) + 1
    threshold = units.packets(step.params["threshold"], packet_bytes=conditions.packet_bytes)
    delay = units.show_span(float(f"{threshold / conditions.capacity:.2g}"))
    opening = (
        f"Start with {step.name} (number {number} below): the senders are DCTCP, which keeps the queue near the "
        f"threshold of {threshold:g} packets ({delay}); the models of the other designs are those of senders that "
        "halve their windows."
    )
    return FirstChoice(step, number, (opening, *_fair(designs)))


def _fair(designs: Sequence[Design]) -> tuple[str, ...]:
    """Sentence on the fair queue, which has no expected figures, and on what decides."""
    number = next((i for i, one in enumerate(designs, start=1) if one.discipline == "fq_codel"), None)
    fair = (
        f"FQ-CoDel ({number}) also isolates calls from transfers, but has no figures here. " if number else ""
    )
    return (f"{fair}Nothing is simulated: compare or tune decides between them.",)


def _worst_s(design: Design) -> float:
    return max(row.at.rtt_s - row.point.rtt_s for row in design.expected)


def _gain(design: Design) -> float:
    """The least gain margin; 0 where a condition has no model of the loop."""
    return min(0.0 if row.margins is None else row.margins.gain for row in design.expected)


def _response_s(design: Design) -> float:
    """The longest time constant of the loop: the inverse of its crossover; infinite without one."""
    crossovers = [math.nan if row.margins is None else row.margins.crossover for row in design.expected]
    return max(1.0 / each if each > 0.0 else math.inf for each in crossovers)


def _delay(design: Design) -> str:
    shown = sorted(float(f"{1000.0 * (row.at.rtt_s - row.point.rtt_s):.3g}") for row in design.expected)
    return f"{shown[0]:g} ms" if shown[0] == shown[-1] else f"{shown[0]:g} to {shown[-1]:g} ms"


def _times(gain: float) -> str:
    return f"{min(gain, 1000.0):.0f} times" if gain >= 10.0 else f"{gain:.2g} times"
