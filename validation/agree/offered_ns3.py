"""Disciplines of ns-3 under packets at random instants: no transport, so a difference is the queue's own.

   python -m validation.agree.offered_ns3 SEEDS OUT      records the rows again; needs ns-3's headers

`ns3/offered.cc` states the same on the side of ns-3: a link of 10 Mbit/s behind a device of one packet,
Poisson streams without congestion control, statistics from 20 s on.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from . import live_ns3, offered
from .context import Context
from .offered import BAND, FROM_S, MIXED, THREE, UNTIL_S, Offer, Row

_RED = {"MaxSize": "100p", "MeanPktSize": "1000", "LinkBandwidth": "10Mbps", "UseEcn": "false"}
_BAND = {"MinTh": "5", "MaxTh": "15", "LInterm": "10", "QW": "0.002"}
_OUR_BAND = f"{BAND}\n"
_OUR_RED = 'kind = "red"\ndialect = "ns3"\nidle_rate = "10 Mbit/s"\n'
_OUR_COUNT = 'spacing = "wait"\ncounting = "spare_first"\nidle_decay = "plus_one"\nidle_from = "link_idle"\n'
_NO_ECN = {"MaxSize": "200p", "UseEcn": "false"}
_BANDS = 'kind = "prio"\nband_of = [0, 1, 2]\n'
_FIFO = '{ kind = "droptail", limit = "50 pkts" }'


def _red(ours: str = "", loads: tuple[float, ...] = (5, 6), **settings: str) -> Offer:
    return Offer("RedQueueDisc", 100, {**_RED, **_BAND, **settings}, f"{_OUR_RED}{_OUR_BAND}{ours}", loads)


def _kind(disc: str, kind: str, ours: str = "", **settings: str) -> Offer:
    return Offer(disc, 200, {**_NO_ECN, **settings}, f'kind = "{kind}"\ndialect = "ns3"\n{ours}')


def _fair(disc: str, kind: str, loads: tuple[float, ...], sizes: tuple[int, ...] = (1000,)) -> Offer:
    ours = f'kind = "{kind}"\ndialect = "ns3"\necn = false'
    return Offer(disc, 200, _NO_ECN, ours, loads, sizes)


_LIGHT = (4.5, 5.0)
#: Priorities of the streams, where it matters: of ns-3's bands the first, the second and the third.
PRIORITIES = {"PrioQueueDisc": "6,0,2", "PfifoFastQueueDisc": "6,0,2"}
#: Queues of 50 packets that a discipline is given.
BANDS = {"PrioQueueDisc": "3"}
#: The comparisons, by name on the page.
OFFERS: dict[str, Offer] = {
    "Fifo": Offer("FifoQueueDisc", 50, {"MaxSize": "50p"}, 'kind = "droptail"'),
    "Prio": Offer(
        "PrioQueueDisc", 1000, {}, f"{_BANDS}bands = [{_FIFO}, {_FIFO}, {_FIFO}]", (4, 4, 4),
    ),
    "PfifoFast": Offer(
        "PfifoFastQueueDisc", 150, {"MaxSize": "150p"}, f'{_BANDS}victim = "arriving"', (4, 4, 4),
    ),
    "RED, gentle": _red(),
    "RED": _red('above_max = "drop"\n', Gentle="false"),
    "RED, 95 % load": _red(loads=_LIGHT),
    "RED, no wait": _red('spacing = "pseudocode"\n', Wait="false"),
    "RED, bytes": Offer(
        "RedQueueDisc", 100, {**_RED, **_BAND, "MaxSize": "100000B", "MinTh": "5000", "MaxTh": "15000"},
        f'{_OUR_RED}limit = "100000 B"\nunit = "bytes"\nbyte_mode = "ns2"\nmin_th = "5000 B"\nmax_th = "15000 B"\n'
        'max_p = 0.1\nw_q = 0.002\nmean_packet = "1000 B"', *MIXED,
    ),
    "RED, nonlinear": Offer(
        "RedQueueDisc", 100, {**_RED, **_BAND, "NLRED": "true"},
        f'kind = "nlred"\nabove_max = "gentle_from_max_p"\nmin_queue = 2\n{_OUR_COUNT}{_OUR_BAND}',
    ),
    "RED, adaptive max_p": Offer(
        "RedQueueDisc", 100, {**_RED, **_BAND, "AdaptMaxP": "true"},
        f'kind = "ared"\ndialect = "ns2"\nbottom = 0.01\n{_OUR_BAND}',
    ),
    "ARED": Offer(
        "RedQueueDisc", 100, {**_RED, "ARED": "true", "LInterm": "10"},
        'kind = "ared"\ndialect = "ns2"\nbottom = 0.01\nmean_packet = "1000 B"',
    ),
    "RED, Feng": Offer(
        "RedQueueDisc", 100, {**_RED, **_BAND, "FengAdaptive": "true"},
        f'kind = "feng"\ndialect = "ns3"\n{_OUR_BAND}',
    ),
    "CoDel": _kind("CoDelQueueDisc", "codel"),
    "CoDel, target of 20 ms": _kind("CoDelQueueDisc", "codel", 'target = "20 ms"', Target="20ms"),
    "PIE": _kind("PieQueueDisc", "pie"),
    "PIE, target of 40 ms": _kind("PieQueueDisc", "pie", 'target = "40 ms"', QueueDelayReference="40ms"),
    "PIE, spaced": _kind("PieQueueDisc", "pie", "derandomise = true", UseDerandomization="true"),
    "PIE, by departure rate": _kind(
        "PieQueueDisc", "pie", 'delay = "rate"', UseDequeueRateEstimator="true",
    ),
    "COBALT": _kind("CobaltQueueDisc", "cobalt"),
    "FqCoDel": _fair("FqCoDelQueueDisc", "fq_codel", THREE),
    "FqCoDel, three sizes": _fair("FqCoDelQueueDisc", "fq_codel", *MIXED),
    "FqPIE": _fair("FqPieQueueDisc", "fq_pie", THREE),
    "FqPIE, three sizes": _fair("FqPieQueueDisc", "fq_pie", *MIXED),
    "FqCobalt": _fair("FqCobaltQueueDisc", "fq_cobalt", THREE),
}  # fmt: skip


def arguments(row: Row) -> list[str]:
    """Returns the arguments of `offered` for a row."""
    offer = OFFERS[row["name"]]
    options: Mapping[str, str] = {
        "disc": f"ns3::{offer.kind}",
        "set": ",".join(f"{key}={value}" for key, value in offer.settings.items()) or "-",
        "loads": ",".join(f"{load:g}" for load in offer.loads),
        "sizes": ",".join(map(str, offer.sizes)),
        "priorities": PRIORITIES.get(offer.kind, "0"),
        "bands": BANDS.get(offer.kind, "0"),
        "from": str(FROM_S),
        "until": str(UNTIL_S),
    }
    return [f"--{key}={value}" for key, value in options.items()]


def scenario(row: Row) -> str:
    """The same here: ns-3's device holds a packet between the discipline and the wire."""
    return offered.stated(OFFERS[row["name"]], "ring = 1\n")


def record(row: Row, seeds: int) -> dict[str, str]:
    """ns-3's mean and deviation of every column."""
    words, context = arguments(row), Context()
    printed = [live_ns3.output(context, "offered", *words, f"--seed={seed}") for seed in range(1, seeds + 1)]
    return offered.recorded(row, printed)


if __name__ == "__main__":
    offered.save([record({"name": name}, int(sys.argv[1])) for name in OFFERS], Path(sys.argv[2]))
