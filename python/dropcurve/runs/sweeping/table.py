"""A stored sweep: its points and runs, queried with SQL or passed to other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import metrics
from ...errors import ResultError, require
from ...files import checksums
from ...files.columns import check_columns
from ...files.stored import check, load_json
from ...metrics import statistics
from ...metrics.main_effects import RunValue
from ...present import markdown, text_table
from ...present.visible import visible
from ...quantities import wording
from ...quantities.arguments import checked
from . import database, effects
from .means import MOST, SHOWN, MeansTable, means_table
from .run_files import KEYS, UNREADABLE
from .run_table import RunTable

if TYPE_CHECKING:
    import duckdb
    import pandas  # type: ignore[import-untyped,unused-ignore]
    import polars
    import xarray

#: Version of the folder's layout.
FORMAT = 1
#: Types of the values in ``sweep.json``.
RECORD = {
    "format": int, "version": str, "build": str, "title": str, "command": str, "seeds": [int], "settings": [str],
    "grid": bool, "store": str, "scenario": dict,
}  # fmt: skip
REMEDY = "run the sweep again"


@dataclass(frozen=True, repr=False)
class Sweep:
    """The folder of a sweep, as `dropcurve.sweep` wrote it.

    Files are read on demand, and of a large table only the columns that are needed: `query` runs SQL over the Parquet
    files where they lie. The views are ``runs`` (a row for each point and seed: what was set, then every metric in a
    column) and ``points``.
    """

    folder: Path
    record: dict[str, Any] = field(repr=False)

    @classmethod
    @checked
    def load(cls, folder: str | Path, *, store: str | Path | None = None) -> Sweep:
        """Opens a folder, which may come from a stranger: nothing in it is trusted.

        Args:
            folder: As `dropcurve.sweep` wrote it.
            store: Where its runs are, if they are outside of the folder.

        Returns:
            The sweep; rows are read when they are asked for.

        Raises:
            ResultError: If it holds no sweep, one of another format or one whose files are damaged, or if its runs
                are outside of the folder and ``store`` is not given.

        Example:
            >>> dropcurve.Sweep.load("plane").means(["loss"])
        """
        folder = Path(folder)
        if not (folder / "sweep.json").exists():
            raise ResultError(
                "folder",
                folder,
                "holds no sweep: no sweep.json in it",
                "name a folder that `dropcurve sweep` wrote",
                shown="value",
            )
        record = load_json(folder / "sweep.json", dict, remedy=REMEDY)
        if record.get("format") != FORMAT:
            raise ResultError(
                folder,
                f"format {record.get('format')}",
                f"has format {str(record.get('format'))[:20]}, this version reads {FORMAT}",
                REMEDY,
                shown="path",
            )
        check(folder / "sweep.json", record, RECORD, remedy=REMEDY)
        for fault in checksums.faults(folder, only=("sweep.json", "points.parquet")):
            raise ResultError(fault.path, fault.what, fault.what, REMEDY, shown="path")
        set_ = dict.fromkeys(record["settings"], "any")
        check_columns(
            folder / "points.parquet", {**set_, "point": "integer", "scenario": "text"}, remedy=REMEDY
        )
        if "\0" in record["store"]:
            raise ResultError(
                folder / "sweep.json", "store", "is damaged: store is not a path", REMEDY, shown="path"
            )
        swept = cls(folder, record | ({} if store is None else {"store": str(Path(store).resolve())}))
        if store is None and not swept.store.folder.resolve().is_relative_to(folder.resolve()):
            raise ResultError(
                folder,
                record["store"],
                f"its runs are in another folder, {record['store'][:200]!r}",
                "name that folder with --store (from Python store=) if it is yours",
                shown="path",
            )
        return swept

    @property
    def settings(self) -> list[str]:
        """The columns of the varied settings, ``queue`` first if there are several."""
        return list(self.record["settings"])

    @property
    def seeds(self) -> list[int]:
        """The seed of each replication."""
        return list(self.record["seeds"])

    @cached_property
    def columns(self) -> frozenset[str]:
        """The columns of the view ``runs``."""
        return frozenset(row[0] for row in database.rows(self.query("DESCRIBE runs")))

    @property
    def store(self) -> RunTable:
        """The table of the runs."""
        return RunTable(self.folder / self.record["store"], self.record["build"])

    @checked
    def query(self, sql: str, *, unsafe: bool = False) -> duckdb.DuckDBPyRelation:
        """Runs SQL over the table.

        Args:
            sql: One statement over ``runs`` and ``points``.
            unsafe: Takes any statement, and lets it reach files, extensions and the configuration.

        Returns:
            DuckDB's relation, which has ``.df()``, ``.pl()``, ``.arrow()`` too.

        Raises:
            UsageError: With DuckDB's message for SQL it does not take, or if it does more than read the sweep.
            ResultError: If there are no runs, or their files are damaged.

        Example:
            >>> sweep.query("select queue, avg(loss) from runs group by all").fetchall()
        """
        connection = self._connect(unsafe=True) if unsafe else self._database
        return database.ask(connection, sql, unsafe=unsafe)

    @cached_property
    def _database(self) -> duckdb.DuckDBPyConnection:
        return self._connect()

    def _connect(self, *, unsafe: bool = False) -> duckdb.DuckDBPyConnection:
        files = self.store.files()
        if not files:
            raise ResultError(
                "folder", self.store.folder, "has no runs", "run the sweep again to make them", shown="value"
            )
        for path in files:
            check_columns(path, KEYS, remedy=UNREADABLE)
        points = self.folder / "points.parquet"
        return database.connect(points, files, build=self.record["build"], seeds=self.seeds, unsafe=unsafe)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a data frame with a row for each run. Needs pandas (the extra ``tables``).

        Returns:
            The settings, the seed and every metric as columns.

        Raises:
            DropcurveError: If pandas is not installed.

        Example:
            >>> dropcurve.Sweep.load("plane").to_pandas()
        """
        require("pandas")
        frame: pandas.DataFrame = self.query("SELECT * FROM runs").df()
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Returns a data frame with a row for each run. Needs polars (the extra ``tables``).

        Returns:
            The settings, the seed and every metric as columns.

        Raises:
            DropcurveError: If polars is not installed.

        Example:
            >>> dropcurve.Sweep.load("plane").to_polars()
        """
        require("polars")
        frame: polars.DataFrame = self.query("SELECT * FROM runs").pl()
        return frame

    def to_xarray(self) -> xarray.Dataset:
        """Returns every metric as an array. Needs xarray and pandas (the extra ``tables``).

        Returns:
            A data set with one dimension for each setting of a grid, or ``point`` for a sample, and ``seed``; units are
            in the attributes.

        Raises:
            DropcurveError: If xarray is not installed.

        Example:
            >>> dropcurve.Sweep.load("plane").to_xarray()["loss"].mean("seed")
        """
        require("xarray")
        frame = self.to_pandas()
        index = [*(self.settings if self.record["grid"] else ["point"]), "seed"]
        kept = [name for name in frame.columns if metrics.split(name)[0] in metrics.METRICS]
        extra = [] if self.record["grid"] else self.settings
        dataset: xarray.Dataset = frame.set_index(index)[kept].to_xarray()
        for name in kept:
            one = metrics.METRICS[metrics.split(name)[0]]
            dataset[name].attrs.update({"units": one.unit or "1", "long_name": one.title})
        if extra:
            first = frame.drop_duplicates("point").set_index("point")
            dataset = dataset.assign_coords({name: ("point", first[name].to_numpy()) for name in extra})
        return dataset

    def means(self, only: Sequence[str] = ()) -> list[dict[str, Any]]:
        """Returns the means over the seeds, a row for each point.

        Args:
            only: Names of metrics (default: those of the table).

        Returns:
            Rows with the point's settings by name, and each metric as an `Interval` of mean, half-width and number.

        Raises:
            UsageError: For an unknown metric.

        Example:
            >>> dropcurve.Sweep.load("plane").means(["loss"])[0]["loss"].mean
        """
        for name in only:
            metrics.find(metrics.split(name)[0])
        wanted = [name for name in (only or SHOWN) if name in self.columns]
        columns = ", ".join(f"list({database.identifier(name)} ORDER BY seed)" for name in wanted)
        keys = ", ".join(map(database.identifier, ("point", *self.settings)))
        rows = database.rows(
            self.query(
                f"SELECT {keys}{', ' if columns else ''}{columns} FROM runs GROUP BY ALL ORDER BY point"
            )
        )
        names = ["point", *self.settings]
        return [
            dict(zip(names, row, strict=False))
            | {
                name: statistics.t_interval(cell)
                for name, cell in zip(wanted, row[len(names) :], strict=True)
            }
            for row in rows
        ]

    def runs_of(self, metric: str) -> list[RunValue]:
        """Returns the value of one metric in every run; for `dropcurve.metrics.main_effects`.

        Args:
            metric: Name of the metric.

        Returns:
            Settings, seed and value of each run.

        Raises:
            UsageError: For an unknown metric.

        Example:
            >>> metrics.main_effects(sweep.runs_of("loss"))
        """
        metrics.find(metrics.split(metric)[0])
        columns = ", ".join(map(database.identifier, (*self.settings, "seed", metric)))
        rows = database.rows(self.query(f"SELECT {columns} FROM runs ORDER BY point, seed"))
        return [RunValue(dict(zip(self.settings, row, strict=False)), int(row[-2]), row[-1]) for row in rows]

    def __repr__(self) -> str:
        count = wording.count(len(self.seeds), "replication")
        return f"<Sweep {self.folder}: {', '.join(self.settings)}; {count}>"

    @checked
    def table(self, *, only: Sequence[str] = (), most: int | None = None) -> MeansTable:
        """Returns the means of the points with their 95 % intervals as text.

        Args:
            only: Names of metrics (default: those of `means`).
            most: Number of points at most (default: all).

        Returns:
            The table.

        Raises:
            UsageError: For an unknown metric.

        Example:
            >>> dropcurve.Sweep.load("plane").table(only=["loss"]).heads
        """
        return means_table(self.settings, self.means(only), replications=len(self.seeds), most=most)

    @checked
    def to_text(self, *, only: Sequence[str] = (), most: int = MOST) -> str:
        """Returns the answer as text: title, means, the largest effects, warnings and a hint on further points.

        Args:
            only: As for `table`.
            most: As for `table`.

        Returns:
            The text.

        Raises:
            UsageError: For an unknown metric.

        Example:
            >>> print(dropcurve.Sweep.load("plane").to_text(only=["loss"]))
        """
        shown = self.table(only=only, most=most)
        sentences = effects.sentences(self.settings, {name: self.runs_of(name) for name in shown.metrics})
        parts = [*self._heading(shown), "", text_table.aligned(shown.texts), "", *sentences]
        parts += [f"\nWarning: {line}" for line in shown.doubts]
        if shown.points > most:
            parts += [
                "",
                f"The first {most} of {shown.points} points; `dropcurve query {self.folder} SQL` asks for others.",
            ]
        return "\n".join(parts)

    @checked
    def to_markdown(self, *, only: Sequence[str] = ()) -> str:
        """Returns title, means and warnings as Markdown.

        Args:
            only: As for `table`.

        Returns:
            The text.

        Raises:
            UsageError: For an unknown metric.

        Example:
            >>> Path("sweep.md").write_text(dropcurve.Sweep.load("plane").to_markdown())
        """
        shown = self.table(only=only)
        title, runs = self._heading(shown)
        doubts = [f"- Warning: {markdown.escaped(line)}" for line in shown.doubts]
        parts = [
            f"## {markdown.escaped(title)}",
            runs,
            text_table.as_markdown(shown.texts),
            "\n".join(doubts),
        ]
        return visible("\n\n".join(part for part in parts if part), lines=True) + "\n"

    @checked
    def to_latex(self, *, only: Sequence[str] = ()) -> str:
        r"""Returns the means as LaTeX, for a paper: a ``tabular`` with the rules of the package booktabs.

        Args:
            only: As for `table`.

        Returns:
            The text.

        Raises:
            UsageError: For an unknown metric.

        Example:
            >>> Path("sweep.tex").write_text(dropcurve.Sweep.load("plane").to_latex(only=["loss"]))
        """
        return text_table.as_latex(self.table(only=only).texts)

    def _heading(self, shown: MeansTable) -> tuple[str, str]:
        """The title, and how many runs there are."""
        count, seeds = wording.count(shown.points, "point"), wording.count(len(self.seeds), "replication")
        return self.record["title"], f"{count}, {seeds} each, 95 % intervals"

    def _repr_html_(self) -> str:
        """The table of means, for notebooks."""
        shown = self.table(most=MOST)
        title, runs = self._heading(shown)
        notes = "".join(f"<p>Warning: {escape(line)}</p>" for line in shown.doubts)
        return f"<p>{escape(title)}: {escape(runs)}</p>{text_table.as_html(shown.texts)}{notes}"

    def __str__(self) -> str:
        return self.to_text()
