"""Long flows that start near their share of the link: fast links, long round trips, short queues.

Behind a queue that is short against the round trip a flow leaves slow start far below its share W (packets). CUBIC
grows from there with the cube of time and reaches W after about two times K = cbrt(W (1 - beta) / C) (RFC9438 section
4.2), Reno by a packet a round trip: longer than a warm-up. Slow start that is paced and ends at 85 % of W reaches the
steady state within it. Utilisation (%) in windows of five seconds, with a queue of 2 ms at 1 Gbit/s and 40 ms, 6 ms at
200 Mbit/s and 60 ms:

| link, queue                  | from nothing, after 5 s | 10 s | 20 s | near the share, after 5 s |
|------------------------------|------------------------:|-----:|-----:|--------------------------:|
| 1 Gbit/s, 12 flows, tail drop|                      81 |   91 |   97 |                        97 |
| 1 Gbit/s, 12 flows, PIE      |                      57 |   95 |  100 |                       100 |
| 1 Gbit/s, 20 Reno, PIE       |                      76 |   98 |   99 |                       100 |
| 200 Mbit/s, 5 flows, PIE     |               77 (7 s)  |   94 |  100 |                  99 (7 s) |

At 10 Gbit/s over 40 ms, 50 flows behind tail drop use 58 % after 5 s and 93 % after 14 s from nothing, 98 % after 3 s
near their share. Two or three flows still overflow a short queue together: their warm-up lasts until they settle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

#: CUBIC's constant (packets / s^3) and factor of decrease (RFC9438).
C, BETA = 0.4, 0.7
#: Latest start of a flow (s), and the times K after it until it fills its share.
START_S, TIMES = 2.0, 2.0
#: Seconds after the warm-up from which on the start is a part of the figures that matters.
LATE_S = 2.0
#: Bound as a share of the round trip below which a queue is short: between a fifth (steady) and a tenth (not).
SHORT = 0.15
#: Share of a flow's share at which slow start ends: the mean of a window of CUBIC that fills it.
NEAR = 0.85
#: Flows from which on the first overflow is none of all of them.
MANY = 5


@dataclass(frozen=True)
class LongFlows:
    """The long flows of a condition, and the bound on the queueing delay that they meet (s)."""

    rate_bps: float
    rtt_s: float
    flows: float
    tcp: str
    bound_s: float | None
    packet_bytes: int

    @property
    def window(self) -> float:
        """The share of a flow, in packets."""
        return self.rate_bps * self.rtt_s / (8 * self.packet_bytes) / max(1.0, self.flows)

    @property
    def settled_s(self) -> float:
        """Seconds until the flows fill the link behind a short queue, if each starts from nothing.

        Example:
            >>> round(LongFlows(10e9, 0.04, 50, "cubic", 0.002, 1500).settled_s, 1)
            17.9
        """
        if self.tcp == "reno":
            return START_S + self.window * self.rtt_s
        return START_S + TIMES * float((self.window * (1.0 - BETA) / C) ** (1 / 3))

    def late(self, warmup_s: float) -> bool:
        """Whether the flows would fill the link behind a short queue only after a warm-up."""
        short = self.bound_s is not None and self.bound_s < SHORT * self.rtt_s
        return short and self.settled_s > warmup_s + LATE_S

    def longer(self, warmup_s: float) -> float:
        """Whole seconds to add to a warm-up so that few flows settle in it."""
        if not self.late(warmup_s) or self.flows >= MANY:
            return 0.0
        return float(math.ceil(self.settled_s - warmup_s))

    def keys(self, warmup_s: float) -> str:
        """Keys of the flows' start in a scenario."""
        if not self.late(warmup_s):
            return f'start = "uniform 0 s to {min(2.0, warmup_s / 2):g} s"'
        near = max(2, round(NEAR * self.window))
        return f'start = "uniform 0 s to 1 s"\npacing = "start"\ninitial_ssthresh = {near}'
