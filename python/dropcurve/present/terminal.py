"""A document as text for a terminal of a given width."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from . import intervals
from .document import Document, Headline, MetricTable, TableCell, TableLine
from .visible import visible

#: Columns of a terminal a table may fill.
WIDTH = 100
#: Widest heading of a variant before it is broken into lines.
HEADING = 22
#: Columns and cells beyond which a table is left out if there is a ranking.
FOLDED_COLUMNS, FOLDED_CELLS = 12, 60
#: Narrowest column of names.
NARROWEST = 12


def render(document: Document, *, width: int = WIDTH) -> str:
    """Verdict, title, table (in blocks of as many columns as fit), sentences, notes and the command that repeats it."""
    table = document.table
    parts = [opening(document.headline, width=width)] if document.headline else []
    parts.append(f"{visible(document.title)}\n{document.basis}")
    folded = bool(document.headline and document.headline.ranking) and _is_long(table)
    if folded:
        columns_of = (
            f"The table of {len(table.labels)} columns is on the page; --metric NAME prints a row of it."
        )
        parts.append(_wrap(columns_of, width))
    else:
        parts += [*_names(table, width), *_blocks(list(table.labels.values()), table.lines, width)]
    if table.zero and not folded:
        parts.append(_wrap(f"Zero throughout: {', '.join(table.zero)}.", width))
    if table.legend and not folded:
        parts.append(_wrap(table.legend, width))
    if document.sentences and not folded:
        parts.append("\n".join(_wrap(f"{sentence}.", width, "  ") for sentence in document.sentences))
    if document.notes:
        parts.append("\n".join(_wrap(note, width, "  ") for note in document.notes))
    if document.command:
        parts.append(f"Repeat: {document.command}")
    return visible("\n\n".join(parts), lines=True)


def _is_long(table: MetricTable) -> bool:
    """Whether a table with a column for each design under each condition is too long to be read."""
    columns = len(table.labels)
    return columns > FOLDED_COLUMNS and columns * len(table.lines) > FOLDED_CELLS


def opening(headline: Headline, *, width: int = WIDTH) -> str:
    """The verdict: its sentences, then their certainty, indented, then the table of designs."""
    sentences = _wrap(" ".join(headline.sentences), width)
    details = " ".join(headline.details)
    parts = [f"{sentences}\n{textwrap.indent(_wrap(details, width - 2), '  ')}" if details else sentences]
    parts += [columns(headline.ranking, width=width, spare=1)] if headline.ranking else []
    return "\n\n".join(parts)


def columns(rows: Sequence[Sequence[str]], *, width: int = WIDTH, spare: int = 0) -> str:
    """Rows as lines of at most ``width``, if words are not longer; the first row is the heading.

    The first column and the last are aligned to the left, numbers to the right. Headings are broken into lines of few
    words, narrower ones where the table is too wide, and then the names in the first column. Where that does not do, up
    to ``spare`` columns before the last two are left out.
    """
    for heading in (HEADING, 3 * HEADING // 4, HEADING // 2):
        head = [textwrap.wrap(one, heading, break_long_words=False) or [""] for one in rows[0]]
        wide = [max(map(len, (*words, *cells))) for words, *cells in zip(head, *rows[1:], strict=True)]
        room = width - sum(wide[1:]) - 2 * len(wide[1:])
        if wide[0] <= room:
            break
    if spare and room < NARROWEST:
        return columns([[*row[:-3], *row[-2:]] for row in rows], width=width, spare=spare - 1)
    height = max(map(len, head))
    lines = [
        [("" if row < height - len(one) else one[row - height + len(one)]) for one in head]
        for row in range(height)
    ]
    for name, *cells in rows[1:]:
        first, *more = _fold(name, max(room, NARROWEST), indent="    ")
        lines += [[first, *cells], *([one, *("" for _ in cells)] for one in more)]
    return "\n".join(_aligned(lines))


def _aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    """Cells of each column in its width: the first and the last to the left, the others to the right."""
    wide = [max(map(len, column)) for column in zip(*lines, strict=True)]
    ends = (0, len(wide) - 1)
    return [
        "  ".join(
            cell.ljust(size) if k in ends else cell.rjust(size)
            for k, (cell, size) in enumerate(zip(line, wide, strict=True))
        ).rstrip()
        for line in lines
    ]


def _names(table: MetricTable, width: int) -> list[str]:
    """Key of shortened names: a line for each number."""
    lines = [
        _wrap(f"[{number}] {name}", width, "    ", hard=True)
        for number, (name, label) in enumerate(table.labels.items(), start=1)
        if label != name
    ]
    return ["\n".join(lines)] if lines else []


def _blocks(labels: Sequence[str], shown: Sequence[TableLine], width: int) -> list[str]:
    """The table, broken after as many variants as fit; the first column of every block is the baseline, unless no
    two columns fit."""
    left = max([len(line.title) for line in shown], default=0)
    units = max([len(line.unit) for line in shown], default=0)
    columns = [_column(label, [line.cells[i] for line in shown]) for i, label in enumerate(labels)]
    wide = [len(column[-1]) for column in columns]
    rest = list(range(1, len(columns)))
    if rest and left + units + 7 + wide[0] + max(wide[1:]) > width:
        return [_block(shown, left, units, [column]) for column in columns]
    blocks = []
    while True:
        chosen, used = [0], left + units + 4 + wide[0]
        while rest and used + 3 + wide[rest[0]] <= width:
            used += 3 + wide[rest[0]]
            chosen.append(rest.pop(0))
        blocks.append(_block(shown, left, units, [columns[i] for i in chosen]))
        if not rest:
            return blocks


def _column(name: str, cells: Sequence[TableCell]) -> list[str]:
    """Heading lines and cells of one variant, all of one width; the heading's lines come first."""
    means = max((len(cell.mean) for cell in cells), default=0)
    halves = max((len(cell.half_width) for cell in cells if intervals.plain(cell.half_width)), default=0)
    shown = [intervals.interval("", cell.half_width) for cell in cells]
    for i, cell in enumerate(cells):
        if cell.half_width and intervals.plain(cell.half_width):
            shown[i] = f" ± {cell.half_width:>{halves}}"
    rest = max(map(len, shown), default=0)
    body = [
        f"{cell.mean:>{means}}{text:<{rest}} {cell.flag or ' '}"
        for cell, text in zip(cells, shown, strict=True)
    ]
    heading = _break(name)
    wide = max(len(part) for part in [*heading, *body])
    return [part.rjust(wide) for part in [*heading, *body]]


