"""Problems and warnings that the reader of a result should know before trusting it."""

from __future__ import annotations

import statistics as plain
from collections.abc import Sequence
from math import ceil, floor, log10

from .. import metrics
from ..metrics import statistics
from ..metrics.summary import RunSummary
from ..quantities import wording
from .variant import Variant

#: Bytes received in a measurement window over those that the link sent in it: some were in flight as it began.
SLACK = 1.02
#: Share of a mean queue that a clock of doubles may lose in rounding.
ROUNDING = 1e-6


def check(variants: Sequence[Variant], loose: Sequence[str], maximum: int) -> tuple[list[str], list[str]]:
    """Returns problems and warnings as sentences. ``loose`` are the metrics that missed the requested
    precision."""
    problems = [line for variant in variants for line in _stopped(variant)]
    problems += [line for variant in variants for line in _unbalanced(variant)]
    problems += [line for variant in variants for line in _without_littles_law(variant)]
    warnings = [line for variant in variants for line in _warm_up(variant)]
    warnings += [line for variant in variants for line in _silent(variant)]
    warnings += [line for variant in variants for line in _alike(variant)]
    warnings += [line for variant in variants for line in _beyond_the_rate(variant)]
    if loose:
        names = ", ".join(dict.fromkeys(loose))
        warnings.append(
            f"the precision asked for was not reached in {wording.count(maximum, 'replication')} for "
            f"{names}; raise --maximum, lengthen --duration, or ask for less"
        )
    n = len(variants[0].runs)
    if n < statistics.MINIMUM:
        warnings.append(f"{wording.count(n, 'replication')}: intervals are wide or absent; take 5 or more")
    return problems, warnings


def _stopped(variant: Variant) -> list[str]:
    remedies = {"events": "raise run.max_events", "memory": "raise run.max_memory"}
    lines = []
    for why in dict.fromkeys(run["stopped_by"] for run in variant.runs if run["stopped_by"] != "duration"):
        runs = [run for run in variant.runs if run["stopped_by"] == why]
        lines.append(
            f"{variant.name}: {len(runs)} of {wording.count(len(variant.runs), 'run')} stopped early, the first "
            f"(seed {runs[0]['seed']}) at {runs[0]['simulated_s']:.4g} s, at the limit of {why}; "
            f"{remedies.get(why, 'shorten the run')}"
        )
    return lines


def unbalanced(run: RunSummary) -> list[int]:
    """Flows whose packets do not add up: sent, but neither delivered, dropped, in flight nor queued."""
    wrong = []
    for number, flow in enumerate(run["conservation"]):
        for what in ("pkts", "bytes"):
            ends = sum(flow[place][what] for place in ("delivered", "dropped", "in_flight", "queued"))
            if flow["sent"][what] != ends:
                wrong.append(number)
                break
    return wrong


def _unbalanced(variant: Variant) -> list[str]:
    return [
        f"{variant.name}: packets of flow {wrong[0]} do not add up (seed {run['seed']}): "
        "this is a fault of dropcurve; report it with the scenario"
        for run in variant.runs
        if (wrong := unbalanced(run))
    ]


def _without_littles_law(variant: Variant) -> list[str]:
    """Links whose mean queue length and sojourn times contradict each other."""
    return [
        f"{variant.name}: the mean queue of {name} and its sojourn times differ by {abs(off):.3g} packets from "
        f"Little's law (seed {run['seed']}): this is a fault of dropcurve; report it with the scenario"
        for run in variant.runs
        for name, link in run["links"].items()
        if (off := link.get("little_pkts")) and abs(off) > ROUNDING * max(1.0, link["queue_pkts_mean"])
    ]


def _warm_up(variant: Variant) -> list[str]:
    ends = [metrics.derived(run, "transient_s") for run in variant.runs]
    known = [end for end in ends if end is not None]
    if not known:
        return []
    end, warmup = plain.median(known), variant.runs[0]["warmup_s"]
    if end <= warmup:
        return []
    return [
        f"{variant.name}: the start seems to last {end:.3g} s (MSER-5), longer than the warm-up "
        f'of {warmup:.3g} s; set run.warmup = "{_round_up(end):g} s" or more'
    ]


def _round_up(seconds: float) -> float:
    """The value rounded up to two digits."""
    step = 10.0 ** (floor(log10(seconds)) - 1)
    return float(f"{ceil(seconds / step) * step:.6g}")


def _silent(variant: Variant) -> list[str]:
    run = variant.runs[0]
    if metrics.measured_s(run) <= 0:
        return [
            f"{variant.name}: nothing was counted: the warm-up of {run['warmup_s']:.6g} s covers the run; "
            "lower run.warmup, or raise run.duration"
        ]
    if run["flows"] and not any(flow["received_pkts"] for flow in run["flows"]):
        return [
            f"{variant.name}: no packet arrived after the warm-up of {run['warmup_s']:.6g} s; start flows earlier, "
            "or raise run.duration"
        ]
    return []


def _alike(variant: Variant) -> list[str]:
    """A warning if all replications are identical, so that their interval measures no uncertainty."""
    first, *others = variant.runs
    if not others or any(
        (run["events"], run["flows"]) != (first["events"], first["flows"]) for run in others
    ):
        return []
    return [
        f"{variant.name}: all {wording.count(len(variant.runs), 'replication')} are identical, because nothing in the "
        "scenario is random, so that equal values do not measure the uncertainty; start flows at random, such as "
        'flows.NAME.start = "uniform 0 s to 1 s"'
    ]


def _beyond_the_rate(variant: Variant) -> list[str]:
    """A warning if the goodput exceeds the rate of the link that all flows share, which a measurement window
    makes possible."""
    pairs = zip(variant.runs, variant.values("link_share"), strict=True)
    above = [share for run, share in pairs if share is not None and share > 100.0 and _one_way(run)]
    if not above:
        return []
    return [
        f"{variant.name}: the goodput of {wording.count(len(above), 'replication')} is above the link's rate (up to "
        f"{max(above):.4g} % of it): data that arrived out of order before the measurement window counts when the gap "
        "before it is filled; a longer run.duration reduces its share"
    ]


def _one_way(run: RunSummary) -> bool:
    """Whether all flows pass the only main link: the receivers got no more than that link sent."""
    names = metrics.main_links(run)
    received = sum(flow["received_bytes"] for flow in run["flows"])
    return len(names) == 1 and received <= SLACK * run["links"][names[0]]["departed_bytes"]
