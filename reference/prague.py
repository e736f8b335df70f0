"""The Prague congestion control: draft-briscoe-iccrg-prague-congestion-control, sections 2.3.2 to 2.4.5.

Written from its text by someone who had not read the code. Windows are in segments, times in nanoseconds; the path's
round-trip time is constant, and the reference round trip the larger of it and 25 ms (2.4.4), from the first round
trip on (the text waits for 500). Where the text leaves a choice it is an option:

- `alpha`: its first value, which the text does not name.
- `order`: whether an acknowledgement that ends a round trip and reports marks reduces by the alpha after it (`new`) or
  before it (`old`).
- `period`: a round trip of the estimate ends with the acknowledgement of the packet sent after the last update
  (`packet`, 2.3.2), or a reference round trip after it (`time`, 2.4.4). After a reduction, the next waits for the same.
- `slow_start`: growth per acknowledgement before the first mark, all that is `acked`, or `one` segment (RFC 5681).

The option `time` for the period was written after the code had been read, as a difference it showed.

A line of a trace: `a TIME ACKED MARKED NXT`; `|`; window, threshold, alpha.
"""

import math
import pathlib
import random

OUT = pathlib.Path("crates/transport/tests/traces")
G = 1 / 16
MS = 1_000_000
LEAST_REFERENCE = 25 * MS


class Prague:
    """A sender without losses."""

    def __init__(self, window, *, alpha=1.0, order="new", slow_start="one", period="packet", rtt=40 * MS):
        self.window, self.threshold = float(window), float("inf")
        self.alpha, self.order, self.slow_start = alpha, order, slow_start
        self.period, self.rtt, self.reference = period, rtt, max(rtt, LEAST_REFERENCE)
        self.updated, self.reduced = -math.inf, -math.inf
        self.una, self.round_end, self.acked, self.marked = 0, 0, 0, 0
        #: Everything sent before the last reduction: the CWR state lasts until more is acknowledged.
        self.reduced_at = None

    def acknowledge(self, acked, marked, nxt, now=0):
        """An acknowledgement of `acked` segments, `marked` of them with Congestion Experienced."""
        self.una += acked
        self.acked += acked
        self.marked += marked
        before = self.alpha
        # 2.3.2: once a round trip, by the packet sent after the last update.
        late = now >= self.updated + self.reference
        if self.una > self.round_end if self.period == "packet" else late:
            self.alpha += G * (self.marked / self.acked - self.alpha)
            self.round_end, self.acked, self.marked = nxt, 0, 0
            self.updated = now
        # 2.4.2: a decrease with an acknowledgement that reports marks, then none for a round trip.
        waits = self.period == "time" and now < self.reduced + self.reference
        if marked and not waits and (self.reduced_at is None or self.una > self.reduced_at):
            alpha = self.alpha if self.order == "new" else before
            self.threshold = (1 - alpha / 2) * self.window
            self.window = self.threshold
            self.reduced_at, self.reduced = nxt, now
        # 2.4.3: increase by what came without marks, in the CWR state, too. 2.4.5: slow start ends with a mark.
        clean = acked - marked
        if self.window < self.threshold:
            self.window += clean if self.slow_start == "acked" else min(clean, 1)
        else:
            share = self.rtt / self.reference
            self.window += share * share * clean / self.window

    def show(self):
        """State after an event."""
        return f"{self.window!r} {self.threshold!r} {self.alpha!r}"


def trace(name, control, *, count=1000):
    """A flow whose segments are marked where its window passes a level that moves; one or two to an acknowledgement."""
    rng = random.Random(name)
    lines, level, flying, now = [], 20, [], 0
    while len(lines) < count:
        while len(flying) < int(control.window):
            if rng.random() < 0.004:
                level = rng.choice((12, 20, 35, 60))
            over = len(flying) - level
            flying.append(rng.random() < min(max(over, 0) / 8, 1) or rng.random() < 0.005)
        nxt = control.una + len(flying)
        acked = 2 if len(flying) > 1 and rng.random() < 0.9 else 1
        marked = sum(flying[:acked])
        del flying[:acked]
        now += int(control.rtt * acked / control.window)
        control.acknowledge(acked, marked, nxt, now)
        lines.append(f"a {now} {acked} {marked} {nxt} | {control.show()}")
    return lines


def write():
    """Writes the traces of the transport's tests."""
    for name, rtt in {"long": 40 * MS, "short": 10 * MS}.items():
        control = Prague(10, slow_start="acked", period="time", rtt=rtt)
        head = "# Made by `python -m reference`; its reference/prague.py explains the lines."
        lines = trace(f"prague/{name}", control)
        (OUT / f"prague_{name}.txt").write_text("\n".join([head, *lines]) + "\n")
