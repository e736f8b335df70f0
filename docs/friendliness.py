"""Writes `docs/friendliness.md` and its pictures: every transport against every other, over tail drop and RED.

    python docs/friendliness.py            # all pairs, some minutes; writes the page
    python docs/friendliness.py --quick    # few pairs and short runs; prints

Transports are those of the catalogue, so one that is added appears with the next run.
"""

from __future__ import annotations

import argparse
import math
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import dropcurve as dc
from dropcurve import library, metrics, statistics
from dropcurve.plot import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOCS = Path(__file__).resolve().parent
FLOWS = 3
QUEUES = {
    "droptail": 'kind = "droptail"\nlimit = "100 pkts"\n',
    "red": (
        'kind = "red"\nlimit = "100 pkts"\nmin_th = "10 pkts"\nmax_th = "30 pkts"\n'
        "max_p = 0.1\nw_q = 0.002\necn = true\n"
    ),
}
TITLES = {"droptail": "Tail drop", "red": "RED"}


@dataclass(frozen=True)
class Share:
    """F_r of one transport against another: geometric mean over replications, and the ends of its 95 % interval."""

    ratio: float
    low: float
    high: float


def transports() -> dict[str, str]:
    """Every transport that answers to congestion, and the keys of a group that uses it."""
    found = library.catalogue()
    profiles = [row["name"] for one in found["transports"] if one["name"] == "tcp" for row in one["profiles"]]
    recoveries = [one["name"] for one in found["recoveries"]]
    controls = [one["name"] for one in found["congestion_controls"]]
    keys = {
        f"{name}": f'recovery = "{name}"\n'
        for name in recoveries
        if name not in ("sack1", *controls) or name == "reno"
    }
    for name in controls:
        if name != "reno":
            own = f'cc = "{name}"\n'
            ecn = own + "ecn = true\n"
            rows = [f'profile = "{profile}"\n{own}' for profile in profiles]
            keys[name] = next(
                text for text in (own, ecn + f'ecn_rule = "{name}"\n', ecn, *rows) if usable(text)
            )
    others = [one["name"] for one in found["transports"] if one["name"] not in ("tcp", "udp")]
    return keys | {name: f'transport = "{name}"\n' for name in others}


def usable(keys: str) -> bool:
    """Whether a group may have these keys."""
    try:
        dc.Scenario.parse(scenario("droptail", keys, keys, 10))
    except dc.ScenarioError:
        return False
    return True


def scenario(queue: str, one: str, other: str, seconds: float) -> str:
    """Three flows of each kind on a link of 10 Mbit/s, round trip 44 ms without queueing."""
    group = f'count = {FLOWS}\nstart = "uniform 0 s to 1 s"\n'
    return (
        f'[run]\nduration = "{seconds} s"\nwarmup = "{seconds / 4} s"\n'
        '[dumbbell]\nrate = "10 Mbit/s"\ndelay = "20 ms"\naccess_rate = "100 Mbit/s"\n'
        f"[queue]\n{QUEUES[queue]}[flows.one]\n{group}{one}[flows.other]\n{group}{other}"
    )


def share(queue: str, one: str, other: str, *, replications: int, seconds: float) -> Share:
    """Mean throughput of the one over that of the other, over replications."""
    result = dc.run(
        dc.Scenario.parse(scenario(queue, one, other, seconds)), replications=replications, jobs=1
    )
    logs = [math.log(rate(run, "one") / rate(run, "other")) for run in result.baseline.runs]
    found = statistics.t_interval(logs)
    middle, half = found.mean or 0.0, found.half_width or 0.0
    return Share(math.exp(middle), math.exp(middle - half), math.exp(middle + half))


def rate(run: dict[str, Any], group: str) -> float:
    """Throughput of a group; at least a packet in the run, so that a starved group has a ratio."""
    return max(1.0, metrics.value(run, "throughput_bps", scope=group) or 0.0)


def matrix(
    queue: str, names: dict[str, str], *, replications: int, seconds: float, jobs: int
) -> dict[tuple[str, str], Share]:
    """Every pair once; the other way round is the inverse."""
    order = list(names)
    pairs = [(one, other) for i, one in enumerate(order) for other in order[i:]]

    def cell(pair: tuple[str, str]) -> Share:
        return share(queue, names[pair[0]], names[pair[1]], replications=replications, seconds=seconds)

    found: dict[tuple[str, str], Share] = {}
    with ThreadPoolExecutor(jobs) as pool:
        for (one, other), got in zip(pairs, pool.map(cell, pairs), strict=True):
            found[one, other] = got
            if one != other:
                found[other, one] = Share(1 / got.ratio, 1 / got.high, 1 / got.low)
            sys.stderr.write(f"{queue}: {one} against {other}\n")
    return found


