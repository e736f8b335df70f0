"""Draws control laws of transports: `python -m validation.pages.transport_laws [PAGE ...]` from the root.

A law is drawn from the defaults of the options; that of GCC from a trace of its transcription, which the simulator
reproduces (`reference/gcc.py`).
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from dropcurve.plot import style
from dropcurve.scenario import library

from .transport_figures import TRANSPORTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TRACE = TRANSPORTS.parents[1] / "crates/transport/tests/traces/gcc_deployed.txt"
#: Colours of the signals of GCC.
SIGNALS = {"over": style.PALETTE[1], "under": style.PALETTE[5], "normal": style.PAPER}


def main() -> None:
    """Draws all of them, or those that are named."""
    for page in sys.argv[1:] or LAWS:
        panels, draw = LAWS[page]
        with style.styled():
            figure = style.new_figure(style.PAGE_IN, 1.9 if panels == 1 else 3.0)
            draw(*np.atleast_1d(figure.subplots(panels, 1, sharex=True)))
            style.arrange(figure)
            (TRANSPORTS / f"{page}-law.svg").write_bytes(style.to_bytes(figure, format="svg"))


def default(name: str, transport: str = "tcp") -> Any:
    """The default of an option, as a number: spans in milliseconds."""
    fields = next(one for one in library.catalogue()["transports"] if one["name"] == transport)["fields"]
    value = next(field["default"] for field in fields if field["name"] == name)
    if isinstance(value, str):
        number, _, unit = value.partition(" ")
        return float(number) * {"": 1.0, "us": 1e-3, "ms": 1.0, "s": 1e3}[unit]
    return value


def gcc(top: Axes, bottom: Axes) -> None:
    """Estimate and threshold at the top, the delay-based rate at the bottom, signals as bands."""
    samples, rates = [], []
    for line in TRACE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        packet, _, rate = line.partition("|")
        _, arrival, _, *sample = packet.split()
        if sample:
            samples.append((int(arrival) * 1e-6, float(sample[0]), float(sample[1]), sample[2]))
        if rate:
            rates.append((int(arrival) * 1e-6, float(rate.split()[1]) * 1e-6))
    time_s, estimate, threshold = (np.array(column) for column in list(zip(*samples, strict=True))[:3])
    for ax in (top, bottom):
        for begin, after in itertools.pairwise(samples):
            if begin[3] != "normal":
                ax.axvspan(begin[0], after[0], color=SIGNALS[begin[3]], alpha=0.25, linewidth=0, zorder=0)
    top.plot(time_s, estimate, color=style.PALETTE[0], linewidth=0.9)
    for side in (1, -1):
        top.plot(time_s, side * threshold, color=style.INK, linewidth=0.9, linestyle=style.DASHES[1])
    top.set_ylabel("estimate and\nthreshold (ms)")
    bottom.plot(*zip(*rates, strict=True), color=style.PALETTE[0], linewidth=1.1)
    bottom.step([0, 5, 10, 16], [2, 2, 1, 3], where="pre", color=style.MUTED, linewidth=0.9)
    bottom.set_ylabel("rate and link\n(Mbit/s)")
    bottom.set_xlabel("time (s)")


def lp(ax: Axes) -> None:
    """Share of the window that is left, over the smoothed delay between the least and the greatest."""
    threshold = 100 * default("lp_threshold")
    for height, look, words in (
        (50.0, 0, "first indication"),
        (6.0, 1, "in the inference phase: one segment"),
    ):
        ax.plot(
            [0, threshold, threshold, 100],
            [100, 100, height, height],
            color=style.PALETTE[look],
            linewidth=1.1,
        )
        ax.text(60, height + 3, words, ha="center", fontsize=7.5, color=style.WORDS[look])
    ax.set_xlabel("smoothed delay between the least (0) and the greatest (100 %)")
    ax.set_ylabel("window left (%)")
    ax.set_ylim(0, 108)


def nv(ax: Axes) -> None:
    """Change of the window of a decision, over what it exceeds the needed window by."""
    pad, margin, share = default("nv_pad"), default("nv_margin"), default("nv_decrease")
    excess = np.linspace(pad, 40, 100)
    ax.plot([-10, pad - margin], [1, 1], color=style.PALETTE[0], linewidth=1.1)
    ax.plot([pad - margin, pad], [0, 0], color=style.PALETTE[0], linewidth=1.1)
    ax.plot(excess, -np.maximum(2, share * (excess - pad)), color=style.PALETTE[0], linewidth=1.1)
    ax.axvline(0, color=style.RULE, linewidth=0.6)
    ax.set_xlabel("window above the needed window (segments)")
    ax.set_ylabel("change\n(segments)")


def bbr3(ax: Axes) -> None:
    """Share of the short-term bound that a round with marks leaves, over their mean share."""
    marks, factor = np.linspace(0, 1, 50), default("bbr3_ecn_factor")
    ax.plot(100 * marks, 100 * (1 - factor * marks), color=style.PALETTE[0], linewidth=1.1)
    ax.plot(100 * marks, 100 * (1 - marks / 2), color=style.MUTED, linewidth=0.9, linestyle=style.DASHES[1])
    ax.text(88, 74, "BBRv3", fontsize=7.5, color=style.WORDS[0])
    ax.text(88, 51, "DCTCP", fontsize=7.5, color=style.MUTED)
    limit = 100 * default("bbr3_ecn_thresh")
    ax.axvline(limit, color=style.PALETTE[1], linewidth=0.9)
    ax.text(limit + 1, 101, "ends a probe", fontsize=7.5, va="top", color=style.WORDS[1])
    ax.set_xlabel("share of marked segments (%)")
    ax.set_ylabel("bound left (%)")
    ax.set_ylim(45, 103)


def cdg(ax: Axes) -> None:
    """Probability of a backoff over the gradient."""
    gradient = np.linspace(-5, 15, 200)
    probability = np.where(gradient > 0, 1 - np.exp(-gradient / default("cdg_scale")), 0)
    ax.plot(gradient, 100 * probability, color=style.PALETTE[0], linewidth=1.1)
    ax.axvline(0, color=style.RULE, linewidth=0.6)
    ax.set_xlabel("gradient (ms per round trip)")
    ax.set_ylabel("backoff (%)")


#: Panels of each page, and the function that draws them.
LAWS: dict[str, tuple[int, Callable[..., None]]] = {
    "gcc": (2, gcc), "lp": (1, lp), "nv": (1, nv), "bbr3": (1, bbr3), "cdg": (1, cdg),
}  # fmt: skip


if __name__ == "__main__":
    main()
