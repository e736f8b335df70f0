"""Writes `docs/survey.md`: every discipline on the same eight scenarios.

    python -m validation.pages.survey                    # four replications; writes the page
    python -m validation.pages.survey --kind red --kind pie --print

The numbers of a scenario are utilisation, queueing delay, drops, Jain's index over flows; after a change of load, the
delay in the four seconds that follow. Every discipline has its defaults and room for 200 packets.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import dropcurve as dc
from dropcurve.errors import ScenarioError
from dropcurve.present import intervals
from dropcurve.present.wrapping import wrap_markdown
from dropcurve.quantities import wording
from dropcurve.runs import cache
from dropcurve.scenario import library
from dropcurve.studies.cells import ReplicationPlan, Runner, StudyCell

from .behaviour_network import ECN, VOICE, flood, net, tcp

DOCS = Path(__file__).resolve().parents[2] / "docs"
LIMIT = 'limit = "200 pkts"'
REPLICATIONS = 4
#: The numbers of a table: metric, heading.
COLUMNS = (
    ("utilisation", "utilisation (%)"),
    ("sojourn_ms_mean", "delay (ms)"),
    ("sojourn_ms_p95", "p95 delay (ms)"),
    ("loss", "drops (%)"),
    ("jain", "Jain"),
)
#: By name: description, groups of flows, Mbit/s, further rows of `[queue]`.
SCENARIOS: dict[str, tuple[str, tuple[str, ...], int]] = {
    "light": ("5 transfers at 10 Mbit/s", (tcp(5),), 10),
    "heavy": ("50 transfers at 10 Mbit/s", (tcp(50),), 10),
    "marks": (
        "20 transfers with ECN at 40 Mbit/s, `ecn` on where there is such a key",
        (tcp(20, keys=ECN),),
        40,
    ),
    "distances": ("10 transfers at 10 Mbit/s, round trips of 44 to 244 ms", (tcp(10),), 10),
    "flood": ("8 transfers at 10 Mbit/s, and 12 Mbit/s of unresponsive datagrams", (tcp(8), flood(12)), 10),
    "call": ("8 transfers at 10 Mbit/s, and a call of 80 kbit/s", (tcp(8), VOICE), 10),
    "fast": ("20 transfers at 100 Mbit/s", (tcp(20),), 100),
    "change": (
        "5 transfers at 10 Mbit/s, and 20 more from the tenth second on; the four seconds after that",
        (tcp(5), tcp(20, "more").replace("uniform 0 s to 2 s", "uniform 10 s to 10.5 s")),
        10,
    ),
}


def text(kind: str, scenario: str, has_ecn: bool, limit: str = LIMIT) -> str:
    """The text of one scenario under one discipline."""
    _, groups, mbit = SCENARIOS[scenario]
    ecn = "\necn = true" if scenario == "marks" and has_ecn else ""
    scenario_text = net(f'kind = "{kind}"\n{limit}{ecn}', *groups, mbit=mbit)
    times = ("14 s", "10 s") if scenario == "change" else ("20 s", "5 s")
    scenario_text = scenario_text.replace('duration = "40 s"', f'duration = "{times[0]}"')
    scenario_text = scenario_text.replace('warmup = "10 s"', f'warmup = "{times[1]}"')
    return (
        scenario_text.replace("even 1 ms to 11 ms", "even 1 ms to 101 ms")
        if scenario == "distances"
        else scenario_text
    )


def cells(kinds: Sequence[str]) -> dict[str, dc.Scenario]:
    """Every discipline in every scenario; at its own limit where 200 packets do not fit its other defaults."""
    scenarios = {}
    ecn = {one["kind"]: any(field["name"] == "ecn" for field in one["fields"]) for one in entries()}
    for kind in kinds:
        for name in SCENARIOS:
            try:
                scenario = dc.Scenario.parse(text(kind, name, ecn[kind]))
            except ScenarioError:
                scenario = dc.Scenario.parse(text(kind, name, ecn[kind], ""))
            scenarios[f"{kind} {name}"] = scenario
    return scenarios


def entries() -> list[dict[str, Any]]:
    """The disciplines of the catalogue."""
    rows: list[dict[str, Any]] = library.catalogue()["disciplines"]
    return rows


def numbers(run: dict[str, Any]) -> dict[str, float]:
    """The numbers of one run."""
    values = {name: dc.metrics.value(run, name) for name, _ in COLUMNS}
    return {name: math.nan if value is None else value for name, value in values.items()}


def estimate(cell: StudyCell, name: str) -> str:
    """A number with its interval, over the replications in which it has a value."""
    interval = cell.known(name)
    if interval is None:
        return "-"
    half = interval.half_width(0.95) if interval.n > 1 and not interval.constant else None
    centre, width = wording.value(interval.value, half)
    return intervals.interval(centre, width)


def table(scenario: str, kinds: Sequence[str], measured: Mapping[str, StudyCell]) -> str:
    """The table of one scenario, by kind."""
    head = " | ".join(["kind", *(heading for _, heading in COLUMNS)])
    lines = [f"| {head} |", "|---|" + "---:|" * len(COLUMNS)]
    for kind in kinds:
        cell = measured[f"{kind} {scenario}"]
        shown = " | ".join(estimate(cell, name) for name, _ in COLUMNS)
        lines.append(f"| [`{kind}`](disciplines/{kind}.md) | {shown} |")
    return "\n".join(lines) + "\n"


PAGE = """\
# All disciplines on the same eight scenarios

Each discipline at its defaults, with room for 200 packets (or at its own limit, where its other defaults ask for
more). Packets of 1500 bytes, round trips of 44 to 64 ms unless a scenario states others, TCP by the current RFCs.
Means over {replications} runs of 20 seconds with 95 % intervals, the first five seconds left out. *Delay* is the time
in the queue of the packets that left it, *drops* the share of arrivals that the queue dropped, *Jain* the index of
fairness over all flows.

A default was chosen for some rate and some load by the authors of each discipline, and this is one rate and one load
for all: the page compares what one gets without tuning. `dropcurve tune` compares tuned ones.

`python -m validation.pages.survey` writes this page.

{tables}"""


def main() -> None:
    """Runs, and writes the page or prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", action="append", help="only this one")
    parser.add_argument("--print", action="store_true", help="print instead of writing the page")
    parser.add_argument("--replications", type=int, default=REPLICATIONS)
    options = parser.parse_args()
    kinds = [one["kind"] for one in entries() if not options.kind or one["kind"] in options.kind]
    plan = ReplicationPlan(
        first=options.replications, precision=None, maximum=options.replications, jobs=None
    )
    with tempfile.TemporaryDirectory() as folder, cache.store_or(Path(folder)) as store:
        measured = Runner(numbers, plan, store).run(cells(kinds))
    tables = "\n".join(
        f"## {name}\n\n{what[0].upper()}{what[1:]}.\n\n{table(name, kinds, measured)}"
        for name, (what, _, _) in SCENARIOS.items()
    )
    page = wrap_markdown(PAGE.format(replications=options.replications, tables=tables))
    if options.print:
        sys.stdout.write(page)
    else:
        (DOCS / "survey.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
