"""Conditions of the atlas, drawn at random, each with one design: the n-th depends on the seed and on n alone.

Delays and bandwidth-delay products are drawn in logarithms, since queues depend on ratios. Expensive runs,
those of rates above `FAST`, are drawn less often.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from dropcurve.quantities import units
from dropcurve.scenario import Scenario
from dropcurve.scenario.links import LinkProfile, Mix, traffic
from dropcurve.tuning.candidates import Candidate, target_of
from dropcurve.tuning.customary import SHARES, customary
from dropcurve.tuning.families import family
from dropcurve.tuning.link import Link
from dropcurve.tuning.link import times as link_times
from dropcurve.tuning.search_space import Sizing

#: Traffic of a condition: stated flows (`tuning.link`), or the usual traffic of a link (`scenario.links`).
Traffic = Literal["stated", "usual"]

#: Disciplines of the atlas, each with its weight in the draws.
KINDS = {"droptail": 1.0, "codel": 1.0, "pie": 1.0, "fq_codel": 1.0, "red": 1.0, "cake": 0.6}
#: Least, common and greatest rate in bit/s, and the share of draws above the common ones.
SLOW, FAST, FASTEST, ABOVE = 0.5e6, 100e6, 1e9, 0.14
#: The same for links with their usual traffic, whose runs take longer.
USUAL_SLOW, USUAL_FAST, USUAL_FASTEST, USUAL_ABOVE = 0.8e6, 50e6, 500e6, 0.14
#: Round trips in seconds.
NEAR, FAR = 0.002, 0.8
#: Greatest bandwidth-delay product in packets.
MOST_BDP = 5000.0
#: Most long flows, and the least rate of each in bit/s.
MOST_FLOWS, LEAST_EACH = 200, 1e5
#: Bytes of a full packet.
PACKET_BYTES = 1500
#: Packets of a measurement window at most, and the least share of the tuner's window.
WINDOW, LEAST_WINDOW = 25_000, 0.35
#: Packets up to which every draw is simulated.
AFFORDABLE = 30_000


@dataclass(frozen=True)
class Draw:
    """A condition with a design: the link at this condition, and the sizing that the design was sized for."""

    number: int
    traffic: Traffic
    link: Link | LinkProfile
    condition: dict[str, float]
    direction: str
    sizing: Sizing
    candidate: Candidate
    seed: int

    def scenario(self) -> Scenario:
        """The run's scenario."""
        if isinstance(self.link, Link):
            base = self.link.scenario(self.condition)
        else:
            base = traffic.scenario(self.link, direction=self.direction)
        warmup, window = self.times
        duration = units.show_span(float(f"{warmup + window:.4g}"))
        return self.candidate.instead(base.set("run.duration", duration))

    @property
    def times(self) -> tuple[float, float]:
        """Warm-up and measurement window in seconds: those of the tuner's own runs, the window shorter where it has
        more packets than settle its numbers."""
        if isinstance(self.link, Link):
            rate = self.condition["rate"]
            warmup, duration = link_times(rate, self.condition["rtt"])
        else:
            rate = self.link.rate_bps(self.direction)
            warmup, duration = traffic.times(self.link, rate)
        window = duration - warmup
        share = WINDOW / (window * rate / (8 * PACKET_BYTES))
        return warmup, max(LEAST_WINDOW, min(1.0, share)) * window

    @property
    def packets(self) -> float:
        """Packets that the run simulates, about."""
        both = (
            self.condition["rate"] if isinstance(self.link, Link) else self.link.down_bps + self.link.up_bps
        )
        return sum(self.times) * both / (8 * PACKET_BYTES)


def drawn(kind: Traffic, numbers: Iterable[int], *, seed: int) -> Iterator[Draw]:
    """The draws of these numbers."""
    for number in numbers:
        yield DRAWS[kind](number, _Random(f"{seed}/{kind}/{number}"))


def kept(draw: Draw) -> bool:
    """Whether a draw is simulated: a long run in inverse proportion to its packets."""
    return draw.packets * random.Random(f"kept/{draw.traffic}/{draw.number}").random() < AFFORDABLE


class _Random(random.Random):
    """A generator with the laws that conditions are drawn by."""

    def log(self, low: float, high: float) -> float:
        """A value whose logarithm is uniform, to three digits."""
        return float(f"{math.exp(self.uniform(math.log(low), math.log(max(low, high)))):.3g}")

    def chance(self, share: float) -> bool:
        """Whether an event of this probability happens."""
        return self.random() < share

    def rate(self, slow: float, fast: float, fastest: float, above: float) -> float:
        """A rate, above the common ones in a share of the draws."""
        return self.log(fast, fastest) if self.chance(above) else self.log(slow, fast)


