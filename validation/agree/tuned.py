"""Recommendations of `dropcurve tune` for links with the senders and the RED of ns-2, run in both simulators.

`solve` tunes RED for a link, then runs the recommendation and the defaults under fresh seeds at fresh conditions, here
and in ns-2.35 by `ns2/dumbbell.tcl`. `tuned_page` does it for every link and writes the page. Needs ``ns``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from dropcurve.metrics import statistics
from dropcurve.metrics.statistics import Interval
from dropcurve.quantities import units
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import build
from dropcurve.runs.sweeping.run_table import RunTable
from dropcurve.scenario import Scenario
from dropcurve.tuning.bench import Bench, PairedTrial
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.effort import Budget
from dropcurve.tuning.link import Link, times
from dropcurve.tuning.link_question import of_link
from dropcurve.tuning.question import Question
from dropcurve.tuning.search import Search

from . import live
from .context import Context

#: Runs of each search.
RUNS = 400
#: Fresh replications of a link, and conditions of each.
REPLICATIONS, CONDITIONS = 5, 4
#: Where fresh seeds begin.
FRESH = 2_000_000


@dataclass(frozen=True)
class TunedLink:
    """A link. A queued packet costs 0.6 points of utilisation at every rate."""

    rate: str
    rtt: str
    flows: str
    buffer: str

    @property
    def weight(self) -> float:
        """Points of utilisation that a millisecond of mean delay costs."""
        return 0.05 * units.rate(self.rate) / 1e6

    @property
    def title(self) -> str:
        """In words."""
        rate = units.show_rate(units.rate(self.rate))
        return f"{rate}, round trip {self.rtt}, {self.flows} flows, buffer {self.buffer}"

    @property
    def goal(self) -> str:
        """Text as `tune` takes it."""
        return f"max utilisation - {self.weight:g} * mean delay"

    def question(self) -> Question:
        """Question to `tune`."""
        asked = of_link(
            rate=self.rate, rtt=self.rtt, flows=self.flows, buffer=self.buffer, goal=self.goal,
            candidates=["red:ns2_explicit"],
        )  # fmt: skip
        return replace(asked, link=Ns2Link(units.packets(self.buffer, packet_bytes=1500)))


#: None of them is an example of the documentation or of the tests.
CASES = (
    TunedLink("2Mbit", "40-160ms", "2-10", "50pkts"),
    TunedLink("3Mbit", "20-60ms", "3-12", "40pkts"),
    TunedLink("5Mbit", "30-90ms", "4-20", "80pkts"),
    TunedLink("12Mbit", "20-60ms", "5-40", "150pkts"),
    TunedLink("25Mbit", "50-150ms", "10-60", "300pkts"),
    TunedLink("60Mbit", "15-45ms", "8-50", "400pkts"),
    TunedLink("1.5Mbit", "60-120ms", "2-8", "30pkts"),
    TunedLink("4Mbit", "10-40ms", "6-24", "100pkts"),
    TunedLink("8Mbit", "80-200ms", "4-16", "120pkts"),
)


class Ns2Link(Link):
    """A link whose long flows send as ns-2.35's ``Sack1``, on the paths that `dumbbell.tcl` builds."""

    def scenario(self, condition: Mapping[str, float]) -> Scenario:
        """The scenario at a condition."""
        scenario = super().scenario(condition)
        near = str(scenario.get("dumbbell.access_delay")).replace("uniform", "even")
        return scenario.edit([("dumbbell.access_delay", near), ("dumbbell.access_queue", "5000 pkts")])

    def _tcp(self) -> str:
        return 'transport = "tcp"\nprofile = "ns2-2.35"\nrecovery = "sack1"\nmss = "1460 B"\nwindow = 10000'


@dataclass(frozen=True)
class RivalDesign:
    """A design in both languages: a candidate here, variables of the script there."""

    candidate: Candidate
    settings: dict[str, str]


def rivals(case: TunedLink, best: Candidate) -> list[RivalDesign]:
    """The recommendation, and the designs it is compared with."""
    size = units.packets(case.buffer, packet_bytes=1500)
    limit = f"{size:g} pkts"
    base = {"dialect": "ns2_explicit", "limit": limit}
    designs = [
        RivalDesign(replace(best, name="tuned"), red(best.params)),
        RivalDesign(
            Candidate("tail drop", "droptail", {"dialect": "ns2", "limit": limit}), {"aqm": "DropTail"}
        ),
    ]
    for name, params in (
        ("RED of 1993", {"min_th": "5 pkts", "max_th": "15 pkts", "max_p": 0.02, "w_q": 0.002}),
        (
            "Floyd's rules",
            {"min_th": "5 pkts", "max_th": "15 pkts", "max_p": 0.1, "w_q": 0.002, "above_max": "gentle"},
        ),
    ):
        both = {**base, **params}
        if units.packets("15 pkts", packet_bytes=1500) < size:
            designs.append(RivalDesign(Candidate(name, "red", both), red(both)))
    automatic = {
        "aqm": "RED",
        "minth": "0",
        "maxth": "0",
        "wq": "0",
        "maxp": "0.1",
        "gentle": "true",
        "wait": "true",
    }
    own = {"dialect": "ns2", "limit": limit, "mean_packet": "1500 B"}
    designs.append(
        RivalDesign(Candidate("ns-2's defaults", "red", own), {**automatic, "bytes": "true", "qib": "true"})
    )
    designs.append(RivalDesign(Candidate("Adaptive RED", "ared", own), {**automatic, "adaptive": "1"}))
    return designs


