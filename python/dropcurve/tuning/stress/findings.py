"""Outcome of a stress search as data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...metrics import statistics
from ...scenario import Scenario
from .bounds import Bounds, Case
from .fault import Fault, RivalHarm
from .search import Grid, Walk
from .traffic import StressLink

#: File of the minimal scenario in the folder of an answer.
SCENARIO = "worst.toml"


@dataclass(frozen=True)
class StressFindings:
    """Outcome of a stress search: cases, harms with intervals, rivals and the data of figures.

    Attributes:
        design: As typed.
        link: The link.
        bounds: What the search could choose.
        measure: What the harm counts, in words.
        unit: Unit of every harm.
        regret: Whether the search made the regret against the rivals as large as possible.
        worst: The case of the largest loss.
        worst_loss: Its harm, or regret, over fresh runs.
        minimal: The shrunk case.
        minimal_loss: Its harm, or regret, over fresh runs.
        minimal_harm: Its harm over fresh runs.
        usual: The mild case.
        usual_harm: Harm of usual traffic over the same fresh seeds.
        keep: Share of the loss that shrinking had to leave.
        fault: Where the harm comes from: this design, some designs, any queue, undecided, or none.
        rivals: The rivals under the minimal scenario, the least harmed first.
        walks: Harm along each axis through the worst case, in one run each.
        grid: Harm over the two axes that matter most; None if fewer vary.
        scenario: The minimal scenario.
        seed: Seed of the first run.
        fresh: Fresh runs of each interval.
        runs: Runs that were asked for.
        digest: Digest of the scenario under the first fresh seed.
        digest_seed: That seed.
        command: The command that repeats the search.
        version: Version of the package.
        stopped: Sentence on a time limit that cut the search short; "" if none did.
        folder: Where it is stored.
        lab: Command that plays the scenario on real kernels; "" where a lab cannot.
    """

    design: str
    link: StressLink
    bounds: Bounds
    measure: str
    unit: str
    regret: bool
    worst: Case
    worst_loss: statistics.Interval
    minimal: Case
    minimal_loss: statistics.Interval
    minimal_harm: statistics.Interval
    usual: Case
    usual_harm: statistics.Interval
    keep: float
    fault: Fault
    rivals: tuple[RivalHarm, ...]
    walks: tuple[Walk, ...]
    grid: Grid | None
    scenario: Scenario
    seed: int
    fresh: int
    runs: int
    digest: str
    digest_seed: int
    command: str
    version: str
    stopped: str
    folder: Path
    lab: str = ""

    @property
    def replay(self) -> str:
        """Command that plays the minimal scenario again with the same digest."""
        return f"dropcurve run {self.folder / SCENARIO} --seed {self.digest_seed} --digest"
