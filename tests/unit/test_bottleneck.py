"""The bottleneck in virtual time: times by hand, the queue code of the simulator, one clock that never goes back."""

from __future__ import annotations

import doctest

import pytest

import dropcurve
from dropcurve import Bottleneck, UsageError
from dropcurve.live import bottleneck


def test_the_examples_of_its_docstrings_hold() -> None:
    assert doctest.testmod(bottleneck).failed == 0 and doctest.testmod(bottleneck).attempted == 10


def test_a_packet_takes_its_transmission_time_and_the_delay() -> None:
    link = Bottleneck(rate="8Mbit", delay="5ms")
    link.send(b"x" * 1000, at=0.25)
    assert link.next_event() == pytest.approx(0.251)
    assert link.receive(until=0.2559) == []
    (arrival,) = link.receive(until=0.256)
    assert (arrival.packet, arrival.time_s, arrival.marked) == (b"x" * 1000, 0.256, False)
    assert link.next_event() is None


def test_capable_packets_are_marked_where_others_are_dropped() -> None:
    def ends(ecn: str) -> tuple[int, int]:
        link = Bottleneck(
            rate="1Mbit", queue="red:min_th=2pkts,max_th=6pkts,max_p=0.5,w_q=0.5,ecn=true", seed=3
        )
        for number in range(400):
            link.send(number, at=number * 0.0115, size=1500, ecn=ecn)
        arrived = link.receive(until=60.0)
        return sum(one.marked for one in arrived), sum(one.reason == "early" for one in link.dropped)

    marked, early = ends("ect0")
    assert marked > 10 and early == 0
    marked, early = ends("not-ect")
    assert marked == 0 and early > 10


def test_the_same_calls_with_the_same_seed_return_the_same() -> None:
    def course(seed: int) -> list[object]:
        link = Bottleneck(rate="2Mbit", delay="3ms", queue="pie:target=5ms", seed=seed)
        for number in range(2000):
            link.send(number, at=number * 0.004, size=1200, flow=number % 3)
        return [link.receive(until=100.0), link.dropped]

    assert course(1) == course(1)
    assert course(1) != course(2)


def test_fair_queueing_tells_flows_apart() -> None:
    link = Bottleneck(rate="1Mbit", queue="fq_codel:dialect=linux")
    for number in range(50):
        link.send(("bulk", number), at=0.0, size=1500, flow=1)
    link.send(("thin", 0), at=0.001, size=200, flow=2)
    order = [one.packet for one in link.receive(until=10.0)]
    assert order.index(("thin", 0)) <= 2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda link: link.send(0, at=-1.0, size=100), "at = -1.0: must be from 0"),
        (lambda link: link.send(0, at=0.5, size=0), "size = 0: must be from 1"),
        (lambda link: link.send(0, at=0.5, size=100, ecn="yes"), "ecn = yes: must be one of"),
        (lambda link: link.send(0, at=0.5, size=100, precedence=8), "precedence = 8: must be from 0 to 7"),
        (lambda link: (link.receive(until=2.0), link.receive(until=1.0)), "call in the order of time"),
    ],
)
def test_a_wrong_call_is_refused_with_its_rule(call: object, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        call(Bottleneck(rate="1Mbit"))  # type: ignore[operator]
    assert words in str(refused.value)


def test_a_wrong_queue_is_refused_as_in_a_scenario() -> None:
    with pytest.raises(dropcurve.DropcurveError, match=r"max_th"):
        Bottleneck(rate="1Mbit", queue="red:min_th=20pkts,max_th=10pkts")


def test_pytest_finds_the_fixture(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_link(dropcurve_link):
            link = dropcurve_link(rate="1Mbit", delay="1ms")
            link.send("hello", at=0.0, size=125)
            assert [one.time_s for one in link.receive(until=1.0)] == [0.002]
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1)
