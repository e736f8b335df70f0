"""The search as a whole: its answer, its reproducibility, and its continuation after an interruption."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve import boxes, tuning
from dropcurve.errors import UsageError
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import build
from dropcurve.runs.sweeping.run_table import RunTable
from dropcurve.tuning import bench as bench_module
from dropcurve.tuning import (
    effort,
    families,
    figures,
    fronts,
    of_file,
    of_link,
    page,
    search,
    tuner,
    validation,
)
from dropcurve.tuning.bench import Bench, PairedTrial, block
from dropcurve.tuning.candidates import Candidate, Target
from dropcurve.tuning.race import behind
from dropcurve.tuning.study import front

GOAL = "p95 delay < 25ms, max utilisation"
SECTION = """
[tune]
goal = "p95 delay < 25ms, max utilisation"
candidates = ["red", "droptail"]

[tune.ranges]
"flows.tcp.count" = "2-8"
"""


@pytest.fixture
def asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scenario of a few milliseconds with a question; validation and surroundings are kept small."""
    text = (folder / "short.toml").read_text(encoding="utf-8")
    (folder / "asked.toml").write_text(text + SECTION, encoding="utf-8")
    monkeypatch.setattr(effort, "LEVELS", (effort.Budget(1500, replications=3, fresh=2, seeds=1),) * 2)
    return folder


def test_the_same_seed_gives_the_same_answer_whatever_the_threads(asked: Path) -> None:
    first = dc.tune("asked.toml", runs=150, seed=3, out="first", jobs=1)
    second = dc.tune("asked.toml", runs=150, seed=3, out="second", jobs=2)
    assert first.record() == second.record()
    assert Path("first/tune.json").read_bytes() == Path("second/tune.json").read_bytes()
    assert first.runs <= 1.5 * 150


def test_a_cluster_gives_the_same_answer_even_if_a_worker_dies(
    asked: Path, two_workers: tuple[str, list[int]]
) -> None:
    alone = dc.tune("asked.toml", runs=60, seed=3, out="alone", jobs=1)
    address, pids = two_workers
    killed: list[int] = []

    def kill(_: int, __: int) -> None:
        if not killed:
            killed.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)

    executor = Executor(cluster=address)
    question = of_file("asked.toml")
    together = tuning.solve(question, runs=60, seed=3, executor=executor, out="together", on_batch=kill)
    assert killed
    assert together.record() == alone.record()
    assert RunTable(Path("together/runs"), build()).keys() == RunTable(Path("alone/runs"), build()).keys()


def test_an_interruption_costs_nothing_and_changes_nothing(asked: Path) -> None:
    question = of_file("asked.toml")
    reported: list[int] = []

    def stop(done: int, _: int) -> None:
        reported.append(done)
        if len(reported) == 60:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tuning.solve(question, runs=120, out="cut", executor=Executor(jobs=1), on_batch=stop)
    kept = len(RunTable(Path("cut/runs"), build()).keys())
    assert kept == 60
    again: list[int] = []
    resumed = tuning.solve(question, runs=120, out="cut", on_batch=lambda done, _: again.append(done))
    whole: list[int] = []
    straight = tuning.solve(question, runs=120, out="straight", on_batch=lambda done, _: whole.append(done))
    assert resumed.record() == straight.record()
    # Every run is reported once, as it is made: stored runs are not made again.
    assert len(again) == len(whole) - kept


