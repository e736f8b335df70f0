"""RED and its relatives from the words of the five studied papers, each row by row.

Written from the papers alone, before their disciplines in Rust or any other transcription was read; it shares no code
with those. Sources: Hamadneh et al. (equations 1 to 3, Tables 1 to 3, section 5.2) for RED, ERD, Refined RED and WTRED;
Patel and Dalal (section 4.1, equation 4, Figure 6) for RED-AT and reconfigurable-threshold RED; Hassan (section 2.1)
for RED's parameters; De Cnodder et al. (Tables 1 and 2) for RED_1 to RED_5. Steps that these leave to the RED that all
of them cite are marked FJ93, unspecified ones are marked open.

Lines of a trace are those of line.py. Queues are in packets; a packet in transmission does not count as queued.
"""

from reference.line import Model

#: Nanoseconds of a typical packet on the line, the s of FJ93's f(t) = t / s: 1000 bytes, a byte a microsecond.
TYPICAL = 1_000_000


class PaperRed(Model):
    """RED as Hamadneh et al. print it, equations 1 to 3."""

    def __init__(self, buffer, min_th, max_th, max_p, w_q):
        super().__init__()
        self.buffer, self.min_th, self.max_th = buffer, min_th, max_th
        self.max_p, self.w_q = max_p, w_q
        self.queue = []
        self.avg = 0.0
        self.count = -1  # FJ93: the first arrival in the region makes it 0
        self.empty_since = 0

    def weight(self):
        """Weight of this arrival's sample."""
        return self.w_q

    def scale(self):
        """The max_p of equation 3."""
        return self.max_p

    def sample(self, now):
        """Equation 1; after an empty queue FJ93's power of m = idle time / s."""
        if self.queue:
            w = self.weight()
            self.avg = (1 - w) * self.avg + w * len(self.queue)
        else:
            self.avg *= (1 - self.weight()) ** ((now - self.empty_since) / TYPICAL)
            # FJ93 counts the packets that could have left since; a drop from an empty queue may not count them twice.
            self.empty_since = now

    def thresholds(self):
        """Moves the thresholds once the average is known; RED leaves them."""

    def is_drop(self):
        """Decision on this arrival: equations 2 and 3 between the thresholds, every packet above."""
        if self.avg >= self.max_th:
            return True
        if self.avg < self.min_th:
            self.count = -1
            return False
        self.count += 1
        p_b = self.scale() * (self.avg - self.min_th) / (self.max_th - self.min_th)
        room = 1 - self.count * p_b
        return self.chance(p_b / room if room > 0 else 1.0)

    def enqueue(self, now, packet):
        self.sample(now)
        self.thresholds()
        if self.is_drop() or len(self.queue) >= self.buffer:
            # "Number of arrived packets since the last dropped one": any drop begins it afresh.
            self.count = 0
            self.end(packet)
        else:
            self.queue.append(packet)

    def dequeue(self, now):
        if not self.queue:
            return None
        packet = self.queue.pop(0)
        if not self.queue:
            self.empty_since = now
        return packet

    def show(self):
        return [f"avg={self.avg!r}"]


class PaperErd(Model):
    """Table 1 of Hamadneh et al."""

    def __init__(self, buffer, drop_level, drop_probability):
        super().__init__()
        self.buffer, self.drop_level, self.drop_probability = buffer, drop_level, drop_probability
        self.queue = []

    def enqueue(self, now, packet):
        early = len(self.queue) > self.drop_level and self.chance(self.drop_probability)
        if early or len(self.queue) >= self.buffer:
            self.end(packet)
        else:
            self.queue.append(packet)

    def dequeue(self, now):
        return self.queue.pop(0) if self.queue else None


