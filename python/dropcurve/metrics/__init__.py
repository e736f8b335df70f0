"""Metrics: each a function of one run's summary, defined once, in one of the files of this folder.

``@metric`` registers it with its unit, the direction that is better, the source of its definition and
what it is taken of: a *link*, a set of *flows* (all, one class, one flow), or a *class* against TCP. The
function gets the summary of ``docs/results.md`` and its place and returns a float, or None where the run
has no such value. The table in ``docs/metrics.md`` is written by ``python -m validation.pages.metric_tables``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ..errors import UsageError, nearest
from . import flows, links, objects, voice  # noqa: F401 (importing them registers their metrics)
from .fairness import SCALE, friendliness_class
from .registry import METRICS, Metric, metric
from .run_parts import Flows, Run, by_class, classes, derived, main_links, measured_s, versus

__all__ = [
    "BY_CLASS", "METRICS", "SCALE", "Flows", "Metric", "Run", "by_class", "classes", "derived", "find",
    "friendliness_class", "main_links", "measured_s", "metric", "ordered", "places", "split", "value", "versus",
]  # fmt: skip

#: Metrics that a table of totals also shows for each class.
BY_CLASS = ("throughput_bps", "delay_ms_mean", "delay_ms_p95", "fct_ms_mean")


def find(name: str) -> Metric:
    """Returns a metric by name.

    Args:
        name: Its name, without a scope.

    Returns:
        The metric.

    Raises:
        UsageError: For an unknown name; the remedy is the nearest one.

    Example:
        >>> find("goodput_bps").unit
        'bit/s'
    """
    if name in METRICS:
        return METRICS[name]
    hint = nearest(name, METRICS, otherwise="`dropcurve list metrics` shows all")
    raise UsageError("metric", name, f"no metric is called '{name}'", hint, shown="rule")


def ordered() -> list[Metric]:
    """Returns all metrics in the order of tables: of the link, of the flows, of the shares of classes.

    Returns:
        The metrics.

    Example:
        >>> ordered()[0].per
        'link'
    """
    return sorted(METRICS.values(), key=lambda one: ("link", "flow", "class").index(one.per))


def split(key: str) -> tuple[str, str]:
    """Splits the key of a column into metric and scope.

    Args:
        key: The key, such as ``goodput_bps[tcp]``.

    Returns:
        Metric and scope; the scope is "" without brackets.

    Example:
        >>> split("goodput_bps[tcp]")
        ('goodput_bps', 'tcp')
    """
    name, _, rest = key.partition("[")
    return name, rest.removesuffix("]")


def value(run: Run | dict[str, Any], name: str, *, scope: str = "") -> float | None:
    """Returns one metric of one run.

    Args:
        run: Summary of a run.
        name: Name of the metric.
        scope: A link, a class or the number of a flow; "" for the first main link, or all flows.

    Returns:
        The value; None where the run has none (a discipline without an average, no TCP flow, an unknown link).

    Example:
        >>> value(run, "goodput_bps", scope="tcp")
    """
    run = cast(Run, run)
    metric = find(name)
    if metric.per == "link":
        links = main_links(run)
        link = run["links"].get(scope or (links[0] if links else ""))
        return None if link is None else _number(metric.function(run, link))
    if metric.per == "class":
        pairs = versus(run, by_class(run))
        pair = pairs.get(scope) if scope else next(iter(pairs.values()), None)
        return None if pair is None else _number(metric.function(run, pair))
    every = run["flows"]
    chosen = Flows(run, [flow for flow in every if _belongs(flow, scope)] if scope else every)
    return _number(metric.function(run, chosen)) if chosen else None


def places(run: Run, metric: Metric, *, per: str = "total", full: bool = False) -> Iterator[str]:
    """Yields the scopes at which a table shows a metric, "" first.

    A table of totals also shows each class, if there are several, for the metrics of `BY_CLASS`.

    Args:
        run: Summary of a run.
        metric: The metric.
        per: "total", "class" or "flow".
        full: Shows the classes of every metric.

    Returns:
        Scopes, as `value` takes them.

    Example:
        >>> list(places(run, find("goodput_bps")))
    """
    names = classes(run)
    if metric.per == "link":
        links = main_links(run)
        yield from [""] if len(links) < 2 else links
    elif metric.per == "class":
        yield from versus(run, by_class(run))
    elif per == "flow":
        yield from (str(flow["id"]) for flow in run["flows"])
    elif per == "class":
        yield from names
    else:
        yield ""
        if len(names) > 1 and (full or metric.name in BY_CLASS):
            yield from names


def _belongs(flow: Mapping[str, object], scope: str) -> bool:
    return flow["class"] == scope or str(flow["id"]) == scope


def _number(value: float | None) -> float | None:
    return None if value is None or value != value else float(value)
