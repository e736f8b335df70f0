"""Code points by which configurations classify packets, and the applications that they are for."""

from __future__ import annotations

from collections.abc import Iterable

#: DSCPs by name (RFC 2474, RFC 2597, RFC 3246, RFC 5865).
NAMES = {
    "default": 0, "be": 0, "le": 1, "ef": 46, "voice-admit": 44, "va": 44, **{f"cs{n}": 8 * n for n in range(8)},
    **{f"af{x}{y}": 8 * x + 2 * y for x in range(1, 5) for y in range(1, 4)},
}  # fmt: skip
#: Applications by DSCP: calls are expedited forwarding, with admission control or without; video is in the classes of
#: multimedia conferencing, multimedia streaming and broadcast; pages in that of low-latency data; transfers in those
#: of high-throughput and low-priority data (RFC 4594 figure 3, RFC 5865, RFC 8622).
APPLICATIONS = {
    46: "call", 44: "call",
    **dict.fromkeys((34, 36, 38, 26, 28, 30, 24), "video"),
    **dict.fromkeys((18, 20, 22), "web"),
    **dict.fromkeys((10, 12, 14, 8, 1), "transfer"),
}  # fmt: skip
#: What a class of calls alone has.
CALLS = frozenset(("call",))


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


def applications(matched: Iterable[int | None]) -> frozenset[str]:
    """The applications of a class by the code points that it matches: some of "call", "video", "web" and "transfer".
    None is known for a class without matches, with a match by something else (None), or with a code point that is for
    any traffic.

    Example:
        >>> applications([number("ef"), number("44")])
        frozenset({'call'})
    """
    known = [APPLICATIONS.get(one, "") if one is not None else "" for one in matched]
    return frozenset(known) if all(known) else frozenset()
