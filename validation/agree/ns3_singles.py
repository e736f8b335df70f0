"""Single flows of ns-3.37 drawn at random, segment by segment: variant, path, queue, window, losses.

Path and losses are those of `ns3_flow`, the queue of the slower link may fill. `ns3/single.cc` runs what
`drawn` says; sixty runs of it are kept.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence

from . import ns3_flow
from .cases import AgreementCase, Area
from .context import Context
from .ns3_flow import Sent, SingleFlow, runs_in
from .ns3_packets import CUBIC, VEGAS

TITLE = "TCP, drawn single flows, against ns-3.37"
METHOD = (
    "Runs drawn from fixed seeds over variants of ns-3's TCP, paths, queues, initial windows, selective and delayed "
    "acknowledgements and losses, including lost retransmissions. `sent` counts the transmissions that come in "
    "ns-3's order, each within one packet time of ns-3's."
)
#: The congestion controls of ns-3, and their keys here.
CONTROLS = {
    "TcpNewReno": 'cc = "reno"',
    "TcpCubic": CUBIC,
    "TcpVegas": VEGAS,
    "TcpWestwood": 'cc = "westwood"',
    "TcpBbr": 'cc = "bbr"',
}

Keys = Mapping[str, str]


def compare(context: Context) -> Area:
    """The runs that are kept."""
    cases = []
    for number, (head, sent) in enumerate(runs_in(context.own / "ns3_singles.txt"), 1):
        context.log(f"ns-3 singles {number}")
        cases.append(case(dict(re.findall(r"(\S+)=(\S+)", head)), sent))
    return Area("ns3_singles", TITLE, "ns-3.37", METHOD, cases)


def drawn(seed: int) -> Keys:
    """Returns the arguments of one run; a draw of this kind, not of any distribution that matters."""
    rng = random.Random(f"ns3 {seed}")
    choose: Callable[[Sequence[str]], str] = rng.choice
    controls = ["TcpNewReno", *CONTROLS]
    sack = rng.random() < 0.7
    segments = int(choose(["30", "100", "300", "300", "600"]))
    lost = _lost(rng, segments)
    return {
        "seed": str(seed),
        "control": choose(controls),
        "sack": "true" if sack else "false",
        "recovery": "TcpPrrRecovery" if sack or rng.random() < 0.3 else "TcpClassicRecovery",
        "ack-every": choose("112"),
        "window": choose(["1", "10", "10", "4"]),
        "segments": str(segments),
        "queue": choose(["0", "0", "0", "10", "25", "60"]),
        "rate": choose(["10", "10", "2", "5"]) + "Mbps",
        "delay": choose(["24", "24", "4", "49", "99"]) + "ms",
        "lose": ",".join(f"{segment}:{times}" for segment, times in sorted(lost.items())) or "-",
    }


def _lost(rng: random.Random, segments: int) -> dict[int, int]:
    """Single segments, bursts, retransmissions, every other segment, the tail, or nothing."""
    last, style = segments - 1, rng.choice(["few", "burst", "again", "other", "tail", "none"])
    first = rng.randint(1, last)
    if style == "few":
        return {rng.randint(1, last): 1 for _ in range(rng.randint(1, 5))}
    if style == "burst":
        return dict.fromkeys(range(first, min(segments, first + rng.choice((2, 3, 5, 10, 20)))), 1)
    if style == "again":
        near = {
            min(last, first + rng.randint(1, 25)): rng.choice((1, 1, 2)) for _ in range(rng.randint(0, 4))
        }
        return {**near, first: rng.choice((2, 2, 3))}
    if style == "other":
        return dict.fromkeys(range(first, min(segments, first + rng.randint(4, 20)), 2), 1)
    if style == "tail":
        return {last - rng.randint(0, 3): rng.choice((1, 1, 2)) for _ in range(rng.randint(1, 3))}
    return {}


def words(keys: Keys) -> list[str]:
    """Returns the arguments of `single`."""
    arguments = [f"--{key}={value}" for key, value in keys.items() if key != "seed" and value != "-"]
    plus = "--ns3::TcpWestwood::ProtocolType=WestwoodPlus"
    return [*arguments, plus] if keys["control"] == "TcpWestwood" else arguments


def case(keys: Keys, theirs: list[Sent]) -> AgreementCase:
    """One run compared."""
    return ns3_flow.compared(name(keys), flow(keys), theirs)


def flow(keys: Keys) -> SingleFlow:
    """The same here."""
    recovery = "sack" if keys["sack"] == "true" else "newreno"
    stack = [CONTROLS[keys["control"]], f'recovery = "{recovery}"', f"initial_window = {keys['window']}"]
    stack += ['reduction = "at_once"'] if keys["recovery"] == "TcpClassicRecovery" else []
    return SingleFlow(
        "\n".join(stack),
        ns3_flow.lost(keys["lose"]),
        every=int(keys["ack-every"]),
        segments=int(keys["segments"]),
        rate=float(keys["rate"].removesuffix("Mbps")),
        delay=float(keys["delay"].removesuffix("ms")),
        queue=int(keys["queue"]),
    )


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
