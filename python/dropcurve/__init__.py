"""dropcurve: how should this queue drop or mark packets, and how do we know?

    import dropcurve as dc
    result = dc.compare("red-or-droptail.toml", queues=["droptail", "red:ns2"])
    print(result)

Everything is loaded on first use, so that the import itself is instant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .files.lazy import attributes

if TYPE_CHECKING:
    from . import metrics, plot, report, studies
    from .errors import DropcurveError, Problem, ResultError, ScenarioError, UsageError
    from .live.bottleneck import Bottleneck
    from .metrics import statistics
    from .results import Result, Variant
    from .results.series import Series
    from .results.tables import Cell, Difference, Row
    from .runs.comparison import compare
    from .runs.replicate import run
    from .runs.sweeping import Sweep, sweep
    from .runs.tracing import Trace, trace
    from .scenario import Scenario, plugins
    from .scenario.library import catalogue, scenarios, schema, version
    from .tuning import Answer, tune

__all__ = [
    "Answer",
    "Bottleneck",
    "Cell",
    "Difference",
    "DropcurveError",
    "Problem",
    "Result",
    "ResultError",
    "Row",
    "Scenario",
    "ScenarioError",
    "Series",
    "Sweep",
    "Trace",
    "UsageError",
    "Variant",
    "catalogue",
    "compare",
    "metrics",
    "plot",
    "plugins",
    "report",
    "run",
    "scenarios",
    "schema",
    "statistics",
    "studies",
    "sweep",
    "trace",
    "tune",
    "version",
]

#: Module of each public name; a name that is itself a module has its package, with a dot, or nothing.
_HOME = {
    "__version__": "files.package",
    "Answer": "tuning",
    "Bottleneck": "live.bottleneck",
    "Cell": "results.tables",
    "Difference": "results.tables",
    "DropcurveError": "errors",
    "Problem": "errors",
    "Result": "results",
    "ResultError": "errors",
    "Row": "results.tables",
    "Scenario": "scenario",
    "ScenarioError": "errors",
    "Series": "results.series",
    "Sweep": "runs.sweeping",
    "Trace": "runs.tracing",
    "UsageError": "errors",
    "Variant": "results",
    "catalogue": "scenario.library",
    "compare": "runs.comparison",
    "metrics": "",
    "plot": "",
    "plugins": "scenario.",
    "report": "",
    "run": "runs.replicate",
    "scenarios": "scenario.library",
    "schema": "scenario.library",
    "statistics": "metrics.",
    "studies": "",
    "sweep": "runs.sweeping",
    "trace": "runs.tracing",
    "tune": "tuning",
    "version": "scenario.library",
}


__getattr__ = attributes(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted(_HOME)
