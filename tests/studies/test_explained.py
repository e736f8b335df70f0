"""Every figure, table and equation of the five papers has its place on the study's page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dropcurve import studies as st
from dropcurve.plot import style
from dropcurve.studies.explained import DRAWINGS, filtered

ROOT = Path(__file__).parents[2]
#: How many numbered figures and tables each paper has.
NUMBERED = {
    "hassan": {"figure": 3, "table": 9}, "wtred": {"figure": 17, "table": 4}, "red-at": {"figure": 12, "table": 0},
    "decnodder": {"figure": 13, "table": 2}, "dsilva": {"figure": 0, "table": 8},
}  # fmt: skip


def named(text: str, kind: str) -> set[int]:
    """The numbers of a kind that a text names: "figures 2 and 3", "tables 3 to 9", "figure 1, table 2"."""
    found: set[int] = set()
    for words in re.findall(rf"\b{kind}s? ((?:\d+(?:, | and | to )?)+)", text):
        for first, last in re.findall(r"(\d+)(?: to (\d+))?", words):
            found |= set(range(int(first), int(last or first) + 1))
    return found


@pytest.mark.parametrize("name", st.NAMES)
def test_every_figure_and_table_has_its_place(name: str) -> None:
    place = st.explained(name)[0]
    assert isinstance(place, st.Table)
    first = "; ".join(row[0] for row in place.rows)
    for kind, count in NUMBERED[name].items():
        assert named(first, kind) == set(range(1, count + 1)), kind
    assert all(row[2] for row in place.rows), "each row says where"


@pytest.mark.parametrize("name", st.NAMES)
def test_every_drawing_is_used_and_drawn(name: str) -> None:
    pictures = [block for block in st.explained(name) if isinstance(block, st.Picture)]
    assert {one.name.removeprefix("explained-") for one in pictures} == set(DRAWINGS[name])
    for one in pictures:
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
