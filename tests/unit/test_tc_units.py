"""Units of tc(8): every suffix of sizes, rates and times has the factor of its manual page."""

from __future__ import annotations

import pytest

from dropcurve.boxes import tc_numbers as tc
from dropcurve.errors import UsageError

#: tc(8), PARAMETERS: sizes are powers of 1024; of rates SI prefixes are decimal, IEC ones binary, and bps is bytes.
SIZES = {
    "": 1, "b": 1, "k": 1024, "kb": 1024, "m": 1048576, "mb": 1048576, "g": 1073741824, "gb": 1073741824,
    "kbit": 128, "mbit": 131072, "gbit": 134217728,
}  # fmt: skip
RATES = {
    "": 1, "bit": 1, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9, "tbit": 1e12, "kibit": 1024, "mibit": 1048576,
    "gibit": 1073741824, "tibit": 1099511627776, "bps": 8, "kbps": 8e3, "mbps": 8e6, "gbps": 8e9, "tbps": 8e12,
    "kibps": 8192, "mibps": 8388608, "gibps": 8589934592, "tibps": 8796093022208,
}  # fmt: skip
TIMES = {
    "": 1e-6,
    "s": 1,
    "sec": 1,
    "secs": 1,
    "ms": 1e-3,
    "msec": 1e-3,
    "msecs": 1e-3,
    "us": 1e-6,
    "usec": 1e-6,
    "usecs": 1e-6,
    "ns": 1e-9,
    "nsec": 1e-9,
    "nsecs": 1e-9,
}


@pytest.mark.parametrize(("unit", "factor"), SIZES.items())
def test_sizes(unit: str, factor: int) -> None:
    assert tc.size(f"3{unit}") == 3 * factor


@pytest.mark.parametrize(("unit", "factor"), RATES.items())
def test_rates(unit: str, factor: float) -> None:
    assert tc.rate(f"3{unit}") == 3 * factor


@pytest.mark.parametrize(("unit", "factor"), TIMES.items())
def test_times(unit: str, factor: float) -> None:
    assert tc.time(f"3{unit}") == pytest.approx(3 * factor, rel=1e-12)


@pytest.mark.parametrize("text", ["3q", "k", "3 kk", "3bitt", ""])
def test_unknown_units_are_refused(text: str) -> None:
    for parse in (tc.size, tc.rate, tc.time):
        with pytest.raises(UsageError):
            parse(text)
