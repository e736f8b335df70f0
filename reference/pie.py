"""PIE as RFC 8033 section 4 and 5 and its appendices describe it."""

from collections import deque

from reference.line import NS_PER_BYTE, Model

MS = 1_000_000
DQ_THRESHOLD = 16384


class Controller:
    """The variables of one queue. Delays in seconds; `delay` names the way they are measured."""

    def __init__(
        self, model, delay="timestamp", derandomise=True, cap=True, active_at=0, mean=1000, target=0.015
    ):
        self.model, self.delay, self.derandomise, self.cap = model, delay, derandomise, cap
        self.active_at, self.mean, self.target = active_at, mean, target
        self.current_qdelay = 0.0
        self.start()
        self.active = active_at == 0

    def start(self):
        self.active = True
        self.qdelay_old = 0.0
        self.drop_prob = 0.0
        self.accu_prob = 0.0
        self.burst_allowance = 150 * MS
        self.in_measurement = False
        self.avg_dq_time = 0.0
        self.current_qdelay = 0.0

    def drop_early(self, queue_bytes):
        if not self.active or self.burst_allowance > 0:
            return False
        if (self.qdelay_old < self.target / 2 and self.drop_prob < 0.2) or queue_bytes <= 2 * self.mean:
            return False
        if not self.derandomise:
            return self.model.chance(self.drop_prob)
        if self.drop_prob == 0:
            self.accu_prob = 0.0
        self.accu_prob += self.drop_prob
        if self.accu_prob < 0.85:
            return False
        if self.accu_prob >= 8.5 or self.model.chance(self.drop_prob):
            self.accu_prob = 0.0
            return True
        return False

    def stored(self, queue_bytes):
        if not self.active and queue_bytes >= self.active_at:
            self.start()

    def departed(self, now, packet, bytes_left):
        if self.delay == "timestamp":
            self.current_qdelay = (now - packet.enqueued) * 1e-9 if bytes_left else 0.0
        if self.delay != "rate":
            return
        if not self.in_measurement:
            if bytes_left + packet.size >= DQ_THRESHOLD:
                self.in_measurement, self.measurement_start, self.dq_count = True, now, 0
            return
        self.dq_count += packet.size
        if self.dq_count >= DQ_THRESHOLD:
            sample = (now - self.measurement_start) * 1e-9 * DQ_THRESHOLD / self.dq_count
            weight = DQ_THRESHOLD / 2**16
            if self.avg_dq_time == 0:
                self.avg_dq_time = sample
            else:
                self.avg_dq_time = sample * weight + self.avg_dq_time * (1 - weight)
            self.in_measurement, self.measurement_start, self.dq_count = bytes_left >= DQ_THRESHOLD, now, 0

    def calculate_drop_prob(self, queue_bytes):
        if not self.active:
            return
        if self.delay == "rate":
            self.current_qdelay = queue_bytes * self.avg_dq_time / DQ_THRESHOLD
        elif self.delay == "backlog":
            self.current_qdelay = queue_bytes * (NS_PER_BYTE * 1e-9)
        qdelay, old = self.current_qdelay, self.qdelay_old
        p = 0.125 * (qdelay - self.target) + 1.25 * (qdelay - old)
        if self.drop_prob < 0.000001:
            p /= 2048
        elif self.drop_prob < 0.00001:
            p /= 512
        elif self.drop_prob < 0.0001:
            p /= 128
        elif self.drop_prob < 0.001:
            p /= 32
        elif self.drop_prob < 0.01:
            p /= 8
        elif self.drop_prob < 0.1:
            p /= 2
        if self.cap and self.drop_prob >= 0.1 and p > 0.02:
            p = 0.02
        self.drop_prob += p
        if qdelay == 0 and old == 0:
            self.drop_prob *= 0.98
        self.drop_prob = min(max(self.drop_prob, 0.0), 1.0)
        if self.drop_prob == 0 and qdelay < self.target / 2 and old < self.target / 2:
            self.burst_allowance = 150 * MS
        else:
            self.burst_allowance = max(0, self.burst_allowance - 15 * MS)
        if self.active_at and self.drop_prob == 0 and old == 0 and qdelay == 0:
            self.active = self.in_measurement = False
        self.qdelay_old = qdelay


class Pie(Model):
    """One queue under the controller."""

    period = 15 * MS

    def __init__(self, limit, ecn=False, **options):
        super().__init__()
        self.packets = deque()
        self.limit, self.ecn = limit, ecn
        self.controller = Controller(self, **options)

    def bytes(self):
        return sum(packet.size for packet in self.packets)

    def enqueue(self, now, packet):
        controller = self.controller
        if len(self.packets) >= self.limit:
            controller.accu_prob = 0.0
            self.end(packet)
            return
        if controller.drop_early(self.bytes()):
            ecn = self.ecn and controller.drop_prob <= 0.1
            if not self.mark_or_drop(packet, ecn):
                return
        self.packets.append(packet)
        controller.stored(self.bytes())

    def dequeue(self, now):
        if not self.packets:
            return None
        packet = self.packets.popleft()
        self.controller.departed(now, packet, self.bytes())
        return packet

    def tick(self, now):
        self.controller.calculate_drop_prob(self.bytes())

    def show(self):
        return [f"drop_prob={self.controller.drop_prob!r}"]


def traces():
    """Each way to measure the delay, with and without the additions of section 5."""
    keys = {"limit": "120 pkts"}
    yield "pie", "timestamp", Pie(120), keys, {"count": 2000}
    basic = {**keys, "dialect": "rfc_basic"}
    yield "pie", "basic", Pie(120, derandomise=False, cap=False), basic, {"count": 2000}
    mixed = {"count": 2500, "sizes": (576, 1000, 1500), "ecn": (None, 0, 1)}
    yield (
        "pie",
        "backlog_ecn",
        Pie(120, delay="backlog", ecn=True),
        {**keys, "delay": "backlog", "ecn": "true"},
        mixed,
    )
    third = 60 * 1000 * (1 / 3)
    rfc = {"limit": "60 pkts", "dialect": "rfc"}
    yield "pie", "rfc", Pie(60, delay="rate", active_at=third), rfc, {"count": 2500, "spell": 500}
