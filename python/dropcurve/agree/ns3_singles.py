"""Single flows of ns-3.37 drawn at random, segment by segment: variant, path, queue, window, losses with their repairs.

Path and losses are those of `ns3_packets`, the queue of the slower link may fill. `tests/agree/ns3/single.cc` runs what
`drawn` says; forty runs of it are kept.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import dropcurve as dc

from .cases import Area, Case, Figure
from .context import Context
from .ns3_packets import CUBIC, VEGAS, Sent

TITLE = "TCP, drawn single flows, against ns-3.37"
METHOD = (
    "Runs drawn from fixed seeds over variants of ns-3's TCP, paths, queues, initial windows, selective and delayed "
    "acknowledgements and losses, those of repairs among them. `sent` counts the transmissions that come in ns-3's "
    "order, each within one packet time of ns-3's."
)
#: The congestion controls of ns-3, and their keys here.
CONTROLS = {
    "TcpNewReno": 'cc = "reno"',
    "TcpCubic": CUBIC,
    "TcpVegas": VEGAS,
    "TcpWestwood": 'cc = "westwood"',
    "TcpBbr": 'cc = "bbr"',
}
#: In packets: never full.
ENDLESS = 1_000_000
#: The first link: nanoseconds a byte, and its delay.
NEAR_NS_PER_BYTE, NEAR_NS = 80, 1_000_000

SCENARIO = """\
[run]
duration = "120 s"
warmup = "0 s"

[links.near]
from = "s"
to = "r1"
rate = "100 Mbit/s"
delay = "1 ms"

[links.middle]
from = "r1"
to = "r2"
rate = "{rate} Mbit/s"
delay = "{delay} ms"
ring = {ring}

[links.middle.queue]
kind = "droptail"
limit = "{limit} pkts"

[links.end]
from = "r2"
to = "d"
rate = "1000 Gbit/s"
delay = "0 s"
drop = {drop}

