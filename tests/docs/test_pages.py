"""What the docs show of the code's declarations is what the code declares: `make docs` fills it in."""

from __future__ import annotations

from typing import Any

import pytest

import pages

FIELD: dict[str, Any] = {"name": "limit", "doc": "Most that\nmay wait.", "default": "10 pkts", "range": None}
FIELD |= {"source": "", "assumed": True, "choices": [{"name": "a|b", "doc": "Both."}]}
RED = {"kind": "red", "title": "RED", "fields": [FIELD], "preset_key": "dialect"}
RED["dialects"] = [{"name": "ns2", "doc": "As ns-2.", "options": {"gentle": True}}]
CATALOGUE = {"disciplines": [RED], "transports": [], "sources": [{"name": "cbr", "doc": "Constant."}]}


def test_the_pages_are_filled_in() -> None:
    stale = [file.name for file, _ in pages.differing(pages.ROOT)]
    assert stale == [], "run `make docs`"


@pytest.mark.parametrize(
    ("part", "made"),
    [
        (
            "parameters: red",
            "| `limit` | `10 pkts` | Most that may wait. | *assumed* |\n\n`limit`:\n\n* `a|b`: Both.\n",
        ),
        (
            "dialects: red",
            "| `dialect` | Stands for | Sets |\n|---|---|---|\n| `ns2` | As ns-2. | `gentle = true` |\n",
        ),
        ("list: sources", "| Name | What it is |\n|---|---|\n| `cbr` | Constant. |\n"),
    ],
)
def test_a_part_is_made_and_the_rest_stays(part: str, made: str) -> None:
    page = f"Before.\n\n<!-- {part} -->\nstale\n<!-- end -->\n\nAfter.\n"
    text = pages.filled(page, CATALOGUE)
    assert text.startswith(f"Before.\n\n<!-- {part} -->\n")
    assert text.endswith(f"{made}<!-- end -->\n\nAfter.\n")
    assert "stale" not in text
    assert pages.filled(text, CATALOGUE) == text


def test_a_part_that_names_nothing_is_refused() -> None:
    with pytest.raises(KeyError, match="blue"):
        pages.filled("<!-- parameters: blue -->\n<!-- end -->\n", CATALOGUE)
