"""Views of a result for figures: its main link, its flows by class, sums over replications."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .. import metrics
from ..metrics import run_parts
from ..results import Variant


def main_link(variant: Variant) -> str | None:
    """The main link, as in tables; the first if there are several."""
    links = metrics.main_links(variant.runs[0]) if variant.runs else []
    return links[0] if links else None


def main_links(variant: Variant) -> list[str]:
    """The main links, at most three."""
    return metrics.main_links(variant.runs[0])[:3] if variant.runs else []


def title(variant: Variant, link: str) -> str:
    """Returns the title of a panel: the variant, and the link if there are several."""
    return f"{variant.name}, {link}" if len(main_links(variant)) > 1 else variant.name


def links_of(variant: Variant, name: str) -> list[Mapping[str, Any]]:
    """One link's summary for each run that has it."""
    return [run["links"][name] for run in variant.runs if name in run.get("links", {})]


def warmup_s(variant: Variant) -> float:
    """Start of the measurement window in the first replication, whose series are stored."""
    return float(variant.runs[0].get("warmup_s") or 0.0) if variant.runs else 0.0


def end_s(variant: Variant) -> float:
    """End of the first replication."""
    return float(variant.runs[0].get("simulated_s") or 0.0) if variant.runs else 0.0


def rate_bps(variant: Variant) -> float | None:
    """Rate of the main link; None if it is unlimited."""
    name = main_link(variant)
    links = links_of(variant, name) if name else []
    rate = float(links[0].get("rate_bps") or 0.0) if links else 0.0
    return rate or None


def classes(variant: Variant) -> dict[str, list[int]]:
    """Flow numbers by class, in the order of the flows."""
    by_class: dict[str, list[int]] = {}
    for flow in variant.runs[0].get("flows", []) if variant.runs else []:
        by_class.setdefault(str(flow.get("class") or flow.get("group") or "flows"), []).append(
            int(flow["id"])
        )
    return by_class


def goodputs_bps(variant: Variant) -> dict[int, list[float]]:
    """Goodput of each flow, one value for each run, over the part of the measurement window in which it was active."""
    by_flow: dict[int, list[float]] = {}
    for run in variant.runs:
        for flow in run.get("flows", []):
            span_s = run_parts.active_s(run, flow)
            if span_s > 0:
                by_flow.setdefault(int(flow["id"]), []).append(
                    float(flow["goodput_bytes"] or 0) * 8.0 / span_s
                )
    return by_flow


def histogram(links: Sequence[Mapping[str, Any]]) -> tuple[list[float], list[int]]:
    """Sojourn times of all replications together: upper edges in ms, ascending, and counts."""
    total: Counter[float] = Counter()
    for link in links:
        summary = link.get("sojourn_ms_histogram") or {}
        for upper, count in zip(summary.get("upper_ms", []), summary.get("count", []), strict=True):
            total[float(upper)] += int(count)
    edges = sorted(upper for upper, count in total.items() if count > 0)
    return edges, [total[upper] for upper in edges]


def observed_curve(links: Sequence[Mapping[str, Any]]) -> tuple[list[float], list[int], list[int]]:
    """Bins of the discipline's average over all replications: centre, arrived, dropped or marked."""
    arrived: Counter[float] = Counter()
    dropped: Counter[float] = Counter()
    for link in links:
        summary = link.get("drop_curve") or {}
        for centre, came, went in zip(
            summary.get("avg") or [], summary.get("arrived") or [], summary.get("dropped") or [], strict=True
        ):
            arrived[float(centre)] += int(came)
            dropped[float(centre)] += int(went)
    centres = sorted(centre for centre, came in arrived.items() if came > 0)
    return centres, [arrived[c] for c in centres], [dropped[c] for c in centres]


def queue_of(variant: Variant, link: str) -> Mapping[str, Any]:
    """The parameters of a link's discipline with the values that automatic ones got; empty if the
    scenario has none."""
    return {**written_queue_of(variant, link), **variant.automatic.get(link, {})}


def written_queue_of(variant: Variant, link: str) -> Mapping[str, Any]:
    """The resolved parameters of a link's discipline, automatic ones as "auto"."""
    scenario = variant.scenario
    own = scenario.get("links", {}).get(link.removesuffix(".back"), {})
    if link.endswith(".back"):
        places: list[Any] = [own.get("back", {}).get("queue"), scenario.get("back_queue")]
    else:
        hop = scenario.get("chain", {}).get(link, {})
        places = [
            own.get("queue"),
            hop.get("queue") if isinstance(hop, Mapping) else None,
            scenario.get("queue"),
        ]
    return next((place for place in places if isinstance(place, Mapping)), {})


def wire_of(variant: Variant, link: str) -> Mapping[str, Any]:
    """The resolved keys of one direction of a link (rate, delay, packet …)."""
    scenario, name = variant.scenario, link.removesuffix(".back")
    base: Mapping[str, Any] = next((scenario[form] for form in ("dumbbell", "chain") if form in scenario), {})
    own = base.get(name) if isinstance(base.get(name), Mapping) else scenario.get("links", {}).get(name, {})
    if link.endswith(".back"):
        return {**base.get("back", {}), **(own or {}).get("back", {})}
    return {**base, **(own or {})}


def packet_bytes(variant: Variant, link: str) -> float | None:
    """Typical packet size of a link's discipline in bytes."""
    for value in (queue_of(variant, link).get("mean_packet"), wire_of(variant, link).get("packet")):
        size = quantity(value)
        if size is not None:
            return size[0]
    return None


def counts_bytes(variant: Variant, link: str) -> bool:
    """Whether the discipline's own average is in bytes."""
    return any(one.get("avg_unit") == "bytes" for one in links_of(variant, link))


def waiting_packet_bytes(variant: Variant, link: str) -> float | None:
    """Mean size of the queued packets, to convert a queue in bytes into packets."""
    links = links_of(variant, link)
    packets = sum(float(one.get("queue_pkts_mean") or 0.0) for one in links)
    size = sum(float(one.get("queue_bytes_mean") or 0.0) for one in links)
    return size / packets if packets > 0 and size > 0 else None


def amount(value: Any, *, unit: str, packet_bytes: float | None) -> float | None:
    """A scenario's "12 pkts" or "15 kB" in `unit` ("packets" or "bytes")."""
    parsed = quantity(value)
    if parsed is None:
        return None
    number, given = parsed
    if (given == "bytes") == (unit == "bytes"):
        return number
    if not packet_bytes:
        return None
    return number * packet_bytes if unit == "bytes" else number / packet_bytes


def quantity(value: Any) -> tuple[float, str] | None:
    """A scenario's "12 pkts", "15 kB" or bare number, and its unit (`pkts`, `bytes` or "")."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value), ""
    words = str(value).replace("_", "").split()
    try:
        number = float(words[0])
    except (ValueError, IndexError):
        return None
    unit = words[1].lower() if len(words) > 1 else ""
    bytes_of = {"b": 1.0, "bytes": 1.0, "kb": 1e3, "mb": 1e6, "kib": 1024.0, "mib": 1048576.0}
    if unit.startswith(("pkt", "packet")):
        return number, "pkts"
    return (number * bytes_of[unit], "bytes") if unit in bytes_of else (number, unit)
