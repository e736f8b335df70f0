"""Ranges of values as text: ``20-200ms``, ``5-100``, ``0.01..0.5``, ``10 Mbit/s to 1 Gbit/s``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Literal

from ..errors import UsageError
from .units import plain

Scale = Literal["log", "linear"]

#: Ratio of the ends from which a range of positive values has a log scale.
WIDE = 8.0
#: Significant digits of a value drawn from a range: more would have no effect and be tedious to type.
DIGITS = 3

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_UNIT = r"(?!(?:log|linear|to)\b)[A-Za-z%][\w/%]*"
_END = re.compile(rf"\s*({_NUMBER})\s*({_UNIT})?\s*")
_RANGE = re.compile(
    rf"\s*(?P<low>{_NUMBER})\s*(?P<low_unit>{_UNIT}?)?\s*(?P<sign>\.\.|–|-|\bto\b)\s*"
    rf"(?P<high>{_NUMBER})\s*(?P<high_unit>{_UNIT})?\s*(?P<scale>log|linear)?\s*"
)


@dataclass(frozen=True)
class Range:
    """Every value from ``low`` to ``high``, both in ``unit`` ("" for pure numbers).

    ``scale`` says whether equal steps are equal ratios ("log") or equal differences. ``whole`` values are
    rounded to whole numbers; all others to three significant digits.
    """

    low: float
    high: float
    unit: str = ""
    scale: Scale = "linear"
    whole: bool = False

    def at(self, share: float) -> float:
        """The number at ``share`` (0 to 1) of the way from ``low`` to ``high``, rounded."""
        if self.scale == "log":
            value = math.exp(math.log(self.low) + share * (math.log(self.high) - math.log(self.low)))
        else:
            value = self.low + share * (self.high - self.low)
        return min(max(self.rounded(value), self.low), self.high)

    def rounded(self, value: float) -> float:
        """The number rounded for display and for scenarios."""
        return float(round(value)) if self.whole else float(f"{value:.{DIGITS}g}")

    def share(self, value: float) -> float:
        """Position of a number: 0 at ``low``, 1 at ``high``; the inverse of `at`."""
        if self.high == self.low:
            return 0.5
        if self.scale == "log":
            return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return (value - self.low) / (self.high - self.low)

    def shown(self, value: float) -> Any:
        """The value as a scenario takes it: a number, or text with the unit."""
        number = int(value) if self.whole else value
        return f"{plain(value)} {self.unit}" if self.unit else number

    @property
    def single(self) -> bool:
        """Whether there is only one value in it."""
        return self.low == self.high

    def __str__(self) -> str:
        ends = plain(self.low) if self.single else f"{plain(self.low)}–{plain(self.high)}"
        return f"{ends} {self.unit}".strip()


def parse(text: str, *, name: str) -> Range:
    """A range, or a single value as a range without length.

    A unit may follow the last value alone or both. ``log`` or ``linear`` may follow; without it, positive
    ends that lie a factor of eight or more apart make it logarithmic. Raises UsageError, which calls the
    value ``name``.
    """
    match = _RANGE.fullmatch(text)
    if match is None:
        one = _END.fullmatch(text)
        if one is None:
            raise UsageError(
                name, text, "must be a value or a range with its unit", "write one such as 20-200ms"
            )
        value = float(one[1])
        return Range(value, value, one[2] or "", whole=_whole(one[1], one[1], one[2]))
    low, high = float(match["low"]), float(match["high"])
    unit = match["high_unit"] or ""
    if match["low_unit"] and match["low_unit"] != unit:
        raise UsageError(
            name,
            text,
            "must have the same unit at both ends, or one unit at its end",
            "write one such as 20-200ms",
        )
    if low > high:
        sign = f" {match['sign']} " if match["sign"] == "to" else match["sign"]
        swapped = f"{match['high']}{sign}{match['low']}{unit}"
        raise UsageError(name, text, "the smaller value comes first", f"write {swapped}")
    if match["scale"] == "log" and low <= 0:
        raise UsageError(
            name, text, "a logarithmic range must start above 0", "raise its start, or leave out log"
        )
    scale: Scale = "log" if low > 0 and high / low >= WIDE else "linear"
    if match["scale"]:
        scale = "log" if match["scale"] == "log" else "linear"
    return Range(low, high, unit, scale, whole=_whole(match["low"], match["high"], unit))


def is_range(text: str) -> bool:
    """Whether text reads as a range of two ends."""
    return _RANGE.fullmatch(text) is not None


def _whole(low: str, high: str, unit: str | None) -> bool:
    """Numbers without unit and point are counts."""
    return not unit and not re.search(r"[.eE]", low + high)
