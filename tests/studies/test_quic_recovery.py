"""The transcription of RFC 9002 against cases worked by hand from its text."""

import math
from fractions import Fraction

import pytest

from reference.quic_path import CASES, COUNT, STEADY, Path, datagrams
from reference.quic_recovery import MS, Recovery


def flow(count: int, **options: str) -> Recovery:
    """Packets 0 to `count` - 1 of 1200 bytes, a millisecond apart from 1 ms on."""
    recovery = Recovery(**options)
    for number in range(count):
        recovery.send((1 + number) * MS, number, 1200)
    return recovery


def test_a_connection_begins_with_ten_packets_and_a_probe_timer_of_a_second() -> None:
    recovery = flow(1)
    assert (recovery.window, recovery.threshold, recovery.in_flight) == (12_000, math.inf, 1200)
    # 333 + 4 * 166.5 + 25 ms after the packet of 1 ms.
    assert recovery.timer == (1 + 333 + 666 + 25) * MS


def test_the_window_begins_at_14720_bytes_with_large_datagrams() -> None:
    assert Recovery(datagram=1500).window == 14_720
    assert Recovery(datagram=9000).window == 18_000


def test_round_trip_times_leave_out_the_delay_of_the_receiver() -> None:
    recovery = flow(2)
    recovery.acknowledge(101 * MS, [(0, 0)], 20 * MS)
    assert (recovery.latest, recovery.smoothed, recovery.deviation) == (100 * MS, 100 * MS, 50 * MS)
    # 140 less 25, the most that the receiver promised: 7/8 100 + 115/8, 3/4 50 + 15/4.
    recovery.acknowledge(142 * MS, [(0, 1)], 90 * MS)
    assert recovery.smoothed == Fraction(101_875_000)
    assert recovery.deviation == Fraction(41_250_000)
    assert recovery.timer is None


def test_section_5_3_measures_the_deviation_from_the_new_mean() -> None:
    recovery = flow(2, variance="section")
    recovery.acknowledge(101 * MS, [(0, 0)], 0)
    recovery.acknowledge(142 * MS, [(0, 1)], 0)
    # The mean is 105; the deviation 3/4 50 + 35/4.
    assert (recovery.smoothed, recovery.deviation) == (105 * MS, Fraction(46_250_000))


def test_a_delay_that_leaves_less_than_the_least_is_not_taken_off() -> None:
    recovery = flow(2)
    recovery.acknowledge(101 * MS, [(0, 0)], 0)
    recovery.acknowledge(112 * MS, [(0, 1)], 20 * MS)
    assert recovery.smoothed == Fraction(101_250_000)


def test_an_acknowledgement_whose_largest_is_known_measures_nothing() -> None:
    recovery = flow(3)
    recovery.acknowledge(101 * MS, [(2, 2)], 0)
    smoothed = recovery.smoothed
    recovery.acknowledge(160 * MS, [(1, 2)], 0)
    assert (recovery.smoothed, recovery.latest) == (smoothed, 98 * MS)


def test_three_packets_later_is_lost_and_two_waits_for_nine_eighths() -> None:
    recovery = flow(4)
    recovery.acknowledge(43 * MS, [(2, 3)], 0)
    # 3 was sent at 4 ms and took 39; 0 is three before it, 1 two: due 43.875 ms after its sending at 2 ms.
    assert recovery.lost == [0]
    assert recovery.timer == Fraction(45_875_000)
    assert recovery.in_flight == 1200
    # Halved at 12000, and 2 and 3 were sent before the recovery.
    assert (recovery.window, recovery.threshold) == (6000, 6000)
    assert not recovery.timeout(45_875_000)
    assert recovery.lost == [1]
    # The same recovery: no second reduction; nothing in flight: no timer.
    assert (recovery.window, recovery.timer) == (6000, None)


def test_slow_start_adds_what_is_acknowledged_and_avoidance_a_datagram_a_window() -> None:
    recovery = flow(2)
    recovery.acknowledge(41 * MS, [(0, 0)], 0)
    assert recovery.window == 13_200
    recovery.threshold = 13_200.0
    recovery.acknowledge(42 * MS, [(0, 1)], 0)
    assert recovery.window == 13_200 + 1200 * 1200 / 13_200


