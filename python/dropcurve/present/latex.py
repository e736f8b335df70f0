r"""A table as LaTeX, for papers: ``tabular`` with the rules of the package booktabs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import intervals
from .document import MetricTable, TableCell

#: Characters that LaTeX takes for commands, and signs of the tables that its fonts may lack.
SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$", "−": "$-$", "×": r"$\times$",
    "≠": r"$\neq$", "≤": r"$\leq$", "≥": r"$\geq$", "µ": r"$\mu$", "✓": r"\checkmark", "✗": r"$\times$",
    "→": r"$\rightarrow$", "–": "--",
}  # fmt: skip


def table(metric_table: MetricTable) -> str:
    """Returns a ``tabular`` with a row for each metric and a column for each variant.

    Args:
        metric_table: The table.
    """
    head = ["", "", *metric_table.labels.values()]
    rows = [[line.title, line.unit, *(_cell(cell) for cell in line.cells)] for line in metric_table.lines]
    return tabular("ll" + "r" * len(metric_table.labels), head, rows)


def tabular(letters: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a ``tabular``.

    Args:
        letters: How each column is aligned.
        heads: Heading of each column, as plain text.
        rows: Rows of plain text.
    """
    head, *body = (" & ".join(map(text, row)) + r" \\" for row in (heads, *rows))
    lines = [
        rf"\begin{{tabular}}{{{letters}}}",
        r"\toprule",
        head,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def text(words: str) -> str:
    """Returns text with LaTeX's special characters escaped."""
    return "".join(SPECIAL.get(letter, letter) for letter in words)


def _cell(cell: TableCell) -> str:
    flag = f" {cell.flag}" if cell.flag else ""
    return f"{intervals.interval(cell.mean, cell.half_width)}{flag}"
