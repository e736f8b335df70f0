"""Formats the values, changes and bounds of a verdict for its sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..quantities import wording
from .data import Change, Criterion, MissedBound, Value

#: Most criteria that one sentence names.
NAMED = 3
#: Milliseconds below which sentences state microseconds.
MICRO_MS = 0.2
#: Digits of a number in sentences; tables have all that the intervals support.
DIGITS = 3


def changed(changes: Sequence[Change], kind: str) -> str:
    """The changes of a kind with both values, the largest in points first."""
    some = sorted((one for one in changes if one.kind == kind), key=lambda one: (-points(one), -share(one)))
    return "; ".join(map(change, some[:NAMED]))


def change(one: Change) -> str:
    """A criterion and that of the other design: ``p95 delay of voice 4.1 ms, not 85 ms``."""
    largest = max(abs(one.recommended), abs(one.other))
    divisor, unit = scaled(one.criterion.unit, largest)
    if unit == "s" and min(abs(one.recommended), abs(one.other)) < divisor:
        mine, other = (_own(one.criterion.unit, value) for value in (one.recommended, one.other))
        return f"{one.criterion.title} {mine}, not {other}"
    pair = [value / divisor for value in (one.recommended, one.other)]
    digits = next((n for n in range(DIGITS, 9) if short(pair[0], n) != short(pair[1], n)), DIGITS)
    mine, other = (short(value, digits) for value in pair)
    text = f"{one.criterion.title} {mine} {unit}".rstrip() + f", not {other} {unit}".rstrip()
    return text + _beyond(one.criterion, max(one.recommended, one.other))


def _own(unit: str, value: float) -> str:
    """A time in its own unit: below a second in milliseconds."""
    in_ms = value if unit == "ms" else value * 1000.0
    return _amount(in_ms, "ms")


def scaled(unit: str, value: float) -> tuple[float, str]:
    """Divisor and unit for a sentence: long times in seconds, those of a data centre in microseconds."""
    if unit == "ms" and abs(value) >= 1000.0:
        return 1000.0, "s"
    if unit == "ms" and 0.0 < abs(value) < MICRO_MS:
        return 0.001, "us"
    return wording.scaled(unit, value)


def short(value: float, digits: int = DIGITS) -> str:
    """A number in a few digits, without an exponent and without zeros at its end."""
    return wording.number(float(f"{value:.{digits}g}"), 9).rstrip("0").rstrip(".")


def _amount(value: float, unit: str) -> str:
    divisor, shown = scaled(unit, value)
    return f"{short(value / divisor)} {shown}".rstrip()


def value(one: Value) -> str:
    """A criterion with its mean: ``utilisation 97.2 %``."""
    return f"{one.criterion.title} {_amount(one.mean, one.criterion.unit)}{_beyond(one.criterion, one.mean)}"


def _beyond(criterion: Criterion, mean: float) -> str:
    """The reason for which a value exceeds the rate of the link; "" where it does not."""
    if criterion.most is None or mean <= criterion.most:
        return ""
    return " (above the link's rate: data that arrived out of order before the measurement window counts)"


def size(one: Change) -> str:
    """An improvement: ``3.2 ms less p95 delay of call``, ``20 percentage points more utilisation``."""
    size = _amount(
        abs(one.difference), "percentage points" if one.criterion.unit == "%" else one.criterion.unit
    )
    return f"{size} {'more' if one.criterion.higher else 'less'} {one.criterion.title}"


def points(one: Change) -> float:
    """The size of a change in points of the score."""
    return abs(one.criterion.score(one.recommended) - one.criterion.score(one.other))


def share(one: Change) -> float:
    """The size of a change as a share of the other design's value."""
    return one.share


def behind(points: float, half_width: float | None) -> str:
    """Points behind the leader; "–" for an interval that says nothing."""
    return "–" if wording.vague(half_width, "points", points) else wording.amount(points, half_width, "")


def misses(missed: Sequence[MissedBound]) -> str:
    """Clause on the bounds that a design misses, and on the values that it lacks: ``misses p95 delay < 20 ms in 3 of 5
    runs (worst 31 ms)``."""
    bounds = [_miss(one) for one in missed if one.criterion.bound is not None]
    lacking = [one for one in missed if one.criterion.bound is None]
    starved = {f"{name} through {_in_runs(one)}" for one in lacking if (name := _delayed(one.criterion))}
    others = [f"{one.criterion.title} {_in_runs(one)}" for one in lacking if not _delayed(one.criterion)]
    parts = [("misses", bounds), ("lets no packet of", sorted(starved)), ("has no value of", others)]
    return " and ".join(f"{verb} {wording.listed(some)}" for verb, some in parts if some)


def _in_runs(one: MissedBound) -> str:
    return f"in {one.missed} of {wording.count(one.runs, 'run')}"


def _delayed(criterion: Criterion) -> str:
    """The class whose packets a delay is that of; "" for any other criterion."""
    match = re.fullmatch(r"delay_ms_\w+\[(.+)\]", criterion.key)
    return match[1] if match else ""


def _miss(one: MissedBound) -> str:
    runs = wording.count(one.runs, "run")
    assert one.criterion.bound is not None, "the criterion has a bound"
    if one.worst is None:
        return f"{one.criterion.title} (no value in {one.missed} of {runs})"
    sign = "<" if one.criterion.bound.upper else ">"
    limit, worst = (_amount(value, one.criterion.unit) for value in (one.criterion.bound.limit, one.worst))
    return f"{one.criterion.title} {sign} {limit} in {one.missed} of {runs} (worst {worst})"


def duration(seconds: float) -> str:
    """A rounded time: ``about 40 s``, ``about 3 min``, ``about 1.5 h``."""
    if seconds < 90:
        return f"about {max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"about {round(minutes)} min" if minutes < 90 else f"about {minutes / 60:.1f} h"
