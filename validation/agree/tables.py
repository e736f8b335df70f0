"""Means over seeds against every row of the recorded tables of ns-2.35, ns-3 and Linux."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import dropcurve as dc

from . import (
    dumbbells,
    friendliness,
    live,
    means,
    numbers,
    offered,
    offered_ns3,
    other_stacks,
    two_bottlenecks,
)
from .cases import AgreementCase, Area
from .context import Context

Row = Mapping[str, str]
Numbers = dict[str, float]

METHOD = (
    "The same scenario with the matching dialect and profile, at least ten seeds (twice the recorded number "
    "if that is more). Means agree within the 95 % interval of their difference, or 3 %, whichever is "
    "larger; a row is within if all its columns are."
)
#: Replications, unless the reference has more than half as many.
REPLICATIONS = 10
#: Runs of ns-2 on a row that is outside.
LIVE_SEEDS = 20


@dataclass(frozen=True)
class AgreementTable:
    """A recorded table: its path, the name and settings of a row, and the columns compared, each with the least
    distance that counts as agreement (for numbers near 0)."""

    key: str
    path: tuple[str, ...]
    title: str
    against: str
    name: Callable[[Row], str]
    scenario: Callable[[Row], str]
    numbers: Callable[[dict[str, Any], Row], Numbers]
    columns: Mapping[str, float]
    missing: Callable[[Row], str] = lambda row: ""
    note: str = ""
    #: The settings of a row that is a mean over several: each gets its share of our runs.
    parts: Callable[[Row], Sequence[Row]] = lambda row: [row]


def compare(table: AgreementTable, context: Context) -> Area:
    """All rows of a table."""
    rows = context.csv(*table.path)
    rows = rows[:: max(1, len(rows) // 3)] if context.quick else rows
    again = context.csv(f"{table.key}_more.csv")
    cases = context.each(table.key, rows, partial(case, table, context, again))
    return Area(table.key, table.title, table.against, f"{METHOD} {table.note}".strip(), cases)


def case(table: AgreementTable, context: Context, again: Sequence[Row], row: Row) -> AgreementCase:
    """One row: the missing part, or the comparison with our runs. One recorded again with more seeds stands for the
    first."""
    name = table.name(row)
    missing = table.missing(row) or absent(table.scenario, row)
    if missing:
        return AgreementCase(name, missing=missing)
    more = recorded_again(again, row)
    compared = compare_row(table, context, more or row)
    if compared.verdict == "outside" and context.live and table.key in live.TABLES and live.available():
        compared = compare_row(table, context, live.record(table.key, row, LIVE_SEEDS, context))
        return replace(compared, note=f"{compared.note}; ns-2 run just now")
    return replace(compared, note=f"{compared.note}; recorded again, with more seeds") if more else compared


def compare_row(table: AgreementTable, context: Context, row: Row) -> AgreementCase:
    """Compares our runs with a recorded row."""
    replications = 4 if context.quick else max(REPLICATIONS, 2 * int(row["seeds"]))
    parts = table.parts(row)
    scenarios = [dc.Scenario.parse(table.scenario(part)) for part in parts]
    each = -(-replications // len(parts))
    replications = each * len(parts)
    each_row = [context.runs(one, each, lambda run: table.numbers(run, row)) for one in scenarios]
    runs = [run for some in each_row for run in some]
    figures = [
        means.figure(column, row, column, runs, floor=floor) for column, floor in table.columns.items()
    ]
    return AgreementCase(
        table.name(row), tuple(figures), note=f"{row['seeds']} seeds there, {replications} here"
    )


def recorded_again(rows: Sequence[Row], row: Row) -> Row | None:
    """The same row of the project's own `TABLE_more.csv`, if there is one."""
    for one in rows:
        keys = list(one)[: list(one).index("seeds")]
        if all(one[key] == row[key] for key in keys):
            return one
    return None


