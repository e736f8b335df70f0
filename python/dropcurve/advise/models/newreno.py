"""Throughput of NewReno in closed form, with the two variants of the retransmission timer in recovery of RFC6582.

Reference: PMW10 for the assumptions: loss events come at rate `p`; of the later segments of that window each is lost
with a probability `q` of its own; one hole is filled each round trip. Deviations: the equations here are not the
paper's; they follow from its assumptions and from the cycle of PFTK98. Tests compare them with hand arithmetic and, for
single random losses, with the simulator: within 8 % up to a loss of 0.4 %, within 20 % at 2 %.

*Slow but steady* resets the timer on each partial acknowledgement, so recovery lasts a round trip for each hole.
*Impatient* resets it on the first one only, so a recovery longer than that ends in a timeout and slow start.
"""

from __future__ import annotations

import math

from .. import tcp


def holes(p: float, window: float, q: float | None) -> float:
    """Mean number of segments lost in a loss event: the first, and a share `q` of the other ``window`` - 1."""
    return 1.0 + (p if q is None else q) * max(0.0, window - 1.0)


def newreno_steady(p: float, sender: tcp.Sender, q: float | None = None) -> float:
    """Mean window with a recovery of one round trip for each hole, half a window of new segments in each.

    A cycle sends 1/p - 1 segments up to the first loss, the rest w of that window, and w/2 in each round trip of
    recovery. It takes b w/2 + 1 round trips of growth, one for each hole, and the timeouts: those of events that leave
    fewer than three duplicate acknowledgements.
    """
    window, rounds = tcp.cycle(p, sender)
    lost = holes(p, window, q)
    chance = _no_fast_retransmit(window, p if q is None else q)
    sent = (1.0 - p) / p + window + (1.0 - chance) * lost * window / 2.0
    took = rounds + (1.0 - chance) * lost + chance * _timeout_rounds(p, sender)
    return min(sender.most, sent / took)


def newreno_impatient(p: float, sender: tcp.Sender, q: float | None = None) -> float:
    """Mean window if a recovery that outlasts the timer after its first hole ends in a timeout and slow start.

    With m holes and a timer of T/R round trips, recovery takes min(m, 1 + T/R) of them; if it is cut, slow start to
    w/2 takes log2(w/2) round trips more and sends about w/2 segments.
    """
    window, rounds = tcp.cycle(p, sender)
    lost = holes(p, window, q)
    chance = _no_fast_retransmit(window, p if q is None else q)
    patience = 1.0 + sender.rto_s / sender.rtt_s
    lasts, again, start = lost, 0.0, 0.0
    if lost > patience:
        lasts = patience
        again, start = window / 2.0, max(0.0, math.log2(max(1.0, window / 2.0)))
    sent = (1.0 - p) / p + window + (1.0 - chance) * (lasts * window / 2.0 + again)
    took = rounds + (1.0 - chance) * (lasts + start) + chance * _timeout_rounds(p, sender)
    return min(sender.most, sent / took)


def _timeout_rounds(p: float, sender: tcp.Sender) -> float:
    """Mean length of a series of doubled timeouts, in round trips."""
    return sender.rto_s / sender.rtt_s * tcp.backoff(p)


def _no_fast_retransmit(window: float, q: float) -> float:
    """Probability that fewer than three of the other segments of the window arrive, so that only the timer can end the
    loss; between whole windows in proportion."""
    whole = math.floor(max(0.0, window - 1.0))
    part = max(0.0, window - 1.0) - whole
    return (1.0 - part) * _fewer_than_three(whole, q) + part * _fewer_than_three(whole + 1, q)


def _fewer_than_three(sent: int, q: float) -> float:
    """Probability that at most two of ``sent`` segments arrive, each lost with probability q."""
    kept = 1.0 - q
    return math.fsum(math.comb(sent, i) * kept**i * q ** (sent - i) for i in range(min(3, sent + 1)))
