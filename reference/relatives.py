"""RED's relatives, each written from the text that describes it on top of one plain RED.

`Plain` is Figure 2 of Floyd and Jacobson (1993) as in red.py, cut into the steps that the relatives change.
A packet's class is its flow number.
"""

import math
from fractions import Fraction

from reference.decnodder import Law
from reference.line import RATE, Model

PACKET_TIME = 1_000_000  # 1000 bytes at 8 Mbit/s


class Plain(Model):
    """RED in packets."""

    def __init__(self, limit, min_th, max_th, max_p, w_q, gentle=False, ecn=False):
        super().__init__()
        self.limit, self.min_th, self.max_th, self.max_p, self.w_q = limit, min_th, max_th, max_p, w_q
        self.gentle, self.ecn = gentle, ecn
        self.queue = []
        self.avg, self.count, self.q_time = 0.0, -1, 0

    def before(self, now, packet):
        """Changes the state before the average is updated."""

    def between(self, now, packet):
        """Changes the state between average and verdict; returns True if the arrival ended here."""
        return False

    def after(self, packet, kept):
        """Changes the state after the verdict."""

    def update(self, now):
        if self.queue:
            self.avg = (1 - self.w_q) * self.avg + self.w_q * len(self.queue)
        else:
            self.avg *= (1 - self.w_q) ** ((now - self.q_time) / PACKET_TIME)

    def curve(self):
        """p_b from min_th upward; None where every packet is dropped."""
        if self.avg < self.max_th:
            return min(1.0, self.max_p * (self.avg - self.min_th) / (self.max_th - self.min_th))
        if self.gentle and self.avg < 2 * self.max_th:
            return self.max_p + (1 - self.max_p) * (self.avg - self.max_th) / self.max_th
        return None

    def early(self, p_b, packet):
        self.count += 1
        p_a = p_b / (1 - self.count * p_b) if self.count * p_b < 1 else 1.0
        marked = self.chance(min(p_a, 1.0))
        if marked:
            self.count = 0
        return marked

    def enqueue(self, now, packet):
        self.before(now, packet)
        self.update(now)
        if self.between(now, packet):
            return
        kept = self.verdict(packet)
        if kept and len(self.queue) >= self.limit:
            self.count = 0
            self.end(packet)
            kept = False
        if kept:
            self.queue.append(packet)
        if not self.queue:
            self.q_time = now
        self.after(packet, kept)

    def verdict(self, packet):
        if self.avg < self.min_th:
            self.count = -1
            return True
        p_b = self.curve()
        if p_b is None:
            self.count = 0
            self.end(packet)
            return False
        return self.mark_or_drop(packet, self.ecn) if self.early(p_b, packet) else True

    def dequeue(self, now):
        if not self.queue:
            return None
        packet = self.queue.pop(0)
        if not self.queue:
            self.q_time = now
        self.departed(packet)
        return packet

    def departed(self, packet):
        """Changes the state at a departure."""

    def show(self):
        return [f"avg={self.avg!r}"]


class Adaptive(Plain):
    """Floyd, Gummadi, Shenker 2001, Figure 3; automatic values for 8 Mbit/s and 1000 bytes."""

    period = 500_000_000

    def __init__(self, limit, timer=True, fixed_slope=False):
        capacity = RATE / 8000
        super().__init__(
            limit, max(5, 0.005 * capacity / 2), 0, 0.1, 1 - math.exp(-1 / capacity), gentle=True
        )
        self.max_th = 3 * self.min_th
        self.initial, self.fixed_slope, self.timer, self.last = 0.1, fixed_slope, timer, 0
        if not timer:
            self.period = None

    def curve(self):
        if self.fixed_slope and self.max_th <= self.avg < 2 * self.max_th:
            return self.initial + (1 - self.initial) * (self.avg - self.max_th) / self.max_th
        return super().curve()

    def step(self, avg):
        span = self.max_th - self.min_th
        if avg > self.min_th + 0.6 * span and self.max_p <= 0.5:
            self.max_p += min(0.01, self.max_p / 4)
        elif avg < self.min_th + 0.4 * span and self.max_p >= 0.01:
            self.max_p *= 0.9
        else:
            return False
        return True

    def tick(self, now):
        idle = 0 if self.queue else (now - self.q_time) / PACKET_TIME
        self.step(self.avg * (1 - self.w_q) ** idle)

    def between(self, now, packet):
        if not self.timer and now > self.last + 500_000_000 and self.step(self.avg):
            self.last = now
        return False

    def show(self):
        return [f"avg={self.avg!r}", f"max_p={self.max_p!r}"]


class Feng(Plain):
    """Feng, Kandlur, Saha, Shin 1999: max_p adapts at every update of the average, by 3 downwards and 2 upwards."""

    status = "below"

    def between(self, now, packet):
        if self.min_th <= self.avg <= self.max_th:
            self.status = "between"
        elif self.avg < self.min_th and self.status != "below":
            self.status, self.max_p = "below", self.max_p / 3
        elif self.avg > self.max_th and self.status != "above":
            self.status, self.max_p = "above", min(1.0, self.max_p * 2)
        return False

    def show(self):
        return [f"avg={self.avg!r}", f"max_p={self.max_p!r}"]


