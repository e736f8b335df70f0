"""Cautious Adaptive RED, PURPLE, xCHOKe, LRU-RED, SHRED, Fuzzy RED and FPI, apart from every other transcription.

Their papers were not available. They were written from the pages of docs/disciplines alone, before their author had
read their code in Rust or the transcriptions of its author (steered.py, suspects.py, fuzzy.py). Steps that a page
leaves to RED are those of articles.py. The comparison showed two steps that the pages left open, and which they state
since: how signals of other queues add to PURPLE's, and that a packet which is marked and then finds the buffer full
counts as both.

Lines of a trace are those of line.py. A packet in transmission does not count as queued.
"""

from collections import Counter

from reference.articles import BYTES_PER_SECOND, RedText
from reference.rfcs import MS, SECOND, Fifo


class CautiousText(RedText):
    """Adaptive RED, whose step is the one of Refined Adaptive RED while the load changes."""

    gentle = True
    BAND_LOW, BAND_HIGH, TOP, BOTTOM = 0.4, 0.6, 0.5, 0.01
    INCREMENT, DECREMENT, GAIN_UP, GAIN_DOWN = 0.01, 0.9, 0.25, 0.17

    def __init__(self, limit, min_th, max_th, max_p, w_q, interval, load_from="trend"):
        super().__init__(limit, min_th, max_th, max_p, w_q)
        self.period, self.load_from = interval, load_from
        self.last_avg = 0.0

    def average(self, now):
        """Returns the average, with the idle time so far."""
        if self.queue:
            return self.avg
        return self.avg * (1 - self.w_q) ** ((now - self.q_time) / MS)

    def tick(self, now):
        avg, room = self.average(now), self.max_th - self.min_th
        middle = self.min_th + room / 2
        if avg > self.min_th + self.BAND_HIGH * room:
            if self.max_p <= self.TOP:
                changes = avg > (self.last_avg if self.load_from == "trend" else self.max_th)
                refined = self.GAIN_UP * (avg - middle) / middle * self.max_p
                self.max_p += refined if changes else min(self.INCREMENT, self.max_p / 4)
        elif avg < self.min_th + self.BAND_LOW * room and self.max_p >= self.BOTTOM:
            changes = avg < (self.last_avg if self.load_from == "trend" else self.min_th)
            refined = 1 - self.GAIN_DOWN * (middle - avg) / (middle - self.min_th)
            self.max_p *= refined if changes else self.DECREMENT
        self.last_avg = avg

    def show(self):
        return [*super().show(), f"max_p={self.max_p!r}"]


class EvaluatedText(Fifo):
    """A queue with a probability that a tick sets."""

    def __init__(self, limit, period, ecn):
        super().__init__(limit)
        self.period, self.ecn, self.p, self.q_last = period, ecn, 0.0, 0

    def enqueue(self, now, packet):
        if self.chance(self.p) and not self.mark_or_drop(packet, self.ecn):
            return
        if self.is_full():
            self.end(packet)
        else:
            self.queue.append(packet)

    def show(self):
        return [f"p={self.p!r}"]


class PurpleText(EvaluatedText):
    """The probability that, by TCP's inverse root of the signals, leads from the load to the wanted one."""

    W_E, BOTTOM, TOP = 0.1, 0.0001, 0.5

    def __init__(self, limit, q_ref, gain, interval, pace, ecn):
        super().__init__(limit, interval, ecn)
        self.q_ref, self.gain, self.pace = q_ref, gain, pace
        self.p, self.load, self.elsewhere = 0.001, 0.0, 0.0
        self.arrived_bytes = self.arrived = self.marked_before = 0

    def enqueue(self, now, packet):
        self.arrived_bytes += packet.size
        self.arrived += 1
        self.marked_before += packet.ecn == 3
        super().enqueue(now, packet)

    def tick(self, now):
        self.load = self.arrived_bytes / (BYTES_PER_SECOND * self.period / SECOND)
        if self.arrived:
            share = self.marked_before / self.arrived
            self.elsewhere += self.W_E * (share - self.elsewhere)
        self.arrived_bytes = self.arrived = self.marked_before = 0
        wanted = 1 + self.gain * (1 - len(self.queue) / self.q_ref)
        others = self.elsewhere
        predicted = (others + (1 - others) * self.p) * (self.load / wanted) ** 2
        ours = (predicted - others) / (1 - others)
        self.p += self.pace * (ours - self.p)
        self.p = min(max(self.p, self.BOTTOM), self.TOP)

    def show(self):
        return [f"p={self.p!r}", f"load={self.load!r}"]


