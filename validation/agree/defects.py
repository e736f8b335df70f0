"""Known defects of other programs: a case with and without the option that stands for each.

Here agreement means that the option has the effect the defect is known for.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import dropcurve as dc
from dropcurve import boxes

from .cases import AgreementCase, Area, Figure
from .context import Context

TITLE = "Defects of other programs, with and without"
METHOD = (
    "The same scenario with the correct behaviour (`theirs`) and with the option that reproduces the defect (`here`). "
    "A case is within if the number changes in the known direction of the defect, by at least the stated share."
)

OVERLOAD = """\
[run]
duration = "{seconds} s"
warmup = "5 s"

[dumbbell]
rate = "{rate}"
delay = "5 ms"

[queue]
{queue}

[flows.udp]
transport = "udp"
source = "poisson"
rate = "{load}"
packet = "1000 B"
"""
TRANSFERS = """\
[run]
duration = "60 s"
warmup = "10 s"

[dumbbell]
rate = "10 Mbit/s"
delay = "20 ms"
access_delay = "even 1 ms to 5 ms"

[queue]
{queue}

[flows.tcp]
count = {count}
start = "uniform 0 s to 1 s"
{extra}
"""
RED = 'kind = "red"\nlimit = "200 pkts"\nmin_th = "5 pkts"\nmax_th = "15 pkts"\nmax_p = 0.1\n'


@dataclass(frozen=True)
class Defect:
    """``edits`` turn the right scenario into the defective one; ``factor`` is how much the number must grow
    (above 1) or shrink (below 1). ``gaps`` takes the number from the distances of drops, not from the link's
    summary."""

    key: str
    what: str
    scenario: str
    edits: Mapping[str, Any]
    number: str
    of: Callable[[dict[str, Any]], float]
    factor: float
    gaps: Callable[[list[int]], float] | None = None


def early(link: dict[str, Any]) -> float:
    """Early drops in a thousand arrivals."""
    return 1000 * float(link["early_pkts"]) / float(link["arrived_pkts"])


def drops(link: dict[str, Any]) -> float:
    """Drops in a thousand arrivals."""
    lost = link["early_pkts"] + link["forced_pkts"] + link["overflow_pkts"]
    return 1000 * float(lost) / float(link["arrived_pkts"])


def average(link: dict[str, Any]) -> float:
    """Mean of the discipline's average."""
    return float(link["avg_mean"])


def queue(link: dict[str, Any]) -> float:
    """Mean queue length in packets."""
    return float(link["queue_pkts_mean"])


def unevenness(gaps: list[int]) -> float:
    """Standard deviation of distances over their mean."""
    return statistics.pstdev(gaps) / statistics.fmean(gaps)


def tc_max_p(probability: str) -> float:
    """The probability the kernel works with after tc was given this one."""
    command = (
        "tc qdisc add dev eth0 root red limit 400kb min 30000 max 63000 avpkt 1000 burst 43 bandwidth 10Mbit"
    )
    return float(boxes.read(f"{command} probability {probability}").params["max_p"])


def marks(link: dict[str, Any]) -> float:
    """Marks in a thousand arrivals."""
    return 1000 * float(link["marked_pkts"]) / float(link["arrived_pkts"])


ARED = 'kind = "ared"\nspacing = "geometric"\nlimit = "200 pkts"\nmin_th = "5 pkts"\nmax_th = "15 pkts"\nw_q = 0.002\n'
NLRED = 'kind = "nlred"\nspacing = "geometric"\nlimit = "200 pkts"\nmin_th = "5 pkts"\nmax_th = "15 pkts"\n'
NLRED += 'max_p = 0.3\nabove_max = "gentle"\n'
#: The clock wraps after 2^32 x 1024 ns = 4398.05 s. The interval is long, so that the next drop lies well ahead of it.
WRAP = """\
[run]
duration = "4399 s"
warmup = "4396 s"

[dumbbell]
rate = "2 Mbit/s"
delay = "20 ms"

[queue]
kind = "codel"
limit = "1000 pkts"
interval = "1 s"
clock = "ticks"

[flows.udp]
transport = "udp"
source = "poisson"
rate = "2.2 Mbit/s"
packet = "1000 B"
start = "4380 s"
"""
PROFILED = """\
[run]
duration = "60 s"
warmup = "5 s"

[dumbbell]
rate = "10 Mbit/s"
delay = "5 ms"

[queue]
kind = "rio"
limit = "200 pkts"

[flows.in]
transport = "udp"
source = "poisson"
rate = "500 kbit/s"
packet = "1000 B"
class = 1

[flows.out]
transport = "udp"
source = "poisson"
rate = "10 Mbit/s"
packet = "1000 B"
"""
#: Thresholds so far apart that the average stays where the load puts it, and with it the probability.
STEADY = (
    'kind = "red"\nlimit = "3000 pkts"\nmin_th = "1 pkts"\nmax_th = "2000 pkts"\nmax_p = 1.0\nw_q = 0.0005\n'
)
TC = 'kind = "red"\ndialect = "linux"\nlimit = "400 kB"\nmin_th = "30000 B"\nmax_th = "63000 B"\n'
TC += f"max_p = {tc_max_p('0.9999999')}\n"

