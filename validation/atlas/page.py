"""The page of the atlas, from the record in its model."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from dropcurve.quantities import wording
from dropcurve.tuning.atlas import Atlas
from dropcurve.tuning.atlas.model import TrafficModel

#: Width of the paragraphs.
WIDTH = 100
#: Names of the two kinds of traffic.
TITLES = {"stated": "Stated flows (`--flows`)", "usual": "Usual traffic (`--link`, or `--rate` alone)"}


def write(path: Path, atlas: Atlas) -> None:
    """Writes the page."""
    path.write_text("\n".join(_lines(atlas)) + "\n", encoding="utf-8")


def _lines(atlas: Atlas) -> list[str]:
    record = atlas.record
    rows = sum(part.rows for part in atlas.parts.values())
    lines = [
        "# The atlas behind `tune --instant`",
        "",
        "`python -m validation.atlas --runs FOLDER --train` wrote this page and the model; with `--calibrate`",
        f"instead it sets the intervals again and counts their coverage. {rows} conditions were",
        "simulated. Each is one run: a link, its traffic and one design, drawn at random, after a warm-up.",
        f"All of them took {record['cost_h']:.2f} processor hours.",
        "",
        "Held out means: no network has seen the rows or the links, nor were intervals set by them.",
        "Intervals are to cover " + wording.percent(float(record["level"])) + ".",
    ]
    for kind, outcome in record["made"].items():
        lines += [
            "",
            f"## {TITLES[kind]}",
            "",
            *_questions(outcome, atlas.parts[kind]),
            "",
            *_measures(outcome),
            "",
            *_regions(outcome),
        ]
        lines += ["", *_ranges(atlas.parts[kind].ranges)]
    return lines + (["", *_gain(record["gain"])] if "gain" in record else [])


def _gain(gain: Mapping[str, Any]) -> list[str]:
    """Regret against the full search, and the gain of that from the atlas."""
    lines = [
        "## Regret against the full search, and its gain",
        "",
        f"`python -m validation.atlas.gain --runs FOLDER --search-runs {gain['search_runs']}` searched drawn",
        "links from the pick of the atlas and without it, and compared the pick with the answer of the",
        "search under fresh seeds. The regret is the number of percentage points of utilisation by which the",
        "answer of the search is better, with the 95 % half-width. Runs are counted until the first design",
        "that was run in all trials, holds the bounds and is within half a point of the better answer. The",
        "links are of every kind of rate in turn; neither the atlas nor the start of the search was fitted to",
        "this draw.",
        "",
        *_summary(gain["links"]),
        "",
    ]
    rows = []
    for one in gain["links"]:
        regret = f"{one['regret']:.2f} ± {one['half_width']:.2f}" if one["half_width"] is not None else "–"
        held = [("holds" if one[key] else "misses") for key in ("atlas_holds", "search_holds")]
        runs = [str(one[key]) if one[key] is not None else "–" for key in ("runs_with", "runs_without")]
        rows.append([one["link"], one["goal"].partition(",")[0], regret, *held, *runs])
    heads = ["link", "goal", "regret", "atlas", "search", "runs with the atlas", "without"]
    return [*lines, *_table(heads, rows)]


def _summary(links: Sequence[Mapping[str, Any]]) -> list[str]:
    """The comparison in sentences: where both answers hold, and the runs where both searches found a good design."""
    both = [one["regret"] for one in links if one["atlas_holds"] and one["search_holds"]]
    pairs = [(one["runs_with"], one["runs_without"]) for one in links]
    known = [(ours, other) for ours, other in pairs if ours is not None and other is not None]
    picks, answers = (sum(bool(one[key]) for one in links) for key in ("atlas_holds", "search_holds"))
    fewer, more = sum(ours < other for ours, other in known), sum(ours > other for ours, other in known)
    return [
        f"Of {len(links)} links the pick of the atlas holds the bounds on {picks}, the best of the search before its",
        f"validation on {answers}. Where both hold ({len(both)} links) the regret is {median(both):.2f} points in",
        f"the median, {max(both):.2f} at most. Starting from the atlas took fewer runs on {fewer} links, more on",
        f"{more}; the median is {median(ours for ours, _ in known):g} instead of",
        f"{median(other for _, other in known):g} runs. On {len(links) - len(known)} links one of the",
        "searches found no such design.",
    ]


def _questions(model: Mapping[str, Any], part: TrafficModel) -> list[str]:
    total = model["measures_asked"] + model["sums"]
    covering = model["measures_covered"] + model["sums_covered"]
    low, high = covered(covering, total, model["questions"])
    lines = [
        f"{model['rows']} simulated conditions, trained in {model['trained_s']:.0f} s of processor time.",
        f"The answers to questions about {model['setting']} drawn links were simulated at every condition. By these "
        f"links alone split conformal prediction chose the factors on the intervals: {part.widening:g} for measures; "
        f"an objective that sums several terms adds up their intervals, times {part.sum_share:g}.",
        f"Another count, on {model['questions']} links of another draw whose results nobody had seen when the rule for "
        f"the factors was fixed: the intervals cover {model['measures_covered']} of {model['measures_asked']} measures "
        f"and {model['sums_covered']} of {model['sums']} sums, together {100 * covering / total:.1f} % "
        f"({low:.1f} to {high:.1f} %, a 95 % interval by Wilson in which the numbers of one link count as one).",
    ]
    if model["bounded"]:
        lines.append(
            f"Of {model['bounded']} answers to goals with a bound {model['held']} hold it at every condition; of the "
            f"{model['sure']} that were at least 90 % sure {model['sure_held']}."
        )
    return "\n\n".join(textwrap.fill(one, WIDTH, break_on_hyphens=False) for one in lines).split("\n")


def covered(covering: int, intervals: int, links: int) -> tuple[float, float]:
    """The ends of the 95 % interval (Wilson 1927) of the share of intervals that cover, in per cent, where the numbers
    of one link count as one."""
    share, z = covering / max(1, intervals), 1.96
    middle = (share + z * z / (2 * links)) / (1 + z * z / links)
    half = z * math.sqrt(share * (1 - share) / links + z * z / (4 * links * links)) / (1 + z * z / links)
    return 100 * (middle - half), 100 * (middle + half)


def _measures(model: Mapping[str, Any]) -> list[str]:
    rows = [
        [f"`{one['name']}`", f"{100 * one['coverage']:.1f} %", f"{one['error']:.3f}"]
        for one in model["measures"]
    ]
    return [
        "Single runs that were held out. The error is the median, as a logarithm for delays, for what is",
        "lacking to 100 % and for losses: 0.1 is a tenth.",
        "",
        *_table(["measure", "covered", "median error"], rows),
    ]


def _regions(model: Mapping[str, Any]) -> list[str]:
    rows = [
        [str(one["region"]), str(one["rows"]), f"{one['delay_error']:.3f}", f"{one['unused_error']:.3f}",
         f"{100 * one['coverage']:.1f} %"]
        for one in model["regions"]
    ]  # fmt: skip
    return _table(["region", "runs", "error of p95 delay", "error of what is unused", "covered"], rows)


def _ranges(ranges: Mapping[str, tuple[float, float]]) -> list[str]:
    rows = [[name, f"{low:.3g}", f"{high:.3g}"] for name, (low, high) in ranges.items()]
    return [
        "Ranges, in bit/s, seconds, packets, per cent or counts:",
        "",
        *_table(["quantity", "from", "to"], rows),
    ]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(one)} |" for one in (heads, ["---"] * len(heads), *rows)]
