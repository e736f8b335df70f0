"""Runs ns-2 and compares it with the simulator: ``make agree LIVE=1``.

Single flows under losses, queues and settings without a recording, drawn from fixed seeds (`ns2/single.tcl`,
`tfrc.tcl`, `rap.tcl`), and rows of the recorded tables (`dumbbell.tcl`).
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from . import live, ns2_packets, rate_packets, tables
from .cases import AgreementCase, Area
from .context import Context

TITLE = "ns-2, run just now: packet by packet"
METHOD = (
    "Single flows drawn for this comparison: flavour, window, queue, path, losses both ways and up to four settings of "
    "ns-2's TCP for each; TFRC and RAP as in the tables above with other draws. The figures are those of the recorded "
    "runs."
)
MEANS_TITLE = "ns-2, run just now: means"
MEANS_METHOD = "Rows of the recorded tables, run again by the project's own script with {seeds} seeds."
#: How many runs of each kind, in a sample and in all.
COUNTS = {"sample": {"tcp": 24, "tfrc": 6, "rap": 4}, "all": {"tcp": 300, "tfrc": 56, "rap": 28}}
SEEDS = {"sample": 4, "all": 8}

#: Settings by owner.
SETTINGS: dict[str, tuple[str, ...]] = {
    "TCP": (
        "ecn_:1", "maxcwnd_:12", "exitFastRetrans_:true", "exitFastRetrans_:false", "syn_:true",
        "syn_:false", "numdupacks_:2", "numdupacks_:5", "delay_growth_:true", "delay_growth_:false",
        "rfc2988_:false", "rfc2988_:true", "precisionReduce_:true", "precisionReduce_:false",
        "minrto_:0", "minrto_:1", "maxburst_:3", "maxburst_:5", "bugFix_:false", "windowInit_:4",
        "windowInit_:10", "timerfix_:true", "timerfix_:false", "oldCode_:true", "oldCode_:false",
        "bugfix_ss_:0", "bugfix_ss_:1", "tcpTick_:0.5", "tcpTick_:0.1", "tcpTick_:0.01", "singledup_:1",
        "singledup_:0", "maxrto_:4",
    ),
    "TCP/Newreno": (
        "partial_window_deflation_:1", "partial_window_deflation_:0", "newreno_changes1_:0", "newreno_changes1_:1",
        "exit_recovery_fix_:1",
    ),
    "TCPSink": ("RFC2581_immediate_ack_:false", "maxSackBlocks_:1", "maxSackBlocks_:2"),
    "TCPSink/DelAck": ("interval_:0.05", "interval_:0.2"),
    "TCPSink/Sack1/DelAck": ("interval_:0.05", "interval_:0.2"),
}  # fmt: skip
#: Settings that Vegas uses.
VEGAS_SETTINGS = ("maxrto_", "minrto_", "tcpTick_", "interval_", "maxcwnd_")


def compare(context: Context) -> Area:
    """Drawn single flows, if there is an ns-2."""
    if not live.available():
        return Area("live_ns2", TITLE, "ns-2.35", METHOD, [live.absent("ns-2", "ns (Debian: ns2)")])
    counts = COUNTS[context.live or "sample"]
    if context.quick:
        counts = {"tcp": 3, "tfrc": 1, "rap": 1}
    cases = context.each("ns-2 live, TCP", range(1, counts["tcp"] + 1), partial(tcp, context))
    for name in ("tfrc", "rap"):
        first = rate_packets.TESTED[name].runs
        draws = range(first, first + counts[name])
        cases += context.each(f"ns-2 live, {name.upper()}", draws, partial(rated, context, name))
    return Area("live_ns2", TITLE, "ns-2.35", METHOD, cases)


def compare_means(context: Context) -> Area:
    """Rows of the tables that the script can run: one of each, or all."""
    key, sample = "live_ns2_means", context.live != "all"
    seeds = SEEDS[context.live or "sample"]
    method = MEANS_METHOD.format(seeds=seeds)
    if not live.available():
        return Area(key, MEANS_TITLE, "ns-2.35", method, [live.absent("ns-2", "ns (Debian: ns2)")])
    cases = []
    for table in (table for table in tables.TABLES if table.key in live.TABLES):
        rows = context.csv(*table.path)
        rows = rows[len(rows) // 2 :][:1] if sample else rows
        cases += context.each(f"ns-2 live, {table.key}", rows, partial(mean, context, table, seeds))
    return Area(key, MEANS_TITLE, "ns-2.35", method, cases)


def mean(context: Context, table: tables.AgreementTable, seeds: int, row: tables.Row) -> AgreementCase:
    """A row of a table, run by this command."""
    name = table.name(row)
    return live.attempt(
        name, lambda: tables.compare_row(table, context, live.record(table.key, row, seeds, context))
    )


def tcp(context: Context, seed: int) -> AgreementCase:
    """One drawn TCP."""
    keys = drawn(seed)
    settings = " ".join(f"{key}={value}" for key, value in keys.items())

    def work() -> AgreementCase:
        text = context.cached(f"ns2 single {settings}", lambda: run(keys))
        events = [(time, letter, number) for time, letter, number in text["events"]]
        windows = [(time, value) for time, value in text["windows"]]
        return ns2_packets.case(ns2_packets.RecordedFlow(text["keys"], events, windows))

    return live.attempt(settings[:60], work)


def rated(context: Context, name: str, draw: int) -> AgreementCase:
    """One drawn TFRC or RAP."""
    tested = rate_packets.TESTED[name]

    def work() -> AgreementCase:
        text = context.cached(f"ns2 {name} {draw}", lambda: rate_packets.record(tested, draw))
        case = rate_packets.case(rate_packets.parse(tested, *text.splitlines()))
        return replace(case, name=f"{name}, {case.name}")

    return live.attempt(f"{name}, draw {draw}", work)


def drawn(seed: int) -> dict[str, str]:
    """Returns the arguments of one run; a draw of this kind, not of any distribution that matters."""
    rng = random.Random(f"single {seed}")
    flavour = rng.choice(["Tahoe", "Reno", "Newreno", "Sack1", "Sack1", "Newreno", "Vegas"])
    sink = rng.choice(["Sack1", "Sack1/DelAck"] if flavour == "Sack1" else ["plain", "DelAck"])
    data, acks = rng.choice([0, 0, 0.01, 0.03, 0.08, 0.2]), rng.choice([0, 0, 0.03, 0.15])
    keys = {
        "tcp": flavour,
        "profile": rng.choice(["d235", "d235", "era"]),
        "sink": sink,
        "window": str(rng.choice([4, 8, 20, 30, 64, 100])),
        "limit": str(rng.choice([3, 5, 10, 25, 50, 1000])),
        "npkts": str(rng.choice([-1, -1, -1, 40, 150])),
        "dur": "20",
        "seed": str(seed),
        "drop": _positions(rng, data, 700),
        "adrop": _positions(rng, acks, 500),
        "variables": ",".join(_settings(rng, flavour)) or "-",
        "rate": rng.choice(["0.8Mb", "0.8Mb", "0.4Mb", "1Mb", "1.5Mb", "2Mb"]),
        "delay": rng.choice(["100ms", "100ms", "5ms", "20ms", "50ms"]),
    }
    return keys | {"mark": "-" if "ecn_" not in keys["variables"] or data else _positions(rng, 0.03, 700)}


def _positions(rng: random.Random, share: float, count: int) -> str:
    return ",".join(str(number) for number in range(count) if rng.random() < share) or "-"


def _settings(rng: random.Random, flavour: str) -> list[str]:
    values: dict[str, str] = {}
    for _ in range(rng.choice([0, 0, 1, 2, 4])):
        owner = rng.choice(list(SETTINGS))
        setting = rng.choice(SETTINGS[owner])
        name = setting.partition(":")[0]
        fits = (
            name in VEGAS_SETTINGS if flavour == "Vegas" else owner != "TCP/Newreno" or flavour == "Newreno"
        )
        if fits and name not in values:
            values[name] = f"Agent/{owner}:{setting}"
    return list(values.values())


def run(keys: dict[str, str]) -> dict[str, object]:
    """One run of ns-2: its keys with the totals, its events, and the changes of its window."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        words = [part for pair in keys.items() for part in pair]
        printed = dict(
            pair.split("=") for pair in live.run_program("single.tcl", *words, "out", str(out)).split()
        )
        packets = _events(out.with_suffix(".packets").read_text(encoding="utf-8").splitlines())
        windows = _windows(out.with_suffix(".windows").read_text(encoding="utf-8").splitlines())
    tick = 0.1 if keys["profile"] == "era" else 0.01
    set_ticks = [setting for setting in keys["variables"].split(",") if "tcpTick_" in setting]
    tick = float(set_ticks[0].rpartition(":")[2]) if set_ticks else tick
    totals = printed | {"boot": repr(float(printed["boot"]) * tick)}
    return {"keys": keys | totals, "events": packets, "windows": windows}


def _events(lines: Sequence[str]) -> list[ns2_packets.Event]:
    """Departures and arriving acknowledgements at the sender, and drops anywhere."""
    events = []
    for line in lines:
        what, time, start, end, kind, *rest = line.split()
        letter = ""
        if what == "d":
            letter = "X" if kind == "ack" else "D"
        elif (what, start, end) == ("+", "0", "1"):
            letter = "S"
        elif (what, start, end, kind) == ("r", "1", "0", "ack"):
            letter = "A"
        if letter:
            events.append((round(float(time) * 1e6), letter, int(rest[5])))
    return events


def _windows(lines: Sequence[str]) -> list[tuple[int, float]]:
    """The last window of each moment at which it changed."""
    by_time: dict[int, float] = {}
    for line in lines:
        time, *_, value = line.split()
        by_time[round(float(time) * 1e6)] = float(value)
    return list(by_time.items())


#: The two comparisons, by key.
COMPARISONS: dict[str, Callable[[Context], Area]] = {"live_ns2": compare, "live_ns2_means": compare_means}
