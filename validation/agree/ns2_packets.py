"""TCP segment by segment: the recorded single-flow runs of ns-2.35, through the whole engine.

Path of Fall and Floyd (1996): 8 Mbit/s 0.1 ms, 0.8 Mbit/s 100 ms, 8 Mbit/s 0.1 ms; a run may name another in the
middle. Compared are the order and the time
(to a microsecond) of every departure, acknowledgement and drop, the congestion window at every millisecond, and
the totals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import dropcurve as dc

from . import ns2_options
from .cases import AgreementCase, Area, Figure
from .context import ROOT, Context

TITLE = "TCP, segment by segment, against ns-2.35"
METHOD = (
    "Each recorded run is a scenario with drop lists on both directions of the middle link. `events` counts "
    "departures, arriving acknowledgements and drops, all of which must come in the same order within 1 µs; "
    "`cwnd` counts the milliseconds at which the window is the same to the three decimals ns-2 prints."
)
#: Where the repository keeps the recorded runs.
TRACES = ROOT / "crates" / "transport" / "tests" / "traces"
#: Runs over paths of their own, in the same form.
DRAWN = ROOT / "validation" / "agree" / "data" / "ns2_singles.txt"

SCENARIO = """\
[run]
duration = "{duration} s"
warmup = "0 s"
clock = "doubles"
sample = "1 ms"

[links.near]
from = "s"
to = "r1"
rate = "8 Mbit/s"
delay = "0.1 ms"

[links.middle]
from = "r1"
to = "r2"
rate = "{rate}"
delay = "{delay}"
drop = [{drop}]
mark = [{mark}]

[links.middle.queue]
kind = "droptail"
dialect = "ns2"
limit = "{limit} pkts"

[links.middle.back]
drop = [{ack_drop}]

[links.far]
from = "r2"
to = "d"
rate = "8 Mbit/s"
delay = "0.1 ms"

[flows.tcp]
from = "s"
to = "d"
{size}
profile = "{profile}"
{options}
"""

#: (microseconds, letter, segment): S sent, A acknowledged, D data dropped, X acknowledgement dropped.
Event = tuple[int, str, int]


@dataclass
class RecordedFlow:
    """One run of ns-2: its keys, its events, and the changes of its window as (microseconds, segments)."""

    keys: dict[str, str]
    events: list[Event] = field(default_factory=list)
    windows: list[tuple[int, float]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Flavour of TCP, and the losses and settings of the case."""
        key = self.keys
        parts = [key["tcp"].lower()]
        if "seed" in key:
            settings = key.get("variables", "-").replace("Agent/", "")
            parts += [f"drawn losses {key['seed']}"] + ([settings] if settings != "-" else [])
        elif "case" in key:
            parts += [f"recorded as {key['case']}"]
        else:
            losses = (("drop", "drop"), ("adrop", "ACK drop"))
            parts += [f"{word} {key[name]}" for name, word in losses if key[name] != "-"]
        parts += [f"mark {key['mark']}"] if key.get("mark", "-") != "-" and "seed" not in key else []
        parts += [f"queue {key['limit']}"] if key["limit"] != "1000" else []
        parts += [f"{key['npkts']} segments"] if key["npkts"] != "-1" else []
        parts += ["delayed ACK"] if "DelAck" in key["sink"] else []
        parts += ["as of 2000"] if key["profile"] == "era" else []
        parts += [f"window {key['window']}"] if key["tcp"] == "Vegas" else []
        parts += [f"{key['rate']}, {key['delay']}"] if "rate" in key else []
        return ", ".join(parts) if len(parts) > 1 else f"{parts[0]}, no loss"


def compare(context: Context) -> Area:
    """Every recorded run."""
    files = [*sorted(TRACES.glob("ns2_*.txt")), DRAWN]
    recorded = [one for file in files for one in read(file)]
    recorded = recorded[::3] if context.quick else recorded
    cases = context.each("ns-2 segments", recorded, lambda one: case(one))
    if not context.quick:
        cases += context.each("ns-2 segments, Vegas", vegas(context), lambda one: case(one))
    return Area("ns2_packets", TITLE, "ns-2.35", METHOD, cases)


def vegas(context: Context) -> list[RecordedFlow]:
    """The runs of Vegas in the tables of the reference, if it is there."""
    flows = {}
    for row in context.csv("ns2", "basics", "index.csv"):
        if row["tcp"] == "Vegas":
            flows[row["case"]] = RecordedFlow({**row, "boot": row["boot_time"], "variables": row["knobs"]})
    for row in context.csv("ns2", "basics", "vegas_pkt.csv"):
        event = (round(float(row["t"]) * 1e6), "X" if row["ev"] == "DA" else row["ev"], int(row["seq"]))
        flows[row["case"]].events.append(event)
    for row in context.csv("ns2", "basics", "vegas_var.csv"):
        if row["var"] == "cwnd":
            flows[row["case"]].windows.append((round(float(row["t"]) * 1e6), float(row["value"])))
    return list(flows.values())


