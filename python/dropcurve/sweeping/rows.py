"""One run as one row: every metric in a column of its own."""

from __future__ import annotations

from typing import Any

from .. import metrics
from ..metrics import Flows, Run

#: Columns that say which run a row is; (scenario, seed, build) is its key.
KEY = ("scenario", "seed", "build")
#: What no metric looks at and takes half the room of a summary.
UNSEEN = ("conservation", "drop_curve", "sojourn_ms_histogram")

Row = dict[str, Any]
#: (scenario, seed): what a run is found by among those of one build.
Key = tuple[str, int]


def row(summary: Run, *, build: str) -> Row:
    """The run's key, its version, what stopped it, and its metrics: ``utilisation``, ``goodput_bps``, and
    where there are several classes or hops ``goodput_bps[tcp]``, ``utilisation[hop1]``.

    A metric that needs series (``sync``) is left out, as are those the run has no value for.
    """
    found: Row = {
        "scenario": summary["scenario"], "seed": summary["seed"], "build": build,
        "version": summary["version"], "stopped_by": summary["stopped_by"],
        "simulated_s": float(summary["simulated_s"]), "events": int(summary["events"]),
    }  # fmt: skip
    flows = {"": Flows(summary, summary["flows"])}
    names = metrics.classes(summary)
    if len(names) > 1:
        flows |= {
            name: Flows(summary, (one for one in summary["flows"] if one["class"] == name)) for name in names
        }
    links = metrics.main_links(summary)
    places: list[tuple[str, Any]]
    for one in metrics.METRICS.values():
        if one.per == "flow":
            places = [(scope, members) for scope, members in flows.items() if members]
        elif one.per == "link":
            places = [("", summary["links"][links[0]])] if links else []
            places += [(name, summary["links"][name]) for name in links] if len(links) > 1 else []
        else:
            reference = metrics.reference_class(summary)
            places = [(name, name) for name in names if reference is not None and name != reference]
        for scope, place in places:
            value = one.function(summary, place)
            if value is not None and value == value:
                found[f"{one.name}[{scope}]" if scope else one.name] = float(value)
    return found


def key(row: Row) -> Key:
    """The key of a row."""
    return str(row["scenario"]), int(row["seed"])