class PaperRefined(PaperRed):
    """Refined RED of Tables 2 and 3: max_p in six sub-phases of the average, w_q in six of the queue beyond `warn`."""

    PROBABILITIES = (1, 2, 4, 6, 8, 10)
    WEIGHTS = (1, 4, 8, 12, 16, 20)

    def scale(self):
        phase = int(6 * (self.avg - self.min_th) / (self.max_th - self.min_th))
        return self.max_p * self.PROBABILITIES[min(phase, 5)]

    def weight(self):
        warn, q = self.buffer / 2, len(self.queue)
        if q <= warn or q <= self.avg:
            return self.w_q
        phase = int(6 * (q - warn) / (self.buffer - warn))
        return self.w_q * self.WEIGHTS[min(phase, 5)]

    def dequeue(self, now):
        """Section 4: the average is calculated for every packet departure too, of the queue that it leaves (open)."""
        packet = super().dequeue(now)
        if packet is not None:
            w = self.weight()
            self.avg = (1 - w) * self.avg + w * len(self.queue)
        return packet


class PaperWtred(PaperRed):
    """WTRED, section 5.2: thresholds at 40 and 70 per cent of the buffer; weights of the green, yellow and red area."""

    def __init__(self, buffer, max_p):
        super().__init__(buffer, 0.4 * buffer, 0.7 * buffer, max_p, None)

    def weight(self):
        if self.avg < self.min_th:
            return 0.003
        return 0.002 if self.avg < self.max_th else 0.001


class PaperSizes(PaperRed):
    """RED_1 to RED_5, Tables 1 and 2 of De Cnodder et al.

    `count` is "the number of accepted packet since the last drop or since avg exceeded min_th": 0 then, and raised
    by step 1 before its use. With equation 1 instead of these words it is -1 then, so that P[X = 1] is p_b.
    """

    def __init__(self, column, start, *settings):
        super().__init__(*settings)
        self.column, self.start = column, start
        self.count, self.share = start, 0.0

    def is_drop(self):
        if self.avg >= self.max_th:
            return True
        if self.avg < self.min_th:
            self.count = self.start
            return False
        if self.column in (1, 2, 3):
            self.count += 1
        p_b = self.max_p * (self.avg - self.min_th) / (self.max_th - self.min_th)
        if self.column == 2:
            p_b *= self.share
        weight = {3: self.share, 4: self.share, 5: self.share**2}.get(self.column, 1.0)
        # Equations 1, 2 and 4 sum to one: with count p_b at 1 the packet is dropped.
        p_a = p_b * weight / (1 - self.count * p_b) if self.count * p_b < 1 else 1.0
        drop = self.chance(min(p_a, 1.0))
        if self.column > 3:
            self.count += weight
        return drop

    def enqueue(self, now, packet):
        self.share = packet.size / 1500
        super().enqueue(now, packet)
        if self.fates:
            self.count = self.start


class PaperRedAt(PaperRed):
    """RED-AT, Figure 6 of Patel and Dalal; `low` and `high` are the pairs of bounds min-, min+ and max-, max+."""

    def __init__(self, buffer, nominal, low, high, steps, max_p, w_q):
        super().__init__(buffer, *nominal, max_p, w_q)
        self.nominal = nominal
        self.min_minus, self.min_plus = low
        self.max_minus, self.max_plus = high
        self.alpha, self.beta = steps
        self.cnt1 = self.cnt2 = self.cnt3 = 0

    def thresholds(self):
        if self.avg < self.min_plus:
            self.cnt1 += 1
            self.cnt2 = 0
            self.cnt3 = 0
            if self.cnt1 > 4:
                self.min_th += self.alpha * (self.min_plus - self.min_minus)
                self.max_th += self.beta * (self.max_plus - self.max_minus)
                if self.min_th > self.min_plus:
                    self.min_th = self.min_plus
                if self.max_th > self.max_plus:
                    self.max_th = self.max_plus
                self.cnt1 = 0
        elif self.avg > self.max_minus:
            self.cnt2 += 1
            self.cnt1 = 0
            self.cnt3 = 0
            if self.cnt2 > 4:
                self.max_th -= self.beta * (self.max_plus - self.max_minus)
                self.min_th -= self.alpha * (self.min_plus - self.min_minus)
                if self.max_th < self.max_minus:
                    self.max_th = self.max_minus
                if self.min_th < self.min_minus:
                    self.min_th = self.min_minus
                self.cnt2 = 0
        else:
            self.cnt3 += 1
            self.cnt1 = self.cnt2 = 0
            if self.cnt3 > 4:
                self.min_th, self.max_th = self.nominal
                self.cnt3 = 0

    def show(self):
        return [f"avg={self.avg!r}", f"min_th={self.min_th!r}", f"max_th={self.max_th!r}"]


