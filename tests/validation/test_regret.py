"""The page of regrets: drawn links, the reference, the peers and the contest, on a link small enough for a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from dropcurve.runs.executor import Executor
from dropcurve.runs.job import build
from dropcurve.runs.sweeping.run_table import RunTable
from dropcurve.tuning import of_link
from dropcurve.tuning.bench import Bench
from dropcurve.tuning.candidates import Candidate
from validation.regret import contest, peers, reference
from validation.regret.links import KINDS, drawn


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    question = of_link(
        rate="1Mbit", rtt="30ms", flows="2", buffer="40pkts", goal="p95 delay < 120ms, max utilisation",
        candidates=["droptail"],
    )  # fmt: skip
    made = Bench(question, RunTable(tmp_path / "runs", build(), cache="off"), Executor(1))
    made.open()
    return made


def test_a_link_depends_on_the_seed_and_its_number_alone() -> None:
    assert drawn(4, seed=7) == drawn(9, seed=7)[:4]
    assert drawn(4, seed=7) != drawn(4, seed=8)


def test_every_drawn_link_is_a_question_with_a_bound() -> None:
    links = drawn(40, seed=1)
    assert {one.kind for one in links} == {kind[0] for kind in KINDS}
    for one in links:
        assert len(one.question().goal.constraints) == 1


def test_the_contest_tells_a_short_buffer_from_one_at_the_bound(bench: Bench) -> None:
    designs = {
        "short": Candidate("short", "droptail", {"limit": "3000 B"}),
        "at the bound": Candidate("at the bound", "droptail", {"limit": "14000 B"}),
        "beyond": Candidate("beyond", "droptail", {"limit": "60000 B"}),
    }
    standings = contest.hold(bench, designs)
    assert standings["at the bound"].holds and standings["at the bound"].regret.mean == 0.0
    assert standings["short"].regret.mean > 1.0
    assert not standings["beyond"].holds and standings["beyond"].worst > 1.0


def test_the_reference_finds_a_design_that_holds(bench: Bench) -> None:
    best, points = reference.search(bench)
    assert 10 < points <= len(reference.SHARES)  # below two packets shares are the same design
    standing = contest.hold(bench, {"reference": best[0]})["reference"]
    assert standing.holds and standing.objective > 99.0


def test_the_incumbent_of_a_peer_is_the_best_so_far(bench: Bench) -> None:
    made = peers.course("random", peers.available()["random"], bench, runs=20, seed=3)
    spent = [runs for runs, _ in made.incumbents]
    assert spent == sorted(spent) and spent[-1] <= 20
    assert made.after(20) is made.incumbents[-1][1]
    assert made.after(0) is made.incumbents[0][1]
