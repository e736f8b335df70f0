"""Disciplines of ns-2 under packets at random instants: no transport, so a difference is the queue's own.

    python -m validation.agree.offered SEEDS OUT      records the rows again; needs ns-2.35

`ns2/offered.tcl` states the same on the side of ns-2: a link of 10 Mbit/s, Poisson streams without congestion
control, statistics from 20 s on.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import live, means

Row = Mapping[str, str]
Summary = dict[str, Any]

UNTIL_S = 120
#: Streams there are at most.
MOST = 3
FROM_S = 20
#: ns-2 runs RED by packets only if it is set to.
_PACKETS = {"bytes_": "false", "queue_in_bytes_": "false", "mean_pktsize_": "1000"}
_RED = {
    **_PACKETS,
    "thresh_": "5",
    "maxthresh_": "15",
    "q_weight_": "0.002",
    "linterm_": "10",
    "use_mark_p_": "false",
}
#: RED's thresholds and weight on our side.
BAND = 'min_th = "5 pkts"\nmax_th = "15 pkts"\nmax_p = 0.1\nw_q = 0.002\nmean_packet = "1000 B"'


@dataclass(frozen=True)
class Offer:
    """A discipline there and here, and its arrivals: Mbit/s and bytes of each stream."""

    kind: str
    limit: int
    settings: Mapping[str, str]
    ours: str
    loads: tuple[float, ...] = (5, 6)
    sizes: tuple[int, ...] = (1000,)

    def size(self, stream: int) -> int:
        """Bytes of a stream's packets."""
        return self.sizes[min(stream, len(self.sizes) - 1)]


def _red(title: str, **settings: str) -> tuple[str, Offer]:
    rows = {"gentle_": "false", "wait_": "true", **settings}
    ours = [f'kind = "red"\ndialect = "ns2"\n{BAND}']
    ours.append(f'above_max = "{"gentle" if rows["gentle_"] == "true" else "drop"}"')
    ours.append(f'spacing = "{"wait" if rows["wait_"] == "true" else "pseudocode"}"')
    return title, Offer("RED", 50, {**_RED, **rows}, "\n".join(ours))


#: Loads of three streams, in Mbit/s; and of three streams of other sizes, with those.
THREE = (8.0, 1.0, 3.0)
MIXED = ((2.0, 6.0, 6.0), (500, 1000, 1500))
#: The comparisons, by name on the page.
OFFERS = dict(
    [
        ("DropTail", Offer("DropTail", 50, {}, 'kind = "droptail"\nlimit_test = "counts_arrival"')),
        ("DropTail, 95 % load", Offer(
            "DropTail", 20, {}, 'kind = "droptail"\nlimit_test = "counts_arrival"', (4.5, 5),
        )),
        _red("RED"),
        _red("RED, gentle", gentle_="true"),
        _red("RED, no wait", wait_="false"),
        ("RIO", Offer(
            "RED/RIO", 100,
            {**_PACKETS, "priority_method_": "1", "q_weight_": "0.002", "thresh_": "15", "maxthresh_": "30",
             "linterm_": "50", "in_thresh_": "15", "in_maxthresh_": "30", "in_linterm_": "50", "out_thresh_": "5",
             "out_maxthresh_": "15", "out_linterm_": "5", "gentle_": "false", "in_gentle_": "false",
             "out_gentle_": "false", "wait_": "true"},
            'kind = "rio"\ndialect = "ns2"\nmean_packet = "1000 B"',
        )),
        ("PI", Offer("PI", 200, _PACKETS, 'kind = "pi"\ndialect = "ns2"\nlimit_test = "before"')),
        ("REM", Offer("REM", 200, {"mean_pktsize_": "1000"}, 'kind = "rem"\nmean_packet = "1000 B"')),
        ("AVQ", Offer(
            "Vq", 100, {"markpkts_": "false", "queue_in_bytes_": "false", "mean_pktsize_": "1000", "ecnlim_": "0.8"},
            'kind = "avq"\ndialect = "ns2"',
        )),
        ("DRR", Offer(
            "DRR", 1000, {"blimit_": "50000", "quantum_": "1000", "buckets_": "16"},
            'kind = "drr"\nlimit = "50000 B"\nquantum = "1000 B"', THREE,
        )),
        ("DRR, three sizes", Offer(
            "DRR", 1000, {"blimit_": "50000", "quantum_": "1500", "buckets_": "16"},
            'kind = "drr"\nlimit = "50000 B"\nquantum = "1500 B"', *MIXED,
        )),
        ("SFQ", Offer(
            "SFQ", 1000, {"maxqueue_": "40", "buckets_": "16"},
            'kind = "sfq"\ndialect = "ns2"\nlimit = "40 pkts"', THREE,
        )),
    ]
)  # fmt: skip