def test_a_sender_short_of_data_grows_nothing() -> None:
    recovery = flow(1)
    recovery.acknowledge(41 * MS, [(0, 0)], 0, limited=True)
    assert (recovery.window, recovery.in_flight) == (12_000, 0)


def test_timeouts_double_and_an_acknowledgement_resets_them() -> None:
    recovery = flow(2)
    recovery.acknowledge(41 * MS, [(0, 0)], 0)
    # 40 + 4 * 20 + 25 after the last packet, of 2 ms; then twice and four times that.
    assert recovery.timer == 147 * MS
    assert recovery.timeout(147 * MS)
    assert recovery.timer == (2 + 290) * MS
    recovery.send(147 * MS, 2, 1200)
    assert recovery.timer == (147 + 290) * MS
    assert (recovery.lost, recovery.window) == ([], 13_200)
    recovery.acknowledge(187 * MS, [(0, 0), (2, 2)], 0)
    assert recovery.timeouts == 0


def test_the_probe_timer_of_6_2_1_restarts_with_an_acknowledgement() -> None:
    recovery = flow(2, restart="acknowledged")
    recovery.acknowledge(41 * MS, [(0, 0)], 0)
    assert recovery.timer == (41 + 145) * MS


def test_marks_reduce_once_a_round_trip() -> None:
    recovery = flow(3)
    recovery.acknowledge(41 * MS, [(0, 0)], 0, ce=1)
    # The packet that reports was sent before the recovery: it grows nothing.
    assert recovery.window == 6000
    recovery.acknowledge(42 * MS, [(0, 1)], 0, ce=2)
    assert recovery.window == 6000
    recovery.send(50 * MS, 3, 1200)
    recovery.acknowledge(90 * MS, [(0, 3)], 0, ce=3)
    assert recovery.window == 3000


def example(times: list[tuple[float, int]], recovery: Recovery) -> None:
    """Section 7.6.3's units of time are set to 100 ms: 2 of them are 50 + 4 * 31.25 + 25 ms."""
    for time, number in times:
        recovery.send(round(time * 100 * MS), number, 1200)


