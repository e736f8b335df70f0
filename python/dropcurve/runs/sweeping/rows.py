"""One run as one row: every metric in a column of its own."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from ... import metrics
from ...metrics import Flows, Run

#: Columns that identify the run of a row; (scenario, seed, build) is its key.
KEY = ("scenario", "seed", "build")
#: Parts of a summary that no metric uses and that are half its size.
UNSEEN = (
    "conservation", "links.*.drop_curve", "links.*.sojourn_ms_histogram", "links.*.dropped_ms", "links.*.left_ms",
)  # fmt: skip

#: Each metric: its name, its function, and its scope, a key of `_places`.
_METRICS = [(one.name, one.function, one.of or one.per) for one in metrics.METRICS.values()]
#: The parts of flows that some metrics are about.
_PARTS = {one.of for one in metrics.METRICS.values() if one.of}

Row = dict[str, Any]
#: (scenario, seed), the key of a run among those of one build.
Key = tuple[str, int]


def row(summary: Run, *, build: str) -> Row:
    """The run's key, its version, what stopped it, and its metrics: ``utilisation``, ``goodput_bps``, and
    where there are several classes or hops ``goodput_bps[tcp]``, ``utilisation[hop1]``.

    A metric that needs series (``sync``) is left out, as are those the run has no value for.
    """
    values: Row = {
        "scenario": summary["scenario"], "seed": summary["seed"], "build": build,
        "version": summary["version"], "stopped_by": summary["stopped_by"],
        "simulated_s": float(summary["simulated_s"]), "events": int(summary["events"]),
    }  # fmt: skip
    places = _places(summary)
    for name, function, of in _METRICS:
        for scope, place in places.get(of, ()):
            value = function(summary, place)
            if value is not None and value == value:
                values[f"{name}[{scope}]" if scope else name] = float(value)
    return values


def _places(summary: Run) -> dict[str, list[tuple[str, Any]]]:
    """Places at which the metrics of links, flows and classes are taken, by name in brackets; for metrics of a part of
    flows those that have it."""
    classes, links = metrics.by_class(summary), metrics.main_links(summary)
    whole = Flows(summary, summary["flows"])
    flows = [("", whole), *(classes.items() if len(classes) > 1 else ())] if whole else []
    return {
        "flow": flows,
        "link": [
            *(("", summary["links"][name]) for name in links[:1]),
            *((name, summary["links"][name]) for name in links if len(links) > 1),
        ],
        "class": list(metrics.versus(summary, classes).items()),
        **{
            part: [(scope, members) for scope, members in flows if getattr(members, part)]
            for part in _PARTS
            if getattr(whole, part)
        },
    }


@cache
def identity() -> str:
    """A hash over the code of the metrics: rows of other code are never reused."""
    files = [Path(__file__), *sorted(Path(metrics.__file__).parent.glob("*.py"))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def key(row: Row) -> Key:
    """The key of a row."""
    return str(row["scenario"]), int(row["seed"])
