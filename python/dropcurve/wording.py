"""Numbers as people read them: as many digits as the interval supports, and a unit of the right size."""

from __future__ import annotations

import math

_PREFIXES = ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"))


def scaled(unit: str, largest: float) -> tuple[float, str]:
    """(divisor, unit) to show values up to ``largest`` in: 9.8e6 bit/s become Mbit/s, other units stay."""
    if unit == "bit/s":
        return next(((size, name) for size, name in _PREFIXES if abs(largest) >= size), (1.0, unit))
    return 1.0, unit


def decimals(mean: float, half_width: float | None) -> int:
    """Decimals that show two digits of the half-width, or four of a mean without one, and never more than five of
    the mean."""
    size = abs(mean)
    guide = half_width if half_width and half_width > 1e-9 * size else size / 100.0
    if not guide or not math.isfinite(guide):
        return 0
    most = 6 if not size else max(0, 4 - math.floor(math.log10(size)))
    return min(6, most, max(0, 1 - math.floor(math.log10(guide))))


def number(value: float, places: int) -> str:
    """A number with a true minus sign and never a negative zero."""
    text = f"{value:.{places}f}"
    if text.startswith("-"):
        text = text[1:] if not float(text) else "−" + text[1:]
    return text


def value(mean: float | None, half_width: float | None, *, divisor: float = 1.0) -> tuple[str, str]:
    """(mean, half-width) as text in the same decimals; ("–", "") if there is none."""
    if mean is None:
        return "–", ""
    mean = mean / divisor
    half = None if half_width is None else half_width / divisor
    places = decimals(mean, half)
    return number(mean, places), "" if half is None else number(half, places)


def amount(mean: float | None, half_width: float | None, unit: str) -> str:
    """``41.2 ± 1.3 ms``; the unit adapts to the size."""
    divisor, shown = scaled(unit, mean or 0.0)
    centre, half = value(mean, half_width, divisor=divisor)
    text = f"{centre} ± {half}" if half else centre
    return f"{text} {shown}".rstrip()


def count(n: int, noun: str) -> str:
    """``1 run``, ``2 runs``."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def percent(share: float) -> str:
    """``95 %``, ``99.9 %``."""
    return f"{100 * share:g} %"


def bound(most: float, unit: str) -> str:
    """An upper bound in two significant digits: ``0.43 Mbit/s``."""
    divisor, shown = scaled(unit, most)
    return f"{number(most / divisor, decimals(most / divisor, most / divisor))} {shown}".rstrip()