class PaperReconfigurable(PaperRed):
    """Reconfigurable-threshold RED, section 4.3 of Patel and Dalal.

    min_th starts at 4 packets and max_th at twice that. How min_th grows with flows and bursts is not printed: n k
    (open), with n the flows that have packets queued. Once min_th is at `target`, equation 4 sets max_th, at most the
    buffer: "the average queue size should reach the maximum threshold when or before the instantaneous queue size
    reaches the maximum buffer size". Until then max_th is twice min_th, by the rule of thumb, so equation 4 starts at
    twice the target.
    """

    def __init__(self, buffer, target, k, max_p, w_q):
        super().__init__(buffer, 4, 8, max_p, w_q)
        self.target, self.k = target, k

    def thresholds(self):
        n = len({packet.flow for packet in self.queue})
        self.min_th = min(max(4, n * self.k), self.target)
        if self.min_th < self.target:
            self.max_th = 2 * self.min_th
            return
        kept = (1 - self.w_q) ** (n * self.k)
        grown = max(self.max_th, 2 * self.min_th) + kept * self.avg + (1 - kept) * len(self.queue)
        self.max_th = min(grown, self.buffer)

    def show(self):
        return [f"avg={self.avg!r}", f"min_th={self.min_th!r}", f"max_th={self.max_th!r}"]


def traces():
    """Yields kind, name, model, keys and arrivals."""
    few = {"count": 700, "spell": 40, "sizes": (40, 576, 1000, 1500)}
    red = {"limit": "30 pkts", "min_th": "5 pkts", "max_th": "15 pkts", "max_p": "0.1", "w_q": "0.02"}
    yield "red", "papers", PaperRed(30, 5, 15, 0.1, 0.02), red, few
    yield "red", "papers_small_buffer", PaperRed(8, 5, 15, 0.1, 0.02), {**red, "limit": "8 pkts"}, few
    erd = {"limit": "20 pkts", "drop_level": "8 pkts", "drop_probability": "0.1"}
    yield "erd", "papers", PaperErd(20, 8, 0.1), erd, few
    yield "fred_refined", "papers", PaperRefined(30, 5, 15, 0.1, 0.02), red, few
    yield "wtred", "papers", PaperWtred(30, 0.1), {"limit": "30 pkts", "max_p": "0.1"}, {**few, "count": 1200}
    for column in range(1, 6):
        for rule, start in (("words", 0), ("equation", -1)) if column < 4 else (("words", 0),):
            keys = {**red, "variant": f"red_{column}", "count_start": rule}
            model = PaperSizes(column, start, 30, 5, 15, 0.1, 0.02)
            yield "red_size", f"papers_{column}_{rule}", model, keys, few
    at = PaperRedAt(50, (10, 30), (5, 15), (25, 35), (0.2, 0.1), 0.1, 0.02)
    keys = {
        "limit": "50 pkts", "min_th": "10 pkts", "max_th": "30 pkts", "min_low": "5 pkts", "min_high": "15 pkts",
        "max_low": "25 pkts", "max_high": "35 pkts", "alpha": "0.2", "beta": "0.1", "max_p": "0.1", "w_q": "0.02",
        "spacing": "pseudocode",
    }  # fmt: skip
    yield "red_at", "papers", at, keys, few
    keys = {
        "limit": "60 pkts", "target": "15 pkts", "burst": "4", "memory": "0 s", "equation": "as_printed",
        "max_p": "0.1", "w_q": "0.02",
    }  # fmt: skip
    yield "rtred", "papers", PaperReconfigurable(60, 15, 4, 0.1, 0.02), keys, {**few, "flows": 6}
