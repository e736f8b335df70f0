"""A plain table of texts, as aligned text, Markdown, LaTeX and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from . import latex, markdown


@dataclass(frozen=True)
class TextTable:
    """Headings and rows.

    Attributes:
        heads: Heading of each column.
        rows: A text for each column.
        words: Number of columns at the left that hold words; the others hold numbers, which end below each other.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 0


def aligned(table: TextTable) -> str:
    """Returns the table as lines whose columns are aligned."""
    lines = [table.heads, *table.rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(table.heads))]
    return "\n".join(
        "  ".join(
            line[i].ljust(width) if i < table.words else line[i].rjust(width)
            for i, width in enumerate(widths)
        ).rstrip()
        for line in lines
    )


def as_markdown(table: TextTable) -> str:
    """Returns the table in the pipes of Markdown."""
    head, *rows = ([markdown.escaped(cell) for cell in line] for line in (table.heads, *table.rows))
    return markdown.pipes(head, rows, words=table.words)


def as_latex(table: TextTable) -> str:
    """Returns the table as a ``tabular`` with the rules of the package booktabs."""
    letters = "".join("l" if i < table.words else "r" for i in range(len(table.heads)))
    return latex.tabular(letters, table.heads, table.rows)


def as_html(table: TextTable) -> str:
    """Returns the table as HTML without a style of its own."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.heads)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in table.rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
