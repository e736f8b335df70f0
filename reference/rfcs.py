"""CoDel, PIE and FQ-PIE as their RFCs print them, apart from every other transcription.

They were written independently from memory of the published pseudocode, without the texts and before reading
their code in Rust. Their author had seen the tables of options on the pages of docs/disciplines. They share no code
with the other models. Sources: RFC 8289 section 5 (CoDel), RFC 8033 sections 4 and 5 and its appendix (PIE),
RFC 8290 section 4 with RFC 8033 (FQ-PIE).

Lines of a trace are those of line.py. A packet in transmission does not count as queued.
"""

from math import sqrt

from reference.line import Model

MS = 1_000_000
SECOND = 1_000_000_000


class Fifo(Model):
    """A buffer of packets, first in first out."""

    def __init__(self, limit):
        super().__init__()
        self.limit, self.queue = limit, []

    def backlog(self):
        return sum(packet.size for packet in self.queue)

    def is_full(self):
        return len(self.queue) >= self.limit

    def dequeue(self, now):
        return self.queue.pop(0) if self.queue else None


class CoDelText(Fifo):
    """RFC 8289 section 5.5, with its names; `maxpacket` is the interface's MTU, as section 5.2 advises."""

    TARGET, INTERVAL = 5 * MS, 100 * MS

    def __init__(self, limit, maxpacket):
        super().__init__(limit)
        self.maxpacket = maxpacket
        self.first_above_time = self.drop_next = 0
        self.count = self.lastcount = 0
        self.dropping = False

    def enqueue(self, now, packet):
        if self.is_full():
            self.end(packet)
        else:
            self.queue.append(packet)

    def dodequeue(self, now):
        """A packet, and whether its delay has been above the target for an interval."""
        packet = super().dequeue(now)
        if packet is None:
            self.first_above_time = 0
            return None, False
        if now - packet.enqueued < self.TARGET or self.backlog() <= self.maxpacket:
            self.first_above_time = 0
            return packet, False
        if self.first_above_time == 0:
            self.first_above_time = now + self.INTERVAL
            return packet, False
        return packet, now >= self.first_above_time

    def control_law(self, time):
        return time + self.INTERVAL / sqrt(self.count)

    def dequeue(self, now):
        packet, ok_to_drop = self.dodequeue(now)
        if self.dropping:
            if not ok_to_drop:
                self.dropping = False
            while self.dropping and now >= self.drop_next:
                self.end(packet)
                self.count += 1
                packet, ok_to_drop = self.dodequeue(now)
                if not ok_to_drop:
                    self.dropping = False
                else:
                    self.drop_next = self.control_law(self.drop_next)
        elif ok_to_drop:
            self.end(packet)
            packet, ok_to_drop = self.dodequeue(now)
            self.dropping = True
            delta = self.count - self.lastcount
            self.count = 1
            if delta > 1 and now - self.drop_next < 16 * self.INTERVAL:
                self.count = delta
            self.drop_next = self.control_law(now)
            self.lastcount = self.count
        return packet


class PieState:
    """RFC 8033: the state of one controller, delays in seconds; the allowance in milliseconds, so that it
    ends at 0."""

    REF, T_UPDATE_MS, MAX_BURST_MS = 0.015, 15, 150
    ALPHA, BETA = 0.125, 1.25
    MEAN_PKTSIZE = 1000

    def __init__(self):
        self.drop_prob = self.accu_prob = 0.0
        self.qdelay_old = self.current_qdelay = 0.0
        self.burst_allowance = self.MAX_BURST_MS

    def drop_early(self, model, backlog):
        """Section 4.1 with the spacing of section 5.4."""
        if self.qdelay_old < self.REF / 2 and self.drop_prob < 0.2:
            return False
        if backlog <= 2 * self.MEAN_PKTSIZE:
            return False
        if self.drop_prob == 0:
            self.accu_prob = 0.0
        self.accu_prob += self.drop_prob
        if self.accu_prob < 0.85:
            return False
        return self.accu_prob >= 8.5 or model.chance(self.drop_prob)

    def is_uncongested(self):
        return self.current_qdelay < self.REF / 2 and self.qdelay_old < self.REF / 2

    def arrive(self, model, backlog):
        """True if the arriving packet goes."""
        if self.burst_allowance == 0 and self.drop_early(model, backlog):
            self.accu_prob = 0.0
            return True
        if self.drop_prob == 0 and self.is_uncongested():
            self.burst_allowance = self.MAX_BURST_MS
        return False

    def calculate_drop_prob(self):
        """Section 4.2, with the cap of section 5.5 and the bounds of the appendix."""
        p = self.ALPHA * (self.current_qdelay - self.REF) + self.BETA * (
            self.current_qdelay - self.qdelay_old
        )
        for below, divisor in ((1e-6, 2048), (1e-5, 512), (1e-4, 128), (1e-3, 32), (1e-2, 8), (1e-1, 2)):
            if self.drop_prob < below:
                p /= divisor
                break
        if self.drop_prob >= 0.1 and p > 0.02:
            p = 0.02
        self.drop_prob += p
        if self.current_qdelay == 0 and self.qdelay_old == 0:
            self.drop_prob *= 0.98
        self.drop_prob = min(max(self.drop_prob, 0.0), 1.0)
        self.qdelay_old = self.current_qdelay
        self.burst_allowance = max(0, self.burst_allowance - self.T_UPDATE_MS)