class XchokeText(RedText):
    """CHOKe with a list of flows that have matched themselves."""

    def __init__(self, limit, min_th, max_th, max_p, w_q, places, p_hit, forget, growth, filtered):
        super().__init__(limit, min_th, max_th, max_p, w_q)
        self.places, self.p_hit, self.period = places, p_hit, forget
        self.growth, self.filtered = growth, filtered
        self.hits = {}

    def listed_probability(self, flow):
        hits = self.hits.get(flow, 0)
        if hits == 0 or (self.filtered == "congested" and self.avg < self.min_th):
            return 0.0
        factor = 2 ** (hits - 1) if self.growth == "doubling" else hits
        return min(self.p_hit * factor, 1.0)

    def enqueue(self, now, packet):
        self.sample(now)
        if self.chance(self.listed_probability(packet.flow)):
            self.end(packet)
        else:
            self.decide(now, packet)

    def compare(self, now, packet):
        """Compares the arrival with a packet of the queue; drops both if they are of one flow."""
        if not self.queue:
            return False
        place = int(self.uniform() * len(self.queue))
        if self.queue[place].flow != packet.flow:
            return False
        self.end(self.queue.pop(place))
        self.end(packet)
        if packet.flow in self.hits or len(self.hits) < self.places:
            self.hits[packet.flow] = self.hits.get(packet.flow, 0) + 1
        if not self.queue:
            self.q_time = now
        return True

    def tick(self, now):
        self.hits = {flow: hits - 1 for flow, hits in self.hits.items() if hits > 1}

    def show(self):
        return [*super().show(), f"listed={float(len(self.hits))!r}"]


class OfPacketText(RedText):
    """RED whose `max_p` and `min_th` are those of the arriving packet."""

    def __init__(self, limit, min_th, max_th, max_p, w_q):
        super().__init__(limit, min_th, max_th, max_p, w_q)
        self.plain_min_th, self.plain_max_p = min_th, max_p

    def enqueue(self, now, packet):
        self.max_p, self.min_th = self.for_packet(now, packet)
        super().enqueue(now, packet)


