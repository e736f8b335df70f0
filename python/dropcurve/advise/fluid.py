"""The fluid model of TCP under AQM: its linearisation, stability, and the designs that follow from it.

References: MGT00 (the model), HMTG01a (linearisation and the design rule for RED), HMTG01 (the PI controller).
Units: queues in packets, capacity C in packets a second, frequencies in rad/s, times in seconds.

    dW/dt = 1/R(t) - W(t) W(t-R) p(t-R) / (2 R(t-R)),   dq/dt = N W/R - C,   R = R_p + q/C

About (W0, p0, q0) the loop from the share of packets marked to the queue is, with R0 = R_p + q0/C,

    P(s) = (C^2/2N) e^(-s R0) / ((s + 2N/(R0^2 C)) (s + 1/R0))

RED closes it with its slope L and the low-pass of its average, L/(1 + s/K), K = -C ln(1 - w_q); PI with K (1 +
s/z)/s. The derivation supposes windows of many packets and one acknowledgement for each. With an acknowledgement for
`b` packets dW/dt = 1/(b R) - ..., so W0^2 p0 = 2/b: the corner becomes 2N/(b R0^2 C), and P(0) = b (R C)^3/(2N)^2.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from dataclasses import dataclass

from .link_conditions import Point

#: A transfer function: of s in rad/s.
Transfer = Callable[[complex], complex]


@dataclass(frozen=True)
class Margins:
    """Stability margins of a loop: the factor its gain may grow by, the phase left in degrees, and the frequency
    where its gain is 1. Both margins must exceed 1 and 0 for the linear loop to be stable. NaN where the gain never
    crosses 1."""

    gain: float
    phase_deg: float
    crossover: float

    @property
    def stable(self) -> bool:
        """Whether the linear loop is stable."""
        return self.gain > 1.0


def plant(point: Point, queue: float, *, b: int = 1) -> Transfer:
    """P(s), the transfer function from the share of packets marked to the queue, at a standing queue."""
    rtt, n, c = point.round_trip(queue), point.flows, point.capacity
    corner = 2.0 * n / (b * rtt * rtt * c)
    top = c * c / (2.0 * n)
    return lambda s: top * cmath.exp(-s * rtt) / ((s + corner) * (s + 1.0 / rtt))


def red(slope: float, w_q: float, capacity: float) -> Transfer:
    """RED: `slope` is the share of packets dropped or marked per packet of average."""
    pole = -capacity * math.log1p(-w_q)
    return lambda s: slope / (1.0 + s / pole)


def pi(gain: float, zero: float) -> Transfer:
    """The PI controller K (1 + s/z)/s."""
    return lambda s: gain * (1.0 + s / zero) / s


def margins(plant_: Transfer, controller: Transfer, *, rtt_s: float) -> Margins:
    """Gain and phase margins of a loop by its frequency response, followed from far below the round trip to far
    above.
    """
    grid = [math.exp(math.log(1e-5 / rtt_s) + i * math.log(1e8) / 1500) for i in range(1501)]
    response = [plant_(1j * w) * controller(1j * w) for w in grid]
    phase, size = _unwrapped(response), [abs(value) for value in response]
    gain, crossover, left = math.inf, math.nan, math.nan
    for i in range(len(grid) - 1):
        if phase[i] > -math.pi >= phase[i + 1] and math.isinf(gain):
            gain = 1.0 / _at(phase[i], phase[i + 1], -math.pi, size[i], size[i + 1])
        if size[i] >= 1.0 > size[i + 1] and math.isnan(crossover):
            crossover = _at(math.log(size[i]), math.log(size[i + 1]), 0.0, grid[i], grid[i + 1])
            here = _at(math.log(size[i]), math.log(size[i + 1]), 0.0, phase[i], phase[i + 1])
            left = math.degrees(math.pi + here)
    return Margins(gain, left, crossover)


def _unwrapped(response: list[complex]) -> list[float]:
    """Phases without jumps, in radians."""
    phases: list[float] = []
    turns = 0.0
    for value in response:
        here = cmath.phase(value) + turns
        if phases and here - phases[-1] > math.pi:
            here, turns = here - 2 * math.pi, turns - 2 * math.pi
        phases.append(here)
    return phases


def _at(a: float, b: float, level: float, first: float, second: float) -> float:
    """Straight-line reading of a second quantity where a first one passes `level` between `a` and `b`."""
    return first if a == b else first + (second - first) * (level - a) / (b - a)


@dataclass(frozen=True)
class RedRule:
    """HMTG01a's rule: `left` = L b (R C)^3/(2N)^2 must not exceed `right` = sqrt(wg^2/K^2 + 1)."""

    left: float
    right: float
    w_g: float

    @property
    def holds(self) -> bool:
        """Whether RED is stable for this many flows or more, this round trip or less."""
        return self.left <= self.right


def red_rule(*, slope: float, w_q: float, flows: int, rtt_s: float, capacity: float, b: int = 1) -> RedRule:
    """Checks a setting of RED; `rtt_s` is the greatest round trip, queueing included, `flows` the least number."""
    w_g = slow_corner(flows, rtt_s, capacity, b)
    pole = -capacity * math.log1p(-w_q)
    return RedRule(slope * loop_gain(flows, rtt_s, capacity, b), math.hypot(w_g / pole, 1.0), w_g)


def red_weight(*, slope: float, flows: int, rtt_s: float, capacity: float, b: int = 1) -> float:
    """The greatest `w_q` that HMTG01a's rule allows for a slope; 1 if it allows any."""
    gain = slope * loop_gain(flows, rtt_s, capacity, b)
    if gain <= 1.0:
        return 1.0
    pole = slow_corner(flows, rtt_s, capacity, b) / math.sqrt(gain * gain - 1.0)
    return -math.expm1(-pole / capacity)


def slow_corner(flows: int, rtt_s: float, capacity: float, b: int = 1) -> float:
    """w_g = 0.1 min(2N/(b R^2 C), 1/R), where the rule puts the crossover."""
    return 0.1 * min(2.0 * flows / (b * rtt_s * rtt_s * capacity), 1.0 / rtt_s)


def loop_gain(flows: int, rtt_s: float, capacity: float, b: int = 1) -> float:
    """P(0) = b (R C)^3/(2N)^2: packets of queue for a unit of loss."""
    return float(b * (rtt_s * capacity) ** 3 / (2.0 * flows) ** 2)


def pi_design(*, flows: int, rtt_s: float, capacity: float, b: int = 1) -> tuple[float, float]:
    """(K, z) by HMTG01: the zero on the corner of the windows, 2N/(b R^2 C), and the crossover there too, or at 0.5/R
    where that is lower, which leaves the delay a phase of half a radian."""
    zero = 2.0 * flows / (b * rtt_s * rtt_s * capacity)
    w_g = min(zero, 0.5 / rtt_s)
    return w_g * math.hypot(w_g * rtt_s, 1.0) / loop_gain(flows, rtt_s, capacity, b), zero
