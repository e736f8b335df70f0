"""The worst case of a queue: a search for the traffic, within bounds, that harms a goal most.

    answer = stress("codel", link="50/10", out="worst")
    print(answer)

The modules, in the order of an answer: `front` (the call above), `parameters` and `bounds` (a file, or the defaults),
`traffic` (a case as a scenario), `harm` (a goal or measure against an ideal queue), `trials` (runs through the store),
`search` (the worst case), `shrinking` (a minimal one), `fault` (the rivals under the same traffic), `solving` (all of
them), and `answer`, rendered by `text` and `page`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...files.lazy import attributes

if TYPE_CHECKING:
    from . import bounds
    from .answer import StressAnswer
    from .bounds import Bounds
    from .front import link_of, stress
    from .traffic import StressLink, described_datagrams, with_datagrams

__all__ = [
    "Bounds", "StressAnswer", "StressLink", "bounds", "described_datagrams", "link_of", "stress", "with_datagrams",
]  # fmt: skip

_HOME = {
    "Bounds": "bounds",
    "StressAnswer": "answer",
    "StressLink": "traffic",
    "bounds": "",
    "described_datagrams": "traffic",
    "link_of": "front",
    "stress": "front",
    "with_datagrams": "traffic",
}

__getattr__ = attributes(__name__, _HOME)
