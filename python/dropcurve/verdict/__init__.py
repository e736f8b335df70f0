"""One verdict from paired runs of several designs, as data.

    verdict = decide([Design("yours", {"utilisation": [...], ...}, current=True), Design("codel", ...)],
                     [Outcome("utilisation", "utilisation", "%", worth=1.0), ...])

`dropcurve.results.recommendation` builds designs and outcomes from a comparison; `sentences` renders a verdict as the
sentences that open an answer.
"""

from .data import MARGIN_SHARE, Bound, Change, Design, Missed, Outcome, Rival, Value, Verdict
from .exchange import Exchange
from .outcomes import balanced
from .rules import MARGIN_POINTS, decide
from .sentences import headline, ranking
from .weights import Weights

__all__ = [
    "MARGIN_POINTS", "MARGIN_SHARE", "Bound", "Change", "Design", "Exchange", "Missed", "Outcome", "Rival", "Value",
    "Verdict", "Weights", "balanced", "decide", "headline", "ranking",
]  # fmt: skip