def read(path: Path) -> Iterator[RecordedFlow]:
    """The runs of one file; its form is described in the script next to it."""
    current: RecordedFlow | None = None
    at_packet = at_variable = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        head, _, rest = line.partition(" ")
        if head == "case":
            if current is not None:
                yield current
            pairs = (pair.partition("=") for pair in rest.split())
            current = RecordedFlow({key: value for key, _, value in pairs})
            at_packet = at_variable = 0
            continue
        if current is None:
            continue
        for time, letter, value in re.findall(r"(\d+)([A-Za-z])(\S+)", rest):
            if head == "p":
                at_packet += int(time)
                current.events.append((at_packet, letter, int(value)))
            elif head == "v":
                at_variable += 10 * int(time)
                if letter == "w":
                    current.windows.append((at_variable, float(value)))
    if current is not None:
        yield current


def scenario(recorded: RecordedFlow) -> dc.Scenario:
    """The run as a scenario."""
    key = recorded.keys
    era = key["profile"] == "era"
    # Vegas sends whole packets, whatever the headers.
    mss = 1000 if era or key["tcp"] == "Vegas" else 960
    options = {
        "recovery": f'"{key["tcp"].lower()}"',
        "mss": f'"{mss} B"',
        "window": key["window"],
        "ack_every": "2" if "DelAck" in key["sink"] else "1",
        "boot_time": f'"{round(float(key["boot"]) * 1e9)} ns"',
    }
    if key["tcp"] == "Vegas":
        # The agent sends whole packets, whatever the headers, and no SYN.
        options |= {"recovery": '"vegas"', "cc": '"vegas"', "mss": '"1000 B"'}
        options |= {"headers": '"0 B"', "handshake": '"none"', "bare_first": "false"}
    options |= ns2_options.options(key.get("variables", "-"), key["sink"])
    numbers = {
        name: "" if key.get(name, "-") == "-" else key[name].replace(",", ", ")
        for name in ("drop", "mark", "adrop")
    }
    text = SCENARIO.format(
        duration=key["dur"],
        rate=key.get("rate", "0.8Mb").replace("Mb", " Mbit/s"),
        delay=key.get("delay", "100ms").replace("ms", " ms"),
        drop=numbers["drop"],
        mark=numbers["mark"],
        ack_drop=numbers["adrop"],
        limit=key["limit"],
        size=f'bytes = "{int(key["npkts"]) * mss} B"' if key["npkts"] != "-1" else "",
        profile="ns2-2000" if era else "ns2-2.35",
        options="\n".join(f"{name} = {value}" for name, value in options.items()),
    )
    return dc.Scenario.parse(text)


def events(trace: dc.Trace) -> list[Event]:
    """Our events in ns-2's form: an acknowledgement names the highest segment in order."""
    letters = {"send": "S", "acked": "A", "drop": "D"}
    sent = []
    for row in trace.rows(*letters):
        word, back = trace.words[trace.what[row]], bool(trace.back[row])
        letter = "X" if back and word == "drop" else letters[word]
        number = int(trace.seq[row]) - int(back)
        sent.append((int(trace.time_ns[row]) // 1000, letter, number))
    return sent


def case(recorded: RecordedFlow) -> AgreementCase:
    """One run compared."""
    trace = dc.trace(scenario(recorded))
    ours, theirs = events(trace), recorded.events
    same = _common(ours, theirs)
    note = ""
    if same < max(len(ours), len(theirs)):
        note = f"first difference: ns-2 {theirs[same : same + 3]}, here {ours[same : same + 3]}"
    flow = trace.summary["flows"][0]
    matching, compared = _windows(trace, recorded)
    totals = [
        Figure("sent", float(recorded.keys["sent"]), flow["sent_pkts"]),
        Figure("retransmits", float(recorded.keys["rtx"]), flow["retransmits"]),
        Figure("timeouts", float(recorded.keys["timeouts"]), flow["timeouts"]),
    ]
    both = Figure("events", len(theirs), same if same < len(theirs) else len(ours))
    return AgreementCase(recorded.name, (both, Figure("cwnd", compared, matching), *totals), note=note)


def _common(ours: list[Event], theirs: list[Event]) -> int:
    """How many events agree before the first that does not."""
    pairs = zip(ours, theirs, strict=False)
    return next(
        (i for i, (a, b) in enumerate(pairs) if a[1:] != b[1:] or abs(a[0] - b[0]) > 1),
        min(len(ours), len(theirs)),
    )


def _windows(trace: dc.Trace, recorded: RecordedFlow) -> tuple[int, int]:
    """Samples at which the windows agree, and samples compared: those that lie on no change of ns-2's."""
    time_s, ours = trace.series.select("cwnd", "0")
    sampled_us = np.rint(time_s * 1e6).astype(np.int64)
    changes = np.array([time for time, _ in recorded.windows])
    values = np.array([value for _, value in recorded.windows])
    place = np.searchsorted(changes, sampled_us, side="right") - 1
    following = np.minimum(place + 1, len(changes) - 1)
    clear = (sampled_us - changes[place] > 10) & (np.abs(changes[following] - sampled_us) > 10)
    agree = np.abs(ours - values[place]) <= 0.0006 + 1e-6 * values[place]
    return int(np.sum(agree & clear)), int(np.sum(clear))
