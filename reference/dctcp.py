"""DCTCP: RFC 8257, written from its text by someone who had not read the code.

The sender is Reno (RFC 5681, appropriate byte counting off) with section 3.3; the receiver is section 3.2. Windows are
in segments of one size, sequence numbers count segments. Where the text leaves a choice it is an option:

- `ends`: an observation window ends with an acknowledgement `beyond` its end (step 4), or `at` it (the definition of M:
  when all bytes in flight at its beginning have been acknowledged).
- `reduces`: by step 9, the window is reduced where an observation window with marks ends (`end`); by the sentence after
  the steps, as RFC 3168 has it, with the first echo of a window of data (`echo`).
- `echo_grows`: whether an acknowledgement with an echo grows the window (section 3.4 names RFC 5681 alone), or not
  (RFC 3168 section 6.1.2 grows with acknowledgements without one).
- `scaled`: alpha is a whole number of 65536ths by section 4.2.
- `resets`: a loss sets alpha to 1 (section 4.1, a configuration that MAY be).

A line of a sender's trace: `a ACKED ECE NXT`, `l FLIGHT` a loss, `o FLIGHT` a timeout; `|`; window, threshold, alpha.
A line of a receiver's: `p CE` a packet in order, `d` the delayed acknowledgement's timer; `|`; the acknowledgements
sent, each `NUMBER` or `NUMBERe` with an echo.
"""

import pathlib
import random

OUT = pathlib.Path("crates/transport/tests/traces")
G = 1 / 16
SCALE, SHIFT = 65536, 4


class Sender:
    """Sections 3.3 to 3.5."""

    def __init__(
        self, window, *, ends="beyond", reduces="echo", echo_grows=False, scaled=False, resets=False
    ):
        self.window, self.threshold = float(window), float("inf")
        self.ends, self.reduces, self.echo_grows = ends, reduces, echo_grows
        self.scaled, self.resets = scaled, resets
        self.una, self.nxt = 0, 0
        # Alpha begins at 1; the end of the window at SND.UNA.
        self.alpha = SCALE if scaled else 1.0
        self.window_end, self.acked, self.marked = 0, 0, 0
        self.reduced_to, self.growth = None, 0.0

    def share(self):
        """Alpha as a fraction."""
        return self.alpha / SCALE if self.scaled else self.alpha

    def acknowledge(self, acked, echo, nxt):
        """An acceptable acknowledgement: steps 1 to 9, then growth."""
        self.una += acked
        self.nxt = nxt
        self.acked += acked
        if echo:
            self.marked += acked
        over = self.una > self.window_end if self.ends == "beyond" else self.una >= self.window_end
        marks = self.marked
        if over:
            self.estimate()
            self.window_end = nxt
            self.acked = self.marked = 0
        if self.reduces == "end":
            if over and marks:
                self.reduce()
        elif echo and (self.reduced_to is None or self.una > self.reduced_to):
            self.reduce()
            self.reduced_to = nxt
            return
        if not echo or self.echo_grows:
            self.grow(acked)

    def estimate(self):
        """Steps 5 and 6, or section 4.2 in their place."""
        if self.scaled:
            level = SCALE * self.marked // self.acked
            if self.alpha >> SHIFT == 0:
                self.alpha = 0
            self.alpha = min(self.alpha + (level >> SHIFT) - (self.alpha >> SHIFT), SCALE)
        else:
            self.alpha = self.alpha * (1 - G) + G * (self.marked / self.acked)

    def reduce(self):
        """Step 9; RFC 3168 section 6.1.2 lowers the threshold with the window, which is never less than a segment."""
        self.window = max(self.window * (1 - self.share() / 2), 1.0)
        self.threshold = max(self.window, 2.0)

    def grow(self, acked):
        """RFC 5681 section 3.1: at most a segment an acknowledgement in slow start, a segment a window after it."""
        if self.window < self.threshold:
            self.window += min(acked, 1)
        else:
            self.window += 1 / self.window

    def loss(self, flight):
        """Section 3.5: as RFC 5681 section 3.2 has it, once a window of data over all signals."""
        if self.resets:
            self.alpha = SCALE if self.scaled else 1.0
        if self.reduced_to is not None and self.una <= self.reduced_to:
            return
        self.threshold = max(flight / 2, 2.0)
        self.window = self.threshold
        self.reduced_to = self.nxt

    def timeout(self, flight):
        """Section 3.5: one segment, whatever was reduced before."""
        if self.resets:
            self.alpha = SCALE if self.scaled else 1.0
        self.threshold = max(flight / 2, 2.0)
        self.window = 1.0

    def show(self):
        """State after an event."""
        return f"{self.window!r} {self.threshold!r} {self.share()!r}"


