"""TFRC and RAP packet by packet: recorded runs of one flow in ns-2.35, through the whole engine.

    python -m validation.agree.rate_packets tfrc OUT      records those of TFRC again, with an ns-2 at hand

Path of Fall and Floyd (1996), with datagrams next to the flow; `tfrc.tcl` and `rap.tcl` in `validation/agree/ns2` state
it for ns-2. Compared are order and time of every departure and drop of data, which is all that is visible of a
rate-based sender.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import dropcurve as dc

from . import ns2_options
from .cases import AgreementCase, Area, Figure
from .context import ROOT, Context

METHOD = (
    "One flow together with steady datagrams over {rates}, with losses drawn in both directions. `events` counts "
    "departures and drops of data, all of which must come in the same order within 0.1 ms over {until} s; `sent` are "
    "the packets."
)
#: Each report turns a rounding of either side into a slightly different rate; over 20 s that may add up to this.
ALLOWED_US = 100

SCENARIO = """\
[run]
duration = "{until} s"
warmup = "0 s"
clock = "doubles"

[links.near]
from = "source"
to = "left"
rate = "8 Mbit/s"
delay = "0.1 ms"
drop = [{drop}]

[links.other]
from = "other"
to = "left"
rate = "8 Mbit/s"
delay = "0.1 ms"

[links.middle]
from = "left"
to = "right"
rate = "{rate}"
delay = "{delay}"

[links.middle.queue]
kind = "droptail"
dialect = "ns2"
limit = "{limit} pkts"

[links.middle.back]
drop = [{adrop}]

[links.far]
from = "right"
to = "sink"
rate = "8 Mbit/s"
delay = "0.1 ms"

[flows.tested]
from = "source"
to = "sink"
{flow}