class Weighted(Plain):
    """WTRED: the weight of the average falls from the green to the yellow and the red area of the buffer."""

    def __init__(self, limit):
        super().__init__(limit, 0.4 * limit, 0.7 * limit, 0.1, 0.003)

    def before(self, now, packet):
        self.w_q = 0.003 if self.avg < self.min_th else 0.002 if self.avg < self.max_th else 0.001


class Refined(Plain):
    """Wang and Shin 1999, as the WTRED paper's Tables 2 and 3 have it."""

    def __init__(self, *settings):
        super().__init__(*settings)
        self.base_p, self.base_w = self.max_p, self.w_q

    def weigh(self):
        q, warn = len(self.queue), self.limit / 2
        self.w_q = self.base_w
        if q > warn and q > self.avg:
            phase = min(5, int(6 * (q - warn) / (self.limit - warn)))
            self.w_q = min(1.0, self.base_w * (1, 4, 8, 12, 16, 20)[phase])

    def before(self, now, packet):
        self.weigh()

    def between(self, now, packet):
        phase = int(6 * (self.avg - self.min_th) / (self.max_th - self.min_th))
        self.max_p = min(1.0, self.base_p * (1, 2, 4, 6, 8, 10)[max(0, min(5, phase))])
        return False

    def departed(self, packet):
        self.weigh()
        self.avg = (1 - self.w_q) * self.avg + self.w_q * len(self.queue)


class BySize(Plain):
    """RED_1 to RED_5: the average and the buffer of `Plain`, the drop law of decnodder.py."""

    def __init__(self, law, limit, w_q):
        super().__init__(limit, law.min_th, law.max_th, law.max_p, w_q)
        self.law = law

    def enqueue(self, now, packet):
        self.update(now)
        p_a = self.law.p_a(Fraction(self.avg), packet.size)
        drops = p_a is not None and self.chance(p_a)
        if not drops and len(self.queue) >= self.limit:
            drops = True
            self.law.restarts()
        elif p_a is not None:
            self.law.verdict(packet.size, drops)
        if drops:
            self.end(packet)
        else:
            self.queue.append(packet)
        if not self.queue:
            self.q_time = now

    def show(self):
        return [*super().show(), f"count={float(self.law.count)!r}"]


class AdaptiveThresholds(Plain):
    """RED-AT, Figure 6. Its bounds on the thresholds are chosen here: the paper prints none."""

    cnt1 = cnt2 = cnt3 = 0
    low, nominal, high = (5, 25), (10, 30), (15, 35)

    def between(self, now, packet):
        if self.avg < self.high[0]:
            self.cnt1, self.cnt2, self.cnt3 = self.cnt1 + 1, 0, 0
            if self.cnt1 > 4:
                self.min_th = min(self.high[0], self.min_th + 0.2 * (self.high[0] - self.low[0]))
                self.max_th = min(self.high[1], self.max_th + 0.1 * (self.high[1] - self.low[1]))
                self.cnt1 = 0
        elif self.avg > self.low[1]:
            self.cnt1, self.cnt2, self.cnt3 = 0, self.cnt2 + 1, 0
            if self.cnt2 > 4:
                self.max_th = max(self.low[1], self.max_th - 0.1 * (self.high[1] - self.low[1]))
                self.min_th = max(self.low[0], self.min_th - 0.2 * (self.high[0] - self.low[0]))
                self.cnt2 = 0
        else:
            self.cnt1, self.cnt2, self.cnt3 = 0, 0, self.cnt3 + 1
            if self.cnt3 > 4:
                self.min_th, self.max_th = self.nominal
                self.cnt3 = 0
        return False

    def show(self):
        return [f"avg={self.avg!r}", f"min_th={self.min_th!r}", f"max_th={self.max_th!r}"]


class Nonlinear(Plain):
    """Zhou, Yeung, Li 2006: a parabola with one and a half times the peak."""

    def curve(self):
        if self.avg < self.max_th:
            return 1.5 * self.max_p * ((self.avg - self.min_th) / (self.max_th - self.min_th)) ** 2
        return None


class Smooth(Plain):
    """SmRED: a square up to the middle, a root beyond."""

    def curve(self):
        x = (self.avg - self.min_th) / (self.max_th - self.min_th)
        if x >= 1:
            return None
        return self.max_p * (x**2 if self.avg < (self.min_th + self.max_th) / 2 else math.sqrt(x))


class Choke(Plain):
    """Pan, Prabhakar, Psounis 2000, Figure 1."""

    def between(self, now, packet):
        if self.avg < self.min_th or not self.queue:
            return False
        drawn = int(self.uniform() * len(self.queue))
        if self.queue[drawn].flow != packet.flow:
            return False
        self.end(self.queue.pop(drawn))
        self.end(packet)
        if not self.queue:
            self.q_time = now
        return True