def arguments(row: Row) -> dict[str, str]:
    """Returns the arguments of `offered.tcl` for a row."""
    offer = OFFERS[row["name"]]
    settings = ",".join(f"{key}:{value}" for key, value in offer.settings.items())
    return {
        "kind": offer.kind,
        "limit": str(offer.limit),
        "set": settings or "-",
        "loads": ",".join(f"{load:g}" for load in offer.loads),
        "sizes": ",".join(map(str, offer.sizes)),
        "from": str(FROM_S),
        "until": str(UNTIL_S),
    }


def scenario(row: Row) -> str:
    """The same here."""
    return stated(OFFERS[row["name"]])


def stated(offer: Offer, device: str = "") -> str:
    """A scenario of streams into one queue; ``device`` adds keys of the link."""
    limit = "" if "limit =" in offer.ours else f'\nlimit = "{offer.limit} pkts"'
    streams = [
        f"""
[flows.stream{i}]
transport = "udp"
source = "poisson"
rate = "{load:g} Mbit/s"
packet = "{offer.size(i)} B"
class = {i}
"""
        for i, load in enumerate(offer.loads)
    ]
    return f"""\
[run]
duration = "{UNTIL_S} s"
warmup = "{FROM_S} s"

[dumbbell]
rate = "10 Mbit/s"
delay = "5 ms"
access_rate = "0 bit/s"
access_delay = "0 s"
exit_delay = "0 s"
{device}
[queue]
{offer.ours}{limit}
{"".join(streams)}"""


def numbers(run: Summary) -> dict[str, float]:
    """The columns of the table; a stream that is not there loses nothing."""
    link = run["links"]["bottleneck"]
    seconds = run["simulated_s"] - run["warmup_s"]
    drops = link["early_pkts"] + link["forced_pkts"] + link["overflow_pkts"]
    values = {
        "loss": drops / max(1, link["arrived_pkts"]),
        "util": link["departed_bytes"] * 8 / seconds / link["rate_bps"],
        "qmean": link["queue_pkts_mean"],
        "qdelay_ms": link["sojourn_ms"]["mean"],
    }
    losses = [flow["dropped_pkts"] / max(1, flow["sent_pkts"]) for flow in run["flows"]]
    return values | {f"loss_{i}": losses[i] if i < len(losses) else 0.0 for i in range(MOST)}


def record(row: Row, seeds: int) -> dict[str, str]:
    """ns-2's mean and deviation of every column."""
    words = [word for pair in arguments(row).items() for word in pair]
    printed = [live.run_program("offered.tcl", *words, "seed", str(seed)) for seed in range(1, seeds + 1)]
    return recorded(row, printed)


def recorded(row: Row, printed: Iterable[str]) -> dict[str, str]:
    """The row of runs that each printed one line of ``key=value``."""
    none = {f"loss_{i}": 0.0 for i in range(MOST)}
    runs = [
        none | {key: float(value) for key, value in (pair.split("=") for pair in line.split())}
        for line in printed
    ]
    return {**row, **means.row_of(runs)}


def save(rows: Sequence[Row], out: Path) -> None:
    """Rows become a file."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    save([record({"name": name}, int(sys.argv[1])) for name in OFFERS], Path(sys.argv[2]))
