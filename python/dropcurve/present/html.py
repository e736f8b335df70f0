"""A document as HTML, for notebooks."""

from __future__ import annotations

from html import escape

from . import intervals
from .document import Document, Headline, TableCell
from .visible import visible

#: Colour of a verdict, by its tone.
COLOURS = {"good": "#2e7d32", "unsure": "#b26a00", "bad": "#b71c1c"}


def render(document: Document) -> str:
    """The document as an HTML fragment; everything in it is escaped."""
    table = document.table
    head = "".join(f"<th>{escape(name)}</th>" for name in table.labels)
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(line.title)}</th><td>{escape(line.unit)}</td>"
        + "".join(f"<td style='text-align:right'>{escape(_cell(cell))}</td>" for cell in line.cells)
        + "</tr>"
        for line in table.lines
    )
    notes = [*document.sentences, *document.notes]
    if table.zero:
        notes.append("Zero throughout: " + ", ".join(table.zero))
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    page = (
        f"{opening(document.headline)}<p><b>{escape(document.title)}</b>: {escape(document.basis)}</p>"
        f"<table><thead><tr><th></th><th></th>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<ul>{items}</ul><code>{escape(document.command)}</code>"
    )
    return visible(page, lines=True)


def opening(headline: Headline | None) -> str:
    """The verdict as an HTML fragment, coloured by its tone; "" without one."""
    if headline is None:
        return ""
    details = f"<small>{escape(' '.join(headline.details))}</small>" if headline.details else ""
    return (
        f"<p style='border-left:4px solid {COLOURS[headline.tone]};padding-left:.6em'>"
        f"<b>{escape(' '.join(headline.sentences))}</b> {details}</p>"
    )


def _cell(cell: TableCell) -> str:
    return f"{intervals.interval(cell.mean, cell.half_width)} {cell.flag}".rstrip()
