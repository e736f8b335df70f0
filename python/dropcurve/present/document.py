"""Parts of an answer, before a renderer lays them out for a terminal, HTML or Markdown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TableCell:
    """A number as text: mean, half-width ("" if it has none) and flag ("✓", "✗", "≠" or "")."""

    mean: str
    half_width: str = ""
    flag: str = ""


@dataclass(frozen=True)
class TableLine:
    """A row of a table: title, unit and a cell for each column."""

    title: str
    unit: str
    cells: tuple[TableCell, ...]


@dataclass(frozen=True)
class MetricTable:
    """Columns by full name, with the label that heads each (the same, or a shorter one with a number)."""

    labels: dict[str, str]
    lines: tuple[TableLine, ...]
    #: Titles of the rows left out because they are zero throughout.
    zero: tuple[str, ...] = ()
    #: Meaning of the flags; "" if there are none.
    legend: str = ""


@dataclass(frozen=True)
class Headline:
    """The opening of an answer.

    Attributes:
        tone: "good", "unsure" or "bad", for colours.
        sentences: The recommendation: one or two sentences.
        details: Its certainty, one line.
        ranking: The designs as rows of a table, the best first, below a heading; empty for two designs.
    """

    tone: str
    sentences: tuple[str, ...]
    details: tuple[str, ...] = ()
    ranking: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Document:
    """Title, basis, headline (the verdict), table, sentences, notes (problems and warnings), and the command that
    repeats it."""

    title: str
    basis: str
    table: MetricTable
    sentences: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    command: str = ""
    headline: Headline | None = None
