"""CAIA delay gradient: a transcription of what its authors published of it and of Linux's differences.

Sources: the outline of D. A. Hayes and G. Armitage, "Revisiting TCP congestion control using delay gradients"
(Networking 2011), from memory; FreeBSD's cc_cdg(4) for the constants and the two counts of ineffectual backoffs; the
notes at the head of Linux's tcp_cdg and its commit for what differs there, RFC 6937 for the way a window falls in
Linux. Times are in milliseconds, windows in segments.

A trace is a flow whose round-trip time follows its window and a rival's. A line is a round trip: the acknowledgements
`rtt_us`, or `rtt_us/2` where one covers two segments, `x` after one that reports a loss; after `|` the window, the
shadow window and the uniform numbers used so far.
"""

import math
import pathlib
import random

from reference.philox import uniforms

OUT = pathlib.Path("crates/transport/tests/traces")
A, BETA, G, B, B_HELD = 8, 0.7, 3.0, 5, 5
NOTHING = (math.inf, 0.0)


class Cdg:
    """The paper's control, after slow start."""

    def __init__(self, w, tolerance):
        self.w, self.s, self.tolerance = w, 0.0, tolerance
        self.tau, self.tau_before = NOTHING, None
        self.g, self.mean = [(0.0, 0.0)] * A, (0.0, 0.0)
        self.queue, self.backoffs = "unknown", 0
        self.draws, self.used = uniforms(0, "cdg"), 0

    def chance(self, g):
        """Whether a gradient asks for a backoff: X < 1 - exp(-g/G)."""
        if g <= 0:
            return False
        self.used += 1
        return next(self.draws) < 1 - math.exp(-g / G)

    def measure(self, rtt, segments):
        """Extremes of the round trip."""
        self.tau = (min(self.tau[0], rtt), max(self.tau[1], rtt))

    def open(self, rtt):
        """The handshake, of which the paper says nothing."""

    def sent(self, segments):
        """Segments that the window let go."""

    def ack(self, rtt, segments, round_ends, in_flight):
        """An acknowledgement of new data, which leaves `in_flight`."""
        self.measure(rtt, segments)
        if round_ends:
            backs_off = self.end_of_round()
            self.tau_before, self.tau = self.tau, NOTHING
            if self.s > 0:
                self.s += 1
            if backs_off:
                self.s = max(self.s, self.w)
                self.w = max(BETA * self.w, 2)
                return
        self.w += segments / self.w

    def end_of_round(self):
        """Gradients, the state of the queue, and whether to back off."""
        if self.tau_before is None:
            return False
        g = tuple(now - before for now, before in zip(self.tau, self.tau_before, strict=True))
        oldest = self.g.pop(0)
        self.g.append(g)
        self.mean = tuple(mean + (new - old) / A for mean, new, old in zip(self.mean, g, oldest, strict=True))
        least, most = self.mean
        self.infer(least, most, 0.0)
        if least < 0 or most < 0:
            self.backoffs = 0
        if not (self.chance(least) or self.chance(most)):
            return False
        # Five backoffs without effect, then five are held.
        self.backoffs = self.backoffs % (B + B_HELD) + 1
        return self.backoffs <= B

    def infer(self, least, most, noise):
        """The queue is full where the maximum has stopped growing and the minimum has not."""
        if least > noise and most <= noise:
            self.queue = "full"
        elif least > noise or most < -noise:
            self.queue = "not full"

    def loss(self):
        """A loss: halves the larger of the window and its shadow, if the queue is full or nothing is known."""
        if self.tolerance and self.queue == "not full":
            return
        self.w = max(max(self.s, self.w) / 2, 2)
        self.s = 0.0


class Reduction:
    """A window that falls by proportional rate reduction (RFC 6937, section 3, with the bound SSRB)."""

    def __init__(self, recover_fs, ssthresh):
        self.recover_fs, self.ssthresh = recover_fs, ssthresh
        self.prr_delivered = self.prr_out = 0

    def window(self, pipe, delivered):
        """Segments in flight and those an acknowledgement lets go; the first lets a segment go in any case."""
        self.prr_delivered += delivered
        if pipe > self.ssthresh:
            sndcnt = math.ceil(self.prr_delivered * self.ssthresh / self.recover_fs) - self.prr_out
        else:
            limit = max(self.prr_delivered - self.prr_out, delivered) + 1
            sndcnt = min(self.ssthresh - pipe, limit)
        return pipe + max(sndcnt, 1 if self.prr_out == 0 else 0)


