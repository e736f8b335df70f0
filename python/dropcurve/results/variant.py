"""One scenario of a result, with its runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .. import metrics
from ..metrics.summary import RunSummary
from ..quantities import wording
from ..scenario import toml
from .series import Series

#: Name of a variant that is the scenario itself, next to one with another queue.
AS_GIVEN = "as given"


@dataclass(frozen=True, repr=False)
class Variant:
    """One scenario of a result, with its runs.

    ``scenario`` is resolved: every default written out. ``automatic`` has by link the resolved value of each automatic
    parameter of its discipline. ``runs`` are summaries (``docs/results.md``), in the order of the result's seeds.
    ``series`` are those of the first replication.
    """

    name: str
    scenario: dict[str, Any]
    runs: list[RunSummary]
    series: Series = field(default_factory=Series, repr=False)
    hash: str = ""
    automatic: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Variant {self.name}: {wording.count(len(self.runs), 'run')}, {self.hash}>"

    @property
    def toml(self) -> str:
        """The scenario as a file to run, every default written out."""
        return toml.dump(self.scenario)

    def values(self, metric: str, *, scope: str = "") -> list[float | None]:
        """Returns the values of a metric, one for each run.

        Args:
            metric: Name of the metric.
            scope: A link, a class or a flow number; "" for the main link or all flows together.

        Returns:
            The values in the order of the seeds; None where a run has none.

        Raises:
            UsageError: For an unknown metric.

        Example:
            >>> dropcurve.run("mm1").baseline.values("utilisation")
        """
        return [metrics.value(run, metric, scope=scope) for run in self.runs]
