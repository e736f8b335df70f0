"""Numbers as the ``tc`` command and the kernel take them: integer averages, times in ticks, sizes and rates.

Found by experiment with tc (iproute2 6.1) on Linux, and compared with it by tests: a burst becomes `ewma`, the
exponent of the weight 2^-ewma, and the slope of RED becomes a 32-bit fraction. Sizes are bytes, rates bit/s, times
seconds.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal

from ..errors import UsageError

#: Unit of CoDel's times in the kernel.
CODEL_TICK_S = 1024e-9
#: Tick of the kernel's clock of packet schedulers, the unit of RED's idle table.
PSCHED_TICK_S = 64e-9
#: Largest number accepted: the kernel's own fields have 64 bits at most.
MOST = 2.0**64
#: Bits of the field in which the kernel stores a threshold of RED, shifted left by `ewma`.
BITS = 32

_SIZE_UNITS = {
    "": 1, "b": 1, "k": 2**10, "kb": 2**10, "m": 2**20, "mb": 2**20, "g": 2**30, "gb": 2**30,
    "kbit": 2**10 // 8, "mbit": 2**20 // 8, "gbit": 2**30 // 8,
}  # fmt: skip
_RATE_UNITS = {
    "": 1, "bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9, "tbit": 10**12,
    "kibit": 2**10, "mibit": 2**20, "gibit": 2**30, "tibit": 2**40,
    "bps": 8, "kbps": 8 * 10**3, "mbps": 8 * 10**6, "gbps": 8 * 10**9, "tbps": 8 * 10**12,
    "kibps": 8 * 2**10, "mibps": 8 * 2**20, "gibps": 8 * 2**30, "tibps": 8 * 2**40,
}  # fmt: skip
_TIME_UNITS = {
    "": 1e-6, "s": 1.0, "sec": 1.0, "secs": 1.0, "ms": 1e-3, "msec": 1e-3, "msecs": 1e-3,
    "us": 1e-6, "usec": 1e-6, "usecs": 1e-6, "ns": 1e-9, "nsec": 1e-9, "nsecs": 1e-9,
}  # fmt: skip


def ewma(min_packets: float, burst: int) -> int | None:
    """The exponent tc finds for a burst: the least n with burst + 1 - min <= (1 - (1 - 2^-n)^burst) 2^n.

    None where it refuses: the burst is smaller than min_th, or no exponent up to 31 is enough.
    """
    room = burst + 1.0 - min_packets
    if room < 1.0:
        return None
    for n in range(1, 32):
        w = 0.5**n
        if room <= (1.0 - (1.0 - w) ** burst) / w:
            return n
    return None


def bursts(min_packets: float, wanted: int) -> range:
    """All bursts for which tc finds exponent ``wanted``; empty if there is none."""

    def first(n: int) -> int:
        """The least burst whose exponent is n or more."""
        low, high = math.ceil(min_packets), math.ceil(min_packets) + 1
        while (ewma(min_packets, high) or 99) < n:
            low, high = high, 2 * high
        while low < high:
            middle = (low + high) // 2
            if (ewma(min_packets, middle) or 99) >= n and ewma(min_packets, middle) is not None:
                high = middle
            else:
                low = middle + 1
        return low

    least = max(1, math.ceil(min_packets))
    start = least if wanted <= 1 else max(least, first(wanted))
    return range(start, max(start, first(wanted + 1)))


def exponent_of(w_q: float) -> int:
    """The exponent nearest to a weight, between 1 and 31."""
    return min(31, max(1, round(-math.log2(w_q))))


def most_exponent(max_th: int) -> int:
    """The greatest exponent the kernel takes with an upper threshold in its unit: max_th 2^n must stay below 2^31."""
    return BITS - 1 - max_th.bit_length()


def plog(min_th: float, max_th: float, max_p: float) -> int | None:
    """tc's shift for the slope of the probability, the least n with max_p/(max - min) 2^n > 1. It refuses from 32
    on.
    """
    slope = max_p / (max_th - min_th)
    for n in range(32):
        if slope > 1.0:
            return n
        slope *= 2.0
    return None


def scell_log(exponent: int, avpkt: int, rate_bps: float) -> int | None:
    """Width of a cell of RED's idle table, as a power of two of ticks: 31 halvings of the average must fit into 512
    cells. None if no width suffices."""
    ticks = avpkt * 8.0 / rate_bps / PSCHED_TICK_S
    longest = 31.0 * ticks / -math.log1p(-(0.5**exponent))
    return next((n for n in range(32) if longest / 2**n < 512.0), None)


def max_p_loaded(max_p: float, span: int) -> float:
    """The probability just below max_th that follows from a slope in whole 2^-32 per byte (or packet)."""
    whole = min(int(max_p * 2.0**32), 2**32 - 1)
    return max(whole // max(1, span), 1) * max(1, span) / 2.0**32


def codel_time(seconds: float) -> float:
    """A time in ticks of CoDel's clock."""
    return int(round(seconds * 1e6) * 1000) // 1024 * CODEL_TICK_S


