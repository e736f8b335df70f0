"""The winners of drawn links in ns-3: the same queue under ns-3's own senders, against rules of thumb.

`agree/ns3/dumbbell.cc` runs NewReno flows at held-out conditions over the recommendation and over rules of thumb from
the bound. Half of the links are drawn with Reno for this: CUBIC of ns-3.37 is no reference, as six flows of it keep a
delay of 100 ms over CoDel with a target of 10 ms. Links with short flows or UDP, which that program does not have, and
fast ones are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from dropcurve.metrics import statistics
from dropcurve.metrics.statistics import PairedDifference
from dropcurve.quantities import units
from dropcurve.tuning.bench import Bench, PairedTrial
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.delay_bounds import bound_s
from dropcurve.tuning.link import times
from dropcurve.tuning.search_space import Params
from dropcurve.verdict import MARGIN_POINTS

from ..agree import live_ns3
from ..agree.context import Context
from .links import DrawnLink

#: Fastest link that is run in ns-3, in bit/s.
FASTEST = 50e6
#: Conditions, each under one seed, and where those seeds begin.
CONDITIONS, SEED = 8, 7_500_000
#: Measures here, and their names in ns-3's program.
UTILISATION = "utilisation"
#: Default interval of CoDel, in seconds.
INTERVAL_S = 0.1


@dataclass(frozen=True)
class ConfirmedDesign:
    """A design in both simulators: utilisation (%), the worst p95 delay over the bound, and the difference of its
    utilisation in ns-3 from that of the recommendation in points (None for that itself)."""

    name: str
    here: float
    there: float
    worst_here: float
    worst_there: float
    ahead: PairedDifference | None


@dataclass(frozen=True)
class Confirmation:
    """Designs of a link in ns-3, the recommendation first."""

    designs: tuple[ConfirmedDesign, ...]

    @property
    def beaten(self) -> bool:
        """Whether a rule of thumb is better there by more than the margin and the interval, with a delay within the
        bound or no longer than that of the recommendation."""
        best, *rivals = self.designs
        return any(
            one.worst_there <= max(1.0, best.worst_there)
            and one.ahead is not None
            and one.ahead.mean > max(MARGIN_POINTS, one.ahead.half_width or 0.0)
            for one in rivals
        )


def suits(link: DrawnLink, best: Candidate) -> bool:
    """Whether ns-3's program has the traffic of a link, the discipline of a design, and the time for both."""
    plain = link.udp is None and link.short is None and link.tcp == "reno"
    return plain and units.rate(link.rate) <= FASTEST and best.kind_as_loaded in DISCIPLINES


def confirm(link: DrawnLink, bench: Bench, best: Candidate, kept: Path, jobs: int) -> Confirmation | None:
    """The recommendation and the rules of thumb in both simulators; None if they cannot be run in ns-3."""
    if live_ns3.lacking() or not suits(link, best):
        return None
    trials = [
        PairedTrial.of(place, one, SEED + place)
        for place, one in enumerate(bench.question.fresh(CONDITIONS, seed=SEED))
    ]
    designs = [best, *_rules(bench)]
    bench.run((one, trial) for one in designs for trial in trials)
    context = Context(cache=kept)
    pairs = [(one, trial) for one in designs for trial in trials]
    with ThreadPoolExecutor(jobs) as pool:
        rows = list(pool.map(lambda pair: _there(context, link, *pair), pairs))
    bound = bench.question.goal.constraints[0]
    confirmed: list[ConfirmedDesign] = []
    first: list[float] = []
    for number, one in enumerate(designs):
        theirs = rows[number * len(trials) : (number + 1) * len(trials)]
        shares = [100.0 * row["util"] for row in theirs]
        first = first or shares
        here = [_known(bench, one, trial, UTILISATION) for trial in trials]
        delays = [_known(bench, one, trial, bound.measure.key) for trial in trials]
        confirmed.append(
            ConfirmedDesign(
                one.name, statistics.mean(here), statistics.mean(shares), max(delays) / bound.bound,
                max(row["soj_p95_ms"] for row in theirs) / bound.bound,
                statistics.paired(shares, first) if number else None,
            )
        )  # fmt: skip
    return Confirmation(tuple(confirmed))


def _known(bench: Bench, candidate: Candidate, trial: PairedTrial, measure: str) -> float:
    """A measure of a run, which has to have a value."""
    value = bench.value(candidate, trial, measure)
    assert value is not None, f"a run of {candidate.queue} has no {measure}"
    return value


