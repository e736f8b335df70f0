"""Dsilva: RED or tail drop where UDP overloads two bottlenecks in a row."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import dropcurve.studies as st
from dropcurve import metrics
from dropcurve.scenario import Scenario

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TEXTS = st.texts("dsilva")
TCP, UDP, BOTTLENECKS = ("tcp_n0", "tcp_n1", "tcp_n8"), ("udp_n5", "udp_n6"), ("n1_n2", "n2_n3")
SEGMENT = 536
QUEUES = (2000, 8000, 16000, 32000, 61440, 64000)
WINDOWS = ((2000, 2000), (8000, 8000), (16000, 16000), (64000, 32000), (64000, 64000))
THRESHOLDS = ((5, 15), (30, 90), (60, 180), (90, 270), (120, 360))
#: The fourth row of table 2 with its two columns exchanged.
SWAPPED = (32000, 64000)
MAX_P = ("1/4", "1/10", "1/20", "1/50", "1/80", "1/90")
#: The least max_p that the report tried; it prints no figure for it.
LEAST_P = "1/100"
RTTS = (10, 30, 50, 120)
RATES = (0.8, 1.0, 2.0)

#: How ns-3 sent in the years of the report, and how ns-2.35 does.
NS3 = {
    "profile": "ns3", "recovery": "newreno", "mss": "536 B", "headers": "42 B", "ack_size": "42 B",
    "initial_window": 1, "min_rto": "1 s", "ack_every": 2,
}  # fmt: skip
NS2 = {
    "profile": "ns2-2.35", "recovery": "newreno", "mss": "536 B", "headers": "42 B", "ack_size": "42 B",
    "initial_window": 1, "ack_every": 2,
}  # fmt: skip


def network(
    stack: Mapping[str, Any] = NS3, *, core_ms: float = 20, small: bool = False, within_s: float = 0.1
) -> Scenario:
    """Three TCP and two UDP sources to n4; the links n1-n2 and n2-n3 carry 1 Mbit/s."""
    edits: list[tuple[str, Any]] = [
        (f"flows.{name}.start", f"uniform 1 s to {1 + within_s:g} s") for name in (*TCP, *UDP)
    ]
    edits += [(f"flows.{name}.{key}", value) for name in TCP for key, value in stack.items()]
    edits += [(f"links.{name}.delay", f"{core_ms} ms") for name in BOTTLENECKS]
    edits += [(f"flows.{name}.mss", "128 B") for name in TCP] if small else []
    return Scenario.load("dsilva_red_droptail").edit(edits)


def window(scenario: Scenario, size_bytes: int) -> Scenario:
    """The scenario with this window of the receiver."""
    segment = int(str(scenario.get("flows.tcp_n0.mss")).split()[0])
    return scenario.edit([(f"flows.{name}.window", max(1, size_bytes // segment)) for name in TCP])


def queue(base: Scenario, keys: Mapping[str, Any]) -> Scenario:
    """The scenario with this queue at both bottlenecks."""
    return base.edit([(f"links.{one}.queue", dict(keys)) for one in BOTTLENECKS])


def red(
    base: Scenario, *, low: int, high: int, max_p: str, size_bytes: int = 64000, unit: str = "bytes"
) -> Scenario:
    """RED at both bottlenecks. The report states the limit in bytes and the thresholds in packets of 128 bytes."""
    keys: dict[str, Any] = {"kind": "red", "dialect": "ns3", "max_p": max_p, "w_q": "1/128"}
    if unit == "bytes":
        keys |= {"unit": "bytes", "byte_mode": "ns2", "mean_packet": "128 B", "limit": f"{size_bytes} B",
                 "min_th": f"{128 * low} B", "max_th": f"{128 * high} B"}  # fmt: skip
    else:
        keys |= {"mean_packet": "158 B", "limit": f"{size_bytes // 128} pkts", "min_th": f"{low} pkts",
                 "max_th": f"{high} pkts"}  # fmt: skip
    return window(queue(base, keys), 64000)


def droptail(
    base: Scenario, size_bytes: int = 64000, window_bytes: int = 64000, unit: str = "bytes"
) -> Scenario:
    """Tail drop at both bottlenecks."""
    limit = f"{size_bytes} B" if unit == "bytes" else f"{size_bytes // 128} pkts"
    return window(queue(base, {"kind": "droptail", "limit": limit}), window_bytes)


def rtt(base: Scenario, delay_ms: float) -> Scenario:
    """Sets the RTT as the report defines it: the delay of n0-n1 and n3-n4."""
    return base.edit([(f"links.{one}.delay", f"{delay_ms} ms") for one in ("n0_n1", "n3_n4")])


def udp(base: Scenario, mbps: float) -> Scenario:
    """Payload that each UDP source offers."""
    return base.edit([(f"flows.{one}.rate", f"{mbps:g} Mbit/s") for one in UDP])


def cells(base: Scenario, *, scale: float = 1.0, least: float = 0.8, units: tuple[str, str] = ("bytes", "bytes")
          ) -> dict[str, Scenario]:  # fmt: skip
    """Every row of tables 1 to 8. ``scale`` multiplies the rates of UDP, ``least`` is the slowest in the tables;
    ``units`` are what RED and tail drop count."""
    base = udp(base, scale * least)
    early, tail = partial(red, base, unit=units[0]), partial(droptail, base, unit=units[1])
    scenarios = {f"queue {size}": early(low=60, high=180, max_p="1/50", size_bytes=size) for size in QUEUES}
    scenarios |= {f"droptail {size}/{win}": tail(size, win) for size, win in (*WINDOWS, SWAPPED)}
    scenarios |= {f"th {low}-{high}": early(low=low, high=high, max_p="1/50") for low, high in THRESHOLDS}
    scenarios |= {f"max_p {max_p}": early(low=90, high=270, max_p=max_p) for max_p in (*MAX_P, LEAST_P)}
    best = early(low=90, high=270, max_p="1/90")
    for delay in RTTS:
        scenarios[f"red rtt {delay}"] = rtt(best, delay)
        scenarios[f"droptail rtt {delay}"] = rtt(tail(), delay)
    for rate in RATES:
        offered = scale * (least if rate == RATES[0] else rate)
        scenarios[f"red udp {rate:g}"] = udp(best, offered)
        scenarios[f"droptail udp {rate:g}"] = udp(tail(), offered)
    return scenarios


def today() -> dict[str, Scenario]:
    """CUBIC, 1500-byte packets, a hundred times the rate; as many packets in the queues."""
    stack = {"profile": "rfc", "cc": "cubic", "mss": "1460 B"}
    edits: list[tuple[str, Any]] = [(f"links.{name}.rate", "100 Mbit/s") for name in BOTTLENECKS]
    edits += [(f"links.{name}.rate", "1 Gbit/s") for name in ("n0_n1", "n5_n1", "n8_n2", "n6_n2", "n3_n4")]
    edits += [("run.duration", "15 s"), ("run.warmup", "5 s")]
    edits += [(f"flows.{name}.{key}", value) for name in TCP for key, value in stack.items()]
    edits += [(f"flows.{name}.{key}", value) for name in UDP for key, value in
              {"packet": "1228 B", "headers": "28 B", "start": "uniform 0 s to 1 s"}.items()]  # fmt: skip
    edits += [(f"flows.{name}.{key}", value) for name in TCP for key, value in
              {"start": "uniform 0 s to 1 s", "headers": "40 B", "ack_size": "40 B"}.items()]  # fmt: skip
    base = Scenario.load("dsilva_red_droptail").edit(edits)
    wide = {name: one.edit([(f"flows.{flow}.window", "auto") for flow in TCP])
            for name, one in cells(base, scale=100, units=("packets", "packets")).items()}  # fmt: skip
    return {name: one.edit([(f"links.{link}.queue.mean_packet", "1500 B") for link in BOTTLENECKS])
            if one.get("links.n1_n2.queue.kind") == "red" else one for name, one in wide.items()}  # fmt: skip


def measure(run: dict[str, Any]) -> dict[str, float]:
    """Goodput in bytes a second over the whole run, as the report counts it, and losses at the second bottleneck."""
    seconds = run["simulated_s"] - run["warmup_s"]
    flows = {flow["group"]: flow for flow in run["flows"]}
    tcp = sum(flows[name]["goodput_bytes"] for name in TCP) / seconds
    sent = sum(flows[name]["goodput_bytes"] for name in UDP) / seconds
    return {
        "tcp_Bps": tcp, "udp_Bps": sent, "total_Bps": tcp + sent, "share": 100 * tcp / (tcp + sent),
        "of_link": 800 * tcp / run["links"]["n2_n3"]["rate_bps"],
        "timeouts": sum(flows[name]["timeouts"] or 0 for name in TCP),
        "loss": metrics.value(run, "loss", scope="n2_n3") or 0.0,
    }  # fmt: skip


def better(one: str, over: str, label: str, above: float | None = None, below: float | None = None, *,
           number: str = "tcp_Bps") -> st.Test:  # fmt: skip
    """A test on TCP's goodput, or another number, in one cell over that in another, in per cent."""
    return st.Test(label, st.more(number, one, over), above, below, "%", difference=True)