def test_the_example_of_section_7_6_3_is_persistent_congestion() -> None:
    recovery = Recovery()
    example([(1, 1)], recovery)
    recovery.acknowledge(150 * MS, [(1, 1)], 0)
    recovery.smoothed, recovery.deviation = Fraction(50 * MS), Fraction(31_250_000)
    example([(2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (9, 8), (13, 9)], recovery)
    recovery.acknowledge(1320 * MS, [(1, 1), (9, 9)], 0)
    assert recovery.lost == [2, 3, 4, 5, 6, 7, 8]
    # To 2400 at the minimum, and packet 9 in slow start again; the last sample took 20 ms.
    assert (recovery.window, recovery.threshold, recovery.least) == (3600, 6600, 20 * MS)


def test_a_delivery_between_the_two_packets_is_no_persistent_congestion() -> None:
    recovery = Recovery()
    example([(1, 1)], recovery)
    recovery.acknowledge(150 * MS, [(1, 1)], 0)
    recovery.smoothed, recovery.deviation = Fraction(50 * MS), Fraction(31_250_000)
    example([(2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (9, 8), (13, 9)], recovery)
    recovery.acknowledge(1320 * MS, [(1, 1), (5, 5), (9, 9)], 0)
    assert recovery.lost == [2, 3, 4, 6, 7, 8]
    assert recovery.window == 6600


def test_packets_before_the_first_sample_are_no_persistent_congestion() -> None:
    recovery = Recovery()
    example([(1, 1), (2, 2), (13, 3), (13.01, 4), (13.02, 5)], recovery)
    recovery.acknowledge(1340 * MS, [(5, 5)], 0)
    assert recovery.lost == [1, 2]
    assert recovery.window == 6000


@pytest.mark.parametrize(("period", "window"), [("detection", 6600), ("any", 2400)])
def test_losses_of_two_detections_count_together_by_7_6_2_alone(period: str, window: int) -> None:
    recovery = Recovery(period=period)
    recovery.send(100 * MS, 0, 1200)
    recovery.acknowledge(150 * MS, [(0, 0)], 0)
    for number, time in enumerate([200, 899, 900, 901], 1):
        recovery.send(time * MS, number, 1200)
    # 1 is three before 4; 2 and 3 wait for the timer. The duration is 3 (48.75 + 4 * 21.25 + 25) ms, and 700 pass.
    recovery.acknowledge(941 * MS, [(0, 0), (4, 4)], 0)
    assert (recovery.lost, recovery.window) == ([1], 6600)
    recovery.timeout(955 * MS)
    assert (recovery.lost, recovery.window) == ([2, 3], window)


@pytest.mark.parametrize("name", CASES)
def test_bytes_in_flight_are_those_of_packets_without_fate(name: str) -> None:
    recovery = datagrams()
    lines = Path(f"quic/{name}", recovery, **{**STEADY, **CASES[name]}).run(COUNT)
    assert len(lines) >= COUNT
    flying = [packet.size for packet in recovery.unacknowledged() if packet.in_flight]
    assert recovery.in_flight == sum(flying)


def test_packets_that_carry_acknowledgements_alone_are_not_in_flight() -> None:
    recovery = flow(1)
    recovery.send(3 * MS, 1, 40, eliciting=False, in_flight=False)
    recovery.send(4 * MS, 2, 60, eliciting=False)
    assert (recovery.in_flight, recovery.timer) == (1260, 1025 * MS)
    # No sample: the largest is new, but nothing that asks for an acknowledgement.
    recovery.acknowledge(50 * MS, [(1, 2)], 0)
    assert (recovery.first_sample, recovery.in_flight, recovery.window) == (None, 1200, 12_060)
    assert (recovery.timer, recovery.lost) == (Fraction(375_625_000), [])


def test_an_acknowledgement_of_nothing_new_leaves_the_timeouts() -> None:
    recovery = flow(1)
    recovery.acknowledge(41 * MS, [(0, 0)], 0)
    recovery.send(50 * MS, 1, 1200)
    recovery.timeout(195 * MS)
    recovery.acknowledge(196 * MS, [(0, 0)], 0, ce=1)
    assert (recovery.timeouts, recovery.ce, recovery.window) == (1, 0, 13_200)


@pytest.mark.parametrize(("late", "window"), [(False, 2400), (True, 6600)])
def test_a_lost_packet_that_arrives_after_all_was_acknowledged_between(late: bool, window: int) -> None:
    recovery = Recovery(period="any")
    recovery.send(100 * MS, 0, 1200)
    recovery.acknowledge(150 * MS, [(0, 0)], 0)
    for number, time in enumerate([200, 300, 899, 900, 901], 1):
        recovery.send(time * MS, number, 1200)
    recovery.acknowledge(941 * MS, [(0, 0), (5, 5)], 0)
    assert recovery.lost == [1, 2]
    if late:
        recovery.acknowledge(942 * MS, [(0, 0), (2, 2), (5, 5)], 0)
    recovery.timeout(955 * MS)
    assert (recovery.lost, recovery.window) == ([3, 4], window)


def test_a_mark_is_dated_by_the_largest_packet_acknowledged() -> None:
    recovery = Recovery(datagram=1)
    for number in range(10):
        recovery.send((100 + number) * MS, number, 1)
    recovery.acknowledge(200 * MS, [(0, 0)], 0, ce=1)
    recovery.send(200 * MS, 10, 1)
    recovery.acknowledge(209 * MS, [(0, 9)], 0, ce=1)
    recovery.send(210 * MS, 11, 1)
    recovery.acknowledge(310 * MS, [(0, 9), (11, 11)], 0, ce=1)
    assert recovery.window == 5.2
    # 10 belongs to the recovery of 200 ms, and grows nothing; 11 left after it.
    recovery.acknowledge(311 * MS, [(0, 11)], 0, ce=2)
    assert recovery.window == 2.6
