"""Scenarios of the matrix of queues and senders, and the cost of a packet in each.

A cell is a scenario. The bench `runs` executes it under valgrind, and counts the instructions after the warm-up.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# For each number of flows: simulated seconds, those of the warm-up among them, and runs of which the fastest counts: a
# busy machine slows single runs. The rate is a Mbit/s for each flow.
SIZES = {10: (10, 3, 30), 100: (3.5, 1.5, 10), 1000: (1.6, 1.2, 5)}

RED = 'min_th = "{low} pkts"\nmax_th = "{high} pkts"\nmax_p = 0.1\nabove_max = "gentle"'
QUEUES = {
    "droptail": "",
    "red": RED,
    "ared": "",
    "blue": "",
    "choke": "",
    "pi": 'q_ref = "{high} pkts"',
    "pie": "",
    "dualpi2": "",
    "codel": "",
    "cobalt": "",
    "sfb": "",
    "sfq": "",
    "drr": "",
    "fq_codel": "",
    "fq_pie": "",
    "cake": "",
}
SENDERS = {
    "newreno": 'recovery = "newreno"\nack_every = 1',
    "sack": 'recovery = "sack"\nack_every = 1',
    "cubic": 'cc = "cubic"',
    "cubic-ecn": 'cc = "cubic"\necn = true',
    "dctcp": 'cc = "dctcp"\necn = true',
    "vegas": 'cc = "vegas"',
    "westwood": 'cc = "westwood"',
    "prague": 'profile = "l4s"',
    "linux": 'profile = "linux"\ncc = "cubic"',
    "linux-7.3": 'profile = "linux-7.3"\ncc = "cubic"',
    "bbr": 'profile = "linux"\ncc = "bbr"',
    "bbr3": 'profile = "linux"\ncc = "bbr3"',
}
# Other traffic and other networks, with some of the queues and senders.
CASES = ("two-way", "web", "voice", "video", "chain", "graph", "loss", "varying")
CASE_QUEUES = ("droptail", "red", "pie", "codel", "fq_codel", "cake")
CASE_SENDERS = ("sack", "linux", "bbr")


class Cell(NamedTuple):
    """A combination: queue, sender, and the number of flows or the name of another case."""

    queue: str
    sender: str
    case: str

    @property
    def name(self) -> str:
        """Its three words."""
        return " ".join(self)


class Cost(NamedTuple):
    """Cost of a delivered packet."""

    instructions: float
    ns: float
    events: float


def cells() -> Iterator[Cell]:
    """All cells."""
    for size in SIZES:
        yield from (Cell(queue, sender, str(size)) for queue in QUEUES for sender in SENDERS)
    for case in CASES:
        yield from (Cell(queue, sender, case) for queue in CASE_QUEUES for sender in CASE_SENDERS)


def flows_of(cell: Cell) -> int:
    """The number of flows that sets a cell's rate and duration."""
    return int(cell.case) if cell.case.isdigit() else 10


def scenario(cell: Cell) -> str:
    """The text of a cell's scenario."""
    flows = flows_of(cell)
    seconds, warmup, _ = SIZES[flows]
    return scenario_of(cell, flows, seconds, warmup)


