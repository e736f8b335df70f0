"""The recorded tables of ns-2.35 in which TFRC and SACK share a RED link (Hassan), one setting changed or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import ns2_options
from .dumbbells import profile, red

Row = Mapping[str, str]


def settings(row: Row) -> tuple[dict[str, str], list[str], str]:
    """TCP's options, TFRC's lines, and the first variable that no option stands for."""
    tcp, tfrc = [], []
    for setting in row["knobs"].split(",") if row["knobs"] != "-" else []:
        owner, variable, value = setting.split(":")
        if owner.startswith("Agent/TFRC"):
            line = ns2_options.TFRC.get(f"{variable}:{value}")
            if line is None:
                return {}, [], f"TFRC's {variable}"
            tfrc.append(line)
        elif variable == "useHeaders_":
            continue
        else:
            tcp.append(setting)
    return ns2_options.options(",".join(tcp) or "-", row["sink"]), tfrc, ""


def missing(row: Row) -> str:
    """A variable that no option stands for."""
    return settings(row)[2]


def with_headers(row: Row) -> bool:
    """Whether ns-2 adds header bytes to the thousand of a packet."""
    return row["profile"] != "era" or "useHeaders_:true" in row["knobs"]


def queue(row: Row) -> str:
    """The queue of both directions."""
    text = red(row, limit=row["buf"], low=row["minth"], high=row["maxth"], mean_packet=row["meanpkt"])
    if row["adaptive"] == "1":
        text = text.replace('kind = "red"', 'kind = "ared"').replace('"ns2_explicit"', '"ns2"')
        text += "" if row["gentle"] == "true" else 'above_max = "drop"\n'
    return text


def scenario(row: Row) -> str:
    """n TFRC and n SACK flows, each on links of its own, RED in both directions of 1.5 Mbit/s."""
    tcp, tfrc, _ = settings(row)
    tcp |= {"headers": f'"{40 if with_headers(row) else 0} B"'}
    tcp |= {"ack_every": "2"} if "DelAck" in row["sink"] else {}
    tcp |= {"overhead": f'"{float(row["overhead"]) * 1e3:g} ms"'}
    spread = float(row["jitter_delay"])
    delay = f"uniform 6 ms to {6 + 1e3 * spread:g} ms" if spread else "6 ms"
    options = "\n".join(f"{key} = {value}" for key, value in tcp.items())
    return f"""\
[run]
duration = "{row["dur"]} s"
warmup = "{row["tmeas"]} s"

[dumbbell]
rate = "1.5 Mbit/s"
delay = "20 ms"
access_rate = "10 Mbit/s"
access_delay = "{delay}"
exit_delay = "6 ms"

[queue]
{queue(row)}
[back_queue]
{queue(row)}
[flows.tcp]
count = {row["n"]}
profile = "{profile(row)}"
recovery = "sack1"
mss = "1000 B"
window = {row["window"]}
start = "uniform 0 s to 5 s"
{options}

[flows.tfrc]
count = {row["n"]}
transport = "tfrc"
profile = "{profile(row)}"
mss = "1000 B"
start = "uniform 0 s to 5 s"
{chr(10).join(tfrc)}
"""


def numbers(run: dict[str, Any], row: Row) -> dict[str, float]:
    """The columns of the table: rates of a flow in bits a second with ns-2's headers, and those of the queue."""
    seconds = run["simulated_s"] - run["warmup_s"]
    count = int(row["n"])
    tcp = [flow["goodput_bytes"] for flow in run["flows"] if flow["group"] == "tcp"]
    tfrc = [flow["received_bytes"] for flow in run["flows"] if flow["group"] == "tfrc"]
    headers = 40 if with_headers(row) else 0
    link = run["links"]["bottleneck"]
    drops = link["early_pkts"] + link["forced_pkts"] + link["overflow_pkts"]
    values = {
        "tcp_bps": sum(tcp) * 8 * (1000 + headers) / 1000 / seconds / count,
        "tfrc_bps": sum(tfrc) * 8 / seconds / count,
        "loss": drops / max(1, link["arrived_pkts"]),
        "qmean": link["queue_pkts_mean"],
        "ave_mean": link["avg_mean"] or 0.0,
        "util": link["departed_bytes"] * 8 / seconds / link["rate_bps"],
    }
    return values | {"Fr": values["tfrc_bps"] / values["tcp_bps"]}
