"""RED for tc: what is rounded, noted, refused and lost, on values worked by hand."""

from __future__ import annotations

from typing import Any

import pytest

from dropcurve.boxes import tc_red
from dropcurve.boxes.model import Note, Problems
from dropcurve.boxes.settings import Settings
from dropcurve.boxes.tc_red import TcCurve

Made = tuple[TcCurve | None, list[tuple[str, str, str]], list[tuple[str, str, str]]]


def made(
    low: float, high: float, *, limit: float = 200_000, max_p: float = 0.1, w_q: float = 1 / 64,
    unit: str = "bytes", name: str = "", **options: Any,
) -> Made:  # fmt: skip
    """The curve, its notes and its problems."""
    notes: list[Note] = []
    problems = Problems("tc")
    curve = tc_red.curve(
        Settings("red", options, 1e8, 1500), limit=limit, low=low, high=high, max_p=max_p, w_q=w_q, unit=unit,
        notes=notes, problems=problems, name=name,
    )  # fmt: skip
    refused = [(problem.path, problem.value, problem.rule) for problem in problems.all]
    return curve, [(note.kind, note.key, note.text) for note in notes], refused


def test_values_that_tc_can_set_stay_without_a_note() -> None:
    curve, notes, problems = made(30_000, 90_000)
    assert curve == TcCurve(200_000, 30_000, 90_000, 0.1, 50, 6, 1500, "bytes") and notes == problems == []
    assert curve.w_q == 1 / 64 and curve.amount(9) == "9 B"
    assert curve.words()[:6] == ["limit", "200000", "min", "30000", "max", "90000"]


def test_amounts_become_whole_and_are_named() -> None:
    curve, notes, _ = made(30_000.4, 89_999.5, limit=199_999.6, name="low")
    assert curve is not None and (curve.low, curve.high, curve.limit) == (30_000, 90_000, 200_000)
    assert [key for _, key, _ in notes] == ["low.min_th", "low.max_th", "low.limit"]
    assert notes[0] == ("rounded", "low.min_th", "30000.4 becomes 30000 bytes")


@pytest.mark.parametrize(
    ("low", "high", "others", "path", "rule"),
    [
        (0.4, 30_000, {}, "min_th", "must be 1 or more"),
        (30_000, 30_000, {}, "max_th", "must exceed min_th (30000)"),
        (3000, 30_000, {"limit": 30_000}, "limit", "must exceed max_th (30000)"),
        (3000, 30_000, {"limit": 2**32}, "limit", "must stay below 2^32"),
        (3000, 30_000, {"max_p": 0.0}, "max_p", "must lie in (0, 1]"),
        (3000, 30_000, {"max_p": 1.5}, "max_p", "must lie in (0, 1]"),
    ],
)
def test_what_tc_refuses_has_a_problem(
    low: float, high: float, others: dict[str, Any], path: str, rule: str
) -> None:
    curve, _, problems = made(low, high, **others)
    assert curve is None and len(problems) == 1
    assert problems[0][0] == path and rule in problems[0][2], problems


def test_the_least_values_that_tc_takes() -> None:
    assert made(1, 2, limit=3)[0] is not None
    assert made(3000, 30_000, limit=2**32 - 1)[0] is not None


def test_a_threshold_beyond_the_bits_of_the_kernel_is_refused() -> None:
    # 2^30 needs 31 bits, so that no shift of the average is left in 32 (one is for the sign); 2^30 - 1 leaves one.
    low = 2**30 - 6
    _, _, problems = made(low, 2**30, limit=2**31, max_p=0.5)
    assert problems == [("max_th", str(2**30), "must stay below 2^30 for the kernel")]
    curve, notes, problems = made(low, 2**30 - 1, limit=2**31, max_p=0.5, w_q=0.5)
    assert curve is not None and curve.exponent == 1 and problems == []
    assert not any("does not fit" in text for _, _, text in notes)


def test_a_weight_is_cut_where_the_kernel_has_no_bits_for_it() -> None:
    # 141000 has 18 bits: 2^-13 is the smallest weight. 2^-14 is asked for.
    curve, notes, _ = made(30_000, 141_000, w_q=2.0**-14)
    assert curve is not None and curve.exponent == 13
    fit = "2^-14 does not fit the kernel's 32 bits with max_th = 141000: 2^-13"
    assert ("rounded", "w_q", fit) in notes
    assert not any("does not fit" in text for _, _, text in made(30_000, 141_000, w_q=2.0**-13)[1])


def test_a_weight_between_two_powers_is_rounded_with_its_factor() -> None:
    curve, notes, _ = made(30_000, 90_000, w_q=0.002)
    # 2^-9 is 0.001953.
    assert curve is not None and curve.exponent == 9
    assert notes == [("rounded", "w_q", "0.002 becomes 2^-9 = 0.001953 (x 0.98)")]


