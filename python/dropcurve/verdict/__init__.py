"""One verdict from paired runs of several designs, as data.

    verdict = decide([SampledDesign("yours", {"utilisation": [...], ...}, current=True), SampledDesign("codel", ...)],
                     [Criterion("utilisation", "utilisation", "%", worth=1.0), ...])

`dropcurve.results.recommendation` builds designs and criteria from a comparison; `sentences` renders a verdict as the
sentences that open an answer.
"""

from .criteria import BULK_FACTOR, PAGES, balanced, kinds
from .data import MARGIN_SHARE, Bound, Change, Criterion, Missed, Rival, SampledDesign, Value, Verdict
from .equivalence import MARGIN_POINTS, manages
from .exchange import Exchange
from .rules import decide
from .sentences import headline, ranking
from .weights import Weights

__all__ = [
    "BULK_FACTOR", "MARGIN_POINTS", "MARGIN_SHARE", "PAGES", "Bound", "Change", "Criterion", "Exchange", "Missed",
    "Rival", "SampledDesign", "Value", "Verdict", "Weights", "balanced", "decide", "headline", "kinds", "manages",
    "ranking",
]  # fmt: skip
