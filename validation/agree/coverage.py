"""Recorded rows of Linux and ns-3 compared with our runs, for each combination of queue and sender.

``python -m validation.agree.coverage`` runs every recorded row here and writes the table that ships with the package
(``dropcurve agree``) and ``docs/agreement-linux.md``. A row is within if goodput, queue and signals are apart by no
more than 5 % or the interval of the difference, of that at most a quarter.
"""

from __future__ import annotations

import csv
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import dropcurve as dc
from dropcurve.present.wrapping import wrap_markdown

from . import means, other_stacks, tables
from .__main__ import reference
from .context import ROOT, Context

TABLE = ROOT / "python" / "dropcurve" / "results" / "agreement.csv"
PAGE = ROOT / "docs" / "agreement-linux.md"
RUNS = 4
#: A drawn row is the mean over two round trips, this much around the middle.
NEAR_MS = 0.5
#: Distance that counts as agreement, as a share of the reference, and the least absolute distances.
MARGIN = 0.05
#: An interval wider than this share says that the runs scatter, not that they agree.
WIDEST = 0.25
FLOORS = {"goodput_mbps": 0.0, "backlog_mean": 1514.0, "signals": 5.0}
HEAD = (
    "reference", "profile", "queue", "sender", "ecn", "rate_mbit", "rtt_ms", "flows", "goodput_there", "goodput_here",
    "queue_there", "queue_here",
)  # fmt: skip
RECORDED = (
    ("linux", "uml.csv"), ("linux", "codel.csv"), ("linux_delays.csv",), ("linux_drawn.csv",), ("linux_matrix.csv",)
)  # fmt: skip
KINDS = {"red_adaptive": "red", "pfifo": "droptail", "fifo": "droptail", "adaptmaxp": "ared"}
SENDERS = {"TcpNewReno": "reno", "TcpCubic": "cubic"}
Runs = Sequence[Mapping[str, float]]
#: Rows of the matrix from these on are further tests, each of rows that were recorded before any of their results was
#: looked at and for which nothing was changed; those of an earlier one may have been looked at since.
FRESH = {"Second": 190, "Third": 210, "Fourth": 230, "Fifth": 250}
#: Its rows have the names of those of the reference.
NEAR_DELAYS = "linux_delays.csv"


@dataclass(frozen=True)
class RowComparison:
    """A recorded row of Linux and our runs of it."""

    row: Mapping[str, str]
    runs: Runs

    @property
    def name(self) -> str:
        """The configuration in a line."""
        keys = self.row
        ecn = " ECN" if keys["ECN"] == "1" else ""
        named = f"{keys['name']}: " if keys.get("name") else ""
        return f"{named}{keys['Q']} {keys['CC']}{ecn}, {keys['RATE']}, {keys['DELAY']}, {keys['N']} flows"

    @property
    def test(self) -> str:
        """The test that it belongs to."""
        name = self.row.get("name", "")
        digits = name.removeprefix("matrix")
        number = int(digits) if name.startswith("matrix") and digits.isdigit() else -1
        return next((test for test, first in reversed(FRESH.items()) if number >= first), "First")

    @property
    def is_within(self) -> bool:
        """Whether all its quantities are."""
        return all(ok for _, _, ok in self.verdicts().values())

    def verdicts(self) -> dict[str, tuple[float, float, bool]]:
        """Each quantity there, here, and whether they are within."""
        return {name: self._verdict(name, self.theirs(name), self.runs) for name in FLOORS}

    def theirs(self, name: str) -> float:
        """The kernel's mean."""
        if name == "signals":
            return float(self.row["drops"]) + float(self.row.get("marks") or 0)
        return float(self.row[name])

    def _verdict(self, name: str, theirs: float, runs: Runs) -> tuple[float, float, bool]:
        ours = [run[name] for run in runs]
        sd = self.row.get(f"{name}_sd", "")
        far = abs(statistics.fmean(ours) - theirs)
        interval = means.allowed(theirs, float(sd) if sd else None, int(self.row["seeds"]), ours)
        return theirs, statistics.fmean(ours), far <= bound(interval, theirs, name)

    def copy_is_within(self, rng: Random) -> bool:
        """Whether two of our runs, in place of the kernel's, agree with the others: the score of a perfect copy."""
        shuffled = rng.sample(list(self.runs), len(self.runs))
        few, rest = (
            shuffled[: int(self.row["seeds"])] if int(self.row["seeds"]) < 3 else shuffled[:2],
            shuffled[2:],
        )
        return all(
            abs(statistics.fmean(r[n] for r in few) - statistics.fmean(r[n] for r in rest))
            <= bound(
                means.allowed(statistics.fmean(r[n] for r in few), None, 1, [r[n] for r in rest]),
                statistics.fmean(r[n] for r in few),
                n,
            )
            for n in FLOORS
        )


