"""The rules of a verdict, each on samples worked by hand, and the sentences made of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

import dropcurve as dc
from dropcurve.metrics import statistics
from dropcurve.verdict import (
    BULK_FACTOR,
    Bound,
    Criterion,
    Exchange,
    SampledDesign,
    Verdict,
    decide,
    headline,
    ranking,
)
from dropcurve.verdict.equivalence import manages, replications_to_decide

USE = Criterion("use", "utilisation", "%", worth=1.0)
WAIT = Criterion("wait", "p95 delay of voice", "ms", worth=-0.5)
CAPPED = Criterion("wait", "p95 delay", "ms", bound=Bound(15.0))


def design(
    name: str, use: Sequence[float | None], wait: Sequence[float | None] | None = None, *, simplicity: float = 0.0,
    current: bool = False,
) -> SampledDesign:  # fmt: skip
    samples = {"use": use, "wait": wait if wait is not None else [0.0] * len(use)}
    return SampledDesign(name, samples, simplicity, current)


def around(mean: float, spread: float, n: int = 4) -> list[float]:
    """n values with this mean, alternately above and below by ``spread``."""
    return [mean + (spread if i % 2 else -spread) for i in range(n)]


def text_of(verdict: Verdict) -> str:
    text = headline(verdict)
    return " ".join([*text.sentences, *text.details])


def test_a_feasible_design_is_never_behind_one_that_is_not() -> None:
    """The infeasible one has 30 points more utilisation; it misses the bound in one run of four."""
    fast = design("fast", [99.0] * 4, [10.0, 10.0, 10.0, 15.1])
    slow = design("slow", [69.0] * 4, [14.9] * 4)
    verdict = decide([fast, slow], [USE, CAPPED])
    assert (verdict.status, verdict.recommended) == ("load", "slow")
    assert verdict.related("infeasible")[0].missed[0].missed == 1
    assert verdict.related("infeasible")[0].missed[0].worst == 15.1


def test_the_design_in_use_goes_if_it_misses_a_bound_and_another_does_not() -> None:
    fast = design("mine", [99.0] * 4, [20.0] * 4, current=True)
    slow = design("slow", [69.0] * 4, [14.9] * 4)
    verdict = decide([fast, slow], [USE, CAPPED])
    assert (verdict.status, verdict.recommended) == ("load", "slow")
    assert text_of(verdict).startswith("Load slow: mine misses p95 delay < 15 ms in 4 of 4 runs (worst 20")
    # An advantage in points over a design that misses a bound has no meaning.
    assert "On balance" not in text_of(verdict)


def test_where_none_is_feasible_the_closest_to_its_bounds_is_named_as_such() -> None:
    """Mean excess 1/15 against 5/15; the farther one has more utilisation."""
    verdict = decide(
        [design("far", [99.0] * 3, [20.0] * 3), design("near", [50.0] * 3, [16.0] * 3)], [USE, CAPPED]
    )
    assert (verdict.status, verdict.recommended) == ("none feasible", "near")
    assert text_of(verdict).startswith(
        "No design meets the goal; near comes closest, and misses p95 delay < 15 ms in 3 of 3 "
    )
    assert "Load" not in text_of(verdict)


def test_more_than_margin_and_interval_is_better() -> None:
    """A lead of 1 point with an interval of 0.18."""
    verdict = decide([design("a", around(91.0, 0.1)), design("b", [90.0] * 4)], [USE])
    (rival,) = verdict.rivals
    # sd of +-0.1 is 0.1 * sqrt(4 / 3); times t = 3.182 over sqrt(4).
    assert rival.half_width == pytest.approx(3.18245 * 0.1 * math.sqrt(4 / 3) / 2, rel=1e-5)
    assert (verdict.status, verdict.recommended, rival.relation) == ("load", "a", "better")


def test_a_difference_within_its_interval_is_undecided_with_the_replications_it_needs() -> None:
    verdict = decide([design("a", around(91.0, 1.0)), design("b", [90.0] * 4, current=True)], [USE])
    (rival,) = verdict.rivals
    half = 3.18245 * math.sqrt(4 / 3) / 2
    assert rival.relation == "undecided"
    assert verdict.status == "undecided"
    assert rival.half_width == pytest.approx(half, rel=1e-5)
    # The half-width must fall to 1 point: t * 1.1547 / sqrt(n) is 1.068 for 7 runs (t = 2.447) and 0.965 for 8 (2.365).
    assert verdict.more == 8 - 4
    text = text_of(verdict)
    assert text.startswith(
        "Keep b for now (utilisation 90 %): a may be better, but that is not sure. 4 more replications would decide."
    )
    assert (verdict.recommended, verdict.leader, verdict.reference) == ("b", "a", "a")
    assert "On balance b against a: −1.0 ± 1.8 points." in text


def test_sure_differences_are_reported_of_the_design_that_may_be_better() -> None:
    """On balance 3 points of use less 5 ms of delay at half a point: 0.5 ± 1.8."""
    some = [
        design("a", around(93.0, 1.0), [15.0] * 4),
        design("b", [90.0] * 4, [10.0] * 4, current=True),
    ]
    verdict = decide(some, [USE, WAIT])
    assert (verdict.status, verdict.recommended) == ("undecided", "b")
    assert (
        "Sure against b: a gains utilisation 93 %, not 90 %, and costs p95 delay of voice 15 ms"
        in text_of(verdict)
    )


def test_of_designs_within_the_margin_of_the_leader_so_far_the_simplest_is_named() -> None:
    some = [
        design("red", around(91.0, 1.0), simplicity=3),
        design("codel", around(90.9, 0.5), simplicity=1),
        design("fifo", around(90.5, 0.5), simplicity=0),
    ]
    verdict = decide(some, [USE])
    assert (verdict.status, verdict.recommended, verdict.leader) == ("undecided", "codel", "red")
    text = text_of(verdict)
    assert text.startswith(
        "Load codel for now (utilisation 90.9 %): it is the simplest of those that are as good so far; "
        "undecided against red and fifo."
    )
    assert "As good" not in text


def test_a_difference_that_is_real_and_within_the_margin_is_not_better() -> None:
    """0.15 points in every run: certain, and too small to matter."""
    verdict = decide([design("a", [90.15] * 4), design("b", [90.0] * 4, current=True)], [USE])
    assert (verdict.status, verdict.recommended) == ("keep", "b")
    assert "As good within 0.2 points: a." in text_of(verdict)
    assert text_of(verdict).startswith("Keep b (utilisation 90 %): a is not better by more than 0.2 points.")


def test_of_equals_the_simpler_is_chosen() -> None:
    some = [design("red", [90.1] * 4, simplicity=3), design("codel", [90.0] * 4, simplicity=1)]
    verdict = decide([*some, design("fifo", [80.0] * 4)], [USE])
    assert (verdict.status, verdict.recommended) == ("load", "codel")
    assert verdict.reference == "red"


def kinds_of(*pairs: tuple[SampledDesign, str]) -> list[SampledDesign]:
    return [replace(one, manages=manages(kind)) for one, kind in pairs]


def test_a_fair_queue_that_ties_goes_before_a_new_tail_drop() -> None:
    """Tail drop leads by 0.1 points, which is within the margin, and is simpler."""
    fifo, fair, other = (
        design("fifo", [90.1] * 4),
        design("fair", [90.0] * 4, simplicity=2),
        design("red", [80.0] * 4, simplicity=3),
    )
    verdict = decide(kinds_of((fifo, "droptail"), (fair, "fq_codel"), (other, "red")), [USE, WAIT])
    assert (verdict.status, verdict.recommended, verdict.passed_over) == ("load", "fair", "fifo")
    assert text_of(verdict).startswith(
        "Load fair (utilisation 90 %, p95 delay of voice 0 ms): fifo is not shown to be better, and a queue for each "
        "flow protects other traffic too (RFC 7567)."
    )
    # One measure alone says nothing of what else matters.
    assert decide(kinds_of((fifo, "droptail"), (fair, "fq_codel")), [USE]).recommended == "fifo"
    # Of a tail drop that is in use nothing has to be loaded.
    mine = replace(fifo, current=True)
    assert decide(kinds_of((mine, "droptail"), (fair, "fq_codel")), [USE, WAIT]).recommended == "fifo"


def test_a_fair_queue_that_is_slightly_behind_and_not_shown_to_be_worse_goes_before_tail_drop() -> None:
    """0.5 points behind with an interval of 0.9: five margins are 1 point."""
    fifo, near = design("fifo", around(90.5, 0.5)), design("fair", [90.0] * 4, simplicity=2)
    verdict = decide(kinds_of((fifo, "droptail"), (near, "cake")), [USE, WAIT])
    assert (verdict.status, verdict.recommended) == ("undecided", "fair")
    assert "undecided against fifo" in text_of(verdict)
    for far in (design("fair", [89.0] * 4), design("fair", around(88.0, 3.0))):
        assert decide(kinds_of((fifo, "droptail"), (far, "cake")), [USE, WAIT]).recommended == "fifo"


def test_a_fair_queue_that_misses_a_bound_does_not_go_before_tail_drop() -> None:
    fifo, fair = design("fifo", [90.0] * 4, [10.0] * 4), design("fair", [90.0] * 4, [16.0] * 4)
    criteria = [USE, replace(WAIT, bound=Bound(15.0))]
    assert decide(kinds_of((fifo, "droptail"), (fair, "fq_codel")), criteria).recommended == "fifo"


def test_of_equals_alone_none_is_called_better() -> None:
    some = [design("prio", [90.0] * 4, simplicity=3), design("fifo", [90.0] * 4)]
    verdict = decide(some, [USE], baseline="fifo")
    assert (verdict.status, verdict.recommended) == ("load", "fifo")
    assert headline(verdict).sentences == (
        "Load fifo (utilisation 90 %): prio is as good within 0.2 points.",
    )


def test_a_simpler_equal_is_not_chosen_if_it_is_not_better_than_the_design_in_use() -> None:
    """red leads mine by 0.3, codel by 0.15 only: the leader is loaded."""
    some = [design("red", [90.3] * 4, simplicity=3), design("codel", [90.15] * 4, simplicity=1)]
    verdict = decide([*some, design("mine", [90.0] * 4, current=True)], [USE])
    assert (verdict.status, verdict.recommended) == ("load", "red")


def test_without_a_design_in_use_the_leader_is_loaded_for_now_and_its_rivals_are_named() -> None:
    some = [design("a", around(91.0, 1.0)), design("b", [90.0] * 4), design("c", [50.0] * 4)]
    verdict = decide(some, [USE])
    assert (verdict.status, verdict.recommended) == ("undecided", "a")
    assert text_of(verdict).startswith(
        "Load a for now (utilisation 91 %): it is surely better than c, and ahead of b, but not surely. "
        "6 more replications would decide."
    )


def test_delay_and_utilisation_are_weighed_at_the_exchange_rate() -> None:
    """A queue that idles a tenth of the link for 4 ms: at 0.5 points for 1 ms, 10 points are more than 2."""
    mine = design("mine", [90.0] * 5, [3.5] * 5, current=True)
    other = design("codel", [100.0] * 5, [7.5] * 5)
    verdict = decide([mine, other], [USE, WAIT])
    assert (verdict.status, verdict.advantage) == ("load", pytest.approx(8.0))
    assert headline(verdict).sentences == (
        "Load codel instead of mine: utilisation 100 %, not 90 %.",
        "It costs p95 delay of voice 7.5 ms, not 3.5 ms. "
        "Prefer mine only if 4 ms less p95 delay of voice is worth more to you than 10 percentage points "
        "more utilisation.",
    )
    # Where 1 ms counts as 5 points, 4 ms are more than the tenth of the link.
    dear = Criterion("wait", "p95 delay of voice", "ms", worth=-5.0)
    assert decide([mine, other], [USE, dear]).status == "keep"


def test_a_design_without_a_value_that_others_have_is_infeasible() -> None:
    """A flood starves the call in one run: no packet of it arrives, so there is no delay to score."""
    starved = design("fifo", [100.0] * 3, [1.0, None, 1.0], current=True)
    verdict = decide([starved, design("fq", [80.0] * 3, [5.0] * 3)], [USE, WAIT])
    assert (verdict.status, verdict.recommended) == ("load", "fq")
    assert "fifo has no value of p95 delay of voice in 1 of 3 runs" in text_of(verdict)


def test_a_class_of_which_nothing_arrives_is_named() -> None:
    wait = Criterion("delay_ms_p95[call]", "p95 one-way delay of call", "ms", worth=-0.5)
    starved = SampledDesign("fifo", {"use": [100.0] * 3, wait.key: [None, None, 90.0]}, current=True)
    fq = SampledDesign("fq", {"use": [80.0] * 3, wait.key: [5.0] * 3})
    assert "Load fq: fifo lets no packet of call through in 2 of 3 runs" in text_of(
        decide([starved, fq], [USE, wait])
    )


def test_a_design_whose_only_rivals_have_no_value_is_loaded_for_that() -> None:
    some = [design("dead", [0.0] * 3, [None] * 3), design("fifo", [100.0] * 3, [90.0] * 3)]
    verdict = decide(some, [USE, WAIT], baseline="fifo")
    assert (verdict.status, verdict.recommended, verdict.reference) == ("load", "fifo", "")
    assert headline(verdict).sentences[0] == (
        "Load fifo: dead has no value of p95 delay of voice in 3 of 3 runs; utilisation 100 %, p95 delay of voice "
        "90 ms."
    )


def test_where_no_design_has_a_score_there_is_no_verdict() -> None:
    verdict = decide(
        [design("a", [90.0] * 2, [None, None]), design("b", [90.0] * 2, [None, None])], [USE, WAIT]
    )
    assert verdict.status == "unknown"
    assert headline(verdict).sentences[0] == (
        "No verdict: the runs have no value of p95 delay of voice; a longer --duration may give them."
    )
    assert ranking(verdict) == []
    assert headline(verdict).tone == "unsure"


def test_a_design_in_use_without_a_value_is_left_with_what_the_other_one_gains() -> None:
    bit_rate = Criterion("rate", "bit rate of video", "bit/s", worth=1e-6)
    used = SampledDesign("mine", {"wait": [559.0] * 4, "rate": [None, 3e6, 3e6, 3e6]}, current=True)
    other = SampledDesign("fq", {"wait": [21.0] * 4, "rate": [3e6] * 4})
    assert text_of(decide([used, other], [WAIT, bit_rate])).startswith(
        "Load fq: mine has no value of bit rate of video in 1 of 4 runs; p95 delay of voice 21 ms, not 559 ms."
    )


@pytest.mark.parametrize(
    ("better", "worse", "text"),
    [
        (83.5, 1020.0, "p95 delay of voice 83.5 ms, not 1.02 s"),
        (1100.0, 2040.0, "p95 delay of voice 1.1 s, not 2.04 s"),
        (83.5, 102.0, "p95 delay of voice 83.5 ms, not 102 ms"),
    ],
)
def test_each_time_of_a_change_has_the_unit_of_its_size(better: float, worse: float, text: str) -> None:
    mine = design("mine", [90.0] * 4, around(worse, 0.01), current=True)
    verdict = decide([mine, design("fq", [90.0] * 4, around(better, 0.01))], [USE, WAIT])
    assert text in text_of(verdict)


def test_one_replication_decides_nothing() -> None:
    verdict = decide([design("a", [99.0]), design("b", [10.0])], [USE])
    assert (verdict.status, verdict.more) == ("undecided", None)
    assert "One replication proves nothing; take 5 or more." in text_of(verdict)
    assert "confidence" not in text_of(verdict)


def test_intervals_are_simultaneous_over_the_rivals() -> None:
    """With three rivals each interval is one of 1 - 0.05 / 3."""
    some = [design("a", around(91.0, 0.1)), *(design(name, [90.0] * 4) for name in "bcd")]
    (one, *_) = decide(some, [USE]).rivals
    assert one.half_width == pytest.approx(4.85658 * 0.1 * math.sqrt(4 / 3) / 2, rel=1e-4)


def test_gains_and_costs_are_reported_only_where_runs_show_them() -> None:
    note = Criterion("loss", "loss of voice", "%", better="lower")
    better = SampledDesign("a", {"use": [95.0] * 4, "loss": around(1.0, 1.0)})
    worse = SampledDesign("b", {"use": [90.0] * 4, "loss": [0.5] * 4}, current=True)
    verdict = decide([better, worse], [USE, note])
    assert [one.kind for one in verdict.changes] == ["gain", "undecided"]
    assert headline(verdict).sentences[1] == "No measure is seen to get worse; undecided: loss of voice."


def test_a_notable_loss_that_is_undecided_is_named_after_the_costs() -> None:
    """Calls that wait 42 ms longer on average stay no secret because a few runs do not decide it."""
    call = Criterion("call", "p95 delay of call", "ms", worth=-0.5)
    mine = SampledDesign(
        "mine", {"use": around(60.0, 0.1), "wait": [30.0] * 4, "call": [30.0] * 4}, current=True
    )

    def sentence_with(waits: Sequence[float]) -> str:
        other = SampledDesign("a", {"use": around(99.0, 0.1), "wait": around(34.0, 0.1), "call": list(waits)})
        verdict = decide([mine, other], [USE, WAIT, call])
        assert verdict.status == "load"
        return headline(verdict).sentences[1]

    assert sentence_with([34.0, 30.2, 30.1, 70.0]).startswith(
        "It costs p95 delay of voice 34 ms, not 30 ms; it may also cost p95 delay of call 41.1 ms, not 30 ms."
    )
    # Nor where no cost is sure.
    level = SampledDesign(
        "a", {"use": around(99.0, 0.1), "wait": [30.0] * 4, "call": [34.0, 30.2, 30.1, 70.0]}
    )
    assert headline(decide([mine, level], [USE, WAIT, call])).sentences[1] == (
        "It may cost p95 delay of call 41.1 ms, not 30 ms: these runs do not decide it."
    )
    # A trifle against the gain, and a gain, are no likely cost.
    assert "may also" not in sentence_with([30.0, 30.2, 30.1, 33.0])
    assert "may also" not in sentence_with([20.0, 31.0, 30.0, 29.0])


def test_the_trade_is_of_the_dearest_cost_for_the_largest_gain() -> None:
    """20 points of utilisation for 8 ms, which count as 4 points; a cost of 0.5 ms, 0.25 points, is no trade."""
    mine = design("mine", around(80.0, 0.01), around(4.0, 0.01), current=True)
    verdict = decide([design("a", around(100.0, 0.01), around(12.0, 0.01)), mine], [USE, WAIT])
    assert headline(verdict).sentences[1] == (
        "It costs p95 delay of voice 12 ms, not 4 ms. Prefer mine only if 8 ms less p95 delay of voice is worth more "
        "to you than 20 percentage points more utilisation."
    )
    verdict = decide([design("a", around(100.0, 0.01), around(4.5, 0.01)), mine], [USE, WAIT])
    assert headline(verdict).sentences[1] == "It costs p95 delay of voice 4.5 ms, not 4 ms."


def test_a_cost_that_the_score_does_not_weigh_is_the_readers_to_weigh() -> None:
    page = Criterion("page", "p95 page load time", "ms")
    rate = Criterion("rate", "bit rate of video", "bit/s", better="higher")
    both = {"page": around(3700.0, 1.0), "rate": around(2.3e6, 10.0)}
    mine = {"use": around(80.0, 0.01), "page": around(2200.0, 1.0), "rate": around(2.5e6, 10.0)}
    some = [
        SampledDesign("a", {"use": around(82.0, 0.01), **both}),
        SampledDesign("mine", mine, current=True),
    ]
    assert headline(decide(some, [USE, rate, page])).sentences[1] == (
        "It costs p95 page load time 3.7 s, not 2.2 s; bit rate of video 2.3 Mbit/s, not 2.5 Mbit/s. Prefer mine "
        "if 1.5 s less p95 page load time is worth more to you than 2 percentage points more utilisation."
    )
    # A change of less than a tenth is listed alone.
    some[0] = SampledDesign("a", {**mine, "use": around(82.0, 0.01), "page": around(2300.0, 1.0)})
    assert (
        headline(decide(some, [USE, rate, page])).sentences[1]
        == "It costs p95 page load time 2.3 s, not 2.2 s."
    )


def test_a_value_above_what_is_possible_has_its_reason_beside() -> None:
    goodput = Criterion("use", "goodput", "bit/s", worth=1e-6, most=10e6)
    verdict = decide([design("a", [10.7e6] * 2), design("b", [9e6] * 2, current=True)], [goodput])
    assert "goodput 10.7 Mbit/s, not 9 Mbit/s (above the link's rate: " in text_of(verdict)


@pytest.mark.parametrize(
    ("ahead", "half", "margin", "runs", "more"),
    [(1.0, 2.0, 0.2, 5, 8), (0.1, 0.2, 0.2, 5, 8), (0.2, 0.3, 0.2, 5, None), (1e-9, 9.0, 0.2, 5, None)],
)
def test_replications_that_decide(
    ahead: float, half: float, margin: float, runs: int, more: int | None
) -> None:
    """Of 2 points from 5 runs (t = 2.776) the standard deviation is 1.611: the half-width is 1.024 for 12 runs
    (t = 2.201) and 0.974 for 13 (2.179)."""
    assert replications_to_decide(ahead, half, margin=margin, runs=runs, confidence=0.95) == more


@pytest.mark.parametrize("runs", [2, 3, 8, 40])
def test_the_replications_that_decide_do_so_and_one_fewer_does_not(runs: int) -> None:
    deviation, ahead = 2.0, 0.5
    half = statistics.t_quantile(0.95, runs - 1) * deviation / math.sqrt(runs)
    more = replications_to_decide(ahead, half, margin=0.2, runs=runs, confidence=0.95)
    # The number in all follows from the standard deviation alone, from however many runs that was estimated.
    assert more == 64 - runs
    widths = [statistics.t_quantile(0.95, count - 1) * deviation / math.sqrt(count) for count in (63, 64)]
    assert widths[0] > ahead >= widths[1]


def test_the_exchange_rate_scales_with_the_round_trip_from_1_to_100_ms() -> None:
    """A call over a satellite suffers from each millisecond as one on the ground does; a switch does not give up a
    third of its goodput for 0.2 ms, which are 4 points."""
    assert Exchange.default(0.04).points_per_ms == 0.5
    assert Exchange.default(1e-3).points_per_ms == 20.0
    assert 0.2 * Exchange.default(1e-4).points_per_ms == pytest.approx(4.0)
    assert str(Exchange.default(0.04)) == "1 ms of delay counts as 0.5 points of utilisation"
    assert str(Exchange.default(0.6)) == "1 ms of delay counts as 0.2 points of utilisation"
    assert Exchange.default(0.6) == Exchange.default(0.1)
    assert str(Exchange.default(1e-4)) == "100 us of delay counts as 2 points of utilisation"


def test_the_exchange_rate_is_parsed_or_refused() -> None:
    assert Exchange.parse("1ms=0.5").points_per_ms == 0.5
    assert Exchange.parse("10 ms = 2 points").points_per_ms == 0.2
    assert Exchange.parse("ms=1%").points_per_ms == 1.0
    for wrong in ("fast", "1ms", "1ms=0", "1ms=.", "1mm=2"):
        with pytest.raises(dc.UsageError, match="exchange"):
            Exchange.parse(wrong)


def test_the_rates_of_pages_video_and_loss_are_stated_after_that_of_delay() -> None:
    """A factor of 4 is two doublings; 500 kbit/s is half of 1 Mbit/s."""
    exchange = Exchange.parse("1ms=0.5, page:4x=10, video:500kbit=5, loss:0.5%=2")
    assert exchange == Exchange(0.5, page=5.0, video=10.0, loss=4.0)
    assert exchange.stated({"page", "video", "loss"}) == (
        "1 ms of delay counts as 0.5 points of utilisation, a page that takes twice as long as 5 points, 1 Mbit/s of "
        "video as 10 points, 1 % of stalled time as 1 point and 1 % of loss as 4 points"
    )
    assert Exchange(0.5).stated({"transfers"}) == (
        "1 ms of delay counts as 0.5 points of utilisation and that of long transfers as a quarter of it"
    )
    assert BULK_FACTOR == 0.25
    assert Exchange.parse("1ms=0.5,page:2x=0").page == 0.0
    assert Exchange.parse("1ms=0.5").loss == Exchange(0.5).loss
    for wrong, rule in (
        ("1ms=0.5,pages:2x=1", "did you mean 'page'"), ("1ms=0.5,page:100ms=1", "a factor above 1"),
        ("1ms=0.5,page:1x=1", "a factor above 1"), ("1ms=0.5,video:0Mbit=1", "must be above 0"),
        ("1ms=0.5,loss:1=1", "a share above 0 %"), ("page:2x=10", "exchange"), ("1ms=0.5,", "must be a rate of"),
        ("1ms=0.5,video:=3", "TIME=POINTS"),
    ):  # fmt: skip
        with pytest.raises(dc.UsageError, match=rule):
            Exchange.parse(wrong)


def test_a_page_that_takes_twice_as_long_costs_the_same_whatever_it_took() -> None:
    """By hand: from 1.2 to 2.4 s is a doubling, 10 points; so is from 12 to 24 s. 3 points of use do not pay for it."""
    page = Criterion("page", "mean page load time", "ms", worth=-10.0, log=True)
    for short in (1200.0, 12_000.0):
        fast = SampledDesign("fast", {"use": around(90.0, 0.01), "page": [short] * 4})
        slow = SampledDesign("slow", {"use": around(93.0, 0.01), "page": [2.0 * short] * 4})
        verdict = decide([slow, fast], [USE, page], baseline="slow")
        assert (verdict.status, verdict.recommended) == ("load", "fast")
        assert verdict.advantage == pytest.approx(7.0)
        assert headline(verdict).sentences[0].startswith("Load fast instead of slow: mean page load time ")


def test_a_run_without_a_value_of_any_design_adds_nothing_to_any() -> None:
    """No page was asked for in the last run; one that a design alone lacks counts against it."""
    page = Criterion("page", "mean page load time", "ms", worth=-10.0, log=True)

    def loads(name: str, *times: float | None) -> SampledDesign:
        return SampledDesign(name, {"use": [90.0] * 4, "page": list(times)})

    verdict = decide([loads("a", 1000, 1000, 1000, None), loads("b", 2000, 2000, 2000, None)], [USE, page])
    assert verdict.recommended == "a"
    assert verdict.rivals[0].behind == pytest.approx(7.5)
    lacking = decide([loads("a", 1000, 1000, 1000, 1000), loads("b", 500, 500, 500, None)], [USE, page])
    assert lacking.recommended == "a"
    assert lacking.rivals[0].relation == "infeasible"


def test_changes_are_against_the_baseline_and_the_next_best_is_named() -> None:
    some = [design("a", [90.0] * 4), design("b", [95.0] * 4), design("c", [99.0] * 4)]
    verdict = decide(some, [USE], baseline="a")
    assert (verdict.recommended, verdict.reference) == ("c", "a")
    assert headline(verdict).sentences == (
        "Load c instead of a: utilisation 99 %, not 90 %.",
        "No measure gets worse.",
    )
    assert "Next best: b, 4 points (all runs) behind." in text_of(verdict)


def test_a_design_that_is_hardly_better_is_not_waited_for() -> None:
    values = {"mine": [50.0, 51.0, 50.2, 50.9, 50.5], "codel": [50.4, 50.9, 50.1, 51.6, 50.4]}
    verdict = decide(
        [SampledDesign(name, {"x": some}, current=name == "mine") for name, some in values.items()],
        [Criterion("x", "utilisation", "%", worth=1.0)],
        margin=0.5,
    )
    assert verdict.status == "undecided"
    assert "codel is better by" in text_of(verdict) and "at most, if at all" in text_of(verdict)


def test_a_missing_value_is_no_missed_goal() -> None:
    verdict = decide(
        [
            SampledDesign("a", {"x": [50.0, 51.0, 50.2], "y": [1.0, 1.0, 1.0]}),
            SampledDesign("b", {"x": [50.0, 51.0, 50.2], "y": [1.0, None, 1.0]}),
        ],
        [Criterion("x", "utilisation", "%", worth=1.0), Criterion("y", "page load time", "ms", worth=-1.0)],
    )
    assert ranking(verdict)[-1][-1] == "has no value in some run"


def test_a_missing_value_is_named_as_such_in_the_sentence() -> None:
    verdict = decide(
        [
            SampledDesign("a", {"x": [60.0, 61.0, 60.2], "y": [1.0, 1.0, 1.0]}),
            SampledDesign("b", {"x": [50.0, 51.0, 50.2], "y": [1.0, None, 1.0]}, current=True),
        ],
        [Criterion("x", "utilisation", "%", worth=1.0), Criterion("y", "page load time", "ms", worth=-1.0)],
    )
    assert "b has no value of page load time in 1 of 3 runs" in text_of(verdict) and "misses" not in text_of(
        verdict
    )


@pytest.mark.parametrize(("mine", "kind"), [(96.0, "same"), (94.5, "same"), (93.5, "cost"), (98.5, "gain")])
def test_a_measure_without_weight_changes_from_two_per_cent_on(mine: float, kind: str) -> None:
    """A sure 0.1 of 96 Mbit/s is no cost; 2 % of 96.1 are 1.9."""
    use = Criterion("use", "utilisation", "%", worth=1.0)
    goodput = Criterion("goodput", "goodput of upload", "Mbit/s", better="higher")
    rows = [
        SampledDesign("a", {"use": [90.0, 90.1, 90.2], "goodput": [mine, mine + 0.01, mine - 0.01]}),
        SampledDesign("b", {"use": [80.0, 80.1, 80.2], "goodput": [96.1, 96.11, 96.09]}),
    ]
    verdict = decide(rows, [use, goodput], baseline="b")
    assert [one.kind for one in verdict.changes if one.criterion is goodput] == [kind]


def test_keeping_is_firm_only_where_the_intervals_of_all_others_say_so() -> None:
    """Mine leads by 0.5 points in three runs; the end of the interval of b lies 4.5 points ahead of it, that of c 0.1:
    three margins are 0.6."""
    mine = design("mine", [90.0, 90.0, 90.0], current=True)
    wide = design("b", [87.5, 89.5, 91.5])
    narrow = design("c", [89.45, 89.5, 89.55])
    (far,) = decide([mine, wide], [USE]).rivals
    assert (far.half_width or 0.0) - (far.behind or 0.0) == pytest.approx(4.968 - 0.5, abs=0.01)
    verdict = decide([mine, wide, narrow], [USE])
    assert (verdict.status, verdict.firm) == ("keep", False)
    opening = headline(verdict)
    assert opening.tone == "unsure"
    assert opening.sentences == (
        "Keep mine for now (utilisation 90 %): no other design is ahead of it so far, but b may be better by up to 6.7 "
        "points.",
        # The standard deviation is 2 and t, at 97.5 %, 2.286 for 84 runs: 2.286 * 2 / sqrt(84) = 0.499.
        "81 more replications would decide.",
    )
    firm = decide([mine, narrow], [USE])
    assert firm.firm and headline(firm).tone == "good"
    assert (
        headline(firm)
        .sentences[0]
        .startswith("Keep mine (utilisation 90 %): c is not better by more than 0.2")
    )


def test_one_replication_keeps_nothing_for_sure() -> None:
    verdict = decide([design("mine", [99.0], current=True), design("b", [10.0])], [USE])
    assert (verdict.status, verdict.firm) == ("keep", False)
    assert text_of(verdict).startswith(
        "Keep mine for now (utilisation 99 %): no other design is ahead of it so far, but b may be better. "
        "One replication proves nothing; take 5 or more."
    )


def test_keeping_for_now_names_the_replications_that_decide() -> None:
    mine = design("mine", around(90.0, 0.0, 8), current=True)
    verdict = decide([mine, design("b", around(89.0, 2.0, 8))], [USE])
    assert verdict.in_question and verdict.settling is not None
    assert f"{verdict.settling} more replications would decide (about" in " ".join(
        headline(verdict, seconds=1.0).sentences
    )


def test_a_leader_that_is_better_by_a_trifle_at_most_leaves_no_question_open() -> None:
    """b leads by 0.15 points with an interval of 0.18: less than three margins: keep, without a call for runs."""
    mine = design("mine", around(90.0, 0.0, 4), current=True)
    verdict = decide([mine, design("b", around(90.15, 0.1, 4))], [USE])
    assert (verdict.status, verdict.firm) == ("undecided", True)
    opening = headline(verdict)
    assert opening.tone == "good"
    assert opening.sentences == (
        "Keep mine (utilisation 90 %): b is better by 0.33 points at most, if at all.",
    )


def test_the_table_has_goodput_in_the_unit_that_fits_with_half_widths() -> None:
    """t of two degrees of freedom is 4.303 at 95 %: 4.303 * 1 / sqrt(3) = 2.48 of a standard deviation of 1."""
    goodput = Criterion("goodput_bps[up]", "goodput of up", "bit/s", worth=1e-6)
    wait = Criterion("page_ms_mean[web]", "mean page load time of web", "ms", worth=-0.001)
    loss = Criterion("flow_loss[call]", "loss of call", "%", worth=-0.1)
    rows = [
        SampledDesign(
            name,
            {"goodput_bps[up]": [1e6 * (rate - 1), 1e6 * rate, 1e6 * (rate + 1)],
             "page_ms_mean[web]": [2000.0] * 3, "flow_loss[call]": [lost, 0.5 * lost, 0.0]},
        )
        for name, rate, lost in (("a", 40.0, 0.0), ("b", 20.0, 1.0))
    ]  # fmt: skip
    head, *lines = ranking(decide(rows, [goodput, wait, loss]))
    assert head[1:4] == ["goodput of up (Mbit/s)", "loss of call (%)", "mean page load time of web (s)"]
    assert lines[0][1:4] == ["40.0 ± 2.5", "0", "2"]
    use = Criterion("use", "utilisation", "%", worth=1.0)
    full = [
        SampledDesign("a", {"use": [99.9995, 100.0, 99.9999]}),
        SampledDesign("b", {"use": [90.0, 91.0, 90.5]}),
    ]
    assert ranking(decide(full, [use]))[1][1] == "100", "an interval that rounds to the mean is left out"
    # An interval that would reach below zero is shown by its ends.
    assert lines[1][1:4] == ["20.0 ± 2.5", "0.5 (0 to 1.74)", "2"]


def test_the_table_shows_the_measure_that_decides() -> None:
    """A third design differs most in other measures; the one that the first sentence names has a column."""
    names = ["use", "wait", "loss", "page"]
    criteria = [Criterion(name, name, "", worth=1.0) for name in names]
    values = {"mine": (50.0, 50.0, 50.0, 50.0), "b": (50.0, 50.0, 50.0, 60.0), "far": (0.0, 0.0, 0.0, 50.0)}
    rows = [
        SampledDesign(
            name,
            {key: around(mean, 0.01) for key, mean in zip(names, some, strict=True)},
            0.0,
            name == "mine",
        )
        for name, some in values.items()
    ]
    verdict = decide(rows, criteria)
    assert verdict.recommended == "b"
    assert ranking(verdict)[0][1] == "page"
