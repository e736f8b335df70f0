"""A result as text of at most 100 columns, and as HTML for notebooks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from ..quantities import wording
from . import verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..results import Result
    from ..results.tables import Cell, Difference, Row

#: Columns of a terminal a table may fill.
WIDTH = 100
#: Widest heading of a variant before it is broken into lines.
HEADING = 22
#: Flags of a difference from the baseline that is real.
FLAGS = {True: "✓", False: "✗", None: "≠"}


@dataclass(frozen=True)
class Line:
    """A row ready to print: for each variant (mean, half-width, flag) as text."""

    title: str
    unit: str
    cells: tuple[tuple[str, str, str], ...]


def lines(result: Result, *, per: str = "total", only: Sequence[str] = ()) -> tuple[list[Line], list[str]]:
    """(rows worth printing, titles of the rows left out because they are zero throughout)."""
    found = {(one.key, one.variant): one for one in result.differences(per=per, only=only)}
    shown, zero = [], []
    for row in result.table(per=per, only=only):
        if row.zero and not only:
            zero.append(row.title)
        else:
            shown.append(_line(row, result, found))
    return shown, zero


def _line(row: Row, result: Result, found: dict[tuple[str, str], Difference]) -> Line:
    largest = max((abs(cell.mean) for cell in row.cells if cell.mean is not None), default=0.0)
    divisor, unit = wording.scaled(row.unit, largest)

    def text(cell: Cell, variant: str) -> tuple[str, str, str]:
        difference = found.get((row.key, variant))
        flag = FLAGS[difference.improves] if difference is not None and difference.real else ""
        return (*wording.value(cell.mean, cell.half_width, divisor=divisor), flag)

    cells = zip(row.cells, result.variants, strict=True)
    return Line(row.title, unit, tuple(text(cell, variant.name) for cell, variant in cells))


def text(result: Result, *, per: str = "total", only: Sequence[str] = (), width: int = WIDTH) -> str:
    """Title, table (in blocks of as many variants as fit), verdict, warnings and the command that
    reproduces it."""
    shown, zero = lines(result, per=per, only=only)
    labels = wording.labels([variant.name for variant in result.variants])
    parts = [_heading(result), *_legend(labels, width), *_blocks(labels, shown, width)]
    if zero:
        parts.append(_wrap(f"Zero throughout: {', '.join(zero)}.", width))
    if len(result.variants) > 1 and len(result.seeds) > 1:
        parts.append(_wrap(_signs(result, labels), width))
    if len(result.variants) > 1 and not only and per == "total":
        told = verdict.phrases(result, labels=labels)
        parts.append("\n".join(_wrap(f"{phrase}.", width, "  ") for phrase, _ in told))
    notes = [f"Problem: {line}" for line in result.problems] + [
        f"Warning: {line}" for line in result.warnings
    ]
    if notes:
        parts.append("\n".join(_wrap(note, width, "  ") for note in notes))
    if result.command:
        parts.append(f"Again:  {result.command}")
    return "\n\n".join(parts)


def _heading(result: Result) -> str:
    n = len(result.seeds)
    seeds = f"seed {result.seeds[0]}" if n == 1 else f"seeds {result.seeds[0]} to {result.seeds[-1]}"
    basis = f"{wording.count(n, 'replication')}, {seeds}"
    return f"{result.title}\n{basis}" + (f", {wording.percent(result.confidence)} intervals" if n > 1 else "")


def _legend(labels: dict[str, str], width: int) -> list[str]:
    """What the numbers of shortened names stand for, one line each."""
    lines = [
        _wrap(f"[{number}] {name}", width, "    ", hard=True)
        for number, (name, label) in enumerate(labels.items(), start=1)
        if label != name
    ]
    return ["\n".join(lines)] if lines else []


def _signs(result: Result, labels: dict[str, str]) -> str:
    return (
        f"Against {labels[result.baseline.name]}: ✓ better, ✗ worse, ≠ differs; no sign: no difference seen "
        f"({wording.percent(result.confidence)}, paired, Holm)."
    )


def _blocks(labels: dict[str, str], shown: list[Line], width: int) -> list[str]:
    """The table, broken after as many variants as fit; the first column of every block is the baseline, unless no
    two columns fit."""
    left = max([len(line.title) for line in shown], default=0)
    units = max([len(line.unit) for line in shown], default=0)
    columns = [_column(label, [line.cells[i] for line in shown]) for i, label in enumerate(labels.values())]
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


def _column(name: str, cells: list[tuple[str, str, str]]) -> list[str]:
    """Heading lines and cells of one variant, all of one width; the heading's lines come first."""
    means = max((len(mean) for mean, _, _ in cells), default=0)
    halves = max((len(half) for _, half, _ in cells), default=0)
    body = []
    for mean, half, flag in cells:
        interval = f" ± {half:>{halves}}" if half else " " * (halves + 3 if halves else 0)
        body.append(f"{mean:>{means}}{interval} {flag or ' '}")
    heading = _break(name)
    wide = max(len(part) for part in [*heading, *body])
    return [part.rjust(wide) for part in [*heading, *body]]


def _break(name: str) -> list[str]:
    """A heading in lines of at most 22 characters, broken after a space, comma or colon if there is one."""
    out = [""]
    for piece in re.findall(r"[^ ,:]+[ ,:]?|[ ,:]", name):
        if out[-1] and len(out[-1]) + len(piece.rstrip()) > HEADING:
            out.append("")
        out[-1] += piece
    return [f"{part.rstrip()}  " for part in out]


def _block(shown: list[Line], left: int, units: int, columns: list[list[str]]) -> str:
    """Headings stand on the line above the body, whatever their height."""
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
    import textwrap

    return textwrap.fill(text, width, subsequent_indent=indent, break_long_words=hard, break_on_hyphens=False)


def html(result: Result) -> str:
    """A table for notebooks, with the verdict below."""
    shown, zero = lines(result)
    head = "".join(f"<th>{escape(variant.name)}</th>" for variant in result.variants)
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(line.title)}</th><td>{escape(line.unit)}</td>"
        + "".join(f"<td style='text-align:right'>{_html_cell(*cell)}</td>" for cell in line.cells)
        + "</tr>"
        for line in shown
    )
    notes = (
        [*verdict.sentences(result), *result.problems, *result.warnings] if len(result.variants) > 1 else []
    )
    if zero:
        notes.append("Zero throughout: " + ", ".join(zero))
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return (
        f"<p><b>{escape(result.title)}</b>: {escape(_heading(result).splitlines()[1])}</p>"
        f"<table><thead><tr><th></th><th></th>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<ul>{items}</ul><code>{escape(result.command)}</code>"
    )


def _html_cell(mean: str, half: str, flag: str) -> str:
    return f"{mean}{f' ± {half}' if half else ''} {flag}".rstrip()
