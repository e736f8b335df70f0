"""The prose of the studies' pages: one Markdown file for each study, whose module holds the runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError
from ..blocks import Block, FigureBlock, Table, Text


@dataclass(frozen=True)
class Texts:
    """The parts of a file of prose, by their headings."""

    parts: dict[str, str]

    def __getitem__(self, heading: str) -> list[str]:
        """The paragraphs under a heading, each on one line; without the tables. Raises KeyError for an unknown one."""
        blocks = self.parts[heading].split("\n\n")
        return [
            " ".join(block.split())
            for block in blocks
            if block.strip() and not block.lstrip().startswith("|")
        ]

    def rows(self, heading: str) -> list[tuple[str, ...]]:
        """The rows of the table under a heading, without its head."""
        lines = [line.strip() for line in self.parts[heading].splitlines() if line.strip().startswith("|")]
        return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines[2:]]

    def blocks(self, heading: str, drawings: Mapping[str, FigureBlock]) -> list[Block]:
        """Paragraphs, tables and drawings under a heading, in their order: ``Table: words`` is the caption of the table
        that follows, ``[name]`` a drawing. Raises KeyError for an unknown heading or drawing."""
        parsed: list[Block] = []
        caption = ""
        for part in self.parts[heading].split("\n\n"):
            words = " ".join(part.split())
            if part.lstrip().startswith("|"):
                lines = [
                    [cell.strip() for cell in line.strip().strip("|").split("|")]
                    for line in part.splitlines()
                ]
                parsed.append(Table(lines[0], lines[2:], caption=caption, words=len(lines[0])))
                caption = ""
            elif words.startswith("Table: "):
                caption = words.removeprefix("Table: ")
            elif words.startswith("[") and words.endswith("]"):
                parsed.append(drawings[words[1:-1]])
            elif words:
                parsed.append(Text(words))
        return parsed

    def choices(self, heading: str) -> list[tuple[str, str, str]]:
        """The same rows, of three cells each: what, in the paper, here. ValueError for another length."""
        return [(what, paper, here) for what, paper, here in self.rows(heading)]


def texts(name: str) -> Texts:
    """The prose of a study that comes with the package.

    Args:
        name: name of its file in this folder, without the suffix.

    Returns:
        The parts by heading.

    Raises:
        UsageError: there is no such file.

    Example:
        >>> parts = texts("red-at")
    """
    path = Path(__file__).parent / f"{name}.md"
    if not path.is_file():
        raise UsageError(
            "text",
            name,
            "the package has no texts of that name",
            "name a study; `dropcurve list studies` shows all",
            shown="value",
        )
    parts: dict[str, list[str]] = {}
    heading = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            heading = line[2:]
        else:
            parts.setdefault(heading, []).append(line)
    return Texts({key: "\n".join(lines).strip() for key, lines in parts.items()})
