"""The question of `dropcurve tune` from its options as they were typed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..tuning import Question, ask


def asked(
    scenario: str | None,
    *,
    ranges: Sequence[str] = (),
    queue: Sequence[str] = (),
    exchange: str | None = None,
    goal: str | None = None,
    for_: str | None = None,
    robust: str = "mean",
    within: Path | None = None,
    ecn: bool = False,
    **link: str | None,
) -> tuple[Question, list[tuple[str, Any]]]:
    """The question, and the options that ask it again.

    Args:
        scenario: A scenario; None for a question about a link.
        ranges: Ranges of its values, as ``PATH=RANGE``.
        queue: The disciplines to choose from.
        exchange: Exchange rates of the goal.
        goal: The goal.
        for_: The box.
        robust: What counts over the ranges.
        within: File with the bounds of datagrams.
        ecn: Whether the flows negotiate ECN.
        link: ``link``, ``rate``, ``rtt``, ``flows``, ``buffer``, ``short``, ``udp`` and ``tcp``.

    Raises:
        DropcurveError: For every fault of the question.
    """
    question = ask(
        scenario, exchange=_exchange(exchange), goal=goal, ranges=_ranges(ranges), robust=robust, within=within,
        box=for_, candidates=list(queue), space=None, ecn=ecn or None, **link,
    )  # fmt: skip
    names = ("link", "rate", "rtt", "flows", "buffer", "short", "udp", "tcp")
    return question, [
        *((name, link.get(name)) for name in names), ("ecn", ecn or None), *(("range", text) for text in ranges),
        ("goal", goal), ("exchange", exchange), ("for", for_), *(("queue", kind) for kind in queue),
        ("robust", robust if robust != "mean" else None), ("within", within),
    ]  # fmt: skip


def _exchange(text: str | None) -> Any:
    """The exchange rates, if any are given. Raises UsageError for text of another form."""
    if text is None:
        return None
    from ..verdict import Exchange

    return Exchange.parse(text)


def _ranges(texts: Sequence[str]) -> dict[str, str]:
    """Ranges of a scenario by path."""
    if not texts:
        return {}
    from ..quantities import values

    return {path: str(some) for path, some in map(values.assignment, texts)}