class LruText(OfPacketText):
    """RED with a cache of flows; the least recent one leaves."""

    def __init__(self, limit, min_th, max_th, max_p, w_q, places, admit, threshold, halve):
        super().__init__(limit, min_th, max_th, max_p, w_q)
        self.places, self.admit, self.threshold, self.period = places, admit, threshold, halve
        self.counts = {}  # the least recent flow first

    def for_packet(self, now, packet):
        if packet.flow in self.counts:
            self.counts[packet.flow] = self.counts.pop(packet.flow) + 1
        elif self.chance(self.admit):
            if len(self.counts) == self.places:
                del self.counts[next(iter(self.counts))]
            self.counts[packet.flow] = 1
        count = self.counts.get(packet.flow, 0)
        factor = count / self.threshold if count > self.threshold else 1.0
        return min(self.plain_max_p * factor, 1.0), self.plain_min_th

    def tick(self, now):
        self.counts = {flow: count // 2 for flow, count in self.counts.items()}

    def show(self):
        most = max(self.counts.values(), default=0)
        return [*super().show(), f"cached={float(len(self.counts))!r}", f"most={float(most)!r}"]


class ShredText(OfPacketText):
    """RED that treats packets of small windows as if its curve began later."""

    def __init__(self, limit, min_th, max_th, max_p, w_q, rtt, w_c, above_mean="plain"):
        super().__init__(limit, min_th, max_th, max_p, w_q)
        self.period, self.w_c, self.above_mean = rtt, w_c, above_mean
        self.mean_window = 1.0
        self.present, self.last = Counter(), Counter()

    def tick(self, now):
        self.present, self.last = Counter(), self.present

    def window(self, flow):
        """Returns the packets of a flow in the present `rtt` with this one, or in the last one."""
        self.present[flow] += 1
        return max(self.present[flow], self.last[flow])

    def for_packet(self, now, packet):
        window = self.window(packet.flow)
        self.mean_window = (1 - self.w_c) * self.mean_window + self.w_c * window
        share = window / self.mean_window
        if share < 1:
            way = self.max_th - self.plain_min_th
            return self.plain_max_p * share, self.plain_min_th + (1 - share) * way
        factor = share if self.above_mean == "scaled" else 1.0
        return min(self.plain_max_p * factor, 1.0), self.plain_min_th

    def show(self):
        return [*super().show(), f"mean_window={self.mean_window!r}", f"max_p={self.max_p!r}"]


def triangles(x, peaks):
    """Degrees of the sets with these peaks; each falls to zero at the peaks next to it, the outer two stay at one."""
    x = min(max(x, peaks[0]), peaks[-1])
    degrees = []
    for i, peak in enumerate(peaks):
        if x == peak:
            degrees.append(1.0)
        elif x < peak:
            degrees.append(max((x - peaks[i - 1]) / (peak - peaks[i - 1]), 0.0))
        else:
            degrees.append(max((peaks[i + 1] - x) / (peaks[i + 1] - peak), 0.0))
    return degrees


class FuzzyText(EvaluatedText):
    """Nine rules on the queue (empty, moderate, full) and its change (falling, steady, rising)."""

    def __init__(self, limit, moderate, full, dq, interval, low, medium, high, *, least=False, ecn=False):
        super().__init__(limit, interval, ecn)
        self.moderate, self.full, self.dq, self.least = moderate, full, dq, least
        self.rules = [[0.0, 0.0, low], [0.0, low, medium], [medium, high, high]]

    def tick(self, now):
        q = len(self.queue)
        lengths = triangles(q, [0, self.moderate, self.full])
        changes = triangles(q - self.q_last, [-self.dq, 0, self.dq])
        self.q_last = q
        over = under = 0.0
        for length, row in zip(lengths, self.rules, strict=True):
            for change, conclusion in zip(changes, row, strict=True):
                degree = min(length, change) if self.least else length * change
                over += degree * conclusion
                under += degree
        self.p = over / under


class FpiText(EvaluatedText):
    """25 rules that move the probability by the error and the change of the queue."""

    POSITIONS = (-1.0, -0.5, 0.0, 0.5, 1.0)

    def __init__(self, limit, q_ref, period, k_e, k_d, k_u, shape=1.0, *, ecn=False):
        super().__init__(limit, period, ecn)
        self.q_ref, self.k_e, self.k_d, self.k_u = q_ref, k_e, k_d, k_u
        inner = 0.5**shape
        self.peaks = [-1.0, -inner, 0.0, inner, 1.0]

    def tick(self, now):
        q = len(self.queue)
        errors = triangles(self.k_e * (q - self.q_ref), self.peaks)
        changes = triangles(self.k_d * (q - self.q_last), self.peaks)
        self.q_last = q
        over = under = 0.0
        for error, at in zip(errors, self.POSITIONS, strict=True):
            for change, also_at in zip(changes, self.POSITIONS, strict=True):
                over += error * change * min(max(at + also_at, -1.0), 1.0)
                under += error * change
        self.p = min(max(self.p + self.k_u * over / under, 0.0), 1.0)


RED = {"limit": "30 pkts", "min_th": "5 pkts", "max_th": "15 pkts", "max_p": "0.1", "w_q": "0.02"}
RED_VALUES = (30, 5, 15, 0.1, 0.02)


def of_red(like):
    """Yields the traces of those that are REDs."""
    for load_from in ("trend", "thresholds"):
        keys = {**RED, "interval": "60 ms", "load_from": load_from}
        model = CautiousText(*RED_VALUES, 60 * MS, load_from)
        yield "cared", f"page_{load_from}", model, keys, {**like, "spell": 500}
    flows = {**like, "flows": 5}
    for growth, filtered in (("linear", "always"), ("doubling", "congested")):
        keys = {
            **RED,
            "places": "2",
            "p_hit": "0.05",
            "forget": "40 ms",
            "growth": growth,
            "filtered": filtered,
        }
        model = XchokeText(*RED_VALUES, 2, 0.05, 40 * MS, growth, filtered)
        yield "xchoke", f"page_{growth}", model, keys, flows
    keys = {**RED, "places": "3", "admit": "0.1", "threshold": "10", "halve": "70 ms"}
    yield "lru_red", "page", LruText(*RED_VALUES, 3, 0.1, 10, 70 * MS), keys, {**like, "flows": 8}
    for above in ("plain", "scaled"):
        keys = {**RED, "rtt": "40 ms", "w_c": "0.05", "above_mean": above}
        yield "shred", f"page_{above}", ShredText(*RED_VALUES, 40 * MS, 0.05, above), keys, flows


def traces():
    """Yields kind, name, model, keys and arrivals."""
    like = {"count": 2500, "sizes": (40, 576, 1000, 1500)}
    yield from of_red(like)
    for name, ecn in (("drops", False), ("marks", True)):
        keys = {"limit": "30 pkts", "q_ref": "8 pkts", "gain": "0.3", "interval": "40 ms", "pace": "0.4"}
        model = PurpleText(30, 8, 0.3, 40 * MS, 0.4, ecn)
        # Some arrivals were marked elsewhere.
        fields = (None, 0, 1, 3) if ecn else (None,)
        yield "purple", f"page_{name}", model, {**keys, "ecn": str(ecn).lower()}, {**like, "ecn": fields}
    marks = {**like, "ecn": (None, 0, 1)}
    sets = {"q_moderate": "6 pkts", "q_full": "18 pkts", "dq": "4 pkts", "p_low": "0.03", "p_high": "0.6"}
    for name in ("product", "min"):
        keys = {"limit": "25 pkts", **sets, "interval": "15 ms", "conjunction": name, "ecn": "true"}
        model = FuzzyText(25, 6, 18, 4, 15 * MS, 0.03, 0.1, 0.6, least=name == "min", ecn=True)
        yield "fuzzy_red", f"page_{name}", model, keys, marks
    for name, shape in (("even", 1.0), ("near", 2.0), ("far", 0.5)):
        keys = {"limit": "25 pkts", "q_ref": "8 pkts", "period": "12 ms", "k_e": "0.08", "k_d": "0.15"}
        keys |= {"k_u": "0.02", "shape": str(shape), "ecn": "true"}
        yield "fpi", f"page_{name}", FpiText(25, 8, 12 * MS, 0.08, 0.15, 0.02, shape, ecn=True), keys, marks
