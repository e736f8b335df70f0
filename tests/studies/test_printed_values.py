"""Printed values and runs, the prose of the studies, and replications that are all equal."""

from __future__ import annotations

import pytest

import dropcurve as dc
from dropcurve import studies as st
from dropcurve.studies import dsilva
from dropcurve.studies.claims import judge
from dropcurve.studies.printed_values import compare, summary


def cells(**numbers: list[float]) -> st.Cells:
    """Cells with one number, ``x``."""
    return st.Cells({name: st.StudyCell(None, {"x": tuple(values)}) for name, values in numbers.items()})  # type: ignore[arg-type]


def test_printed_values_are_counted_outside_interval_and_runs() -> None:
    # Mean 10, deviation 1, n = 5: half-width 2.776 / sqrt(5) = 1.24; runs from 8.7 to 11.3.
    measured = cells(a=[8.7, 9.7, 10.0, 10.3, 11.3])
    values = [st.PrintedValue("x", str(value), value, st.at("a", "x")) for value in (8.0, 8.75, 10.5, 12.0)]
    compared = compare(values, measured)
    assert [one.outside_interval for one in compared] == [True, True, False, True]
    assert [one.outside_runs for one in compared] == [True, False, False, True]
    text, table = summary(compared)
    assert isinstance(text, st.Text)
    assert "prints 4 values that a cell here measures: 3 outside the 95 % interval" in text.text
    assert "2 outside every single run" in text.text
    assert isinstance(table, st.Table)
    assert table.rows == [["x", "4", "2", "1", "2"]]


def test_runs_of_a_ratio_are_those_of_the_ratio() -> None:
    measured = st.Cells({"a": st.StudyCell(None, {"x": (1.0, 4.0), "y": (1.0, 2.0)})})  # type: ignore[arg-type]
    value = st.PrintedValue("r", "", 2.0, st.at("a", "x/y"), lambda c: [
        x / y for x, y in zip(c["a"].numbers["x"], c["a"].numbers["y"], strict=True)])  # fmt: skip
    (one,) = compare([value], measured)
    assert (one.mean, one.least, one.most) == (pytest.approx(5 / 3), 1.0, 2.0)


def test_a_paper_without_numbers_is_reported() -> None:
    (text,) = summary([])
    assert isinstance(text, st.Text)
    assert "prints no measured value" in text.text


@pytest.mark.parametrize("other", [[5.0, 5.0, 5.0], [1.0, 2.0, 3.0]])
def test_equal_replications_decide_nothing(other: list[float]) -> None:
    claim = st.TestedClaim(
        "E", "", "", (st.Test("", lambda c: st.gain(c["a"]["x"], c["b"]["x"]), below=10, unit="%"),)
    )
    finding = judge(claim, cells(a=other, b=other), sequential=False)
    assert finding.verdict == st.OPEN
    assert finding.parts[0].constant
    assert "±" not in finding.parts[0].estimate


def test_dsilva_counts_bytes_and_the_other_readings_count_packets() -> None:
    era, packets, mixed = (
        dsilva.STUDY.settings[name].scenarios() for name in ("era", "packets", "red packets")
    )
    queues = [scenarios[cell].get("links.n1_n2.queue") for scenarios in (era, packets, mixed)
              for cell in ("queue 2000", "droptail 2000/2000")]  # fmt: skip
    assert [one["limit"] for one in queues] == ["2000 B", "2000 B", "15 pkts", "15 pkts", "15 pkts", "2000 B"]
    # 60 and 180 packets of 128 bytes.
    assert (queues[0]["min_th"], queues[0]["max_th"], queues[0]["unit"]) == ("7680 B", "23040 B", "bytes")
    assert len(dsilva.STUDY.printed_values or ()) == 72


def test_prose_has_paragraphs_and_tables_apart() -> None:
    prose = st.texts("dsilva")
    assert len(prose["Surprises"]) == 2
    assert prose["Choices"] == []
    assert all(len(row) == 3 for row in prose.choices("Choices"))
    with pytest.raises(dc.UsageError, match="no texts of that name"):
        st.texts("dsilvo")


@pytest.mark.parametrize(
    ("values", "above", "below", "tied"),
    [
        ([0.1, 0.2, 0.3], 1.0, None, True),
        ([0.1, 0.2, 0.3], None, -1.0, True),
        ([-3.1, -3.0, -2.9], 1.0, None, False),
        ([0.1, 0.2, 0.3], 1.0, 2.0, False),
        ([1.1, 1.2, 1.3], 0.5, None, False),
    ],
)
def test_a_difference_below_the_margin_either_way_is_a_tie(
    values: list[float], above: float | None, below: float | None, tied: bool
) -> None:
    test = st.Test("", st.at("a", "x"), above, below, difference=True)
    assert judge(st.TestedClaim("T", "", "", (test,)), cells(a=values), sequential=False).tied == tied
    worse = st.Test("", st.at("b", "x"), above=0.0)
    both = judge(
        st.TestedClaim("T", "", "", (test, worse)), cells(a=values, b=[-1.0, -1.1, -1.2]), sequential=False
    )
    assert not both.tied, "one test fails by more than a tie"


def test_the_weights_of_wtred_cover_the_range_of_the_paper() -> None:
    from dropcurve.studies import wtred

    labels = [test.label for test in next(claim for claim in wtred.CLAIMS if claim.key == "W1").tests]
    for weight in ("0.001", "0.002", "0.003"):
        for number in ("throughput", "utilisation"):
            assert {f"{number}, w_q {weight} over {other}" for other in ("0.005", "0.1")} <= set(labels)
        assert f"delay, w_q {weight} over 0.1" in labels


def test_hassan_compares_means_and_intervals_of_every_row() -> None:
    from dropcurve.studies import hassan

    values = hassan.STUDY.printed_values or ()
    assert len(values) == 2 * len(st.printed("hassan"))
    for row in st.printed("hassan"):
        # The paper's minimum and maximum are the mean less and plus its interval.
        mean, delta = float(row["fr_mean"]), float(row["fr_delta"])
        assert float(row["fr_min"]) == pytest.approx(mean - delta, abs=0.011)
        assert float(row["fr_max"]) == pytest.approx(mean + delta, abs=0.011)
