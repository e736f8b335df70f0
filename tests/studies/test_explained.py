"""Every figure, table and equation of the five papers has its place on the study's page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dropcurve import studies as st
from dropcurve.plot import style
from dropcurve.studies.explained import DRAWINGS, filtered

ROOT = Path(__file__).parents[2]
#: How many numbered figures, tables and equations each paper has.
NUMBERED = {
    "hassan": {"figure": 3, "table": 9, "equation": 3}, "wtred": {"figure": 17, "table": 4, "equation": 3},
    "red-at": {"figure": 12, "table": 0, "equation": 4}, "decnodder": {"figure": 13, "table": 2, "equation": 4},
    "dsilva": {"figure": 0, "table": 8, "equation": 0},
}  # fmt: skip


def named(text: str, kind: str) -> set[int]:
    """The numbers of a kind that a text names: "figures 2 and 3", "tables 3 to 9", "figure 1, table 2"."""
    numbers: set[int] = set()
    for words in re.findall(rf"\b{kind}s? ((?:\d+(?:, | and | to )?)+)", text):
        for first, last in re.findall(r"(\d+)(?: to (\d+))?", words):
            numbers |= set(range(int(first), int(last or first) + 1))
    return numbers


@pytest.mark.parametrize("name", st.NAMES)
def test_every_figure_and_table_has_its_place(name: str) -> None:
    place = st.explained(name)[0]
    assert isinstance(place, st.Table)
    first = "; ".join(row[0] for row in place.rows)
    for kind, count in NUMBERED[name].items():
        assert named(first, kind) == set(range(1, count + 1)), kind
    assert all(row[2] for row in place.rows), "each row says where"


@pytest.mark.parametrize("name", st.NAMES)
def test_each_place_is_found_on_the_page(name: str) -> None:
    place, *rest = st.explained(name)
    assert isinstance(place, st.Table)
    below = "; ".join(
        {st.FigureBlock: lambda one: one.title, st.Table: lambda one: one.caption, st.Text: lambda one: one.text}
        .get(type(one), lambda _: "")(one) or "" for one in rest
    )  # fmt: skip
    keys = {claim.key for claim in st.load(name).claims}
    page = (ROOT / "docs" / "studies" / f"{name}.md").read_text(encoding="utf-8")
    figures = set(re.findall(r"!\[.*?\]\(figures/.*?\.svg\)", page))
    for first, _, where in place.rows:
        claims = set(re.findall(r"\b[A-Z]\d+\b", where))
        for low, high in re.findall(r"\b([A-Z]\d+) to ([A-Z]\d+)\b", where):
            claims |= {f"{low[0]}{i}" for i in range(int(low[1:]), int(high[1:]) + 1)}
        assert claims <= keys, where
        assert "figure" not in where or figures, where
        if where.startswith("below") and "equation" not in first:
            for kind in ("figure", "table"):
                assert named(first, kind) <= named(below, kind), (first, kind)


def test_the_arrivals_of_section_3_2_1_of_hamadneh() -> None:
    """By equation 1, from 6 to 10 in 60 arrivals with a weight of 0.001, at the constant queue that makes it so."""
    kept = (1 - 0.001) ** 60
    queue = (10 - 6 * kept) / (1 - kept)
    average, arrivals = 6.0, 0
    while average < 10:
        average += 0.003 * (queue - average)
        arrivals += 1
    assert arrivals == 20, "the paper says 40"


@pytest.mark.parametrize("name", st.NAMES)
def test_every_drawing_is_used_and_drawn(name: str) -> None:
    figures = [block for block in st.explained(name) if isinstance(block, st.FigureBlock)]
    assert {one.name.removeprefix("explained-") for one in figures} == set(DRAWINGS[name])
    for one in figures:
        with style.styled():
            assert len(style.to_bytes(one.draw(style.PAGE_IN), format="svg")) > 2000
        assert (ROOT / "docs" / "studies" / "figures" / f"{name}-{one.name}.svg").is_file()


@pytest.mark.parametrize("name", st.NAMES)
def test_the_page_has_the_part(name: str) -> None:
    page = (ROOT / "docs" / "studies" / f"{name}.md").read_text(encoding="utf-8")
    assert "## The paper's figures and tables" in page
    assert "**Printed values.**" in page


def test_the_printed_filter_of_westwood_forgets_a_steady_bandwidth() -> None:
    printed, right = filtered(100)
    assert max(printed) == pytest.approx(0.05)
    assert printed[-1] == pytest.approx(0.0, abs=1e-4)
    assert right[-1] == pytest.approx(1.0, abs=1e-3)
