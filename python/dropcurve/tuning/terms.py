"""Names of disciplines, parameters and numbers in sentences, tables and figures."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..metrics.statistics import Interval
from ..quantities import units, wording
from .goal import Objective
from .measures import Measure
from .validation import ValidationLine

#: Disciplines as sentences call them.
KINDS = {
    "red": "RED", "codel": "CoDel", "fq_codel": "FQ-CoDel", "pie": "PIE", "fq_pie": "FQ-PIE", "droptail": "tail drop",
    "ared": "Adaptive RED", "choke": "CHOKe", "cobalt": "COBALT", "fq_cobalt": "FQ-COBALT", "pi": "PI",
    "nlred": "nonlinear RED", "wred": "WRED",
}  # fmt: skip
#: A number with a fraction, such as that of ``10.399744 ms``, to which a box rounds ``10.4 ms``.
FRACTION = re.compile(r"\d+\.\d+")


def points_of(one: Objective) -> str:
    """The unit of a difference."""
    return "percentage points" if one.unit == "%" else one.unit


def cell(found: Interval, one: Objective) -> str:
    """An objective with its interval and unit."""
    return wording.amount(found.mean, found.half_width, one.unit)


def interval(line: ValidationLine, one: Measure) -> str:
    """A measure with its interval and unit."""
    found = line.measures[one.key]
    return wording.amount(found.mean, found.half_width, one.unit)


def shown(value: object) -> str:
    """A parameter as text: switches in small letters, numbers to four digits, lists with commas."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ", ".join(map(shown, value))
    if isinstance(value, float):
        return f"{value:.4g}"
    return FRACTION.sub(lambda found: _four_digits(float(found[0])), str(value))


def _four_digits(value: float) -> str:
    return f"{value:.4g}" if value < 1000 else f"{value:.0f}"


def labels(lines: Sequence[ValidationLine]) -> dict[str, str]:
    """Labels of designs by key. Designs that share a name get the parameters in which they differ, such as ``red,
    tuned (min_th 3 pkts)``."""
    groups: dict[str, list[ValidationLine]] = {}
    for line in lines:
        groups.setdefault(line.candidate.name, []).append(line)
    found = {}
    for name, some in groups.items():
        settings = [line.candidate.params_as_loaded for line in some]
        differ = [key for key in settings[0] if len({shown(one.get(key)) for one in settings}) > 1]
        for line, one in zip(some, settings, strict=True):
            values = ", ".join(f"{key} {shown(one.get(key))}" for key in differ)
            found[line.candidate.key] = f"{name} ({values})" if values else name
    return found


def span(seconds: float) -> str:
    """A time to two digits."""
    return units.show_span(float(f"{seconds:.2g}")) if seconds < 90 else _minutes(seconds)


def _minutes(seconds: float) -> str:
    """A long time in minutes or hours."""
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.2g} h"
