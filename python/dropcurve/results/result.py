"""A result: scenario, seeds and version it came from, its runs, and the answers drawn from them.

The folder it is kept in is described in ``docs/results.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..present import html, markdown, terminal
from .series import Series

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped,unused-ignore]

    from ..present import Document
    from ..verdict import Exchange
    from .tables import Cell, Difference, Row

#: Version of the folder's layout; a folder of another version is refused, not guessed at.
FORMAT = 1


@dataclass(frozen=True)
class Variant:
    """One scenario of a result, with its runs.

    ``scenario`` is resolved: every default written out. ``automatic`` says by link what each automatic
    parameter of its discipline became. ``runs`` are summaries (``docs/results.md``), in the order of the
    result's seeds. ``series`` are those of the first replication.
    """

    name: str
    scenario: dict[str, Any]
    runs: list[dict[str, Any]]
    series: Series = field(default_factory=Series, repr=False)
    hash: str = ""
    automatic: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def toml(self) -> str:
        """The scenario as a file to run, every default written out."""
        from ..scenario import toml

        return toml.dump(self.scenario)

    def values(self, metric: str, *, scope: str = "") -> list[float | None]:
        """One value for each run; a gap is None. ``scope`` is a link, a class or a flow number, or "" for
        the main link or all flows together."""
        from .. import metrics

        return [metrics.value(run, metric, scope=scope) for run in self.runs]


@dataclass(frozen=True)
class Result:
    """What `run` and `compare` answer with. The first variant is the baseline.

    Every variant has one run for each of ``seeds``, in their order. ``precision`` is None unless it
    decided how many. ``warnings`` ask for care in reading; ``problems`` say that a run is not what was
    asked for. ``build`` names the core that ran; ``reused`` counts runs that were found in the folder.
    """

    name: str
    variants: list[Variant]
    seeds: list[int]
    version: str
    command: str = ""
    title: str = ""
    confidence: float = 0.95
    precision: float | None = None
    warnings: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    build: str = ""
    reused: int = field(default=0, compare=False)

    @property
    def level(self) -> float:
        """The level intervals are computed at: ``confidence``, or more if it decided when to stop."""
        from ..metrics import statistics

        return self.confidence if self.precision is None else statistics.level_when_stopping(self.confidence)

    @property
    def baseline(self) -> Variant:
        """The variant the others are compared with."""
        return self.variants[0]

    def table(self, *, per: str = "total", only: Sequence[str] = ()) -> list[Row]:
        """Rows of (metric, unit, a cell per variant with mean, half_width, n).

        ``per`` is "total" (links, all flows, and classes if there are several), "class" or "flow";
        ``only`` names metrics instead of those shown unasked. Raises UsageError for an unknown name.
        """
        from . import tables

        return list(self._rows) if per == "total" and not only else tables.rows(self, per=per, only=only)

    def differences(self, *, per: str = "total", only: Sequence[str] = ()) -> list[Difference]:
        """Paired differences of each other variant from the baseline, Holm-corrected over the whole list."""
        from . import tables

        if per == "total" and not only:
            return list(self._differences)
        return tables.differences(self, per=per, only=only)

    @cached_property
    def _rows(self) -> list[Row]:
        from . import tables

        return tables.rows(self)

    @cached_property
    def _differences(self) -> list[Difference]:
        from . import tables

        return tables.differences(self)

    def verdict(self) -> list[str]:
        """Sentences: which differences are real, or for a single variant what was found."""
        from . import findings

        return findings.sentences(self)

    @cached_property
    def summary(self) -> Mapping[str, Cell]:
        """Metric name to cell (mean, half_width, n) of the baseline."""
        return {row.key: row.cells[0] for row in self.table()}

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a data frame, one row per metric and variant. Needs pandas (an extra)."""
        import pandas  # type: ignore[import-untyped,unused-ignore]

        return pandas.DataFrame([
            {"metric": row.metric, "scope": row.scope, "unit": row.unit, "variant": variant.name,
             "mean": cell.mean, "half_width": cell.half_width, "n": cell.n}
            for row in self.table()
            for variant, cell in zip(self.variants, row.cells, strict=True)
        ])  # fmt: skip

    def save(self, folder: str | Path) -> Path:
        """Writes the folder of ``docs/results.md`` (without figures and page) and returns its path."""
        from . import folders

        return folders.save(self, Path(folder))

    @classmethod
    def load(cls, folder: str | Path) -> Result:
        """Reads a folder written by `save`.

        Raises ResultError if it is missing, damaged or of another format version.
        """
        from . import folders

        return folders.load(Path(folder))

    def document(
        self,
        *,
        per: str = "total",
        only: Sequence[str] = (),
        exchange: Exchange | None = None,
        seconds: float | None = None,
    ) -> Document:
        """Its document, for the renderers of `dropcurve.present`.

        ``per`` and ``only`` are those of `table`; ``exchange`` is the verdict's rate between delay and utilisation,
        ``seconds`` the time that one more replication takes.
        """
        from .document import document

        return document(self, per=per, only=only, exchange=exchange, seconds=seconds)

    def to_markdown(self) -> str:
        """The answer as Markdown."""
        return markdown.render(self.document())

    def __str__(self) -> str:
        return terminal.render(self.document())

    def _repr_html_(self) -> str:
        return html.render(self.document())
