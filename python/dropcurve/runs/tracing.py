"""Trace of every packet of one run: for comparing, debugging and teaching, not for statistics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dropcurve._core as _core

from ..errors import DropcurveError, UsageError, require, unwritable
from ..files import pcapng
from ..files.writing import draft, write_bytes
from ..metrics.summary import RunSummary
from ..quantities import wording
from ..quantities.arguments import checked
from ..results.series import Series
from ..scenario import Scenario
from . import capture, engine

if TYPE_CHECKING:
    import numpy as np
    import pandas  # type: ignore[import-untyped,unused-ignore]
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

#: Endings of the files that a trace is written to.
ENDINGS = (".csv", ".parquet", ".pcapng")
#: Headings of the rows as text.
HEADS = ("time (s)", "event", "flow", "segment", "bytes", "direction")
#: Rows of a trace that a notebook shows.
SHOWN_ROWS = 12


@dataclass(frozen=True, repr=False)
class Trace:
    """Rows by time, as columns of equal length.

    ``what`` numbers into ``words``: "send" and "receive" are of data, "acknowledge" leaves the destination and "acked"
    reaches the source, "drop" and "mark" happen on the path. ``seq`` is a segment, or for an acknowledgement the next
    segment expected. ``back`` is 1 for packets from destination to source.
    """

    words: tuple[str, ...]
    time_ns: Ints
    what: Ints
    flow: Ints
    seq: Ints
    size_bytes: Ints
    back: Ints
    summary: RunSummary
    series: Series

    def __len__(self) -> int:
        return len(self.time_ns)

    def __repr__(self) -> str:
        flows = wording.count(int(self.flow.max()) + 1 if len(self) else 0, "flow")
        end = self.time_ns[-1] / 1e9 if len(self) else 0.0
        return f"<Trace: {wording.count(len(self), 'row')} of {flows}, {end:g} s>"

    def _repr_html_(self) -> str:
        """The first rows as a table, for notebooks."""
        head = "".join(f"<th>{name}</th>" for name in HEADS)
        rows = "".join(
            "<tr>" + "".join(f"<td>{value}</td>" for value in row) + "</tr>" for row in self.first(SHOWN_ROWS)
        )
        return f"<p>{escape(repr(self)[1:-1])}</p><table><tr>{head}</tr>{rows}</table>"

    def first(self, most: int) -> Iterator[tuple[str, ...]]:
        """Yields the first rows as text.

        Args:
            most: Number of rows, at most.

        Returns:
            Time (s), event, flow, segment, size (bytes) and direction of each.

        Example:
            >>> print(*dropcurve.trace("mm1").first(3), sep="\n")
        """
        for at in range(min(most, len(self))):
            word = self.words[int(self.what[at])]
            way = "back" if self.back[at] else "forward"
            numbers = (str(int(column[at])) for column in (self.flow, self.seq, self.size_bytes))
            yield (f"{self.time_ns[at] / 1e9:.6f}", word, *numbers, way)

    def columns(self) -> dict[str, Any]:
        """Returns the columns by name as a data frame takes them, with ``what`` as words.

        Returns:
            Arrays of one length: ``time_ns``, ``what``, ``flow``, ``seq``, ``size_bytes`` and ``back``.

        Example:
            >>> dropcurve.trace("mm1").columns()["what"][:3]
        """
        import numpy as np

        return {
            "time_ns": self.time_ns,
            "what": np.array(self.words)[self.what],
            "flow": self.flow,
            "seq": self.seq,
            "size_bytes": self.size_bytes,
            "back": self.back.astype(bool),
        }

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a data frame with a row for each event. Needs pandas (the extra ``tables``).

        Returns:
            The columns of `columns`.

        Raises:
            DropcurveError: If pandas is not installed.

        Example:
            >>> dropcurve.trace("mm1").to_pandas().groupby("what").size()
        """
        require("pandas")
        import pandas

        return pandas.DataFrame(self.columns())

    @checked
    def write(self, path: str | Path) -> Path:
        """Writes the rows as CSV or Parquet, or the packets as a capture, by the ending of the path.

        A capture has three interfaces: the packets that tcpdump would see at the source, at the destination and at the
        queue (drops and marks); see `dropcurve.runs.capture`.

        Args:
            path: The file, ending in ``.csv``, ``.parquet`` (which need pyarrow) or ``.pcapng``.

        Returns:
            The path.

        Raises:
            UsageError: For another ending.
            DropcurveError: If the file cannot be written.

        Example:
            >>> dropcurve.trace("droptail_vs_red").write("trace.parquet")
            PosixPath('trace.parquet')
        """
        path = Path(path)
        if path.suffix not in ENDINGS:
            raise UsageError(
                "file",
                path,
                f"must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}",
                "choose one of these endings",
                shown="value",
            )
        try:
            if path.suffix == ".pcapng":
                write_bytes(
                    path,
                    pcapng.encode(capture.INTERFACES, capture.packets(self.columns(), self.summary["flows"])),
                )
            else:
                self._write_table(path)
        except OSError as error:
            raise DropcurveError.of([unwritable(path, error)]) from None
        return path

    def _write_table(self, path: Path) -> None:
        require("pyarrow")
        import pyarrow
        from pyarrow import csv, parquet

        writer = csv.write_csv if path.suffix == ".csv" else parquet.write_table
        with draft(path) as partial:
            writer(pyarrow.table(self.columns()), partial)

    def rows(self, *words: str) -> Ints:
        """Returns the positions of the rows of some events.

        Args:
            words: Events, such as ``drop``; see ``words`` of the trace.

        Returns:
            Positions in the columns, in order.

        Raises:
            ValueError: For an unknown event.

        Example:
            >>> trace = dropcurve.trace("droptail_vs_red")
            >>> trace.time_ns[trace.rows("drop", "mark")]
        """
        import numpy as np

        wanted = [self.words.index(word) for word in words]
        return np.flatnonzero(np.isin(self.what, wanted)).astype(np.int64)


@checked
def trace(scenario: Scenario | str | Path, *, seed: int = 1) -> Trace:
    """Runs a scenario once and records everything: a row for every event of every packet, series and summary.

    Args:
        scenario: A scenario, the path of its file, or the name of one that ships with dropcurve.
        seed: Seed of the run.

    Returns:
        The rows as columns of equal length, with the run's series and summary.

    Raises:
        DropcurveError: The scenario is refused.

    Example:
        >>> trace = dropcurve.trace("droptail_vs_red")
        >>> trace.words[trace.what[0]]
        'send'
    """
    import numpy as np

    loaded = scenario if isinstance(scenario, Scenario) else Scenario.load(scenario)
    (run,) = _core.run_many([(loaded.core, seed, "series")], 1, trace=True, **engine.options())
    words, (times, *rest) = run.trace()
    what, flow, seq, size, back = (np.frombuffer(column, dtype=np.uint32).astype(np.int64) for column in rest)
    return Trace(
        words=tuple(words),
        time_ns=np.frombuffer(times, dtype=np.uint64).astype(np.int64),
        what=what,
        flow=flow,
        seq=seq,
        size_bytes=size,
        back=back,
        summary=run.summary(),
        series=Series.from_curves(run.series()),
    )
