"""Numbers and tables in configurations and command lines: a text that is not a number is refused, with its name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from ..files.shape import faults
from .model import refuse

#: Most digits of a number: no box uses more, and Python takes long to convert them.
DIGITS = 40
#: Largest number accepted; sizes, rates and counts of boxes are far smaller.
MOST = 2.0**64
#: Seconds of the units in which switches and routers state a queue as a time.
SECONDS = {"ms": 1e-3, "us": 1e-6}
_REAL = r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*"


def check_digits(text: str, *, origin: str = "") -> None:
    """Raises ScenarioError for a text with a number of more than `DIGITS` digits."""
    match = re.search(rf"\d{{{DIGITS + 1},}}", text)
    if match:
        line = text.count("\n", 0, match.start()) + 1
        refuse(
            f"line {line}",
            f"{match[0][:DIGITS]}...",
            f"must have {DIGITS} digits at most",
            "correct the number",
            origin=origin,
        )


def whole(value: object, path: str, *, origin: str = "") -> int:
    """Returns a whole number written as digits, or an ``int`` of JSON. Raises ScenarioError."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MOST:
        return value
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?[0-9]+\s*", value) and abs(int(value)) <= MOST:
        return int(value)
    refuse(path, value, "must be a whole number", "write it in digits, such as 100", origin=origin)


def real(value: object, path: str, *, origin: str = "") -> float:
    """Returns a finite number in decimal digits. Raises ScenarioError."""
    digits = isinstance(value, str) and re.fullmatch(_REAL, value)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    parsed = float(value) if digits or number else math.nan  # type: ignore[arg-type]
    if not abs(parsed) <= MOST:
        refuse(path, value, "must be a number", "write it in digits, such as 0.1", origin=origin)
    return parsed


def bytes_of_time(
    value: int, unit: str, rate_bps: float | None, path: str, *, of: str, origin: str = ""
) -> int:
    """The bytes that leave at the rate of a link or port, as ``of`` names it, within a time in one of `SECONDS`.
    Raises ScenarioError if the rate is not known."""
    if rate_bps is None:
        rule = f"is a time, so the {of}'s rate must be known"
        refuse(path, f"{value} {unit}", rule, "give --rate", origin=origin)
    return round(value * SECONDS[unit] * rate_bps / 8.0)


def fit(value: Any, shape: Any, path: str, *, origin: str = "") -> Any:
    """Returns ``value``, a part of a JSON text, if its types are those of ``shape``. Raises ScenarioError."""
    wrong = next(iter(faults(value, shape, path)), None)
    if wrong is not None:
        refuse("", "the text", f"has other types: {wrong}", "export it from the box once more", origin=origin)
    return value


def at(words: list[str], index: int, after: str, *, origin: str = "") -> str:
    """Returns the word that belongs after another one. Raises ScenarioError if the line ends there."""
    if index < len(words):
        return words[index]
    refuse(after, "", "must be followed by its value", "complete the line", origin=origin)


def word_after(words: Sequence[str], key: str) -> str:
    """The word after another one; "" without it."""
    return words[words.index(key) + 1] if key in words[:-1] else ""


def one_of(words: Iterable[str], index: int) -> str:
    """Returns the word at an index, "" beyond the last."""
    return dict(enumerate(words)).get(index, "")
