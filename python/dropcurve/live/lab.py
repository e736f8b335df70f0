"""Traffic of real kernels through the scenario's queue, compared with the simulator's prediction."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .. import metrics
from ..errors import UsageError
from ..files.writing import copy_files
from ..present import intervals
from ..quantities import wording
from ..runs import replicate
from ..scenario import Scenario
from . import launch, measure
from . import plan as plans
from . import scratch as folders
from .replay import replay

#: Share of the prediction within which a live result always agrees with it.
CLOSE = 0.05
#: Prefix of the names of its folders.
PREFIX = "dropcurve-lab-"
#: Stored files of a run, in both directions.
FILES = {"records": ["record", "record.back"], "captures": ["capture.pcapng", "capture.back.pcapng"]}
#: Receives messages on the progress.
Log = Callable[[str], None]


@dataclass(frozen=True)
class LabRow:
    """One metric. ``agrees`` is None where there is no prediction; ``difference`` is a share of the prediction."""

    metric: str
    title: str
    unit: str
    live: measure.Estimate
    predicted: measure.Estimate | None = None
    difference: float | None = None
    agrees: bool | None = None


@dataclass(frozen=True)
class LabAnswer:
    """Result of `lab`. ``warnings`` are reasons not to trust it; ``folder`` holds the stored files of its runs."""

    name: str
    title: str
    where: str
    runs: int
    rows: list[LabRow]
    warnings: list[str] = field(default_factory=list)
    replayed: str = ""
    folder: Path | None = None

    @property
    def trustworthy(self) -> bool:
        """Whether the numbers have no problem."""
        return not self.warnings

    def record(self) -> dict[str, Any]:
        """The answer as JSON."""
        return {**asdict(self), "folder": str(self.folder) if self.folder else None}

    def __str__(self) -> str:
        head = [
            self.title,
            f"{wording.count(self.runs, 'run')} of real kernels in {self.where}; 95 % intervals",
            "",
        ]
        cells = [("", "", "live", "simulated", "difference")]
        cells += [_cells(row) for row in self.rows if row.live.mean is not None]
        widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
        lines = [
            "  ".join(
                text.ljust(width) if i < 2 else text.rjust(width)
                for i, (text, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in cells
        ]
        foot = ["", f"✓ within {100 * CLOSE:.0f} % of the prediction or inside the intervals, ✗ not."]
        foot += [f"Replay: {self.replayed}"] if self.replayed else []
        foot += [f"Warning: {warning}" for warning in self.warnings]
        return "\n".join([*head, *lines, *foot])


def lab(
    scenario: Scenario | str | Path,
    *,
    virtual: bool = False,
    replications: int = 1,
    seed: int = 1,
    predict: int = 10,
    changes: Sequence[plans.Change] = (),
    out: str | Path | None = None,
    log: Log = lambda _: None,
) -> LabAnswer:
    """Runs a scenario's traffic on real kernels through its queue, and simulates the same.

    ``virtual`` runs it in a kernel of its own in virtual time: slower or faster than time, but with the same bytes
    for the same seed. ``replications`` runs it again with the next seeds, ``predict`` is how often it is simulated
    (0: not at all). ``changes`` are made to the link while it runs, each at a number of seconds, such as
    ``(10, {"rate": "5 Mbit/s", "queue.target": "10 ms"})``; the simulator has no such changes, so nothing is predicted
    then. ``out`` keeps the first run: its record, its capture for Wireshark and the output of every program.
    Raises DropcurveError if no lab can run here, ScenarioError for a scenario that a lab cannot run.
    """
    if replications < 1 or predict < 0:
        raise UsageError(
            "replications, predict",
            f"{replications}, {predict}",
            "a lab needs at least one run, and no negative number of simulations",
            "raise the number",
        )
    base = scenario if isinstance(scenario, Scenario) else Scenario.load(scenario)
    first = plans.make(base, seed=seed, changes=changes)
    run = launch.in_virtual_time if virtual else launch.in_namespaces
    with folders.fresh(PREFIX) as scratch:
        raws = []
        for number in range(replications):
            log(f"run {number + 1} of {replications}: {first.duration_s:g} s of traffic")
            plan = first if number == 0 else plans.make(base, seed=seed + number, changes=changes)
            folder = scratch.path / str(number)
            folder.mkdir()
            raws.append(run(plan, folder, scratch=scratch, **FILES))
        judged = [replay(scratch.path / "0" / name) for name in FILES["records"]]
        stored = _keep(scratch.path / "0", out)
    live = measure.estimates(first, raws)
    predicted = simulate(base, seed=seed, runs=predict, log=log) if predict and not changes else {}
    where = "virtual time" if virtual else "real time"
    return LabAnswer(
        base.name, base.title, where, replications, _rows(live, predicted),
        [*measure.warnings(raws), *(problem for one in judged for problem in one.problems())],
        "; back: ".join(str(one) for one in judged), stored,
    )  # fmt: skip


def _keep(folder: Path, out: str | Path | None) -> Path | None:
    if out is None:
        return None
    kept = Path(out)
    kept.mkdir(parents=True, exist_ok=True)
    copy_files(sorted(folder.iterdir()), kept)
    return kept


def simulate(
    base: Scenario, *, seed: int, runs: int, log: Log = lambda _: None
) -> dict[str, measure.Estimate]:
    """Returns the metrics of a scenario in the simulator, over a number of runs."""
    log(f"simulating it {wording.count(runs, 'time')}")
    result = replicate.run(base, seed=seed, replications=runs)
    rows = {row.metric: row for row in result.table(only=list(measure.SHARED)) if not row.scope}
    return {name: measure.Estimate(row.cells[0].mean, row.cells[0].half_width) for name, row in rows.items()}


def _rows(live: dict[str, measure.Estimate], predicted: dict[str, measure.Estimate]) -> list[LabRow]:
    rows = []
    for name in measure.SHARED:
        metric = metrics.find(name)
        rows.append(compared(name, metric.title, metric.unit, live[name], predicted.get(name)))
    rows += [LabRow(name, title, unit, live[name]) for name, (title, unit) in measure.LAB_ONLY.items()]
    return rows


def compared(
    name: str, title: str, unit: str, live: measure.Estimate, predicted: measure.Estimate | None
) -> LabRow:
    """A metric of both; it agrees within `CLOSE` of the prediction or inside the intervals."""
    if predicted is None or predicted.mean is None or live.mean is None:
        return LabRow(name, title, unit, live, predicted)
    gap = live.mean - predicted.mean
    share = gap / predicted.mean if predicted.mean else (0.0 if not gap else math.inf)
    scatter = math.hypot(live.half_width or 0.0, predicted.half_width or 0.0)
    agrees = abs(share) <= CLOSE or abs(gap) <= scatter
    return LabRow(name, title, unit, live, predicted, share if math.isfinite(share) else None, agrees)


def _cells(row: LabRow) -> tuple[str, str, str, str, str]:
    largest = max(abs(one.mean or 0.0) for one in (row.live, row.predicted or row.live))
    divisor, unit = wording.scaled(row.unit, largest)

    def shown(one: measure.Estimate | None) -> str:
        if one is None or one.mean is None:
            return ""
        within = intervals.possible(row.unit)
        return intervals.interval(*wording.value(one.mean, one.half_width, divisor=divisor, within=within))

    difference = "" if row.difference is None else f"{100 * row.difference:+.1f} %".replace("-", "−")
    sign = {None: "", True: " ✓", False: " ✗"}[row.agrees]
    return row.title, unit, shown(row.live), shown(row.predicted), difference + sign
