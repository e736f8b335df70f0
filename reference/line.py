"""One queue on one link, driven by a clock of its own: runs the models of delay-based disciplines.

A model has `enqueue(now, packet)` and `dequeue(now)`, which returns a packet or None; it drops and marks through `end`
and `mark_or_drop`, its random decisions through `chance`. One that ticks has `period` and `tick(now)`; one that holds
packets back returns from `ready()` when it may send the next. Times are nanoseconds. The lines are those of traffic.py,
with these additions:

a NS BYTES[eN][fN][hS-D] FATE ...  e and the ECN field (0, 1, or 3: CE) of an ECN-capable packet, f and its flow, h and
                                its source and destination hosts; mN marks packet N
d NS N [FATE] [DRAW ...]        packets that end or are marked before packet N leaves
t NS [name=value ...]           a tick of the queue; at equal times it comes last
"""

import random

RATE = 8_000_000  # bits per second: a byte takes a microsecond
NS_PER_BYTE = 1000


class Packet:
    """A packet; `ecn` is None if it is not capable, else 0 or 1, and 3 once marked."""

    def __init__(self, number, size, ecn, flow, hosts=(0, 0)):
        self.number, self.size, self.ecn, self.flow, self.hosts = number, size, ecn, flow, hosts
        self.enqueued = None


class Model:
    """Parts that models share: an rng, fates, and no ticks."""

    period = None

    def __init__(self, seed=1):
        self.rng = random.Random(seed)
        self.fates, self.draws = [], []

    def uniform(self):
        self.draws.append(self.rng.random())
        return self.draws[-1]

    def chance(self, p):
        """True with probability p; draws only where it matters."""
        if p <= 0:
            return False
        return True if p >= 1 else self.uniform() < p

    def end(self, packet):
        """The packet is gone."""
        self.fates.append(f"x{packet.number}")

    def mark_or_drop(self, packet, ecn):
        """True if the packet stays, marked."""
        if ecn and packet.ecn is not None:
            self.fates.append(f"m{packet.number}")
            packet.ecn = 3
            return True
        self.end(packet)
        return False

    def signals(self):
        """Events of the last call: fates, then draws."""
        text = ["".join(self.fates) or ".", *map(repr, self.draws)]
        # Models inside others share these lists: emptied, not replaced.
        self.fates.clear()
        self.draws.clear()
        return text

    def ready(self):
        """When the next packet may leave; None if the model does not decide it."""

    def show(self):
        """Inner values after an arrival or a tick."""
        return []


def arrivals(seed, count, sizes=(1000,), ecn=(None,), flows=1, spell=150, hosts=None):
    """Yields (nanoseconds, bytes, ecn, flow, hosts): spells of overload and of light load, and pauses up to 400 ms.

    `hosts` are the source and the destination of each flow.
    """
    rng = random.Random(seed)
    now, load = 0, 1.5
    for i in range(count):
        if i % spell == 0:
            load = rng.choice([0.4, 0.9, 1.2, 1.8])
        if rng.random() < 0.001:
            now += rng.randrange(400_000_000)
        size = rng.choice(sizes)
        now += int(rng.expovariate(load * RATE / 8000) * 1e9)
        capable, flow = rng.choice(ecn), rng.randrange(flows)
        yield now, size, capable, flow, hosts[flow] if hosts else (0, 0)


class Line:
    """A transmitter that takes the next packet as soon as it is free."""

    def __init__(self, model):
        self.model = model
        self.free_at = None  # None: idle
        self.held = False  # until `free_at`, by the model
        self.next_tick = model.period

    def ticks_before(self, now):
        while self.next_tick is not None and self.next_tick < now:
            self.model.tick(self.next_tick)
            yield " ".join(["t", str(self.next_tick), *self.model.show()])
            self.next_tick += self.model.period

    def send(self, now):
        packet = self.model.dequeue(now)
        self.held = packet is None and self.model.ready() is not None
        self.free_at = self.model.ready() if packet is None else now + packet.size * NS_PER_BYTE
        signals = self.model.signals()
        number = "-" if packet is None else str(packet.number)
        yield " ".join(["d", str(now), number, *(signals if signals != ["."] else [])])

    def until(self, now):
        while self.free_at is not None and self.free_at <= now:
            yield from self.ticks_before(self.free_at)
            yield from self.send(self.free_at)
        yield from self.ticks_before(now)

    def arrive(self, now, packet):
        yield from self.until(now)
        field = "" if packet.ecn is None else f"e{packet.ecn}"
        text = f"{packet.size}{field}" + (f"f{packet.flow}" if packet.flow else "")
        text += "h{}-{}".format(*packet.hosts) if any(packet.hosts) else ""
        packet.enqueued = now
        self.model.enqueue(now, packet)
        yield " ".join(["a", str(now), text, *self.model.signals(), *self.model.show()])
        if self.free_at is None or (self.held and self.model.ready() < self.free_at):
            yield from self.send(now)


def drive(model, stream):
    """Runs arrivals through a model and the line behind it; yields one line of text for each event."""
    line = Line(model)
    for number, (now, size, ecn, flow, hosts) in enumerate(stream):
        yield from line.arrive(now, Packet(number, size, ecn, flow, hosts))
