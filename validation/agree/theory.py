"""Against closed forms: TCP under random loss, queues in equilibrium, RED's spacing of drops, its average."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import dropcurve as dc

from .cases import AgreementCase, Area, Figure
from .context import Context
from .means import student

TITLE = "Theory"
METHOD = (
    "TCP: one flow, 100 ms, random loss, no queue; Mathis 1997 within 15 % where losses are rare, PFTK 1998 "
    "within 30 %, which is what its authors found. Queues: M/M/1, M/D/1 and M/M/1/10 within one and a half "
    "times the 95 % interval of the runs or 3 %. RED: mean spacing of drops at a constant p_b within 3 % of "
    "the law's; its average, as a queue fills and stays full, within 2 % of the recursion."
)
RTT_S = 0.1
RTO_S = 0.4
SEGMENT = 1460

LOSSY = """\
[run]
duration = "{seconds} s"
warmup = "20 s"

[dumbbell]
rate = "10 Gbit/s"
delay = "50 ms"
access_rate = "0 bit/s"
access_delay = "0 s"
exit_delay = "0 s"
loss = {p}

[queue]
kind = "droptail"
limit = "100000 pkts"

[flows.tcp]
recovery = "{recovery}"
ack_every = 1
min_rto = "400 ms"
"""

SPACED = """\
[run]
duration = "200 s"
warmup = "20 s"
max_memory = "4000000000 B"

[dumbbell]
rate = "1 Mbit/s"
delay = "1 ms"
access_rate = "0 bit/s"
access_delay = "0 s"

[queue]
kind = "red"
limit = "1000000 pkts"
min_th = "1 pkts"
max_th = "2 pkts"
max_p = 0.02
w_q = 0.5
above_max = "capped"
spacing = "{spacing}"

[flows.udp]
transport = "udp"
source = "poisson"
rate = "4 Mbit/s"
packet = "500 B"
"""

#: Mean distance of drops at p_b = 0.02, by law.
SPACINGS = {"pseudocode": 25.0, "text": 25.5, "wait": 74.5, "double": 50.0, "geometric": 50.0, "cycle": 25.5}

FILLED = """\
[run]
duration = "10 s"
warmup = "0 s"
sample = "10 ms"

[dumbbell]
rate = "1 Mbit/s"
delay = "1 ms"
access_rate = "0 bit/s"
access_delay = "0 s"

[queue]
kind = "red"
limit = "50 pkts"
min_th = "900 pkts"
max_th = "1000 pkts"
w_q = 0.002

