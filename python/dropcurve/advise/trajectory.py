"""The fluid model of TCP under RED or PI, integrated, to check the linear margins.

Reference: MGT00. Units: windows and queues in packets, times in seconds. Deviations: none in the equations; `b`
packets share an acknowledgement, which divides the growth. Steps are of a fixed length, with the delayed values
looked up in the past.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from .equilibrium import Curve
from .link_conditions import Point


@dataclass(frozen=True)
class Trajectory:
    """Time, mean window, queue and average queue, one entry each step of ``step_s``."""

    step_s: float
    window: list[float]
    queue: list[float]
    average: list[float]

    def range_at_end(self, last_s: float) -> tuple[float, float]:
        """(mean, half of the span) of the queue over the last seconds."""
        tail = self.queue[-max(1, round(last_s / self.step_s)) :]
        return sum(tail) / len(tail), (max(tail) - min(tail)) / 2.0


def under_red(
    curve: Curve,
    point: Point,
    *,
    w_q: float,
    seconds: float,
    b: int = 1,
    start: tuple[float, float] = (1.0, 0.0),
) -> Trajectory:
    """Integrates from a window and a queue; RED drops or marks the share that its curve has at the average."""
    pole = -point.capacity * math.log1p(-w_q)

    def respond(state: list[float], queue: float, step_s: float) -> float:
        state[0] += (queue - state[0]) * -math.expm1(-pole * step_s)
        return curve.taken(state[0])

    return _integrate(respond, [start[1]], point, limit=curve.limit, seconds=seconds, b=b, start=start)


def under_pi(
    gain: float, zero: float, q_ref: float, point: Point, *, seconds: float, limit: float = math.inf, b: int = 1,
    start: tuple[float, float] = (1.0, 0.0),
) -> Trajectory:  # fmt: skip
    """Integrates from a window and a queue under the PI controller K (1 + s/z)/s, whose integral stays between 0 and
    1."""

    def respond(state: list[float], queue: float, step_s: float) -> float:
        state[1] = min(1.0, max(0.0, state[1] + gain * (queue - q_ref) * step_s))
        state[0] = queue
        return min(1.0, max(0.0, state[1] + gain / zero * (queue - q_ref)))

    return _integrate(respond, [start[1], 0.0], point, limit=limit, seconds=seconds, b=b, start=start)


def _integrate(
    respond: Callable[[list[float], float, float], float],
    state: list[float],
    point: Point,
    *,
    limit: float,
    seconds: float,
    b: int,
    start: tuple[float, float],
) -> Trajectory:
    """dW/dt = 1/(b R) - W W(t-R) p(t-R)/(2 R(t-R)) and dq/dt = N W/R - C, the queue between 0 and the limit."""
    n, capacity = point.flows, point.capacity
    step_s = point.rtt_s / 40.0
    window, queue = start
    windows, queues, averages, losses, trips = [window], [queue], [state[0]], [0.0], [point.round_trip(queue)]
    for i in range(round(seconds / step_s)):
        trip = point.round_trip(queue)
        then = max(0, i - round(trip / step_s))
        loss = respond(state, queue, step_s)
        lost = losses[then] * windows[then] / trips[then]
        window = max(1.0, window + step_s * (1.0 / (b * trip) - window / 2.0 * lost))
        queue = min(limit, max(0.0, queue + step_s * (n * window / trip - capacity)))
        for series, value in (
            (windows, window),
            (queues, queue),
            (averages, state[0]),
            (losses, loss),
            (trips, trip),
        ):
            series.append(value)
    return Trajectory(step_s, windows, queues, averages)
