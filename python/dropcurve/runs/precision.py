"""Replications until intervals are narrow enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from ..metrics import statistics

Key = TypeVar("Key")


def until_precise(
    sizes: Mapping[Key, int],
    *,
    extend: Callable[[Mapping[Key, int]], None],
    is_loose: Callable[[Key], bool],
    maximum: int,
) -> None:
    """Calls ``extend`` with the replications that each key is to have, until no interval is too wide.

    It begins with ``sizes``. A key whose interval ``is_loose`` grows to the next size of the schedule in
    ``docs/statistics.md``, at most to ``maximum``; the others stay as they are.
    """
    while sizes:
        extend(sizes)
        sizes = {
            key: statistics.next_size(size, maximum=maximum)
            for key, size in sizes.items()
            if size < maximum and is_loose(key)
        }
