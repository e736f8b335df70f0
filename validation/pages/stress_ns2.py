"""The low-rate attack on TCP in ns-2 and here, packet by packet.

    python -m validation.pages.stress_ns2

One transfer with a minimum RTO of 1 s against pulses of 300 % of the link for 150 ms (Kuzmanovic and Knightly 2003),
by the period of the pulses. Transfer and pulses start at the same drawn times in both simulators. Writes
``stress-ns2.json``. Needs ns-2 (Debian: ns2).
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import dropcurve as dc
from dropcurve import metrics
from validation.agree.live import available, run_program

#: Rows of the table, for `stress`, which writes them into its page.
RECORD = Path(__file__).with_name("stress-ns2.json")
PERIODS_S = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.6, 2.0, 2.4, 3.0)
#: Pairs of starts for each period.
RUNS = 10
WIDTH_S = 0.15
END_S = 43.0
#: From the sender to the queue: 12 ms, and 1500 B at 1 Gbit/s.
TO_QUEUE_NS = 12_012_000

#: The network of ``ns2/pulses.tcl``. Packets of the transfer arrive as others depart, and the clock of ns-2 decides.
NETWORK = """\
[run]
duration = "43 s"
warmup = "3 s"
clock = "doubles"

[dumbbell]
rate = "4 Mbit/s"
delay = "18 ms"
access_rate = "1 Gbit/s"
access_delay = "12 ms"
exit_rate = "1 Gbit/s"
exit_delay = "0 s"

[queue]
kind = "droptail"
dialect = "ns2"
limit = "20 pkts"

[back_queue]
kind = "droptail"
limit = "1000 pkts"

[flows.transfer]
profile = "ns2-2.35"
recovery = "sack1"
mss = "1460 B"
window = 10000
initial_window = 10
min_rto = "1 s"
start = "{start} s"
"""
PULSE = """
[flows.pulse_{number}]
transport = "udp"
source = "cbr"
rate = "12 Mbit/s"
packet = "1000 B"
rate_of = "wire"
start = "{start:.6f} s"
stop = "{stop:.6f} s"
"""

#: Segments of the transfer that arrive at the queue, and those that it drops, each in order.
Segments = tuple[list[int], list[int]]


def ours(period_s: float, start_s: float, first_s: float) -> tuple[Segments, float]:
    """Segments of the transfer, and its goodput in bit/s."""
    count = 1 + int((END_S - first_s) // period_s)
    starts = [first_s + number * period_s for number in range(count)]
    pulses = [
        PULSE.format(number=number, start=start, stop=start + WIDTH_S) for number, start in enumerate(starts)
    ]
    trace = dc.trace(dc.Scenario.parse(NETWORK.format(start=start_s) + "".join(pulses)))
    sent: list[int] = []
    dropped: list[int] = []
    for row in trace.rows("send", "drop"):
        sends, ns = trace.words[trace.what[row]] == "send", int(trace.time_ns[row])
        at_queue = ns + TO_QUEUE_NS if sends else ns
        if trace.flow[row] == 0 and not trace.back[row] and at_queue < END_S * 1e9:
            (sent if sends else dropped).append(int(trace.seq[row]))
    goodput = metrics.value(trace.summary, "goodput_bps", scope="transfer")
    assert goodput is not None
    return (sent, dropped), goodput


def theirs(period_s: float, start_s: float, first_s: float) -> Segments:
    """Segments of the transfer in ns-2."""
    options = {"period": period_s, "width": WIDTH_S, "start": start_s, "first": first_s, "until": END_S}
    lines = run_program("pulses.tcl", *(f"{word}" for pair in options.items() for word in pair)).split("\n")
    words = [line.split() for line in lines if " tcp " in line]
    arrived, dropped = ([int(one[10]) for one in words if one[0] == letter] for letter in "+d")
    return arrived, dropped


def rows() -> list[str]:
    """Rows of a Markdown table: period, goodput, runs with the same packets in both."""
    lines = ["| period | goodput [kbit/s] | least and most | runs equal to the packet |", "|---|---|---|---|"]
    starts = random.Random(2003)
    for period in PERIODS_S:
        goodputs, equal = [], 0
        for _ in range(RUNS):
            start, first = round(starts.uniform(0, 1), 3), round(starts.uniform(0, period), 3)
            segments, goodput = ours(period, start, first)
            goodputs.append(goodput / 1e3)
            equal += segments == theirs(period, start, first)
        mean = sum(goodputs) / RUNS
        lines.append(
            f"| {period:g} s | {mean:.0f} | {min(goodputs):.0f} to {max(goodputs):.0f} | {equal} of {RUNS} |"
        )
    return lines


if __name__ == "__main__":
    assert available(), "ns-2 is needed (Debian: ns2)"
    RECORD.write_text(json.dumps(rows(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
