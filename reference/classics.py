"""Disciplines other than a single RED: RIO, Flow RED, generic RED, BLUE, AVQ, REM.

Each is written from its paper, or for GRED from the known behaviour of the program, slow and plain. A packet's class is
its flow number.
"""

from reference.line import RATE, Model
from reference.relatives import PACKET_TIME


class Early:
    """A RED without a store: average, curve, count, idle clock."""

    def __init__(self, model, min_th, max_th, max_p, w_q, cycle=False):
        self.model, self.min_th, self.max_th, self.max_p, self.w_q = model, min_th, max_th, max_p, w_q
        self.avg, self.count, self.q_time, self.idle, self.cycle = 0.0, -1, 0, True, cycle
        self.kept_number = None

    def update(self, now, q):
        if q == 0 and self.idle:
            self.avg *= (1 - self.w_q) ** ((now - self.q_time) / PACKET_TIME)
        else:
            self.avg = (1 - self.w_q) * self.avg + self.w_q * q
        self.idle = False

    def rest(self, now):
        if not self.idle:
            self.idle, self.q_time = True, now

    def verdict(self, avg):
        """'' to keep, 'early', 'forced'."""
        if avg < self.min_th:
            self.count = -1
            return ""
        if avg >= self.max_th:
            self.count = -1 if self.cycle else 0
            return "forced"
        p_b = self.max_p * (avg - self.min_th) / (self.max_th - self.min_th)
        self.count += 1
        if self.cycle:
            return self.one_number_a_cycle(p_b)
        p_a = p_b / (1 - self.count * p_b) if self.count * p_b < 1 else 1.0
        if self.model.chance(min(p_a, 1.0)):
            self.count = 0
            return "early"
        return ""

    def one_number_a_cycle(self, p_b):
        if self.count == 0 or self.kept_number is None:
            self.kept_number = self.model.uniform()
            return ""
        if p_b * self.count < self.kept_number:
            return ""
        self.kept_number = self.model.uniform()
        self.count = 0
        return "early"


class Rio(Model):
    """Clark and Fang 1998. `coupled`: Out by the average of all; `in_only`: that average follows In packets only."""

    def __init__(self, limit, coupled=True, in_only=False):
        super().__init__()
        self.inside, self.outside = Early(self, 15, 30, 0.02, 0.02), Early(self, 5, 15, 0.2, 0.02)
        self.limit, self.coupled, self.in_only, self.queue = limit, coupled, in_only, []

    def enqueue(self, now, packet):
        is_in = packet.flow >= 1
        q_in = sum(waiting.flow >= 1 for waiting in self.queue)
        q_out = len(self.queue) if self.coupled else len(self.queue) - q_in
        if (self.coupled and (is_in or not self.in_only)) or (not self.coupled and not is_in):
            self.outside.update(now, q_out)
        if is_in:
            self.inside.update(now, q_in)
        judge = self.inside if is_in else self.outside
        if judge.verdict(judge.avg):
            self.end(packet)
        elif len(self.queue) >= self.limit:
            judge.count = 0
            self.end(packet)
        else:
            self.queue.append(packet)
        self.rest(now)

    def rest(self, now):
        q_in = sum(waiting.flow >= 1 for waiting in self.queue)
        if q_in == 0:
            self.inside.rest(now)
        if (len(self.queue) if self.coupled else len(self.queue) - q_in) == 0:
            self.outside.rest(now)

    def dequeue(self, now):
        packet = self.queue.pop(0) if self.queue else None
        if packet:
            self.rest(now)
        return packet

    def show(self):
        return [f"avg={self.outside.avg!r}", f"avg_in={self.inside.avg!r}"]


