"""TCP segment by segment: the recorded single-flow runs of ns-3.37, through the whole engine.

The path is that of `ns3_flow`: 10 Mbit/s 24 ms, no queue limit; 300 segments of 1000 bytes.
"""

from __future__ import annotations

from . import ns3_flow
from .cases import AgreementCase, Area
from .context import Context
from .ns2_packets import TRACES
from .ns3_flow import Sent, SingleFlow, lost, runs_in

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


def compare(context: Context) -> Area:
    """Every recorded stack under every pattern of loss."""
    cases = []
    for stack, (cc, keys) in STACKS.items():
        file = TRACES / f"ns3_{stack}.txt"
        if not file.exists():
            recorded = context.find("ns3", "traces", f"tx_{stack}.csv")
            cases += [
                AgreementCase(f"{stack}, {pattern}", missing=f"ns-3's {cc}")
                for pattern in LOST
                if recorded is not None
            ]
            continue
        context.log(f"ns-3 segments, {stack}")
        cases += [case(f"{stack}, {name}", sent, name, keys) for name, sent in runs_in(file)]
    return Area("ns3_packets", TITLE, "ns-3.37", METHOD, cases)


def case(name: str, theirs: list[Sent], pattern: str, stack: str) -> AgreementCase:
    """One run compared."""
    destroyed = LOST[pattern] if pattern in LOST else lost(pattern)
    return ns3_flow.compared(
        name, SingleFlow(stack, destroyed, 2 if pattern.endswith("every 2") else 1), theirs
    )
