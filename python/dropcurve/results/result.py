"""A result: its scenario, seeds and version, its runs, and the tables and verdict computed from them.

``docs/results.md`` describes the folder that stores it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import require
from ..present import html, latex, markdown, terminal
from ..present.document import Document
from ..quantities import wording
from ..quantities.arguments import checked
from ..verdict import Exchange, Weights
from . import document as documents
from . import findings, folders
from .measurements import Measurements
from .tables import Cell

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped,unused-ignore]


@dataclass(frozen=True, repr=False)
class Result(Measurements):
    """Result of `run` and `compare`; `Measurements` has its fields."""

    def verdict(self) -> list[str]:
        """Returns sentences on the significant differences, or for a single variant on its findings.

        Returns:
            The sentences.

        Example:
            >>> dropcurve.compare("droptail_vs_red", queues=["droptail", "codel"]).verdict()
        """
        return findings.sentences(self)

    @cached_property
    def summary(self) -> Mapping[str, Cell]:
        """Metric name to cell (mean, half_width, n) of the baseline."""
        return {row.key: row.cells[0] for row in self.table()}

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the table as a data frame. Needs pandas (the extra ``tables``).

        Returns:
            One row per metric and variant: ``metric``, ``scope``, ``unit``, ``variant``, ``mean``, ``half_width``
            (95 %) and ``n``.

        Raises:
            DropcurveError: If pandas is not installed.

        Example:
            >>> result.to_pandas().query("metric == 'sojourn_ms_mean'")
        """
        require("pandas")
        import pandas  # type: ignore[import-untyped,unused-ignore]

        return pandas.DataFrame([
            {"metric": row.metric, "scope": row.scope, "unit": row.unit, "variant": variant.name,
             "mean": cell.mean, "half_width": cell.half_width, "n": cell.n}
            for row in self.table()
            for variant, cell in zip(self.variants, row.cells, strict=True)
        ])  # fmt: skip

    @checked
    def save(self, folder: str | Path) -> Path:
        """Writes the folder of ``docs/results.md``, without figures and page.

        Args:
            folder: The folder; it is created if it is missing.

        Returns:
            Its path.

        Raises:
            ResultError: If a file cannot be written.

        Example:
            >>> dropcurve.run("mm1").save("out")
        """
        return folders.save(self, Path(folder))

    @classmethod
    @checked
    def load(cls, folder: str | Path) -> Result:
        """Reads a folder written by `save`.

        Args:
            folder: The folder.

        Returns:
            The result.

        Raises:
            ResultError: If it is missing, damaged or of another format version.

        Example:
            >>> dropcurve.Result.load("out").table()
        """
        return folders.load(Path(folder), cls)

    def document(
        self,
        *,
        per: str = "total",
        only: Sequence[str] = (),
        exchange: Exchange | None = None,
        seconds: float | None = None,
        weights: Weights | None = None,
    ) -> Document:
        """Returns its document, for the renderers of `dropcurve.present`.

        Args:
            per: As for `table`.
            only: As for `table`.
            exchange: Between delay and utilisation, for the verdict.
            seconds: Time that one more replication takes.
            weights: Weights of a goal, for the verdict.

        Returns:
            Headings, sentences and the table as data.

        Example:
            >>> dropcurve.present.terminal.render(result.document())
        """
        return documents.document(
            self, per=per, only=only, exchange=exchange, seconds=seconds, weights=weights
        )

    def to_markdown(self) -> str:
        """Returns the answer as Markdown.

        Returns:
            The text.

        Example:
            >>> Path("answer.md").write_text(result.to_markdown())
        """
        return markdown.render(self.document())

    def to_latex(self, *, per: str = "total", only: Sequence[str] = ()) -> str:
        r"""Returns the table as LaTeX, for a paper: a ``tabular`` with the rules of the package booktabs.

        Args:
            per: As for `table`.
            only: As for `table`.

        Returns:
            The text.

        Example:
            >>> Path("table.tex").write_text(result.to_latex(only=["utilisation", "loss"]))
        """
        return latex.table(self.document(per=per, only=only).table)

    def __repr__(self) -> str:
        names = ", ".join(variant.name for variant in self.variants)
        return f"<Result {self.name}: {names}; {wording.count(len(self.seeds), 'replication')}>"

    def __str__(self) -> str:
        return terminal.render(self.document())

    def _repr_html_(self) -> str:
        return html.render(self.document())
