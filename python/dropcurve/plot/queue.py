"""The queue over time, and the average the discipline acts on. Series of the first replication."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..results import Result, Variant
from . import Layout, labels, law, style, view
from .thin import decimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LAYOUT = Layout(height_in=1.45, columns=2, share_y=False)
SEE = (
    "Thin line: queue length. Thick line: the average that the discipline acts on. Dashed lines: its "
    "thresholds. The shaded warm-up does not count. Scales differ between panels whose queues differ much."
)

#: Panels whose peaks differ by less than this factor share a scale.
ALIKE = 1.6
#: Thresholds of more classes than these would hide the curve.
MOST_CLASSES = 3


@dataclass(frozen=True)
class QueuePanel:
    """One variant. `thresholds_pkts` are those inside the view, which ends at `top_pkts`.

    `spike_pkts` is the peak during the warm-up if it lies above the view. A discipline that counts bytes is
    shown in packets of the mean size in the queue.
    """

    variant: str
    index: int
    time_s: Floats
    queue_pkts: Floats
    avg_time_s: Floats
    avg_pkts: Floats
    thresholds_pkts: tuple[tuple[str, float], ...]
    warmup_s: float
    spike_pkts: float | None
    top_pkts: float


def data(result: Result) -> tuple[QueuePanel, ...]:
    """One panel for each variant and main link that recorded its queue."""
    lines = [
        (i, variant, link, *variant.series.select("queue_pkts", link))
        for i, variant in enumerate(result.variants)
        for link in view.main_links(variant)
    ]
    lines = [one for one in lines if len(one[3]) and not np.all(np.isnan(one[4]))]
    needs = [_need(variant, link, time_s, value) for _, variant, link, time_s, value in lines]
    tops = _tops(needs)
    return tuple(
        _panel(i, variant, link, time_s, value, top)
        for (i, variant, link, time_s, value), top in zip(lines, tops, strict=True)
    )


def draw(data: QueuePanel, ax: Axes) -> None:
    """The queue as a thin line, the average as a thick one, thresholds dashed, the warm-up shaded."""
    colour = style.look(data.index).colour
    start_s, end_s = float(data.time_s[0]), float(data.time_s[-1])
    if data.warmup_s > start_s:
        ax.axvspan(start_s, data.warmup_s, color=style.WASH, linewidth=0, zorder=0)
        peak = "" if data.spike_pkts is None else f" (to {style.format_number(data.spike_pkts, digits=2)})"
        left = data.warmup_s < 0.25 * (end_s - start_s)
        ax.annotate(
            f"warm-up{peak}", (start_s if left else data.warmup_s, 1.0), xycoords=("data", "axes fraction"),
            xytext=(2 if left else -2, -2), textcoords="offset points", ha="left" if left else "right",
            va="top", fontsize=6, color=style.MUTED,
        )  # fmt: skip
    has_avg = len(data.avg_pkts) > 0
    ax.plot(data.time_s, data.queue_pkts, color=colour, linewidth=0.5 if has_avg else 0.7,
            alpha=0.5 if has_avg else 0.9)  # fmt: skip
    for _, value in data.thresholds_pkts:
        ax.axhline(value, color=style.MUTED, linewidth=0.7, linestyle=(0, (4, 2)), zorder=2.5)
    if has_avg:
        steady = _mean_step(data.avg_pkts) < 0.3 * _mean_step(data.queue_pkts)
        if steady:
            ax.plot(data.avg_time_s, data.avg_pkts, color=style.PAPER, linewidth=2.4, alpha=0.8)
        ax.plot(data.avg_time_s, data.avg_pkts, color=colour, linewidth=1.4 if steady else 0.8)
    ax.set_xlim(start_s, end_s)
    ax.set_ylim(0, data.top_pkts)
    ax.set_title(labels.plain(labels.shorten(data.variant, limit=40)))
    style.time_axis(ax)
    ax.set_ylabel("queue (pkts)")
    labels.end_labels(ax, [(value, name, style.MUTED) for name, value in data.thresholds_pkts])


def _mean_step(values: Floats) -> float:
    """Mean change of a curve from point to point."""
    return float(np.nanmean(np.abs(np.diff(values)))) if len(values) > 1 else 0.0


def _need(variant: Variant, link: str, time_s: Floats, value: Floats) -> float:
    """The height that a panel needs: the peak of the measurement window, and max_th."""
    late = value[time_s >= view.warmup_s(variant)]
    peak = float(np.nanmax(late)) if len(late) and not np.all(np.isnan(late)) else float(np.nanmax(value))
    levels = [level for name, level in _thresholds(variant, link) if name.startswith("max_th")]
    return max([1.0, peak, *levels])


def _tops(needs: list[float]) -> list[float]:
    """One scale for panels with similar peaks, so that they can be compared by eye."""
    tops: dict[float, float] = {}
    for need in sorted(needs, reverse=True):
        tops[need] = next((top for top in tops.values() if need * ALIKE > top), need)
    return [style.nice_top(tops[need]) for need in needs]


def _thresholds(variant: Variant, link: str) -> list[tuple[str, float]]:
    """(name, packets) of the thresholds that a link's discipline has."""
    size = view.waiting_packet_bytes(variant, link)
    drop_law = law.of(variant, link)
    queue = view.queue_of(variant, link)
    written = (
        (name, view.amount(value, unit="packets", packet_bytes=size))
        for key in ("min_th", "max_th")
        for name, value in of_classes(key, queue.get(key))
    )
    marks = [(key, level) for key, level in written if level is not None]
    if drop_law is not None:
        scale = _scale(variant, link, drop_law.unit == "bytes")
        marks = [("min_th", drop_law.min_th * scale), ("max_th", drop_law.max_th * scale)]
    limit = view.amount(queue.get("limit"), unit="packets", packet_bytes=size)
    return marks if limit is None else [*marks, ("limit", limit)]