def absent(build: Callable[[Row], str], row: Row) -> str:
    """The part a row needs that does not exist yet: an unknown queue, congestion control or dialect."""
    try:
        dc.Scenario.parse(build(row))
    except KeyError as error:
        return str(error.args[0])
    except dc.ScenarioError as error:
        values = [
            problem.value for problem in error.problems if problem.path.rsplit(".", 1)[-1] in ("cc", "kind")
        ]
        if not values:
            raise
        return ", ".join(values)
    return ""


def headers(row: Row) -> int:
    """Bytes of header on each segment of ns-2."""
    return 0 if row["profile"] == "era" else 40


def one_size(wire: int, run: dict[str, Any], row: Row) -> Numbers:
    """A bottleneck and flows of one packet size, header bytes counted as ns-2 counts them."""
    extra = headers(row)
    return numbers.tcp(run, headers=extra, mss=wire - extra) | numbers.link(run)


def by_size(run: dict[str, Any], row: Row) -> Numbers:
    """The columns of the table of packet sizes."""
    columns = numbers.link(run) | {"plr": numbers.link(run)["loss"]}
    for size in (1500, 750, 375):
        flows = [flow for flow in run["flows"] if flow["group"] == f"b{size}"]
        tcp = numbers.tcp(run, headers=0, mss=size, flows=flows)
        columns |= {
            f"good_{size}": tcp["goodput_bps"] / 1e6,
            f"plr_{size}": tcp["loss"],
            f"to_{size}": tcp["timeouts"],
        }
    return columns


def wtred_name(row: Row) -> str:
    """Name of a row: the values that set it apart."""
    parts = [row["aqm"], f"buffer {row['buf']}"]
    if row["aqm"] == "RED":
        parts += [f"thresholds {'40/70 %' if row['thr'] == 'pct' else '5/15'}", f"w_q {row['wq']}"]
        parts += [f"max_p {row['maxp']}"] if row["maxp"] != "0.1" else []
        parts += ["gentle"] if row["gentle"] == "true" else []
        parts += ["no wait"] if row["wait"] == "false" else []
    parts += [f"window {row['window']}"] if row["window"] != "1000" else []
    parts += ["overhead 0.5 ms"] if row["overhead"] != "0" else []
    parts += ["2.35"] if row["profile"] != "era" else []
    return ", ".join(parts)


def long_and_web(run: dict[str, Any], row: Row) -> Numbers:
    """The columns of the table of long transfers and web sessions: rates are those of the long ones."""
    long = [flow for flow in run["flows"] if flow["group"] == "ftp"]
    tcp = numbers.tcp(run, headers=40, mss=960, flows=long)
    link = numbers.link(run)
    web = [flow["objects"]["begun"] for flow in run["flows"] if flow["group"] == "web"]
    return link | {
        "drop_rate": link["loss"],
        "ftp_goodput_bps": tcp["goodput_bps"],
        "jain_ftp": tcp["jain"],
        "http_objs": float(sum(web)),
    }


def cnodder_name(row: Row) -> str:
    """Name of a row: the values that set it apart."""
    thresholds = f"thresholds {row['minth']}/{row['maxth']}"
    wait = "" if row["wait"] == "true" else ", no wait"
    return f"{row['variant']}, {row['tcp']}, {float(row['delay']) * 1e3:g} ms, {thresholds}{wait}"


def dsilva_name(row: Row) -> str:
    """Name of a row: the values that set it apart."""
    queue = f"{row['aqm']} {row['qbytes']} B, thresholds {row['minth']}/{row['maxth']}, max_p {row['maxp']}"
    load = f"segment {row['seg']}, {float(row['rtt']) * 1e3:g} ms, UDP {row['udp']}"
    return f"{row['set']}: {queue}, {load}"