class Reconfigurable(Plain):
    """Equation 4 of the RED-AT paper. `printed`: the sum; otherwise the predicted average."""

    def __init__(self, printed, *settings):
        super().__init__(*settings)
        self.printed = printed

    def between(self, now, packet):
        n, k, w, target = len({waiting.flow for waiting in self.queue}), 4, self.w_q, self.limit / 4
        self.min_th = max(4, min(target, n * k))
        if self.min_th < target:
            self.max_th = 2 * self.min_th
        else:
            kept = (1 - w) ** (n * k)
            predicted = kept * self.avg + (1 - kept) * len(self.queue)
            least = 2 * self.min_th
            printed = min(self.limit, max(self.max_th, least) + predicted)
            self.max_th = printed if self.printed else max(least, min(self.limit, predicted))
        return False

    def show(self):
        return [f"avg={self.avg!r}", f"min_th={self.min_th!r}", f"max_th={self.max_th!r}"]


class FreeBuffer(Plain):
    """Thresholds that are shares of the free buffer, by class."""

    def between(self, now, packet):
        free = self.limit - len(self.queue)
        lower, upper = ((0.2, 0.6), (0.3, 0.8), (0.4, 1.0))[min(packet.flow, 2)]
        self.min_th, self.max_th = lower * free, upper * free
        return False


class Classes(Plain):
    """WRED: one average, a curve and a count for each class, each packet its own draw."""

    def __init__(self, limit, curves, w_q):
        super().__init__(limit, 0, 0, 0, w_q)
        self.curves = curves

    def between(self, now, packet):
        self.min_th, self.max_th, self.max_p = self.curves[min(packet.flow, len(self.curves) - 1)]
        return False

    def early(self, p_b, packet):
        return self.chance(p_b)


RED = (30, 5, 15, 0.1, 0.02)
KEYS = {"limit": "30 pkts", "min_th": "5 pkts", "max_th": "15 pkts", "max_p": "0.1", "w_q": "0.02"}
LIKE = {"count": 900, "sizes": (40, 576, 1000, 1500), "spell": 100}
LONG = {**LIKE, "count": 2500, "spell": 300}
FLOWS = {**LIKE, "flows": 4}


def by_size(column, restart=0):
    """The law of a column with the thresholds of `RED`, as exact numbers."""
    return Law(column, Fraction(5), Fraction(15), Fraction(1, 10), 1500, restart)


def traces():
    """One for each law, more where an option changes it."""
    yield "ared", "timer", Adaptive(100), {"limit": "100 pkts"}, {**LIKE, "count": 3000, "spell": 400}
    arrival = {"limit": "100 pkts", "adapt": "arrival", "slope": "fixed"}
    like = {"count": 3000, "spell": 400}
    yield "ared", "arrival", Adaptive(100, timer=False, fixed_slope=True), arrival, like
    yield "feng", "crossing", Feng(*RED), KEYS, LIKE
    yield "wtred", "areas", Weighted(30), {"limit": "30 pkts"}, {**LIKE, "count": 3000, "spell": 400}
    yield "fred_refined", "steps", Refined(*RED), KEYS, LIKE
    for column in range(1, 6):
        keys = {**KEYS, "variant": f"red_{column}"}
        yield "red_size", f"variant_{column}", BySize(by_size(column), 30, 0.02), keys, LONG
        if column <= 3:
            equation = BySize(by_size(column, restart=-1), 30, 0.02)
            keys = {**keys, "count_start": "equation"}
            yield "red_size", f"variant_{column}_equation", equation, keys, LONG
    thresholds = {**KEYS, "limit": "50 pkts", "min_th": "10 pkts", "max_th": "30 pkts"}
    thresholds |= {"above_max": "drop", "spacing": "pseudocode"}
    yield "red_at", "thresholds", AdaptiveThresholds(50, 10, 30, 0.1, 0.02), thresholds, LONG
    yield "nlred", "parabola", Nonlinear(*RED), KEYS, LIKE
    yield "curve", "smred", Smooth(*RED), {**KEYS, "dialect": "smred"}, LIKE
    points = {**KEYS, "curve": "points 5 0, 15 0.1, 30 1"}
    yield "curve", "points", Plain(*RED, gentle=True), points, LIKE
    yield "choke", "random", Choke(*RED), KEYS, FLOWS
    common = {"limit": "60 pkts", "max_p": "0.1", "w_q": "0.02"}
    plain = {**common, "above_max": "drop", "memory": "0 s"}
    for name, printed in (("as_printed", True), ("predicted_avg", False)):
        model = Reconfigurable(printed, 60, 4, 8, 0.1, 0.02)
        yield "rtred", name, model, {**plain, "equation": name}, FLOWS
    yield "dtred", "free_buffer", FreeBuffer(60, 12, 36, 0.1, 0.02), common, {**FLOWS, "flows": 3}
    curves = [(4, 20, 1 / 5), (8, 20, 1 / 10), (12, 24, 1 / 20)]
    keys = {
        "limit": "30 pkts",
        "min_th": "[4 pkts, 8 pkts, 12 pkts]",
        "max_th": "[20 pkts, 20 pkts, 24 pkts]",
    }
    keys |= {"denominator": "[5, 10, 20]", "exponent": "5"}
    yield "wred", "classes", Classes(30, curves, 1 / 32), keys, {**LONG, "flows": 3}
