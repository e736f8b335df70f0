"""Conditions of the options of a link that may be ranges, for verbs that read a configuration."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class QueueSetting:
    """A condition of the options that may be ranges: rate in bit/s, flows, buffer, link, and its words."""

    rate: float | None
    flows: int | None
    buffer: str | None
    words: str = ""
    link: str | None = None


def settings(
    *, rate: str | None, flows: str | None, buffer: str | None, link: str | None = None
) -> list[QueueSetting]:
    """The conditions of options: one without ranges, both ends of one range, four of more, in which every pair of
    ranges has all of its corners; those of a link with ranges under each of them. The first has the low end of each.

    Raises:
        UsageError: For invalid values.
    """
    from ..quantities import ranges, units

    ends: dict[str, tuple[str, str]] = {}
    if rate is not None:
        low, high = units.between(rate, units.rate, what="rate")
        ends["rate"] = (units.show_rate(low), units.show_rate(high))
    if flows is not None:
        few, many = units.between(flows, lambda text: units.count(text, what="flows"), what="flows")
        ends["flows"] = (f"{few:.0f}", f"{many:.0f}")
    if buffer is not None:
        span = ranges.parse(buffer, name="buffer") if ranges.is_range(buffer) else None
        ends["buffer"] = (
            (buffer, buffer) if span is None else (str(span.shown(span.low)), str(span.shown(span.high)))
        )
    varying = [key for key, (low_end, high_end) in ends.items() if low_end != high_end]
    rows = {0: 1, 1: 2}.get(len(varying), 4)
    judged = []
    for row in range(rows):
        place = {key: (row & number).bit_count() % 2 for number, key in enumerate(varying, start=1)}
        chosen = {key: pair[place.get(key, 0)] for key, pair in ends.items()}
        words = ", ".join(f"{key} {chosen[key]}" for key in varying)
        given = units.rate(chosen["rate"]) if rate is not None else None
        count = int(chosen["flows"]) if flows is not None else None
        judged += [
            QueueSetting(given, count, chosen.get("buffer"), ", ".join(filter(None, (words, label))), typed)
            for typed, label in _links(link)
        ]
    return judged


def _links(link: str | None) -> list[tuple[str | None, str]]:
    """The link at each condition of its ranges, and the condition in words."""
    from ..scenario import links

    spec = None if link is None else links.spec(link)
    if spec is None or not spec.varying:
        return [(link, "")]
    return [(spec.typed(condition), spec.label(condition)) for condition in spec.conditions()]