class Fred(Model):
    """Lin and Morris 1997, Figure 7."""

    def __init__(self, limit, many=False):
        super().__init__()
        self.limit, self.many, self.min_th, self.max_th, self.max_p, self.w_q = limit, many, 5, 15, 0.1, 0.02
        self.queue, self.strike = [], {}
        self.avg, self.count, self.q_time, self.minq = 0.0, -1, 0, 2

    def qlen(self, flow):
        return sum(waiting.flow == flow for waiting in self.queue)

    def enqueue(self, now, packet):
        self.judge(now, packet)
        if not self.queue:
            self.q_time = now

    def judge(self, now, packet):
        i = packet.flow
        found_empty = not self.queue
        if found_empty:
            self.avg *= (1 - self.w_q) ** ((now - self.q_time) / PACKET_TIME)
        active = len({waiting.flow for waiting in self.queue})
        avgcq = max(1, self.avg / max(1, active))
        qlen = self.qlen(i)
        maxq = 2 if self.many and self.avg >= self.max_th else self.min_th
        if (
            qlen >= maxq
            or (self.avg >= self.max_th and qlen > 2 * avgcq)
            or (qlen >= avgcq and self.strike.get(i, 0) > 1)
        ):
            self.strike[i] = self.strike.get(i, 0) + 1
            self.end(packet)
            return
        if self.min_th <= self.avg < self.max_th:
            self.count += 1
            if qlen >= max(self.minq, avgcq):
                p_b = self.max_p * (self.avg - self.min_th) / (self.max_th - self.min_th)
                p_a = p_b / (1 - self.count * p_b) if self.count * p_b < 1 else 1.0
                if self.chance(min(1.0, p_a)):
                    self.count = 0
                    self.end(packet)
                    return
        elif self.avg < self.min_th:
            self.count = -1
        else:
            self.count = 0
            if not self.many:
                self.end(packet)
                return
        if len(self.queue) >= self.limit:
            self.count = 0
            self.end(packet)
            return
        if not found_empty:
            self.avg = (1 - self.w_q) * self.avg + self.w_q * len(self.queue)
        self.queue.append(packet)

    def dequeue(self, now):
        if not self.queue:
            return None
        packet = self.queue.pop(0)
        self.avg = (1 - self.w_q) * self.avg + self.w_q * len(self.queue)
        if not self.queue:
            self.q_time = now
        if self.qlen(packet.flow) == 0:
            self.strike.pop(packet.flow, None)
        return packet

    def show(self):
        return [f"avg={self.avg!r}"]


class Gred(Model):
    """Virtual queues of Linux's generic RED, in packets, one cached random number a cycle."""

    DPS = ((60, 5, 15, 1), (80, 10, 30, 2), (100, 15, 45, 3))

    def __init__(self, limit, grio):
        super().__init__()
        self.limit, self.grio, self.queue = limit, grio, []
        self.laws = [Early(self, low, high, 0.1, 0.02, cycle=True) for _, low, high, _ in self.DPS]

    def held(self, dp):
        return sum(waiting.flow == dp for waiting in self.queue)

    def enqueue(self, now, packet):
        dp = packet.flow
        law, q = self.laws[dp], self.held(dp)
        above = [
            other
            for other, row in zip(self.laws, self.DPS, strict=True)
            if self.grio and row[3] < self.DPS[dp][3]
        ]
        extra = sum(other.avg for other in above if not other.idle)
        law.update(now, q)
        if law.verdict(law.avg + extra):
            self.end(packet)
        elif q + 1 > self.DPS[dp][0] or len(self.queue) >= self.limit:
            law.count = -1
            self.end(packet)
        else:
            self.queue.append(packet)
        if self.held(dp) == 0:
            law.rest(now)

    def dequeue(self, now):
        if not self.queue:
            return None
        packet = self.queue.pop(0)
        if self.held(packet.flow) == 0:
            self.laws[packet.flow].rest(now)
        return packet

    def show(self):
        return [f"avg={self.laws[0].avg!r}", f"avg_1={self.laws[1].avg!r}", f"avg_2={self.laws[2].avg!r}"]


class Blue(Model):
    """Feng, Shin, Kandlur, Saha 2002, Figure 3."""

    def __init__(self, limit, d1, d2, freeze_time, ecn=False):
        super().__init__()
        self.limit, self.d1, self.d2, self.freeze_time, self.ecn = limit, d1, d2, freeze_time, ecn
        self.p_m, self.last_update, self.queue = 0.0, None, []

    def event(self, now, step):
        if self.last_update is None or now - self.last_update > self.freeze_time:
            self.p_m = min(1.0, max(0.0, self.p_m + step))
            self.last_update = now

    def enqueue(self, now, packet):
        if len(self.queue) >= self.limit:
            self.event(now, self.d1)
            self.end(packet)
        elif not self.chance(self.p_m) or self.mark_or_drop(packet, self.ecn):
            self.queue.append(packet)

    def dequeue(self, now):
        if not self.queue:
            self.event(now, -self.d2)
            return None
        return self.queue.pop(0)

    def show(self):
        return [f"p_m={self.p_m!r}"]


