"""Links drawn at random, of every kind that `tune` supports; the same seed gives the same list."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace

from dropcurve.quantities import units
from dropcurve.tuning import Question, of_link

#: Bytes of a full packet.
PACKET_BYTES = 1500
#: Kinds of link: (name, lowest and highest rate in bit/s, lowest and highest round trip in s, most flows), each drawn
#: equally often.
KINDS = (
    ("slow access", 1e6, 6e6, 0.015, 0.08, 8),
    ("access", 6e6, 40e6, 0.01, 0.06, 30),
    ("office", 20e6, 100e6, 0.005, 0.08, 60),
    ("satellite", 2e6, 20e6, 0.5, 0.65, 16),
    ("aggregation", 60e6, 200e6, 0.01, 0.1, 120),
)
#: Kinds whose runs take ten to a hundred times as long, drawn separately.
FAST_KINDS = (
    ("metropolitan", 2e8, 1e9, 0.005, 0.06, 150),
    ("core", 1e9, 1e10, 0.002, 0.04, 200),
)

#: Objectives other than utilisation under a bound on the delay (ms), in turn; completion times need short flows.
OTHER = (
    "min p95 delay, utilisation > {share}%",
    "p95 delay < {bound:g}ms, max fairness",
    "p95 delay < {bound:g}ms, min p95 completion time",
    "min p95 delay, loss < {loss}%",
    "max utilisation - 0.5 * p95 delay",
)


@dataclass(frozen=True)
class DrawnLink:
    """A link with a goal, in the words of the command line."""

    kind: str
    rate: str
    rtt: str
    flows: str
    buffer: str
    goal: str
    udp: str | None = None
    short: str | None = None
    ecn: bool = False
    tcp: str = "cubic"

    @property
    def title(self) -> str:
        """The link in a line."""
        more = [
            f"{share} {name}" for name, share in (("UDP", self.udp), ("short flows", self.short)) if share
        ]
        more += ["ECN"] if self.ecn else []
        more += ["Reno"] if self.tcp == "reno" else []
        return ", ".join([self.rate, f"round trip {self.rtt}", f"{self.flows} flows", self.buffer, *more])

    def question(self) -> Question:
        """The question `tune` answers."""
        return of_link(
            rate=self.rate, rtt=self.rtt, flows=self.flows, buffer=self.buffer, goal=self.goal,
            udp=self.udp, short=self.short, ecn=self.ecn, tcp=self.tcp,
        )  # fmt: skip


def drawn(count: int, *, seed: int) -> list[DrawnLink]:
    """``count`` links; the n-th depends on the seed and n alone."""
    return [
        _draw(KINDS[number % len(KINDS)], random.Random(f"{seed}/{number}"), number % 2 == 1)
        for number in range(count)
    ]


def fast(count: int, *, seed: int) -> list[DrawnLink]:
    """``count`` links of 200 Mbit/s to 10 Gbit/s, drawn in the same way."""
    return [
        _draw(FAST_KINDS[number % len(FAST_KINDS)], random.Random(f"{seed}/fast/{number}"), False)
        for number in range(count)
    ]


def other(count: int, *, seed: int) -> list[DrawnLink]:
    """The same links with other objectives, in turn."""
    links = []
    for number, link in enumerate(drawn(count, seed=seed)):
        rng = random.Random(f"{seed}/{number}/goal")
        bound = float(link.goal.removeprefix("p95 delay < ").partition("ms")[0])
        goal = OTHER[number % len(OTHER)].format(
            bound=bound, share=rng.randint(88, 97), loss=rng.randint(1, 4)
        )
        few, _, many = link.flows.partition("-")
        same = replace(link, goal=goal, tcp="cubic", flows=f"{max(2, int(few))}-{max(3, int(many))}")
        links.append(replace(same, short="20%", udp=None) if "completion" in goal else same)
    return links


def _draw(
    kind: tuple[str, float, float, float, float, int], rng: random.Random, confirmed: bool
) -> DrawnLink:
    """A link of a kind. One that ns-3 is to confirm has Reno and traffic that ns-3 can simulate, unless its link is an
    aggregation, whose runs ns-3 simulates too slowly."""
    name, slow, fast, near, far, most = kind

    def log(low: float, high: float) -> float:
        return math.exp(rng.uniform(math.log(low), math.log(high)))

    rate = float(f"{log(slow, fast):.2g}")
    low = float(f"{log(near, far / 1.2) * 1e3:.2g}")
    high = min(float(f"{low * rng.uniform(1.0, 4.0):.2g}"), far * 1e3)
    few = max(1, round(log(1, most / 2)))
    many = max(few + 1, min(most, round(few * rng.uniform(1.5, 6.0))))
    # A bound between a few packet times and the round trip; the buffer holds a multiple of the bound.
    packet_ms = PACKET_BYTES * 8 / rate * 1e3
    bound = float(f"{log(max(6 * packet_ms, 0.1 * high, 2.0), max(20 * packet_ms, 1.2 * high, 4.0)):.2g}")
    buffer = max(30, round(rng.uniform(2.5, 8.0) * bound / packet_ms))
    traffic = rng.choice(("long", "long", "udp", "short", "ecn"))
    reno = confirmed and name != "aggregation"
    if reno and traffic in ("udp", "short"):
        traffic = "long"
    return DrawnLink(
        name, units.show_rate(rate).replace(" ", ""), f"{low:g}-{max(high, low):g}ms", f"{few}-{many}", f"{buffer}pkts",
        f"p95 delay < {bound:g}ms, max utilisation",
        udp=f"{rng.randint(2, 20)}%" if traffic == "udp" else None,
        short=f"{rng.randint(5, 25)}%" if traffic == "short" else None,
        ecn=traffic == "ecn",
        tcp="reno" if reno else "cubic",
    )  # fmt: skip
