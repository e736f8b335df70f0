"""One case of a comparison: the value of the other program, that of dropcurve, the allowed distance, and the reason."""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Figure:
    """One number of both sides. ``allowed`` is the greatest absolute distance that counts as agreement."""

    name: str
    theirs: float
    ours: float
    allowed: float = 0.0

    @property
    def apart(self) -> float:
        """Our value minus theirs."""
        return self.ours - self.theirs

    @property
    def within(self) -> bool:
        """Whether the two agree; NaN never does."""
        return abs(self.apart) <= self.allowed * (1 + 1e-9) + 1e-12

    @property
    def percent(self) -> float:
        """Distance in percent of theirs; infinite where theirs is 0 and ours is not."""
        if self.theirs == 0:
            return 0.0 if self.ours == 0 else math.inf
        return 100 * self.apart / abs(self.theirs)


@dataclass(frozen=True)
class AgreementCase:
    """A case and its figures. ``missing`` names the part that does not exist yet; then there are no figures."""

    name: str
    figures: tuple[Figure, ...] = ()
    missing: str = ""
    note: str = ""
    cause: str = ""

    @property
    def verdict(self) -> str:
        """Returns "within", "outside" or "not yet"."""
        if self.missing:
            return "not yet"
        return "within" if self.figures and all(figure.within for figure in self.figures) else "outside"

    @property
    def outside(self) -> tuple[Figure, ...]:
        """The figures that are too far apart."""
        return tuple(figure for figure in self.figures if not figure.within)


@dataclass(frozen=True)
class Area:
    """A comparison: the other program, the subject, the method, and its cases."""

    key: str
    title: str
    against: str
    method: str
    cases: list[AgreementCase] = field(default_factory=list)

    def count(self, verdict: str) -> int:
        """Number of cases with a verdict."""
        return sum(case.verdict == verdict for case in self.cases)

    @property
    def figures(self) -> tuple[int, int]:
        """Figures within, and all figures."""
        all_of_them = [figure for case in self.cases for figure in case.figures]
        return sum(figure.within for figure in all_of_them), len(all_of_them)