def _break(name: str) -> list[str]:
    """A heading in lines of at most 22 characters, broken after a space, comma or colon if there is one."""
    return [f"{part}  " for part in _fold(name, HEADING)]


def _fold(name: str, width: int, *, indent: str = "") -> list[str]:
    """A name in lines of at most ``width``, broken after a space, comma or colon if there is one."""
    out = [""]
    for piece in re.findall(r"[^ ,:]+[ ,:]?|[ ,:]", name):
        if out[-1].strip() and len(out[-1]) + len(piece.rstrip()) > width:
            out.append(indent)
        out[-1] += piece
    return [part.rstrip() for part in out]


def _block(shown: Sequence[TableLine], left: int, units: int, columns: list[list[str]]) -> str:
    """One block of the table; headings of any height end on the line above the body."""
    height = max(len(column) for column in columns)
    level = [[" " * len(column[-1])] * (height - len(column)) + column for column in columns]
    labels = [("", "")] * (height - len(shown)) + [(line.title, line.unit) for line in shown]
    return "\n".join(
        _row(title, left, unit, units, [column[i] for column in level])
        for i, (title, unit) in enumerate(labels)
    )


def _row(title: str, left: int, unit: str, units: int, cells: list[str]) -> str:
    return f"{title:<{left}}  {unit:<{units}}  {'   '.join(cells)}".rstrip()


def _wrap(text: str, width: int, indent: str = "", *, hard: bool = False) -> str:
    """Lines of at most ``width``; words that are longer are broken only if ``hard``."""
    return textwrap.fill(text, width, subsequent_indent=indent, break_long_words=hard, break_on_hyphens=False)
