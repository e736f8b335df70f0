"""Google congestion control, delay-based half: a transcription of draft-ietf-rmcat-gcc-02 sections 5.1 to 5.5.

Times are in milliseconds, rates in bits per second. A trace is a flow over a link whose rate falls and rises; the flow
follows the estimate. A line is `departure_us arrival_us bytes`; where a group ends, `m threshold signal` follow; after
`|`, where the rate control has run, `state rate`.
"""

import math
import pathlib
import random

OUT = pathlib.Path("crates/transport/tests/traces")
BURST_TIME, Q, E_0, CHI, TH_0, OVERUSE_TIME, K_U, K_D, T, BETA = (
    5,
    1e-3,
    0.1,
    0.01,
    12.5,
    10,
    0.01,
    0.00018,
    500,
    0.85,
)
#: What the draft leaves open: groups of f_max, the first variance, bounds of the rate, the least deviation.
K, VAR_0, LEAST, MOST, FLOOR = 25, 1.0, 100e3, 50e6, 0.02


class Gcc:
    """Delay-based control of one flow."""

    def __init__(self, rate, gain, unconfirmed, longest, bound):
        self.rate, self.gain, self.unconfirmed, self.longest, self.bound = (
            rate,
            gain,
            unconfirmed,
            longest,
            bound,
        )
        self.group = self.before = None
        self.intervals = []
        self.m, self.e, self.var = 0.0, E_0, VAR_0
        self.groups, self.compared = 0, 0.0
        self.th, self.signal, self.over_since = TH_0, "normal", None
        self.state, self.updated = "increase", None
        self.received, self.first = [], None
        self.average = self.variance = None

    def packet(self, departure, arrival, size):
        """A packet arrives in order; returns whether a group ended."""
        self.received.append((arrival, 8 * size))
        if self.first is None:
            self.first = arrival
        if self.group is None:
            self.group = [departure, departure, arrival, arrival]
            return False
        first, last, first_arrival, last_arrival = self.group
        variation = (arrival - last_arrival) - (departure - last)
        sent_together = departure - first < BURST_TIME
        burst = arrival - last_arrival < BURST_TIME and variation < 0
        if self.longest is not None:
            burst = burst and arrival - first_arrival < self.longest
        if sent_together or burst:
            self.group = [first, departure, first_arrival, arrival]
            return False
        ended = self.before is not None
        if ended:
            self.sample(*self.before, last, last_arrival)
        self.before = (last, last_arrival)
        self.group = [departure, departure, arrival, arrival]
        return ended

    def sample(self, T_before, t_before, T_i, t_i):
        """Sections 5.3 and 5.4: filter, threshold, detector."""
        d = t_i - t_before - (T_i - T_before)
        if T_i > T_before:
            self.intervals = [*self.intervals, T_i - T_before][-K:]
        f_max = max((1 / interval for interval in self.intervals), default=1 / BURST_TIME)
        alpha = (1 - CHI) ** (30 / (1000 * f_max))
        z = d - self.m
        limited = max(min(z, 3 * math.sqrt(self.var)), -3 * math.sqrt(self.var))
        self.var = max(alpha * self.var + (1 - alpha) * limited**2, 1)
        k = (self.e + Q) / (self.var + (self.e + Q))
        self.m = self.m + z * k
        self.e = (1 - k) * (self.e + Q)
        self.groups += 1
        m_before, self.compared = self.compared, self.m * min(self.groups, self.gain)
        m = self.compared
        if abs(m) - self.th <= 15:
            rate = K_D if abs(m) < self.th else K_U
            self.th += min((t_i - t_before) * rate, 1) * (abs(m) - self.th)
            self.th = min(max(self.th, 6), 600)
        if m > self.th:
            if self.over_since is None:
                self.over_since = t_i
            if t_i - self.over_since >= OVERUSE_TIME and m >= m_before:
                self.signal = "over"
            elif self.unconfirmed == "normal":
                self.signal = "normal"
        else:
            self.over_since = None
            self.signal = "under" if m < -self.th else "normal"

    def update(self, now, rtt):
        """Section 5.5: state, then rate."""
        since = 0 if self.updated is None else now - self.updated
        self.updated = now
        if now - self.first < T:
            return
        table = {
            "over": {"hold": "decrease", "increase": "decrease", "decrease": "decrease"},
            "normal": {"hold": "increase", "increase": "increase", "decrease": "hold"},
            "under": {"hold": "hold", "increase": "hold", "decrease": "hold"},
        }
        self.state = table[self.signal][self.state]
        self.received = [(at, bits) for at, bits in self.received if now - at < T]
        incoming = sum(bits for _, bits in self.received) / T * 1000
        if self.state == "decrease":
            self.rate = min(self.rate, BETA * incoming)
            if self.average is None:
                self.average, self.variance = incoming, 0.0
            else:
                self.variance = 0.95 * self.variance + 0.05 * (incoming - self.average) ** 2
                self.average = 0.95 * self.average + 0.05 * incoming
        elif self.state == "increase":
            self.rate = self.increased(since, rtt, incoming)
        if self.bound == "always":
            self.rate = min(self.rate, 1.5 * incoming)
        self.rate = min(max(self.rate, LEAST), MOST)

    def increased(self, since, rtt, incoming):
        """Multiplicative far from convergence, additive near it."""
        close = False
        if self.average is not None:
            three = 3 * max(math.sqrt(self.variance), FLOOR * self.average)
            if incoming > self.average + three:
                self.average = None
            close = self.average is not None and incoming >= self.average - three
        if close:
            bits_per_frame = self.rate / 30
            packet = bits_per_frame / math.ceil(bits_per_frame / (1200 * 8))
            rate = self.rate + max(1000, 0.5 * min(since / (100 + rtt), 1) * packet)
        else:
            rate = self.rate * 1.08 ** min(since / 1000, 1)
        return max(min(rate, 1.5 * incoming), self.rate) if self.bound == "growth" else rate


