"""A document as Markdown, for reports, issues and pull requests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import intervals
from .document import Document, Headline, MetricTable, TableCell
from .visible import visible


def render(document: Document) -> str:
    """The document as Markdown: a heading, the verdict, a table, then sentences and notes as lists."""
    table = document.table
    parts = [
        f"## {visible(escaped(document.title))}",
        *_opening(document.headline),
        document.basis,
        _table(table),
    ]
    if table.legend:
        parts.append(escaped(table.legend))
    if table.zero:
        parts.append(f"Zero throughout: {', '.join(table.zero)}.")
    if document.sentences:
        parts.append("\n".join(f"- {escaped(sentence)}." for sentence in document.sentences))
    if document.notes:
        parts.append("\n".join(f"- {escaped(note)}" for note in document.notes))
    if document.command:
        parts.append(f"```console\n{document.command}\n```")
    return visible("\n\n".join(parts), lines=True) + "\n"


def _opening(headline: Headline | None) -> list[str]:
    if headline is None:
        return []
    return [
        f"**{escaped(' '.join(headline.sentences))}**",
        *([escaped(" ".join(headline.details))] if headline.details else []),
    ]


def _table(table: MetricTable) -> str:
    heads = ["", "unit", *(escaped(name) for name in table.labels)]
    rows = [[escaped(line.title), line.unit, *map(_cell, line.cells)] for line in table.lines]
    return pipes(heads, rows, words=2)


def pipes(heads: Sequence[str], rows: Iterable[Sequence[str]], *, words: int) -> str:
    """A table in the pipes of Markdown.

    Args:
        heads: Heading of each column, `escaped`.
        rows: Rows of escaped text.
        words: Number of columns at the left that hold words; the others hold numbers.
    """
    rule = ["---" if i < words else "--:" for i in range(len(heads))]
    return "\n".join("| " + " | ".join(line) + " |" for line in [heads, rule, *rows])


def _cell(cell: TableCell) -> str:
    return f"{intervals.interval(cell.mean, cell.half_width)} {cell.flag}".rstrip()


def escaped(text: str) -> str:
    """Text escaped for a table cell or a line of Markdown."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