@dataclass
class Ticking:
    """A clock that advances by ``run_s`` for each run, on any machine."""

    run_s: float
    at: float = 0.0
    slower: float = 1.0

    def now(self) -> float:
        return self.at

    def slowdown(self) -> float:
        return 1.0

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Installs it as the source of time."""
        make = bench_module.execute

        def ticked(jobs: Sequence[Any], *args: Any, **options: Any) -> None:
            make(jobs, *args, **options)
            self.at += self.run_s * len(jobs)
            self.run_s *= self.slower ** len(jobs)

        patch.setattr(bench_module, "execute", ticked)
        patch.setattr(tuner, "WallTime", lambda: self)


@pytest.mark.parametrize(("run_s", "slower"), [(0.02, 1.0), (0.2, 1.0), (0.5, 1.0), (0.2, 1.003), (3.0, 1.0)])
def test_a_limit_of_time_bounds_everything(
    folder: Path, monkeypatch: pytest.MonkeyPatch, run_s: float, slower: float
) -> None:
    """On a fast machine, on slow ones, on one that has time for twenty runs, and on one that grows slower."""
    (folder / "asked.toml").write_text((folder / "short.toml").read_text("utf-8") + SECTION, encoding="utf-8")
    clock = Ticking(run_s, slower=slower)
    clock.install(monkeypatch)
    answer = dc.tune("asked.toml", runs=150, seconds=60.0, out="kept", jobs=2)
    assert clock.at <= 60.0
    # The time is spent, as far as whole replications fit into what is left.
    assert clock.at >= 0.75 * 60.0
    assert answer.replications >= 2 and answer.lines[0].objectives[0].half_width is not None
    text = " ".join(str(answer).split())
    assert "made to fit into 60 s" in text and "another machine may get another answer" in text
    assert f"Over {answer.replications} replications of {answer.fresh_conditions} fresh condition" in text
    left_out = re.search(r"compared with (\d+) of (\d+) rivals", text)
    assert run_s < 3.0 or left_out is not None
    if left_out is not None:
        assert int(left_out[1]) == len(answer.lines) - 1 < int(left_out[2])
    if run_s < 0.1:
        # There is time for everything: nothing is smaller than without a limit.
        assert answer.replications >= 6 and answer.fresh_conditions == 6
        assert answer.drift and answer.sensitivity


@pytest.mark.parametrize("run_s", [1.0, 3.0])
def test_however_short_the_time_the_defaults_of_fair_queues_are_compared(
    folder: Path, monkeypatch: pytest.MonkeyPatch, run_s: float
) -> None:
    """On a machine so busy that there is time for ten or thirty runs."""
    Ticking(run_s).install(monkeypatch)
    answer = tuning.solve(tuning.of_mix("20/2:up"), seconds=30.0, executor=Executor(2), out="kept")
    assert any(one.candidate.name == "FQ-CoDel, defaults" for one in answer.lines)
    assert answer.best.kind == "fq_codel"


@pytest.mark.parametrize("seconds", [None, 200.0])
def test_a_goal_that_nothing_comes_near_ends_early_with_what_is_possible(
    folder: Path, monkeypatch: pytest.MonkeyPatch, seconds: float | None
) -> None:
    Ticking(0.5).install(monkeypatch)
    asked = of_link(
        rate="2Mbit",
        rtt="20-40ms",
        flows="2-4",
        buffer="40pkts",
        goal="p95 delay < 0.1ms, utilisation > 100%",
    )
    answer = tuning.solve(asked, runs=120, seconds=seconds, out="kept", executor=Executor(2), cache="off")
    assert answer.hopeless and not answer.lines[0].holds and not answer.configuration
    assert answer.replications == 2 and not answer.sensitivity and not answer.drift
    verdict = answer.verdict()
    (possible,) = [one for one in verdict if one.startswith("What is possible, p95 delay with utilisation")]
    values = [
        (float(one), float(other)) for one, other in re.findall(r"([0-9.]+) ms with ([0-9.]+) %", possible)
    ]
    points = sorted(
        (spot.measures["sojourn_ms_p95"], spot.objectives[0]) for spot in answer.spots if spot.front
    )
    assert len(values) >= 3 and values == sorted(values)
    assert values[0] == pytest.approx(points[0], rel=1e-3) and values[-1] == pytest.approx(
        points[-1], rel=1e-3
    )
    # The frontier reaches the whole use of the link.
    assert values[-1][1] > 99.0
    assert any("the rest of the time is not spent" in one for one in verdict) == (seconds is not None)


@pytest.mark.parametrize(("goal", "hopeless_"), [("p95 delay < 0.1ms", True), ("p95 delay < 5ms", False)])
def test_a_goal_that_is_only_just_missed_is_searched_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, goal: str, hopeless_: bool
) -> None:
    """A queue of one packet has a p95 delay of 5.5 ms at 2 Mbit/s, so that no design holds either bound."""
    Ticking(0.5).install(monkeypatch)
    asked = of_link(
        rate="2Mbit", rtt="20-40ms", flows="2-4", buffer="40pkts", goal=f"{goal}, max utilisation"
    )
    answer = tuning.solve(asked, runs=120, out="kept", executor=Executor(2), cache="off")
    assert answer.hopeless is hopeless_ and not answer.lines[0].holds


@pytest.mark.filterwarnings("error:constrained_layout")
def test_a_time_that_is_far_too_short_still_gives_an_answer(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "asked.toml").write_text((folder / "short.toml").read_text("utf-8") + SECTION, encoding="utf-8")
    Ticking(5.0).install(monkeypatch)
    answer = tuning.solve(tuning.of_file("asked.toml"), seconds=20.0, executor=Executor(2), out="kept")
    assert page.write(answer, Path("kept")).exists() and not list(Path("kept/figures").glob("queue-*"))
    assert answer.replications == validation.LEAST and not answer.drift and not answer.sensitivity
    assert "sensitivity, drift and queue figures left out" in " ".join(str(answer).split())


def test_a_page_may_have_the_figures_of_the_queue_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "asked.toml").write_text((folder / "short.toml").read_text("utf-8") + SECTION, encoding="utf-8")
    answer = tuning.solve(tuning.of_file("asked.toml"), runs=60, executor=Executor(2), out="kept")
    monkeypatch.setattr(page.figures, "available", lambda _: [])
    monkeypatch.setattr(type(answer), "shows_queue", True)
    assert page.write(answer, Path("alone")).exists()
    assert list(Path("alone/figures").glob("queue-*.svg"))


@pytest.mark.parametrize(("box", "seconds"), [("sonic", 20.0), ("openconfig", 20.0), ("sonic", 200.0)])
def test_a_box_gets_a_configuration_only_of_a_design_that_held_often_enough(
    folder: Path, monkeypatch: pytest.MonkeyPatch, box: str, seconds: float
) -> None:
    """Even under the shortest time limit, and if the box has none of the best initial designs."""
    Ticking(5.0).install(monkeypatch)
    question = of_link(rate="2Mbit", rtt="20-40ms", flows="2-4", buffer="40pkts", goal=GOAL, box=box)
    answer = tuning.solve(question, seconds=seconds, out="kept", executor=Executor(2))
    assert Target(box, 2e6, 0.02).takes(answer.best)
    # In 20 s there are but a few runs of 5 s.
    holds = answer.lines[0].holds
    assert answer.too_few == (seconds == 20.0) and bool(answer.configuration) == (
        holds and not answer.too_few
    )
    opening = (
        "No design that was tried holds" if not holds else "Not settled yet" if answer.too_few else "Load "
    )
    assert answer.verdict()[0].startswith(opening)


@pytest.mark.parametrize("rate", ["10Mbit", "50Mbit", "100Mbit", "500Mbit", "1Gbit"])
@pytest.mark.parametrize(("rtt", "flows"), [("20-200ms", "5-100"), ("10-20ms", "20-40"), ("30ms", "10")])
def test_the_default_effort_stays_within_minutes_and_follows_from_the_question(
    rate: str, rtt: str, flows: str
) -> None:
    question = of_link(rate=rate, rtt=rtt, flows=flows, buffer="500pkts", goal=GOAL)
    spent = effort.by_size(question)
    packets = effort.size(question) * (spent.runs + spent.outside(question))
    # About a microsecond of one processor for each.
    assert packets <= 4.5e8
    assert spent == effort.by_size(question)
    assert effort.by_size(question, 77).runs == 77
    if rate == "10Mbit":
        assert spent.level == 0
    # With one condition a replication is one run, and there are more of them.
    assert spent.replications * spent.fresh >= (6 if spent.level else 18)


def test_the_largest_links_get_the_edges_at_the_ends_of_their_ranges() -> None:
    question = of_link(rate="10Gbit", rtt="5-20ms", flows="50-400", buffer="40000pkts", goal=GOAL)
    spent = effort.by_size(question)
    assert (spent.runs, spent.conditions, spent.brief) == (effort.FEWEST_LARGE, 2, True)
    assert effort.by_size(question, 200).runs == 200


def test_few_conditions_are_the_ends_first() -> None:
    question = of_link(rate="1Gbit", rtt="20-200ms", flows="5-100", buffer="500pkts", goal=GOAL)
    few = question.conditions(4)
    ends = [{"rate": 1e9, "rtt": 0.2, "flows": 5.0}, {"rate": 1e9, "rtt": 0.02, "flows": 100.0}]
    assert few[:2] in (ends, ends[::-1])
    assert len(few) == 4 and question.conditions(100) == question.conditions()


def test_the_search_reaches_what_a_ten_times_larger_grid_finds(asked: Path) -> None:
    """Over RED's thresholds and max_p on one condition: the loss of the answer against the best of 10 x 10 x 10."""
    question = of_file("asked.toml", ranges_={"flows.tcp.count": "6"}, candidates=["red"])
    bench = Bench(question, RunTable(Path("kept/runs"), build()), Executor())
    bench.open()
    outcome = search.Search(bench, 1, effort.Budget(100)).go()
    family = families.family("red", question.sizing)
    trials = block(question.conditions(), 1)
    grid = []
    for shares in product((0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95), repeat=3):
        coordinates = {
            name: axis.at(share)
            for (name, axis), share in zip(family.axes.items(), (*shares, 0.5), strict=True)
        }
        grid.append(Candidate("grid", "red", family.params(coordinates)))
    bench.run((one, trial) for one in grid for trial in trials)
    best = sorted(grid, key=lambda one: bench.score(one, trials))[:3]
    # On fresh seeds for both; the best of a thousand on one seed is partly luck.
    fresh = [PairedTrial.of(0, question.conditions()[0], 5000 + seed) for seed in range(10)]
    answer = outcome.finalists[0]
    bench.run((one, trial) for one in [answer, *best] for trial in fresh)
    pairs = [bench.loss(answer, trial) - min(bench.loss(one, trial) for one in [best[0]]) for trial in fresh]
    gap = dc.statistics.t_interval(pairs)
    assert gap.mean is not None and gap.half_width is not None
    assert gap.mean - gap.half_width <= 0.0


