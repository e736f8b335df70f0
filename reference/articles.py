"""Adaptive RED, BLUE, AVQ, REM, PI and CHOKe as their papers print them, apart from every other
transcription.

They were written independently from memory of the published pseudocode, without the texts and before reading
their code in Rust. Their author had seen the tables of options on the pages of docs/disciplines and, for CHOKe, parts
of relatives.py. Sources: FGS01 (Adaptive RED), FSKS02 (BLUE), KS01 (AVQ), ALLY01 (REM),
HMTG01 (PI), PPP00 (CHOKe). Steps that these leave to RED are those of FJ93.

Lines of a trace are those of line.py. A packet in transmission does not count as queued.
"""

from math import exp

from reference.rfcs import MS, SECOND, Fifo

#: Capacity of the line: bytes a second, and packets of 1000 bytes a second.
BYTES_PER_SECOND = 1_000_000
PACKETS_PER_SECOND = 1000


class BlueText(Fifo):
    """FSKS02, the algorithm's figure: one probability, raised by lost packets and lowered by an idle link."""

    def __init__(self, limit, d1, d2, freeze_time):
        super().__init__(limit)
        self.d1, self.d2, self.freeze_time = d1, d2, freeze_time
        self.p_m, self.last_update = 0.0, 0

    def event(self, now, step):
        if now - self.last_update > self.freeze_time:
            self.p_m = min(max(self.p_m + step, 0.0), 1.0)
            self.last_update = now

    def enqueue(self, now, packet):
        if self.is_full():
            self.event(now, self.d1)
            self.end(packet)
        elif self.chance(self.p_m):
            self.end(packet)
        else:
            self.queue.append(packet)

    def dequeue(self, now):
        packet = super().dequeue(now)
        if packet is None:
            self.event(now, -self.d2)
        return packet

    def show(self):
        return [f"p_m={self.p_m!r}"]


class AvqText(Fifo):
    """KS01, its pseudocode: a virtual queue of capacity C~ that adapts at each arrival."""

    def __init__(self, limit, buffer_bytes, gamma, alpha, share):
        super().__init__(limit)
        self.buffer, self.gamma, self.alpha = buffer_bytes, gamma, alpha
        self.virtual_capacity = share * BYTES_PER_SECOND
        self.virtual_queue, self.last = 0.0, 0

    def enqueue(self, now, packet):
        since = (now - self.last) / SECOND
        self.virtual_queue = max(self.virtual_queue - self.virtual_capacity * since, 0.0)
        marked = self.virtual_queue + packet.size > self.buffer
        if not marked:
            self.virtual_queue += packet.size
        raised = self.virtual_capacity + self.alpha * self.gamma * BYTES_PER_SECOND * since
        self.virtual_capacity = max(min(raised, BYTES_PER_SECOND) - self.alpha * packet.size, 0.0)
        self.last = now
        if marked or self.is_full():
            self.end(packet)
        else:
            self.queue.append(packet)


class RemText(Fifo):
    """ALLY01 equations 1 and 2: the price integrates the arrivals beyond the capacity and the backlog beyond
    b*."""

    def __init__(self, limit, interval, gamma, alpha, phi, target):
        super().__init__(limit)
        self.period = interval
        self.gamma, self.alpha, self.phi, self.target = gamma, alpha, phi, target
        self.price, self.arrived = 0.0, 0

    def enqueue(self, now, packet):
        self.arrived += 1
        if self.chance(1 - self.phi**-self.price) or self.is_full():
            self.end(packet)
        else:
            self.queue.append(packet)

    def tick(self, now):
        capacity = PACKETS_PER_SECOND * self.period / SECOND
        mismatch = self.alpha * (len(self.queue) - self.target) + self.arrived - capacity
        self.price = max(self.price + self.gamma * mismatch, 0.0)
        self.arrived = 0

    def show(self):
        return [f"price={self.price!r}"]


class PiText(Fifo):
    """HMTG01 section IV: p(kT) = a (q(kT) - q_ref) - b (q((k-1)T) - q_ref) + p((k-1)T)."""

    def __init__(self, limit, period, q_ref, a, b):
        super().__init__(limit)
        self.period, self.q_ref, self.a, self.b = period, q_ref, a, b
        self.p, self.q_old = 0.0, 0

    def enqueue(self, now, packet):
        if self.chance(self.p) or self.is_full():
            self.end(packet)
        else:
            self.queue.append(packet)

    def tick(self, now):
        q = len(self.queue)
        p = self.a * (q - self.q_ref) - self.b * (self.q_old - self.q_ref) + self.p
        self.p, self.q_old = min(max(p, 0.0), 1.0), q

    def show(self):
        return [f"drop_prob={self.p!r}"]


