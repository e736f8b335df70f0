"""A recommendation of `dropcurve tune` in ns-2: does what it gains also show there?

    python -m dropcurve.agree.tuned RATE BUFFER FLOWS,RTT_MS... SEEDS QUEUE...

runs long Reno flows with SACK (ns-2 ``Sack1``) through each queue, at each condition, in ns-2 by
`tests/agree/ns2/dumbbell.tcl` and here, and prints utilisation and mean delay with 95 % intervals. Queues are tail drop
and RED in packets.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from .. import metrics, quantities, statistics, values
from ..scenario import Scenario
from ..tuning.link import Link, times
from .live import SCRIPTS

#: What ns-2 and we call what is compared.
MEASURES = (("util", "utilisation", 100.0, "%"), ("qdelay_ms", "sojourn_ms_mean", 1.0, "ms"))


def arguments(queue: str, *, rate: str, flows: int, rtt_s: float) -> dict[str, str]:
    """What `dumbbell.tcl` is told: the same path as `tuning.link` makes, and the queue."""
    kind, params = values.queue(queue)
    warmup, duration = times(quantities.rate(rate), rtt_s)
    path = {
        "rate": f"{quantities.rate(rate) / 1e6:g}Mb", "near": f"{quantities.rate(rate) / 1e5:g}Mb",
        "far": f"{quantities.rate(rate) / 1e5:g}Mb", "delay": f"{200 * rtt_s:g}ms", "nearlow": f"{0.2 * rtt_s:g}",
        "nearhigh": f"{0.3 * rtt_s:g}", "fardelay": f"{50 * rtt_s:g}ms", "from": f"{warmup:g}",
        "until": f"{duration:g}",
    }  # fmt: skip
    load = {
        "tcp": "Sack1", "sink": "TCPSink/Sack1", "sizes": "1500", "each": str(flows), "years": "2011",
        "window": "10000", "starts": f"{min(2.0, warmup / 2):g}", "meanpkt": "1500",
    }  # fmt: skip
    found = {**path, **load, "buf": _pkts(params["limit"])}
    if kind == "droptail":
        return {**found, "aqm": "DropTail"}
    red = {key: _pkts(params[name]) for key, name in (("minth", "min_th"), ("maxth", "max_th"))}
    gentle = "true" if params.get("above_max") == "gentle" else "false"
    law = {"maxp": f"{params['max_p']:g}", "wq": f"{params['w_q']:g}", "gentle": gentle, "wait": "false"}
    return {**found, **red, **law, "aqm": "RED"}


def _pkts(text: object) -> str:
    return f"{quantities.packets(str(text), packet_bytes=1500):g}"


def theirs(told: dict[str, str], seed: int) -> dict[str, float]:
    """One run of ns-2."""
    pairs = [part for pair in told.items() for part in pair]
    command = ["ns", str(SCRIPTS / "dumbbell.tcl"), *pairs, "seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {key: float(value) for key, value in (pair.split("=") for pair in done.stdout.split())}


def ours(
    queue: str, *, rate: str, buffer: str, flows: int, rtt_s: float, seeds: int
) -> list[dict[str, float]]:
    """The same runs here."""
    condition = {"rate": quantities.rate(rate), "rtt": rtt_s, "flows": float(flows)}
    base: Scenario = Link(quantities.packets(buffer, packet_bytes=1500), "reno").scenario(condition)
    kind, params = values.queue(queue)
    runs = base.queue(kind, **params).run(replications=seeds).baseline.runs
    return [{name: metrics.value(run, name) or 0.0 for _, name, _, _ in MEASURES} for run in runs]


def main(words: Sequence[str]) -> None:
    """Prints a line for each condition, queue and measure."""
    rate, buffer, places, seeds, *queues = words
    for place in places.split(";"):
        flows, trip = place.split(",")
        rtt_s = float(trip) / 1e3
        for queue in queues:
            told = arguments(queue, rate=rate, flows=int(flows), rtt_s=rtt_s)
            with ThreadPoolExecutor(1) as pool:
                recorded = list(
                    pool.map(lambda seed, told=told: theirs(told, seed), range(1, int(seeds) + 1))
                )
            made = ours(queue, rate=rate, buffer=buffer, flows=int(flows), rtt_s=rtt_s, seeds=int(seeds))
            for theirs_name, name, factor, unit in MEASURES:
                there = statistics.t_interval([factor * run[theirs_name] for run in recorded])
                here = statistics.t_interval([run[name] for run in made])
                text = f"{there.mean:.2f} ± {there.half_width:.2f} | {here.mean:.2f} ± {here.half_width:.2f}"
                sys.stdout.write(f"{flows} flows, {trip} ms | {queue} | {name} ({unit}) | {text}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
