r"""A table as LaTeX, for papers: ``tabular`` with the rules of the package booktabs."""

from __future__ import annotations

from . import intervals
from .document import MetricTable, TableCell

#: Characters that LaTeX takes for commands, and signs of the tables that its fonts may lack.
SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$", "−": "$-$", "×": r"$\times$",
    "≠": r"$\neq$", "≤": r"$\leq$", "≥": r"$\geq$", "µ": r"$\mu$", "✓": r"\checkmark", "✗": r"$\times$",
}  # fmt: skip


def table(metric_table: MetricTable) -> str:
    """Returns a ``tabular`` with a row for each metric and a column for each variant.

    Args:
        metric_table: The table.
    """
    head = " & ".join(["", "", *(text(label) for label in metric_table.labels.values())])
    rows = [
        " & ".join([text(line.title), text(line.unit), *(_cell(cell) for cell in line.cells)])
        for line in metric_table.lines
    ]
    body = "".join(f"{row} \\\\\n" for row in rows)
    columns = "ll" + "r" * len(metric_table.labels)
    return f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{head} \\\\\n\\midrule\n{body}\\bottomrule\n\\end{{tabular}}\n"


def text(words: str) -> str:
    """Returns text with LaTeX's special characters escaped."""
    return "".join(SPECIAL.get(letter, letter) for letter in words)


def _cell(cell: TableCell) -> str:
    flag = f" {cell.flag}" if cell.flag else ""
    return text(f"{intervals.interval(cell.mean, cell.half_width)}{flag}")
