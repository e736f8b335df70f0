"""The recorded tables of ns-3 (dumbbells of long flows) and of Linux (a kernel in virtual time)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Row = Mapping[str, str]

_THRESHOLDS = 'min_th = "20 pkts"\nmax_th = "60 pkts"\nmax_p = 0.1\nw_q = 0.002\nmean_packet = "1500 B"\n'
_COUNT = 'spacing = "wait"\ncounting = "spare_first"\nidle_decay = "plus_one"\nidle_from = "link_idle"\nmin_queue = 2\n'

#: Queues of ns-3 and Linux with an equivalent here, and that equivalent.
NS3_QUEUES = {
    "red": f'kind = "red"\ndialect = "ns3"\nlimit = "200 pkts"\nidle_rate = "10 Mbit/s"\n{_THRESHOLDS}',
    "adaptmaxp": f'kind = "ared"\ndialect = "ns2"\nlimit = "200 pkts"\nbottom = 0.01\n{_THRESHOLDS}',
    "ared": 'kind = "ared"\ndialect = "ns2"\nlimit = "200 pkts"\nbottom = 0.01\nmean_packet = "1500 B"\n',
    "feng": f'kind = "feng"\ndialect = "ns3"\nlimit = "200 pkts"\n{_THRESHOLDS}',
    "nlred": f'kind = "nlred"\nlimit = "200 pkts"\nabove_max = "gentle_from_max_p"\n{_THRESHOLDS}{_COUNT}',
    "fifo": 'kind = "droptail"\nlimit = "200 pkts"\n',
    "codel": 'kind = "codel"\ndialect = "ns3"\nlimit = "200 pkts"\n',
    "cobalt": 'kind = "cobalt"\ndialect = "ns3"\nlimit = "200 pkts"\n',
    "pie": 'kind = "pie"\ndialect = "ns3"\nlimit = "200 pkts"\n',
    "fq_codel": 'kind = "fq_codel"\ndialect = "ns3"\nlimit = "200 pkts"\necn = false\n',
    "fq_cobalt": 'kind = "fq_cobalt"\ndialect = "ns3"\nlimit = "200 pkts"\necn = false\n',
    "fq_pie": 'kind = "fq_pie"\ndialect = "ns3"\nlimit = "200 pkts"\n',
}
#: RED is the leaf of a class of HTB there, which asks no empty queue for a packet: it never learns that it is idle.
LINUX_QUEUES = {
    "pfifo": 'kind = "droptail"\nlimit = "100 pkts"\n',
    "red": 'kind = "red"\ndialect = "linux"\nlimit = "150000 B"\nmin_th = "15000 B"\nmax_th = "45000 B"\nmax_p = 0.1\n'
    'burst = 20\nmean_packet = "1500 B"\nidle_from = "never"\n',
    "pie": 'kind = "pie"\ndialect = "linux"\nlimit = "100 pkts"\n',
    "codel": 'kind = "codel"\ndialect = "linux"\nlimit = "100 pkts"\n',
    "fq_codel": 'kind = "fq_codel"\ndialect = "linux"\n',
    "cake": 'kind = "cake"\ndialect = "linux"\n',
    "gred": 'kind = "gred"\ndialect = "linux"\nlimit_binds = false\ndp_limit = ["150000 B"]\nmin_th = ["15000 B"]\n'
    'max_th = ["45000 B"]\nprobability = [0.1]\nprio = [8]\nburst = [20]\nmean_packet = "1500 B"\n',
    "choke": 'kind = "choke"\nlimit = "100 pkts"\nspacing = "cycle"\nw_q = 0.125\nmin_th = "15 pkts"\n'
    'max_th = "45 pkts"\nmax_p = 0.1\nidle_from = "never"\n',
    "sfb": 'kind = "sfb"\nlimit = "100 pkts"\nincrement = 0.0005\ndecrement = 0.00005\n',
    "sfq": 'kind = "sfq"\ndialect = "linux"\nlimit = "100 pkts"\n',
    "fq_pie": 'kind = "fq_pie"\ndialect = "linux"\n',
    "dualpi2": 'kind = "dualpi2"\ndialect = "linux"\n',
}
#: The kernel's RED does not adapt: `tc -d` shows the probability it was given.
LINUX_QUEUES["red_adaptive"] = LINUX_QUEUES["red"]
#: Disciplines that mark whatever is capable, without a switch.
MARKS_ALWAYS = ("cake",)
NS3_CONTROLS = {
    "TcpNewReno": 'cc = "reno"',
    "TcpCubic": 'cc = "cubic"\ncubic_rule = "ns3"\nhystart = "ns3"',
}
#: Segments of the receive window of the kernel at hand: 512 MB of memory bound tcp_rmem to 4,031,808 bytes, of which
#: 2,550,016 are window.
WINDOW = 1761
LINUX_CONTROLS = {
    "cubic": 'cc = "cubic"\nhandshake_rtt = true',
    "dctcp": 'cc = "dctcp"\necn_rule = "dctcp"',
    "vegas": 'cc = "vegas"\ninitial_window = 11',
    "htcp": 'cc = "htcp"\nhandshake_rtt = true',
    "westwood": 'cc = "westwood"\nhandshake_rtt = true',
    "illinois": 'cc = "illinois"\nhandshake_rtt = true',
}


def ns3(row: Row) -> str:
    """N long flows, 10 Mbit/s with 80 % of the round trip, 100 Mbit/s access with 10 % on each side.

    ns-3's device holds one packet between the discipline and the wire (``ring``): a busy link adds a packet time that
    the discipline does not see.
    """
    rtt = float(row["rtt_ms"])
    return f"""\