def _stated(number: int, rng: _Random) -> Draw:
    rate = rng.rate(SLOW, FAST, FASTEST, ABOVE)
    rtt = rng.log(NEAR, min(FAR, MOST_BDP * 8 * PACKET_BYTES / rate))
    flows = round(rng.log(1, min(MOST_FLOWS, max(4.0, rate / LEAST_EACH))))
    short = float(f"{rng.uniform(2, 30):.3g}") if rng.chance(0.4) else 0.0
    udp = float(f"{rng.uniform(2, 25):.3g}") if rng.chance(0.35) else 0.0
    condition = {"rate": rate, "rtt": rtt, "flows": float(flows), "short": short, "udp": udp}
    ecn, tcp = rng.chance(0.25), "reno" if rng.chance(0.25) else "cubic"
    bound, buffer = _bound_and_buffer(rng, rate, rtt)
    sizing, candidate = _design(rng, rate, rtt, bound, buffer, ecn)
    link = Link(buffer, tcp, ecn)
    return Draw(number, "stated", link, condition, "", sizing, candidate, rng.randrange(1, 2**31))


def _usual(number: int, rng: _Random) -> Draw:
    rate = rng.rate(USUAL_SLOW, USUAL_FAST, USUAL_FASTEST, USUAL_ABOVE)
    longest = min(FAR, MOST_BDP * 8 * PACKET_BYTES / rate)
    low = rng.log(0.4, FAR) if rng.chance(0.1) and longest > 0.45 else rng.log(0.003, min(0.12, longest))
    low = min(low, longest)
    high = min(longest, float(f"{low * rng.log(1.0, 6.0):.3g}"))
    direction = "up" if rng.chance(0.5) else "down"
    other = float(f"{rate * rng.log(1.0, 16.0) ** (1 if direction == 'up' else -1):.3g}")
    down, up = (other, rate) if direction == "up" else (rate, other)
    most = min(16.0, max(2.0, rate / LEAST_EACH))
    with_flow, against = round(rng.log(1, most)), round(rng.log(1, 7.0)) - 1
    downloads, uploads = (against, with_flow) if direction == "up" else (with_flow, against)
    web = float(f"{rng.uniform(0.02, 0.3):.3g}") if rng.chance(0.7) else 0.0
    mix = Mix(
        downloads, uploads, web, rng.choice((0, 0, 1, 1, 2, 3)), round(rng.log(1, max(1.0, min(10.0, rate / 8e5)))),
        round(rng.log(1, max(1.0, min(4.0, rate / 2e5)))), 0, rng.choice((0.0, 0.0, 0.5, 1.0)),
        "reno" if rng.chance(0.15) else "cubic",
    )  # fmt: skip
    bound, buffer = _bound_and_buffer(rng, rate, high)
    sizing, candidate = _design(rng, rate, high, bound, buffer, mix.ecn > 0)
    # The other direction has a buffer of the same time, as a link's two buffers have.
    span = units.show_span(float(f"{buffer * 8 * PACKET_BYTES / rate:.3g}"))
    link = LinkProfile("link", down, up, (low, high), span, mix)
    return Draw(number, "usual", link, {}, direction, sizing, candidate, rng.randrange(1, 2**31))


def _bound_and_buffer(rng: _Random, rate: float, rtt: float) -> tuple[float, float]:
    """A bound on the delay (s) that a user might set, from a few packets to some round trips, and a larger buffer in
    packets."""
    packet = 8 * PACKET_BYTES / rate
    bound = rng.log(max(3 * packet, 0.06 * rtt, 1e-3), min(max(30 * packet, 2.5 * rtt, 8e-3), 0.6))
    return bound, float(max(30, round(bound / packet * rng.log(1.2, 12.0))))


def _design(
    rng: _Random, rate: float, rtt: float, bound: float, buffer: float, ecn: bool
) -> tuple[Sizing, Candidate]:
    """A design of a family at a random share of the bound, sized as for a range of conditions that includes this."""
    capacity = rate / (8 * PACKET_BYTES) / (rng.log(1.0, 4.0) if rng.chance(0.3) else 1.0)
    longest = min(FAR, rtt * (rng.log(1.0, 6.0) if rng.chance(0.4) else 1.0))
    sizing = Sizing(capacity, buffer, longest, ecn)
    for _ in range(100):
        kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
        share = rng.log(0.4, 40.0) if kind == "cake" else min(1.5, SHARES[kind] * rng.log(0.2, 3.0))
        space = family(kind, sizing)
        params = space.params(customary(space, sizing, bound, share))
        target = target_of("linux" if rng.chance(0.4) else "", rate, rtt)
        candidate = target.candidate(kind, kind, params)
        if candidate is not None:
            return sizing, candidate
    raise RuntimeError("no discipline takes this buffer")


#: Draws by kind of traffic.
DRAWS: dict[Traffic, Callable[[int, _Random], Draw]] = {"stated": _stated, "usual": _usual}