def scenario_of(cell: Cell, flows: int, seconds: float, warmup: float) -> str:
    """The text of a cell's scenario with this many flows, which lasts this many seconds, the warm-up among them."""
    mbps = flows
    buffer = mbps * 1_000_000 // 10 // 8 // 1500
    options = QUEUES[cell.queue].format(low=max(buffer // 8, 2), high=max(3 * buffer // 8, 6))
    queue = f'kind = "{cell.queue}"\nlimit = "{buffer} pkts"\n{options}\n'
    head = f'title = "cell"\n[run]\nduration = "{seconds} s"\nwarmup = "{warmup} s"\n'
    return head + network(cell.case, mbps, queue) + traffic(cell.case, flows, SENDERS[cell.sender])


def network(case: str, mbps: int, queue: str) -> str:
    """The links of a case, the queue at those that are congested."""
    wire = f'rate = "{mbps} Mbit/s"\ndelay = "10 ms"\n'
    access = f'access_rate = "{10 * mbps} Mbit/s"\naccess_delay = "even 0.5 ms to 20 ms"\n'
    if case == "chain":
        return f"[chain]\nhops = 4\n{wire}{access}[queue]\n{queue}"
    if case == "graph":
        pairs = ["s a", "a b", "a c", "b c", "b d", "c d", "c e", "d e", "e t", "d t"]
        return "".join(graph_link(pair, place, wire, queue) for place, pair in enumerate(pairs))
    if case == "loss":
        access += 'loss = 0.002\njitter = "uniform 0 ms to 4 ms"\n'
    if case == "varying":
        # About 10 Mbit/s: now fast, now slow.
        moments = [*range(1, 40), *range(40, 60, 2), *range(60, 120)]
        access += f"opportunities_ms = {moments}\n"
    return f"[dumbbell]\n{wire}{access}[queue]\n{queue}"


def graph_link(pair: str, place: int, wire: str, queue: str) -> str:
    """A link of the graph, in both directions; its delay distinguishes it from the others."""
    one, other = pair.split()
    wire = wire.replace("10 ms", f"{3 + place % 4} ms")
    return f'[links.{one}{other}]\nfrom = "{one}"\nto = "{other}"\n{wire}[links.{one}{other}.queue]\n{queue}'


def traffic(case: str, flows: int, keys: str) -> str:
    """The groups of flows of a case."""

    def group(name: str, count: int, *more: str) -> str:
        return "\n".join(
            [f"[flows.{name}]", f"count = {count}", 'start = "uniform 0 s to 1 s"', keys, *more, ""]
        )

    if case == "two-way":
        return group("tcp", flows) + group("back", flows, "reverse = true")
    if case == "web":
        web = 'source = "http"\nsize = "pareto 12 kB shape 1.3"\nthink = "exponential 300 ms"'
        return group("tcp", 2) + group("web", 40, web)
    if case == "voice":
        calls = '[flows.voice]\ncount = 20\ntransport = "udp"\nsource = "voice"\n'
        return group("tcp", flows) + calls
    if case == "video":
        return group("tcp", 2) + group("video", 5, 'source = "video"')
    if case == "graph":
        ways = [("s", "t"), ("a", "t"), ("s", "e"), ("b", "t"), ("s", "d")]
        return "".join(group(f"{a}{b}", 2, f'from = "{a}"', f'to = "{b}"') for a, b in ways)
    return group("tcp", flows)


def count(bench: Path, cell: Cell) -> Cost:
    """Runs a cell under valgrind, and again without."""
    return count_text(bench, scenario(cell), SIZES[flows_of(cell)][2])


def count_text(bench: Path, text: str, timed_runs: int) -> Cost:
    """Runs a scenario under valgrind, and again without, this many times."""
    tool = [
        "valgrind",
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        "--toggle-collect=*measured_part*",
    ]
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(text)
        file.flush()
        counted = subprocess.run([*tool, str(bench), file.name], capture_output=True, text=True)
        timed = subprocess.run([str(bench), *[file.name] * timed_runs], capture_output=True, text=True)
    lines = re.findall(r"(\d+) segments, ([\d.]+) ns and ([\d.]+) events", timed.stdout)
    collected = re.search(r"Collected : (\d+)", counted.stderr)
    if len(lines) < timed_runs or collected is None:
        sys.exit(
            f"matrix: cannot parse the output of the bench or of valgrind:\n{timed.stderr}{counted.stderr}\n{text}"
        )
    ns = min(float(line[1]) for line in lines)
    return Cost(int(collected[1]) / int(lines[0][0]), ns, float(lines[0][2]))