def hassan_name(row: Row) -> str:
    """Name of a row: the values that set it apart."""
    parts = [row["case"], f"n {row['n']}", row["aqm"], f"window {row['window']}", row["profile"]]
    parts += ["gentle"] if row["gentle"] == "true" else []
    parts += [row["knobs"].replace("Agent/", "")] if row.get("knobs", "-") != "-" else []
    parts += [row["sink"]] if row.get("sink", "Sack1") != "Sack1" else []
    parts += ["no wait"] if row["wait"] == "false" else []
    parts += ["Adaptive RED"] if row.get("adaptive", "0") == "1" else []
    parts += ["limits in bytes"] if row.get("qib", "false") == "true" else []
    parts += [f"mean packet {row['meanpkt']}"] if row["meanpkt"] != "1000" else []
    extras = [(name, row.get(name, "0")) for name in ("overhead", "jitter_delay")]
    parts += [f"{name} {value} s" for name, value in extras if value != "0"]
    return ", ".join(parts)


def ns3_missing(row: Row) -> str:
    """A queue or a congestion control that is not there."""
    known = row["aqm"] in other_stacks.NS3_QUEUES
    return "" if known else f"ns-3's {row['aqm']}"


def linux_missing(row: Row) -> str:
    """Likewise."""
    known = row["Q"] in other_stacks.LINUX_QUEUES
    return "" if known else row["Q"]


FRIENDLY_COLUMNS = {"Fr": 0.0, "tcp_bps": 0.0, "tfrc_bps": 0.0, "loss": 1e-4, "qmean": 0.1, "util": 0.0}
LINUX_COLUMNS = {"goodput_mbps": 0.0, "backlog_mean": 100.0, "drops": 1.0}
LINUX_DELAYS = (
    "Seeds change almost nothing in the kernel: over four seeds the drops under pfifo have a standard deviation of 0.8 "
    "of 121, but a round trip of 39.8 ms brings 144. So the table compares runs with eight round trips of 39.3 to "
    "40.9 ms on both sides."
)


def linux_parts(row: Row) -> list[Row]:
    """The round trips that a row is the mean over."""
    return [{**row, "DELAY": f"{ms}ms"} for ms in (39.3, 39.6, 39.8, 40.0, 40.1, 40.3, 40.6, 40.9)]


OFFERED_COLUMNS = {
    **{"loss": 1e-4, "util": 0.0, "qmean": 0.1, "qdelay_ms": 0.05},
    **{f"loss_{i}": 1e-4 for i in range(offered.MOST)},
}
LINK_COLUMNS = {"goodput_bps": 0.0, "loss": 1e-4, "qmean": 0.1, "qdelay_ms": 0.05, "ave_mean": 0.1}

