"""The parts of a run's summary that metrics read: links, classes, and sets of flows."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from operator import itemgetter, mul
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from .summary import GroupSummary, RunSummary

Run = RunSummary
Link = Mapping[str, Any]
Flow = Mapping[str, Any]


@runtime_checkable
class Columns(Protocol):
    """Flows that the core stores by column: more than 1000 of them."""

    def column(self, key: str, part: str | None = None) -> list[Any]:
        """The values under a key, or in the table there under ``part``, of all flows; None where there is none."""


def derived(run: Run, name: Literal["sync", "transient_s"]) -> float | None:
    """Returns a number that is derived from the samples of a run.

    Args:
        run: Summary of a run.
        name: "sync", the synchronisation of flows, or "transient_s", the length of the transient.

    Returns:
        The number; None for a run without samples, or if the samples do not determine it.

    Example:
        >>> derived(run, "transient_s")
    """
    numbers = run.get("derived")
    return None if numbers is None else numbers.get(name)


def measured_s(run: Run) -> float:
    """Returns the length of the measurement window.

    Args:
        run: Summary of a run.

    Returns:
        Seconds; 0 for a run that ended within its warm-up.

    Example:
        >>> measured_s({"simulated_s": 60.0, "warmup_s": 10.0})
        50.0
    """
    return float(max(0.0, run["simulated_s"] - run["warmup_s"]))


def active_s(run: Run, flow: Flow) -> float:
    """Seconds of the measurement window in which the flow was active: from its start to its end."""
    begin, end = max(run["warmup_s"], flow.get("start_s") or 0.0), run["simulated_s"]
    finish = flow.get("finish_s")
    if finish is not None and finish < end:
        end = finish
    return float(end - begin) if end > begin else 0.0


def classes(run: Run) -> list[str]:
    """Returns the names of the classes, in the order of the first flow of each.

    Args:
        run: Summary of a run.

    Returns:
        The names, without duplicates.

    Example:
        >>> classes(run)
    """
    return list(dict.fromkeys(column(run["flows"], "class")))


def column(flows: Sequence[Flow], key: str, part: str = "") -> list[Any]:
    """The value under a key, or in the table there under ``part``, of each flow; None where there is none."""
    rows = flows.rows if isinstance(flows, Flows) else flows
    # Most calls are for lists: a check against the protocol takes longer than to read their values.
    if rows is not None and type(rows) is not list and isinstance(rows, Columns):
        return rows.column(key, part or None)
    if part:
        return [(flow.get(key) or {}).get(part) for flow in flows]
    return [flow.get(key) for flow in flows]


def main_links(run: Run) -> list[str]:
    """Returns the links that a table is about.

    These are the links named ``bottleneck`` or ``hop1``, ``hop2`` ...; in a graph with other names, the link
    that dropped and marked the most or, without drops and marks, the busiest.

    Args:
        run: Summary of a run.

    Returns:
        Names of links.

    Example:
        >>> main_links(run)
    """
    names = list(run["links"])
    usual = [name for name in names if name == "bottleneck" or (name[:3] == "hop" and name[3:].isdigit())]
    if usual or not names:
        return usual

    def weight(name: str) -> tuple[float, float]:
        link = run["links"][name]
        return (dropped_pkts(link) + (link.get("marked_pkts") or 0), link.get("busy_s") or 0.0)

    return [max(names, key=weight)]


def reference_class(run: Run) -> str | None:
    """The class others are measured against: ``tcp``, or else the first whose flows are TCP."""
    if "tcp" in classes(run):
        return "tcp"
    return next((flow["class"] for flow in run["flows"] if flow["transport"] == "tcp"), None)


def dropped_pkts(link: Link) -> float:
    """Packets that the discipline dropped, for any reason."""
    return float(sum(link.get(f"{reason}_pkts") or 0 for reason in ("early", "forced", "overflow")))


def known(tables: Sequence[Flow], key: str) -> list[Any]:
    """Values that tables have under a key; tables without one are left out."""
    values = column(tables, key)
    return [value for value in values if value is not None] if None in values else values


def total(flows: Sequence[Flow], key: str) -> float | None:
    """Sum of a counter over flows that have it."""
    counts = known(flows, key)
    return float(sum(counts)) if counts else None


def weighted(flows: Flows, key: str, part: str = "") -> float | None:
    """Mean over flows, weighted by delivered packets; ``part`` picks an entry of a table such as
    ``delay_ms``."""
    members, counts = flows.delivered
    values = column(members, key, part)
    if None in values:
        counts = [count for value, count in zip(values, counts, strict=True) if value is not None]
        values = [value for value in values if value is not None]
    return math.fsum(map(mul, values, counts)) / sum(counts) if counts else None


@dataclass(frozen=True)
class MergedHistogram:
    """Several histograms as one: the upper ends of its bins, ascending, and how many values lie in each and below."""

    upper: list[float]
    below: list[float]

    @classmethod
    def of(cls, histograms: Iterable[Mapping[str, Any]]) -> MergedHistogram:
        """Merges histograms whose bins may differ; an upper end that several share is listed once for each."""
        pairs = (zip(rows["upper_ms"], rows["count"], strict=True) for rows in histograms)
        bins = sorted(chain.from_iterable(pairs))
        return cls(list(map(itemgetter(0), bins)), list(accumulate(map(itemgetter(1), bins))))

    def percentile(self, part: str) -> float | None:
        """A percentile ("p95"), as the upper end of its bin; none if all are empty."""
        if not self.upper:
            return None
        return self.upper[bisect_left(self.below, int(part[1:]) / 100 * self.below[-1])]


class Flows(list[Flow]):
    """Flows of a run, with quantities that several metrics share computed once."""

    def __init__(self, run: Run, flows: Iterable[Flow]) -> None:
        super().__init__(flows)
        self.run = run
        #: All flows of the run, if these are all and the core has them by column.
        self.rows = flows if isinstance(flows, Columns) else None

    @cached_property
    def rates(self) -> list[float]:
        """Throughput of each flow that was active, in bit/s over its own active time."""
        timed = [(flow, active_s(self.run, flow)) for flow in self]
        return [8.0 * flow["received_bytes"] / seconds for flow, seconds in timed if seconds > 0]

    @cached_property
    def groups(self) -> list[GroupSummary] | None:
        """The groups these flows are; None if they are not whole groups."""
        every = column(self.run["flows"], "group")
        names = set(every if self.rows is not None else map(itemgetter("group"), self))
        if len(self) < len(every) and len(self) < sum(map(names.__contains__, every)):
            return None
        return [group for name, group in (self.run.get("groups") or {}).items() if name in names]

    @cached_property
    def delays(self) -> MergedHistogram:
        """One-way delays of the groups together."""
        return MergedHistogram.of(group["delay_ms_histogram"] for group in self.groups or ())

    @cached_property
    def delivered(self) -> tuple[Sequence[Flow], list[int]]:
        """The flows of which packets were delivered, and how many of each."""
        counts = column(self, "delay_ms", "count")
        if all(counts):
            return self, counts
        return [flow for flow, count in zip(self, counts, strict=True) if count], list(filter(None, counts))

    @cached_property
    def object_senders(self) -> Flows:
        """The flows whose applications send objects."""
        return Flows(self.run, [flow for flow in self if flow.get("objects")])

    @cached_property
    def pages(self) -> Flows:
        """Flows whose applications fetched web pages of several objects."""
        return Flows(self.run, [flow for flow in self.object_senders if flow["objects"].get("page_ms")])

    @cached_property
    def ended(self) -> list[Flow]:
        """The flows with a finite amount of their own that arrived in full."""
        return [flow for flow in self if flow.get("finish_s") is not None and not flow.get("objects")]

    @cached_property
    def transfers(self) -> list[Flow]:
        """The flows that have completion times."""
        return self.ended or self.object_senders

    @cached_property
    def finite(self) -> list[Flow]:
        """The flows with a finite amount of their own to send."""
        return [flow for flow in self if flow.get("size_bytes") is not None]

    @cached_property
    def viewers(self) -> list[dict[str, Any]]:
        """Video viewers of the run: rates, stalls and qualities that they saw."""
        return [flow["video"] for flow in self if flow.get("video")]

    @cached_property
    def cameras(self) -> list[dict[str, Any]]:
        """Shaped video of the run: frames sent, late and lost."""
        return [flow["shaped_video"] for flow in self if flow.get("shaped_video")]


class ClassPair(NamedTuple):
    """The flows of a class and those of the class it is measured against."""

    own: Flows
    reference: Flows


def by_class(run: Run) -> dict[str, Flows]:
    """Returns the flows of each class, in the order of the first flow of each.

    Args:
        run: Summary of a run.

    Returns:
        Flows by class.

    Example:
        >>> sum(len(flows) for flows in by_class(run).values()) == len(run["flows"])
    """
    classes: dict[str, list[Flow]] = {}
    for flow in run["flows"]:
        classes.setdefault(flow["class"], []).append(flow)
    return {name: Flows(run, members) for name, members in classes.items()}


def versus(run: Run, sets: dict[str, Flows]) -> dict[str, ClassPair]:
    """Returns each other class together with the class of reference.

    Args:
        run: Summary of a run.
        sets: Flows by class, as `by_class` returns them.

    Returns:
        The pairs by class; none if no flow is TCP.

    Example:
        >>> versus(run, by_class(run))
    """
    reference = reference_class(run)
    if reference is None:
        return {}
    return {name: ClassPair(own, sets[reference]) for name, own in sets.items() if name != reference}
