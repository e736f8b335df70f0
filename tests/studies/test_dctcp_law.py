"""The transcription of RFC 8257 against cases worked by hand from its text."""

import pytest

from reference.dctcp import Receiver, Sender, receiver_trace, sender_trace


def test_alpha_begins_at_one_so_that_the_first_echo_halves() -> None:
    sender = Sender(10)
    sender.nxt = 10
    # The first acknowledgement passes SND.UNA, the end of the first window: M = 1.
    sender.acknowledge(2, True, 10)
    assert (sender.alpha, sender.window, sender.threshold) == (1, 5, 5)
    assert sender.window_end == 10


def test_alpha_is_the_mean_of_marked_shares_of_windows() -> None:
    sender = Sender(10)
    sender.acknowledge(2, False, 10)
    assert sender.alpha == 15 / 16
    # 3 to 10 lie in the window, with the end itself; 12 passes it: 2 of 10 are marked.
    for acked, echo in [(2, False), (2, True), (2, False), (2, False)]:
        sender.acknowledge(acked, echo, 20)
        assert sender.alpha == 15 / 16
    sender.acknowledge(2, False, 22)
    assert sender.alpha == 15 / 16 * 15 / 16 + 0.2 / 16


def test_a_window_that_ends_at_its_end_leaves_out_the_segments_after_it() -> None:
    sender = Sender(10, ends="at")
    sender.acknowledge(2, False, 10)
    for acked, echo in [(2, False), (2, True), (2, False)]:
        sender.acknowledge(acked, echo, 20)
    sender.acknowledge(2, False, 20)
    assert sender.alpha == 15 / 16 * 15 / 16 + 2 / 8 / 16


def test_one_reduction_a_window_of_data() -> None:
    sender = Sender(16)
    sender.acknowledge(2, True, 16)
    assert sender.window == 8
    sender.acknowledge(2, True, 16)
    sender.acknowledge(12, True, 18)
    assert sender.window == 8
    # 18 passes 16, where the window of data of the first reduction ends; alpha is still 1.
    sender.acknowledge(2, True, 24)
    assert sender.window == 4


def test_the_steps_reduce_where_an_observation_window_with_marks_ends() -> None:
    sender = Sender(16, reduces="end")
    sender.acknowledge(2, False, 16)
    sender.acknowledge(2, True, 18)
    assert sender.window == 17
    sender.acknowledge(14, False, 20)
    # M = 2/16: alpha 15/16 15/16 + 1/128, and then the acknowledgement grows a window above its threshold.
    alpha = 15 / 16 * 15 / 16 + 1 / 128
    assert sender.alpha == alpha
    assert sender.threshold == 17 * (1 - alpha / 2)
    assert sender.window == sender.threshold + 1 / sender.threshold


def test_alpha_in_whole_numbers_reaches_zero() -> None:
    sender = Sender(10, scaled=True)
    for number in range(400):
        sender.acknowledge(10, False, 10 * number + 1)
    assert sender.alpha == 0
    sender.acknowledge(10, True, 10_000)
    assert sender.alpha == 4096


def test_a_loss_halves_the_flight_and_a_timeout_leaves_a_segment() -> None:
    sender = Sender(16)
    sender.acknowledge(2, False, 18)
    sender.loss(12)
    assert (sender.window, sender.threshold) == (6, 6)
    sender.loss(12)
    assert sender.window == 6
    sender.timeout(10)
    assert (sender.window, sender.threshold, sender.alpha) == (1, 5, 15 / 16)


def test_a_loss_may_reset_alpha() -> None:
    sender = Sender(16, resets=True)
    sender.acknowledge(2, False, 18)
    sender.loss(12)
    assert sender.alpha == 1


@pytest.mark.parametrize(
    ("two", "sent"),
    [
        (False, [[], ["2"], [], ["4e"], [], ["6e"], ["7"], [], ["9"]]),
        (True, [[], ["2"], [], ["3", "4e"], [], ["6e"], ["7"], [], ["9"]]),
    ],
)
def test_a_change_of_the_mark_is_acknowledged_at_once(two: bool, sent: list[list[str]]) -> None:
    receiver = Receiver(two=two)
    assert [receiver.packet(ce == "1") for ce in "000111000"] == sent


def test_traces_show_every_state() -> None:
    lines = sender_trace("dctcp", Sender(10))
    assert {line[0] for line in lines} == {"a", "l", "o"}
    assert {line[0] for line in receiver_trace("dctcp", Receiver())} == {"p", "d"}