def codel_time_written(seconds: float) -> float:
    """The time in whole microseconds for tc, so that a multiple of CoDel's clock tick stays unchanged."""
    ticks = seconds / CODEL_TICK_S
    whole = round(ticks)
    if whole and abs(ticks - whole) < 1e-6:
        return math.ceil(whole * 1024 / 1000) / 1e6
    return max(1, round(seconds * 1e6)) / 1e6


def dualpi2_gain(value: float) -> float:
    """A gain of dualpi2 as tc takes it: in 256ths, all digits. Gains that tc prints have six digits."""
    scaled = 256.0 * value
    return (round(scaled) if abs(scaled - round(scaled)) < 1e-3 else math.floor(scaled)) / 256.0


def size(text: str) -> int:
    """Bytes of a size as tc reads it: k is 1024. Raises UsageError."""
    value, unit = _split(text)
    if unit not in _SIZE_UNITS:
        raise UsageError(
            "size",
            text,
            "is not a size that tc knows",
            "write bytes, or a number with k, m, g, kb, mb, such as 150kb",
            shown="value",
        )
    return int(value * _SIZE_UNITS[unit])


def rate(text: str) -> float:
    """bit/s of a rate as tc reads it: mbit is 10^6 bit, mbps is 10^6 bytes. Raises UsageError."""
    value, unit = _split(text)
    if unit not in _RATE_UNITS:
        raise UsageError(
            "rate",
            text,
            "is not a rate that tc knows",
            "write a number with its unit, such as 10mbit",
            shown="value",
        )
    return value * _RATE_UNITS[unit]


def time(text: str) -> float:
    """Seconds of a time as tc reads it: a bare number is microseconds. Raises UsageError."""
    value, unit = _split(text)
    if unit not in _TIME_UNITS:
        raise UsageError(
            "time",
            text,
            "is not a time that tc knows",
            "write a number with s, ms or us, such as 5ms",
            shown="value",
        )
    return value * _TIME_UNITS[unit]


def count(text: str) -> int:
    """A count; ``100p`` is how tc shows packets. Raises UsageError."""
    match = re.fullmatch(r"([0-9]{1,19})(?:p|pps)?", text)
    if not match:
        raise UsageError(
            "number", text, "is not a whole number", "write it in digits, such as 1000", shown="value"
        )
    return int(match[1])


def signed(text: str) -> int:
    """A whole number that may be negative. Raises UsageError."""
    return -count(text[1:]) if text.startswith("-") else count(text)


def number(text: str) -> float:
    """A plain number or a percentage. Raises UsageError."""
    if not re.fullmatch(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?%?", text):
        raise UsageError("number", text, "is not a number", "write it in digits, such as 0.02", shown="value")
    return _bounded(text.removesuffix("%"), text) / (100.0 if text.endswith("%") else 1.0)


def _split(text: str) -> tuple[float, str]:
    match = re.fullmatch(r"([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)\s*([a-zA-Z]*)", text)
    if not match:
        raise UsageError(
            "number",
            text,
            "is not a number with a unit",
            "write digits and a unit, such as 10mbit",
            shown="value",
        )
    return _bounded(match[1], text), match[2].lower()


def _bounded(digits: str, text: str) -> float:
    number = float(digits)
    if abs(number) > MOST:
        raise UsageError(
            "number", text, "is larger than any box accepts", "write a smaller number", shown="value"
        )
    return number


def show_rate(bps: float) -> str:
    """A rate that tc reads back exactly, in whole bits a second: ``100Mbit``."""
    whole = round(bps)
    for factor, unit in ((10**9, "Gbit"), (10**6, "Mbit"), (10**3, "kbit")):
        if whole % factor == 0:
            return f"{whole // factor}{unit}"
    return f"{whole}bit"


def show_time(seconds: float) -> str:
    """A time that tc reads back to the microsecond: ``15ms``, ``1500us``."""
    micro = round(seconds * 1e6)
    return f"{micro // 1000}ms" if micro % 1000 == 0 else f"{micro}us"


def show_number(value: float) -> str:
    """All digits of a number, without an exponent: a probability without its last digit may be a step lower."""
    return format(Decimal(repr(value)), "f")