class Avq(Model):
    """Kunniyur and Srikant 2001, Figure 1; the virtual buffer is that many packets of 1000 bytes."""

    def __init__(self, limit, virtual, every=True, ecn=False):
        super().__init__()
        self.limit, self.b, self.every, self.ecn, self.queue = limit, 1000 * virtual, every, ecn, []
        self.c = RATE / 8
        self.c_virtual, self.vq, self.s = 0.8 * self.c, 0.0, 0

    def enqueue(self, now, packet):
        dt = (now - self.s) * 1e-9
        self.vq = max(self.vq - self.c_virtual * dt, 0.0)
        kept = True
        if self.vq + packet.size > self.b:
            kept = self.mark_or_drop(packet, self.ecn)
        else:
            self.vq += packet.size
        used = packet.size if kept or self.every else 0
        grown = min(self.c_virtual + 0.15 * 0.98 * self.c * dt, self.c)
        self.c_virtual = max(grown - 0.15 * used, 0.0)
        self.s = now
        if kept and len(self.queue) >= self.limit:
            self.end(packet)
        elif kept:
            self.queue.append(packet)

    def dequeue(self, now):
        return self.queue.pop(0) if self.queue else None

    def show(self):
        return [f"virtual_share={self.c_virtual / self.c!r}"]


class Rem(Model):
    """Athuraliya, Li, Low, Yin 2001: price and probability every 2 ms."""

    period = 2_000_000

    def __init__(self, limit, ecn=False, at_departure=False):
        super().__init__()
        self.limit, self.ecn, self.at_departure, self.queue = limit, ecn, at_departure, []
        self.price, self.prob, self.arrived = 0.0, 0.0, 0

    def tick(self, now):
        mismatch = 0.1 * (len(self.queue) - 20) + self.arrived - 2  # two packets of 1000 bytes in 2 ms
        self.price = max(0.0, self.price + 0.01 * mismatch)
        self.prob = 1 - 1.01**-self.price
        self.arrived = 0

    def later(self, packet):
        return self.ecn and self.at_departure and packet.ecn is not None

    def enqueue(self, now, packet):
        self.arrived += 1
        if not self.later(packet) and self.chance(self.prob) and not self.mark_or_drop(packet, self.ecn):
            return
        if len(self.queue) >= self.limit:
            self.end(packet)
        else:
            self.queue.append(packet)

    def dequeue(self, now):
        if not self.queue:
            return None
        packet = self.queue.pop(0)
        if self.later(packet) and self.chance(self.prob):
            self.mark_or_drop(packet, True)
        return packet

    def show(self):
        return [f"price={self.price!r}", f"prob={self.prob!r}"]


LIKE = {"count": 900, "sizes": (40, 576, 1000, 1500), "spell": 100}
LONG = {**LIKE, "count": 2500, "spell": 300}
FLOWS = {**LIKE, "flows": 4}
MARKS = {**LIKE, "ecn": (None, 0, 1)}


def traces():
    """One or two for each."""
    rio = {"limit": "60 pkts", "w_q": "0.02"}
    like = {**FLOWS, "flows": 2}
    yield "rio", "coupled", Rio(60), rio, like
    yield "rio", "decoupled", Rio(60, coupled=False), {**rio, "coupling": "rio_d"}, like
    yield "rio", "in_only", Rio(60, in_only=True), {**rio, "total_update": "in_only"}, like
    fred = {"limit": "30 pkts", "max_p": "0.1", "w_q": "0.02"}
    yield "fred_flow", "flows", Fred(30), fred, {**FLOWS, "flows": 6}
    yield "fred_flow", "many", Fred(30, many=True), {**fred, "many_flows": "true"}, {**FLOWS, "flows": 12}
    gred = {"limit": "100 pkts", "probability": "[0.1]", "w_q": "0.02"}
    yield "gred", "virtual", Gred(100, grio=False), gred, {**LONG, "flows": 3}
    yield "gred", "grio", Gred(100, grio=True), {**gred, "grio": "true"}, {**LONG, "flows": 3}
    blue = {"limit": "20 pkts", "d1": "0.05", "d2": "0.01", "freeze_time": "5 ms"}
    yield "blue", "drops", Blue(20, 0.05, 0.01, 5_000_000), blue, LIKE
    yield "blue", "marks", Blue(20, 0.05, 0.01, 5_000_000, ecn=True), {**blue, "ecn": "true"}, MARKS
    avq = {"limit": "40 pkts", "virtual_limit": "10 pkts"}
    yield "avq", "paper", Avq(40, 10), avq, LIKE
    yield "avq", "kept", Avq(40, 10, every=False), {**avq, "adapt_on": "kept"}, LIKE
    yield "avq", "marks", Avq(40, 10, ecn=True), {**avq, "ecn": "true"}, MARKS
    rem = {"limit": "60 pkts", "gamma": "0.01", "phi": "1.01"}
    yield "rem", "drops", Rem(60), rem, {**LIKE, "sizes": (1000,)}
    later = {**rem, "ecn": "true", "mark_at": "departure"}
    yield "rem", "departure", Rem(60, ecn=True, at_departure=True), later, {**MARKS, "sizes": (1000,)}
