"""Accuracy of this machine's shaping and delays: the lab measured by itself, before its results are trusted.

At each rate a few greedy TCP flows keep a link busy; the kernel counts the bytes that reach the receiving host, over
wall-clock time. At each delay small datagrams cross an idle link; their delay runs from the sender's call to the
receiver's kernel time stamp.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..quantities import wording
from ..scenario import Scenario
from . import launch, measure
from . import plan as plans
from . import scratch as folders

RATES = ("10 Mbit/s", "100 Mbit/s", "500 Mbit/s", "1 Gbit/s")
DELAYS = ("0 ms", "5 ms", "50 ms")
#: Limits: error of the rate in per cent, median of the added delay in milliseconds.
MOST_ERROR, MOST_ADDED_MS = 1.0, 0.1
#: Seconds of a run, and of its warm-up.
SECONDS, WARMUP_S = 6.0, 2.0
#: A propagation round trip of 10 ms, and a buffer for twice as much, so that the link is never idle for lack of TCP's
#: window, but never less than a few packets for each flow.
RTT_S, LEAST_PKTS = 0.010, 30
RUN = """
[run]
duration = "{seconds:g} s"
warmup = "{warmup:g} s"
"""
BUSY = (
    RUN
    + """
[dumbbell]
rate = "{rate}"
delay = "3 ms"
access_rate = "0 bit/s"
access_delay = "1 ms"
[queue]
kind = "droptail"
limit = "{limit} pkts"
[flows.tcp]
count = 4
profile = "linux"
cc = "cubic"
"""
)
IDLE = (
    RUN
    + """
[dumbbell]
rate = "1 Gbit/s"
delay = "{delay}"
access_rate = "0 bit/s"
access_delay = "0 s"
exit_rate = "0 bit/s"
exit_delay = "0 s"
[queue]
kind = "droptail"
limit = "1000 pkts"
[flows.probe]
transport = "udp"
source = "cbr"
rate = "400 kbit/s"
packet = "100 B"
"""
)


@dataclass(frozen=True)
class RateRow:
    """One rate. ``received_bps`` is the rate at the receiving device, ``error`` its deviation in per cent."""

    rate: str
    received_bps: float
    error: float
    utilisation: float
    late_ms: dict[str, float]

    @property
    def holds(self) -> bool:
        """Whether rate and lateness are as asked for."""
        return abs(self.error) <= MOST_ERROR and self.late_ms["p99"] <= measure.TOO_LATE_MS


@dataclass(frozen=True)
class DelayRow:
    """One propagation delay, and percentiles of the excess delay of packets; ``jitter`` is p95 less p5."""

    delay: str
    added_ms: dict[str, float]
    packets: int

    @property
    def holds(self) -> bool:
        """Whether the median is as asked for."""
        return self.added_ms["p50"] <= MOST_ADDED_MS


@dataclass(frozen=True)
class Check:
    """Outcome of the check, and the machine it ran on."""

    machine: str
    rates: list[RateRow]
    delays: list[DelayRow]

    @property
    def holds(self) -> bool:
        """Whether all of it is as asked for."""
        return all(row.holds for row in self.rates) and all(row.holds for row in self.delays)

    def record(self) -> dict[str, Any]:
        """The check as JSON."""
        return {**asdict(self), "holds": self.holds}

    def __str__(self) -> str:
        rates: list[tuple[str, ...]] = [
            ("rate", "at the receiver", "error", "utilisation", "lateness p50", "p99", "max", "")
        ]
        for row in self.rates:
            late = [f"{row.late_ms[key]:.3f} ms" for key in ("p50", "p99", "max")]
            shown = wording.amount(row.received_bps, None, "bit/s")
            error = f"{row.error:+.2f} %".replace("-", "−")
            rates.append((row.rate, shown, error, f"{row.utilisation:.2f} %", *late, _sign(row.holds)))
        delays: list[tuple[str, ...]] = [("delay", "added p50", "p95", "p99", "jitter", "")]
        for one in self.delays:
            added = [f"{one.added_ms[key]:.3f} ms" for key in ("p50", "p95", "p99", "jitter")]
            delays.append((one.delay, *added, _sign(one.holds)))
        asked = (
            f"✓ rate within {MOST_ERROR:g} %, lateness p99 within {measure.TOO_LATE_MS:g} ms, added delay within "
            f"{MOST_ADDED_MS:g} ms (median)\nJitter is p95 less p5 of the added delay."
        )
        return "\n".join([self.machine, "", *_table(rates), "", *_table(delays), "", asked])


def check(
    rates: Sequence[str] = RATES, delays: Sequence[str] = DELAYS, log: Callable[[str], None] = lambda _: None
) -> Check:
    """Measures rate, lateness and added delay of the lab's path on this machine. Takes ten seconds a row.

    Raises DropcurveError if no lab can run here.
    """
    with folders.fresh("dropcurve-lab-") as scratch:
        number = 0

        def run(plan: plans.LabPlan) -> dict[str, Any]:
            nonlocal number
            number += 1
            folder = scratch.path / str(number)
            folder.mkdir()
            return launch.in_namespaces(plan, folder, scratch=scratch)

        measured, prompt = [], False
        for rate in rates:
            log(f"{rate}: {SECONDS:g} s of traffic")
            row, prompt = _rate(rate, run)
            measured.append(row)
        waits = []
        for delay in delays:
            log(f"{delay}: {SECONDS:g} s of datagrams")
            waits.append(_delay(delay, run))
    return Check(machine(prompt), measured, waits)


def machine(real_time: bool) -> str:
    """Describes the machine of the measurement, in a line."""
    priority = "real-time priority" if real_time else "ordinary priority (root gets real-time priority)"
    return (
        f"Linux {platform.release()}, {wording.count(os.cpu_count() or 1, 'processor')}, load "
        f"{os.getloadavg()[0]:.1f}; {priority}"
    )


def _rate(rate: str, run: Callable[[plans.LabPlan], dict[str, Any]]) -> tuple[RateRow, bool]:
    bps = plans.bits(rate)
    limit = max(LEAST_PKTS, round(2 * bps * RTT_S / 8 / 1500))
    text = BUSY.format(seconds=SECONDS, warmup=WARMUP_S, rate=rate, limit=limit)
    plan = plans.make(Scenario.parse(text, name="check"))
    raw = run(plan)
    values = measure.values(plan, raw)
    received, utilisation = values["received_bps"] or 0.0, values["utilisation"] or 0.0
    late = {key: values[f"late_ms_{key}"] or 0.0 for key in ("p50", "p99", "max")}
    return RateRow(rate, received, 100 * (received / bps - 1), utilisation, late), raw["stats"]["real_time"]


def _delay(delay: str, run: Callable[[plans.LabPlan], dict[str, Any]]) -> DelayRow:
    text = IDLE.format(seconds=SECONDS, warmup=WARMUP_S, delay=delay)
    plan = plans.make(Scenario.parse(text, name="check"))
    (flow,) = run(plan)["flows"]
    # Bytes on a wire of this rate take a moment, too.
    wire_us = plans.nanoseconds(delay) / 1e3 + 100 * 8 / 1e3
    added = sorted((one - wire_us) / 1e3 for one in flow["server"]["delays_us"])
    at = {f"p{p}": added[min(len(added) - 1, len(added) * p // 100)] for p in (5, 50, 95, 99)}
    return DelayRow(delay, {**at, "jitter": at["p95"] - at["p5"]}, len(added))


def _sign(holds: bool) -> str:
    return "✓" if holds else "✗"


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(
            text.ljust(width) if i == 0 else text.rjust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
