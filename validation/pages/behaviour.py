"""Writes `docs/behaviour.md`: the known behaviour of each discipline, shown by a scenario.

    python -m validation.pages.behaviour            # ten replications of a minute each; writes the page
    python -m validation.pages.behaviour --quick    # as the tests run it; prints

A row is a claim that was published of a discipline, with the range in which it would be right stated before the run
(`dropcurve.studies`). `tests/docs/test_behaviour.py` runs all of them, shortened, and asks for a row for each kind.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import dropcurve as dc
from dropcurve import studies as st
from dropcurve.present.wrapping import wrap_markdown
from dropcurve.studies import claims

from . import behaviour_averages as averages
from . import behaviour_controls as controls
from . import behaviour_flows as per_flow
from . import behaviour_literature as literature
from . import behaviour_phenomena as causes
from . import behaviour_transports as senders
from .behaviour_network import NetworkRow, measure

DOCS = Path(__file__).resolve().parents[2] / "docs"


def rows() -> list[NetworkRow]:
    """Every claim, one for each kind."""
    return [
        *averages.passive(), *averages.red_family(), *averages.red_variants(), *averages.moving(),
        *controls.with_flows(), *controls.controllers(), *controls.delays(), *controls.fair_delays(),
        *controls.schedulers(), *controls.classes(),
        *literature.steps_and_virtual_queues(), *literature.shapers(), *literature.rates(),
        *literature.estimators(), *literature.standards(),
        *per_flow.limiting(), *per_flow.steered(), *per_flow.remembered(), *per_flow.predicted(),
    ]  # fmt: skip


def phenomena() -> list[NetworkRow]:
    """Rows of what queues do whatever their kind."""
    return causes.phenomena()


def transports() -> list[NetworkRow]:
    """Rows of transports and congestion controls, one for each page."""
    return senders.transports()


def ask(
    rows: Sequence[NetworkRow], folder: Path, replications: int, *, share: float = 1.0
) -> list[st.Finding]:
    """Runs the cells of rows and judges their claims; ``share`` shortens the runs."""
    cells = {row.kind: {name: dc.Scenario.parse(text) for name, text in row.cells.items()} for row in rows}
    studies = [
        st.Study(
            name=row.kind, title=row.kind, source=row.source, question=row.claim, measure=measure,
            settings={"main": st.Setting("", partial(dict, cells[row.kind]))},
            claims=(st.TestedClaim(row.kind, row.source, row.claim, row.tests),),
            page=lambda _: st.Page((), (), ()), tolerance={}, shorten=share,
        )
        for row in rows
    ]  # fmt: skip
    return [
        st.reproduce(one, folder=folder / one.name, quick=True, replications=replications).finding(one.name)
        for one in studies
    ]


def quick(rows: Sequence[NetworkRow], folder: Path) -> list[st.Finding]:
    """The form that tests run."""
    return ask(rows, folder, 6, share=0.5)


def fits(test: claims.Test, part: claims.Part) -> bool:
    """Whether a part holds: by its interval, or by its value where all replications are equal and there is none."""
    low = -math.inf if test.above is None else test.above
    high = math.inf if test.below is None else test.below
    return part.verdict == st.HOLDS or (part.constant and low < part.value < high)


def table(rows: Sequence[NetworkRow], findings: Sequence[st.Finding]) -> str:
    """The rows of disciplines, by kind."""
    pairs = sorted(zip(rows, findings, strict=True), key=lambda pair: pair[0].kind)
    return _lines("Kind", [(f"[`{row.kind}`](disciplines/{row.kind}.md)", row, one) for row, one in pairs])


def table_of_transports(rows: Sequence[NetworkRow], findings: Sequence[st.Finding]) -> str:
    """The rows of transports, by name."""
    pairs = sorted(zip(rows, findings, strict=True), key=lambda pair: pair[0].kind)
    return _lines(
        "Transport", [(f"[`{row.kind}`](transports/{row.kind}.md)", row, one) for row, one in pairs]
    )


def table_of_phenomena(rows: Sequence[NetworkRow], findings: Sequence[st.Finding]) -> str:
    """The rows of phenomena, as they are ordered."""
    return _lines("Phenomenon", [(row.kind, row, one) for row, one in zip(rows, findings, strict=True)])


def _lines(first: str, rows: Sequence[tuple[str, NetworkRow, st.Finding]]) -> str:
    lines = [f"| {first} | Known for | Scenario | Measured | Right if | |", "|---|---|---|---|---|---|"]
    for name, row, finding in rows:
        head = [name, f"{row.claim} ({row.source})", row.scenario]
        for test, part in zip(row.tests, finding.parts, strict=True):
            verdict = st.HOLDS if fits(test, part) else part.verdict
            lines.append(f"| {' | '.join(head)} | {part.label}: {part.estimate} | {part.rule} | {verdict} |")
            head = [""] * 3
    return "\n".join(lines) + "\n"


PAGE = """\
# What each discipline and each transport is known for

Does the simulator show what the literature says? One row or more for each discipline, then for each
[transport](#what-each-transport-is-known-for) and for [queues as such](#what-queues-do): what was published, a
scenario that shows it, and the range in which the claim is right. Scenarios and ranges were settled with trial runs
in view: a row shows that the claim holds here, not that it does so everywhere. The network is one link of 10 Mbit/s
with round trips of 44 to 64 ms and packets of 1500 bytes, unless a row states others; transfers are TCP without end
by the current RFCs, a flood sends packets at random instants whatever becomes of them, a call sends 80 kbit/s. What
is not named is at its default.

Means over {replications} runs with 95 % intervals, widened where a row asks several questions. A row holds if the whole
interval lies where it should; where all replications are equal there is none, and the value counts.
`validation/pages/behaviour.py` writes this page; the tests run a shorter form of every row.

{table}
## What each transport is known for

One row for each page of a transport or a congestion control, by the same rules.

{transports}
The ranges of `tfrc`, `tear`, `lda`, `drs` and `rap` were settled in view of four runs each. A second test, with 20
seeds that were not among them, gave means of 1.68, 1.40, 1.79 and 2.07 times TCP, and for RAP 4.84 at 10 Mbit/s and
1.95 at 40. They belong to the scenario: at 40 Mbit/s LDA+ gets less than TCP in its start
([its page](transports/lda.md)).

## What queues do

The reasons for queue management, as scenarios of the same kind.

{phenomena}
Whole studies are [done again](studies/README.md) claim by claim; `wtred`, `red_at` and `fred_refined` do less in them
than their papers say.
"""
REPLICATIONS = 10


def main() -> None:
    """Runs, and writes the page or prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="shorter and fewer runs; prints")
    parser.add_argument("--kind", action="append", help="only this one; prints")
    options = parser.parse_args()
    parts = (rows(), table), (transports(), table_of_transports), (phenomena(), table_of_phenomena)
    work = quick if options.quick else partial(ask, replications=REPLICATIONS)
    tables = []
    for every, layout in parts:
        some = [row for row in every if not options.kind or row.kind in options.kind]
        with tempfile.TemporaryDirectory() as folder:
            tables.append(layout(some, work(some, Path(folder))) if some else "")
    if options.quick or options.kind:
        sys.stdout.write("".join(tables))
    else:
        kinds, of_transports, of_all = tables
        page = PAGE.format(replications=REPLICATIONS, table=kinds, transports=of_transports, phenomena=of_all)
        (DOCS / "behaviour.md").write_text(wrap_markdown(page), encoding="utf-8")


if __name__ == "__main__":
    main()