def test_the_answer_states_its_basis(asked: Path) -> None:
    answer = dc.tune("asked.toml", runs=150, out="kept")
    record = json.loads(Path("kept/tune.json").read_text(encoding="utf-8"))
    assert record["queue"] == answer.queue and record["verdict"] == answer.verdict()
    names = [line.candidate.name for line in answer.lines]
    assert {
        "tail drop, whole buffer",
        "Adaptive RED",
        "CoDel, defaults",
        "PIE, defaults",
        "FQ-CoDel, defaults",
    } <= set(names)
    counted = next(one for one in record["verdict"] if one.startswith("Of ") and " on the same runs, " in one)
    stands = [line["standing"] for line in record["confirmed"]]
    assert stands[0] is None and counted.startswith(f"Of {len(stands) - 1} rivals")
    for standing, words in (("worse", "worse"), ("equal", "equal within"), ("undecided", "undecided")):
        number = re.search(rf"(\d+) (?:is|are) {words}", counted)
        assert (int(number[1]) if number else 0) == stands.count(standing)
    text = str(answer)
    assert "Recommendation:" in text and "held in" in text and "If a parameter is off" in text
    assert repr(answer) == f"<Answer: {record['verdict'][0]}>"
    # The recommendation and every rival are lines of each form of the table.
    forms = answer.to_markdown(), answer.to_latex(), answer._repr_html_()
    assert [form.count(mark) for form, mark in zip(forms, ("\n| ", r" \\", "<tr>"), strict=True)] == [
        len(names) + 2,
        len(names) + 1,
        len(names) + 1,
    ]
    assert all("Adaptive RED" in form and "±" not in forms[1] for form in forms)
    # The recommended queue runs as it is written, with the numbers it was chosen for.
    result = dc.compare("short.toml", queues=["droptail", answer.queue], replications=2)
    assert len(result.variants) == 2
    assert list(Path("kept/studies").glob("*.journal"))


