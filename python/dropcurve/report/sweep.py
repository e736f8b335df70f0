"""Content of the page of a sweep: the settings that matter most, figures, and the table of means."""

from __future__ import annotations

from typing import Any

from .. import metrics
from ..plot import style
from ..plot import sweep as figures
from ..quantities import wording
from ..runs.sweeping import Sweep, effects

#: Metrics of the figures: use of the link, delay, loss.
DRAWN = ("utilisation", "sojourn_ms_p95", "loss")
#: Most points in the table of the page.
MOST_ROWS = 200


def metric_runs(swept: Sweep, only: list[str] | None = None) -> list[figures.MetricRuns]:
    """The metrics to draw, with the value of every run; those without any value are left out.

    Raises UsageError for an unknown metric.
    """
    known = swept.columns
    wanted = [name for name in (only or DRAWN) if only or name in known]
    drawn = [figures.MetricRuns(name, swept.runs_of(name)) for name in wanted]
    return [one for one in drawn if any(run.value is not None for run in one.runs)]


def of(swept: Sweep) -> dict[str, Any]:
    """The data of the template, by the names it uses."""
    shown = swept.table(most=MOST_ROWS)
    count = wording.count(shown.points, "point")
    return {
        "title": swept.record["title"],
        "facts": [
            ("points", f"{shown.points}"),
            ("replications of each", f"{len(swept.seeds)}"),
            ("settings", ", ".join(swept.settings)),
            ("design", "every combination" if swept.record["grid"] else "sampled ranges"),
        ],
        "sentences": effects.sentences(swept.settings, {name: swept.runs_of(name) for name in shown.metrics}),
        "warnings": shown.doubts,
        "figures": _figures(swept),
        "settings": len(swept.settings),
        "heads": shown.heads,
        "rows": shown.rows,
        "hidden": f"The first {MOST_ROWS} of {count}." if shown.points > MOST_ROWS else "",
        "folder": str(swept.folder),
        "command": swept.record["command"],
        "version": swept.record["version"],
        "seeds": ", ".join(map(str, swept.seeds)),
        "definitions": [metrics.find(metrics.split(name)[0]) for name in shown.metrics],
    }


def _figures(swept: Sweep) -> list[dict[str, Any]]:
    """Each figure drawn for a page and for a phone."""
    from markupsafe import Markup

    drawn = metric_runs(swept)
    figures_of = []
    for kind in figures.available(swept.settings, drawn) if drawn else ():
        title, see = figures.KINDS[kind]
        drawings = {}
        for name, width in (("wide", "page"), ("narrow", "column")):
            with style.styled(text_as_text=True):
                svg = style.to_bytes(figures.draw(kind, swept.settings, drawn, width=width), format="svg")
            prefix = f"{kind.replace('_', '-')}-{width}"
            drawings[name] = Markup(style.embeddable(svg, prefix=prefix, label=f"{title}. {see}"))
        figures_of.append({"name": kind, "title": title, "see": see, **drawings})
    return figures_of
