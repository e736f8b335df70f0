"""The exchange rates between outcomes: delay, loss, page load time and video, in points of utilisation."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from ..errors import UsageError, nearest
from ..quantities import units, wording

#: Worth, in points of utilisation, of a queueing delay as long as the base round trip: at a round trip of 40
#: ms, 1 ms counts as 0.5 points. Power, the quotient of throughput and delay (Kleinrock 1979), would count 100 points,
#: and trades a tenth of a link for 4 ms.
POINTS_PER_ROUND_TRIP = 20.0
#: Round trip assumed where none is known.
ROUND_TRIP_S = 0.04
#: Longest round trip that the rate of delay follows: users do not get used to a longer one. At a round trip of 100 ms
#: and above, 1 ms counts as 0.2 points.
MOST_ROUND_TRIP_S = 0.1
#: Shortest round trip that the rate of delay follows: a server in a data centre takes some hundred microseconds to
#: answer, so that a queueing delay well below a millisecond is seldom felt. Without this bound 0.2 ms at a round trip
#: of 0.1 ms would be worth 40 % of the link. At a round trip of 1 ms and below, 0.1 ms counts as 2 points.
LEAST_ROUND_TRIP_S = 1e-3
#: Points of a page that takes twice as long: users perceive the logarithm of a load time (ITU-T G.1030).
PAGE_POINTS = 10.0
#: Points of 1 Mbit/s of video bit rate: the qualities of a usual video reach from 0.3 to 4.3 Mbit/s.
VIDEO_POINTS = 5.0
#: Points of 1 % of the packets of a thin flow. By the E-model (ITU-T G.107 with G.113, concealed losses) 1 %
#: of loss costs a call what 150 ms of delay do; it does not count more, because a short run has few packets
#: of a call to lose.
LOSS_POINTS = 5.0
#: Names of the rates that may follow that of delay, with an example each.
OTHERS = {"page": "page:2x=10", "video": "video:1Mbit=5", "loss": "loss:1%=5"}

_LEFT = {
    "page": "the left side must be a factor above 1", "video": "the left side must be a rate above 0",
    "loss": "the left side must be a share above 0 %",
}  # fmt: skip
_TEXT = re.compile(r"\s*(.*?)\s*=\s*([0-9.]+(?:e-?[0-9]+)?)\s*(?:points?|%)?\s*", re.IGNORECASE)
_RULE = "must be TIME=POINTS of utilisation"
_EXAMPLE = "write one such as 1ms=0.5 or 1ms=0.5,page:2x=10,video:1Mbit=5,loss:1%=5"


@dataclass(frozen=True)
class Exchange:
    """Worth of outcomes in points of utilisation.

    Attributes:
        points_per_ms: Points of 1 ms less delay.
        page: Points of a page load time half as long.
        video: Points of 1 Mbit/s more video bit rate.
        loss: Points of 1 % fewer lost packets of a thin flow.
    """

    points_per_ms: float
    page: float = PAGE_POINTS
    video: float = VIDEO_POINTS
    loss: float = LOSS_POINTS

    @classmethod
    def default(cls, round_trip_s: float | None = None) -> Exchange:
        """The rates for a base round trip, that of delay rounded to two digits, no less than at 100 ms and no more
        than at 1 ms.

        Args:
            round_trip_s: The base round trip in seconds; 40 ms if it is unknown.
        """
        given = round_trip_s if round_trip_s else ROUND_TRIP_S
        seconds = min(max(given, LEAST_ROUND_TRIP_S), MOST_ROUND_TRIP_S)
        return cls(float(f"{POINTS_PER_ROUND_TRIP / (seconds * 1e3):.2g}"))

    @classmethod
    def parse(cls, text: str) -> Exchange:
        """The rates that ``1ms=0.5``, ``10 ms = 2 points`` or ``1ms=0.5,page:2x=5,video:1Mbit=0,loss:1%=10``
        state.

        That of delay comes first; of the others 0 leaves an outcome out.

        Raises:
            UsageError: For text of another form, and for a delay that is worth nothing.
        """
        first, *rest = text.split(",")
        amount, points = _pair(first, text)
        span = amount if re.match(r"[0-9.]", amount) else f"1{amount}"
        milliseconds = units.span(span, what="exchange") * 1e3
        if not points > 0 or not milliseconds > 0:
            raise UsageError("exchange", text, "both sides must be above 0", _EXAMPLE)
        exchange = cls(points / milliseconds)
        for part in rest:
            exchange = _with(exchange, part, text)
        return exchange

    def __str__(self) -> str:
        return f"{_timed(self.points_per_ms)} of utilisation"

    def stated(self, kinds: Collection[str] = ()) -> str:
        """The rate of delay and those of the outcomes that count: "page", "video", "loss"; with "transfers" also that
        of the delay of long transfers next to thin flows (`traffic.BULK_FACTOR`), and with "goodput" that they count by
        the data that they get."""
        parts = [str(self)]
        if "transfers" in kinds:
            parts.append("that of long transfers as a quarter of it")
        if "page" in kinds:
            parts.append(f"a page that takes twice as long as {_points(self.page)}")
        if "video" in kinds:
            parts += [f"1 Mbit/s of video as {_points(self.video)}", "1 % of stalled time as 1 point"]
        if "loss" in kinds:
            parts.append(f"1 % of loss as {_points(self.loss)}")
        if "goodput" in kinds:
            parts.append("1 % of the rate of either direction for its transfers as 1 point")
        return wording.listed(parts)


def _pair(part: str, text: str) -> tuple[str, float]:
    """An amount and its points. Raises UsageError for text of another form."""
    match = _TEXT.fullmatch(part)
    if match is None or not match[1]:
        raise UsageError("exchange", text, _RULE, _EXAMPLE)
    try:
        return match[1], float(match[2])
    except ValueError:
        raise UsageError("exchange", text, _RULE, _EXAMPLE) from None


def _with(rates: Exchange, part: str, text: str) -> Exchange:
    """The rates with another one that a part such as ``page:2x=5`` states."""
    name, colon, rest = (one.strip() for one in part.partition(":"))
    if name not in OTHERS or not colon:
        hint = nearest(
            name, list(OTHERS), otherwise=f"write one such as {wording.listed(list(OTHERS.values()))}"
        )
        raise UsageError("exchange", part.strip(), f"must be a rate of {wording.listed(list(OTHERS))}", hint)
    amount, points = _pair(rest, text)
    if name == "page":
        factor = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*x", amount)
        size = math.log2(max(float(factor[1]), 1.0)) if factor else 0.0
    elif name == "video":
        size = units.rate(amount, what="exchange") / 1e6
    else:
        number = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*%", amount)
        size = float(number[1]) if number else 0.0
    if not size > 0:
        raise UsageError("exchange", part.strip(), _LEFT[name], f"write one such as {OTHERS[name]}")
    return replace(rates, **{name: points / size})


def _points(number: float) -> str:
    return f"{number:.3g} {'point' if f'{number:.3g}' == '1' else 'points'}"


def _timed(points_per_ms: float) -> str:
    """The points of a time of round size."""
    # A power of ten of time that makes the points a number of one digit before the point.
    power = -math.floor(math.log10(points_per_ms))
    points = points_per_ms * 10.0**power
    if (power > 0 and points >= 5.0) or power == 1:
        points, power = points / 10.0, power - 1
    return f"{units.show_span(1e-3 * 10.0**power)} of delay counts as {_points(points)}"
