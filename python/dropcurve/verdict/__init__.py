"""One verdict from paired runs of several designs, as data.

    verdict = decide([Design("yours", {"utilisation": [...], ...}, current=True), Design("codel", ...)],
                     [Outcome("utilisation", "utilisation", "%", worth=1.0), ...])

`of_result` builds designs and outcomes from a comparison; `dropcurve.present.verdict` renders a verdict
as the sentences that open an answer.
"""

from .data import MARGIN_SHARE, Bound, Change, Design, Missed, Outcome, Rival, Value, Verdict
from .exchange import Exchange
from .outcomes import of_result
from .rules import MARGIN_POINTS, decide

__all__ = [
    "MARGIN_POINTS", "MARGIN_SHARE", "Bound", "Change", "Design", "Exchange", "Missed", "Outcome", "Rival", "Value",
    "Verdict", "decide", "of_result",
]  # fmt: skip
