"""Content of the page of a sweep: the settings that matter most, figures, and the table of means."""

from __future__ import annotations

from typing import Any

from .. import metrics
from ..plot import style
from ..plot import sweep as figures
from ..quantities import wording
from ..runs.sweeping import Sweep, effects, table

#: Metrics of the figures: use of the link, delay, loss.
DRAWN = ("utilisation", "sojourn_ms_p95", "loss")
#: Most points in the table of the page.
MOST_ROWS = 200


def metric_runs(found: Sweep, only: list[str] | None = None) -> list[figures.MetricRuns]:
    """The metrics to draw, with the value of every run; those without any value are left out.

    Raises UsageError for a name that is no metric.
    """
    known = found.columns
    wanted = [name for name in (only or DRAWN) if only or name in known]
    drawn = [figures.MetricRuns(name, found.runs_of(name)) for name in wanted]
    return [one for one in drawn if any(run.value is not None for run in one.runs)]


def of(found: Sweep) -> dict[str, Any]:
    """The data of the template, by the names it uses."""
    shown = table.means_table(found, most=MOST_ROWS)
    count = wording.count(shown.points, "point")
    return {
        "title": found.record["title"],
        "facts": [
            ("points", f"{shown.points}"),
            ("replications of each", f"{len(found.seeds)}"),
            ("settings", ", ".join(found.settings)),
            ("design", "every combination" if found.record["grid"] else "sampled ranges"),
        ],
        "sentences": effects.sentences(found.settings, {name: found.runs_of(name) for name in shown.metrics}),
        "warnings": shown.doubts,
        "figures": _figures(found),
        "settings": len(found.settings),
        "heads": shown.heads,
        "rows": shown.rows,
        "hidden": f"The first {MOST_ROWS} of {count}." if shown.points > MOST_ROWS else "",
        "folder": str(found.folder),
        "command": found.record["command"],
        "version": found.record["version"],
        "seeds": ", ".join(map(str, found.seeds)),
        "definitions": [metrics.find(metrics.split(name)[0]) for name in shown.metrics],
    }


def _figures(found: Sweep) -> list[dict[str, Any]]:
    """Each figure drawn for a page and for a phone."""
    from markupsafe import Markup

    drawn = metric_runs(found)
    made = []
    for kind in figures.available(found.settings, drawn) if drawn else ():
        title, see = figures.KINDS[kind]
        drawings = {}
        for name, width in (("wide", "page"), ("narrow", "column")):
            with style.styled(text_as_text=True):
                svg = style.to_bytes(figures.draw(kind, found.settings, drawn, width=width), format="svg")
            prefix = f"{kind.replace('_', '-')}-{width}"
            drawings[name] = Markup(style.embeddable(svg, prefix=prefix, label=f"{title}. {see}"))
        made.append({"name": kind, "title": title, "see": see, **drawings})
    return made
