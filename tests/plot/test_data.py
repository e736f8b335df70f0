"""The numbers behind figures, against numbers computed by hand."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from dropcurve.advise.spacing import mean_gap
from dropcurve.plot import comparison, delay_distribution, drop_curve, labels, law, queue, style, thin, view
from dropcurve.results import Result

MakeResult = Callable[..., Result]
TENTH = 0.1


@pytest.mark.parametrize(
    ("spacing", "gap"),
    [
        ("pseudocode", 5.0),  # uniform on 1..9
        ("text", 5.5),  # uniform on 1..10
        ("double", 10.0),  # uniform on 1..19
        ("geometric", 10.0),
        ("wait", 14.5),  # uniform on 10..19
    ],
)
def test_mean_distance_between_marks(spacing: str, gap: float) -> None:
    assert law.share(TENTH, spacing) == pytest.approx(1 / gap, rel=1e-12)


@pytest.mark.parametrize("spacing", ["pseudocode", "text", "double", "wait"])
@pytest.mark.parametrize("p_b", [0.013, 0.3, 0.47, 0.61, 0.99])
def test_gap_agrees_with_the_rule_packet_by_packet(spacing: str, p_b: float) -> None:
    """Sums the chance of passing unmarked, rule applied packet by packet."""
    passed, total = 1.0, 0.0
    for count in range(1, 400):
        total += passed
        n = count - 1 if spacing == "text" else count
        if spacing == "wait" and n * p_b < 1:
            continue
        left = (1 if spacing in ("pseudocode", "text") else 2) - n * p_b
        passed *= 1 - (p_b / left if left > p_b else 1.0)
    assert mean_gap(p_b, spacing) == pytest.approx(total, rel=1e-9)


def test_wait_takes_a_third_of_what_the_1993_formula_takes() -> None:
    assert law.share(0.001, "wait") / law.share(0.001, "pseudocode") == pytest.approx(1 / 3, rel=0.01)


def test_law_of_a_resolved_queue(make_result: MakeResult) -> None:
    red_law = law.of(make_result().variants[1], "bottleneck")
    assert red_law is not None
    assert red_law == law.Law(min_th=5, max_th=15, max_p=0.1, spacing="wait", above="gentle")
    assert red_law.p_b(np.array([4.0, 10.0, 22.5, 30.0])) == pytest.approx([0.0, 0.05, 0.55, 1.0])
    assert law.of(make_result().variants[0], "bottleneck") is None


def test_law_that_drops_all_above_max_th() -> None:
    red_law = law.Law(min_th=5, max_th=15, max_p=0.1, spacing="text")
    assert red_law.share(np.array([5.0, 14.999999, 15.0, 20.0])) == pytest.approx(
        [0, 1 / 5.5, 1, 1], abs=1e-5
    )


def test_sizes_enter_as_the_byte_mode_says() -> None:
    """p_b 0.1 for packets half the full size, marks spread as in the paper's text."""
    at = np.array([10.0])
    half = {
        mode: law.Law(5, 15, 0.2, "text", byte_mode=mode, size_ratio=0.5).share(at)[0]
        for mode in ("off", "red_2", "red_3", "red_4", "red_5")
    }
    assert half == pytest.approx(
        {"off": 1 / 5.5, "red_2": 1 / 10.5, "red_3": 0.15, "red_4": 0.5 / 5.5, "red_5": 0.25 / 5.5}
    )


def test_automatic_thresholds_are_those_worked_out(make_result: MakeResult) -> None:
    variant = make_result().variants[1]
    variant.scenario["queue"] |= {"min_th": "auto", "max_th": "auto"}
    assert law.of(variant, "bottleneck") is None
    variant.automatic["bottleneck"] = {"min_th": "4 pkts", "max_th": "20 pkts"}
    red_law = law.of(variant, "bottleneck")
    assert red_law is not None
    assert (red_law.min_th, red_law.max_th) == (4.0, 20.0)
    assert law.view.written_queue_of(variant, "bottleneck")["min_th"] == "auto"


def test_a_queue_in_bytes_is_shown_in_packets(make_result: MakeResult) -> None:
    """Waiting packets of 1000 B on average, thresholds of 2500 and 7500 B."""
    result = make_result()
    result.variants[1].scenario["queue"] |= {"unit": "bytes", "mean_packet": "500 B"}
    for run in result.variants[1].runs:
        run["links"]["bottleneck"]["avg_unit"] = "bytes"
    panel = queue.data(result)[1]
    thresholds = dict(panel.thresholds_pkts)
    size = view.waiting_packet_bytes(result.variants[1], "bottleneck")
    assert size == pytest.approx(1000, rel=0.1)
    assert (thresholds["min_th"], thresholds["max_th"]) == pytest.approx((2500 / size, 7500 / size))


def test_wilson_interval() -> None:
    """8 of 10 at 95 %: the textbook's 0.490 to 0.943; none of n ends at zero exactly."""
    assert drop_curve.wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert drop_curve.wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert drop_curve.wilson(10, 10)[1] == 1.0


