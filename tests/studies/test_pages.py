"""The pages of the studies are consistent with themselves and with the transcribed tables of the papers.

Each page is parsed: its tables are counted again and compared with the sentences above them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dropcurve import studies as st
from dropcurve.studies import decnodder, dsilva, hassan

FOLDER = Path(__file__).parents[2] / "docs" / "studies"
#: Signs of the verdicts in the table of settings, by the words of the table of claims.
SIGNS = {"holds": "✓", "does not hold": "✗", "does not hold: a tie": "=", "cannot be decided": "?"}
#: Claims that hold, do not hold, cannot be decided: the counts of the first sentence.
TALLY = re.compile(r"Of its (\d+) claims, ([^.]*)\.")
Rows = list[dict[str, str]]


def page(name: str) -> str:
    """The page on one line for each paragraph."""
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def sentences(name: str) -> str:
    """The page without line breaks."""
    return " ".join(page(name).split())


def tables(name: str) -> list[Rows]:
    """Every table of a page, a row by its columns."""
    parsed: list[Rows] = []
    for block in page(name).split("\n\n"):
        lines = [line for line in block.splitlines() if line.startswith("|")]
        if len(lines) > 2:
            head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
            parsed.append([dict(zip(head, row, strict=True)) for row in rows])
    return parsed


def table(name: str, column: str) -> Rows:
    """The rows of all tables of a page that have a column."""
    return [row for one in tables(name) for row in one if column in row]


def number(text: str) -> tuple[float, float, float]:
    """ "12.3 ± 0.4" as mean, half-width, and the most by which rounding may have moved the end of the interval."""
    mean, _, width = text.replace("−", "-").partition(" ± ")
    decimals = len(mean.partition(".")[2])
    return float(mean), float(width or 0), 10.0**-decimals


def outside(value: float, shown: str) -> tuple[bool, bool]:
    """Whether a value lies outside an interval for certain, and whether it may, as far as rounding lets us see."""
    mean, width, slack = number(shown)
    return abs(value - mean) > width + slack, abs(value - mean) > width - slack


@pytest.mark.parametrize("name", st.NAMES)
def test_the_sentence_on_printed_values_is_the_sum_of_its_table(name: str) -> None:
    values = st.load(name).printed_values or ()
    if not values:
        assert "The paper prints no measured value" in sentences(name)
        assert table(name, "printed values") == []
        return
    counts = re.search(
        r"The paper prints (\d+) values? that a cell here measures: (\d+) outside the 95 % interval of the mean here, "
        r"(\d+) outside every single run",
        sentences(name),
    )
    assert counts is not None
    rows = table(name, "printed values")
    below, above, beyond = (
        sum(int(row[column]) for row in rows)
        for column in ("below the interval", "above the interval", "outside every single run")
    )
    assert [int(one) for one in counts.groups()] == [len(values), below + above, beyond]
    assert sum(int(row["printed values"]) for row in rows) == len(values)


@pytest.mark.parametrize("name", st.NAMES)
def test_the_verdicts_are_counted_and_repeated_right(name: str) -> None:
    verdicts = [row["verdict"].strip("*") for row in table(name, "holds if") if row["claim"]]
    keys = [claim.key for claim in st.load(name).claims]
    assert len(verdicts) == len(keys)
    tally = TALLY.search(sentences(name))
    assert tally is not None and int(tally[1]) == len(keys)
    counts = {sign: int(n) for n, sign in re.findall(r"(\d+) (hold|do not hold|cannot be decided|holds|does not hold)",
                                                     tally[2])}  # fmt: skip
    assert sum(counts.values()) == len(keys)
    assert counts.get("holds", counts.get("hold", 0)) == verdicts.count("holds")
    first = next(row for row in table(name, "what it is"))
    assert [first[key] for key in keys] == [SIGNS[verdict] for verdict in verdicts]


@pytest.mark.parametrize("name", st.NAMES)
def test_tests_that_are_not_blind_are_named(name: str) -> None:
    study = st.load(name)
    assert set(study.informed) <= {claim.key for claim in study.claims}
    sentence = re.search(
        r"((?:[A-Z]\d+(?:, | and )?)+) ha(?:s|ve) tests that were stated after results", sentences(name)
    )
    assert re.findall(r"[A-Z]\d+", sentence[1] if sentence else "") == list(study.informed)


def test_the_page_of_dsilva_has_the_figures_of_the_report() -> None:
    rows = table("dsilva", "TCP, report")
    printed = [
        one for parts in dsilva.TABLES.values() for one in st.printed("dsilva") if one["experiment"] in parts
    ]
    assert [(row["TCP, report"], row["UDP, report"]) for row in rows] == [
        (one["tcp_goodput_Bps"], one["udp_goodput_Bps"]) for one in printed
    ]
    for row, one in zip(rows, printed, strict=True):
        kind, value = row["queue"].split(", ")
        assert (kind, value) == ({"red": "RED", "droptail": "tail drop"}[one["queue"]], one["value"])
        small, large = dsilva.segments(float(one["tcp_goodput_Bps"]))
        assert row["that is, bytes in 10 s"] == f"{small} × 128 + {large} × 536"


@pytest.mark.parametrize(
    ("quantity", "kind"), [("TCP goodput (bytes/s)", "TCP"), ("UDP goodput (bytes/s)", "UDP")]
)
def test_the_figures_of_dsilva_are_counted_right(quantity: str, kind: str) -> None:
    count = next(row for row in table("dsilva", "printed values") if row["quantity"] == quantity)
    rows = [
        (float(row[f"{kind}, report"]), row[f"{kind}, here"]) for row in table("dsilva", f"{kind}, report")
    ]
    for column, sign in (("below the interval", -1), ("above the interval", 1)):
        side = [outside(value, here) for value, here in rows if sign * (value - number(here)[0]) > 0]
        certain, possible = (sum(one[i] for one in side) for i in (0, 1))
        assert certain <= int(count[column]) <= possible <= certain + 1, column
    if kind == "TCP":
        runs = [(float(row["TCP, report"]), *map(float, row["single runs"].split(" to ")))
                for row in table("dsilva", "single runs")]  # fmt: skip
        beyond = sum(not low - 0.5 <= value <= high + 0.5 for value, low, high in runs)
        assert beyond == int(count["outside every single run"])


def test_the_page_of_hassan_has_the_tables_of_the_paper_and_counts_them_right() -> None:
    rows, printed = table("hassan", "F_r, paper"), st.printed("hassan")
    assert [row["F_r, paper"] for row in rows] == [f"{one['fr_mean']} ± {one['fr_delta']}" for one in printed]
    assert [row["paper's rank"] for row in rows] == ["★" * int(one["stars"]) for one in printed]
    assert [row["table, case"] for row in rows] == [
        f"{one['table']}: {one['case']}, {one['parameter']} {one['value']}" for one in printed
    ]
    count = next(row for row in table("hassan", "printed values") if row["quantity"] == "mean F_r")
    means = [(float(one["fr_mean"]), row["mean F_r, here"]) for one, row in zip(printed, rows, strict=True)]
    for column, sign in (("below the interval", -1), ("above the interval", 1)):
        side = [outside(value, here) for value, here in means if sign * (value - number(here)[0]) > 0]
        certain, possible = (sum(one[i] for one in side) for i in (0, 1))
        assert certain <= int(count[column]) <= possible, column


def test_the_classes_of_hassan_are_those_of_the_ratios() -> None:
    from dropcurve.metrics import friendliness_class

    for row in table("hassan", "F_r, paper"):
        assert row["in words"] == friendliness_class(number(row["mean F_r, here"])[0])


def test_the_one_value_of_decnodder_is_counted_right() -> None:
    (value,) = decnodder.STUDY.printed_values or ()
    row = next(
        row for row in table("decnodder", "loss 1500 (%)") if row.get("variant, TCP, ms") == "RED_2 Reno 15"
    )
    (count,) = table("decnodder", "printed values")
    certain, possible = outside(value.value, row["loss 1500 (%)"])
    assert certain <= int(count["below the interval"]) + int(count["above the interval"]) <= possible


def test_the_sums_of_the_report_are_those_of_its_rows() -> None:
    sums = {
        dsilva.cell_of(row): float(row["tcp_goodput_Bps"]) + float(row["udp_goodput_Bps"])
        for row in st.printed("dsilva")
    }
    # The one sum that the report prints itself, section 2.
    assert sums["th 90-270"] == pytest.approx(90747.2)
    text = dsilva.sums()
    assert f"{max(sums[f'queue {size}'] for size in dsilva.QUEUES):.1f}" in text
    assert text in sentences("dsilva")


def test_the_texts_with_numbers_are_filled_in() -> None:
    for name in st.NAMES:
        assert not re.search(r"\{[a-z_0-9]+\}", page(name)), name
    assert hassan.TEXTS["Swing"][0].count("{") > 5
