"""One verdict from paired runs of several designs, as data.

    verdict = decide([SampledDesign("yours", {"utilisation": [...], ...}, current=True), SampledDesign("codel", ...)],
                     [Criterion("utilisation", "utilisation", "%", worth=1.0), ...])

`dropcurve.results.recommendation` builds designs and criteria from a comparison; `sentences` renders a verdict as the
sentences that open an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..files.lazy import attributes

if TYPE_CHECKING:
    from .criteria import balanced, kinds
    from .data import (
        MARGIN_SHARE,
        Bound,
        Change,
        Criterion,
        MissedBound,
        Rival,
        SampledDesign,
        Value,
        Verdict,
    )
    from .equivalence import MARGIN_POINTS, manages
    from .exchange import Exchange
    from .rules import decide
    from .sentences import headline
    from .table import ranking
    from .traffic import BULK_FACTOR, PAGES
    from .weights import Weights

__all__ = [
    "BULK_FACTOR", "MARGIN_POINTS", "MARGIN_SHARE", "PAGES", "Bound", "Change", "Criterion", "Exchange", "MissedBound",
    "Rival", "SampledDesign", "Value", "Verdict", "Weights", "balanced", "decide", "headline", "kinds", "manages",
    "ranking",
]  # fmt: skip

#: Module of each public name.
_HOME = {
    "BULK_FACTOR": "traffic",
    "Bound": "data",
    "Change": "data",
    "Criterion": "data",
    "Exchange": "exchange",
    "MARGIN_POINTS": "equivalence",
    "MARGIN_SHARE": "data",
    "MissedBound": "data",
    "PAGES": "traffic",
    "Rival": "data",
    "SampledDesign": "data",
    "Value": "data",
    "Verdict": "data",
    "Weights": "weights",
    "balanced": "criteria",
    "decide": "rules",
    "headline": "sentences",
    "kinds": "criteria",
    "manages": "equivalence",
    "ranking": "table",
}

__getattr__ = attributes(__name__, _HOME)