def bound(interval: float, theirs: float, name: str) -> float:
    """The largest distance that counts as agreement."""
    return max(min(interval, WIDEST * theirs), MARGIN * theirs, FLOORS[name])


def linux_rows(context: Context) -> list[dict[str, str]]:
    """All recorded rows of the kernel that have an equivalent scenario."""
    rows: list[dict[str, str]] = []
    for path in RECORDED:
        suffix = "_delays" if path == (NEAR_DELAYS,) else ""
        rows += [{**row, "name": row.get("name", "") + suffix} for row in context.csv(*path)]
    return [row for row in rows if row["Q"] in other_stacks.LINUX_QUEUES and row.get("drops")]


@dataclass(frozen=True)
class Schedule:
    """When a recorded run of the kernel's rig does what, in seconds of our run.

    iperf3 needs 4 round trips of its own connection before it opens the flows one by one, and 2 after the data to
    exchange results. Our run begins with the flows, whose data follow once all are open and one round trip more.
    """

    rtt_s: float
    flows: int
    data_s: float

    @classmethod
    def of(cls, row: Mapping[str, str]) -> Schedule:
        """The course of a row."""
        return cls(float(row["DELAY"].removesuffix("ms")) / 1000, int(row["N"]), float(row["T"]))

    @property
    def end_s(self) -> float:
        """End of the data."""
        return (self.flows + 1) * self.rtt_s + self.data_s

    @property
    def sampled_s(self) -> float:
        """Time for which the rig samples the queue, of which it leaves out the first quarter."""
        return (self.flows + 6) * self.rtt_s + self.data_s

    @property
    def settles_s(self) -> float:
        """End of that quarter."""
        return max(self.sampled_s / 4 - 3 * self.rtt_s, 0.0)


def numbers(row: Mapping[str, str], scenario: dc.Scenario, runs: int = RUNS) -> list[dict[str, float]]:
    """Goodput, queue, and drops and marks of our runs.

    The data last as long as in the kernel. Its queue is sampled without the first quarter, but with the two round trips
    after the data, when it is empty. Its goodput and signals are those of the whole run: ours come from runs of the
    same seeds without a warm-up. iperf3 counts the goodput over a round trip more than the data last.
    """
    course = Schedule.of(row)
    lasting = scenario.set("run.duration", f"{course.end_s:.6f} s")
    settled = dc.run(
        lasting.set("run.warmup", f"{course.settles_s:.6f} s"), replications=runs, jobs=1
    ).baseline.runs
    whole_runs = dc.run(lasting.set("run.warmup", "0 s"), replications=runs, jobs=1).baseline.runs
    share = course.end_s / (course.data_s + course.rtt_s)
    filled = (course.end_s - course.settles_s) / (course.sampled_s * 3 / 4)
    measured = []
    for run, full in zip(settled, whole_runs, strict=True):
        one, all_ = other_stacks.linux_numbers(dict(run)), other_stacks.linux_numbers(dict(full))
        signals = all_["drops"] + float(full["links"]["bottleneck"]["marked_pkts"])
        backlog, goodput = one["backlog_mean"] * filled, all_["goodput_mbps"] * share
        measured.append({"goodput_mbps": goodput, "backlog_mean": backlog, "signals": signals})
    return measured


def parts(row: Mapping[str, str]) -> list[Mapping[str, str]]:
    """The round trips that a row is the mean over: those of its own table."""
    if "SEED" not in row:
        return tables.linux_parts(row) if row["seeds"] == "8" else [row]
    middle = float(row["DELAY"].removesuffix("ms"))
    return [{**row, "DELAY": f"{middle + off:g}ms"} for off in (-NEAR_MS, NEAR_MS)]


def coarsely(row: Mapping[str, str]) -> str:
    """The scenario of a row with the profile ``linux``."""
    return other_stacks.linux(row).replace('profile = "linux-7.3"', 'profile = "linux"')


