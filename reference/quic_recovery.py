"""QUIC loss detection and congestion control: RFC 9002, written from its text by someone who had not read the code.

One packet number space, application data, after the handshake. Times are nanoseconds, exact fractions where the text
divides them, or whole: then 9/8 of a time is the nearest and a quotient the next below. The window is a double. Where
the text leaves a choice it is an option:

- `variance`: `pseudocode` takes the deviation from the old smoothed time (A.7), `section` from the new one (5.3).
- `period`: persistent congestion needs its two packets lost by one detection (`detection`, B.8), or by any (`any`,
  7.6.2, which names no detection).
- `restart`: the probe timer runs from the last packet sent (`sent`, A.8), or from the last one sent or acknowledged
  (`acknowledged`, 6.2.1).

Section 5.2 takes the last sample for the least with persistent congestion, which B.8 leaves out.

A line of a trace is an event, `|`, and what is true after it. A packet is one datagram, the unit of the window. Events:
`s TIME NUMBER`, a packet sent; `p TIME NUMBER`, a probe; `a TIME DELAY CE LIMITED RANGES`, an acknowledgement;
`t TIME`, the timer. State: window, threshold, packets in flight; latest, least, smoothed and mean deviation of the
round-trip time; timeouts in a row; the timer, `-` if none; the numbers declared lost.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

MS = 1_000_000
# A.2 and B.1.
PACKET_THRESHOLD = 3
TIME_THRESHOLD = Fraction(9, 8)
GRANULARITY = MS
INITIAL_RTT = 333 * MS
LOSS_REDUCTION = 0.5
PERSISTENT_THRESHOLD = 3


@dataclass
class Sent:
    """Fields of a sent packet, A.1.1, and what became of it."""

    number: int
    time: int
    size: int
    eliciting: bool
    in_flight: bool
    fate: str = "unknown"


class Recovery:
    """Sections 5 to 7 as appendices A and B put them together."""

    def __init__(
        self,
        *,
        datagram=1200,
        max_ack_delay=25 * MS,
        variance="pseudocode",
        period="detection",
        restart="sent",
        whole=False,
    ):
        self.datagram, self.max_ack_delay = datagram, max_ack_delay
        self.variance, self.period, self.restart = variance, period, restart
        self.whole = whole
        # A.4.
        self.timer, self.timeouts = None, 0
        self.latest, self.least = 0, 0
        self.smoothed, self.deviation = INITIAL_RTT, INITIAL_RTT // 2
        self.first_sample = None
        self.largest_acked, self.last_eliciting, self.loss_time = None, 0, None
        self.packets = {}
        # B.3 and 7.2.
        self.window = float(min(10 * datagram, max(14720, 2 * datagram)))
        self.minimum = float(2 * datagram)
        self.in_flight, self.threshold = 0, math.inf
        self.recovery_start, self.ce = None, 0
        self.lost = []

    def over(self, time, divisor):
        """A quotient."""
        return time // divisor if self.whole else Fraction(time) / divisor

    def unacknowledged(self):
        """Packets of `sent_packets`: neither acknowledged nor declared lost."""
        return [packet for packet in self.packets.values() if packet.fate == "unknown"]

    def send(self, now, number, size, *, eliciting=True, in_flight=True):
        """A.5 OnPacketSent."""
        self.lost = []
        self.packets[number] = Sent(number, now, size, eliciting, in_flight)
        if in_flight:
            if eliciting:
                self.last_eliciting = now
            self.in_flight += size
            self.set_timer(now)

    def acknowledge(self, now, ranges, delay, *, ce=0, limited=False):
        """A.7 OnAckReceived; `ranges` are pairs of first and last number."""
        self.lost = []
        largest = max(last for _, last in ranges)
        self.largest_acked = largest if self.largest_acked is None else max(self.largest_acked, largest)
        within = [
            packet
            for packet in self.packets.values()
            if any(first <= packet.number <= last for first, last in ranges)
        ]
        newly = [packet for packet in within if packet.fate == "unknown"]
        # One declared lost is not in `sent_packets` any more; 7.6.2 takes it for acknowledged none the less.
        for packet in within:
            packet.fate = "acknowledged"
        if not newly:
            return
        newest = max(newly, key=lambda packet: packet.number)
        if newest.number == largest and any(packet.eliciting for packet in newly):
            self.latest = now - newest.time
            self.sample(now, delay)
        if self.restart == "acknowledged" and any(packet.eliciting for packet in newly):
            self.last_eliciting = now
        # B.7 ProcessECN.
        if ce > self.ce:
            self.ce = ce
            self.congested(now, self.packets[largest].time)
        self.declare(now, self.detect(now))
        for packet in newly:
            self.grow(packet, limited)
        self.timeouts = 0
        self.set_timer(now)

    def sample(self, now, delay):
        """Section 5.3 and A.7 UpdateRtt; the handshake is confirmed."""
        if self.first_sample is None:
            self.least = self.smoothed = self.latest
            self.deviation = self.over(self.latest, 2)
            self.first_sample = now
            return
        self.least = min(self.least, self.latest)
        delay = min(delay, self.max_ack_delay)
        adjusted = self.latest - delay if self.latest >= self.least + delay else self.latest
        smoothed = self.over(self.smoothed * 7 + adjusted, 8)
        centre = self.smoothed if self.variance == "pseudocode" else smoothed
        self.deviation = self.over(self.deviation * 3 + abs(centre - adjusted), 4)
        self.smoothed = smoothed

    def detect(self, now):
        """A.10 DetectAndRemoveLostPackets; 6.1."""
        self.loss_time = None
        threshold = TIME_THRESHOLD * max(self.latest, self.smoothed)
        delay = max(math.floor(threshold + Fraction(1, 2)) if self.whole else threshold, GRANULARITY)
        lost = []
        for packet in self.unacknowledged():
            if packet.number > self.largest_acked:
                continue
            if packet.time <= now - delay or self.largest_acked >= packet.number + PACKET_THRESHOLD:
                packet.fate = "lost"
                lost.append(packet)
            else:
                at = packet.time + delay
                self.loss_time = at if self.loss_time is None else min(self.loss_time, at)
        return lost

    def declare(self, now, lost):
        """B.8 OnPacketsLost."""
        self.lost = [packet.number for packet in lost]
        counted = [packet for packet in lost if packet.in_flight]
        self.in_flight -= sum(packet.size for packet in counted)
        if counted:
            self.congested(now, max(packet.time for packet in counted))
        if lost and self.persistent(lost):
            self.window = self.minimum
            self.recovery_start = None
            self.least = self.latest

    def persistent(self, lost):
        """Section 7.6: two lost packets that elicit acknowledgements, sent after a sample, nothing acknowledged of what
        was sent between them, and further apart than the duration of 7.6.1."""
        if self.first_sample is None:
            return False
        duration = (
            self.smoothed + max(4 * self.deviation, GRANULARITY) + self.max_ack_delay
        ) * PERSISTENT_THRESHOLD
        numbers = {packet.number for packet in lost}
        first = None
        for packet in self.packets.values():
            if packet.time <= self.first_sample:
                continue
            if packet.fate == "acknowledged":
                first = None
            elif packet.fate == "lost" and packet.eliciting:
                if self.period == "detection" and packet.number not in numbers:
                    continue
                if first is None:
                    first = packet.time
                if packet.number in numbers and packet.time - first > duration:
                    return True
        return False

    def recovering(self, sent):
        """B.5 InCongestionRecovery."""
        return self.recovery_start is not None and sent <= self.recovery_start

    def congested(self, now, sent):
        """B.6 OnCongestionEvent; 7.3.2."""
        if self.recovering(sent):
            return
        self.recovery_start = now
        self.threshold = self.window * LOSS_REDUCTION
        self.window = max(self.threshold, self.minimum)

    def grow(self, packet, limited):
        """B.5 OnPacketAcked; 7.3.1, 7.3.3 and 7.8."""
        if not packet.in_flight:
            return
        self.in_flight -= packet.size
        if limited or self.recovering(packet.time):
            return
        if self.window < self.threshold:
            self.window += packet.size
        else:
            self.window += self.datagram * packet.size / self.window

    def set_timer(self, now):
        """A.8 SetLossDetectionTimer and GetPtoTimeAndSpace; 6.2.1."""
        if self.loss_time is not None:
            self.timer = self.loss_time
        elif not any(packet.eliciting for packet in self.unacknowledged()):
            self.timer = None
        else:
            period = self.smoothed + max(4 * self.deviation, GRANULARITY) + self.max_ack_delay
            self.timer = self.last_eliciting + period * 2**self.timeouts

    def timeout(self, now):
        """A.9 OnLossDetectionTimeout; true if probes are due."""
        self.lost = []
        if self.loss_time is not None:
            lost = self.detect(now)
            assert lost, "the timer of the time threshold declares a packet lost"
            self.declare(now, lost)
            self.set_timer(now)
            return False
        self.timeouts += 1
        self.set_timer(now)
        return True

    def show(self):
        """State after an event."""
        times = f"{self.latest} {self.least} {self.smoothed} {self.deviation}"
        timer = "-" if self.timer is None else self.timer
        lost = ",".join(map(str, self.lost)) or "-"
        return f"{self.window!r} {self.threshold!r} {self.in_flight} {times} {self.timeouts} {timer} {lost}"
