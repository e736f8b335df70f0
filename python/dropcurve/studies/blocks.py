"""Parts of a page: paragraphs, tables, figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


@dataclass(frozen=True)
class Text:
    """A paragraph of Markdown: `code`, **bold**, [links](to) and nothing else."""

    text: str


@dataclass(frozen=True)
class Heading:
    """A heading inside a part."""

    text: str


@dataclass(frozen=True)
class Table:
    """Rows of text under a head; all columns but the first ``words`` hold numbers."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    words: int = 1


@dataclass(frozen=True)
class FigureBlock:
    """A figure: ``draw`` makes it at a width in inches; ``see`` is its caption."""

    name: str
    title: str
    see: str
    draw: Callable[[float], Drawing]


Block = Text | Heading | Table | FigureBlock
