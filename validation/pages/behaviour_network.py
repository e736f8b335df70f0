"""The network, the traffic and the questions that the rows of `behaviour.py` are made of."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import dropcurve as dc
from dropcurve import studies as st

#: 10 Mbit/s; round trips of 44 to 64 ms without the queue; packets of 1500 bytes.
NETWORK = """\
title = "What it is known for"

[run]
duration = "40 s"
warmup = "10 s"

[dumbbell]
rate = "10 Mbit/s"
delay = "20 ms"
access_rate = "1 Gbit/s"
access_delay = "even 1 ms to 11 ms"
exit_delay = "1 ms"
"""
#: A call in 80 kbit/s.
VOICE = """
[flows.voice]
transport = "udp"
source = "cbr"
rate = "80 kbit/s"
packet = "200 B"
jitter = 0.5
"""
TAIL = 'kind = "droptail"\nlimit = "100 pkts"'
DEEP = 'limit = "200 pkts"'
#: RED where a row compares with it: thresholds 5 and 15, max_p 0.1, gentle.
RED = 'kind = "red"\nlimit = "100 pkts"\nmax_p = 0.1\nabove_max = "gentle"'


@dataclass(frozen=True)
class NetworkRow:
    """A published property of a discipline: its source, the scenario in words, its cells, and the expected ranges."""

    kind: str
    claim: str
    source: str
    scenario: str
    cells: Mapping[str, str]
    tests: tuple[st.Test, ...]


def tcp(count: int, name: str = "tcp", keys: str = "") -> str:
    """A group of transfers without end."""
    return f'\n[flows.{name}]\ncount = {count}\ntransport = "tcp"\nstart = "uniform 0 s to 2 s"\n{keys}\n'


def flood(mbit: float, name: str = "flood", keys: str = "") -> str:
    """Packets at random times, at the same rate whatever happens to them."""
    sizes = "" if "packet" in keys else 'packet = "1500 B"\n'
    return f'\n[flows.{name}]\ntransport = "udp"\nsource = "poisson"\nrate = "{mbit} Mbit/s"\n{sizes}{keys}\n'


def net(queue: str, *groups: str, mbit: int = 10) -> str:
    """The network under a queue, with groups of flows."""
    table = queue if "kind" in queue else f'kind = "{queue}"'
    return NETWORK.replace("10 Mbit/s", f"{mbit} Mbit/s") + f"\n[queue]\n{table}\n" + "".join(groups)


def far(text: str) -> str:
    """Returns the scenario with a path of 160 ms and more."""
    return text.replace('delay = "20 ms"', 'delay = "80 ms"')


def within(number: str, cell: str, low: float | None, high: float | None, unit: str = "") -> st.Test:
    """A number of a cell lies between two others."""
    return st.Test(
        f"{NAMES[number.split('@')[0]]}{_whose(number)}, {cell}", st.at(cell, number), low, high, unit
    )


def ratio(number: str, cell: str, other: str, low: float | None, high: float | None) -> st.Test:
    """A number of a cell over that of another."""
    label = f"{NAMES[number.split('@')[0]]}{_whose(number)}, {cell} / {other}"
    return st.Test(label, lambda cells: cells[cell][number] / cells[other][number], low, high)


def parts(number: str, cell: str, one: str, other: str, low: float | None, high: float | None) -> st.Test:
    """A number of one group over that of another in the same cell."""
    label = f"{NAMES[number]}, {one} / {other}, {cell}"
    return st.Test(
        label, lambda cells: cells[cell][f"{number}@{one}"] / cells[cell][f"{number}@{other}"], low, high
    )


def _whose(number: str) -> str:
    return f" of {number.split('@')[1]}" if "@" in number else ""


#: The metrics of the rows, and their names.
NAMES = {
    "utilisation": "utilisation", "loss": "drops", "overflow_loss": "overflow drops", "marks": "marks",
    "sojourn_ms_mean": "queueing delay", "queue_pkts_mean": "queue", "queue_pkts_sd": "deviation of the queue",
    "avg_pkts_mean": "average", "throughput_bps": "throughput", "flow_loss": "loss", "delay_ms_mean": "one-way delay",
    "delay_ms_p95": "95 % of one-way delays", "sync": "synchronisation",
}  # fmt: skip

OF_GROUPS = ("throughput_bps", "flow_loss", "delay_ms_mean", "delay_ms_p95")


def measure(run: dict[str, Any]) -> dict[str, float]:
    """Every number a row may ask for: of the link, and of each group as ``number@group``."""
    values = {name: dc.metrics.value(run, name) for name in NAMES if name not in OF_GROUPS}
    groups = sorted({flow["group"] for flow in run["flows"]})
    for group in groups:
        for name in OF_GROUPS:
            values[f"{name}@{group}"] = dc.metrics.value(run, name, scope=group)
    scale = {f"throughput_bps@{group}": 1e-6 for group in groups}
    return {name: math.nan if value is None else value * scale.get(name, 1) for name, value in values.items()}


ECN = "ecn = true"
MIDDLE = 'limit = "100 pkts"\nmin_th = "20 pkts"\nmax_th = "80 pkts"\nmax_p = 0.1'
L4S = 'profile = "l4s"'
CUBIC = 'cc = "cubic"'
