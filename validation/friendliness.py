"""Friendliness of every transport to every other: F_r with its interval and class, over tail drop and RED.

    python -m validation.friendliness                       # all pairs, some minutes; writes the page
    python -m validation.friendliness --transport cubic --transport tfrc --out friends
    python -m validation.friendliness --quick               # three transports, short runs; prints

Transports are those of the catalogue, so one that is added appears with the next run. Finished runs are kept in the
folder and taken from there, so that the same command continues after an interruption.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dropcurve import metrics
from dropcurve.errors import DropcurveError, UsageError
from dropcurve.metrics import statistics
from dropcurve.present.wrapping import wrap_markdown
from dropcurve.scenario import Scenario, library

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dropcurve.studies.cells import Progress

FLOWS = 3
QUEUES = {
    "droptail": 'kind = "droptail"\nlimit = "100 pkts"\n',
    "red": (
        'kind = "red"\nlimit = "100 pkts"\nmin_th = "10 pkts"\nmax_th = "30 pkts"\n'
        "max_p = 0.1\nw_q = 0.002\necn = true\n"
    ),
}
TITLES = {"droptail": "Tail drop", "red": "RED"}
#: Video shaped to the rate of TFRC: a camera that could fill the link.
VIDEO = 'transport = "tfrc"\nsource = "shaped"\ncoded_rate = "8 Mbit/s"\n'
#: Letters of Hassan's words.
LETTERS = {"excellent": "E", "satisfactory": "S", "unsatisfactory": "U", "poor": "P", "very poor": "V"}


@dataclass(frozen=True)
class MatrixShare:
    """F_r of one transport against another: geometric mean over replications, and the ends of its 95 % interval."""

    ratio: float
    low: float
    high: float

    @property
    def inverse(self) -> MatrixShare:
        """The same the other way round."""
        return MatrixShare(1 / self.ratio, 1 / self.high, 1 / self.low)

    def __str__(self) -> str:
        word = LETTERS[metrics.friendliness_class(self.ratio)]
        return f"{self.ratio:.3g} ({self.low:.2g}–{self.high:.2g}) {word}"


Matrix = dict[tuple[str, str], MatrixShare]


def transports() -> dict[str, str]:
    """Every transport that answers to congestion, and the keys of a group of flows that uses it."""
    catalogue = library.catalogue()
    recoveries = [one["name"] for one in catalogue["recoveries"]]
    controls = [one["name"] for one in catalogue["congestion_controls"] if one["name"] != "reno"]
    # sack1 is sack in ns-2's words; the recovery of Vegas goes with its control.
    keys = {name: f'recovery = "{name}"\n' for name in recoveries if name != "sack1" and name not in controls}
    keys |= {name: f'cc = "{name}"\n' for name in controls}
    keys["prague"] = 'profile = "l4s"\n'
    keys["westwood1"] = 'cc = "westwood"\nwestwood_rule = "original"\n'
    others = [one["name"] for one in catalogue["transports"] if one["name"] not in ("tcp", "udp")]
    return keys | {name: f'transport = "{name}"\n' for name in others} | {"video": VIDEO}


def scenario(queue: str, one: str, other: str, *, seconds: float) -> Scenario:
    """Three flows of each of two kinds, given by the keys of their groups, on 10 Mbit/s with 44 ms round trip.

    Raises ScenarioError if the keys do not fit.
    """
    group = f'count = {FLOWS}\nstart = "uniform 0 s to 1 s"\n'
    return Scenario.parse(
        f'[run]\nduration = "{seconds} s"\nwarmup = "{seconds / 4} s"\n'
        '[dumbbell]\nrate = "10 Mbit/s"\ndelay = "20 ms"\naccess_rate = "100 Mbit/s"\n'
        f"[queue]\n{QUEUES[queue]}[flows.one]\n{group}{one}[flows.other]\n{group}{other}"
    )


def matrix(
    names: Mapping[str, str],
    *,
    queue: str = "droptail",
    replications: int = 8,
    seconds: float = 40.0,
    out: str | Path = "friendliness",
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Matrix:
    """F_r of each of ``names`` (name and keys of a group of flows, as of `transports`) against each.

    Each pair runs once; the other way round is the inverse. ``queue`` is "droptail" or "red". Finished runs are stored
    for the next call, without a cache in the folder ``out``. Raises ScenarioError for keys that do not fit, UsageError
    for a queue or a number of replications that cannot be, ResultError for a folder that cannot be written.
    """
    from dropcurve.runs import cache
    from dropcurve.studies.cells import ReplicationPlan, Runner

    if queue not in QUEUES:
        raise UsageError("queue", queue, f"must be one of {', '.join(QUEUES)}", "choose one of these")
    if replications < 2:
        raise UsageError("replications", replications, "must be 2 or more for an interval", "raise it")
    order = list(names)
    pairs = {f"{i} {j}": (order[i], order[j]) for i in range(len(order)) for j in range(i, len(order))}
    scenarios = {
        key: scenario(queue, names[one], names[other], seconds=seconds) for key, (one, other) in pairs.items()
    }
    plan = ReplicationPlan(first=replications, precision=None, maximum=replications, jobs=jobs)
    with cache.store_or(Path(out)) as store:
        cells = Runner(ratio, plan, store, progress=progress).run(scenarios)
    shares: Matrix = {}
    for key, (one, other) in pairs.items():
        middle = share(cells[key].numbers["log F_r"])
        shares[one, other] = middle
        if one != other:
            shares[other, one] = middle.inverse
    return shares


def ratio(run: dict[str, Any]) -> dict[str, float]:
    """The logarithm of F_r. A starved group counts a bit a second, so that it has a ratio."""
    one, other = (metrics.value(run, "throughput_bps", scope=group) or 0.0 for group in ("one", "other"))
    return {"log F_r": math.log(max(1.0, one) / max(1.0, other))}


def share(logarithms: Sequence[float]) -> MatrixShare:
    """Mean and interval of logarithms of F_r."""
    interval = statistics.t_interval(list(logarithms))
    middle, half = interval.mean or 0.0, interval.half_width or 0.0
    return MatrixShare(math.exp(middle), math.exp(middle - half), math.exp(middle + half))


def table(shares: Matrix) -> str:
    """Markdown: the row's F_r against the column, with its interval, and the letter of its class."""
    names = list(dict.fromkeys(one for one, _ in shares))
    lines = ["| | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    lines += [
        f"| **{one}** | " + " | ".join(str(shares[one, other]) for other in names) + " |" for one in names
    ]
    return "\n".join(lines) + "\n"


