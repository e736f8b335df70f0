"""Sampled series of a run over time. Units are in the names (``queue_pkts``, ``time_s``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Series:
    """Curves by (series, component), such as ``("queue_pkts", "bottleneck")`` or ``("cwnd", "3")``.

    Each curve is a pair of float64 arrays of equal length, time in seconds and value; a gap is NaN.
    """

    curves: Mapping[tuple[str, str], tuple[Floats, Floats]] = field(default_factory=dict)

    @classmethod
    def from_curves(cls, curves: Iterable[tuple[str, str, bytes, bytes]]) -> Series:
        """Returns series from curves as the core has them.

        Args:
            curves: For each curve its series, its component, and times (s) and values as bytes of native float64.

        Returns:
            The series.

        Example:
            >>> Series.from_curves([("queue_pkts", "bottleneck", times.tobytes(), values.tobytes())])
        """
        import numpy as np

        return cls(
            {
                (name, component): (
                    np.frombuffer(times, dtype=np.float64),
                    np.frombuffer(values, dtype=np.float64),
                )
                for name, component, times, values in curves
            }
        )

    @classmethod
    def from_columns(
        cls, *, series: Iterable[str], component: Iterable[str], time_s: Floats, value: Floats
    ) -> Series:
        """Returns series from long columns, as in ``series.parquet``: rows of one curve need not be adjacent.

        Args:
            series: Name of the series, for each row.
            component: Link or flow, for each row.
            time_s: Time in seconds, for each row.
            value: Value, for each row.

        Returns:
            The series.

        Example:
            >>> Series.from_columns(series=names, component=links, time_s=times, value=values)
        """
        import numpy as np

        rows: dict[tuple[str, str], list[int]] = {}
        for row, key in enumerate(zip(series, component, strict=True)):
            rows.setdefault(key, []).append(row)
        index = {key: np.asarray(places, dtype=np.intp) for key, places in rows.items()}
        return cls({key: (time_s[places], value[places]) for key, places in index.items()})

    def __bool__(self) -> bool:
        return bool(self.curves)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.curves)

    def has(self, series: str, component: str) -> bool:
        """Returns whether there is such a curve.

        Args:
            series: Name of the series, such as ``queue_pkts``.
            component: Link or flow.

        Returns:
            Whether it was recorded.

        Example:
            >>> dropcurve.run("mm1").baseline.series.has("queue_pkts", "bottleneck")
            True
        """
        return (series, component) in self.curves

    def select(self, series: str, component: str) -> tuple[Floats, Floats]:
        """Returns one curve.

        Args:
            series: Name of the series, such as ``queue_pkts``.
            component: Link or flow.

        Returns:
            Times (s) and values; two empty arrays if there is no such curve.

        Example:
            >>> time_s, packets = result.baseline.series.select("queue_pkts", "bottleneck")
        """
        import numpy as np

        empty = np.empty(0)
        return self.curves.get((series, component), (empty, empty))

    def components(self, series: str) -> list[str]:
        """Returns the components that have a series.

        Args:
            series: Name of the series.

        Returns:
            Links or flows, in the order recorded.

        Example:
            >>> result.baseline.series.components("cwnd")
        """
        return [component for name, component in self.curves if name == series]

    @property
    def names(self) -> list[str]:
        """Names of the series, each once, in the order recorded."""
        return list(dict.fromkeys(name for name, _ in self.curves))

    @property
    def series(self) -> list[str]:
        """Long column: the name of the series for each row."""
        return [name for (name, _), (times, _) in self.curves.items() for _ in range(len(times))]

    @property
    def component(self) -> list[str]:
        """Long column: link or flow number, for each row."""
        return [component for (_, component), (times, _) in self.curves.items() for _ in range(len(times))]

    @property
    def time_s(self) -> Floats:
        """Long column: seconds from the start of the run."""
        return self._long(0)

    @property
    def value(self) -> Floats:
        """Long column: the value, in the unit the series' name ends in."""
        return self._long(1)

    def _long(self, which: int) -> Floats:
        import numpy as np

        parts = [pair[which] for pair in self.curves.values()]
        return np.concatenate(parts) if parts else np.empty(0)
