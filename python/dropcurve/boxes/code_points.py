"""Code points by which configurations classify packets, and the classes that have calls alone."""

from __future__ import annotations

from collections.abc import Iterable

#: DSCPs by name (RFC 2474, RFC 2597, RFC 3246, RFC 5865).
NAMES = {
    "default": 0, "be": 0, "ef": 46, "voice-admit": 44, "va": 44, **{f"cs{n}": 8 * n for n in range(8)},
    **{f"af{x}{y}": 8 * x + 2 * y for x in range(1, 5) for y in range(1, 4)},
}  # fmt: skip
#: DSCPs of calls: expedited forwarding, and that with admission control.
CALLS = frozenset((46, 44))


def number(word: str) -> int | None:
    """A DSCP from its name or its number, which may be hexadecimal (``0x2e``); None for any other word."""
    text = word.lower()
    if text in NAMES:
        return NAMES[text]
    value = int(text) if text.isdecimal() and len(text) < 4 else _hexadecimal(text)
    return value if value is not None and value < 64 else None


def _hexadecimal(text: str) -> int | None:
    try:
        return int(text, 16) if text.startswith("0x") else None
    except ValueError:
        return None


def calls_alone(matched: Iterable[int | None]) -> bool:
    """Whether the matches of a class are code points of calls alone; False for a class without matches, and for one
    with a match by something else (None).

    Example:
        >>> calls_alone([number("ef"), number("44")])
        True
    """
    points = list(matched)
    return bool(points) and all(one in CALLS for one in points)