class LinuxCdg(Cdg):
    """Linux's module: whole segments; one gradient decides; a late acknowledgement of one segment shows no maximum; a
    backoff takes its share over a round trip; backoffs without effect end only with a round-trip time that falls."""

    #: Less than this, in ms over eight round trips, is no change.
    NOISE = 0.032
    #: 724 of 1024.
    BETA = 0.70703125

    def __init__(self, w, tolerance):
        super().__init__(w, tolerance)
        self.known, self.late, self.acked, self.reduction = [], 0, 0, None

    def open(self, rtt):
        """The handshake is the first sample."""
        self.tau = (rtt, rtt)

    def sent(self, segments):
        """A reduction counts them."""
        if self.reduction:
            self.reduction.prr_out += segments

    def measure(self, rtt, segments):
        """After acknowledgements of two segments, as many of one may have waited for the receiver's timer."""
        if segments == 1 and self.late > 0:
            self.late -= 1
            if self.tau != NOTHING:
                self.tau = (min(self.tau[0], rtt), self.tau[1])
            return
        if segments > 1 and self.late < 5:
            self.late += 1
        super().measure(rtt, segments)

    def ack(self, rtt, segments, round_ends, in_flight):
        """In a backoff nothing grows until its round trip is over, which then precedes the next."""
        self.measure(rtt, segments)
        if self.reduction and not round_ends:
            self.w = self.reduction.window(in_flight, segments)
            return
        if self.reduction:
            self.w, self.reduction, self.queue = self.reduction.ssthresh, None, "unknown"
            self.tau_before, self.tau = self.tau, NOTHING
        elif round_ends:
            backs_off = self.end_of_round()
            self.tau_before, self.tau = self.tau, NOTHING
            if backs_off:
                self.s, self.acked = max(self.s, self.w), 0
                self.reduction = Reduction(self.w, max(math.floor(self.BETA * self.w), 2))
                return
        self.grow(segments)

    def grow(self, segments):
        """A whole segment for each window of acknowledged ones, for the shadow as well."""
        self.acked += segments
        if self.acked >= self.w:
            self.acked -= self.w
            self.w += 1
            self.s += 1

    def end_of_round(self):
        """The mean over the rounds that are known; the gradient of the minimum first."""
        if self.tau_before is None:
            return False
        g = tuple(now - before for now, before in zip(self.tau, self.tau_before, strict=True))
        self.known = [*self.known, g][-A:]
        least, most = (sum(column) for column in zip(*self.known, strict=True))
        self.infer(least, most, self.NOISE)
        if least <= -self.NOISE or most <= -self.NOISE:
            self.backoffs = 0
        if not self.chance((least if least > 0 else most) / len(self.known)):
            return False
        self.backoffs += 1
        return self.backoffs <= B

    def loss(self):
        """In a backoff it takes no more than the backoff does. The shadow window is at most twice the window."""
        self.acked = 0
        if self.reduction:
            self.w, self.reduction = self.reduction.ssthresh, None
        elif not self.tolerance or self.queue != "not full":
            self.w, self.s = max(max(min(self.s, 2 * self.w), self.w) // 2, 2), 0


def trace(name, control, *, rounds=260, delayed=False):
    """Lines of a flow on a link of 2 segments a millisecond: 40 ms, room for 40 segments, a rival with peaks 7 s apart.

    Segments are lost at random, more of them while the buffer is full. What the window has room for is sent at once."""
    rng = random.Random(name)
    lines, una, end, now = [], 0, 0, 0.0
    control.open(40)
    unsent = math.floor(control.w)
    while len(lines) < rounds:
        words, ended = [], False
        while not ended:
            segments = 2 if delayed and rng.random() < 0.6 else 1
            waiting = control.w + 30 * (1 + math.sin(2 * math.pi * now / 7000)) - 80
            full = waiting > 40
            micros = round(1000 * (40 + min(max(waiting, 0), 40) / 2 + rng.random()))
            una += segments
            now += segments * micros / 1000 / control.w
            ended = una > end
            if ended:
                end = unsent
            control.ack(micros / 1000, segments, ended, unsent - una)
            room = max(una + math.floor(control.w) - unsent, 0)
            control.sent(room)
            unsent += room
            words.append(f"{micros}/2" if segments == 2 else f"{micros}")
            if rng.random() < (0.02 if full else 0.004):
                control.loss()
                words[-1] += "x"
        lines.append(f"{' '.join(words)} | {control.w!r} {control.s!r} {control.used}")
    return lines


def write():
    """Writes the traces of the transport's tests."""
    cases = {
        "cdg_paper": (Cdg(60.0, True), {"cdg_tolerance": "true"}, {}),
        "cdg_intolerant": (Cdg(60.0, False), {}, {}),
        "cdg_linux": (
            LinuxCdg(60, False),
            {"module_rule": "linux", "counting": "whole", "cdg_beta": LinuxCdg.BETA},
            {"delayed": True},
        ),
        "cdg_linux_tolerant": (
            LinuxCdg(60, True),
            {"module_rule": "linux", "counting": "whole", "cdg_beta": LinuxCdg.BETA, "cdg_tolerance": "true"},
            {"delayed": True},
        ),
    }
    for name, (control, keys, like) in cases.items():
        head = ["# Made by `python -m reference`; its reference/cdg.py explains the lines."]
        head += [f"# {key} = {value}" for key, value in keys.items()]
        (OUT / f"{name}.txt").write_text("\n".join([*head, *trace(name, control, **like)]) + "\n")
