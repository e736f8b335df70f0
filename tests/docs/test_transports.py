"""Each page of a transport has a source, the known differences from Linux, ns-2 and ns-3, and a figure."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dropcurve as dc
from dropcurve.scenario import library
from validation.pages import transport_figures

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted((DOCS / "transports").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_names_its_source_and_what_is_different_elsewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert re.search(r"\*Sources?\*", text), "no source"
    for other in ("Linux", "ns-2", "ns-3"):
        assert other in text, f"nothing of {other}"
    assert f"]({page.stem}.svg)" in text, "no figure"
    assert (page.parent / f"{page.stem}.svg").is_file()


def test_each_transport_and_congestion_control_has_a_page_and_a_picture() -> None:
    names = {page.stem for page in PAGES}
    assert set(transport_figures.PICTURES) == names
    transports = {entry["name"] for entry in library.catalogue()["transports"]}
    assert transports <= names
    for one, queue, rival in transport_figures.PICTURES.values():
        dc.Scenario.parse(transport_figures.SCENARIO.format(one=one, queue=queue, rival=rival))
