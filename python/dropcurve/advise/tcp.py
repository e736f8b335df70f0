"""Throughput laws of TCP: the mean window at a loss rate, and the loss rate of a window.

References: MSMO97 (the square root law), PFTK98 (with timeouts; full and approximate forms), MGT00 (the window of
the fluid model), RFC6582 and RFC3042 (NewReno after a loss). Units: `p` is the share of packets whose loss
the sender reacts to; windows are packets; times seconds. `b` is the number of packets an acknowledgement covers (2 with
delayed acknowledgements).

Each law is written as the mean window `W` (packets a round trip) at loss rate `p`; throughput is W/R.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Sender:
    """Parameters of a TCP sender in the equations.

    `rtt_s` is the round trip with queueing, `rto_s` the first timeout, `most` the greatest window in packets (that of
    the receiver).
    """

    rtt_s: float
    rto_s: float = 1.0
    b: int = 2
    most: float = math.inf


def mathis(p: float, sender: Sender) -> float:
    """W = sqrt(3/(2 b p)): no timeouts, no limit but the receiver's (MSMO97)."""
    return min(sender.most, math.sqrt(1.5 / (sender.b * p)))


def fluid(p: float, sender: Sender) -> float:
    """W = sqrt(2/(b p)): the equilibrium of the fluid model, whose losses come as a Poisson stream (MGT00)."""
    return min(sender.most, math.sqrt(2.0 / (sender.b * p)))


def pftk_approx(p: float, sender: Sender) -> float:
    """The approximate model with timeouts, equation 33 of PFTK98."""
    loss_free = math.sqrt(2.0 * sender.b * p / 3.0)
    timeouts = min(1.0, 3.0 * math.sqrt(3.0 * sender.b * p / 8.0)) * p * (1.0 + 32.0 * p * p)
    return min(sender.most, 1.0 / (loss_free + sender.rto_s / sender.rtt_s * timeouts))


def pftk_full(p: float, sender: Sender) -> float:
    """The full model with timeouts and the receiver's window, equation 32 of PFTK98."""
    window, rounds = cycle(p, sender)
    chance = timeout_chance(p, window)
    sent = (1.0 - p) / p + window + chance / (1.0 - p)
    idle = sender.rto_s / sender.rtt_s * chance * backoff(p)
    return min(sender.most, sent / (rounds + idle))


def newreno(p: float, sender: Sender) -> float:
    """The cycle of PFTK98 with the recovery of NewReno and limited transmit (RFC6582, RFC3042), for drops that fall on
    each packet alone, as those of RED do.

    A cycle has 1/p packets until the first loss, the rest w of that window, of which p w more are lost, and a round
    trip of w/2 packets for each retransmission. No timeout follows if the retransmission and the two packets of
    limited transmit arrive, and at least one packet of the rest of the window; PFTK98 assumes a certain timeout below 4
    packets.
    """
    window, rounds = cycle(p, sender)
    lost = 1.0 + p * max(0.0, window - 1.0)
    none_left = p ** (window - 1.0) if window > 1.0 else 1.0
    chance = 1.0 - (1.0 - none_left) * (1.0 - p) ** 3
    sent = (1.0 - p) / p + window + lost * window / 2.0
    idle = sender.rto_s / sender.rtt_s * chance * backoff(p)
    return min(sender.most, float(sent / (rounds + lost + idle)))


def cycle(p: float, sender: Sender) -> tuple[float, float]:
    """The window at the end of a cycle of PFTK98, and its round trips up to there."""
    b = sender.b
    part = (2.0 + b) / (3.0 * b)
    window = part + math.sqrt(8.0 * (1.0 - p) / (3.0 * b * p) + part * part)
    if window < sender.most:
        return window, b / 2.0 * window + 1.0
    return sender.most, b / 8.0 * sender.most + (1.0 - p) / (p * sender.most) + 2.0


def backoff(p: float) -> float:
    """Mean length of a series of doubled timeouts, in first timeouts: f(p)/(1 - p) of PFTK98."""
    return (1 + p + 2 * p**2 + 4 * p**3 + 8 * p**4 + 16 * p**5 + 32 * p**6) / (1.0 - p)


def timeout_chance(p: float, window: float) -> float:
    """The probability that a loss in a window ends in a timeout: Q of PFTK98, with its limit 3/w as p falls to 0."""
    if window <= 3.0:
        return 1.0
    if p < 1e-6:
        return min(1.0, 3.0 / window)
    kept = 1.0 - p
    some = 1.0 - float(kept**window)
    return min(1.0, (1.0 - kept**3) * (1.0 + kept**3 * (1.0 - float(kept ** (window - 3.0)))) / some)


#: The laws by name.
LAWS: dict[str, Callable[[float, Sender], float]] = {
    "mathis": mathis,
    "fluid": fluid,
    "pftk": pftk_full,
    "pftk-approx": pftk_approx,
    "newreno": newreno,
}

#: The one that is closest to simulation (docs/guide/advice-errors.md): designs and expectations follow it.
CLOSEST = "newreno"

#: Range of the loss in which the laws are inverted.
MOST_LOSS = 0.5
LEAST_LOSS = 1e-9


def loss_for(window: float, sender: Sender, *, law: str = CLOSEST) -> float:
    """The loss at which a sender's mean window is `window` packets.

    0 if the receiver's window alone holds it there, `MOST_LOSS` if even that loss would not.
    """
    of = LAWS[law]
    if window >= sender.most:
        return 0.0
    low, high = math.log(LEAST_LOSS), math.log(MOST_LOSS)
    if of(MOST_LOSS, sender) >= window:
        return MOST_LOSS
    if of(LEAST_LOSS, sender) <= window:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2.0
        if of(math.exp(middle), sender) > window:
            low = middle
        else:
            high = middle
    return math.exp((low + high) / 2.0)