def compare(
    rows: Sequence[Mapping[str, str]], make: Callable[[Mapping[str, str]], str]
) -> Iterator[RowComparison]:
    """Runs each row here, over its own round trips."""
    for row in rows:
        near = parts(row)
        each = -(-RUNS // len(near))
        runs = [numbers(one, dc.Scenario.parse(make(one)), each) for one in near]
        yield RowComparison(row, [one for some in runs for one in some])


def linux_lines(compared: Sequence[RowComparison], profile: str) -> list[tuple[object, ...]]:
    """Rows of the table that ships."""
    lines: list[tuple[object, ...]] = []
    for one in compared:
        row, verdicts = one.row, one.verdicts()
        (goodput, ours, _), (backlog, our_backlog, _) = verdicts["goodput_mbps"], verdicts["backlog_mean"]
        lines.append((
            "Linux 7.3.4", profile, KINDS.get(row["Q"], row["Q"]), row["CC"], row["ECN"],
            row["RATE"].removesuffix("mbit"), row["DELAY"].removesuffix("ms"), row["N"], f"{goodput:.4g}",
            f"{ours:.4g}", f"{backlog:.4g}", f"{our_backlog:.4g}",
        ))  # fmt: skip
    return lines


def ns3_lines(context: Context) -> Iterator[tuple[object, ...]]:
    """Rows of ns-3's dumbbells: the queue is its sojourn in ms."""
    for row in context.csv("ns3", "aqm_dumbbell.csv"):
        if row["aqm"] not in other_stacks.NS3_QUEUES or row["tcp"] not in other_stacks.NS3_CONTROLS:
            continue
        if row["ecn"] != "off" or row["recovery"] != "TcpPrrRecovery":
            continue
        result = dc.run(dc.Scenario.parse(other_stacks.ns3(row)), replications=3, jobs=1)
        runs = [other_stacks.ns3_numbers(dict(run)) for run in result.baseline.runs]
        ours = {name: statistics.fmean(run[name] for run in runs) for name in ("goodput_Mbps", "soj_mean_ms")}
        yield (
            "ns-3.37", "ns3", KINDS.get(row["aqm"], row["aqm"]), SENDERS[row["tcp"]], 0, 10, row["rtt_ms"], row["n"],
            f"{float(row['goodput_Mbps']):.4g}", f"{ours['goodput_Mbps']:.4g}", f"{float(row['soj_mean_ms']):.4g}",
            f"{ours['soj_mean_ms']:.4g}",
        )  # fmt: skip


def score(compared: Sequence[RowComparison]) -> str:
    """How many rows are within, and the share that a perfect copy would have."""
    if not compared:
        return "no row"
    rng = Random(1)
    copies = statistics.fmean(one.copy_is_within(rng) for one in compared for _ in range(20))
    within = sum(one.is_within for one in compared)
    share = 100 * within / len(compared)
    return f"{within} of {len(compared)} rows, {share:.0f} % (a perfect copy: {100 * copies:.0f} %)"


def page(compared: Sequence[RowComparison]) -> str:
    """The page of the kernel's rows: the shares that agree, those of a perfect copy, and every row."""
    verdicts = [one.verdicts() for one in compared]
    first = score([one for one in compared if one.test == "First"])
    further = [
        f"* {test} test, rows of the matrix from {number} on, recorded before any of their results was looked at: "
        f"{score([one for one in compared if one.test == test])}."
        for test, number in FRESH.items()
    ]
    text = [
        "# Agreement with a Linux kernel, row by row", "",
        "Each row is one configuration (queue, congestion control, rate, round-trip time, number of flows) that ran in",
        "a Linux kernel and here. A cell holds the kernel's number, then ours; signals are drops and marks together.",
        "",
        "A row is within if goodput, mean queue and signals differ by no more than 5 % or the 95 % interval of the",
        "difference, which counts up to a quarter of the value; one packet of queue and five signals are always",
        "allowed. Both run over the same round trips: a drawn row has two of them, 1 ms apart. Not even",
        "a perfect copy would have all rows within, since a mean of two runs scatters: its share is how often two of",
        "our own runs agree with our others.",
        "", f"* First test, rows with which the senders were developed: {first}.",
        *further, "",
        "Rows named `draw` and `matrix` are drawn: number n is the same configuration on every machine. The matrix has",
        "every queue with every sender; `make record-linux` records its next rows with the kernel in virtual time. The",
        "others are those of the reference and of the pages of the controls.",
        "*Sources*: `validation/agree/data/README.md`.", "",
        "| row | goodput (Mbit/s) | queue (kB) | signals | within |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for one, verdict in zip(compared, verdicts, strict=True):
        apart = ", ".join(name.split("_")[0] for name, (_, _, ok) in verdict.items() if not ok)
        pairs = [
            verdict["goodput_mbps"][:2],
            tuple(x / 1000 for x in verdict["backlog_mean"][:2]),
            verdict["signals"][:2],
        ]
        cells = " | ".join(f"{there:.4g}, {here:.4g}" for there, here in pairs)
        text.append(f"| {one.name} | {cells} | {'yes' if not apart else 'not ' + apart} |")
    return "\n".join(text) + "\n"


def main() -> None:
    """Writes the table and the page."""
    context = Context(reference=reference())
    if context.reference is None:
        raise SystemExit("coverage: needs the reference; set DROPCURVE_REFERENCE to its folder")
    rows = linux_rows(context)
    compared = list(compare(rows, other_stacks.linux))
    coarse = list(compare(rows, coarsely))
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEAD)
        writer.writerows(linux_lines(compared, "linux-7.3"))
        writer.writerows(linux_lines(coarse, "linux"))
        writer.writerows(ns3_lines(context))
    PAGE.write_text(wrap_markdown(page(compared)), encoding="utf-8")


if __name__ == "__main__":
    main()
