"""Queues for the study of De Cnodder and others: how RED counts packet sizes in routers and programs, at the
thresholds of that study, and the network on which the distances between drops are measured."""

from __future__ import annotations

from typing import Any

PACKETS = {"kind": "red", "limit": "400 pkts", "min_th": "50 pkts", "max_th": "150 pkts", "max_p": 0.1, "w_q": 0.002,
           "mean_packet": "1500 B", "max_packet": "1500 B"}  # fmt: skip
#: In bytes, 875 to a packet: the mean of the three sizes.
BYTES = {"limit": "350000 B", "min_th": "43750 B", "max_th": "131250 B", "max_p": 0.1, "mean_packet": "875 B"}
CLASSES = {"min_th": [BYTES["min_th"]], "max_th": [BYTES["max_th"]], "denominator": [10]}
#: How the scenario counts: step (1) and the words of the paper make ``count`` 1 at the first arrival.
WORDS = {"dialect": "ns2_explicit", "spacing": "pseudocode", "counting": "from_one"}
#: How RED counts packet sizes in routers and programs, at the paper's thresholds.
DIALECTS: dict[str, dict[str, Any]] = {
    "packets: the 1993 paper": PACKETS | {"dialect": "floyd93", "byte_mode": "off"},
    "packets: ALTQ": PACKETS | {"dialect": "altq"},
    "packets: DPDK": PACKETS | {"dialect": "dpdk"},
    "packets: Cisco WRED": {"kind": "wred", "limit": "400 pkts", "min_th": ["50 pkts"], "max_th": ["150 pkts"],
                            "denominator": [10]},
    "bytes: Cisco WRED": {"kind": "wred", "unit": "bytes", "limit": BYTES["limit"], "mean_packet": "875 B"} | CLASSES,
    "bytes, no average: Junos": {
        "kind": "curve", "unit": "bytes", "limit": BYTES["limit"], "mean_packet": "875 B", "w_q": 0.999999,
        "min_th": BYTES["min_th"], "max_th": BYTES["max_th"], "curve": "points 43750 0, 131250 0.1, 131251 1",
        "refuse": "nothing", "spacing": "geometric", "idle_decay": "ignored"},
    "bytes: Linux": BYTES | {"kind": "red", "dialect": "linux", "w_q": 0.002, "idle_rate": "30 Mbit/s"},
    "sizes weighted first: dummynet": PACKETS | {"dialect": "dummynet", "byte_mode": "red_2"},
    "sizes weighted last: ns-2's byte mode": PACKETS | {
        "dialect": "ns2_explicit", "byte_mode": "ns2", "spacing": "pseudocode"},
    "RED_4": PACKETS | WORDS | {"byte_mode": "red_4"},
    "RED_5": PACKETS | WORDS | {"byte_mode": "red_5"},
}  # fmt: skip

#: Sources that answer no signal, into a long queue; the source of each packet size follows.
RIG = """
[run]
duration = "60 s"
warmup = "30 s"
sample = "10 ms"
[dumbbell]
rate = "30 Mbit/s"
delay = "1 ms"
access_rate = "0 bit/s"
access_delay = "1 ms"
[queue]
kind = "red_size"
variant = "{variant}"
count_start = "{start}"
limit = "20000 pkts"
min_th = "1000 pkts"
max_th = "3000 pkts"
max_p = 0.1
w_q = 0.002
"""
SOURCE = """
[flows.{name}]
transport = "udp"
source = "poisson"
rate = "{rate} Mbit/s"
packet = "{size} B"
"""
