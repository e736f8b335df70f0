"""Filters of ``tc`` that put packets into classes by their code point: `u32` and `flower`.

Reference: tc-u32(8), tc-flower(8).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import code_points

#: Mask of the code point in the byte that also has the ECN field.
_MASK = 0xFC
#: Values and masks of that byte: with `u32` in C's notation, with `flower` hexadecimal.
_NUMBER = r"(0x[0-9a-f]{1,2}|[1-9]\d{0,2}|0)"
_U32 = re.compile(rf"\bmatch (?:ip (?:dsfield|tos)|ip6 priority) {_NUMBER} {_NUMBER}(?!\S)")
_FLOWER = re.compile(r"\bip_tos (?:0x)?([0-9a-f]{1,2})(?:/(?:0x)?([0-9a-f]{1,2}))?(?!\S)")


@dataclass(frozen=True)
class Filter:
    """A filter: its interface, the class it selects, and the one code point that it matches; None for any other."""

    dev: str
    target: str
    point: int | None


def parsed(words: list[str]) -> Filter | None:
    """The filter of a command; None for one that selects no class."""
    text = " ".join(words).lower()
    target = re.search(r"\b(?:flowid|classid) ([0-9a-f]*:[0-9a-f]+)(?!\S)", text)
    dev = re.search(r"\bdev (\S+)", text)
    matches = [(int(value, 0), int(mask, 0)) for value, mask in _U32.findall(text)]
    matches += [(int(value, 16), int(mask or "ff", 16)) for value, mask in _FLOWER.findall(text)]
    points = [value >> 2 for value, mask in matches if mask & _MASK == _MASK]
    return Filter(dev[1] if dev else "", target[1], points[0] if points else None) if target else None


def applications(filters: list[Filter], dev: str, target: str) -> frozenset[str]:
    """The applications of a class, if each filter that selects it matches a code point."""
    own = [one.point for one in filters if one.target == target.lower() and (one.dev in ("", dev) or not dev)]
    return code_points.applications(own)
