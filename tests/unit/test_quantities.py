"""Quantities as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dropcurve import UsageError
from dropcurve.quantities import units


@pytest.mark.parametrize(
    ("text", "bps"),
    [
        ("100Mbit", 1e8), ("100 Mbit/s", 1e8), ("100mbit", 1e8), ("1.5 Gbit/s", 1.5e9), ("64kbit", 64e3),
        ("10Mbps", 1e7),
        ("12 MB/s", 96e6), ("9600 bit/s", 9600.0), ("10 Mb/s", 1e7), ("0.1 Mbit/s", 1e5),
    ],
)  # fmt: skip
def test_rates(text: str, bps: float) -> None:
    assert units.rate(text) == bps


@pytest.mark.parametrize("text", ["100", "100mbps", "fast", "-1 Mbit", "0 Mbit", "1 MB", "1/0 Mbit"])
def test_rates_that_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="rate"):
        units.rate(text)


def test_ranges_share_a_unit() -> None:
    assert units.between("20-200ms", units.span, what="rtt") == (0.02, 0.2)
    assert units.between("20ms to 1 s", units.span, what="rtt") == (0.02, 1.0)
    assert units.between("40ms", units.span, what="rtt") == (0.04, 0.04)
    assert units.between("5-100", units.count, what="flows") == (5, 100)
    with pytest.raises(UsageError, match="the smaller value comes first; write 20-200ms"):
        units.between("200-20ms", units.span, what="rtt")


def test_sizes_are_whole_bytes() -> None:
    assert (units.size("1.5kB"), units.size("64KiB"), units.size("1500 B")) == (
        1500,
        65536,
        1500,
    )
    assert units.packets("150kB", packet_bytes=1500) == 100.0
    assert units.packets("1000pkts", packet_bytes=1500) == 1000.0
    with pytest.raises(UsageError, match="whole number of bytes"):
        units.size("1.0005 kB")


@given(st.floats(1e-8, 1e4), st.floats(1.0, 1e12))
def test_shown_values_are_read_back(seconds: float, bps: float) -> None:
    assert units.span(units.show_span(seconds)) == pytest.approx(seconds, rel=1e-11)
    assert units.rate(units.show_rate(bps)) == pytest.approx(bps, rel=1e-11)