[flows.udp]
transport = "udp"
source = "cbr"
rate = "20 Mbit/s"
packet = "500 B"
"""


def compare(context: Context) -> Area:
    """All closed forms."""
    cases = tcp(context)
    if not context.quick:
        cases += queues(context) + spacings(context)
    return Area("theory", TITLE, "closed forms", METHOD, [*cases, average()])


def mathis(p: float) -> float:
    """Bytes a second, sqrt(3/2) without delayed acknowledgements."""
    return math.sqrt(1.5) * SEGMENT / (RTT_S * math.sqrt(p))


def pftk(p: float) -> float:
    """Bytes a second with timeouts (Padhye, Firoiu, Towsley, Kurose 1998), one acknowledgement a segment."""
    timeouts = RTO_S * min(1.0, 3 * math.sqrt(3 * p / 8)) * p * (1 + 32 * p * p)
    return SEGMENT / (RTT_S * math.sqrt(2 * p / 3) + timeouts)


def goodput(run: dict[str, Any]) -> dict[str, float]:
    """Bytes a second of the first flow."""
    return {"goodput": run["flows"][0]["goodput_bytes"] / (run["simulated_s"] - run["warmup_s"])}


def tcp(context: Context) -> list[AgreementCase]:
    """Throughput at several loss rates."""
    rates = (0.01,) if context.quick else (0.0005, 0.002, 0.005, 0.01, 0.02, 0.05)
    cases = []
    for recovery in ("newreno", "sack"):
        for p in rates:
            context.log(f"theory, {recovery} at p = {p}")
            text = LOSSY.format(seconds=220 if context.quick else 620, p=p, recovery=recovery)
            runs = context.runs(dc.Scenario.parse(text), 4 if context.quick else 8, goodput)
            ours = float(np.mean([run["goodput"] for run in runs]))
            figures = [Figure("PFTK, B/s", pftk(p), ours, 0.3 * pftk(p))]
            if p <= 0.002:
                figures.append(Figure("Mathis, B/s", mathis(p), ours, 0.15 * mathis(p)))
            cases.append(AgreementCase(f"{recovery}, p = {p:g}", tuple(figures)))
    return cases


def queues(context: Context) -> list[AgreementCase]:
    """Poisson arrivals at load 0.8, packets of 4 ms."""
    lost = 0.2 * 0.8**10 / (1 - 0.8**11)
    known: dict[str, tuple[str, float, Callable[[dict[str, Any]], float]]] = {
        "mm1": ("mean queueing delay, ms", 16.0, lambda link: float(link["sojourn_ms"]["mean"])),
        "md1": ("mean queueing delay, ms", 8.0, lambda link: float(link["sojourn_ms"]["mean"])),
        "mm1k": ("share lost", lost, lambda link: float(link["overflow_pkts"] / link["arrived_pkts"])),
    }
    cases = []
    for name, (what, value, of) in known.items():
        context.log(f"theory, {name}")
        wanted = partial(single, of)
        runs = context.runs(dc.Scenario.load(name), 10, wanted)
        values = [run["x"] for run in runs]
        half = student(len(values) - 1) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
        cases.append(
            AgreementCase(
                name.upper(), (Figure(what, value, float(np.mean(values)), max(1.5 * half, 0.03 * value)),)
            )
        )
    return cases


def single(of: Callable[[dict[str, Any]], float], run: dict[str, Any]) -> dict[str, float]:
    """One number of the bottleneck."""
    return {"x": of(run["links"]["bottleneck"])}


def spacings(context: Context) -> list[AgreementCase]:
    """Share of packets dropped at a constant probability, for each law of spacing."""
    cases = []
    for spacing, mean in SPACINGS.items():
        context.log(f"theory, spacing {spacing}")
        runs = context.runs(dc.Scenario.parse(SPACED.format(spacing=spacing)), 4, dropped)
        ours = 1 / float(np.mean([run["share"] for run in runs]))
        cases.append(
            AgreementCase(
                f"RED spacing, {spacing}", (Figure("mean spacing, packets", mean, ours, 0.03 * mean),)
            )
        )
    return cases


def dropped(run: dict[str, Any]) -> dict[str, float]:
    """Share of arrivals dropped early."""
    link = run["links"]["bottleneck"]
    return {"share": (link["early_pkts"] + link["forced_pkts"]) / link["arrived_pkts"]}


def average() -> AgreementCase:
    """RED's average as a queue fills and then stays full: the recursion, with one service every 20 arrivals."""
    series = dc.trace(dc.Scenario.parse(FILLED)).series
    time_s, avg = series.select("avg", "bottleneck")
    moments = {500: 0.1, 1000: 0.2, 2500: 0.5}
    figures, law, waiting = [], 0.0, 0
    for arrival in range(2501):
        if arrival in moments:
            moment = moments[arrival]
            ours = float(avg[int(np.searchsorted(time_s, moment - 1e-9))])
            figures.append(Figure(f"avg at {moment:g} s", law, ours, 0.02 * law))
        waiting -= int(arrival % 20 == 0 and arrival > 0)
        law += 0.002 * (waiting - law)
        waiting += int(arrival > 0 and waiting < 50)
    return AgreementCase("RED average while a queue fills to 50 and stays full", tuple(figures))
