"""Forwarding classes of Junos: the code points that classifiers and firewall filters put into each.

Reference: JunosCoS. A class that the text does not fill has the code points of Junos's default classifier, in which
``expedited-forwarding`` has EF alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from . import code_points
from .numbers import word_after

#: The only class of the default classifier that has code points of one application.
EXPEDITED = "expedited-forwarding"


def applications(lines: list[list[str]], scheduler: str) -> frozenset[str]:
    """The applications of the forwarding classes of a scheduler; empty where one of them may carry any."""
    classes = {
        words[-3] for words in lines
        if words[-2:] == ["scheduler", scheduler] and words[-4:-3] == ["forwarding-class"]
    }  # fmt: skip
    known = [_of_class(lines, one) for one in classes]
    return frozenset().union(*known) if all(known) else frozenset()


def _of_class(lines: list[list[str]], name: str) -> frozenset[str]:
    matched = [*_classified(lines, name), *_filtered(lines, name)]
    usual = [code_points.number("ef")] if name == EXPEDITED else []
    return code_points.applications(matched or usual)


def _classified(lines: list[list[str]], name: str) -> Iterator[int | None]:
    """The code points that classifiers put into a class; None for one that is not known, and for other markings."""
    for words in lines:
        if "classifiers" not in words or "code-points" not in words or name not in words:
            continue
        kind = words[words.index("classifiers") + 1]
        if word_after(words, "forwarding-class") == name:
            known = kind in ("dscp", "dscp-ipv6")
            yield from (one if known else None for one in _points(words[words.index("code-points") + 1 :]))


def _filtered(lines: list[list[str]], name: str) -> Iterator[int | None]:
    """The code points that terms of firewall filters put into a class; None for a term without one."""
    for words in lines:
        if "term" not in words or words[-3:] != ["then", "forwarding-class", name]:
            continue
        term = [*words[:-3], "from"]
        conditions = [one[len(term) :] for one in lines if one[: len(term)] == term]
        own = [one for one in conditions if one[:1] in (["dscp"], ["traffic-class"])]
        yield from (point for one in own for point in _points(one[1:]))
        if not own:
            yield None


def _points(words: Iterable[str]) -> list[int | None]:
    """The code points of a list, which may stand in brackets; None for a word that is not a code point."""
    return [_point(word) for word in words if word not in ("[", "]")]


def _point(word: str) -> int | None:
    """A code point as Junos writes it: six binary digits, or a name or number."""
    bits = word.strip("[]")
    if len(bits) == 6 and set(bits) <= {"0", "1"}:
        return int(bits, 2)
    return code_points.number(bits)
