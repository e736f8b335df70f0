"""TCP segment by segment: the recorded single-flow runs of ns-3.37, through the whole engine.

Path: 100 Mbit/s 1 ms, 10 Mbit/s 24 ms, no queue limit; 300 segments of 1000 bytes. A drop destroys a transmission of a
segment on arrival, so the drop list stands on a link of no length behind the bottleneck.
"""

from __future__ import annotations

import re
from pathlib import Path

import dropcurve as dc

from .cases import Area, Case, Figure
from .context import Context
from .ns2_packets import TRACES

TITLE = "TCP, segment by segment, against ns-3.37"
METHOD = (
    "`sent` counts the transmissions that come in ns-3's order, each within one packet time (850 µs) of "
    "ns-3's; `worst_us` is the greatest distance in time."
)
#: Which transmissions of which segment each pattern destroys; others list them: "100:1,120:2", two segments for one
#: acknowledgement with "every 2".
LOST = {"none": {}, "d1": {100: 1}, "d3": {100: 1, 101: 1, 102: 1}, "lostretx": {100: 2}, "tail1": {299: 1}}
VEGAS = 'cc = "vegas"\nvegas_rule = "ns3"\nvegas_alpha = 2\nvegas_beta = 4\nvegas_gamma = 1'
CUBIC = 'cc = "cubic"\ncubic_rule = "ns3"\nhystart = "ns3"'
#: Recorded stacks: the congestion control, and its keys here.
STACKS = {
    "newreno_nosack_classic": ("reno", 'cc = "reno"\nrecovery = "newreno"\nreduction = "at_once"'),
    "newreno_sack_prr": ("reno", 'cc = "reno"\nrecovery = "sack"'),
    "cubic_sack_prr": ("cubic", f'{CUBIC}\nrecovery = "sack"'),
    "vegas_sack_prr": ("vegas", f'{VEGAS}\nrecovery = "sack"'),
    "westwood_sack_prr": ("westwood", 'cc = "westwood"\nrecovery = "sack"'),
    "bbr_sack_prr": ("bbr", 'cc = "bbr"\nrecovery = "sack"'),
}
PACKET_US = 850

SCENARIO = """\
[run]
duration = "30 s"
warmup = "0 s"

[links.near]
from = "s"
to = "r1"
rate = "100 Mbit/s"
delay = "1 ms"

[links.middle]
from = "r1"
to = "r2"
rate = "10 Mbit/s"
delay = "24 ms"

[links.middle.queue]
kind = "droptail"
limit = "1000000 pkts"

[links.end]
from = "r2"
to = "d"
rate = "1000 Gbit/s"
delay = "0 s"
drop = {drop}

[flows.tcp]
from = "s"
to = "d"
bytes = "300000 B"
profile = "ns3"
{stack}
mss = "1000 B"
ack_every = {every}
"""

#: (microseconds, segment)
Sent = tuple[int, int]


def compare(context: Context) -> Area:
    """Every recorded stack under every pattern of loss."""
    cases = []
    for stack, (cc, keys) in STACKS.items():
        file = TRACES / f"ns3_{stack}.txt"
        if not file.exists():
            recorded = context.find("ns3", "traces", f"tx_{stack}.csv")
            cases += [
                Case(f"{stack}, {pattern}", missing=f"ns-3's {cc}")
                for pattern in LOST
                if recorded is not None
            ]
            continue
        context.tell(f"ns-3 segments, {stack}")
        cases += [case(f"{stack}, {name}", sent, name, keys) for name, sent in read(file).items()]
    return Area("ns3_packets", TITLE, "ns-3.37", METHOD, cases)


def read(path: Path) -> dict[str, list[Sent]]:
    """Transmissions by pattern."""
    found: dict[str, list[Sent]] = {}
    name, at = "", 0
    for line in path.read_text(encoding="utf-8").splitlines():
        head, _, rest = line.partition(" ")
        if head == "case":
            name, at = rest, 0
            found[name] = []
        elif head == "p":
            for time, segment in re.findall(r"(\d+)[A-Za-z](\d+)", rest):
                at += int(time)
                found[name].append((at, int(segment)))
    return found


def case(name: str, theirs: list[Sent], pattern: str, stack: str) -> Case:
    """One run compared."""
    ours = play(pattern, stack)
    pairs = list(zip(ours, theirs, strict=False))
    same = next(
        (i for i, (a, b) in enumerate(pairs) if a[1] != b[1] or abs(a[0] - b[0]) > PACKET_US), len(pairs)
    )
    worst = max((abs(a[0] - b[0]) for a, b in pairs[:same]), default=0)
    note = "" if same == len(theirs) else f"ns-3 {theirs[same : same + 3]}, here {ours[same : same + 3]}"
    both = Figure("sent", len(theirs), same if same < len(theirs) else len(ours))
    return Case(name, (both, Figure("worst_us", 0, worst, PACKET_US)), note=note)


def play(pattern: str, stack: str) -> list[Sent]:
    """Our transmissions. Where a drop falls is known once all before it are: so one run for each."""
    drop: list[int] = []
    every = 2 if pattern.endswith("every 2") else 1
    wanted = [(segment, k) for segment, times in lost(pattern).items() for k in range(times)]
    for segment, k in sorted(wanted, key=lambda one: one[::-1]):
        sent = packets(drop, stack, every)
        places = [place for place, (_, number) in enumerate(sent) if number == segment and place > 0]
        drop.append(places[k])
    return packets(drop, stack, every)[1:]


def lost(pattern: str) -> dict[int, int]:
    """Which transmissions of which segment a pattern destroys."""
    if pattern in LOST:
        return LOST[pattern]
    pairs = (one.split(":") for one in pattern.split()[0].split(","))
    return {int(segment): int(times) for segment, times in pairs}


def packets(drop: list[int], stack: str, every: int) -> list[Sent]:
    """Everything the source sends, the SYN first."""
    text = SCENARIO.format(drop=sorted(drop), stack=stack, every=every)
    trace = dc.trace(dc.Scenario.parse(text))
    return [(int(trace.time_ns[row]) // 1000, int(trace.seq[row])) for row in trace.rows("send")]
