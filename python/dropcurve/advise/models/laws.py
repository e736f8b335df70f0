"""Throughput laws of TCP by name, and their inverse.

References: MF97 (k from 1.22 to 1.31), MSMO97, PFTK98 equations 32 and 33, RFC5348 section 3.1, PMW10 for NewReno,
RFC9438 sections 4.3 and 5.1 for CUBIC. Units: a law returns the mean window W in segments; throughput is W MSS/RTT. `p`
is the rate of loss events, those that a sender reacts to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...errors import UsageError, nearest
from .. import tcp
from .newreno import newreno_impatient, newreno_steady

#: Accepted range of the loss.
LEAST_LOSS, MOST_LOSS = 1e-9, 0.5
#: The constants of MF97, by the acknowledgements and the loss process assumed.
K_LOW, K_HIGH = 1.22, 1.31
#: CUBIC's constants (RFC9438 section 4.1).
CUBIC_C, CUBIC_BETA = 0.4, 0.7


@dataclass(frozen=True)
class Path:
    """A connection: its round-trip time with queueing, segment size, first timeout, segments per acknowledgement
    (``b``), largest window in segments, and the share of the later segments of a window that a loss event takes (None:
    the loss rate itself)."""

    rtt_s: float
    mss_bytes: int = 1460
    rto_s: float = 1.0
    b: int = 2
    window: float = math.inf
    burst_loss: float | None = None

    def __post_init__(self) -> None:
        """Raises UsageError for a value that no connection has."""
        for name, value in (
            ("rtt", self.rtt_s),
            ("mss", self.mss_bytes),
            ("rto", self.rto_s),
            ("window", self.window),
        ):
            if not value > 0:
                raise UsageError(name, f"{value:g}", "must be above 0", "give the number of the connection")
        if self.b not in (1, 2):
            raise UsageError(
                "b",
                self.b,
                "must be 1 (an acknowledgement for each segment) or 2 (delayed)",
                "choose one of these",
            )
        if self.burst_loss is not None and not 0 <= self.burst_loss <= 1:
            raise UsageError(
                "burst loss",
                f"{self.burst_loss:g}",
                "must lie between 0 and 1",
                "give a probability such as 0.5",
            )

    @property
    def sender(self) -> tcp.Sender:
        """The path as the argument of the equations in `dropcurve.advise.tcp`."""
        return tcp.Sender(self.rtt_s, self.rto_s, self.b, self.window)

    def rate(self, window: float) -> float:
        """Throughput in bit/s of a mean window in segments."""
        return 8.0 * self.mss_bytes * window / self.rtt_s


@dataclass(frozen=True)
class ThroughputLaw:
    """A throughput law: its assumptions, and the mean window at a loss rate on a path."""

    name: str
    title: str
    source: str
    assumes: str
    window: Callable[[float, Path], float]


def mahdavi_floyd(p: float, path: Path, *, k: float = K_LOW) -> float:
    """W = k/sqrt(p) (MF97): no timeouts; k is 1.22 to 1.31 by the acknowledgements and the loss process."""
    return min(path.window, k / math.sqrt(p))


def tfrc(p: float, path: Path, *, rto_s: float | None = None) -> float:
    """The throughput equation of TFRC: PFTK98's approximation without the bound of 1 on the chance of a timeout, with
    b = 1 and t_RTO = max(4 R, 1 s) (RFC5348 section 3.1), or the timeout ``rto_s``."""
    rto = max(4.0 * path.rtt_s, 1.0) if rto_s is None else rto_s
    rounds = math.sqrt(2.0 * p / 3.0)
    return 1.0 / (rounds + rto / path.rtt_s * 3.0 * math.sqrt(3.0 * p / 8.0) * p * (1.0 + 32.0 * p * p))


def cubic(p: float, path: Path) -> float:
    """The larger of CUBIC's own window and that of its Reno-friendly region, whose increase makes it sqrt(3/(2p))
    (RFC9438 sections 4.3 and 5.1); deterministic loss, no timeouts."""
    own = (CUBIC_C * (3.0 + CUBIC_BETA) / (4.0 * (1.0 - CUBIC_BETA))) ** 0.25 * (path.rtt_s / p) ** 0.75
    return float(min(path.window, max(own, math.sqrt(1.5 / p))))


def _sender(law: Callable[[float, tcp.Sender], float]) -> Callable[[float, Path], float]:
    return lambda p, path: law(p, path.sender)


LAWS: Mapping[str, ThroughputLaw] = {
    law.name: law
    for law in (
        ThroughputLaw("mahdavi-floyd", "Mahdavi and Floyd, k = 1.22", "MF97", "no timeouts", mahdavi_floyd),
        ThroughputLaw("mahdavi-floyd-high", "Mahdavi and Floyd, k = 1.31", "MF97", "no timeouts, random loss",
            lambda p, path: mahdavi_floyd(p, path, k=K_HIGH)),
        ThroughputLaw("mathis", "Mathis and others", "MSMO97", "no timeouts, periodic loss", _sender(tcp.mathis)),
        ThroughputLaw("pftk", "Padhye and others, full", "PFTK98 (32)", "Reno, loss to a window's end",
                      _sender(tcp.pftk_full)),
        ThroughputLaw("pftk-approx", "Padhye and others, approximate", "PFTK98 (33)", "the same",
                      _sender(tcp.pftk_approx)),
        ThroughputLaw("tfrc", "TFRC's equation", "RFC5348", "b = 1, timeout of 4 RTT or 1 s", tfrc),
        ThroughputLaw("tfrc-rto", "TFRC's equation, timeout given", "RFC5348", "b = 1, the timeout of --rto",
            lambda p, path: tfrc(p, path, rto_s=path.rto_s)),
        ThroughputLaw("newreno-steady", "NewReno, slow but steady", "after PMW10", "a round trip for each hole",
            lambda p, path: newreno_steady(p, path.sender, path.burst_loss)),
        ThroughputLaw("newreno-impatient", "NewReno, impatient", "after PMW10", "a long recovery ends in a timeout",
            lambda p, path: newreno_impatient(p, path.sender, path.burst_loss)),
        ThroughputLaw("cubic", "CUBIC", "RFC9438", "deterministic loss, no timeouts", cubic),
    )
}  # fmt: skip


def law(name: str) -> ThroughputLaw:
    """A law by name. Raises UsageError for an unknown one."""
    if name not in LAWS:
        raise UsageError(
            "law",
            name,
            "no such law",
            nearest(name, LAWS, otherwise=f"there are {', '.join(LAWS)}"),
            shown="value",
        )
    return LAWS[name]


def throughput(name: str, *, loss: float, path: Path) -> float:
    """Throughput of a law at a loss rate.

    Args:
        name: a key of `LAWS`.
        loss: rate of loss events, from 1e-9 to 0.5.
        path: the connection.

    Returns:
        bit/s of segments, headers left out.

    Raises:
        UsageError: an unknown law, or a loss out of range.

    Example:
        >>> round(throughput("mahdavi-floyd", loss=0.01, path=Path(rtt_s=0.1)) / 1e6, 2)
        1.42
    """
    if not LEAST_LOSS <= loss <= MOST_LOSS:
        raise UsageError(
            "loss",
            f"{loss:g}",
            f"must lie between {LEAST_LOSS:g} and {MOST_LOSS:g}",
            "give the share of packets that are lost, such as 0.01",
        )
    return path.rate(law(name).window(loss, path))


def loss(name: str, *, throughput_bps: float, path: Path) -> float | None:
    """The loss rate at which a law has a throughput, by bisection; every law falls as loss rises.

    Args:
        name: a key of `LAWS`.
        throughput_bps: bit/s of segments.
        path: the connection.

    Returns:
        The rate of loss events; None if the law has that throughput at no loss from 1e-9 to 0.5.

    Raises:
        UsageError: an unknown law, or a throughput that is not above 0.
    """
    if not throughput_bps > 0:
        raise UsageError("throughput", f"{throughput_bps:g}", "must be above 0", "give a rate in bit/s")
    response = law(name)
    low, high = math.log(LEAST_LOSS), math.log(MOST_LOSS)
    if (
        not path.rate(response.window(MOST_LOSS, path))
        <= throughput_bps
        <= path.rate(response.window(LEAST_LOSS, path))
    ):
        return None
    for _ in range(80):
        middle = (low + high) / 2.0
        if path.rate(response.window(math.exp(middle), path)) > throughput_bps:
            low = middle
        else:
            high = middle
    return math.exp((low + high) / 2.0)