def test_bins_add_up_over_replications() -> None:
    one = {"drop_curve": {"avg": [0.5, 1.5], "arrived": [100, 50], "dropped": [0, 5]}}
    two = {"drop_curve": {"avg": [1.5, 2.5], "arrived": [50, 0], "dropped": [1, 0]}}
    assert view.observed_curve([one, two, {"drop_curve": None}]) == ([0.5, 1.5], [100, 100], [0, 6])


def test_bins_keep_to_the_thresholds() -> None:
    """Width 2 with an edge at 5: 4.5 stays below, 5.5 and 6.5 come together at their weighted mean."""
    bins = drop_curve.rebin([4.5, 5.5, 6.5], [10, 30, 10], [0, 3, 2], start=5.0, width=2.0)
    assert bins == [(4.5, 10, 0), (5.75, 40, 5)]


def test_waiting_times_by_hand(make_result: MakeResult) -> None:
    """100 packets: 50 wait up to 1 ms, 45 up to 2 ms, 4 up to 4 ms, one up to 8 ms."""
    result = make_result(names=["only"], levels=[9.0], seeds=1)
    result.variants[0].runs[0]["links"]["bottleneck"]["sojourn_ms_histogram"] = {
        "upper_ms": [1.0, 2.0, 4.0, 8.0],
        "count": [50, 45, 4, 1],
    }
    (panel,) = delay_distribution.data(result)
    assert panel.curves[0].longer == pytest.approx([0.5, 0.05, 0.01, 0.0])
    assert panel.curves[0].marks_ms == (1.0, 2.0, 4.0)


def test_relative_change_by_hand(make_result: MakeResult) -> None:
    result = make_result(seeds=5)
    (panel,) = comparison.data(result)
    lines = {line.title: line.points[0] for line in panel.lines}
    difference = next(d for d in result.differences() if d.metric == "utilisation")
    base = sum(result.baseline.values("utilisation")) / 5
    point = lines["link utilisation"]
    assert point.change_percent == pytest.approx(100 * difference.mean / base)
    assert point.half_width_percent == pytest.approx(100 * difference.half_width / base)
    assert (point.real, point.improves) == (difference.real, difference.improves)


def test_thinning_keeps_peaks_and_ends() -> None:
    time_s = np.arange(10_000.0)
    value = np.zeros(10_000)
    value[[1234, 7777]] = 50, -50
    short_s, short = thin.decimate(time_s, value, points=200)
    assert len(short) <= 200
    assert (short.max(), short.min()) == (50, -50)
    assert (short_s[0], short_s[-1]) == (0, 9999)
    assert np.all(np.diff(short_s) > 0)


def test_thinning_keeps_gaps() -> None:
    value = np.full(5000, 3.0)
    value[1000:3000] = np.nan
    _, short = thin.decimate(np.arange(5000.0), value, points=100)
    assert np.isnan(short).any()
    assert np.nanmax(short) == 3.0


def test_thresholds_of_the_queue_are_those_of_the_scenario(make_result: MakeResult) -> None:
    panels = queue.data(make_result())
    assert [panel.thresholds_pkts for panel in panels] == [
        (),
        (("min_th", 5.0), ("max_th", 15.0)),
    ]
    assert len(panels[0].avg_pkts) == 0
    assert len(panels[1].avg_pkts) == 400


def test_thresholds_of_classes_are_named_where_they_differ() -> None:
    one, several = ["8 pkts"] * 8, ["8 pkts", "6 pkts", "8 pkts"]
    assert queue.of_classes("min_th", "5 pkts") == [("min_th", "5 pkts")]
    assert queue.of_classes("min_th", one) == [("min_th", "8 pkts")]
    assert queue.of_classes("min_th", several) == [("min_th [0]", "8 pkts"), ("min_th [1]", "6 pkts")]
    assert queue.of_classes("min_th", [f"{n} pkts" for n in range(8)]) == [("min_th [0]", "0 pkts")]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("12 pkts", (12.0, "pkts")),
        ("15 kB", (15000.0, "bytes")),
        (0.1, (0.1, "")),
        (None, None),
        ("auto", None),
        (True, None),
    ],
)
def test_quantities(text: object, meant: object) -> None:
    assert view.quantity(text) == meant


def test_names_keep_both_ends() -> None:
    assert labels.shorten("short") == "short"
    cut = labels.shorten("queue.kind=red, queue.max_p=0.1", limit=15)
    assert len(cut) == 15
    assert cut.startswith("queue.")
    assert cut.endswith("=0.1")


def test_labels_move_apart_as_little_as_possible() -> None:
    assert labels.spread_labels([5.0, 5.0], gap=1.0, low=0.0, high=10.0) == [5.0, 6.0]
    assert labels.spread_labels([10.0, 9.9], gap=1.0, low=0.0, high=10.0) == [10.0, 9.0]


def test_variants_differ_in_look_beyond_the_palette() -> None:
    looks = [style.look(i) for i in range(14)]
    assert len({(one.colour, str(one.dash)) for one in looks}) == 14
    assert len({(one.colour, one.marker) for one in looks}) == 14


def _contrast(one: str, other: str) -> float:
    """WCAG 2.1 contrast ratio."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return math.fsum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colour", [*style.WORDS, style.INK, style.MUTED])
def test_words_can_be_read(colour: str) -> None:
    assert _contrast(colour, style.PAPER) >= 4.5
