"""How the numbers were made: replications, warm-up, intervals, and whether all packets are accounted for."""

from __future__ import annotations

import statistics as plain
from typing import Any, Literal

from .. import metrics
from ..quantities import wording
from ..results import Result, health


def seeds(result: Result) -> str:
    """ "1 to 5", or the list."""
    numbers = result.seeds
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))


def paragraphs(result: Result) -> list[dict[str, str]]:
    """A heading and a text for each step."""
    if not result.variants or not result.variants[0].runs:
        return []
    texts = [_replications(result), _warm_up(result), _intervals(result)]
    if len(result.variants) > 1:
        texts.append(_differences(result))
    texts.append({
        "title": "Figures over time",
        "text": "They show the first replication of each variant; everything else is taken over all replications. "
        "Shares of dropped or marked packets carry Wilson's interval for a proportion (Wilson 1927).",
    })  # fmt: skip
    return texts


def runs(result: Result) -> list[dict[str, str]]:
    """A row for each variant: simulated time, reason for the end of its runs, number of events."""
    rows = []
    for variant in result.variants:
        stopped = dict.fromkeys(str(run.get("stopped_by", "?")) for run in variant.runs)
        events = [int(run.get("events") or 0) for run in variant.runs]
        ends = [end for run in variant.runs if (end := metrics.derived(run, "transient_s")) is not None]
        rows.append({
            "name": variant.name,
            "hash": variant.hash,
            "runs": str(len(variant.runs)),
            "simulated": _range([float(run["simulated_s"]) for run in variant.runs], "s"),
            "stopped": ", ".join(stopped),
            "events": f"{sum(events):,}".replace(",", "\u202f"),
            "transient": f"{plain.median(ends):.3g} s" if ends else "–",
        })  # fmt: skip
    return rows


def conservation(result: Result) -> list[dict[str, Any]]:
    """Conservation of packets over all runs of each variant: sent = delivered + dropped + in flight + queued."""
    places: tuple[Literal["sent", "delivered", "dropped", "in_flight", "queued"], ...]
    places = ("sent", "delivered", "dropped", "in_flight", "queued")
    rows = []
    for variant in result.variants:
        flows = [flow for run in variant.runs for flow in run.get("conservation", [])]
        totals = {place: sum(flow[place]["pkts"] for flow in flows) for place in places}
        wrong = sum(len(health.unbalanced(run)) for run in variant.runs if "conservation" in run)
        rows.append({
            "name": variant.name,
            "counts": [f"{totals[place]:,}".replace(",", "\u202f") for place in places],
            "balanced": wrong == 0,
            "words": "all accounted for" if wrong == 0 else f"{wording.count(wrong, 'flow')} do not add up",
        })  # fmt: skip
    return rows


def _replications(result: Result) -> dict[str, str]:
    n = len(result.seeds)
    text = f"Each variant ran {wording.count(n, 'time')}, with seed {seeds(result)}" if n == 1 else (
        f"Each variant ran {n} times, with seeds {seeds(result)}"
    )  # fmt: skip
    if len(result.variants) > 1:
        text += (
            ". Variants run under common random numbers: start times, gaps between packets and the other random "
            "numbers come from a stream for each component, so that a difference between variants comes from the "
            "change and not from chance"
        )
    return {"title": "Replications", "text": f"{text}."}


def _warm_up(result: Result) -> dict[str, str]:
    run = result.variants[0].runs[0]
    warmup_s, length_s = float(run["warmup_s"]), float(run["simulated_s"])
    text = f"The measurement window is {warmup_s:g} s to {length_s:g} s; the warm-up before it is discarded."
    ends = [
        end
        for variant in result.variants
        for one in variant.runs
        if (end := metrics.derived(one, "transient_s")) is not None
    ]
    if ends:
        late = sum(end > warmup_s for end in ends)
        text += (
            f" By MSER-5 (White 1997), applied to the queue and the total throughput of each run, the transient "
            f"ends at {plain.median(ends):.3g} s in the median run and at {max(ends):.3g} s in the slowest"
        )
        text += f"; in {wording.count(late, 'run')} that is later than the warm-up." if late else "."
    return {"title": "Warm-up", "text": text}


def _intervals(result: Result) -> dict[str, str]:
    shown = wording.percent(result.confidence)
    if len(result.seeds) < 2:
        text = "A single replication has no interval: it does not show how much of a number is chance."
        return {"title": "Intervals", "text": text}
    text = (
        f"m ± h is the mean over replications and the half-width of its {shown} interval by Student's t with "
        f"{len(result.seeds) - 1} degrees of freedom, one number for each replication. "
        "A value with (all runs) is that of every replication, which leaves no scatter to make an interval of."
    )
    if result.precision is not None:
        text += (
            f" Replications were added until the half-widths were within {wording.percent(result.precision)} of the "
            f"mean; to compensate for this stopping rule the intervals are computed at "
            f"{wording.percent(round(result.level, 6))}."
        )
    return {"title": "Intervals", "text": text}


def _differences(result: Result) -> dict[str, str]:
    count = len(result.differences())
    text = (
        f"Each variant is compared with {result.baseline.name}, replication by replication (paired Student's t). "
        f"The p values of all {count} comparisons are adjusted by Holm's method (Holm 1979), so that the probability "
        f"of one false difference or more among them stays below "
        f"{wording.percent(round(1 - result.confidence, 6))}. Only differences that remain significant are called "
        "better or worse; “no difference found” does not mean that there is none, only that the runs do not show it."
    )
    return {"title": "Differences", "text": text}


def _range(values: list[float], unit: str) -> str:
    if not values:
        return "–"
    low, high = min(values), max(values)
    return f"{low:g} {unit}" if low == high else f"{low:g} to {high:g} {unit}"
