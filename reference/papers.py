"""RED and its relatives from the words of the five studied papers, each row by row.

Written from the papers alone, before their disciplines in Rust or any other transcription was read; it shares no code
with those. Sources: Hamadneh et al. (equations 1 to 3, Tables 1 to 3, section 5.2) for RED, ERD, Refined RED and
WTRED; Patel and Dalal (section 4.1, equation 4, Figure 6) for RED-AT and reconfigurable-threshold RED; Hassan (section
2.1) for RED's parameters. What these leave to the RED that all of them cite is marked FJ93, what nothing says is marked
open. Queues are in packets; a packet in transmission does not count as queued.
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

    def thresholds(self):
        """What adapts thresholds does so here, once the average is known."""

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
        """"FRED extends RED by additionally calculating the average queue size for every packet departure." The
        queue that it samples is the one that the packet leaves behind (open)."""
        packet = super().dequeue(now)
        if packet is not None and self.queue:
            self.sample(now)
        return packet


class PaperWtred(PaperRed):
    """WTRED, section 5.2: thresholds at 40 and 70 per cent of the buffer; weights of the green, yellow and red area."""

    def __init__(self, buffer, max_p):
        super().__init__(buffer, 0.4 * buffer, 0.7 * buffer, max_p, None)

    def weight(self):
        if self.avg < self.min_th:
            return 0.003
        return 0.002 if self.avg < self.max_th else 0.001


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
    reaches the maximum buffer size".
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
        self.max_th = min(self.max_th + kept * self.avg + (1 - kept) * len(self.queue), self.buffer)

    def show(self):
        return [f"avg={self.avg!r}", f"min_th={self.min_th!r}", f"max_th={self.max_th!r}"]
