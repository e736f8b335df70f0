"""Numbers as text: as many digits as the interval supports, and a unit of the right size."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ..present.intervals import ANY, POINTS, SAME, UNDECIDED, Range, interval, plain
from .units import RATES

#: Longest name of a variant that tables and verdicts spell out.
LONGEST = 28
_PREFIXES = tuple((float(RATES[unit]), unit) for unit in ("Gbit/s", "Mbit/s", "kbit/s"))


def scaled(unit: str, largest: float) -> tuple[float, str]:
    """(divisor, unit) to show values up to ``largest`` in: 9.8e6 bit/s become Mbit/s, other units stay."""
    if unit == "bit/s":
        return next(((size, name) for size, name in _PREFIXES if abs(largest) >= size), (1.0, unit))
    return 1.0, unit


#: Units of the settings of a sweep, by the ending of the column.
SETTING_UNITS = {"bps": "bit/s", "ms": "ms", "bytes": "bytes", "pkts": "packets"}


def setting(column: str) -> tuple[str, str]:
    """Returns name and unit of a setting for text, from its column in a sweep.

    A parameter of the queue or of a group of flows keeps its name, so that it can be looked up.

    Args:
        column: The setting's path with ``_`` for each dot, and its unit at the end.

    Example:
        >>> setting("dumbbell_rate_bps"), setting("queue_max_p"), setting("flows_tcp_count")
        (('dumbbell rate', 'bit/s'), ('max_p of the queue', ''), ('number of tcp flows', ''))
    """
    name, _, ending = column.rpartition("_")
    unit = SETTING_UNITS.get(ending, "")
    name = name if unit else column
    if name.startswith("queue_"):
        return f"{name.removeprefix('queue_')} of the queue", unit
    if flows := re.fullmatch(r"flows_(.+)_count", name):
        return f"number of {flows[1].replace('_', ' ')} flows", unit
    return name.replace("_", " "), unit


#: Half-widths below this share of the mean are rounding errors of the arithmetic, not variance.
NOISE = 1e-9


def decimals(mean: float, half_width: float | None) -> int:
    """Decimals that show two digits of the half-width, or four of a mean without one, and never more than five of
    the mean: negative where tens and hundreds must go."""
    size = abs(mean)
    if half_width is not None and half_width <= NOISE * size and mean == round(mean):
        return min(0, 4 - _magnitude(size)) if size else 0
    guide = half_width if half_width and half_width > NOISE * size else size / 100.0
    if not guide or not math.isfinite(guide):
        return 0
    # Rounded to five digits first: 9.999996 is 10.000.
    most = 6 if not size else 4 - _magnitude(float(f"{size:.4e}"))
    return min(6, most, max(0, 1 - _magnitude(guide)))


def _magnitude(value: float) -> int:
    """The power of ten of the first digit."""
    return math.floor(math.log10(value))


def number(value: float, places: int) -> str:
    """A number with a true minus sign and never a negative zero."""
    text = f"{value:.{places}f}" if places >= 0 else f"{round(value, places):.0f}"
    if text.startswith("-"):
        text = text[1:] if not float(text) else "−" + text[1:]
    return text


#: Half-width of a measure without a largest value, in means, from which it says nothing.
USELESS = 2.0
#: Share of a range by which an interval may reach beyond it: 0.2 points, within which designs count as equal.
NEGLIGIBLE = 0.002
#: Share of the possible range that an interval covers at least that says nothing.
COVERING = 0.5


def value(
    mean: float | None, half_width: float | None, *, divisor: float = 1.0, within: Range = ANY
) -> tuple[str, str]:
    """(mean, half-width) as text in the same decimals; ("–", "") if there is none.

    Values that differ by rounding errors only read ``all runs``; a half-width below the last decimal is shown by its
    first digit. An interval that reaches beyond ``within``, the possible values, is shown by its ends inside (``12 to
    100``), and as ``undecided`` if it covers half of the possible values or reaches beyond twice the mean on either
    side.
    """
    if mean is None:
        return "–", ""
    if not within[0] <= mean <= within[1]:
        within = ANY  # such as goodput of a window above the rate: the value is shown as it is
    if half_width is not None and not _inside(mean, half_width, within):
        low, high = max(within[0], mean - half_width), min(within[1], mean + half_width)
        width = within[1] - within[0]
        useless = half_width > USELESS * abs(mean) if math.isinf(width) else high - low > COVERING * width
        if useless or not mean:
            return number(mean / divisor, decimals(mean / divisor, abs(mean) / divisor)), UNDECIDED
        places = decimals(mean / divisor, half_width / divisor)
        return number(mean / divisor, places), " to ".join(
            number(one / divisor, places) for one in (low, high)
        )
    mean = mean / divisor
    half = None if half_width is None else half_width / divisor
    places = decimals(mean, half)
    return number(mean, places), "" if half is None else _half(half, abs(mean), places)


def vague(half_width: float | None, unit: str, largest: float) -> bool:
    """Whether the interval of a difference says nothing: it is half as wide as the possible points of a share, or the
    half-width exceeds the larger of both values, ``largest``."""
    if half_width is None:
        return False
    return half_width > (
        COVERING * POINTS[1] if unit in ("%", "percentage points", "points") else abs(largest)
    )


def _inside(mean: float, half: float, within: Range) -> bool:
    """Whether the interval lies within a range, up to rounding errors, and to `NEGLIGIBLE` of a range with two ends."""
    width = within[1] - within[0]
    slack = NOISE * max(abs(mean), half) + (NEGLIGIBLE * width if math.isfinite(width) else 0.0)
    return within[0] - slack <= mean - half and mean + half <= within[1] + slack


def _half(half: float, size: float, places: int) -> str:
    if half <= NOISE * size:
        return SAME
    return number(half, places if half >= 10.0**-places else -_magnitude(half))


def with_unit(number_: str, unit: str) -> str:
    """``0.2 points``, ``1 point``: a number as text with a unit in words, which is singular after a plain 1."""
    one = number_.lstrip("−-") == "1" and unit.endswith("points")
    return f"{number_} {unit.removesuffix('s') if one else unit}".rstrip()


def amount(mean: float | None, half_width: float | None, unit: str, *, within: Range = ANY) -> str:
    """``41.2 ± 1.3 ms``; the unit adapts to the size. An interval that reaches beyond ``within`` reads ``76 % (12 to
    100)``, ``17 ms (undecided)``, or ``17 ms (all runs)`` for values that do not differ."""
    divisor, shown = scaled(unit, mean or 0.0)
    centre, half = value(mean, half_width, divisor=divisor, within=within)
    if plain(half):
        return with_unit(interval(centre, half), shown)
    return f"{with_unit(centre, shown)} ({half})"


def reads_alike(first: float, second: float) -> bool:
    """Whether two values of a measure are the same in the decimals that the larger of them is shown with.

    Example:
        >>> reads_alike(99.996, 99.9999)
        True
    """
    places = decimals(max(abs(first), abs(second)), None)
    return number(first, places) == number(second, places)


def labels(names: Sequence[str]) -> dict[str, str]:
    """Returns the labels of variants in tables and verdicts: their names, of long ones the beginning and a number.

    ``red:dialect=ns2,min_th=5 pkts,max_th=15 pkts`` as second of a result is ``red:ns2… [2]``; a legend explains the
    number.
    """
    return {
        name: name if len(name) <= LONGEST else f"{_beginning(name)}… [{number}]"
        for number, name in enumerate(names, start=1)
    }


def _beginning(name: str) -> str:
    """The first part of a name, cut to fit."""
    first = re.split(r"[,; ]", name.replace(":dialect=", ":"))[0]
    return first[: LONGEST - 8]


def count(n: int, noun: str) -> str:
    """``1 run``, ``2 runs``."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def number_word(n: int) -> str:
    """``two``; numbers above ten in digits."""
    return _WORDS[n] if 0 <= n < len(_WORDS) else str(n)


def every(n: int, noun: str) -> str:
    """``the queue``, ``both queues``, ``all three queues``."""
    return f"the {noun}" if n == 1 else f"both {noun}s" if n == 2 else f"all {number_word(n)} {noun}s"


def percent(share: float) -> str:
    """``95 %``, ``99.9 %``."""
    return f"{100 * share:g} %"


def bound(most: float, unit: str) -> str:
    """An upper bound in two significant digits: ``0.43 Mbit/s``."""
    divisor, shown = scaled(unit, most)
    return with_unit(number(most / divisor, decimals(most / divisor, most / divisor)), shown)


def listed(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