[flows.steady]
from = "other"
to = "sink"
transport = "udp"
packet = "{datagram} B"
rate = "548 kbit/s"
start = "1 ms"
"""

#: (microseconds, letter, packet): S sent, D dropped.
Event = tuple[int, str, int]


Keys = dict[str, str]


@dataclass(frozen=True)
class TestedTransport:
    """A transport: its packet type in ns-2, the arguments of a run, and our keys for them."""

    name: str
    data: str
    first: int
    rates: str
    until: int
    note: str
    runs: int
    arguments: Callable[[int], Keys]
    flow: Callable[[Keys], str]
    label: Callable[[Keys], str]

    @property
    def recorded(self) -> Path:
        """Its runs."""
        return ROOT / "validation" / "agree" / "data" / f"{self.name}_packets.txt"

    @property
    def script(self) -> Path:
        """Its path in ns-2."""
        return ROOT / "validation" / "agree" / "ns2" / f"{self.name}.tcl"


#: Settings of TFRC, one for each run from the first number on; random choices in them cannot be compared.
FIRST_WITH_SETTING = 28
TFRC_SETTINGS = (
    "Agent/TFRC:conservative_:true", "Agent/TFRCSink:smooth_:0", "Agent/TFRCSink:NumSamples_:32",
    "Agent/TFRCSink:algo_:2", "Agent/TFRCSink:AdjustHistoryAfterSS_:0", "Agent/TFRCSink:NumFeedback_:2",
    "Agent/TFRCSink:discount_:0",
)  # fmt: skip


def _setting(draw: int) -> str:
    return TFRC_SETTINGS[draw % len(TFRC_SETTINGS)] if draw >= FIRST_WITH_SETTING else "-"


def _option(key: Keys) -> str:
    _, _, setting = key.get("knobs", "-").partition(":")
    return ns2_options.TFRC[setting] if setting else ""


def _named(key: Keys) -> str:
    _, _, setting = key.get("knobs", "-").partition(":")
    return f", {setting}" * bool(setting)


TESTED = {
    "tfrc": TestedTransport(
        "tfrc",
        "tcpFriend",
        0,
        "0.8 Mbit/s",
        20,
        " From the 29th on each has one of ns-2's settings other than its default.",
        42,
        lambda draw: {"years": ("2011", "2000")[draw % 2], "knobs": _setting(draw)},
        lambda key: (
            f'transport = "tfrc"\nprofile = "{"ns2-2000" if key["years"] == "2000" else "ns2-2.35"}"\n'
            f'mss = "1000 B"\n{_option(key)}'
        ),
        lambda key: ("as of 2000" if key["years"] == "2000" else "2.35") + _named(key),
    ),
    "rap": TestedTransport(
        "rap",
        "rap_data",
        1,
        "0.8 or 2 Mbit/s",
        10,
        " The rate grows by 1.1 packets per round trip: with exactly one packet, rate steps coincide with departures,"
        " and the last bit of a sum of doubles decides in ns-2 which comes first.",
        28,
        lambda draw: {"fine": str(draw % 2), "rate": ("0.8Mb", "2Mb")[draw // 2 % 2]},
        lambda key: (
            'transport = "rap"\nprofile = "ns2-2.35"\nalpha = 1.1\n'
            f"fine_grain = {'true' if key['fine'] == '1' else 'false'}"
        ),
        lambda key: f"{'fine' if key['fine'] == '1' else 'plain'}, {key['rate']}it/s",
    ),
}


@dataclass(frozen=True)
class RecordedRate:
    """One run of ns-2: its transport, its arguments, its events."""

    tested: TestedTransport
    keys: Keys
    events: list[Event]

    @property
    def name(self) -> str:
        """Name of the case: transport, share of random losses, queue and delay."""
        key = self.keys
        lost = f"{float(key['loss']):.1%} lost" + (
            f", {float(key['aloss']):.0%} of reports" * (key["aloss"] != "0")
        )
        return f"{self.tested.label(key)}, {lost}, queue {key['limit']}, {key['delay']}, draw {key['draw']}"


def compare(name: str, context: Context) -> Area:
    """Every recorded run of a transport."""
    tested = TESTED[name]
    title = f"{name.upper()}, packet by packet"
    recorded = read(tested)
    cases = context.each(title, recorded[::3] if context.quick else recorded, case)
    method = METHOD.format(rates=tested.rates, until=tested.until) + tested.note
    return Area(f"{name}_packets", f"{title}, against ns-2.35", "ns-2.35", method, cases)


def read(tested: TestedTransport) -> list[RecordedRate]:
    """The runs of its file: a line of keys, then one of events as microseconds since the one before."""
    lines = tested.recorded.read_text(encoding="utf-8").splitlines()
    return [parse(tested, head, events) for head, events in zip(lines[::2], lines[1::2], strict=True)]


def parse(tested: TestedTransport, head: str, events: str) -> RecordedRate:
    """One run from its two lines."""
    timeline: list[Event] = []
    at = 0
    for token in events.split():
        letter = "D" if "D" in token else "S"
        since, _, number = token.partition(letter)
        at += int(since)
        timeline.append((at, letter, int(number)))
    return RecordedRate(tested, dict(pair.split("=") for pair in head.split()), timeline)


def scenario(recorded: RecordedRate) -> dc.Scenario:
    """The run as a scenario."""
    key = recorded.keys
    lists = {name: "" if key[name] == "-" else key[name].replace(",", ", ") for name in ("drop", "adrop")}
    delay = key["delay"].replace("ms", " ms")
    rate = key.get("rate", "0.8Mb").replace("Mb", " Mbit/s")
    flow = recorded.tested.flow(key)
    text = SCENARIO.format(
        **lists,
        rate=rate,
        delay=delay,
        limit=key["limit"],
        datagram=key["datagram"],
        flow=flow,
        until=recorded.tested.until,
    )
    return dc.Scenario.parse(text)


def events(trace: dc.Trace, flow: int) -> list[Event]:
    """Our departures and drops of data of a flow."""
    letters = {"send": "S", "drop": "D"}
    return [
        (round(int(trace.time_ns[row]) / 1000), letters[trace.words[trace.what[row]]], int(trace.seq[row]))
        for row in trace.rows(*letters)
        if trace.flow[row] == flow and not trace.back[row]
    ]


def case(recorded: RecordedRate) -> AgreementCase:
    """One run compared."""
    trace = dc.trace(scenario(recorded))
    flow = next(flow for flow in trace.summary["flows"] if flow["group"] == "tested")
    ours, theirs = events(trace, trace.summary["flows"].index(flow)), recorded.events
    same = _common(ours, theirs)
    note = ""
    if same < max(len(ours), len(theirs)):
        note = f"first difference: ns-2 {theirs[same : same + 3]}, here {ours[same : same + 3]}"
    sent = sum(letter == "S" for _, letter, _ in theirs)
    both = Figure("events", len(theirs), same if same < len(theirs) else len(ours))
    return AgreementCase(recorded.name, (both, Figure("sent", sent, flow["sent_pkts"])), note=note)


def _common(ours: list[Event], theirs: list[Event]) -> int:
    """How many events agree before the first that does not. Those of one microsecond have no order."""

    def order(event: Event) -> tuple[int, int, bool]:
        return event[0], event[2], event[1] == "D"

    pairs = zip(sorted(ours, key=order), sorted(theirs, key=order), strict=False)
    return next(
        (i for i, (a, b) in enumerate(pairs) if a[1:] != b[1:] or abs(a[0] - b[0]) > ALLOWED_US),
        min(len(ours), len(theirs)),
    )


def record(tested: TestedTransport, draw: int) -> str:
    """One run of ns-2 with losses drawn by this number, in the form `read` takes."""
    chance = random.Random(draw)
    loss = (0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.3)[draw % 7]
    back = (0.0, 0.0, 0.05, 0.2)[draw % 4]
    own = tested.arguments(draw)
    key = {
        "draw": str(draw),
        **own,
        "loss": f"{loss:g}",
        "aloss": f"{back:g}",
        "drop": _drawn(chance, loss, 1500),
        "adrop": _drawn(chance, back, 500),
        "limit": ("1000", "10")[draw % 3 == 2],
        "delay": ("100ms", "13ms", "37ms")[draw % 3],
        "datagram": ("501", "303")[draw // 2 % 2],
    }
    names = (*own, "drop", "adrop", "limit", "delay", "datagram")
    words = [part for name in names for part in (name, key[name])]
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        subprocess.run(
            ["ns", str(tested.script), *words, "until", str(tested.until), "out", str(trace)], check=True
        )
        tokens, last = [], 0
        for line in trace.read_text(encoding="utf-8").splitlines():
            what, time, start, end, kind, *_, number, _ = line.split()
            letter = "D" if what == "d" else "S" if (what, start, end) == ("+", "0", "1") else ""
            if kind == tested.data and letter:
                at = round(float(time) * 1e6)
                tokens.append(f"{at - last}{letter}{int(number) - tested.first}")
                last = at
    return " ".join(f"{name}={value}" for name, value in key.items()) + "\n" + " ".join(tokens) + "\n"


def _drawn(chance: random.Random, share: float, count: int) -> str:
    """Positions lost, never the first packet's."""
    return ",".join(str(number) for number in range(1, count) if chance.random() < share) or "-"


def main(words: Sequence[str]) -> None:
    """Records the runs of a transport into a file."""
    tested = TESTED[words[0]]
    Path(words[1]).write_text("".join(record(tested, draw) for draw in range(tested.runs)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
