"""The exchange rate between delay and utilisation."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from ..errors import UsageError
from ..quantities import units

#: Worth, in points of utilisation, of a queueing delay as long as the base round trip: at a round trip of 40 ms, 1 ms
#: counts as 0.5 points. Power, the quotient of throughput and delay (Kleinrock 1979), would count 100 of them, and
#: trades a tenth of a link for 4 ms.
POINTS_PER_ROUND_TRIP = 20.0
#: Round trip assumed where none is known.
ROUND_TRIP_S = 0.04

_TEXT = re.compile(r"\s*([0-9.]*\s*[a-zµ]+)\s*=\s*([0-9.]+(?:e-?[0-9]+)?)\s*(?:points?|%)?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Exchange:
    """Worth of 1 ms of delay in points of utilisation."""

    points_per_ms: float

    @classmethod
    def default(cls, round_trip_s: float | None = None) -> Exchange:
        """The rate for a base round trip, rounded to two digits.

        Args:
            round_trip_s: The base round trip in seconds; 40 ms if it is unknown.
        """
        seconds = round_trip_s if round_trip_s else ROUND_TRIP_S
        return cls(float(f"{POINTS_PER_ROUND_TRIP / (seconds * 1e3):.2g}"))

    @classmethod
    def parse(cls, text: str) -> Exchange:
        """The rate that ``1ms=0.5`` or ``10 ms = 2 points`` states.

        Raises:
            UsageError: For text of another form, and for numbers that are not above 0.
        """
        found = _TEXT.fullmatch(text)
        rule, example = "must be TIME=POINTS of utilisation", "write one such as 1ms=0.5"
        if found is None:
            raise UsageError("exchange", text, rule, example)
        span = found[1] if re.match(r"[0-9.]", found[1]) else f"1{found[1]}"
        try:
            points = float(found[2])
        except ValueError:
            raise UsageError("exchange", text, rule, example) from None
        milliseconds = units.span(span, what="exchange") * 1e3
        if not points > 0 or not milliseconds > 0:
            raise UsageError("exchange", text, "both sides must be above 0", example)
        return cls(points / milliseconds)

    def __str__(self) -> str:
        # A power of ten of time that makes the points a number of one digit before the point.
        power = -math.floor(math.log10(self.points_per_ms))
        points = self.points_per_ms * 10.0**power
        if (power > 0 and points >= 5.0) or power == 1:
            points, power = points / 10.0, power - 1
        noun = "point" if f"{points:.3g}" == "1" else "points"
        return f"{units.show_span(1e-3 * 10.0**power)} of delay counts as {points:.3g} {noun} of utilisation"