DEFECTS = (
    Defect("D1", "ns-3 RED: forced drops leave count alone, so an early drop follows sooner",
           OVERLOAD.format(queue=RED + 'w_q = 0.2\nspacing = "wait"\n', rate="10 Mbit/s", load="11 Mbit/s",
                           seconds=60),
           {"queue.forced_resets_count": False}, "early drops, per mille", early, 1.02),
    Defect("D2", "ns-2 and ns-3 Adaptive RED: the gentle slope keeps the first max_p",
           OVERLOAD.format(queue=ARED, rate="10 Mbit/s", load="25 Mbit/s", seconds=60), {"queue.slope": "fixed"},
           "average queue", average, 1.1),
    Defect("D3", "ns-2 RIO: only In packets update the total average, so few of them leave it behind", PROFILED,
           {"queue.total_update": "in_only"}, "queue, packets", queue, 1.5),
    Defect("D4", "INET RED: the probability turns negative once count p_b passes 1, and early drops stop",
           OVERLOAD.format(queue=RED.replace("max_p = 0.1", "max_p = 0.7") + "w_q = 0.05\n", rate="10 Mbit/s",
                           load="10 Mbit/s", seconds=60),
           {"queue.spacing": "unclamped"}, "early drops, per mille", early, 0.995),
    Defect("D5", "ns.py: max_p also above max_th",
           OVERLOAD.format(queue=RED, rate="10 Mbit/s", load="15 Mbit/s", seconds=60), {"queue.above_max": "capped"},
           "average queue", average, 2.0),
    Defect("D6", "ns-3 NLRED: the gentle ramp starts at max_p, below the end of the parabola",
           OVERLOAD.format(queue=NLRED, rate="10 Mbit/s", load="20 Mbit/s", seconds=60),
           {"queue.above_max": "gentle_from_max_p"}, "average queue", average, 1.1),
    Defect("D7", "ns-3 CoDel: a 32-bit clock compared without regard to its wrap: a burst of drops after 73 minutes",
           WRAP, {"queue.clock": "ticks_no_wrap"}, "drops, per mille", drops, 1.1),
    Defect("D8", "iproute2: a probability of 1.0 overflows 32 bits, and the kernel takes a power of two",
           OVERLOAD.format(queue=TC, rate="10 Mbit/s", load="16 Mbit/s", seconds=60),
           {"queue.max_p": tc_max_p("1.0")}, "average queue", average, 1.1),
    Defect("D9", "DPDK: one cached random number under a changing divisor spaces drops unevenly",
           OVERLOAD.format(queue=STEADY + 'spacing = "double"\n', rate="10 Mbit/s", load="10.8 Mbit/s",
                           seconds=60),
           {"queue.spacing": "modulus"}, "deviation of the distance of drops over its mean", average, 1.02,
           gaps=unevenness),
    Defect("D10", "dummynet: with ecn, every packet above min_th is marked",
           TRANSFERS.format(queue=RED + "ecn = true\n", count=8, extra="ecn = true"), {"queue.ecn_step": True},
           "marks, per mille", marks, 1.5),
)  # fmt: skip


def compare(context: Context) -> Area:
    """Every known defect."""
    chosen = [one for one in DEFECTS if not context.quick or one.key in ("D5", "D10")]
    return Area(
        "defects", TITLE, "itself", METHOD, context.each("defects", chosen, lambda one: case(one, context))
    )


def distances(scenario: dc.Scenario, seed: int) -> list[int]:
    """Packets sent from one drop to the next, in the second half of a run."""
    trace = dc.trace(scenario, seed=seed)
    lengths: list[int] = []
    sent = last = 0
    for row in trace.rows("send", "drop"):
        if trace.words[trace.what[row]] == "send":
            sent += 1
        else:
            lengths.append(sent - last)
            last = sent
    return lengths[len(lengths) // 2 :]


def case(defect: Defect, context: Context) -> AgreementCase:
    """One defect with and without its option."""
    name = f"{defect.key}: {defect.what}"
    right = dc.Scenario.parse(defect.scenario)
    figures = []
    for scenario in (right, right.edit(defect.edits.items())):
        if defect.gaps is not None:
            figures.append(statistics.fmean(defect.gaps(distances(scenario, seed)) for seed in range(1, 5)))
            continue
        runs = context.runs(scenario, 4, lambda run: {"x": defect.of(run["links"]["bottleneck"])})
        figures.append(statistics.fmean(run["x"] for run in runs))
    without, with_it = figures
    moved = with_it >= without * defect.factor if defect.factor > 1 else with_it <= without * defect.factor
    allowed = abs(with_it - without) if moved else 0.0
    options = ", ".join(f"{path} = {value}" for path, value in defect.edits.items())
    return AgreementCase(
        name, (Figure(defect.number, without, with_it, allowed if moved else -1.0),), note=options
    )