def trace(name, *, gain, unconfirmed, longest, bound, frame_ms, seconds=16, size=1000, rtt=60.0):
    """Lines of a flow over a link of 2, 1, then 3 Mbit/s, with jitter.

    The rate is updated each 30 ms of arrivals, and when over-use begins.
    """
    gcc, rng = Gcc(1200e3, gain, unconfirmed, longest, bound), random.Random(name)
    lines, debt, free, last = [], 0.0, 0.0, 0.0
    for tick in range(int(seconds * 1000 / frame_ms)):
        now = tick * frame_ms
        debt += gcc.rate * frame_ms / 8000
        capacity = 2e6 if now < 5e3 else 1e6 if now < 10e3 else 3e6
        while debt > 0:
            debt -= size
            if free - now > 250:
                continue
            free = max(free, now) + size * 8000 / capacity
            arrival = round(1000 * max(free + 20 + rng.random() * 2, last)) / 1000
            last = arrival
            ended = gcc.packet(now, arrival, size)
            words = [f"{now * 1000:.0f} {arrival * 1000:.0f} {size}"]
            if ended:
                words.append(f"{gcc.compared!r} {gcc.th!r} {gcc.signal}")
            sudden = gcc.signal == "over" and gcc.state != "decrease"
            if gcc.updated is None or arrival - gcc.updated >= 30 or sudden:
                gcc.update(arrival, rtt)
                words.append(f"| {gcc.state} {gcc.rate!r}")
            lines.append(" ".join(words))
    return lines


def write():
    """Writes the traces of the transport's tests."""
    cases = {
        "gcc_deployed": {
            "gain": 60,
            "unconfirmed": "normal",
            "longest": 100,
            "bound": "growth",
            "frame_ms": 5,
        },
        "gcc_draft": {"gain": 1, "unconfirmed": "normal", "longest": None, "bound": "always", "frame_ms": 33},
        "gcc_previous": {
            "gain": 60,
            "unconfirmed": "previous",
            "longest": None,
            "bound": "growth",
            "frame_ms": 20,
        },
    }
    for name, case in cases.items():
        head = "# Made by `python -m reference`; its reference/gcc.py explains the lines."
        keys = [f"# {key} = {value}" for key, value in case.items()]
        (OUT / f"{name}.txt").write_text("\n".join([head, *keys, *trace(name, **case)]) + "\n")