[run]
duration = "{row["T"]} s"
warmup = "{row["warm"]} s"

[dumbbell]
rate = "10 Mbit/s"
delay = "{rtt * 0.4:g} ms"
ring = 1
access_rate = "100 Mbit/s"
access_delay = "{rtt * 0.05:g} ms"
exit_delay = "{rtt * 0.05:g} ms"
access_queue = "100000 pkts"

[queue]
{NS3_QUEUES[row["aqm"]]}
[back_queue]
kind = "droptail"
limit = "100000 pkts"

[flows.tcp]
count = {row["n"]}
profile = "ns3"
{NS3_CONTROLS[row["tcp"]]}
recovery = "sack"
mss = "1448 B"
window = 2762
min_rto = "1 s"
ack_every = 2
start = "uniform 0 s to 1 s"
"""


def ns3_numbers(run: dict[str, Any]) -> dict[str, float]:
    """The columns of ns-3's table.

    The sojourn there is taken where the root's Dequeue trace fires, which it does for packets that CoDel or COBALT then
    drop, too: the mean of all that left, not of those sent.
    """
    link = run["links"]["bottleneck"]
    seconds = run["simulated_s"] - run["warmup_s"]
    drops = link["early_pkts"] + link["forced_pkts"] + link["overflow_pkts"]
    rates = [flow["goodput_bytes"] for flow in run["flows"]]
    return {
        "goodput_Mbps": sum(rates) * 8 / seconds / 1e6,
        "drop_rate": drops / max(1, link["arrived_pkts"]),
        "soj_mean_ms": link["left_ms"]["mean"],
        "soj_p95_ms": link["left_ms"]["p95"],
        "qlen_mean_pkts": link["queue_pkts_mean"],
        "jain": sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates)),
    }


def linux(row: Row) -> str:
    """Flows through a shaper; all delay on the return path; 1514 bytes of Ethernet are counted.

    The shaper is that of the kernel's rig, a class of HTB with a burst of 1600 bytes: after a pause two packets leave
    at once. The link behind it takes next to no time. PIE's timer runs since long before the first data.
    """
    running = 'first_update = "16 ms"\n' if row["Q"] in ("pie", "fq_pie") else ""
    shaper = f"""\