#: The same on the goodput of TCP and UDP together.
sum_over = partial(better, number="total_Bps")


CLAIMS = (
    st.TestedClaim("D1", "tables 1 and 2",
             "TCP gets more with a larger queue, under both; tuned RED beats the best tail drop", (
        better("queue 64000", "queue 2000", "RED, 64000 over 2000 bytes", above=10),
        better("droptail 64000/64000", "droptail 2000/2000", "tail drop, 64000 over 2000 bytes", above=10),
        better("max_p 1/90", "droptail 64000/64000", "tuned RED over tail drop", above=10),
    )),
    st.TestedClaim("D2", "table 3", "higher thresholds give TCP more", (
        better("th 120-360", "th 5-15", "120-360 over 5-15", above=10),
    )),
    st.TestedClaim("D3", "table 4", "max_p changes TCP's goodput little, and 1/90 is the fairest", (
        *(better(f"max_p {p}", "max_p 1/90", f"{p} over 1/90", above=-15, below=15) for p in ("1/4", "1/20", "1/50")),
        *(st.Test(f"share of TCP, 1/90 over {p}", st.more("share", "max_p 1/90", f"max_p {p}"), above=5, unit="%")
          for p in MAX_P[:-1]),
        better(f"max_p {LEAST_P}", "max_p 1/90", f"{LEAST_P} over 1/90", above=-10, below=10),
    )),
    st.TestedClaim("D4", "tables 5 and 7", "a longer round trip costs goodput; RED beats tail drop at each", (
        better("red rtt 120", "red rtt 10", "RED, 120 over 10 ms", below=-10),
        sum_over("red rtt 120", "red rtt 10", "sum of TCP and UDP, RED, 120 over 10 ms", below=-0.5),
        *(better(f"red rtt {delay}", f"droptail rtt {delay}", f"RED over tail drop, {delay} ms", above=10)
          for delay in RTTS),
    )),
    st.TestedClaim("D5", "tables 6 and 8", "faster UDP starves TCP; at 2 Mbit/s both queues give the same", (
        better("red udp 2", "red udp 0.8", "RED, 2 over 0.8 Mbit/s", below=-50),
        sum_over("red udp 2", "droptail udp 2", "sum, RED over tail drop, 2 Mbit/s", above=-1, below=1),
    )),
    st.TestedClaim("D6", "tables 1 to 3",
             "by the sum of TCP and UDP 64000 bytes are best under both queues, and thresholds of 90 and 270", (
        *(sum_over("queue 64000", f"queue {size}", f"sum, RED, 64000 over {size} bytes", above=0.02)
          for size in QUEUES[:4]),
        *(sum_over("droptail 64000/64000", f"droptail {size}/{win}", f"sum, tail drop, 64000/64000 over {size}/{win}",
                   above=0.02) for size, win in WINDOWS[:4]),
        *(sum_over("th 90-270", f"th {low}-{high}", f"sum, 90-270 over {low}-{high}", above=0.02)
          for low, high in THRESHOLDS if low != 90),
    )),
    st.TestedClaim("D7", "tables 6 and 8",
             "UDP gains with its rate, and RED leaves TCP more than tail drop below 2 Mbit/s of UDP", (
        better("red udp 2", "red udp 0.8", "UDP, RED, 2 over 0.8 Mbit/s", above=0.1, number="udp_Bps"),
        *(better(f"red udp {rate}", f"droptail udp {rate}", f"RED over tail drop, {rate} Mbit/s", above=10)
          for rate in ("0.8", "1")),
    )),
)  # fmt: skip