def red(params: Mapping[str, object]) -> dict[str, str]:
    """RED in packets, as the script takes it."""
    low, high = (f"{units.packets(str(params[name]), packet_bytes=1500):g}" for name in ("min_th", "max_th"))
    gentle = "true" if params.get("above_max") == "gentle" else "false"
    law = {"maxp": f"{params['max_p']:.17g}", "wq": f"{params['w_q']:.17g}", "gentle": gentle, "wait": "true"}
    return {"aqm": "RED", "minth": low, "maxth": high, **law}


def path(condition: Mapping[str, float], buffer_pkts: float) -> dict[str, str]:
    """The path and the load of a condition, as the script takes them: those that `tuning.link` makes."""
    rate, rtt_s, flows = condition["rate"], condition["rtt"], max(1, round(condition["flows"]))
    warmup, duration = times(rate, rtt_s)
    return {
        "rate": f"{rate / 1e6:.9g}Mb", "near": f"{rate / 1e5:.9g}Mb", "far": f"{rate / 1e5:.9g}Mb",
        "delay": f"{200 * rtt_s:.9g}ms", "nearlow": f"{0.2 * rtt_s:.9g}", "nearhigh": f"{0.3 * rtt_s:.9g}",
        "fardelay": f"{50 * rtt_s:.9g}ms", "from": f"{warmup:g}", "until": f"{duration:g}",
        "tcp": "Sack1", "sink": "TCPSink/Sack1", "sizes": "1500", "each": str(flows), "years": "2011",
        "window": "10000", "starts": f"{min(2.0, warmup / 2):g}", "meanpkt": "1500", "buf": f"{buffer_pkts:g}",
    }  # fmt: skip


def theirs(settings: Mapping[str, str], seed: int) -> dict[str, float]:
    """One run of ns-2: utilisation in per cent and mean delay in milliseconds."""
    values = live.once(settings, seed)
    return {"utilisation": 100 * values["util"], "sojourn_ms_mean": values["qdelay_ms"]}


def recorded_of(
    runs: Sequence[tuple[Mapping[str, str], int]], kept: Path, *, jobs: int
) -> list[dict[str, float]]:
    """Every run of ns-2, stored in a folder: an earlier one is not made again, even if our own build has changed."""
    context = Context(cache=kept)

    def one(pair: tuple[Mapping[str, str], int]) -> dict[str, float]:
        measured: dict[str, float] = context.cached(json.dumps(pair, sort_keys=True), lambda: theirs(*pair))
        return measured

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, runs))


@dataclass(frozen=True)
class MeasuredDesign:
    """A design in one simulator: measures, and the margin of the recommendation over it in points of the goal."""

    utilisation: Interval
    delay_ms: Interval
    margin: Interval | None


@dataclass(frozen=True)
class DesignLine:
    """A design in both."""

    name: str
    here: MeasuredDesign
    there: MeasuredDesign


@dataclass(frozen=True)
class TunedOutcome:
    """Outcome of a link."""

    case: TunedLink
    best: Candidate
    tried: int
    lines: tuple[DesignLine, ...]
    #: Of the core that ran it here.
    build: str


def fresh(question: Question) -> list[list[PairedTrial]]:
    """The trials of each replication, at conditions and under seeds that the search has not seen."""
    return [
        [
            PairedTrial.of(place, one, FRESH + 100 * number + place)
            for place, one in enumerate(question.fresh(CONDITIONS, seed=FRESH + number))
        ]
        for number in range(REPLICATIONS)
    ]


def solve(case: TunedLink, folder: Path, *, jobs: int) -> TunedOutcome:
    """Tunes a link and compares the recommendation with its rivals in both simulators."""
    question = case.question()
    bench = Bench(question, RunTable(folder / "runs", build()), Executor(jobs))
    bench.open()
    outcome = Search(bench, 1, Budget(RUNS)).go()
    best = outcome.finalists[0]
    if best.kind != "red":
        best = outcome.best_of["red"]
    replications = fresh(question)
    designs = rivals(case, best)
    bench.run((one.candidate, trial) for one in designs for trials in replications for trial in trials)
    size = units.packets(case.buffer, packet_bytes=1500)
    arguments = [
        ({**path(dict(trial.condition), size), **one.settings}, trial.seed)
        for one in designs
        for trials in replications
        for trial in trials
    ]
    recorded = iter(recorded_of(arguments, folder / "ns2", jobs=jobs))
    here = {
        one.candidate.name: [
            [bench.row(one.candidate, trial) or {} for trial in trials] for trials in replications
        ]
        for one in designs
    }
    there = {
        one.candidate.name: [[next(recorded) for _ in trials] for trials in replications] for one in designs
    }
    return TunedOutcome(
        case, best, outcome.looked.get(best.kind, 0), tuple(_lines(case, here, there)), build()
    )


Rows = Mapping[str, Sequence[Sequence[Mapping[str, float]]]]


def _lines(case: TunedLink, here: Rows, there: Rows) -> Iterator[DesignLine]:
    for name in here:
        yield DesignLine(name, _measured(case, here, name), _measured(case, there, name))


def _measured(case: TunedLink, rows: Rows, name: str) -> MeasuredDesign:
    def score(row: Mapping[str, float]) -> float:
        return row["utilisation"] - case.weight * row["sojourn_ms_mean"]

    def means(which: str, measure: str) -> list[float]:
        return [statistics.mean([row[measure] for row in trials]) for trials in rows[which]]

    gains = [
        statistics.mean([score(a) - score(b) for a, b in zip(tuned, other, strict=True)])
        for tuned, other in zip(rows["tuned"], rows[name], strict=True)
    ]
    return MeasuredDesign(
        statistics.t_interval(means(name, "utilisation")), statistics.t_interval(means(name, "sojourn_ms_mean")),
        None if name == "tuned" else statistics.t_interval(gains),
    )  # fmt: skip
