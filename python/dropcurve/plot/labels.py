"""Text in figures: labels next to their lines, moved apart where they would overlap, and legends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .style import MUTED, RULE, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def shorten(name: str, *, limit: int = 28) -> str:
    """A name that fits: the middle is cut, since variants differ at the ends."""
    name = " ".join(name.split())
    if len(name) <= limit:
        return name
    head = (limit - 1 + 1) // 2
    return f"{name[:head].rstrip()}…{name[len(name) - (limit - 1 - head) :].lstrip()}"


def plain(text: str) -> str:
    """Text in which matplotlib finds no mathematics."""
    return text.replace("$", r"\$")


def spread_labels(wanted: Sequence[float], *, gap: float, low: float, high: float) -> list[float]:
    """Moves label positions apart to at least `gap`, as little as possible, inside `low..high`."""
    if not wanted:
        return []
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    gap = min(gap, (high - low) / max(1, len(wanted) - 1)) if len(wanted) > 1 else gap
    places = [min(max(wanted[i], low), high) for i in order]
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + gap)
    places[-1] = min(places[-1], high)
    for i in range(len(places) - 2, -1, -1):
        places[i] = min(places[i], places[i + 1] - gap)
    result = [0.0] * len(wanted)
    for place, i in zip(places, order, strict=True):
        result[i] = place
    return result


def end_labels(ax: Axes, labels: Sequence[tuple[float, str, str]], *, size: float = 6.5) -> None:
    """Names things at the right edge: `(y, text, colour)`, moved apart where they would touch.

    Call it when the axis limits are final.
    """
    figure: Any = ax.figure
    height_pt = ax.get_position().height * figure.get_figheight() * 72
    low, high = ax.get_ylim()
    per_pt = (high - low) / max(height_pt, 1.0)
    places = spread_labels([y for y, _, _ in labels], gap=size * 1.25 * per_pt, low=low, high=high)
    for (_, text, colour), y in zip(labels, places, strict=True):
        ax.annotate(
            plain(text),
            (1.0, y),
            xycoords=("axes fraction", "data"),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            ha="left",
            fontsize=size,
            color=colour,
            annotation_clip=False,
        )


def place_names(ax: Axes, names: Sequence[tuple[float, float, str, str]], *, size: float = 7.0) -> None:
    """Names points: `(x, y, text, colour)`, each at the side of its point where it hides least.

    Places are tried clockwise from the upper right; points and names placed before are avoided. Call
    it when the axis limits are final.
    """
    figure: Any = ax.figure
    figure.draw_without_rendering()
    per_pt = figure.dpi / 72.0
    at = [ax.transData.transform((x, y)) / per_pt for x, y, _, _ in names]
    frame = ax.get_window_extent()
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in at]
    for (x, y), (data_x, data_y, text, colour) in zip(at, names, strict=True):
        width, height = 0.60 * size * len(text), 1.1 * size
        best: tuple[float, Any] | None = None
        for rank, (side, rise) in enumerate((s, r) for r in (7, -7, 15, -15, 23, -23) for s in (1, -1)):
            left = x + 5 if side > 0 else x - 5 - width
            box = (left, y + rise - height / 2, left + width, y + rise + height / 2)
            out = box[0] * per_pt < frame.x0 or box[2] * per_pt > frame.x1
            out = out or box[1] * per_pt < frame.y0 or box[3] * per_pt > frame.y1
            cost = 0.05 * rank + 5 * out + sum(_overlap(box, other) for other in taken)
            if best is None or cost < best[0]:
                best = (cost, (side, rise, box))
        assert best is not None, "there are always places to try"
        side, rise, box = best[1]
        taken.append(box)
        leader = {"arrowstyle": "-", "color": RULE, "linewidth": 0.6, "shrinkB": 3, "shrinkA": 0}
        ax.annotate(
            plain(text),
            (data_x, data_y),
            xytext=(5 * side, rise),
            textcoords="offset points",
            va="center",
            ha="left" if side > 0 else "right",
            fontsize=size,
            color=colour,
            annotation_clip=False,
            arrowprops=leader if abs(rise) > 10 else None,
        )


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> float:
    """Share of the smaller box that the other hides, counted from the first touch."""
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if wide <= 0 or high <= 0:
        return 0.0
    smaller = min((a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1]))
    return 1.0 + wide * high / smaller


def note_empty(ax: Axes, why: str) -> None:
    """Writes why a panel has no data, in the place where the data would be."""
    ax.text(0.5, 0.5, plain(why), transform=ax.transAxes, ha="center", va="center", color=MUTED, wrap=True)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.grid(visible=False)


def variant_legend(figure: Figure, names: Sequence[str], *, line: bool = True, first: int = 0) -> None:
    """One key above the figure for the variants from `first` on; left out if the result has only one."""
    from matplotlib.lines import Line2D

    if len(names) < 2:
        return
    looks = [look(number) for number in range(first, len(names))]
    names = names[first:]
    width_in = figure.get_figwidth()
    limit = 30
    longest = max(len(shorten(name, limit=limit)) for name in names)
    columns = max(1, min(len(names), int(width_in * 72 / (longest * 4.4 + 26))))
    handles = [
        Line2D(
            [], [], color=one.colour, linestyle=one.dash if line else "none", linewidth=1.6,
            marker="none" if line else one.marker, markersize=4.5,
        )
        for one in looks
    ]  # fmt: skip
    # Matplotlib fills columns first; readers read rows.
    rows = math.ceil(len(names) / columns)
    order = [r * columns + c for c in range(columns) for r in range(rows) if r * columns + c < len(names)]
    figure.legend(
        [handles[i] for i in order],
        [plain(shorten(names[i], limit=limit)) for i in order],
        loc="outside upper left",
        ncols=columns,
        borderaxespad=0.3,
        borderpad=0.2,
        columnspacing=1.4,
        handletextpad=0.5,
        labelspacing=0.3,
    )
