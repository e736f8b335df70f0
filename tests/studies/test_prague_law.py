"""The transcription of the Prague congestion control against cases worked by hand from its draft."""

import pytest

from reference.prague import Prague, trace


def test_the_first_mark_ends_slow_start_and_halves() -> None:
    control = Prague(10)
    control.acknowledge(2, 0, 10)
    assert (control.window, control.alpha) == (11, 15 / 16)
    control.acknowledge(2, 1, 12)
    # One of the two came without a mark: 1/cwnd more, in the CWR state, too.
    reduced = 11 * (1 - 15 / 32)
    assert (control.threshold, control.window) == (reduced, reduced + 1 / reduced)


def test_alpha_moves_once_a_round_trip() -> None:
    control = Prague(10, alpha=0.0)
    control.acknowledge(2, 0, 10)
    for una in range(4, 11, 2):
        control.acknowledge(2, 1, 10 + una)
        assert control.alpha == 0
    # 12 passes 10, the packet sent after the last update: 4 of 10 were marked.
    control.acknowledge(2, 0, 22)
    assert control.alpha == pytest.approx(0.4 / 16, rel=1e-15)


def test_one_decrease_a_round_trip() -> None:
    control = Prague(16)
    control.acknowledge(2, 2, 16)
    assert control.window == 8
    control.acknowledge(14, 14, 18)
    assert control.window == 8
    control.acknowledge(2, 2, 20)
    assert control.window == 4


@pytest.mark.parametrize(("order", "alpha"), [("new", 15 / 16 * 0.5 + 1 / 16), ("old", 0.5)])
def test_a_round_trip_that_ends_with_a_mark(order: str, alpha: float) -> None:
    control = Prague(10, alpha=0.5, order=order)
    control.acknowledge(2, 2, 10)
    assert control.window == 10 * (1 - alpha / 2)


def test_slow_start_by_segments_or_acknowledgements() -> None:
    control = Prague(10, slow_start="acked")
    control.acknowledge(2, 0, 10)
    assert control.window == 12


def test_a_trace_has_marks_and_reductions() -> None:
    lines = trace("prague", Prague(10))
    assert len({line.split(" ")[-2] for line in lines}) > 10


def test_a_short_round_trip_grows_by_the_square_of_its_share_of_25_ms() -> None:
    control = Prague(10, rtt=10_000_000)
    control.threshold = 10.0
    control.acknowledge(2, 0, 10)
    assert control.window == pytest.approx(10 + 0.16 * 2 / 10, rel=1e-15)