[flows.tcp]
from = "s"
to = "d"
bytes = "{segments}000 B"
profile = "ns3"
{stack}
mss = "1000 B"
initial_window = {window}
ack_every = {every}
"""

Keys = Mapping[str, str]


def compare(context: Context) -> Area:
    """The runs that are kept."""
    cases = []
    for number, (keys, sent) in enumerate(read(context.own / "ns3_singles.txt"), 1):
        context.tell(f"ns-3 singles {number}")
        cases.append(case(keys, sent))
    return Area("ns3_singles", TITLE, "ns-3.37", METHOD, cases)


def read(path: Path) -> list[tuple[Keys, list[Sent]]]:
    """What each run was told, and its transmissions."""
    found: list[tuple[Keys, list[Sent]]] = []
    at = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        head, _, rest = line.partition(" ")
        if head == "case":
            found.append((dict(re.findall(r"(\S+)=(\S+)", rest)), []))
            at = 0
        elif head == "p":
            for time, segment in re.findall(r"(\d+)S(\d+)", rest):
                at += int(time)
                found[-1][1].append((at, int(segment)))
    return found


def drawn(seed: int) -> Keys:
    """What one run is told; a draw of this kind, not of any distribution that matters."""
    dice = random.Random(f"ns3 {seed}")
    choose: Callable[[Sequence[str]], str] = dice.choice
    controls = ["TcpNewReno", *CONTROLS]
    sack = dice.random() < 0.7
    segments = int(choose(["30", "100", "300", "300", "600"]))
    lost = _lost(dice, segments)
    return {
        "seed": str(seed),
        "control": choose(controls),
        "sack": "true" if sack else "false",
        "recovery": "TcpPrrRecovery" if sack or dice.random() < 0.3 else "TcpClassicRecovery",
        "ack-every": choose("112"),
        "window": choose(["1", "10", "10", "4"]),
        "segments": str(segments),
        "queue": choose(["0", "0", "0", "10", "25", "60"]),
        "rate": choose(["10", "10", "2", "5"]) + "Mbps",
        "delay": choose(["24", "24", "4", "49", "99"]) + "ms",
        "lose": ",".join(f"{segment}:{times}" for segment, times in sorted(lost.items())) or "-",
    }


def _lost(dice: random.Random, segments: int) -> dict[int, int]:
    """Single segments, bursts, repairs, every other segment, the tail, or nothing."""
    last, style = segments - 1, dice.choice(["few", "burst", "repair", "other", "tail", "none"])
    first = dice.randint(1, last)
    if style == "few":
        return {dice.randint(1, last): 1 for _ in range(dice.randint(1, 5))}
    if style == "burst":
        return dict.fromkeys(range(first, min(segments, first + dice.choice((2, 3, 5, 10, 20)))), 1)
    if style == "repair":
        near = {
            min(last, first + dice.randint(1, 25)): dice.choice((1, 1, 2)) for _ in range(dice.randint(0, 4))
        }
        return {**near, first: dice.choice((2, 2, 3))}
    if style == "other":
        return dict.fromkeys(range(first, min(segments, first + dice.randint(4, 20)), 2), 1)
    if style == "tail":
        return {last - dice.randint(0, 3): dice.choice((1, 1, 2)) for _ in range(dice.randint(1, 3))}
    return {}


def words(keys: Keys) -> list[str]:
    """What `single` is told."""
    told = [f"--{key}={value}" for key, value in keys.items() if key != "seed" and value != "-"]
    plus = "--ns3::TcpWestwood::ProtocolType=WestwoodPlus"
    return [*told, plus] if keys["control"] == "TcpWestwood" else told


def case(keys: Keys, theirs: list[Sent]) -> Case:
    """One run compared."""
    ours = play(keys)
    packet_us = round(8500 / float(keys["rate"].removesuffix("Mbps")))
    pairs = list(zip(ours, theirs, strict=False))
    same = next(
        (i for i, (a, b) in enumerate(pairs) if a[1] != b[1] or abs(a[0] - b[0]) > packet_us), len(pairs)
    )
    worst = max((abs(a[0] - b[0]) for a, b in pairs[:same]), default=0)
    note = "" if same == len(theirs) else f"ns-3 {theirs[same : same + 3]}, here {ours[same : same + 3]}"
    sent = Figure("sent", len(theirs), same if same < len(theirs) else len(ours))
    return Case(name(keys), (sent, Figure("worst_us", 0, worst, packet_us)), note=note)


def name(keys: Keys) -> str:
    """A run in words."""
    recovery = keys["recovery"].removeprefix("Tcp").removesuffix("Recovery").lower()
    parts = [
        keys["control"],
        f"{'SACK' if keys['sack'] == 'true' else 'no SACK'}, {recovery}",
        f"{keys['rate']}, {keys['delay']}",
        f"window {keys['window']}",
        f"{keys['segments']} segments",
    ]
    parts += [f"queue {keys['queue']}"] if keys["queue"] != "0" else []
    parts += ["every 2"] if keys["ack-every"] == "2" else []
    lost = keys["lose"] if len(keys["lose"]) < 40 else keys["lose"][:36].rpartition(",")[0] + ",…"
    return ", ".join([*parts, f"lost {lost}" if lost != "-" else "nothing lost", f"draw {keys['seed']}"])


def play(keys: Keys) -> list[Sent]:
    """Our transmissions. Where a loss falls is known once all before it are: so one run for each."""
    lost = {int(segment): int(times) for segment, times in re.findall(r"(\d+):(\d+)", keys["lose"])}
    drop: list[int] = []
    while True:
        trace = dc.trace(dc.Scenario.parse(scenario(keys, drop)))
        place = _next_loss(_entering(trace), lost, drop)
        if place is None:
            rows = trace.rows("send")
            return [(int(trace.time_ns[row]) // 1000, int(trace.seq[row])) for row in rows][1:]
        drop.append(place)


def scenario(keys: Keys, drop: list[int]) -> str:
    """One run with losses at these places of the last link."""
    queue = int(keys["queue"])
    recovery = "sack" if keys["sack"] == "true" else "newreno"
    stack = f'{CONTROLS[keys["control"]]}\nrecovery = "{recovery}"'
    if keys["recovery"] == "TcpClassicRecovery":
        stack += '\nreduction = "at_once"'
    return SCENARIO.format(
        rate=keys["rate"].removesuffix("Mbps"),
        delay=keys["delay"].removesuffix("ms"),
        ring=int(queue > 0),
        limit=queue or ENDLESS,
        drop=sorted(drop),
        segments=keys["segments"],
        stack=stack,
        window=keys["window"],
        every=keys["ack-every"],
    )


def _next_loss(entered: list[int], lost: dict[int, int], drop: list[int]) -> int | None:
    """The first place at which a transmission is yet to be destroyed; the SYN at place 0 is none of them."""
    times: dict[int, int] = {}
    for place, segment in enumerate(entered[1:], 1):
        before = times.get(segment, 0)
        times[segment] = before + 1
        if before < lost.get(segment, 0) and place not in drop:
            return place
    return None


def _entering(trace: dc.Trace) -> list[int]:
    """Segments in the order in which they enter the last link: those that arrive, and those dropped there.

    What the queue drops it drops as it comes from the first link.
    """
    free, queued, found = 0, set[tuple[int, int]](), []
    for row in range(len(trace.time_ns)):
        if trace.back[row]:
            continue
        word, at, segment = trace.words[int(trace.what[row])], int(trace.time_ns[row]), int(trace.seq[row])
        if word == "send":
            free = max(free, at) + int(trace.size_bytes[row]) * NEAR_NS_PER_BYTE
            queued.add((free + NEAR_NS, segment))
        elif word == "receive" or (word == "drop" and (at, segment) not in queued):
            found.append(segment)
    return found