[queue]
kind = "htb"
limit = "1000000 pkts"
leaf_of = [0]

[[queue.classes]]
rate = "{row["RATE"].removesuffix("mbit")} Mbit/s"

[queue.classes.child]
{_linux_queue(row)}{running}{_queue_ecn(row)}
"""
    delay_ms = f"{float(row['DELAY'].removesuffix('ms')):g}"
    return _linux_network(row, "100 Gbit/s", ("100 Gbit/s", delay_ms), shaper)


def linux_on_link(row: Row) -> str:
    """The same with a link in place of the shaper, for real packets.

    The shaper lets a packet go as its time begins, a link has sent it as its time ends: the return path is shorter
    by it.
    """
    rate = float(row["RATE"].removesuffix("mbit"))
    delay_ms = f"{float(row['DELAY'].removesuffix('ms')) - 1514 * 8 / (rate * 1e3):.4f}"
    queue = f"[queue]\n{_linux_queue(row)}{_queue_ecn(row)}\n"
    return _linux_network(row, f"{row['RATE'].removesuffix('mbit')} Mbit/s", ("10 Gbit/s", delay_ms), queue)


def _linux_network(row: Row, rate: str, back: tuple[str, str], queue: str) -> str:
    """The dumbbell and its flows; ``back`` is the rate of the return path and its delay in ms."""
    flows = "".join(linux_flow(row, index) for index in range(int(row["N"])))
    return f"""\
[run]
duration = "{row["T"]} s"
warmup = "{float(row["T"]) / 4:g} s"

[dumbbell]
rate = "{rate}"
delay = "0 s"
access_rate = "0 bit/s"
access_delay = "0 s"
exit_delay = "0 s"

[dumbbell.back]
rate = "{back[0]}"
delay = "{back[1]} ms"

{queue}
{flows}"""


def linux_flow(row: Row, index: int) -> str:
    """One of the connections that iperf3 opens one by one, each with a few bytes; then data leave on all at once.

    So the senders know the path without a queue, as from the handshake (``handshake_rtt``), and the receivers
    reckon their rounds from different times.
    """
    rtt_ms = float(row["DELAY"].removesuffix("ms"))
    opens_ms = index * rtt_ms
    return f"""
[flows.tcp{index}]
count = 1
profile = "linux-7.3"
{LINUX_CONTROLS.get(row["CC"], f'cc = "{row["CC"]}"')}
headers = "66 B"
ack_size = "66 B"
window = {WINDOW}
initial_ssthresh = 1000000
{_ecn(row)}
start = "uniform {opens_ms:g} ms to {opens_ms + 0.1:g} ms"
open_wait = "{(int(row["N"]) - index) * rtt_ms + 0.9:g} ms"
"""


def _linux_queue(row: Row) -> str:
    """The discipline of a row, with its own limit in packets where it has one."""
    text = LINUX_QUEUES[row["Q"]]
    return text.replace('"100 pkts"', f'"{row["PKTS"]} pkts"') if row.get("PKTS") else text


def _queue_ecn(row: Row) -> str:
    return "" if row["Q"] in MARKS_ALWAYS else _ecn(row)


def _ecn(row: Row) -> str:
    return "ecn = true" if row["ECN"] == "1" else ""


def linux_numbers(run: dict[str, Any]) -> dict[str, float]:
    """The columns of Linux's table."""
    link = run["links"]["bottleneck"]
    seconds = run["simulated_s"] - run["warmup_s"]
    flows = run["flows"]
    return {
        "goodput_mbps": sum(flow["goodput_bytes"] for flow in flows) * 8 / seconds / 1e6,
        "backlog_mean": link["queue_bytes_mean"],
        "drops": sum(account["dropped"]["pkts"] for account in run["conservation"]),
    }
