"""The transcription of RED_1 to RED_5 against the equations of its paper, exactly."""

from fractions import Fraction

import pytest

from reference.decnodder import intervals

P_B = Fraction(1, 20)


def test_equation_1_is_uniform_where_count_starts_at_0() -> None:
    assert intervals(1, P_B, [1500] * 40, 1500, restart=-1) == [P_B] * 20


def test_the_words_of_the_paper_make_the_interval_one_packet_shorter() -> None:
    assert intervals(1, P_B, [1500] * 40, 1500) == [Fraction(1, 19)] * 19


@pytest.mark.parametrize(
    ("column", "power", "sizes"),
    [(4, 1, [1500, 750, 375, 375] * 20), (5, 2, [1500, 750, 750, 750, 750] * 20)],
)
def test_equations_2_and_4_drop_in_proportion_to_the_size(column: int, power: int, sizes: list[int]) -> None:
    shares = intervals(column, P_B, sizes, 1500)
    assert shares == [P_B * Fraction(size, 1500) ** power for size in sizes[: len(shares)]]
    assert sum(shares) == 1


def test_the_packet_that_crosses_the_end_takes_the_rest() -> None:
    # 13 packets of 1400 bytes count 12.13 of 1500, the 22nd crosses 20: equation (2) admits nothing more.
    shares = intervals(4, P_B, [1400] * 40, 1500)
    assert shares[:21] == [P_B * Fraction(14, 15)] * 21
    assert shares[21:] == [1 - 21 * P_B * Fraction(14, 15)]


@pytest.mark.parametrize(("restart", "last"), [(0, 20), (-1, 21)])
def test_red_3_ends_where_count_p_b_reaches_1(restart: int, last: int) -> None:
    shares = intervals(3, P_B, [375] * 40, 1500, restart)
    assert (len(shares), sum(shares)) == (last, 1)
