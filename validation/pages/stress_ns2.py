"""Throughput nulls of pulses in ns-2 compared with ours: the Tcl of a case that the stress search finds, run and
compared.

    python -m validation.pages.stress_ns2

The case is that of the low-rate attack (Kuzmanovic and Knightly 2003): one transfer with a minimum RTO of 1 s, pulses
of 150 % of the link for 150 ms. Writes ``stress-ns2.json``. Needs ns-2 (Debian: ns2).
"""

from __future__ import annotations

import json
from pathlib import Path

from dropcurve import metrics
from dropcurve.metrics import statistics
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import Job
from dropcurve.tuning.stress import link_of, traffic
from dropcurve.tuning.stress.bounds import parse
from validation.agree.live import available, run_program

#: Rows of the table, for `stress`, which writes them into its page.
RECORD = Path(__file__).with_name("stress-ns2.json")
PERIODS_S = (0.5, 0.7, 1.0, 1.4, 2.0, 2.4)
SEEDS = range(1, 11)
LINK = "4/4,rtt=60ms,buffer=60ms"
GIVEN = {
    "flows": "1", "rtt": "60 ms", "rtt_ratio": "1", "start": "1 s", "short": "0 %", "cbr": "0 %",
    "pulse_rate": "150 %", "pulse_width": "150 ms", "datagram": "1000 B", "senders": ["rfc"], "cc": "reno",
    "envelope_rate": "100 %",
}  # fmt: skip

#: The sender of ns-2 as `ns2/pulses.tcl` sets it.
SENDER = [
    ("flows.long.profile", "ns2-2.35"), ("flows.long.recovery", "sack1"), ("flows.long.window", 10000),
    ("flows.long.initial_window", 10), ("flows.long.min_rto", "1 s"), ("flows.long.mss", "1460 B"),
]  # fmt: skip


def ours(period_s: float) -> statistics.Interval:
    """Goodput of the transfer in this simulator, in bit/s."""
    link = link_of(LINK)
    within = parse({**GIVEN, "pulse_period": f"{period_s:g} s"}, rtt_s=0.06)
    case = traffic.enveloped({**within.mild(), "call": 0.0, "window": 40.0}, within, link)
    scenario = traffic.scenario(link, case).edit(SENDER)
    rates: list[float | None] = []
    Executor(1).records(
        [Job(scenario, seed) for seed in SEEDS], None,
        take=lambda _, run: rates.append(metrics.value(run.summary, "goodput_bps", scope="long")),
    )  # fmt: skip
    return statistics.t_interval(rates)


def theirs(period_s: float) -> statistics.Interval:
    """The same in ns-2."""
    runs = [run_program("pulses.tcl", "period", f"{period_s:g}", "seed", str(seed)) for seed in SEEDS]
    return statistics.t_interval([float(text) for text in runs])


def rows() -> list[str]:
    """Rows of a Markdown table: period, ours, ns-2's."""
    lines = ["| period | ours [Mbit/s] | ns-2.35 [Mbit/s] |", "|---|---|---|"]
    for period in PERIODS_S:
        cells = [
            f"{(one.mean or 0.0) / 1e6:.2f} ± {(one.half_width or 0.0) / 1e6:.2f}"
            for one in (ours(period), theirs(period))
        ]
        lines.append(f"| {period:g} s | {cells[0]} | {cells[1]} |")
    return lines


if __name__ == "__main__":
    assert available(), "ns-2 is needed (Debian: ns2)"
    RECORD.write_text(json.dumps(rows(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
