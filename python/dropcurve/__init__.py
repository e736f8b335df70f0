"""dropcurve: how should this queue drop or mark packets, and how do we know?

    import dropcurve as dc
    result = dc.compare("red-or-droptail.toml", queues=["droptail", "red:ns2"])
    print(result)

Everything is loaded on first use, so that the import itself is instant.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import metrics, plot, report, statistics, studies
    from .comparison import compare
    from .errors import DropcurveError, Problem, ResultError, ScenarioError, UsageError
    from .library import catalogue, scenarios, schema, version
    from .replicate import run
    from .results import Result, Variant
    from .scenario import Scenario
    from .series import Series
    from .sweeping import Sweep, sweep
    from .tables import Cell, Difference, Row
    from .tracing import Trace, trace
    from .tuning import Answer, tune

__all__ = [
    "Answer",
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

#: Where each public name lives; names that are modules stand for themselves.
_HOME = {
    "Answer": "tuning",
    "Cell": "tables",
    "Difference": "tables",
    "DropcurveError": "errors",
    "Problem": "errors",
    "Result": "results",
    "ResultError": "errors",
    "Row": "tables",
    "Scenario": "scenario",
    "ScenarioError": "errors",
    "Series": "series",
    "Sweep": "sweeping",
    "Trace": "tracing",
    "UsageError": "errors",
    "Variant": "results",
    "catalogue": "library",
    "compare": "comparison",
    "metrics": "",
    "plot": "",
    "report": "",
    "run": "replicate",
    "scenarios": "library",
    "schema": "library",
    "statistics": "",
    "studies": "",
    "sweep": "sweeping",
    "trace": "tracing",
    "tune": "tuning",
    "version": "library",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'dropcurve' has no attribute '{name}'")
    home = _HOME[name]
    return getattr(import_module(f"{__name__}.{home}"), name) if home else import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
