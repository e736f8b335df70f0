"""Draws `docs/guide/figures/bufferbloat.svg`: `python -m validation.pages.bufferbloat`.

The link has 20 Mbit/s down and 2 Mbit/s up, and carries four uploads. The figure shows, over the buffer of the upload's
queue, the delay of a call and the goodput of a download whose acknowledgements share that queue: with tail drop and
with FQ-CoDel.
"""

from __future__ import annotations

from pathlib import Path

import dropcurve as dc
from dropcurve.metrics import statistics
from dropcurve.plot import style
from dropcurve.scenario import links

FIGURE = Path(__file__).resolve().parents[2] / "docs/guide/figures/bufferbloat.svg"
#: The line with one download, four uploads, a call and a game.
LINK = "20/2:up,downloads=1,uploads=4,web=0,videos=0,rtt=30ms"
#: Buffers of the upload in milliseconds at its rate.
BUFFERS_MS = (50, 100, 250, 500, 1000, 2000)
#: The queues, by their name in the figure.
QUEUES = {"tail drop": "droptail", "FQ-CoDel": "fq_codel"}
REPLICATIONS = 10


def main() -> None:
    """Runs and draws."""
    calls: dict[str, list[float]] = {name: [] for name in QUEUES}
    downloads: dict[str, list[float]] = {name: [] for name in QUEUES}
    for buffer in BUFFERS_MS:
        profile, direction = links.parse(LINK)
        base = links.scenario(profile, direction=direction)
        limit = f"{max(4, round(1e-3 * buffer * profile.up_bps / 12_000))} pkts"
        for name, kind in QUEUES.items():
            run = dc.run(base.set("queue", {"kind": kind, "limit": limit}), replications=REPLICATIONS)
            calls[name].append(_mean(run.variants[0].values("delay_ms_p95", scope="call")))
            downloads[name].append(1e-6 * _mean(run.variants[0].values("goodput_bps", scope="download")))
    with style.styled():
        figure = style.new_figure(style.PAGE_IN, 2.7)
        left, right = figure.subplots(1, 2)
        for ax, rows, title in (
            (left, calls, "p95 delay of a call (ms)"), (right, downloads, "goodput of the download (Mbit/s)"),
        ):  # fmt: skip
            for index, (name, row) in enumerate(rows.items()):
                ax.plot(BUFFERS_MS, row, marker="o", markersize=3, color=style.PALETTE[index], label=name)
            ax.set_xscale("log")
            ax.set_xticks(BUFFERS_MS, [str(one) for one in BUFFERS_MS])
            ax.set_xlabel("buffer of the upload (ms)")
            ax.set_ylabel(title)
            ax.set_ylim(bottom=0)
        left.legend(frameon=False)
        style.arrange(figure)
        FIGURE.write_bytes(style.to_bytes(figure, format="svg"))


def _mean(values: list[float | None]) -> float:
    return statistics.mean([one for one in values if one is not None])


if __name__ == "__main__":
    main()
