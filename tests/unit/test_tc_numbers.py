"""Numbers of tc by hand: exponents, tables, ticks, and texts at the ends of what is accepted."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from dropcurve.boxes import tc_numbers as tc
from dropcurve.errors import UsageError


def by_definition(min_packets: int, burst: int) -> int | None:
    """The least n with burst + 1 - min <= (1 - (1 - 2^-n)^burst) 2^n, in fractions."""
    room = burst + 1 - min_packets
    if room < 1:
        return None
    for n in range(1, 32):
        w = Fraction(1, 2**n)
        if room <= (1 - (1 - w) ** burst) / w:
            return n
    return None


def test_the_exponent_of_a_burst_is_the_least_that_fits() -> None:
    # 16 packets: 32 (1 - (31/32)^20) = 15.04 are too few, 64 (1 - (63/64)^20) = 17.29 are enough.
    assert tc.ewma(5.0, 20) == 6
    assert tc.ewma(7.0, 7) == 1 and tc.ewma(6.5, 7) == 1 and tc.ewma(7.5, 7) is None
    for low in (2, 3, 5, 10):
        for burst in range(1, 80):
            assert tc.ewma(float(low), burst) == by_definition(low, burst), (low, burst)
    # burst - burst (burst - 1) / 2^(n + 1) about: at 31 it lacks 1 - 2^-16 of 2^16, with 70,000 it lacks 1.14.
    assert tc.ewma(2.0, 65536) == 31 and tc.ewma(2.0, 70000) is None


@pytest.mark.parametrize("low", [1.0, 2.0, 2.5, 5.0, 12.0])
def test_bursts_are_all_those_of_an_exponent(low: float) -> None:
    for wanted in range(1, 8):
        every = [burst for burst in range(1, 400) if tc.ewma(low, burst) == wanted]
        assert list(tc.bursts(low, wanted)) == every, wanted


def test_exponents() -> None:
    assert [tc.exponent_of(w_q) for w_q in (1.0, 0.5, 0.2, 0.002, 2.0**-31, 1e-12)] == [1, 1, 2, 9, 31, 31]
    for max_th in (1, 2, 3, 4, 1000, 2**20 - 1, 2**20):
        most = tc.most_exponent(max_th)
        assert max_th * 2**most < 2**31 <= max_th * 2 ** (most + 1)


def test_the_shift_of_the_slope() -> None:
    assert tc.plog(0.0, 0.5, 1.0) == 0
    assert tc.plog(0.0, 1.0, 1.0) == 1  # 1 is not above 1.
    assert tc.plog(5.0, 20.0, 0.1) == 8  # 128 / 150 < 1 < 256 / 150
    assert tc.plog(10.0, 20.0, 0.1) == 7  # 64 / 100 < 1 < 128 / 100
    assert tc.plog(0.0, 2.0**30, 1.0) == 31 and tc.plog(0.0, 2.0**31, 1.0) is None


def test_the_cells_of_the_idle_table() -> None:
    # 8000 bits at 10 Mbit/s are 12,500 ticks; 31 of them by -ln(1/2) are 559,044, and 559,044 / 2^11 = 273.
    assert tc.scell_log(1, 1000, 1e7) == 11
    # By -ln(1 - 2^-9) = 0.0019550 they are 1.982e8, and 1.982e8 / 2^19 = 378.
    assert tc.scell_log(9, 1000, 1e7) == 19
    # At this rate 31 halvings of 1000 bytes fill these cells of 2^11 ticks; from 512 on they must be wider.
    for cells, width in ((500.0, 11), (511.9, 11), (512.5, 12)):
        rate_bps = 31 * 8000 / math.log(2) / (cells * 2**11 * 64e-9)
        assert tc.scell_log(1, 1000, rate_bps) == width, cells
    assert tc.scell_log(1, 1, 1e12) == 0
    assert tc.scell_log(1, 1250, 10.0) == 31 and tc.scell_log(1, 2500, 10.0) is None


def test_the_probability_in_steps_of_the_slope() -> None:
    assert tc.max_p_loaded(0.1, 100) == 429496700 / 2**32
    assert tc.max_p_loaded(1.0, 1) == (2**32 - 1) / 2**32
    assert tc.max_p_loaded(0.25, 0) == 0.25
    assert tc.max_p_loaded(1e-12, 10) == 10 / 2**32


def test_ticks_of_codel() -> None:
    assert tc.codel_time(0.005) == 4882 * 1024e-9  # 5,000,000 / 1024 = 4882.8
    assert tc.codel_time(0.1) == 97656 * 1024e-9
    assert tc.codel_time(1.0) == 976562 * 1024e-9 and tc.codel_time_written(1.0) == 1.0
    assert tc.codel_time_written(4882 * 1024e-9) == 0.005  # 4999.168 µs
    assert tc.codel_time_written(0.0015) == 0.0015  # Tick 1465 is 1500.16 µs.
    assert tc.codel_time_written(1e-7) == tc.codel_time_written(0.0) == 1e-6
    for ticks in (1, 2, 999, 12345):
        assert tc.codel_time(tc.codel_time_written(ticks * 1024e-9)) == ticks * 1024e-9


def test_gains_of_dualpi2() -> None:
    assert tc.dualpi2_gain(0.16) == 40 / 256  # 40.96
    assert tc.dualpi2_gain(0.160156) == 41 / 256  # 40.99994: six digits of 41/256
    assert tc.dualpi2_gain(3.2) == 819 / 256


def test_numbers_of_texts() -> None:
    assert [tc.count(text) for text in ("12", "100p", "100pps", "9" * 19)] == [12, 100, 100, 10**19 - 1]
    assert [tc.signed(text) for text in ("-5", "5", "0")] == [-5, 5, 0]
    texts = ("0.02", ".5", "1.", "50%", "-1", "1e-3", "2E+1", "18446744073709551616")
    assert [tc.number(text) for text in texts] == [0.02, 0.5, 1.0, 0.5, -1.0, 1e-3, 20.0, 2.0**64]
    assert tc.size("1.5k") == 1536 and tc.size("3KBIT") == 384 and tc.rate("1e1 mbit") == 1e7
    for parse, wrong in (
        (tc.count, ("", "p", "1.5", "-1", "9" * 20, "1ppp")),
        (tc.signed, ("--5", "-", "+5")),
        (tc.number, ("", "x", "%", "1%%", "1e", "NaN", "1e400", "2e19", "-2e19")),
        (tc.size, ("1e400k", "-1k")),
        (tc.rate, ("2e19", "nan")),
    ):
        for text in wrong:
            with pytest.raises(UsageError):
                parse(text)


def test_texts_of_numbers() -> None:
    shown = [tc.show_rate(bps) for bps in (1e9, 1.5e9, 2e6, 2000.0, 1500.0, 1499.6)]
    assert shown == ["1Gbit", "1500Mbit", "2Mbit", "2kbit", "1500bit", "1500bit"]
    assert [tc.show_time(s) for s in (0.015, 0.0015, 2.0, 0.0)] == ["15ms", "1500us", "2000ms", "0ms"]
    assert [tc.show_number(value) for value in (0.02, 1e-7, 0.1 + 0.2)] == [
        "0.02", "0.0000001", "0.30000000000000004",
    ]  # fmt: skip
