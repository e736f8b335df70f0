"""Draws the behaviour of each discipline: `python -m validation.pages.discipline_figures [KIND ...]` from the root.

The points come from the disciplines themselves, driven by `crates/queue/examples/figures.rs`, which describes the
three experiments. One figure each, `docs/disciplines/<kind>.svg`.
"""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dropcurve.plot import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    #: Lines of one figure by name: rows of x, y, z.
    Lines = dict[str, NDArray[np.float64]]

ROOT = Path(__file__).resolve().parents[2]
HEIGHT_IN = 2.3

#: Load in the middle of the experiment `step`, and the parts of its time at which it begins and ends.
LOAD, FROM, TO = 1.1, 1 / 6, 4 / 6
#: Delays that a discipline is set to hold, ms, at its defaults (for `pi` a queue of 200 packets, for `cared`, `dred`,
#: `fpi`, `lred`, `pid_red`, `purple`, `savq` and `yellow` one of 10, 50, 30, 50, 10, 20, 20 and 20).
TARGETS_MS = {
    "cared": 8.0, "cobalt": 5.0, "codel": 5.0, "docsis_pie": 10.0, "dred": 40.0, "dualpi2": 15.0, "fpi": 24.0,
    "lred": 40.0, "pi": 160.0, "pi2": 20.0, "pid_red": 8.0, "pie": 15.0, "purple": 16.0, "qprot": 15.0, "savq": 16.0,
    "tbf": 5.0, "yellow": 16.0,
}  # fmt: skip


def main() -> None:
    """Draws all of them, or those that are named."""
    draw = {"held": held, "step": step, "flows": flows}
    for (experiment, kind), lines in points(sys.argv[1:]).items():
        with style.styled():
            figure = draw[experiment](kind, lines)
            style.arrange(figure)
            path = ROOT / "docs/disciplines" / f"{kind}.svg"
            path.write_bytes(style.to_bytes(figure, format="svg"))


def points(kinds: list[str]) -> dict[tuple[str, str], Lines]:
    """Runs of the disciplines, by experiment and kind: of these, or of all."""
    command = ["cargo", "run", "--release", "--locked", "--quiet", "-p", "dropcurve-queue"]
    done = subprocess.run(
        [*command, "--example", "figures", "--", *kinds],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    rows_of_lines: dict[tuple[str, str], dict[str, list[list[float]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for row in done.stdout.splitlines():
        experiment, kind, line, *numbers = row.split("\t")
        rows_of_lines[experiment, kind][line].append([float(number) for number in numbers])
    return {
        key: {name: np.array(rows) for name, rows in lines.items()} for key, lines in rows_of_lines.items()
    }


def held(kind: str, lines: Lines) -> Figure:
    """The share dropped against the queue; whole, and its foot again where that is low."""
    from matplotlib.ticker import MaxNLocator

    figure = style.new_figure(style.PAGE_IN, HEIGHT_IN)
    low = max((float(line[:, 1][line[:, 1] < 0.6].max()) for line in lines.values()), default=0.0)
    tops = (1.05, 1.15 * low) if 0 < low < 0.45 else (1.05,)
    axes = figure.subplots(1, len(tops), squeeze=False)[0]
    for ax, top in zip(axes, tops, strict=True):
        for i, (name, line) in enumerate(lines.items()):
            ax.plot(line[:, 0], 100 * line[:, 1], color=style.look(i).colour, label=name or kind)
        ax.set_xlim(0, max(line[-1, 0] for line in lines.values()))
        ax.set_ylim(0, 100 * top)
        ax.xaxis.set_major_locator(MaxNLocator(nbins=7, integer=True, steps=[1, 2, 5, 10]))
        ax.set_xlabel("queue held at (pkts)")
    axes[0].set_ylabel("arrivals dropped (%)")
    if len(lines) > 1:
        axes[0].legend(loc="upper left")
    if len(axes) > 1:
        axes[1].set_title("the foot of the curve")
    return figure


def step(kind: str, lines: Lines) -> Figure:
    """The share dropped and the wait over time, while the load rises above the link and falls again."""
    figure = style.new_figure(style.PAGE_IN, HEIGHT_IN)
    signals, waits = figure.subplots(1, 2)
    for i, (name, line) in enumerate(lines.items()):
        look = style.look(i)
        label = {"classic": "classic: dropped", "scalable": "scalable: marked"}.get(name, name)
        signals.plot(line[:, 0], 100 * line[:, 1], color=look.colour, label=label)
        waits.plot(line[:, 0], line[:, 2], color=look.colour, label=name)
    end = float(line[-1, 0] + line[0, 0])
    for ax, column, factor, least in ((signals, 1, 100.0, 12.0), (waits, 2, 1.0, 5.0)):
        top = factor * max(line[:, column].max() for line in lines.values())
        ax.axvspan(FROM * end, TO * end, color=style.WASH, linewidth=0, zorder=0)
        ax.set_xlim(0, end)
        ax.set_ylim(0, max((1.15 if len(lines) == 1 else 1.35) * top, least))
        style.time_axis(ax)
    if len(lines) == 1:
        level(signals, 100 * (1 - 1 / LOAD), "excess load")
    if kind in TARGETS_MS:
        level(waits, TARGETS_MS[kind], "target")
    signals.set_ylabel("dropped or marked (%)" if len(lines) > 1 else "arrivals dropped (%)")
    waits.set_ylabel("mean queueing delay (ms)")
    if len(lines) > 1:
        signals.set_yticks(range(0, 101, 20))
        signals.legend(loc="upper right")
        waits.legend(loc="upper right")
    return figure


def level(ax: Axes, y: float, name: str) -> None:
    """A dashed line across, with its name at the right."""
    ax.axhline(y, color=style.MUTED, linewidth=0.9, linestyle=(0, (4, 2)))
    ax.annotate(name, (1.0, y), xycoords=("axes fraction", "data"), xytext=(-3, 3), textcoords="offset points",
                ha="right", fontsize=6.5, color=style.MUTED)  # fmt: skip


def flows(kind: str, lines: Lines) -> Figure:
    """Draws the shares and delays of five flows of unlike rates, next to those under tail drop."""
    figure = style.new_figure(style.PAGE_IN, HEIGHT_IN)
    got, waits = figure.subplots(1, 2)
    ruled, plain = lines[kind], lines["droptail"]
    at = np.arange(len(ruled))
    got.bar(at, 100 * ruled[:, 0], width=0.86, facecolor="none", edgecolor=style.RULE, label="offered")
    for ax, column, factor in ((got, 1, 100.0), (waits, 2, 1.0)):
        ax.bar(
            at - 0.19, factor * plain[:, column], width=0.34, color=style.look(6).colour, label="tail drop"
        )
        ax.bar(at + 0.19, factor * ruled[:, column], width=0.34, color=style.look(0).colour, label=kind)
        ax.set_xticks(at, [f"{100 * share:.0f} %" for share in ruled[:, 0]])
        ax.set_xlim(-0.6, len(at) - 0.4)
        ax.set_xlabel("share of the link that the flow offers")
        ax.grid(visible=False, axis="x")
    got.set_ylabel("share of the link it gets (%)")
    waits.set_ylabel("mean queueing delay (ms)")
    got.legend(loc="upper left")
    return figure


if __name__ == "__main__":
    main()
