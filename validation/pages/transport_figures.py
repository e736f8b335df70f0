"""Draws the behaviour of each transport: `python -m validation.pages.transport_figures [PAGE ...]` from the root.

One figure for each page of `docs/transports`: a minute on 10 Mbit/s with 40 ms round trip and a buffer of
60 packets, alone, and from 20 s to 40 s together with a Reno flow with SACK.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import dropcurve as dc
from dropcurve.plot import labels, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dropcurve.results.series import Series

TRANSPORTS = Path(__file__).resolve().parents[2] / "docs" / "transports"

SCENARIO = """
title = "One flow, and a rival for a while"

[run]
duration = "60 s"
warmup = "0 s"
sample = "50 ms"

[dumbbell]
rate = "10 Mbit/s"
delay = "18 ms"
access_rate = "100 Mbit/s"
access_delay = "1 ms"

[queue]
{queue}

[flows.one]
{one}

[flows.rival]
transport = "tcp"
initial_ssthresh = 30
start = "20 s"
stop = "40 s"
{rival}
"""

BUFFER = 'kind = "droptail"\nlimit = "60 pkts"'
#: 240 ms at 10 Mbit/s: deeper than the targets of LEDBAT.
DEEP = 'kind = "droptail"\nlimit = "200 pkts"'
STEP = (
    'kind = "red"\nmin_th = "20 pkts"\nmax_th = "20.01 pkts"\nw_q = 0.999999\nmax_p = 1.0\necn = true\n'
    'ecn_forced = "mark"\nlimit = "400 pkts"'
)
TCP = 'transport = "tcp"\ninitial_ssthresh = 60\n'

#: The setup of a page: the flow, the queue, and the settings of its rival.
PICTURES = {
    "tcp": (TCP + 'cc = "reno"', BUFFER, ""),
    "cubic": (TCP + 'cc = "cubic"', BUFFER, ""),
    "dctcp": (TCP + 'cc = "dctcp"', STEP, "ecn = true"),
    "vegas": (TCP + 'cc = "vegas"', BUFFER, ""),
    "westwood": (TCP + 'cc = "westwood"', BUFFER, ""),
    "gaimd": (TCP + 'cc = "gaimd"', BUFFER, ""),
    "binomial": (TCP + 'cc = "binomial"', BUFFER, ""),
    "highspeed": (TCP + 'cc = "highspeed"', BUFFER, ""),
    "scalable": (TCP + 'cc = "scalable"', BUFFER, ""),
    "htcp": (TCP + 'cc = "htcp"', BUFFER, ""),
    "bic": (TCP + 'cc = "bic"', BUFFER, ""),
    "hybla": (TCP + 'cc = "hybla"', BUFFER, ""),
    "illinois": (TCP + 'cc = "illinois"', BUFFER, ""),
    "veno": (TCP + 'cc = "veno"', BUFFER, ""),
    "yeah": (TCP + 'cc = "yeah"', BUFFER, ""),
    "compound": (TCP + 'cc = "compound"', BUFFER, ""),
    "ledbat": (TCP + 'cc = "ledbat"', DEEP, ""),
    "ledbat_pp": (TCP + 'cc = "ledbat_pp"', DEEP, ""),
    "cdg": (TCP + 'cc = "cdg"', BUFFER, ""),
    "lp": ('transport = "tcp"\ncc = "lp"\nack_every = 1', BUFFER, ""),
    "nv": (TCP + 'cc = "nv"', BUFFER, ""),
    "prague": ('transport = "tcp"\nprofile = "l4s"', 'kind = "dualpi2"', ""),
    "bbr": ('transport = "tcp"\ncc = "bbr"', BUFFER, ""),
    "bbr3": ('transport = "tcp"\ncc = "bbr3"', BUFFER, ""),
    "quic": ('transport = "quic"', BUFFER, ""),
    "tfrc": ('transport = "tfrc"', BUFFER, ""),
    "rap": ('transport = "rap"', BUFFER, ""),
    "tear": ('transport = "tear"', BUFFER, ""),
    "lda": ('transport = "lda"\nprofile = "quick"', BUFFER, ""),
    "drs": ('transport = "drs"', BUFFER, ""),
    "scream": ('transport = "scream"\nprofile = "quick"', BUFFER, ""),
    "gcc": ('transport = "gcc"\ninitial_rate = "3 Mbit/s"', BUFFER, ""),
    "udp": (
        'transport = "udp"\nsource = "onoff"\nrate = "4 Mbit/s"\npacket = "1000 B"\non = "3 s"\noff = "3 s"',
        BUFFER,
        "",
    ),
}


def main() -> None:
    """Draws all of them, or those that are named."""
    for page in sys.argv[1:] or PICTURES:
        with style.styled():
            figure = draw(page)
            style.arrange(figure)
            (TRANSPORTS / f"{page}.svg").write_bytes(style.to_bytes(figure, format="svg"))


def draw(page: str) -> Figure:
    """Window or rate of the flow at the top, throughput of both flows in the middle, the queue at the bottom."""
    one, queue, rival = PICTURES[page]
    scenario = dc.Scenario.parse(SCENARIO.format(one=one, queue=queue, rival=rival))
    series = dc.run(scenario, replications=1).baseline.series
    name, factor, label = ("cwnd", 1.0, "window\n(segments)")
    if series.has("rate_bps", "0") and not series.has("cwnd", "0"):
        name, factor, label = "rate_bps", 1e-6, "allowed rate\n(Mbit/s)"
    has_window = series.has(name, "0")
    figure = style.new_figure(style.PAGE_IN, 3.6 if has_window else 2.6)
    top, middle, bottom = (
        figure.subplots(3, 1, sharex=True) if has_window else (None, *figure.subplots(2, 1, sharex=True))
    )
    if top is not None:
        time_s, value = series.select(name, "0")
        top.plot(time_s, value * factor, color=style.PALETTE[0], linewidth=1.1)
        top.set_ylabel(label)
    shares = [(_throughput(series, str(flow)), style.look(flow)) for flow in (0, 1)]
    for (time_s, rate), look in reversed(shares):
        middle.plot(time_s, rate, color=look.colour, linewidth=1.1)
    middle.set_ylabel("throughput\n(Mbit/s)")
    over = {"transform": middle.get_xaxis_transform(), "ha": "center", "va": "bottom"}
    middle.text(30, 1.02, "rival", fontsize=7.5, color=style.look(1).words, **over)
    time_s, waiting = series.select("queue_pkts", "bottleneck")
    bottom.plot(time_s, waiting, color=style.MUTED, linewidth=0.8)
    bottom.set_ylabel("queue\n(pkts)")
    for ax in figure.axes:
        ax.axvspan(20, 40, color=style.WASH, linewidth=0, zorder=0)
        ax.set_ylim(bottom=0)
    bottom.set_xlim(0, 60)
    bottom.set_xlabel(labels.plain("time (s)"))
    return figure


def _throughput(series: Series, flow: str) -> tuple[np.ndarray, np.ndarray]:
    """Mbit/s of a flow, over half a second each."""
    time_s, value = series.select("throughput_bps", flow)
    count = len(value) // 10 * 10
    return time_s[:count].reshape(-1, 10).mean(axis=1), value[:count].reshape(-1, 10).mean(axis=1) * 1e-6


if __name__ == "__main__":
    main()
