"""Markdown is wrapped only where the rendered page stays the same."""

from __future__ import annotations

import pytest

from dropcurve.present.wrapping import wrap_markdown


@pytest.mark.parametrize(
    ("text", "wrapped"),
    [
        ("one two three", "one two\nthree"),
        ("one two\nthree four", "one two\nthree\nfour"),
        ("* one two three", "* one\n  two\n  three"),
        ("1. one two", "1. one\n   two"),
        ("* one two\n* three", "* one\n  two\n* three"),
        ("* one two\n  three", "* one\n  two\n  three"),
        ("  one two", "  one\n  two"),
        ("one two three\n", "one two\nthree\n"),
        ("one two  \nthree four", "one two  \nthree\nfour"),
    ],
)
def test_paragraphs_and_items_are_wrapped(text: str, wrapped: str) -> None:
    assert wrap_markdown(text, 8) == wrapped


@pytest.mark.parametrize(
    "text",
    [
        "one two",
        "| one | two | three |",
        "# A long heading",
        "> quoted words",
        "<p>one two</p>",
        "```\none two three\n```",
        "    one two three",
        "",
        "extraordinarily",
    ],
)
def test_short_lines_and_code_are_not_wrapped(text: str) -> None:
    assert wrap_markdown(text, 8) == text


def test_links_and_code_stay_in_one_piece() -> None:
    text = "see [the long guide](guide/long.md) and `a = b + c`, or not"
    assert wrap_markdown(text, 10).split("\n") == [
        "see",
        "[the long guide](guide/long.md)",
        "and",
        "`a = b + c`,",
        "or not",
    ]


@pytest.mark.parametrize("mark", ["-", "+", "*", "7.", "#", "> more", "| more"])
def test_no_line_begins_with_what_would_mean_something_there(mark: str) -> None:
    lines = wrap_markdown(f"word word {mark} word word", 10).split("\n")
    assert not any(line.startswith(mark[0]) for line in lines)


def test_a_page_that_is_wrapped_stays() -> None:
    page = "# Title\n\n" + "some words " * 40 + "\n\n* " + "an item of `code here` " * 9 + "\n\n```\nx\n```\n"
    once = wrap_markdown(page)
    assert wrap_markdown(once) == once
    assert once.split() == page.split()
    assert max(map(len, once.splitlines())) <= 100