def of_classes(key: str, value: Any) -> list[tuple[str, Any]]:
    """A threshold, or those of each class under names of their own where few differ, else that of the first."""
    if not isinstance(value, list):
        return [(key, value)]
    unlike = list(dict.fromkeys(value))
    if len(unlike) == 1:
        return [(key, unlike[0])]
    return [
        (f"{key} [{value.index(one)}]", one) for one in (unlike if len(unlike) <= MOST_CLASSES else value[:1])
    ]


def _scale(variant: Variant, link: str, in_bytes: bool) -> float:
    """Packets for each unit of a discipline that counts packets or bytes."""
    size = view.waiting_packet_bytes(variant, link)
    return (1.0 / size if size else float("nan")) if in_bytes else 1.0


def _panel(
    index: int, variant: Variant, link: str, time_s: Floats, value: Floats, top_pkts: float
) -> QueuePanel:
    avg_time_s, avg = variant.series.select("avg", link)
    scale = _scale(variant, link, view.counts_bytes(variant, link))
    early = value[time_s < view.warmup_s(variant)]
    spike = float(np.nanmax(early)) if len(early) and not np.all(np.isnan(early)) else 0.0
    queue_time_s, queue_pkts = decimate(time_s, value)
    avg_time_s, avg_pkts = decimate(avg_time_s, avg * scale)
    if np.all(np.isnan(avg_pkts)):
        avg_time_s, avg_pkts = np.empty(0), np.empty(0)
    return QueuePanel(
        variant=view.title(variant, link), index=index, time_s=queue_time_s, queue_pkts=queue_pkts,
        avg_time_s=avg_time_s, avg_pkts=avg_pkts, warmup_s=view.warmup_s(variant), top_pkts=top_pkts,
        thresholds_pkts=tuple((name, level) for name, level in _thresholds(variant, link) if level <= top_pkts),
        spike_pkts=spike if spike > top_pkts else None,
    )  # fmt: skip