def test_a_long_memory_draws_a_warning_of_tc() -> None:
    _, notes, _ = made(20, 90, limit=200, w_q=2.0**-10, unit="packets")
    assert [(kind, key) for kind, key, _ in notes] == [("load", "burst")] and "burst of 176" in notes[0][2]
    assert made(20, 90, limit=200, w_q=2.0**-9, unit="packets")[1] == []


def test_a_probability_of_one_or_nearly_one_is_below_it() -> None:
    for asked in (1.0, 1.0 - 2.0**-34, 1.0 - 2.0**-33):
        curve, notes, _ = made(30_000, 90_000, max_p=asked)
        assert curve is not None and curve.max_p == 0.9999999 and notes[0][1] == "max_p", asked
    curve, notes, _ = made(30_000, 90_000, max_p=0.999)
    assert curve is not None and curve.max_p == 0.999 and notes == []


def test_a_probability_is_a_whole_number_of_steps() -> None:
    # 2^32 / 10^4 is 429496: 7 steps of 60000 bytes, 9.779 10^-5, which is 2.2 % less.
    curve, notes, _ = made(30_000, 90_000, max_p=1e-4)
    assert curve is not None and curve.max_p == 1e-4 and curve.max_p_loaded == 7 * 60_000 / 2**32
    assert notes == [("rounded", "max_p", "0.0001 becomes 9.779e-05: 7 steps of 2^-32 a unit")]
    # 0.01 is 715 steps, 0.12 % less: no note.
    assert made(30_000, 90_000, max_p=0.01)[1] == []
    # Twelve digits of 1000 whole steps of 60000 bytes lie below it, and are written so that tc finds all of them.
    asked = float(f"{1000 * 60_000 / 2**32:.12g}") - 1e-15
    curve, notes, _ = made(30_000, 90_000, max_p=asked)
    assert curve is not None and curve.max_p == (1000 * 60_000 + 0.5) / 2**32 and notes == []
    assert curve.max_p_loaded == 1000 * 60_000 / 2**32


def test_too_flat_a_curve_is_refused_with_the_value_that_was_asked() -> None:
    curve, _, problems = made(30_000, 90_000, max_p=1e-9)
    assert curve is None and problems[0][:2] == ("max_p", "1e-09")


def test_a_small_threshold_is_counted_in_smaller_packets() -> None:
    # 1000 bytes are less than a packet of 1500; of packets of 750 bytes it is 1.33.
    curve, notes, _ = made(1000, 90_000)
    assert curve is not None and curve.avpkt == 750 and curve.exponent == 6
    assert [key for _, key, _ in notes] == ["mean_packet"] and notes[0][2].startswith("1500 B becomes 750 B")
    # In packets there is none smaller: of 1 packet no burst has a weight but 1/2.
    curve, notes, _ = made(1, 90, limit=200, unit="packets")
    assert curve is not None and (curve.exponent, curve.burst, curve.avpkt) == (1, 1, 1500)
    assert notes == [
        ("rounded", "w_q", "no burst brings tc to 2^-6 with min_th = 1: 1/2"),
        ("rounded", "w_q", "0.01562 becomes 2^-1 = 0.5 (x 32.00)"),
    ]


def lost(**options: Any) -> list[tuple[str, str]]:
    """Key and text of what Linux has no counterpart of."""
    notes: list[Note] = []
    tc_red.lost_options(Settings("red", options, 1e8, 1500), notes)
    assert all(note.kind == "lost" for note in notes)
    return [(note.key, note.text) for note in notes]


def test_only_options_that_linux_lacks_are_named_as_lost() -> None:
    assert lost() == lost(spacing="cycle", above_max="drop", byte_mode="off", ecn=True) == []
    assert [key for key, _ in lost(spacing="pseudocode")] == ["spacing"]
    assert lost(above_max="gentle")[0][1].startswith("there is no gentle mode")
    assert lost(above_max="capped") == [("above_max", "every packet is dropped from max_th up")]
    assert lost(ecn_step=True) == [("ecn_step", "true: Linux always uses false")]


def test_harddrop_is_named_only_where_red_marks() -> None:
    assert [key for key, _ in lost(ecn=True, ecn_forced="drop")] == ["ecn_forced"]
    assert lost(ecn=False, ecn_forced="drop") == lost(ecn=True, ecn_forced="mark") == []
    cases: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"ecn": True, "ecn_forced": "drop"}, {"ecn_forced": "drop"}),
        ({"ecn": False, "ecn_forced": "drop"}, {}),
        ({"ecn": True}, {}),
    ]
    for options, forced in cases:
        assert tc_red.forced(Settings("red", options, 1e8, 1500)) == forced