def draw(shares: Matrix, title: str) -> Figure:
    """The matrix in colours: a row that takes more than the column is warm, one that takes less is cold."""
    import numpy as np

    from dropcurve.plot import style

    names = list(dict.fromkeys(one for one, _ in shares))
    figure = style.new_figure(style.PAGE_IN, 2.0 + 0.27 * len(names))
    ax = figure.subplots()
    values = np.array([[math.log2(shares[one, other].ratio) for other in names] for one in names])
    ax.imshow(values, cmap="RdBu_r", vmin=-3, vmax=3, aspect="auto")
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
    ax.set_yticks(range(len(names)), names)
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            value = shares[one, other].ratio
            shown = f"{value:.2f}" if 0.01 <= value < 10 else f"{value:.2g}"
            colour = "white" if abs(values[i, j]) > 1.8 else "black"
            ax.text(j, i, shown, ha="center", va="center", fontsize=6, color=colour)
    ax.set_title(f"{title}: throughput of the row's flows over that of the column's")
    ax.tick_params(length=0)
    ax.grid(visible=False)
    return figure


HEAD = """\
# Friendliness: every transport against every other

Written by `{command}`; do not edit. {flows} flows of each of two transports share
10 Mbit/s for {seconds:g} s, 44 ms round trip without queueing, a buffer of 100 packets; the last
three quarters count, {replications} replications. A cell is F_r, the mean throughput of the row's
flows over that of the column's: above 1 the row takes more. In brackets the 95 % interval over
replications (of the logarithm); the letter is the class of Hassan's scale (`dropcurve describe friendliness`) of
the middle value, **E**xcellent, **S**atisfactory, **U**nsatisfactory, **P**oor or **V**ery poor: where the
interval spans several classes, the class is not settled. The diagonal is a check: a transport against itself.

RED has thresholds of 10 and 30 packets, `max_p` 0.1, `w_q` 0.002, and marks what is ECN-capable: {marked}.
Over tail drop nothing is marked. TCP is as in the current RFCs except for what the name says: that of a
recovery with Reno's window, or of a congestion control with SACK. `prague` is the profile `l4s`, made for queues
that mark much earlier. `westwood` is Westwood+, `westwood1` the first Westwood.
`gaimd` and `binomial` are those with alpha 0.3125, beta 0.875 and k = l = 1/2. `video` is a
camera of 8 Mbit/s shaped to what TFRC allows. LDA+ reports each 5 s, so much of its time here is its start.

The page again, or of a few transports: `python -m validation.friendliness --help`. Transports with keys of your own:

```python
from validation import friendliness

friendliness.matrix(
    {{"mine": 'cc = "cubic"\\nhystart = "rfc9406"\\n', "reno": 'recovery = "newreno"\\n'}}
)
```
"""


