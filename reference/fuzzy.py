"""Disciplines that reason in words: Fuzzy RED and the fuzzy proportional-integral controller.

Fuzzy RED is written from what is known of Chrysostomou et al. (2003): sets of the queue and of its change, a rule
for each pair, singletons as conclusions. The fuzzy controller is written from the abstract of Di Fatta et al. (2003),
which designs it in analogy with a PI controller. Neither text was available; the sets and the rules are those of a
textbook. Queues are counted in packets.
"""

from reference.standards import MS, Single


def degrees(x, peaks):
    """How far `x` belongs to each of the triangles with these peaks; the outer ones are shoulders."""
    memberships = []
    for i, peak in enumerate(peaks):
        if x == peak or (i == 0 and x < peak) or (i == len(peaks) - 1 and x > peak):
            memberships.append(1.0)
        elif x < peak:
            left = peaks[i - 1] if i else peak
            memberships.append((x - left) / (peak - left) if left < x else 0.0)
        else:
            right = peaks[i + 1] if i + 1 < len(peaks) else peak
            memberships.append((right - x) / (right - peak) if x < right else 0.0)
    return memberships


def conclude(first, second, conclusions, both):
    """The mean of the conclusions, weighted by how far the two conditions of each hold."""
    weights = [[both(a, b) for b in second] for a in first]
    total = sum(sum(row) for row in weights)
    pairs = (
        (w, c)
        for row, values in zip(weights, conclusions, strict=True)
        for w, c in zip(row, values, strict=True)
    )
    return sum(w * c for w, c in pairs) / total


class FuzzyRed(Single):
    """A probability from the queue and its change, once an interval."""

    def __init__(self, limit, period, queue, change, levels, both=lambda a, b: a * b, ecn=False):
        super().__init__(limit, ecn)
        self.period, self.both = period, both
        self.queues = [0.0, *queue]
        self.changes = [-change, 0.0, change]
        low, medium, high = levels
        self.rules = [[0.0, 0.0, low], [0.0, low, medium], [medium, high, high]]
        self.p, self.old = 0.0, 0

    def tick(self, now):
        q = len(self.queue)
        sets = degrees(q, self.queues), degrees(q - self.old, self.changes)
        self.p, self.old = conclude(*sets, self.rules, self.both), q

    def enqueue(self, now, packet):
        if not self.chance(self.p) or self.mark_or_drop(packet, self.ecn):
            self.store(packet)

    def show(self):
        return [f"p={self.p!r}"]


class FuzzyPi(Single):
    """The probability moves by what five by five rules conclude from the error and its change."""

    def __init__(self, limit, period, q_ref, gains, shape=1.0, ecn=False):
        super().__init__(limit, ecn)
        self.period, self.q_ref, self.gains = period, q_ref, gains
        half = 0.5**shape
        self.peaks = [-1.0, -half, 0.0, half, 1.0]
        self.rules = [[min(max((i + j) / 2, -1.0), 1.0) for j in range(-2, 3)] for i in range(-2, 3)]
        self.p, self.old = 0.0, 0

    def tick(self, now):
        k_e, k_d, k_u = self.gains
        q = len(self.queue)
        error = min(max(k_e * (q - self.q_ref), -1.0), 1.0)
        change = min(max(k_d * (q - self.old), -1.0), 1.0)
        step = conclude(
            degrees(error, self.peaks), degrees(change, self.peaks), self.rules, lambda a, b: a * b
        )
        self.p, self.old = min(max(self.p + k_u * step, 0.0), 1.0), q

    def enqueue(self, now, packet):
        if not self.chance(self.p) or self.mark_or_drop(packet, self.ecn):
            self.store(packet)

    def show(self):
        return [f"p={self.p!r}"]


LIKE = {"count": 1200, "sizes": (40, 576, 1000, 1500), "spell": 150}
MIXED = {**LIKE, "ecn": (None, 0)}


def traces():
    """Drops and marks of each, and its other options."""
    keys = {
        "limit": "40 pkts",
        "q_moderate": "8 pkts",
        "q_full": "20 pkts",
        "dq": "5 pkts",
        "interval": "20 ms",
        "p_low": "0.02",
    }
    fuzzy = 40, 20 * MS, (8.0, 20.0), 5.0, (0.02, 0.1, 0.5)
    yield "fuzzy_red", "product", FuzzyRed(*fuzzy), keys, LIKE
    least = FuzzyRed(*fuzzy, both=min, ecn=True)
    yield "fuzzy_red", "least", least, {**keys, "conjunction": "min", "ecn": "true"}, MIXED
    gains = {"k_e": "0.1", "k_d": "0.2", "k_u": "0.01"}
    keys = {"limit": "40 pkts", "q_ref": "10 pkts", "period": "20 ms", **gains}
    yield "fpi", "drops", FuzzyPi(40, 20 * MS, 10, (0.1, 0.2, 0.01)), keys, LIKE
    bent = FuzzyPi(40, 20 * MS, 10, (0.1, 0.2, 0.01), shape=2.0, ecn=True)
    yield "fpi", "bent", bent, {**keys, "shape": "2", "ecn": "true"}, MIXED
