"""The recorded tables of ns-2.35 that come from one bottleneck: WTRED, RED-AT, De Cnodder, Hassan.

Each row of a table is a scenario with the dialect and the profile of its columns; means over seeds are compared.
"""

from __future__ import annotations

from collections.abc import Mapping

Row = Mapping[str, str]


def profile(row: Row) -> str:
    """Our profile for that of a row."""
    return "ns2-2000" if row["profile"] == "era" else "ns2-2.35"


def red(row: Row, *, limit: str, low: str, high: str, mean_packet: str) -> str:
    """The queue of a row: RED under a script that sets everything, or tail drop."""
    if row.get("aqm", row.get("scheme")) == "DropTail":
        return f'kind = "droptail"\ndialect = "ns2"\nlimit = "{limit} pkts"\n'
    in_bytes = row.get("qib") == "true"
    lines = [
        'kind = "red"',
        'dialect = "ns2_explicit"',
        f'limit = "{limit} pkts"',
        f'min_th = "{low} pkts"',
        f'max_th = "{high} pkts"',
        f"max_p = {row['maxp']}",
        f"w_q = {row['wq']}",
        f'mean_packet = "{mean_packet} B"',
    ]
    lines += ['spacing = "pseudocode"'] if row.get("wait") == "false" else []
    lines += ['above_max = "gentle"'] if row.get("gentle") == "true" else []
    lines += ['byte_mode = "ns2"'] if row.get("bytes") == "true" else []
    lines += ['unit = "bytes"'] if in_bytes else []
    return "\n".join(lines) + "\n"


def wtred(row: Row) -> str:
    """Five Reno flows, 10 Mbit/s, 552 bytes on the wire."""
    percent = row["thr"] == "pct"
    size = int(row["buf"])
    low, high = (f"{0.4 * size:g}", f"{0.7 * size:g}") if percent else (row["minth"], row["maxth"])
    headers = 0 if row["profile"] == "era" else 40
    overhead = float(row["overhead"])
    return f"""\
[run]
duration = "{row["dur"]} s"
warmup = "{row["tmeas"]} s"

[dumbbell]
rate = "10 Mbit/s"
delay = "5 ms"
access_rate = "10 Mbit/s"
access_delay = "even 1 ms to 5 ms"
access_queue = "2000 pkts"
exit_rate = "0 bit/s"
exit_delay = "0 s"

[queue]
{red(row, limit=row["buf"], low=low, high=high, mean_packet="552")}
[flows.tcp]
count = 5
profile = "{profile(row)}"
recovery = "reno"
mss = "{552 - headers} B"
window = {row["window"]}
overhead = "{overhead * 1e3:g} ms"
start = "uniform 0 s to 1 s"
"""


def cnodder(row: Row) -> str:
    """Three groups of twenty flows with packets of 1500, 750 and 375 bytes, 30 Mbit/s."""
    groups = "\n".join(
        f"""\
[flows.b{size}]
count = 20
profile = "{profile(row)}"
recovery = "{row["tcp"].lower()}"
tick = "{float(row["tick"]) * 1e3:g} ms"
mss = "{size} B"
window = 1000
start = "uniform 0 s to 2 s"
"""
        for size in (1500, 750, 375)
    )
    queue = red(row, limit=row["buf"], low=row["minth"], high=row["maxth"], mean_packet=row["meanpkt"])
    return f"""\
[run]
duration = "{row["dur"]} s"
warmup = "{row["tmeas"]} s"

[dumbbell]
rate = "30 Mbit/s"
delay = "{float(row["delay"]) * 1e3:g} ms"
access_rate = "100 Mbit/s"
access_delay = "even 1 ms to 2.9 ms"
exit_delay = "1 ms"
access_queue = "5000 pkts"

[queue]
{queue}
[back_queue]
kind = "droptail"
limit = "5000 pkts"

{groups}"""


