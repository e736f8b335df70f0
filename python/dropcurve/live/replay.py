"""Replays a record of real traffic through the simulator's queue and compares the verdicts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dropcurve._core as _core

from ..errors import ResultError
from ..quantities import wording
from .forwarder import plain


@dataclass(frozen=True)
class Agreement:
    """Outcome of a replay: number of verdicts that agree, to the nanosecond, and the first that does not, in words."""

    arrivals: int
    drops: int
    marks: int
    sent: int
    changes: int
    whole: bool
    identical: bool
    difference: str
    link: dict[str, Any]

    def problems(self) -> list[str]:
        """Sentences on the differences; none if the verdicts are identical and the record has its end."""
        if not self.identical:
            return [f"the replay differs: {self.difference}"]
        return [] if self.whole else ["the record was cut short; the rest is identical"]

    def __str__(self) -> str:
        if not self.identical:
            return f"differs after {wording.count(self.arrivals, 'arrival')}: {self.difference}"
        changes = f", {wording.count(self.changes, 'change')} of the link" if self.changes else ""
        return (
            f"identical, packet by packet: {wording.count(self.arrivals, 'arrival')}, "
            f"{wording.count(self.drops, 'drop')}, {wording.count(self.marks, 'mark')}, "
            f"{wording.count(self.sent, 'transmission')}{changes}"
        )


def replay(record: str | Path) -> Agreement:
    """Feeds the record of a live run through the simulator's queue and compares every verdict with the record's.

    Raises ResultError if it is not a record, or damaged.
    """
    try:
        agreement = json.loads(_core.live_replay(str(record)))
    except OSError as error:
        raise ResultError(
            record,
            "",
            plain(error).removeprefix(f"{record}: "),
            "name a record that `dropcurve live run --record` wrote",
            shown="path",
        ) from None
    return Agreement(**{**agreement, "difference": agreement["difference"] or ""})