class RedText(Fifo):
    """FJ93 figure 2 for the two below: average, count and p_a; `gentle` as FGS01 assumes it."""

    gentle = False

    def __init__(self, limit, min_th, max_th, max_p, w_q):
        super().__init__(limit)
        self.min_th, self.max_th, self.max_p, self.w_q = min_th, max_th, max_p, w_q
        self.avg, self.count, self.q_time = 0.0, -1, 0

    def sample(self, now):
        if self.queue:
            self.avg = (1 - self.w_q) * self.avg + self.w_q * len(self.queue)
        else:
            self.avg *= (1 - self.w_q) ** ((now - self.q_time) / MS)
            self.q_time = now

    def base(self):
        """p_b; None where every packet goes."""
        if self.avg < self.max_th:
            return self.max_p * (self.avg - self.min_th) / (self.max_th - self.min_th)
        if self.gentle and self.avg < 2 * self.max_th:
            return self.max_p + (1 - self.max_p) * (self.avg - self.max_th) / self.max_th
        return None

    def is_early(self):
        """Decision of RED once the average is at least min_th."""
        p_b = self.base()
        if p_b is None:
            self.count = 0
            return True
        self.count += 1
        room = 1 - self.count * p_b
        if self.chance(p_b / room if room > 0 else 1.0):
            self.count = 0
            return True
        return False

    def compare(self, now, packet):
        """Step before RED's decision; True if the packet is gone."""
        return False

    def enqueue(self, now, packet):
        self.sample(now)
        self.decide(now, packet)

    def decide(self, now, packet):
        if self.avg < self.min_th:
            self.count = -1
        elif self.compare(now, packet):
            return
        elif self.is_early():
            self.end(packet)
            return
        if self.is_full():
            self.count = 0
            self.end(packet)
        else:
            self.queue.append(packet)

    def dequeue(self, now):
        packet = super().dequeue(now)
        if packet is not None and not self.queue:
            self.q_time = now
        return packet

    def show(self):
        return [f"avg={self.avg!r}"]


class AdaptiveText(RedText):
    """FGS01: max_p every half second, AIMD towards the middle fifth between the thresholds; w_q and
    thresholds by the link as its section 5 sets them."""

    gentle = True
    period = 500 * MS

    def __init__(self, limit, delay_s):
        low = max(5, delay_s * PACKETS_PER_SECOND / 2)
        super().__init__(limit, low, 3 * low, 0.1, 1 - exp(-1 / PACKETS_PER_SECOND))

    def tick(self, now):
        room = self.max_th - self.min_th
        if self.avg > self.min_th + 0.6 * room and self.max_p <= 0.5:
            self.max_p += min(0.01, self.max_p / 4)
        elif self.avg < self.min_th + 0.4 * room and self.max_p >= 0.01:
            self.max_p *= 0.9

    def show(self):
        return [*super().show(), f"max_p={self.max_p!r}"]


class ChokeText(RedText):
    """PPP00 figure 1: a packet of the queue at random; if it is of the same flow, both go."""

    def compare(self, now, packet):
        if not self.queue:
            return False
        place = int(self.uniform() * len(self.queue))
        if self.queue[place].flow != packet.flow:
            return False
        self.end(self.queue.pop(place))
        self.end(packet)
        if not self.queue:
            self.q_time = now
        return True


def traces():
    """Yields kind, name, model, keys and arrivals."""
    like = {"count": 2500, "sizes": (40, 576, 1000, 1500)}
    blue = {"limit": "20 pkts", "d1": "0.02", "d2": "0.002", "freeze_time": "10 ms"}
    yield "blue", "text", BlueText(20, 0.02, 0.002, 10 * MS), blue, like
    avq = {"limit": "100 pkts", "virtual_limit": "20 pkts", "initial": "0.8"}
    yield "avq", "text", AvqText(100, 20_000, 0.98, 0.15, 0.8), avq, like
    rem = {"limit": "60 pkts", "interval": "2 ms", "gamma": "0.01", "phi": "1.1", "target": "10"}
    yield "rem", "text", RemText(60, 2 * MS, 0.01, 0.1, 1.1, 10), rem, like
    pi = {"limit": "60 pkts", "period": "5 ms", "q_ref": "10 pkts", "a": "0.02", "b": "0.019"}
    yield "pi", "text", PiText(60, 5 * MS, 10, 0.02, 0.019), pi, like
    yield "ared", "text", AdaptiveText(60, 0.005), {"limit": "60 pkts"}, {**like, "spell": 600}
    choke = {"limit": "30 pkts", "min_th": "5 pkts", "max_th": "15 pkts", "max_p": "0.1", "w_q": "0.02"}
    yield "choke", "text", ChokeText(30, 5, 15, 0.1, 0.02), choke, {**like, "flows": 4}