def _rules(bench: Bench) -> list[Candidate]:
    """Rules of thumb from the bound alone: tail drop, PIE and FQ-CoDel."""
    question = bench.question
    bound = bound_s(question.goal, question.sizing)
    assert bound is not None, "drawn links have a bound on the delay"
    limit = f"{question.sizing.buffer_pkts:g} pkts"
    least = max(1500, round(0.95 * bound * question.sizing.capacity * 1500))
    ecn = {"ecn": question.sizing.ecn}
    target_s = 0.35 * bound
    # CoDel takes no target as long as its interval: the longest round trip replaces the default of 100 ms there.
    longer = (
        {}
        if target_s < INTERVAL_S
        else {"interval": units.show_span(max(question.sizing.rtt_s, 2.0 * target_s))}
    )
    candidates = [
        Candidate("tail drop at 0.95 of the bound", "droptail", {"limit": f"{least} B"}),
        Candidate("PIE at 0.45", "pie", {"limit": limit, "target": f"{450 * bound:.4g} ms", **ecn}),
        Candidate(
            "FQ-CoDel at 0.35",
            "fq_codel",
            {"limit": limit, "target": f"{1e3 * target_s:.4g} ms", **longer, **ecn},
        ),
    ]
    first = PairedTrial.of(0, question.middle(), SEED)
    return [one for one in candidates if bench.usable(one, first)]


def _there(context: Context, link: DrawnLink, candidate: Candidate, trial: PairedTrial) -> dict[str, float]:
    """One run of ns-3."""
    condition = dict(trial.condition)
    rate, rtt = condition["rate"], condition["rtt"]
    kind, attributes = DISCIPLINES[candidate.kind_as_loaded]
    settings = ",".join(
        f"{name}={value}" for name, value in attributes(candidate.params_as_loaded, rate, link.ecn).items()
    )
    warmup, duration = times(rate, rtt)
    words = (
        "--control=TcpNewReno", f"--disc=ns3::{kind}", f"--set={settings}",
        f"--flows={max(1, round(condition['flows']))}",
        f"--rate={rate:.0f}", f"--rtt={rtt:.9g}", "--near=0.2", "--nearmost=0.3", "--far=0.05",
        f"--starts={min(2.0, warmup / 2):g}", f"--from={warmup:g}", f"--until={duration:g}",
        f"--seed={trial.seed - SEED + 1}",
        "--ns3::TcpSocketBase::MinRto=200ms", *(("--ns3::TcpSocketBase::UseEcn=On",) if link.ecn else ()),
    )  # fmt: skip
    text = live_ns3.output(context, "dumbbell", *words)
    return {key: float(value) for key, _, value in (word.partition("=") for word in text.split())}


def _size(params: Params) -> str:
    """A limit as ns-3 writes it: ``200p``, ``30000B``."""
    value, unit = str(params["limit"]).split()
    return f"{value}{'B' if unit == 'B' else 'p'}"


def _span(params: Params, name: str, default: str) -> str:
    return str(params.get(name, default)).replace(" ", "")


def _droptail(params: Params, rate: float, ecn: bool) -> dict[str, str]:
    return {"MaxSize": _size(params)}


def _codel(params: Params, rate: float, ecn: bool) -> dict[str, str]:
    return {
        "MaxSize": _size(params), "Target": _span(params, "target", "5ms"),
        "Interval": _span(params, "interval", "100ms"), "UseEcn": str(ecn).lower(),
    }  # fmt: skip


def _pie(params: Params, rate: float, ecn: bool) -> dict[str, str]:
    return {
        "MaxSize": _size(params), "QueueDelayReference": _span(params, "target", "15ms"),
        "Tupdate": _span(params, "t_update", "15ms"), "A": f"{params.get('alpha', 0.125)}",
        "B": f"{params.get('beta', 1.25)}",
        "MeanPktSize": "1500", "UseEcn": str(ecn).lower(),
    }  # fmt: skip


def _red(params: Params, rate: float, ecn: bool) -> dict[str, str]:
    low, high = (units.packets(str(params[name]), packet_bytes=1500) for name in ("min_th", "max_th"))
    return {
        "MaxSize": _size(params), "MinTh": f"{low:g}", "MaxTh": f"{high:g}", "LInterm": f"{1 / params['max_p']:.9g}",
        "QW": f"{params['w_q']:.9g}", "Gentle": str(params.get("above_max") == "gentle").lower(), "MeanPktSize": "1500",
        "LinkBandwidth": f"{rate:.0f}bps", "UseEcn": str(ecn).lower(), "UseHardDrop": str(not ecn).lower(),
    }  # fmt: skip


#: Disciplines of ns-3 by ours: their type, and their attributes from our parameters, the rate and ECN.
DISCIPLINES: Mapping[str, tuple[str, Callable[[Params, float, bool], dict[str, str]]]] = {
    "droptail": ("FifoQueueDisc", _droptail), "codel": ("CoDelQueueDisc", _codel),
    "cobalt": ("CobaltQueueDisc", _codel), "fq_codel": ("FqCoDelQueueDisc", _codel),
    "pie": ("PieQueueDisc", _pie), "red": ("RedQueueDisc", _red),
}  # fmt: skip