TABLES = (
    AgreementTable(
        "wtred", ("ns2", "wtred.csv"), "Five Reno flows over tail drop and RED", "ns-2.35", wtred_name,
        dumbbells.wtred, partial(one_size, 552), {**LINK_COLUMNS, "timeouts": 1.0, "jain": 0.01},
    ),
    AgreementTable(
        "cnodder", ("ns2", "cnodder.csv"), "Three packet sizes over RED", "ns-2.35",
        cnodder_name, dumbbells.cnodder, by_size,
        {"good_1500": 0.0, "good_750": 0.0, "good_375": 0.0, "plr": 1e-4, "plr_1500": 1e-4, "plr_750": 1e-4,
         "plr_375": 1e-4, "qmean": 0.1, "qmean_bytes": 100.0, "util": 0.0},
    ),
    AgreementTable(
        "dsilva", ("ns2", "dsilva.csv"), "TCP and UDP over two bottlenecks", "ns-2.35",
        dsilva_name, two_bottlenecks.scenario, lambda run, row: two_bottlenecks.numbers(run),
        {"tcp_good_Bps": 50.0, "udp_good_Bps": 0.0, "loss12": 1e-3, "loss23": 1e-3, "timeouts": 1.0},
    ),
    AgreementTable(
        "redat", ("ns2", "redat.csv"), "Long transfers and web sessions over RED", "ns-2.35",
        lambda row: f"{row['scheme']}, N {row['N']}, {row['rate']}" + ("" if row["wait"] == "true" else ", no wait"),
        dumbbells.redat_web, long_and_web,
        {"drop_rate": 1e-4, "early_frac": 0.01, "util": 0.0, "ftp_goodput_bps": 0.0, "jain_ftp": 0.01, "http_objs": 1.0,
         "qmean": 0.1, "ave_mean": 0.1, "qdelay_ms": 0.05},
    ),
    AgreementTable(
        "redat_ftp", ("redat_ftp.csv",), "Long transfers alone over RED", "ns-2.35",
        lambda row: f"{row['scheme']}, N {row['N']}" + ("" if row["wait"] == "true" else ", no wait"),
        dumbbells.redat, partial(one_size, 1000), {**LINK_COLUMNS, "timeouts": 1.0, "jain": 0.01},
        note="Recorded with the project's own script: the study without its web sessions.",
    ),
    AgreementTable(
        "hassan_tcp", ("hassan_tcp.csv",), "SACK alone over RED", "ns-2.35",
        hassan_name,
        dumbbells.hassan, partial(one_size, 1000), {**LINK_COLUMNS, "timeouts": 1.0, "jain": 0.01},
        note="Recorded with the project's own script: the study without its TFRC flows.",
    ),
    AgreementTable(
        "hassan", ("ns2", "hassan.csv"), "TFRC and SACK over RED", "ns-2.35", hassan_name,
        friendliness.scenario, friendliness.numbers, FRIENDLY_COLUMNS, friendliness.missing,
    ),
    AgreementTable(
        "hassan_knobs", ("ns2", "hassan_knobs.csv"), "TFRC and SACK over RED, one setting changed", "ns-2.35",
        hassan_name,
        friendliness.scenario, friendliness.numbers, FRIENDLY_COLUMNS, friendliness.missing,
    ),
    AgreementTable(
        "offered", ("offered.csv",), "Disciplines of ns-2 under streams without congestion control", "ns-2.35",
        lambda row: row["name"], offered.scenario, lambda run, row: offered.numbers(run), OFFERED_COLUMNS,
        note="Recorded with the project's own script: Poisson streams into one queue, without a transport.",
    ),
    AgreementTable(
        "offered_ns3", ("offered_ns3.csv",), "Disciplines of ns-3 under streams without congestion control", "ns-3.37",
        lambda row: row["name"], offered_ns3.scenario, lambda run, row: offered.numbers(run), OFFERED_COLUMNS,
        note="Recorded with the project's own program: Poisson streams into one queue, without a transport.",
    ),
    AgreementTable(
        "ns3", ("ns3", "aqm_dumbbell.csv"), "Long flows over ns-3's disciplines", "ns-3.37",
        lambda row: f"{row['aqm']}, {row['tcp']}, {row['n']} flows, {row['rtt_ms']} ms",
        other_stacks.ns3, lambda run, row: other_stacks.ns3_numbers(run),
        {"goodput_Mbps": 0.0, "drop_rate": 1e-4, "soj_mean_ms": 0.1, "soj_p95_ms": 0.1, "qlen_mean_pkts": 0.1},
        ns3_missing,
    ),
    AgreementTable(
        "linux", ("linux", "uml.csv"), "Four flows over Linux's disciplines", "Linux 7.3.4",
        lambda row: f"{row['Q']}, {row['CC']}" + (", ECN" if row["ECN"] == "1" else ""),
        other_stacks.linux, lambda run, row: other_stacks.linux_numbers(run),
        LINUX_COLUMNS, linux_missing,
    ),
    AgreementTable(
        "linux_delays", ("linux_delays.csv",), "Four flows over Linux's disciplines, with other delays", "Linux 7.3.4",
        lambda row: f"{row['Q']}, {row['CC']}", other_stacks.linux, lambda run, row: other_stacks.linux_numbers(run),
        LINUX_COLUMNS, linux_missing, LINUX_DELAYS, linux_parts,
    ),
)  # fmt: skip
