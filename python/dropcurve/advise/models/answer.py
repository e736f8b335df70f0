"""The answer of ``dropcurve model``: rows of a table, and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import UsageError
from ...quantities import units
from .. import tcp
from .bbr import PROBE_GAIN, bbr_loss, bbr_throughput
from .laws import LAWS, LEAST_LOSS, MOST_LOSS, Path, law, loss, throughput
from .queue_law import QueueLaw


@dataclass(frozen=True)
class LawAnswer:
    """The answer of one law: loss (None: no solution) and throughput in bit/s, window in segments.

    Without a solution ``bound`` names the reason: beyond the range of the laws, or "none" where the receiver's window
    does not allow the throughput.
    """

    law: str
    title: str
    source: str
    assumes: str
    loss: float | None
    throughput_bps: float
    window: float
    bound: str = ""


def rows(
    path: Path, *, loss_rate: float | None = None, throughput_bps: float | None = None, names: Sequence[str] = (),
    rate_bps: float | None = None,
) -> list[LawAnswer]:  # fmt: skip
    """Evaluates each law on a path: throughput at a loss, or loss at a throughput; laws by name, or all.

    ``rate_bps`` is the bottleneck's: it bounds throughput, and adds BBR, which is a law of its own by the name "bbr".

    Raises UsageError for an unknown law, BBR without a rate, and a throughput above the rate.
    """
    if "bbr" in names and rate_bps is None:
        raise UsageError(
            "law",
            "bbr",
            "needs the rate of the link: BBR's rate is not a function of loss and round-trip time",
            "give --rate",
        )
    if rate_bps is not None and throughput_bps is not None and throughput_bps > rate_bps:
        raise UsageError(
            "throughput",
            units.show_rate(throughput_bps),
            f"must be at most the rate of the link ({units.show_rate(rate_bps)})",
            "lower --throughput, or raise --rate or leave it out",
        )
    answers = []
    for one in [law(name) for name in names if name != "bbr"] if names else LAWS.values():
        if loss_rate is not None:
            rate = throughput(one.name, loss=loss_rate, path=path)
            rate = rate if rate_bps is None else min(rate, rate_bps)
            p: float | None = loss_rate
        else:
            assert throughput_bps is not None, "either a loss or a throughput is given"
            rate, p = throughput_bps, loss(one.name, throughput_bps=throughput_bps, path=path)
        window = rate * path.rtt_s / (8.0 * path.mss_bytes)
        bound = "" if p is not None else _bound(window, path)
        answers.append(LawAnswer(one.name, one.title, one.source, one.assumes, p, rate, window, bound))
    if rate_bps is not None and (not names or "bbr" in names):
        answers.append(_bbr(path, rate_bps, loss_rate, throughput_bps))
    return answers


def _bbr(path: Path, rate_bps: float, loss_rate: float | None, throughput_bps: float | None) -> LawAnswer:
    """BBR's answer in either direction."""
    p, bound = loss_rate, ""
    if loss_rate is not None:
        rate = bbr_throughput(loss=loss_rate, rate_bps=rate_bps)
    else:
        assert throughput_bps is not None, "either a loss or a throughput is given"
        rate, p = throughput_bps, bbr_loss(throughput_bps=throughput_bps, rate_bps=rate_bps)
        bound = "" if p is not None else f"{100 * (1 - 1 / PROBE_GAIN):.0f} %, at once"
    window = rate * path.rtt_s / (8.0 * path.mss_bytes)
    return LawAnswer("bbr", "BBR, alone", "CCGYJ16", "random loss, goodput", p, rate, window, bound)


def _bound(window: float, path: Path) -> str:
    """The side on which the loss lies outside the range of the laws: below the least, or above the most."""
    if window > path.window:
        return "none"
    # At the least loss every law has a window of thousands of segments, at the most one of a few.
    return f"< {100 * LEAST_LOSS:.0e} %" if window > 100 else f"> {100 * MOST_LOSS:.0f} %"


def table(answers: Sequence[LawAnswer]) -> str:
    """The rows as text for a terminal."""
    head = ("law", "throughput", "window", "loss", "source", "assumes")
    lines = [head] + [
        (
            row.law,
            units.show_rate(float(f"{row.throughput_bps:.3g}")),
            f"{row.window:.1f}",
            row.bound if row.loss is None else f"{100 * row.loss:.3g} %",
            row.source,
            row.assumes,
        )
        for row in answers
    ]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    right = {1, 2, 3}
    text = [
        "  ".join(cell.rjust(width) if i in right else cell.ljust(width)
                  for i, (cell, width) in enumerate(zip(line, widths, strict=True))).rstrip()
        for line in lines
    ]  # fmt: skip
    return "\n".join(text)


def sentence(law: QueueLaw) -> str:
    """Sentence on the operating point of the queue, and the mechanism that holds it there."""
    at = law.crossing
    why = {
        "curve": "on the slope of RED's control function",
        "edge": "at the step of RED's control function, about which it oscillates",
        "buffer": "at the limit: RED drops too little, so the buffer overflows",
    }[at.regime]
    if at.loss >= tcp.MOST_LOSS:
        return (
            f"No loss up to {100 * tcp.MOST_LOSS:.0f} % slows the flows down to the {at.window:.2g} segments a round "
            "trip that the link has for each: that is beyond the range of the law of TCP."
        )
    return (
        f"The queue settles at {at.queue:.3g} packets, {why}: {100 * at.loss:.3g} % dropped, windows of "
        f"{at.window:.3g} segments, a round trip of {units.show_span(float(f'{at.rtt_s:.3g}'))}."
    )
