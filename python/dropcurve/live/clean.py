"""Removes the remains of killed runs."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import launch, merging, router, scratch
from .lab import PREFIX as LAB


@dataclass(frozen=True)
class Cleanup:
    """The removed folders, and those that only another user can remove: in another network namespace, or as root."""

    removed: list[Path]
    left: list[Path]

    def __str__(self) -> str:
        lines = [f"removed {path}" for path in self.removed]
        lines += [
            f"left {path}: its interface is in another network namespace, or needs root to merge frames again"
            for path in self.left
        ]
        return "\n".join(lines) or "nothing was left behind"


def clean() -> Cleanup:
    """Removes the folders of labs and routers that were killed together with their keepers, and turns
    on again the offloads that such a router had turned off at its interfaces. Running routers stay."""
    temporary = Path(tempfile.gettempdir())
    places = [(temporary, LAB), (temporary, launch.GUEST), (router.runtime(), router.PREFIX)]
    leftovers = {}
    for where, prefix in places:
        leftovers.update(scratch.sweep(sorted(where.glob(f"{prefix}*")), merging.restored))
    return Cleanup(
        [path for path, gone in leftovers.items() if gone],
        [path for path, gone in leftovers.items() if not gone],
    )