def table(found: dict[tuple[str, str], Share], names: dict[str, str]) -> str:
    """Markdown: the row's F_r against the column, with its interval, and the class."""
    lines = ["| | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for one in names:
        cells = [text(found[one, other]) for other in names]
        lines.append(f"| **{one}** | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def text(cell: Share) -> str:
    """One cell."""
    return f"{cell.ratio:.3g} ({cell.low:.2g}–{cell.high:.2g}) {metrics.friendliness_class(cell.ratio)}"


def draw(found: dict[tuple[str, str], Share], names: dict[str, str], title: str) -> Figure:
    """The matrix in colours: a row that takes more than the column is warm, one that takes less is cold."""
    figure = style.new_figure(style.PAGE_IN, 6.2)
    ax = figure.subplots()
    values = np.array([[math.log2(found[one, other].ratio) for other in names] for one in names])
    ax.imshow(values, cmap="RdBu_r", vmin=-3, vmax=3)
    ax.set_xticks(range(len(names)), list(names), rotation=45, ha="right")
    ax.set_yticks(range(len(names)), list(names))
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            dark = abs(values[i, j]) > 1.8
            ratio = found[one, other].ratio
            shown = f"{ratio:.2f}" if 0.01 <= ratio < 10 else f"{ratio:.2g}"
            ax.text(j, i, shown, ha="center", va="center", fontsize=6, color="white" if dark else "black")
    ax.set_title(f"{title}: throughput of the row's flows over that of the column's")
    ax.tick_params(length=0)
    ax.grid(visible=False)
    return figure


HEAD = """\
# Friendliness: every transport against every other

Written by `python docs/friendliness.py`; do not edit. Three flows of each of two transports share
10 Mbit/s for {seconds:g} s, 44 ms round trip without queueing, a buffer of 100 packets; the last
three quarters count, {replications} replications. A cell is F_r, the mean throughput of the row's
flows over that of the column's: above 1 the row takes more. In brackets the 95 % interval over
replications (of the logarithm); the word is the class of Hassan's scale ([metrics](metrics.md)),
that of the middle value: where the interval spans several classes, the class is not settled. The
diagonal is a check: a transport against itself.

RED has thresholds of 10 and 30 packets, `max_p` 0.1, `w_q` 0.002, and marks what is ECN-capable:
{marked}. Over tail drop nothing is marked. TCP is as the current RFCs have it but for what the name
says: that of a recovery with Reno's window, or of a congestion control with SACK.
"""


def main(words: list[str]) -> int:
    """Writes the page, or prints a part of it."""
    parser = argparse.ArgumentParser(prog="python docs/friendliness.py")
    parser.add_argument(
        "--quick", action="store_true", help="three transports, two short replications; prints"
    )
    parser.add_argument("--jobs", type=int, default=2, help="pairs at once (2)")
    options = parser.parse_args(words)
    names = transports()
    replications, seconds = (2, 10.0) if options.quick else (8, 40.0)
    if options.quick:
        names = {name: names[name] for name in list(names)[:: max(1, len(names) // 3)]}
    marked = (
        ", ".join(name for name, keys in names.items() if "ecn" in keys or "profile" in keys)
        or "none of them"
    )
    parts = [HEAD.format(seconds=seconds, replications=replications, marked=marked)]
    for queue in QUEUES:
        found = matrix(queue, names, replications=replications, seconds=seconds, jobs=options.jobs)
        parts.append(f"## {TITLES[queue]}\n")
        if not options.quick:
            with style.styled():
                figure = draw(found, names, TITLES[queue])
                style.arrange(figure)
                (DOCS / "figures" / f"friendliness-{queue}.svg").write_bytes(
                    style.to_bytes(figure, format="svg")
                )
            parts.append(f"![F_r over {TITLES[queue]}](figures/friendliness-{queue}.svg)\n")
        parts.append(table(found, names))
    page = "\n".join(parts)
    if options.quick:
        sys.stdout.write(page)
    else:
        (DOCS / "friendliness.md").write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
