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

    Attributes:
        lines: The validated designs, the recommendation first; with several objectives the Pareto front comes next.
        front: Number of designs of the Pareto front.
        runs, fresh: Runs of the search, and those after it.
        stopped: What the limit of time cut short; "" if nothing.
        folder: Where the answer is stored; None before.
        conditions: Number of conditions that the search used.
        fresh_conditions, replications: Held-out conditions of the validation, and replications of each.
        shows_queue: Whether the page shows the queue.
        margin: Margin of equivalence, in points.
        point, points: One point in the unit of the first objective, and in the unit of each.
        replication_s: Time that one more replication of a design takes.
        looked: Number of settings of each discipline that were run at some condition.
        spots: The settings that were run at every condition.
        configuration: Text for the box; "" without a box, or if the text does not read back as what was simulated.
        changed: Parameters that differ where the text does not read back.
        notes: Values that the box rounds.
        proof: Outcome of the recommendation on fresh seeds that had no part in the choice; None without bounds or time.
        refused: The same of earlier choices, which missed a bound.
        stress: A sentence on the worst conditions of the stress search; "" without one.
        other: A sentence on the queue of the other direction; "" where it changes little.
        hopeless: Whether every design of the search broke a bound in more than half of its runs and by far, so that the
            answer ends with the frontier.
        uncompared: Defaults, rules of thumb and designs by formula that were not run.
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
    shows_queue: bool = True
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
    hopeless: bool = False
    folder: Path | None = field(default=None, compare=False)

    @property
    def best(self) -> Candidate:
        """The recommendation."""
        return self.lines[0].candidate

    @property
    def moved_design(self) -> Candidate | None:
        """The design of the sensitivity where that is an earlier recommendation; None if it is this one."""
        design = self.sensitivity[0].design if self.sensitivity else None
        return None if design is None or design.key == self.best.key else design

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
