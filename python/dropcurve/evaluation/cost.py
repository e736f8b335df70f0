"""Cost of a discipline (RFC 7928 section 11): instructions for each packet, and the number of parameters to set."""

from __future__ import annotations

from dataclasses import dataclass

from ..quantities import values
from ..scenario import library
from .instructions import INSTRUCTIONS

#: The discipline that others are compared with.
PLAIN = "droptail"
#: Parameters for the size of the buffer and for marking, which are no settings of the algorithm.
COMMON = ("limit", "ecn", "limit_test")


@dataclass(frozen=True)
class Cost:
    """The cost of a discipline.

    Attributes:
        kind: The discipline.
        instructions: That one arrival and one departure take, at its defaults; None where it was not counted.
        numbers: Parameters that are numbers, amounts or times, beyond the buffer.
    """

    kind: str
    instructions: int | None
    numbers: tuple[str, ...]

    @property
    def ratio(self) -> float | None:
        """Instructions as a multiple of those of tail drop."""
        return None if self.instructions is None else self.instructions / INSTRUCTIONS[PLAIN]

    def __str__(self) -> str:
        count = len(self.numbers)
        noun = "number" if count == 1 else "numbers"
        work = (
            ""
            if self.ratio is None
            else f"{self.instructions} instructions a packet, {self.ratio:.1f} × tail drop; "
        )
        return f"{work}{count} {noun} to set"


def cost(queue: str) -> Cost:
    """The cost of a queue as `dropcurve compare --queue` takes it. Raises UsageError for text of another form."""
    kind, _ = values.queue(queue)
    entry = next((one for one in library.catalogue()["disciplines"] if one["kind"] == kind), None)
    fields = [] if entry is None else entry["fields"]
    numbers = tuple(
        str(one["name"]) for one in fields
        if one["kind"] not in ("choice", "switch", "queue") and one["name"] not in COMMON
    )  # fmt: skip
    return Cost(kind, INSTRUCTIONS.get(kind), numbers)