class Receiver:
    """Section 3.2, figure 1; `two` sends the acknowledgement of what came before in the old state (MAY). Without
    `at_once` the packet that changes the state waits for the next one or the timer, which the text does not allow."""

    def __init__(self, *, every=2, two=False, at_once=True):
        self.every, self.two, self.at_once = every, two, at_once
        self.ce, self.next, self.waiting = False, 0, 0

    def acknowledgement(self):
        """An acknowledgement of all that came."""
        self.waiting = 0
        return f"{self.next}{'e' if self.ce else ''}"

    def packet(self, ce):
        """A packet in order; the acknowledgements it sets off."""
        sent = []
        changes = ce != self.ce
        if changes and self.two and self.waiting:
            sent.append(self.acknowledgement())
        self.ce = ce
        self.next += 1
        self.waiting += 1
        if (changes and self.at_once) or self.waiting >= self.every:
            sent.append(self.acknowledgement())
        return sent

    def timer(self):
        """The timer of the delayed acknowledgement."""
        return [self.acknowledgement()] if self.waiting else []


def sender_trace(name, sender, *, count=600, losses=True):
    """A flow whose queue is marked where its window passes a level that moves, with losses and timeouts at random."""
    rng = random.Random(name)
    lines, level = [], 20
    flying = []
    while len(lines) < count:
        while len(flying) < int(sender.window):
            if rng.random() < 0.004:
                level = rng.choice((12, 20, 35, 60))
            over = len(flying) - level
            flying.append(rng.random() < min(max(over, 0) / 8, 1) or rng.random() < 0.002)
        nxt = sender.una + len(flying)
        draw = rng.random()
        if losses and draw < 0.015:
            sender.nxt = nxt
            flight = len(flying)
            if draw < 0.004:
                sender.timeout(flight)
                lines.append(f"o {flight} | {sender.show()}")
            else:
                sender.loss(flight)
                lines.append(f"l {flight} | {sender.show()}")
            continue
        # The receiver acknowledges two, or one where the mark changes or its timer fires.
        echo = flying[0]
        acked = 2 if len(flying) > 1 and flying[1] == echo and rng.random() < 0.9 else 1
        del flying[:acked]
        sender.acknowledge(acked, echo, nxt)
        lines.append(f"a {acked} {int(echo)} {nxt} | {sender.show()}")
    return lines


def receiver_trace(name, receiver, *, count=300):
    """Packets in order, marked in runs, and the timer of the delayed acknowledgement."""
    rng = random.Random(name)
    lines, ce = [], False
    while len(lines) < count:
        if rng.random() < 0.1:
            lines.append(f"d | {' '.join(receiver.timer()) or '-'}")
            continue
        ce = not ce if rng.random() < 0.25 else ce
        lines.append(f"p {int(ce)} | {' '.join(receiver.packet(ce)) or '-'}")
    return lines


def write():
    """Writes the traces of the transport's tests."""
    cases = {
        "sender": sender_trace("dctcp/sender", Sender(10), count=1000, losses=False),
        "receiver": receiver_trace("dctcp/receiver", Receiver(two=True, at_once=False)),
    }
    for name, lines in cases.items():
        head = "# Made by `python -m reference`; its reference/dctcp.py explains the lines."
        (OUT / f"dctcp_{name}.txt").write_text("\n".join([head, *lines]) + "\n")
