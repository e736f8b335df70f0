"""Starting points of the full search: the scale of each discipline that the atlas picks."""

from __future__ import annotations

from ...errors import UsageError
from ..question import Question
from .conditions import beyond, known
from .model import load
from .pick import picks


def starts(question: Question) -> dict[str, float]:
    """The scale of each discipline by the atlas, the most promising discipline first; empty for questions that it
    cannot answer.

    Raises:
        DropcurveError: For a model that is damaged: without it the same question would have another answer.
    """
    try:
        some = known(question)
    except UsageError:
        return {}
    part = load().parts[some[0].condition.traffic]
    if beyond(some, part.ranges, question.goal):
        return {}
    return {one.candidate.kind: one.scale for one in picks(question, part, some)}
