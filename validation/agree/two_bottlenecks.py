"""The recorded table of ns-2.35 with two bottlenecks in a row: three TCP and two UDP sources (Dsilva)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .dumbbells import red

Row = Mapping[str, str]
#: Where each source sits, and its group here.
TCP = {"n0": "tcp_n0", "n1": "tcp_n1", "n8": "tcp_n8"}
UDP = {"n5": "udp_n5", "n6": "udp_n6"}


def scenario(row: Row) -> str:
    """Bottlenecks n1-n2 and n2-n3 of 1 Mbit/s; all other links 10 Mbit/s."""
    rtt = f"{float(row['rtt']) * 1e3:g} ms"
    near = {"n0_n1": rtt, "n5_n1": "10 ms", "n8_n2": "10 ms", "n6_n2": "10 ms", "n3_n4": rtt}
    links = "".join(link(name, "10 Mbit/s", delay) for name, delay in near.items())
    packets = int(int(row["qbytes"]) / 128)
    queue = red(
        {**row, "wq": "0.0078125"}, limit=str(packets), low=row["minth"], high=row["maxth"], mean_packet="158"
    )
    for name in ("n1_n2", "n2_n3"):
        links += link(name, "1 Mbit/s", "20 ms") + f"[links.{name}.queue]\n{queue}\n"
    segment = int(row["seg"])
    window = max(1, int(row["winbytes"]) // segment)
    flows = "".join(tcp(node, group, segment, window) for node, group in TCP.items())
    flows += "".join(udp(node, group, row["udp"].removesuffix("Mb")) for node, group in UDP.items())
    return f'[run]\nduration = "{row["dur"]} s"\nwarmup = "0 s"\n\n{links}{flows}'


def link(name: str, rate: str, delay: str) -> str:
    """A link named after its ends."""
    start, end = name.split("_")
    return f'[links.{name}]\nfrom = "{start}"\nto = "{end}"\nrate = "{rate}"\ndelay = "{delay}"\n\n'


def tcp(node: str, group: str, segment: int, window: int) -> str:
    """A NewReno transfer to n4."""
    return f"""\
[flows.{group}]
from = "{node}"
to = "n4"
start = "uniform 1 s to 1.1 s"
profile = "ns2-2.35"
recovery = "newreno"
mss = "{segment} B"
headers = "42 B"
ack_size = "42 B"
window = {window}
initial_window = 1
ack_every = 2

"""


def udp(node: str, group: str, rate: str) -> str:
    """A constant stream of 128-byte payloads to n4."""
    return f"""\
[flows.{group}]
from = "{node}"
to = "n4"
start = "uniform 1 s to 1.1 s"
transport = "udp"
source = "cbr"
rate = "{rate} Mbit/s"
rate_of = "payload"
packet = "158 B"
headers = "30 B"

"""


def numbers(run: dict[str, Any]) -> dict[str, float]:
    """The columns of the table, over the whole run."""
    seconds = run["simulated_s"]
    flows = {flow["group"]: flow for flow in run["flows"]}
    values = {f"tcp_{node}": flows[group]["goodput_bytes"] / seconds for node, group in TCP.items()}
    values |= {f"udp_{node}": flows[group]["received_pkts"] * 128 / seconds for node, group in UDP.items()}
    values["tcp_good_Bps"] = sum(values[f"tcp_{node}"] for node in TCP)
    values["udp_good_Bps"] = sum(values[f"udp_{node}"] for node in UDP)
    values["timeouts"] = sum(flows[group]["timeouts"] for group in TCP.values())
    for short, name in (("12", "n1_n2"), ("23", "n2_n3")):
        link = run["links"][name]
        drops = link["early_pkts"] + link["forced_pkts"] + link["overflow_pkts"]
        values[f"loss{short}"] = drops / max(1, link["arrived_pkts"])
        values[f"early{short}"] = link["early_pkts"]
    return values
