"""Findings of a tuning run, as data: the validated designs, the settings that were run, sensitivity and drift."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .candidates import Candidate
from .effort import ALONE, LEVELS
from .proof import FEWEST, Proof
from .question import Question
from .robustness import Drift, Sensitivity
from .screening import ScreeningEffect
from .validation_line import ValidationLine


@dataclass(frozen=True)
class Spot:
    """A design that was evaluated at every condition: the means of its objectives and measures over them."""

    candidate: Candidate
    objectives: tuple[float, ...]
    measures: dict[str, float]
    holds: bool
    front: bool


@dataclass(frozen=True)
class Findings:
    """Findings of a tuning run; `Answer` renders and saves them.

    ``lines`` are the confirmed designs, the recommendation first; with several objectives those of the Pareto front
    come next, in ``front`` their number. ``conditions`` is how many of them the search used; the confirmation had
    ``replications`` of ``fresh_conditions`` each; ``pictured`` says whether the page is to show the queue.
    ``margin`` is the difference that matters, in points, ``point`` one of them in the unit of the first objective,
    ``points`` one of them in the unit of each;
    ``replication_s`` what one more replication of a design takes.
    ``looked`` counts the settings of each discipline that were run at some condition; ``spots`` are those that were run
    at all of them. ``configuration`` is the text for the box, "" without one or if it does not read back as what was
    simulated: then ``changed`` names the parameters that differ. ``notes`` say what the box rounds. ``proof`` is the
    outcome of the recommendation on fresh seeds that took no part in choosing it (None: no bounds, or no time),
    ``refused`` that of designs before it. ``stress`` is a sentence on the worst conditions that were taken in, ""
    without such a search, ``other`` one on the queue of the other direction, "" where that changes little.
    ``uncompared`` names defaults, rules of thumb and designs by formula that were not run.
    """

    question: Question
    seed: int
    lines: tuple[ValidationLine, ...]
    spots: tuple[Spot, ...]
    effects: tuple[ScreeningEffect, ...]
    sensitivity: tuple[Sensitivity, ...]
    drift: tuple[Drift, ...]
    configuration: str
    notes: tuple[str, ...]
    runs: int
    fresh: int
    version: str
    command: str
    stopped: str = ""
    pictured: bool = True
    conditions: int = 0
    replications: int = 0
    fresh_conditions: int = 0
    front: int = 1
    margin: float = 0.2
    point: float = 1.0
    points: tuple[float, ...] = ()
    replication_s: float = 0.0
    changed: tuple[str, ...] = ()
    proof: Proof | None = None
    refused: tuple[Proof, ...] = ()
    looked: Mapping[str, int] = field(default_factory=dict)
    stress: str = ""
    other: str = ""
    uncompared: tuple[str, ...] = ()
    folder: Path | None = field(default=None, compare=False)

    @property
    def best(self) -> Candidate:
        """The recommendation."""
        return self.lines[0].candidate

    @property
    def brief(self) -> bool:
        """Whether the budget was smaller than that of a small link."""
        return self.replications < LEVELS[0].replications * (1 if self.question.varying else ALONE)

    @property
    def shown_runs(self) -> int:
        """Runs that show whether the recommendation holds the bounds; those without a value do not count."""
        validated = min((one.runs for one in self.lines[0].kept), default=0)
        return validated + (self.proof.runs if self.proof is not None else 0)

    @property
    def too_few(self) -> bool:
        """Whether too few runs show that the recommendation holds the bounds for it to be loaded."""
        return bool(self.question.goal.constraints) and self.shown_runs < FEWEST

    @property
    def queue(self) -> str:
        """The recommendation as ``--queue`` takes it."""
        return self.best.queue