#: Schemes of the RED-AT table that are kinds of their own: kind, dialect, and further settings of the script.
REDAT_SCHEMES = {
    "ARED": ("ared", "ns2", ""),
    "ARED_ng": ("ared", "ns2", 'above_max = "drop"\n'),
    "FENG": ("feng", "ns3", 'above_max = "drop"\nlimit_test = "before"\ndraws = "always"\n'),
}


def redat_queue(row: Row) -> str:
    """RED, gentle, adaptive after Floyd or Feng, or tail drop."""
    queue = red(row, limit=row["buf"], low=row["minth"], high=row["maxth"], mean_packet="1000")
    if row["scheme"] in REDAT_SCHEMES:
        kind, dialect, more = REDAT_SCHEMES[row["scheme"]]
        queue = (
            queue.replace('kind = "red"', f'kind = "{kind}"').replace('"ns2_explicit"', f'"{dialect}"') + more
        )
    return queue + ('above_max = "gentle"\n' if row["scheme"] == "GRED" else "")


def redat(row: Row) -> str:
    """NewReno transfers with round trips spread evenly."""
    return redat_network(row) + redat_flows(row, "ftp", int(row["N"]), "even 1 ms to 9 ms")


def redat_web(row: Row) -> str:
    """The same, but three in ten, spread evenly over the round trips, are web users."""
    n = int(row["N"])
    web = int(0.3 * n + 0.5)
    users = [(i + 1) * web // n > i * web // n for i in range(n)]
    delays = [1 + 8 * i / (n - 1) for i in range(n)]

    def listed(kind: bool) -> str:
        chosen = [delay for delay, is_web in zip(delays, users, strict=True) if is_web == kind]
        return "[" + ", ".join(f'"{delay:.9g} ms"' for delay in chosen) + "]"

    return (
        redat_network(row)
        + redat_flows(row, "ftp", n - web, listed(False))
        + redat_flows(row, "web", web, listed(True))
        + """source = "http"
size = "pareto 11520 B shape 1.2"
size_of = "segments"
think = "exponential 500 ms"
"""
    )


def redat_flows(row: Row, name: str, count: int, delay: str) -> str:
    """A group of the study."""
    delay = delay if delay.startswith("[") else f'"{delay}"'
    return f"""
[flows.{name}]
count = {count}
profile = "{profile(row)}"
recovery = "newreno"
mss = "960 B"
window = {row["window"]}
start = "uniform 0 s to 5 s"
access_delay = {delay}
"""


def redat_network(row: Row) -> str:
    """All but the flows. Behind tail drop arrivals and departures keep step, and their order decides which flow is
    locked out: there time is counted as in ns-2."""
    clock = "doubles" if row["scheme"] == "DropTail" else "nanoseconds"
    return f"""\
[run]
duration = "{row["dur"]} s"
warmup = "{row["tmeas"]} s"
clock = "{clock}"

[dumbbell]
rate = "{row["rate"].removesuffix("Mb")} Mbit/s"
delay = "{float(row["delay"]) * 1e3:g} ms"
access_rate = "100 Mbit/s"
access_delay = "even 1 ms to 9 ms"
exit_rate = "0 bit/s"
exit_delay = "0 s"
access_queue = "2000 pkts"

[queue]
{redat_queue(row)}
[back_queue]
kind = "droptail"
limit = "2000 pkts"
"""


def hassan(row: Row) -> str:
    """SACK flows over RED in both directions, 1.5 Mbit/s."""
    queue = red(row, limit=row["buf"], low=row["minth"], high=row["maxth"], mean_packet=row["meanpkt"])
    mss = 1000 if row["profile"] == "era" else 960
    return f"""\
[run]
duration = "{row["dur"]} s"
warmup = "{row["tmeas"]} s"

[dumbbell]
rate = "1.5 Mbit/s"
delay = "20 ms"
access_rate = "10 Mbit/s"
access_delay = "6 ms"
exit_delay = "6 ms"

[queue]
{queue}
[back_queue]
{queue}
[flows.tcp]
count = {row["n"]}
profile = "{profile(row)}"
recovery = "sack1"
mss = "{mss} B"
window = {row["window"]}
start = "uniform 0 s to 5 s"
"""