#: The cells of each table of the report, and where its printed row is found.
TABLES = {
    "Tables 1 and 2: queue size": ("queue_length", "queue_and_window"),
    "Table 3: thresholds": ("thresholds",),
    "Table 4: max_p": ("max_p",),
    "Tables 5 and 7: round trip": ("rtt",),
    "Tables 6 and 8: rate of UDP": ("udp_rate",),
}


def cell_of(row: Mapping[str, str]) -> str:
    """The cell that does a printed row again."""
    kind, value = row["queue"], row["value"]
    return {
        "queue_length": f"queue {value}", "queue_and_window": f"droptail {value}", "thresholds": f"th {value}",
        "max_p": f"max_p {value}", "rtt": f"{kind} rtt {value}", "udp_rate": f"{kind} udp {value}",
    }[row["experiment"]]  # fmt: skip


def segments(goodput_Bps: float) -> tuple[int, int]:
    """The only way to make up a printed figure of whole segments of 128 and 536 bytes in ten seconds, with at most
    twelve small ones: (small, large)."""
    total = round(10 * goodput_Bps)
    return next((small, (total - 128 * small) // SEGMENT) for small in range(13)
                if total >= 128 * small and (total - 128 * small) % SEGMENT == 0)  # fmt: skip


def sums() -> str:
    """Text on the report's own sums of TCP and UDP, which do not choose as it does."""
    rows = {cell_of(row): float(row["tcp_goodput_Bps"]) + float(row["udp_goodput_Bps"])
            for row in st.printed("dsilva")}  # fmt: skip
    lengths = {size: rows[f"queue {size}"] for size in QUEUES}
    best = max(lengths, key=lambda size: lengths[size])
    return TEXTS["Sums"][0].format(
        best=best, most=f"{lengths[best]:.1f}", chosen=f"{lengths[64000]:.1f}",
        tail=f"{rows['droptail 64000/64000']:.1f}", tuned=f"{rows['max_p 1/90']:.1f}",
    )  # fmt: skip


def alike(cells_of: st.Cells) -> str:
    """Text on the short queues, whose average never leaves RED much to do."""
    pairs = [(cells_of[f"queue {size}"].numbers["tcp_Bps"], cells_of[f"droptail {size}/{size}"].numbers["tcp_Bps"])
             for size in QUEUES[:3]]  # fmt: skip
    same = all(list(one)[: len(other)] == list(other)[: len(one)] for one, other in pairs)
    return TEXTS["Alike"][0].format(alike="the same in every run" if same else "nearly the same")


def swapped(cells_of: st.Cells) -> str:
    """Text on the fourth row of table 2, which a queue of 32000 bytes explains and a window of 32000 bytes does not."""
    (low, window), (high, _) = WINDOWS[3], WINDOWS[4]
    cells = (f"droptail {low}/{window}", f"droptail {high}/{high}", f"droptail {SWAPPED[0]}/{SWAPPED[1]}")
    same = cells_of[cells[0]].numbers["tcp_Bps"] == cells_of[cells[1]].numbers["tcp_Bps"]
    return TEXTS["Swapped"][0].format(
        segments=window // SEGMENT, reached="never" if same else "hardly ever",
        same="the same to the last byte" if same else "nearly the same",
        here=st.shown(cells_of[cells[0]]["tcp_Bps"]), queue=st.shown(cells_of[cells[2]]["tcp_Bps"]),
    )  # fmt: skip


def tables(cells_of: st.Cells) -> list[st.Table]:
    """Each table of the report, its numbers next to ours, and the range of single runs."""
    tables_of = []
    for title, experiments in TABLES.items():
        rows = []
        for row in st.printed("dsilva"):
            if row["experiment"] not in experiments:
                continue
            cell = cells_of[cell_of(row)]
            runs = cell.numbers["tcp_Bps"]
            small, large = segments(float(row["tcp_goodput_Bps"]))
            rows.append([
                f"{'RED' if row['queue'] == 'red' else 'tail drop'}, {row['value']}", row["tcp_goodput_Bps"],
                f"{small} × 128 + {large} × 536", st.shown(cell["tcp_Bps"]), f"{min(runs):.0f} to {max(runs):.0f}",
                row["udp_goodput_Bps"], st.shown(cell["udp_Bps"]),
            ])  # fmt: skip
        head = ["queue", "TCP, report", "that is, bytes in 10 s", "TCP, here", "single runs", "UDP, report",
                "UDP, here"]  # fmt: skip
        tables_of.append(st.Table(head, rows, caption=f"{title} (goodput in bytes a second)"))
    return tables_of


def values() -> list[st.PrintedValue]:
    """Every goodput that the report prints."""
    kinds = {
        "TCP goodput (bytes/s)": ("tcp_goodput_Bps", "tcp_Bps"),
        "UDP goodput (bytes/s)": ("udp_goodput_Bps", "udp_Bps"),
    }
    return [st.PrintedValue(quantity, cell_of(row), float(row[column]), st.at(cell_of(row), number))
            for quantity, (column, number) in kinds.items() for row in st.printed("dsilva")]  # fmt: skip


def scatter(cells_of: st.Cells, width_in: float) -> Figure:
    """Every printed value for TCP, next to the runs of its cell."""
    rows = st.printed("dsilva")
    cells = [cells_of[cell_of(row)] for row in rows]
    low = [min(cell.numbers["tcp_Bps"]) for cell in cells]
    high = [max(cell.numbers["tcp_Bps"]) for cell in cells]
    places = [float(i) for i in range(len(rows))]
    middle = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
    half = [(b - a) / 2 for a, b in zip(low, high, strict=True)]
    kinds = [(row["experiment"].removesuffix("_length").removesuffix("_and_window").replace("_", " "),
              {"red": "RED", "droptail": "tail drop"}[row["queue"]]) for row in rows]  # fmt: skip
    names = {float(i): "\n".join(kind) for i, kind in enumerate(kinds) if i == 0 or kind != kinds[i - 1]}
    lines = [
        st.Line("from the least to the most of single runs", places, middle, half, look=6, markers=False, joined=False),
        st.Line("mean here", places, [cell["tcp_Bps"].value for cell in cells], look=0, joined=False),
        st.Line("the report's single run", places, [float(row["tcp_goodput_Bps"]) for row in rows], look=1, paper=True),
    ]  # fmt: skip
    panel = st.Panel(lines, "row of the tables, in their order", "TCP goodput (bytes/s)", ticks=names)
    return st.panels([panel], width_in, height_in=2.9)


KINDS = {"red": "RED, tuned", "droptail": "tail drop"}


def compared(outcome: st.Outcome, width_in: float, *, setting: str) -> Figure:
    """RED and tail drop against round trip and, where the rates are those of the report, UDP's rate; with the report's
    figures in its own setting."""
    cells_of = outcome[setting]
    printed = {cell_of(row): float(row["tcp_goodput_Bps"]) for row in st.printed("dsilva")}
    axes = [("what the report calls RTT (ms)", RTTS, "rtt"), ("UDP, each source (Mbit/s)", RATES, "udp")]
    panels = []
    for x, values, name in axes[: 1 if setting == "room" else 2]:
        lines = [st.line(label, [(float(v), cells_of[f"{kind} {name} {v:g}"]["tcp_Bps"]) for v in values], look)
                 for look, (kind, label) in enumerate(KINDS.items())]  # fmt: skip
        if setting == outcome.main:
            lines += [st.Line(f"{label}, the report's run", [float(v) for v in values],
                              [printed[f"{kind} {name} {v:g}"] for v in values], look=look, paper=True)
                      for look, (kind, label) in enumerate(KINDS.items())]  # fmt: skip
        panels.append(st.Panel(lines, x, "TCP goodput (bytes/s)", ticks={float(v): f"{v:g}" for v in values}))
    return st.panels(panels, width_in)


def page(outcome: st.Outcome) -> st.Page:
    """Text, tables and figures of the page, in addition to verdicts and method."""
    main = outcome[outcome.main]
    runs = main["queue 64000"].numbers["tcp_Bps"]
    tails = ", ".join(st.shown(main[f"droptail {size}/{size}"]["tcp_Bps"]) for size in (2000, 8000, 64000))
    other = ""
    if "red packets" in outcome:
        means = [[outcome[name][f"queue {size}"]["tcp_Bps"].value for size in QUEUES]
                 for name in (outcome.main, "red packets")]  # fmt: skip
        ends = [f"{min(one):.0f} to {max(one):.0f}" for one in means]
        other = (f" Over its queue lengths RED leaves TCP {ends[0]} counted in bytes and {ends[1]} counted in packets; "
                 "the report has 413.6 to 1064.8.")  # fmt: skip
    return st.Page(
        short=[text.format(times=2 * 0.8 * 158 / 128, least=min(runs), most=max(runs), tails=tails, other=other)
               for text in TEXTS["Short"]],
        choices=TEXTS.choices("Choices"),
        results=[
            *tables(main),
            st.FigureBlock("scatter", "The report's figures among single runs", TEXTS["Scatter"][0],
                       partial(scatter, main)),
            pair(outcome, "compared", outcome.main, "RED and tail drop by round trip and load", "Era of the report."),
        ],
        today=[] if "today" not in outcome else [
            *map(st.Text, TEXTS["Today"]),
            pair(outcome, "today", "today", "RED and tail drop at 100 Mbit/s", "A link carries 12.5 MB/s."),
        ],
        questions=[] if "room" not in outcome else [
            *map(st.Text, TEXTS["Room"]),
            pair(outcome, "room", "room", "TCP with UDP at 0.3 Mbit/s each", "UDP leaves 30 kB/s to TCP."),
        ],
        surprises=[*TEXTS["Surprises"], alike(main), sums(), swapped(main)],
        paper=TEXTS["Paper"][0], explained=st.explained("dsilva"),
    )  # fmt: skip


def pair(outcome: st.Outcome, name: str, setting: str, title: str, note: str) -> st.FigureBlock:
    """The figure of two panels for a setting."""
    return st.FigureBlock(name, title, f"{note} Bars are 95 % intervals over replications.",
                      partial(compared, outcome, setting=setting))  # fmt: skip


STUDY = st.Study(
    name="dsilva", title="RED or tail drop under a flood of UDP", tolerance={"of_link": 0.005}, quick=("era", "today"),
    source="Vivian Dsilva, *Comparison of RED vs DropTail Queuing* (course report, about 2014, ns-3)",
    question="Does RED leave TCP more than tail drop does, where UDP floods two bottlenecks in a row?",
    measure=measure, informed=("D7",),
    settings={
        "era": st.Setting("as in the report: ns-3's TCP and RED", lambda: cells(network()), kind="era", first=200),
        "packets": st.Setting("queues count packets of 128 bytes",
                              lambda: cells(network(), units=("packets", "packets"))),
        "red packets": st.Setting("RED counts packets, tail drop bytes",
                                  lambda: cells(network(), units=("packets", "bytes"))),
        "ns2": st.Setting("TCP of ns-2.35", lambda: cells(network(NS2))),
        "near": st.Setting("bottlenecks of 5 ms", lambda: cells(network(core_ms=5))),
        "far": st.Setting("bottlenecks of 100 ms", lambda: cells(network(core_ms=100))),
        "small": st.Setting("TCP segments of 128 bytes throughout", lambda: cells(network(small=True))),
        "apart": st.Setting("starts within a second", lambda: cells(network(within_s=1))),
        "today": st.Setting("CUBIC, 1500-byte packets, 100 Mbit/s", today, kind="today", maximum=62, decide=62,
                            tolerance={"of_link": 0.05}),
        "room": st.Setting("UDP at 0.3 Mbit/s", lambda: cells(network(), least=0.3), kind="question"),
    },
    claims=CLAIMS, page=page, printed_values=values(), maximum=800, maximum_unprinted=140, decide=4000, shorten=0.3,
    floor="0.005 % of the link are 62 bytes in ten seconds, and in `today` 0.05 % are 50 kbit/s for three flows: "
    "with less than that TCP is starved, and the exact value does not matter.",
)  # fmt: skip
