"""Quantities as text on a command line: ``100Mbit``, ``20-200ms``, ``5-100``, ``1000pkts``.

The grammar is that of scenarios with two extensions: the space may be missing, and prefixes of rates may be small
letters, as the ``tc`` command has them (``100mbit``). ``mbps`` is refused, because ``tc`` reads it as megabytes.
Values are computed as fractions, so that 0.1 Mbit/s is exactly 100000 bit/s.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from ..errors import UsageError

_NUMBER = re.compile(
    r"\s*([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+)(?:\s*/\s*([0-9]+))?\s*(.*?)\s*", re.DOTALL
)
#: Units as scenarios write them, each in seconds, bits a second or bytes: the one table of the package.
SPANS = {
    "s": Fraction(1), "ms": Fraction(1, 10**3), "us": Fraction(1, 10**6), "ns": Fraction(1, 10**9),
    "min": Fraction(60), "h": Fraction(3600),
}  # fmt: skip
RATES = {"bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9, "Tbit/s": 10**12}
SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
PACKETS = ("pkts", "pkt")

# Other spellings that a command line accepts.
_SPANS = {**SPANS, "sec": Fraction(1)}
_RATES = {unit.removesuffix("/s").lower(): factor for unit, factor in RATES.items()}
_SIZES = {unit.lower(): factor for unit, factor in SIZES.items()}
_PACKETS = {*PACKETS, "packets", "packet", "p"}


#: Most digits and largest exponent of a quantity: beyond them a fraction takes long to compute.
_DIGITS, _EXPONENT = 100, 99


def _exponent(number: str) -> int:
    return int(re.split("[eE]", number)[1]) if re.search("[eE]", number) else 0


def _split(text: str, what: str, example: str) -> tuple[Fraction, str]:
    match = _NUMBER.fullmatch(text)
    if not match or len(match[1]) + len(match[2] or "") > _DIGITS or abs(_exponent(match[1])) > _EXPONENT:
        match = None
    if not match or (match[2] is not None and int(match[2]) == 0):
        raise UsageError(what, text, "must be a number with its unit", f"write one such as {example}")
    return Fraction(match[1]) / int(match[2] or 1), match[3]


def rate(text: str, *, what: str = "rate") -> float:
    """Bits a second of ``100Mbit``, ``100 Mbit/s``, ``12 MB/s``. Raises UsageError, also for a rate of 0."""
    value, unit = _split(text, what, "100Mbit")
    if unit == "mbps" or (unit.lower() in ("kbps", "gbps") and unit.islower()):
        raise UsageError(
            what,
            text,
            f"is ambiguous: tc reads '{unit}' as bytes a second",
            f"write {unit[0].upper()}bit/s or {unit[0].upper()}B/s",
        )
    short = re.sub(r"(?:/s|ps)$", "", unit)
    lower = short.lower()
    if short in ("B", "kB", "MB", "GB") and unit.endswith("/s"):
        factor = 8 * _SIZES[lower]
    elif lower in _RATES:
        factor = _RATES[lower]
    elif short in ("b", "kb", "Mb", "Gb") and short != unit:
        factor = _RATES[f"{lower}it"]
    else:
        raise UsageError(
            what, text, "must end in a unit of rate: bit, kbit, Mbit or Gbit", "write one such as 100Mbit"
        )
    return _positive(value * factor, text, what)


def span(text: str, *, what: str = "time") -> float:
    """Seconds of ``20ms``. Raises UsageError, also for a time of 0."""
    value, unit = _split(text, what, "20ms")
    if unit not in _SPANS:
        raise UsageError(
            what, text, "must end in a unit of time: s, ms, us, ns or min", "write one such as 50ms"
        )
    return _positive(value * _SPANS[unit], text, what)


def size(text: str, *, what: str = "size") -> int:
    """Bytes of ``1500B``, ``64kB`` (1000), ``64KiB`` (1024). Raises UsageError, also for a size of 0."""
    value, unit = _split(text, what, "1500B")
    if unit.lower() not in _SIZES:
        raise UsageError(
            what, text, "must end in a unit of size: B, kB, MB, KiB or MiB", "write one such as 150kB"
        )
    in_bytes = value * _SIZES[unit.lower()]
    if in_bytes.denominator != 1:
        raise UsageError(what, text, "is not a whole number of bytes", "write one, such as 1500B")
    return int(_positive(in_bytes, text, what))


def packets(text: str, *, packet_bytes: float, what: str = "buffer") -> float:
    """Packets of ``1000pkts``, or of a size in bytes at ``packet_bytes`` each. Raises UsageError."""
    value, unit = _split(text, what, "1000pkts")
    if unit.lower() in _PACKETS:
        return _positive(value, text, what)
    if unit.lower() not in _SIZES:
        raise UsageError(
            what, text, "must end in a unit: pkts, B, kB, MB, KiB or MiB", "write one such as 100pkts"
        )
    return size(text, what=what) / packet_bytes


def buffer(text: str, *, rate_bps: float, rtt_s: float, packet_bytes: float, what: str = "buffer") -> float:
    """Packets of ``1000pkts``, ``1.5MB``, ``250ms`` (what the link sends in that time) or ``1bdp`` (of rate times
    round trip).

    Raises:
        UsageError: For text of another form, and for 0.
    """
    value, unit = _split(text, what, "1000pkts, 1.5MB, 100ms or 1bdp")
    if unit in _SPANS:
        return _positive(value * _SPANS[unit], text, what) * rate_bps / (8.0 * packet_bytes)
    if unit.lower() == "bdp":
        return _positive(value, text, what) * rate_bps * rtt_s / (8.0 * packet_bytes)
    if unit.lower() not in _PACKETS and unit.lower() not in _SIZES:
        raise UsageError(
            what, text, "must end in a unit: pkts, kB, MB, ms or bdp", "write one such as 1000pkts"
        )
    return packets(text, packet_bytes=packet_bytes, what=what)


def count(text: str, *, what: str = "number") -> int:
    """A whole number of 1 or more. Raises UsageError."""
    if not re.fullmatch(r"\s*[0-9]{1,18}\s*", text) or int(text) < 1:
        raise UsageError(what, text, "must be a whole number, 1 or more", "write one such as 5")
    return int(text)


def between(text: str, read: Callable[[str], float], *, what: str) -> tuple[float, float]:
    """Both ends of ``20-200ms`` or ``20ms to 200ms``, equal for a single value; an end without a unit has that of
    the other. Raises UsageError for ends in the wrong order."""
    parts = re.split(r"\s+to\s+|(?<=[0-9A-Za-z.])\s*(?:-|–|\.\.)\s*(?=[0-9.])", text.strip())
    if len(parts) > 2:
        raise UsageError(what, text, "must be one value or two with a hyphen", "write one such as 20-200ms")
    first, last = parts[0], parts[-1]
    unit = re.sub(r"^[0-9.eE+ ]*", "", last)
    if unit and re.fullmatch(r"[0-9.]+", first):
        first += unit
    low, high = read(first), read(last)
    if low > high:
        number = re.match(r"[0-9.eE+]*", parts[-1])
        own = parts[-1][number.end() :].strip() if number else ""
        shorter = parts[-1].removesuffix(own).strip() if first.endswith(own) else parts[-1]
        raise UsageError(what, text, "the smaller value comes first", f"write {shorter}-{first}")
    return low, high


def _positive(value: Fraction, text: str, what: str) -> float:
    if value <= 0:
        raise UsageError(what, text, "must be above 0", "write a larger one")
    return float(value)


def show_rate(bps: float) -> str:
    """Returns a rate as scenarios write it: ``100 Mbit/s``."""
    for unit in ("Gbit/s", "Mbit/s", "kbit/s"):
        if bps >= RATES[unit]:
            return f"{plain(bps / RATES[unit])} {unit}"
    return f"{plain(bps)} bit/s"


def show_span(seconds: float) -> str:
    """Returns a time span as scenarios write it: ``20 ms``."""
    for unit in ("s", "ms", "us"):
        factor = float(SPANS[unit])
        if seconds >= factor:
            return f"{plain(seconds / factor)} {unit}"
    return f"{plain(seconds * 1e9)} ns"


def show_packets(value: float) -> str:
    """Returns a number of packets as scenarios write it: ``50 pkts``."""
    return f"{plain(value)} pkts"


def plain(value: float) -> str:
    """The shortest number without an exponent that is equal when parsed, to within a part in 10^12."""
    text = f"{value:.12g}"
    return f"{Decimal(text):f}" if "e" in text else text
