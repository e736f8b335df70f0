"""Events for `quic_recovery`: a sender that obeys the window, a path that loses and reorders, a receiver that delays.

Everything drawn comes from one generator of fixed seed. No two packets are sent at the same time.
"""

import heapq
import pathlib
import random

from reference.quic_recovery import MS, Recovery

OUT = pathlib.Path("crates/transport/tests/traces")


class Path:
    """A flow of one direction; `outages` are pairs of times within which nothing arrives either way."""

    def __init__(self, name, recovery, *, loss, late, latest, marks, outages, pauses):
        self.rng = random.Random(name)
        self.recovery, self.loss, self.marks = recovery, loss, marks
        self.late, self.latest = late, latest
        self.outages, self.pauses = outages, pauses
        self.events, self.ties, self.lines, self.now = [], 0, [], MS
        self.next_number, self.free, self.burst = 0, MS, 0
        # The receiver: numbers, elicited since the last acknowledgement, the time of the oldest, marks.
        self.received, self.waiting, self.since, self.ce = set(), 0, None, 0
        self.had_room = False

    def at(self, time, event):
        """Puts an event in the queue."""
        self.ties += 1
        heapq.heappush(self.events, (time, self.ties, event))

    def within(self, spells, time):
        """Whether a time is in one of the spells, in ms."""
        return any(start * MS <= time < end * MS for start, end in spells)

    def arrives(self, time):
        """Whether a packet sent now arrives; losses come in bursts."""
        if self.burst == 0 and self.rng.random() < self.loss:
            self.burst = self.rng.choice((1, 1, 2, 5, 9))
        if self.burst > 0:
            self.burst -= 1
            return False
        return not self.within(self.outages, time)

    def delay(self):
        """One way: 20 ms and a part of one, or at least 2 ms more."""
        late = self.rng.randrange(2 * MS, self.latest * MS) if self.rng.random() < self.late else 0
        return 20 * MS + self.rng.randrange(MS) + late

    def record(self, event):
        """A line of the trace, and the timer that is set after it."""
        self.lines.append(f"{event} | {self.recovery.show()}")
        if self.recovery.timer is not None:
            self.at(max(self.recovery.timer, self.now), ("timer", self.recovery.timer))

    def packet(self, word="s"):
        """Sends a packet."""
        number, self.next_number = self.next_number, self.next_number + 1
        time = max(self.now, self.free)
        self.now, self.free = time, time + self.rng.randrange(100_000, 900_000)
        self.recovery.send(time, number, 1)
        self.record(f"{word} {time} {number}")
        if self.arrives(time):
            self.at(time + self.delay(), ("data", number, self.rng.random() < self.marks))

    def fill(self):
        """Sends one packet if the window admits it, and asks again when the next may go."""
        self.had_room = self.recovery.in_flight + 1 <= self.recovery.window
        if self.within(self.pauses, self.now) or not self.had_room or self.now < self.free:
            return
        self.packet()
        self.at(self.free, ("fill",))

    def acknowledge(self):
        """The receiver sends an acknowledgement: its newest sixteen ranges."""
        ranges = []
        for number in sorted(self.received, reverse=True):
            if ranges and ranges[-1][0] == number + 1:
                ranges[-1][0] = number
            else:
                ranges.append([number, number])
        held = 0 if self.since is None else self.now - self.since
        self.waiting, self.since = 0, None
        if self.arrives(self.now):
            self.at(self.now + self.delay(), ("ack", held, self.ce, ranges[:16]))

    def receive(self, number, marked):
        """Second packet, a gap or a mark: at once; else within the delay of the receiver, at times a little after."""
        in_order = number == max(self.received, default=-1) + 1
        self.received.add(number)
        self.ce += marked
        self.waiting += 1
        self.since = self.now if self.since is None else self.since
        if self.waiting >= 2 or not in_order or marked:
            self.acknowledge()
        else:
            self.at(self.now + 25 * MS + self.rng.choice((0, 0, 3 * MS)), ("delayed", self.since))

    def run(self, count):
        """Lines of the trace."""
        self.at(MS, ("fill",))
        for _, end in self.pauses:
            self.at(end * MS, ("fill",))
        while self.events and len(self.lines) < count:
            time, _, event = heapq.heappop(self.events)
            self.now = max(time, self.now)
            match event:
                case ("fill",):
                    self.fill()
                case ("data", number, marked):
                    self.receive(number, marked)
                case ("delayed", since) if self.since == since:
                    self.acknowledge()
                case ("ack", held, ce, ranges):
                    limited = self.had_room and self.within(self.pauses, self.now)
                    self.recovery.acknowledge(self.now, ranges, held, ce=ce, limited=limited)
                    words = ",".join(f"{first}-{last}" for first, last in ranges)
                    self.record(f"a {self.now} {held} {ce} {int(limited)} {words}")
                    self.fill()
                case ("timer", timer) if self.recovery.timer == timer:
                    probes = self.recovery.timeout(self.now)
                    self.record(f"t {self.now}")
                    for _ in range(2 if probes else 0):
                        self.packet("p")
                    self.fill()
        return self.lines[:count]


STEADY = {"loss": 0.0, "late": 0.0, "latest": 30, "marks": 0.0, "outages": (), "pauses": ()}
COUNT = 600
CASES = {
    "bursts": {"loss": 0.02, "late": 0.1},
    "outages": {"loss": 0.005, "late": 0.02, "outages": ((300, 1500), (1800, 2300), (3000, 12_000))},
    "pauses": {"loss": 0.01, "late": 0.02, "pauses": ((150, 400), (500, 900), (1200, 2500))},
    "marks": {"loss": 0.003, "late": 0.2, "marks": 0.15},
    "late": {"loss": 0.04, "late": 0.1, "latest": 500, "marks": 0.06},
    "reordered": {"loss": 0.04, "late": 0.2, "latest": 150, "marks": 0.08},
}


def datagrams():
    """A sender that counts datagrams, with times as whole nanoseconds."""
    return Recovery(datagram=1, whole=True)


def write():
    """Writes the traces of the transport's tests."""
    for name, like in CASES.items():
        lines = Path(f"quic/{name}", datagrams(), **{**STEADY, **like}).run(COUNT)
        head = "# Made by `python -m reference`; its reference/quic_recovery.py explains the lines."
        (OUT / f"quic_{name}.txt").write_text("\n".join([head, *lines]) + "\n")
