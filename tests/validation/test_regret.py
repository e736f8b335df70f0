"""The page of regrets: drawn links, the reference, the peers and the contest, on a link small enough for a test."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from dropcurve.metrics.statistics import Interval, PairedDifference
from dropcurve.quantities import units
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import build
from dropcurve.runs.sweeping.run_table import RunTable
from dropcurve.tuning import of_link
from dropcurve.tuning.bench import Bench, block
from dropcurve.tuning.candidates import Candidate
from validation.regret import confirm, contest, page, peers, reference
from validation.regret.links import FAST_KINDS, KINDS, drawn, fast, other
from validation.regret.outcome import LinkOutcome


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    question = of_link(
        rate="1Mbit", rtt="30ms", flows="2", buffer="40pkts", goal="p95 delay < 120ms, max utilisation",
        candidates=["droptail"],
    )  # fmt: skip
    opened = Bench(question, RunTable(tmp_path / "runs", build(), cache="off"), Executor(1))
    opened.open()
    opened.scales = [1.0]
    return opened


def test_a_link_depends_on_the_seed_and_its_number_alone() -> None:
    assert drawn(4, seed=7) == drawn(9, seed=7)[:4]
    assert drawn(4, seed=7) != drawn(4, seed=8)


def test_every_drawn_link_is_a_question_with_a_bound() -> None:
    links = drawn(40, seed=1)
    assert {one.kind for one in links} == {kind[0] for kind in KINDS}
    faster = fast(10, seed=1)
    assert {one.kind for one in faster} == {kind[0] for kind in FAST_KINDS}
    assert fast(4, seed=7) == fast(9, seed=7)[:4]
    for one in [*links, *faster]:
        assert len(one.question().goal.constraints) == 1
    assert all(2e8 <= units.rate(one.rate) <= 1e10 for one in faster)


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
    course = peers.course("random", peers.available()["random"], bench, runs=20, seed=3)
    spent = [runs for runs, _ in course.incumbents]
    assert spent == sorted(spent) and spent[-1] <= 20
    assert course.after(20) is course.incumbents[-1][1]
    assert course.after(0) is course.incumbents[0][1]


def test_the_rules_of_thumb_of_a_long_bound_can_be_run(tmp_path: Path) -> None:
    question = of_link(
        rate="2Mbit",
        rtt="500-650ms",
        flows="5-16",
        buffer="433pkts",
        goal="p95 delay < 650ms, max utilisation",
    )
    opened = Bench(question, RunTable(tmp_path / "runs", build(), cache="off"), Executor(1))
    rules = confirm._rules(opened)
    assert [one.kind for one in rules] == ["droptail", "pie", "fq_codel"]
    assert rules[-1].params == {
        "limit": "433 pkts", "target": "227.5 ms", "interval": "650 ms", "ecn": False
    }  # fmt: skip


def test_every_confirmed_discipline_has_attributes_of_ns3() -> None:
    limit = {"limit": "200 pkts"}
    red = {
        **limit,
        "min_th": "5 pkts",
        "max_th": "15 pkts",
        "max_p": 0.1,
        "w_q": 0.002,
        "above_max": "gentle",
    }
    _, attributes = confirm.DISCIPLINES["red"]
    values = attributes(red, 10e6, True)
    assert (values["MinTh"], values["LInterm"], values["Gentle"], values["LinkBandwidth"]) == (
        "5",
        "10",
        "true",
        "10000000bps",
    )
    assert (values["UseEcn"], values["UseHardDrop"]) == ("true", "false")
    _, attributes = confirm.DISCIPLINES["droptail"]
    assert attributes({"limit": "30000 B"}, 10e6, False) == {"MaxSize": "30000B"}
    _, attributes = confirm.DISCIPLINES["fq_codel"]
    assert attributes({**limit, "target": "3.5 ms"}, 10e6, False)["Target"] == "3.5ms"


@pytest.mark.parametrize(
    ("ahead", "worst", "beaten"),
    [(0.5, 0.9, True), (0.5, 1.2, False), (0.1, 0.9, False), (-0.5, 0.9, False)],
)
def test_a_winner_is_beaten_by_a_better_rule_that_keeps_the_bound(
    ahead: float, worst: float, beaten: bool
) -> None:
    pair = PairedDifference(ahead, 0.05, 6, 0.01)
    best = confirm.ConfirmedDesign("mine", 99.0, 99.0, 0.95, 0.96, None)
    rule = confirm.ConfirmedDesign("rule", 99.0, 99.0 + ahead, 0.95, worst, pair)
    assert confirm.Confirmation((best, rule)).beaten is beaten


def test_the_page_states_machine_regret_and_confirmation(bench: Bench, tmp_path: Path) -> None:
    (link,) = drawn(1, seed=3)
    outcome = LinkOutcome(link, points=10)
    spent = {"wall": 90.0, "idle": 30.0, "processor": 30.0, "runs": 500.0, "threads": 1.0}
    interval = Interval(0.05, 0.02, 6)
    outcome.standings = {
        "tune 30s": contest.Standing("tune 30s", "droptail:limit=9 pkts", 99.0, 1.0, 0.97, interval)
    }
    outcome.spent = {"30s": spent}
    best = confirm.ConfirmedDesign("mine", 99.0, 99.1, 0.95, 0.96, None)
    outcome.confirmed = confirm.Confirmation((best,))
    page.write(tmp_path / "page.md", [outcome], ["30s"])
    text = " ".join((tmp_path / "page.md").read_text(encoding="utf-8").split())
    assert f"The answers are those of {date.today().isoformat()}." in text
    assert "`tune` had 1 thread, and time is in processor seconds" in text
    assert "| 30s | 1 of 1 | +0.05 | +0.05 ± 0.02 | 30 s | 30 s |" in text
    assert "**1 of 1 winners are confirmed.**" in text
    before = (tmp_path / "page.md").read_text(encoding="utf-8")
    for _ in range(2):
        page.add_again(tmp_path / "page.md", [outcome], ["30s"], "Answered again")
        added = (tmp_path / "page.md").read_text(encoding="utf-8")
        start = added.index("## Answered again\n")
        section, _, rest = added[start:].partition("\n## ")
        # The section alone is new, and a second call replaces it.
        assert f"{added[:start]}## {rest}" == before
        assert "The first 1 link of the list below" in section and section.count("| 30s |") == 2
    page.add_again(tmp_path / "page.md", [outcome], ["30s"], "Later", (3,))
    later = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "The link 3 of the list below" in later and later.count("| 30s |") == 6
    assert later.index("## Later") < later.index("## Answered again")


def test_links_with_other_objectives_are_questions_of_every_kind() -> None:
    links = other(10, seed=5)
    assert links[:5] == other(5, seed=5)
    goals = [one.question().goal for one in links]
    assert len({goal.objectives[0].label for goal in goals}) >= 4
    assert all(one.short for one in links if "completion" in one.goal)


def test_the_contest_measures_an_objective_that_is_to_be_small(tmp_path: Path) -> None:
    question = of_link(
        rate="1Mbit", rtt="30ms", flows="2", buffer="40pkts", goal="min p95 delay, utilisation > 90%",
        candidates=["droptail"],
    )  # fmt: skip
    bench = Bench(question, RunTable(tmp_path / "runs", build(), cache="off"), Executor(1))
    bench.open()
    designs = {
        "long": Candidate("long", "droptail", {"limit": "60000 B"}),
        "short": Candidate("short", "droptail", {"limit": "12000 B"}),
    }
    trials = block(question.conditions(), 1)
    bench.run((designs["long"], trial) for trial in trials)
    bench.scale(designs["long"], trials)
    standings = contest.hold(bench, designs)
    assert standings["short"].regret.mean == 0.0 and standings["short"].holds
    # A fifth of the delay: 80 % less than with the long buffer.
    assert 60.0 < (standings["long"].regret.mean or 0.0) < 100.0
    assert standings["long"].objective > 3.0 * standings["short"].objective