class PieText(Fifo):
    """RFC 8033 with time stamps; an empty queue has no delay."""

    period = 15 * MS

    def __init__(self, limit):
        super().__init__(limit)
        self.pie, self.ticked = PieState(), False

    def enqueue(self, now, packet):
        if self.is_full():
            self.end(packet)
            self.pie.accu_prob = 0.0
        elif self.pie.arrive(self, self.backlog()):
            self.end(packet)
        else:
            self.queue.append(packet)

    def dequeue(self, now):
        packet = super().dequeue(now)
        if packet is not None:
            self.pie.current_qdelay = (now - packet.enqueued) / SECOND if self.queue else 0.0
        return packet

    def tick(self, now):
        self.pie.calculate_drop_prob()
        self.ticked = True

    def show(self):
        """The probability, at ticks alone: arrivals leave it as it is."""
        self.ticked, ticked = False, self.ticked
        return [f"drop_prob={self.pie.drop_prob!r}"] if ticked else []


class FlowQueue:
    """A queue of FQ-PIE: packets, credit, and a controller of its own."""

    def __init__(self):
        self.queue, self.credit, self.pie = [], 0, PieState()

    def backlog(self):
        return sum(packet.size for packet in self.queue)


class FqPieText(Model):
    """RFC 8290 section 4.1 and 4.2 with PIE in place of CoDel; a flow has a queue of its own (no two
    collide)."""

    period = 15 * MS
    QUANTUM = 1514

    def __init__(self, limit):
        super().__init__()
        self.limit = limit
        self.flows, self.new, self.old = {}, [], []

    def enqueue(self, now, packet):
        flow = self.flows.setdefault(packet.flow, FlowQueue())
        if sum(len(one.queue) for one in self.flows.values()) >= self.limit:
            self.end(packet)
            flow.pie.accu_prob = 0.0
            return
        if flow.pie.arrive(self, flow.backlog()):
            self.end(packet)
            return
        flow.queue.append(packet)
        if flow not in self.new and flow not in self.old:
            flow.credit = self.QUANTUM
            self.new.append(flow)

    def dequeue(self, now):
        while self.new or self.old:
            source = self.new or self.old
            flow = source[0]
            if flow.credit <= 0:
                flow.credit += self.QUANTUM
                self.old.append(source.pop(0))
            elif not flow.queue:
                source.pop(0)
                # A new queue that runs empty becomes an old one, so that it cannot starve the others.
                if source is self.new:
                    self.old.append(flow)
            else:
                packet = flow.queue.pop(0)
                flow.credit -= packet.size
                flow.pie.current_qdelay = (now - packet.enqueued) / SECOND if flow.queue else 0.0
                return packet
        return None

    def tick(self, now):
        for flow in self.flows.values():
            flow.pie.calculate_drop_prob()


def traces():
    """Yields kind, name, model, keys and arrivals."""
    like = {"count": 5000, "sizes": (40, 576, 1000, 1500)}
    yield "codel", "text", CoDelText(60, 1500), {"limit": "60 pkts", "mtu": "1500 B"}, like
    yield "pie", "text", PieText(200), {"limit": "200 pkts"}, {**like, "spell": 2000}
    keys = {"limit": "400 pkts", "perturbation": "1"}
    yield "fq_pie", "text", FqPieText(400), keys, {**like, "flows": 4, "spell": 900}
