"""Flow completion times, of finite flows and of application objects, and other metrics of applications."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from .optional_numbers import as_number, average, percent, quantile
from .registry import METRICS, metric
from .run_parts import Flows, MergedHistogram, Run, known

#: Size classes of ``crates/sim/src/account/completions.rs``: their description and largest size in bytes.
CLASSES = {
    "all": ("", math.inf),
    "short": ("of up to 10 kB", 1e4),
    "medium": ("of 10 to 100 kB", 1e5),
    "long": ("of 100 kB to 1 MB", 1e6),
    "huge": ("of more than 1 MB", math.inf),
}
SOURCE = "RFC 7928 section 2.1"


def size_class(size: float) -> str:
    """The size class of a transfer, by its bytes."""
    return next(name for name, (_, most) in CLASSES.items() if name != "all" and size <= most)


def _finite(flows: Flows, name: str) -> list[float]:
    """Milliseconds that flows with a finite amount took from start to end."""
    return [
        1e3 * (flow["finish_s"] - flow["start_s"])
        for flow in flows.ended
        if name == "all" or size_class(flow.get("size_bytes") or math.inf) == name
    ]


def _times(flows: Flows, key: str) -> list[dict[str, Any]]:
    return [flow["objects"][key] for flow in flows.object_senders if flow["objects"][key]["count"]]


def _mean(flows: Flows, name: str) -> float | None:
    if not flows.transfers:
        return None
    finite = _finite(flows, name)
    times = _times(flows, f"fct_ms_{name}")
    count = len(finite) + sum(one["count"] for one in times)
    total = math.fsum([*finite, *(one["mean"] * one["count"] for one in times)])
    return total / count if count else None


def _percentile(flows: Flows, name: str, part: str) -> float | None:
    """Percentile of completion times; None where there is none.

    Finite flows have their own. That of objects comes from the histograms of groups if the flows are whole groups, and
    from the flow's own if it is one flow.
    """
    if not flows.transfers:
        return None
    key = f"fct_ms_{name}"
    finite = _finite(flows, name)
    if not flows.object_senders:
        return quantile(finite, int(part[1:]) / 100)
    if len(flows.object_senders) == 1 and not finite:
        times = _times(flows, key)
        return as_number(times[0][part]) if times else None
    if flows.object_senders.groups is None:
        return None
    groups: list[Mapping[str, Any]] = [
        group["objects"] for group in flows.object_senders.groups if "objects" in group
    ]
    if len(groups) == 1 and not finite:
        return as_number(groups[0][key].get(part))
    own = Counter(finite)
    histograms = [group[f"{key}_histogram"] for group in groups]
    return MergedHistogram.of([*histograms, {"upper_ms": list(own), "count": list(own.values())}]).percentile(
        part
    )


def _register(name: str, which: str) -> None:
    infix = "" if name == "all" else f"_{name}"
    title = "flow completion time" if name == "all" else f"completion time, {name} transfers"

    def mean(run: Run, flows: Flows) -> float | None:
        return _mean(flows, name)

    def percentile(part: str) -> Callable[[Run, Flows], float | None]:
        return lambda run, flows: _percentile(flows, name, part)

    transfers = f"transfers {which}".strip()
    span = (
        "finite flows and the objects of applications, from start or handing over to the last byte in order"
    )
    for part, function, statistic in (
        ("mean", mean, "Mean time"),
        ("p50", percentile("p50"), "Median of the time"),
        ("p95", percentile("p95"), "95th percentile of the time"),
    ):
        function.__doc__ = f"{statistic} over {transfers} completed: {span}."
        metric(f"fct{infix}_ms_{part}", title=f"{title}, {'median' if part == 'p50' else part}", unit="ms",
               better="lower", source=SOURCE, per="flow", shown=name == "all", of="transfers")(function)  # fmt: skip


for _name, (_which, _) in CLASSES.items():
    _register(_name, _which)


def _register_pages() -> None:
    """Metrics of the load time of web pages."""

    def mean(run: Run, flows: Flows) -> float | None:
        pages = [
            flow["objects"]["page_ms"] for flow in flows.object_senders if flow["objects"].get("page_ms")
        ]
        count = sum(one["count"] for one in pages)
        return math.fsum(one["mean"] * one["count"] for one in pages) / count if count else None

    def percentile(part: str) -> Callable[[Run, Flows], float | None]:
        def of(run: Run, flows: Flows) -> float | None:
            if len(flows.object_senders) == 1 and flows.object_senders[0]["objects"].get("page_ms"):
                return as_number(flows.object_senders[0]["objects"]["page_ms"][part])
            groups = [group["objects"] for group in flows.object_senders.groups or () if "objects" in group]
            histograms = [group["page_ms_histogram"] for group in groups if "page_ms_histogram" in group]
            return MergedHistogram.of(histograms).percentile(part) if histograms else None

        return of

    about = "web pages of several objects: from the handshake of the first object to the arrival of the last"
    for part, function, statistic in (
        ("mean", mean, "Mean load time"),
        ("p50", percentile("p50"), "Median of the load time"),
        ("p95", percentile("p95"), "95th percentile of the load time"),
    ):
        function.__doc__ = f"{statistic} of {about}."
        metric(f"page_ms_{part}", title=f"page load time, {'median' if part == 'p50' else part}", unit="ms",
               better="lower", source="RFC 7928 section 2.1", per="flow", shown=part != "p50",
               of="pages")(function)  # fmt: skip


_register_pages()


@metric("page_doublings", title="page load time, doublings of 1 ms", unit="", better="lower", source="ITU-T G.1030",
        per="flow", of="pages")  # fmt: skip
def page_doublings(run: Run, flows: Flows) -> float | None:
    """Binary logarithm of the mean load time of web pages in ms: users perceive the logarithm of a load time."""
    mean = METRICS["page_ms_mean"].function(run, flows)
    return math.log2(mean) if mean else None


@metric("video_bps", title="video bit rate", unit="bit/s", better="higher", source="ISO/IEC 23009-1",
        per="flow", shown=True, of="viewers")  # fmt: skip
def video_bps(run: Run, flows: Flows) -> float | None:
    """Mean rate of the chunks of video that were received, averaged over viewers, over the whole run."""
    return average(known(flows.viewers, "bps_mean"))


@metric("video_stalled", title="video stalled", unit="%", better="lower", source="ISO/IEC 23009-1",
        per="flow", shown=True, of="viewers")  # fmt: skip
def video_stalled(run: Run, flows: Flows) -> float | None:
    """Share of the run in which the picture of a viewer was frozen for lack of video, averaged over viewers."""
    seconds = run["simulated_s"] * len(flows.viewers)
    return 100 * math.fsum(viewer["stalled_s"] for viewer in flows.viewers) / seconds if seconds else None


@metric("video_switches", title="changes of video quality", unit="", better="lower", source="ISO/IEC 23009-1",
        per="flow", shown=True, of="viewers")  # fmt: skip
def video_switches(run: Run, flows: Flows) -> float | None:
    """Changes of quality from one chunk to the next, summed over viewers, over the whole run."""
    return float(sum(viewer["switches"] for viewer in flows.viewers)) if flows.viewers else None


@metric("shaped_share", title="video kept in shaping", unit="%", better="higher", source="JE98",
        per="flow", shown=True, of="cameras")  # fmt: skip
def shaped_share(run: Run, flows: Flows) -> float | None:
    """Rate of the frames that were made, of the rate at which the video was coded, averaged over cameras, over the
    whole run."""
    share = average(known(flows.cameras, "coded_share"))
    return None if share is None else 100 * share


@metric("shaped_skipped", title="frames skipped", unit="%", better="lower", source="JE98",
        per="flow", shown=True, of="cameras")  # fmt: skip
def shaped_skipped(run: Run, flows: Flows) -> float | None:
    """Frames that were skipped because too many were unsent, of those due, over all cameras and the whole run."""
    skipped, frames = (math.fsum(camera[key] for camera in flows.cameras) for key in ("skipped", "frames"))
    return percent(skipped, frames)


@metric("objects", title="objects completed", unit="", better="higher", source=SOURCE, per="flow", shown=True,
        of="object_senders")  # fmt: skip
def objects(run: Run, flows: Flows) -> float | None:
    """Objects of applications, such as those of web pages, that arrived in full in the measurement window."""
    return (
        float(sum(flow["objects"]["completed"] for flow in flows.object_senders))
        if flows.object_senders
        else None
    )


@metric("objects_begun", title="objects begun", unit="", better="none", source=SOURCE, per="flow",
        of="object_senders")  # fmt: skip
def objects_begun(run: Run, flows: Flows) -> float | None:
    """Objects that applications handed to the transport in the measurement window. In an open loop it is the load
    offered; in a closed loop it falls as the network gets slower."""
    return (
        float(sum(flow["objects"]["begun"] for flow in flows.object_senders))
        if flows.object_senders
        else None
    )
