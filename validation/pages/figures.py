"""Draws the figures of the docs: `python -m validation.pages.figures` from the root of the tree.

`docs/disciplines/red-*.svg` come from RED's laws alone; `docs/figures/*.svg` show every kind of figure on the
scenario `droptail_vs_red`, five replications of each variant.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dropcurve import compare, plot
from dropcurve.advise import spacing as spacing_rules
from dropcurve.plot import labels, law, style, view
from dropcurve.scenario import library

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOCS = Path(__file__).resolve().parents[2] / "docs"

#: Spacings of drops, their users, and the style of their lines.
WHO = {
    "pseudocode": "1993 paper, its figure; INET",
    "text": "1993 paper, its text; Linux; dummynet",
    "double": "ALTQ; ns.py (geometric)",
    "modulus": "DPDK, as intended",
    "wait": "ns-2, ns-3",
}

#: Dialects with thresholds of their own in packets, for the panel of drop curves.
DIALECTS = ("floyd93", "ns2_1999", "ns3", "altq", "inet", "nspy")


def main() -> None:
    """Draws all of them."""
    drawings: dict[str, Callable[[], Figure]] = {
        "red-share": red_share, "red-spacing": red_spacing, "red-dialects": red_dialects,
    }  # fmt: skip
    for name, draw in drawings.items():
        with style.styled():
            figure = draw()
            style.arrange(figure)
            (DOCS / "disciplines" / f"{name}.svg").write_bytes(style.to_bytes(figure, format="svg"))
    result = compare(
        "droptail_vs_red", queues=["droptail", "red:floyd93", "red:ns2_explicit", "red:linux"], replications=5
    )
    plot.save_all(result, DOCS / "figures", formats=("svg",))


def red_share() -> Figure:
    """The share of packets that each spacing drops, over the configured probability."""
    figure = style.new_figure(style.PAGE_IN, 2.7)
    ax = figure.subplots()
    p_b = np.linspace(0.0, 0.2, 161)
    ax.plot(100 * p_b, 100 * p_b, color=style.MUTED, linewidth=1.0, linestyle=(0, (4, 2)))
    ends = [(20.0, "p_b itself", style.MUTED)]
    for i, (spacing, who) in enumerate(WHO.items()):
        share = np.array([spacing_rules.share(float(p), spacing) for p in p_b])
        ax.plot(100 * p_b, 100 * share, color=style.look(i).colour, linewidth=1.6)
        ends.append((100 * float(share[-1]), f"{spacing}: {who}", style.look(i).words))
    ax.set_xlim(0, 20)
    ax.set_ylim(0, 40)
    ax.set_xlabel("probability configured, p_b (%)")
    ax.set_ylabel("packets dropped or marked (%)")
    labels.end_labels(ax, ends, size=7)
    return figure


def red_spacing() -> Figure:
    """The distance between marks at p_b = 0.1 under each spacing."""
    figure = style.new_figure(style.PAGE_IN, 3.9)
    names = ("pseudocode", "text", "double", "geometric", "wait")
    axes = figure.subplots(len(names), 1, sharex=True, sharey=True)
    for i, (name, ax) in enumerate(zip(names, axes, strict=True)):
        gaps, chance = _gaps(name, 0.1)
        look = style.look(i)
        ax.bar(gaps[:30], 100 * chance[:30], width=0.82, color=look.colour, linewidth=0)
        mean = float(np.dot(gaps, chance) / chance.sum()) if name != "geometric" else 10.0
        ax.axvline(mean, color=style.INK, linewidth=0.9)
        ax.annotate(f"mean {mean:.3g}", (mean, 1.0), xycoords=("data", "axes fraction"), xytext=(4, -3),
                    textcoords="offset points", va="top", fontsize=6.5)  # fmt: skip
        ax.annotate(name, (1.0, 1.0), xycoords="axes fraction", xytext=(0, -3), textcoords="offset points",
                    ha="right", va="top", fontsize=7.5, color=look.words, fontweight="bold")  # fmt: skip
        ax.grid(visible=False, axis="x")
        ax.set_xlim(0, 30)
        ax.set_ylim(0, 15)
    axes[-1].set_xlabel("packets from one mark to the next, p_b = 0.1")
    axes[len(names) // 2].set_ylabel("share of the distances (%)")
    return figure


def _gaps(spacing: str, p_b: float) -> tuple[np.ndarray, np.ndarray]:
    """Distances between marks and their probabilities, computed packet by packet."""
    gaps = np.arange(1, 200)
    chance = np.zeros(len(gaps))
    left = 1.0
    for i, n in enumerate(gaps):
        count = n - 1 if spacing == "text" else n
        room = (1.0 if spacing in ("pseudocode", "text") else 2.0) - count * p_b
        if spacing == "geometric":
            p_a = p_b
        elif spacing == "wait" and count * p_b < 1.0 - 1e-9:
            p_a = 0.0
        else:
            p_a = p_b / room if room > p_b * (1 + 1e-9) else 1.0
        chance[i] = left * p_a
        left -= chance[i]
    return gaps, chance


def red_dialects() -> Figure:
    """Draws the configured and the resulting probability, for dialects at their own defaults."""
    figure = style.new_figure(style.PAGE_IN, 3.5)
    axes = figure.subplots(2, 3, sharex=True, sharey=True)
    for i, (name, ax) in enumerate(zip(DIALECTS, axes.flat, strict=True)):
        drop_law = _law(name)
        avg = np.unique(
            np.concatenate([np.linspace(0, 32, 400), [np.nextafter(drop_law.max_th, 0), drop_law.max_th]])
        )
        ax.plot(avg, 100 * drop_law.p_b(avg), color=style.MUTED, linewidth=1.0, linestyle=(0, (4, 2)))
        ax.plot(avg, 100 * drop_law.share(avg), color=style.look(i).colour, linewidth=1.6)
        ax.set_title(name)
        ax.set_title(
            f"spacing {drop_law.spacing}", loc="right", fontsize=6.5, color=style.MUTED, fontweight="normal"
        )
        ax.set_xlim(0, 32)
        ax.set_ylim(0, 25)
    for ax in axes[1]:
        ax.set_xlabel("average queue (pkts)")
    for ax in axes[:, 0]:
        ax.set_ylabel("dropped or marked (%)")
    return figure


def _law(dialect: str) -> law.Law:
    """The law of a dialect at its own defaults."""
    red = next(entry for entry in library.catalogue()["disciplines"] if entry["kind"] == "red")
    options: dict[str, Any] = {field["name"]: field["default"] for field in red["fields"]}
    options |= next(preset["options"] for preset in red["dialects"] if preset["name"] == dialect)
    low, high, max_p = (view.quantity(options[key]) for key in ("min_th", "max_th", "max_p"))
    assert low and high and max_p, "these dialects have thresholds of their own"
    return law.Law(low[0], high[0], max_p[0], str(options["spacing"]), above=str(options["above_max"]))


if __name__ == "__main__":
    main()