def test_optuna_can_read_the_studies(asked: Path) -> None:
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    dc.tune("asked.toml", runs=120, out="kept")
    study = optuna.load_study(
        study_name="droptail", storage=JournalStorage(JournalFileBackend("kept/studies/droptail.journal"))
    )
    assert study.best_trial.params["limit"] > 0 and len(study.trials) >= 4


def test_several_goals_give_a_front(asked: Path) -> None:
    answer = dc.tune(
        "asked.toml", goal="max goodput, min p95 delay", candidates=["droptail"], runs=150, out="kept"
    )
    front_lines = answer.lines[: answer.front]
    assert len(front_lines) >= 2
    points = {
        str(number): [-(line.objectives[0].mean or 0), line.objectives[1].mean or 0]
        for number, line in enumerate(front_lines)
    }
    # Chosen on other seeds; on fresh ones most of it is still a front, from a short delay to a full link.
    assert len(front(points)) >= 2
    # Each is named by its settings, the least goodput first, and the recommendation is marked among them.
    names = [fronts.named(answer, line.candidate) for line in fronts.ordered(answer)]
    assert len(set(names)) == len(names)
    text = str(answer)
    shown = text.partition("The Pareto front:")[2].partition("Off the front")[0].splitlines()[2:]
    rows = [line for line in shown if "±" in line]
    assert [line.split("  ")[-1].strip() for line in rows] == names and sum("→" in line for line in rows) == 1
    assert f"The front has {len(names)} designs" in " ".join(text.split())
    # Every goal has its own part of the sensitivity, in a unit of the right size.
    assert "goodput (Mbit/s)" in text and "  p95 delay (ms)" in text
    content = page.content(answer, [])
    assert [title.partition(":")[0] for title, _ in content["table"]["groups"]] == [
        "The Pareto front",
        "Off the front",
    ]
    assert [row["name"] for row in content["table"]["groups"][0][1]] == names
    assert [axis.unit for axis in figures._axes(answer)] == ["Mbit/s", "ms"]


