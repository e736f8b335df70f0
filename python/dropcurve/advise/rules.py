"""Rules of thumb: Floyd's for RED, Firoiu and Borden's for its average, and how large a buffer should be.

References: FJ93, Floyd97, Floyd00, FGS01, FB00, VS94, AKM04. Units: queues in packets, capacity C in packets a
second, times in seconds.
"""

from __future__ import annotations

import math

#: Weight that the old average keeps after the averaging interval (FB00).
REMAINING = 0.1


def thresholds(capacity: float, target_delay_s: float) -> tuple[float, float]:
    """(min_th, max_th): min_th = max(5, C d/2), max_th = 3 min_th, so that their middle is the wanted delay d
    (FGS01).
    """
    low = max(5.0, capacity * target_delay_s / 2.0)
    return low, 3.0 * low


def weight_for_second(capacity: float) -> float:
    """w_q = 1 - e^(-1/C): a time constant of one second (FGS01)."""
    return -math.expm1(-1.0 / capacity)


def weight_for_interval(capacity: float, interval_s: float) -> float:
    """w_q = 1 - 0.1^(1/(C I)): after an interval I of back-to-back packets a tenth of the old average is left
    (FB00).
    """
    return -math.expm1(math.log(REMAINING) / (capacity * interval_s))


def most_weight(min_th: float, burst: int) -> float:
    """The greatest `w_q` with which a burst of L packets into an empty queue meets no drop or mark: L + 1 +
    ((1-w)^(L+1) - 1)/w < min_th (FJ93, section 6). 1 if every weight allows it."""

    def after(w: float) -> float:
        return burst + 1.0 + math.expm1((burst + 1.0) * math.log1p(-w)) / w

    low, high = 1e-12, 1.0 - 1e-12
    if after(high) < min_th:
        return 1.0
    for _ in range(80):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if after(middle) < min_th else (low, middle)
    return low


def bandwidth_delay(capacity: float, rtt_s: float) -> float:
    """Bandwidth-delay product in packets: the buffer with which the halved window of one flow still fills the link
    (VS94).
    """
    return capacity * rtt_s


def bounded(capacity: float, bound_s: float) -> float:
    """Packets that the link sends within a delay bound: a limit of this size bounds the delay. At least 1."""
    return max(1.0, math.floor(capacity * bound_s + 1e-9))


def many_flows(capacity: float, rtt_s: float, flows: int) -> float:
    """R C / sqrt(N): enough for N long flows that are not synchronised (AKM04)."""
    return capacity * rtt_s / math.sqrt(flows)