def marked(names: Mapping[str, str]) -> list[str]:
    """The transports whose packets are ECN-capable."""
    return [
        name for name, keys in names.items()
        if scenario("red", keys, keys, seconds=10).resolved["flows"]["one"].get("ecn")
    ]  # fmt: skip


def chosen(wanted: Sequence[str]) -> dict[str, str]:
    """The named transports, or all. Raises UsageError for an unknown name."""
    known = transports()
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise UsageError(
            "--transport", unknown[0], f"must be one of {', '.join(known)}", "choose one of these"
        )
    return {name: keys for name, keys in known.items() if not wanted or name in wanted}


def main(words: Sequence[str]) -> int:
    """Writes the page with its figures, or prints a part of it. Exit code 2 for invalid input."""
    parser = argparse.ArgumentParser(prog="python -m validation.friendliness")
    parser.add_argument(
        "--transport", action="append", default=[], metavar="NAME", help="one of those to compare (all)"
    )
    parser.add_argument("--replications", type=int, default=8, help="of each pair (8)")
    parser.add_argument("--out", default="friendliness", help="folder of page, figures and runs")
    parser.add_argument("--jobs", type=int, default=None, help="runs at once (all processors)")
    parser.add_argument(
        "--quick", action="store_true", help="three transports, two short replications; prints"
    )
    options = parser.parse_args(words)
    try:
        write(options)
    except DropcurveError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def write(options: argparse.Namespace) -> None:
    """Executes the missing runs and writes or prints the page."""
    names = chosen(options.transport)
    replications, seconds = options.replications, 40.0
    if options.quick:
        replications, seconds = 2, 10.0
        names = dict(list(names.items())[:: max(1, len(names) // 3)][:3])
    out = Path(options.out)
    command = " ".join(
        ["python -m validation.friendliness", *(f"--transport {one}" for one in options.transport)]
    )
    parts = [
        HEAD.format(
            command=command, flows="Three", seconds=seconds, replications=replications,
            marked=", ".join(f"`{name}`" for name in marked(names)) or "none of them",
        )
    ]  # fmt: skip
    for queue, title in TITLES.items():
        shares = matrix(
            names, queue=queue, replications=replications, seconds=seconds, out=out, jobs=options.jobs,
            progress=None if options.quick else partial(print_progress, title),
        )  # fmt: skip
        parts.append(f"## {title}\n")
        if not options.quick:
            parts.append(
                f"![F_r over {title}]({draw_figure(shares, title, out / 'figures' / f'friendliness-{queue}.svg')})\n"
            )
        parts.append(table(shares))
    page = "\n".join(parts)
    if options.quick:
        sys.stdout.write(page)
    else:
        (out / "friendliness.md").write_text(wrap_markdown(page), encoding="utf-8")
        sys.stderr.write(f"The page: {out / 'friendliness.md'}\n")


def draw_figure(shares: Matrix, title: str, path: Path) -> str:
    """Draws a matrix into a file; its path as the page names it."""
    from dropcurve.plot import style

    path.parent.mkdir(parents=True, exist_ok=True)
    with style.styled():
        figure = draw(shares, title)
        style.arrange(figure)
        path.write_bytes(style.to_bytes(figure, format="svg"))
    return f"{path.parent.name}/{path.name}"


def print_progress(title: str, done: int, needed: int, _share: float) -> None:
    """One line of progress, overwritten on a terminal."""
    if sys.stderr.isatty() or done == needed:
        end = "\r" if sys.stderr.isatty() and done < needed else "\n"
        sys.stderr.write(f"{title}: {done} of {needed} runs{end}")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