def test_the_measures_of_a_sum_are_reported_too(asked: Path) -> None:
    goal = "max utilisation - 0.5 * mean delay"
    answer = dc.tune("asked.toml", goal=goal, candidates=["droptail"], runs=60, out="kept")
    text = " ".join(str(answer).split())
    assert "Goal: the highest score; score = utilisation − 0.5 × mean delay; the mean over the range" in text
    expected = r"expect utilisation \d\S* ± \S+ %, mean delay \S+ ± \S+ ms, score \S+ ± \S+ points"
    assert re.search(expected, text)
    head = next(line for line in str(answer).splitlines() if line.startswith("   ") and "score" in line)
    assert re.split(r"\s{2,}", head.strip()) == [
        "score",
        "utilisation",
        "mean delay",
        "compared with →",
    ]
    assert [name for name, _ in page.content(answer, [])["expected"]] == [
        "score",
        "utilisation",
        "mean delay",
    ]


def test_three_goals_are_drawn_in_pairs(asked: Path) -> None:
    goal = "max goodput, min p95 delay, min loss"
    answer = dc.tune("asked.toml", goal=goal, candidates=["droptail"], runs=60, out="kept")
    figure = figures._figure("trade", answer, "page", {})
    assert [ax.get_xlabel() for ax in figure.axes] == ["p95 delay (ms)", "loss (%)"]
    for ax in figure.axes:
        (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
        ringed = ax.lines[-1].get_xydata()[0]
        assert left < ringed[0] < right and low < ringed[1] < high
    assert "Nothing else that was asked for is better in any of the goals" in " ".join(str(answer).split())


def test_a_front_has_what_nothing_beats() -> None:
    points = {"a": [1.0, 5.0], "b": [2.0, 3.0], "c": [2.0, 4.0], "d": [9.0, 1.0], "e": [float("inf"), 0.0]}
    assert front(points) == ["a", "b", "d"]


def test_only_what_is_clearly_behind_is_called_so(asked: Path) -> None:
    question = of_file("asked.toml")
    bench = Bench(question, RunTable(Path("kept/runs"), build()), Executor())
    bench.open()
    good, near, huge = (Candidate(str(limit), "droptail", {"limit": f"{limit} pkts"}) for limit in (8, 9, 50))
    first = block(question.conditions(), 1)
    bench.run((one, trial) for one in (huge, near, good) for trial in first)
    bench.scale(huge, first)
    assert behind(bench, huge, good, first)
    assert not behind(bench, near, good, first) and not behind(bench, good, good, first)


def test_a_condition_without_a_value_of_the_objective_does_not_count(folder: Path) -> None:
    """One flow has no fairness; a design is not infinitely bad for that."""
    question = of_link(
        rate="1Mbit", rtt="20ms", flows="1-2", buffer="20pkts", goal="max fairness", robust="worst"
    )
    bench = Bench(question, RunTable(Path("kept/runs"), build()), Executor())
    bench.open()
    one, other = (Candidate("", "droptail", {"limit": f"{limit} pkts"}) for limit in (8, 16))
    trials = block(question.conditions(), 1)
    bench.run((design, trial) for design in (one, other) for trial in trials)
    bench.scale(one, trials)
    alone = [trial for trial in trials if dict(trial.condition)["flows"] == 1.0]
    together = [trial for trial in trials if trial not in alone]
    assert alone and together
    assert all(bench.void(trial) for trial in alone) and not any(bench.void(trial) for trial in together)
    assert bench.losses(one, trials) == bench.losses(one, together) and bench.losses(one, alone) == [0.0]
    assert bench.score(other, trials) == bench.score(other, together) < 0.0


def test_a_goal_that_the_traffic_has_no_value_for_is_refused(asked: Path) -> None:
    with pytest.raises(UsageError, match="only finite transfers and web objects have completion times"):
        dc.tune("asked.toml", goal="min completion time", runs=60, out="kept")


@pytest.mark.parametrize(
    ("box", "kind", "begins", "settings"),
    [
        ("linux", "red", "tc qdisc", {"dialect", "w_q"}),
        ("cisco", "wred", "policy-map", {"denominator", "exponent"}),
    ],
)
def test_the_configuration_is_that_of_the_box(
    folder: Path, monkeypatch: pytest.MonkeyPatch, box: str, kind: str, begins: str, settings: set[str]
) -> None:
    monkeypatch.setattr(effort, "LEVELS", (effort.Budget(1500, replications=2, fresh=1),) * 2)
    question = of_link(
        rate="2Mbit", rtt="20ms", flows="2", buffer="40pkts", goal="p95 delay < 40ms, max utilisation", box=box,
        candidates=[kind],
    )  # fmt: skip
    answer = tuning.solve(question, runs=60, out="kept")
    assert answer.configuration.startswith(begins)
    assert Path(f"kept/configuration.{boxes.named(box)}").read_text("utf-8") == answer.configuration
    # What the page offers as the next step is a report card of this queue on this link.
    verb, queue, *options = shlex.split(page.beyond(answer))[1:]
    assert (verb, queue) == ("evaluate", answer.queue)
    assert options == ["--rate", "2 Mbit/s", "--rtt", "20 ms", "--buffer", "40 pkts"]
    tuned = next(line.candidate for line in answer.lines if line.candidate.origin == "search")
    assert settings <= set(tuned.loaded)


def test_a_box_takes_what_can_be_written_for_it() -> None:
    fair, red = (Candidate(kind, kind, {"limit": "40 pkts"}) for kind in ("fq_codel", "red"))
    assert [Target(box, 2e6, 0.02).takes(fair) for box in ("ios", "linux", "")] == [False, True, True]
    assert Target("ios", 2e6, 0.02).takes(red)


@pytest.mark.parametrize("box", ["linux", "ios", "junos", "sonic", "openconfig"])
def test_a_written_queue_reads_back_as_the_simulated_one(box: str) -> None:
    params = {"limit": "200 pkts", "min_th": "5 pkts", "max_th": "15 pkts", "max_p": 0.1, "w_q": 0.01}
    target = Target(box, 2e7, 0.06)
    design = target.candidate("one", "red", params)
    assert design is not None
    export, changed = target.written(design)
    assert export is not None and export.text and changed == ()
    # Had another setting been simulated, there would be no configuration.
    other = replace(design, loaded={**design.loaded, "w_q": 0.5})
    assert target.written(other) == (None, ("w_q",))


def test_disciplines_a_box_lacks_are_compared_but_not_recommended(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effort, "LEVELS", (effort.Budget(1500, replications=2, fresh=1),) * 2)
    goal = "max utilisation, min p95 delay"
    question = of_link(rate="2Mbit", rtt="20ms", flows="2", buffer="40pkts", goal=goal, box="junos")
    answer = tuning.solve(question, runs=60, out="kept")
    assert answer.configuration.startswith("set class-of-service")
    held = boxes.kinds("junos")
    assert {line.candidate.kind for line in answer.lines[: answer.front]} <= set(held)
    assert "fq_codel" not in held and "fq_codel" in {line.candidate.kind for line in answer.lines}


def test_the_command_line_answers(asked: Path, dropcurve: Callable[..., Any]) -> None:
    answer = dropcurve("tune", "asked.toml", "--runs", "120", "--out", "kept")
    assert answer.code == 0 and "Recommendation:" in answer.out and "; so far: " in answer.err
    assert "Repeat: dropcurve tune asked.toml --runs 120 --seed 1" in answer.out
    page = Path("kept/report.html").read_text(encoding="utf-8")
    assert page.count("<svg") >= 8 and "http" not in page.replace("http-equiv", "")
    assert len(list(Path("kept/figures").glob("*.png"))) == 5
    data = dropcurve(
        "tune", "asked.toml", "--runs", "120", "--out", "kept", "--json", "--no-report", "--quiet"
    )
    assert json.loads(data.out)["queue"]
