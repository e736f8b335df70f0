"""The stress search: bounds, envelope, known attacks, brute force, shrinking, the cause of the harm, and
replay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dropcurve.cli import invoke
from dropcurve.errors import ScenarioError, UsageError
from dropcurve.metrics import statistics
from dropcurve.runs.executor import Executor
from dropcurve.scenario import Scenario, library
from dropcurve.tuning.stress import fault, harm, link_of, shrinking, stress, traffic, trials
from dropcurve.tuning.stress.bounds import Bounds, Case, load, parse
from dropcurve.tuning.stress.findings import SCENARIO
from dropcurve.tuning.stress.front import REGRET_RIVALS
from dropcurve.tuning.stress.parameters import KEYS, PARAMETERS, listed
from dropcurve.tuning.stress.search import StressSearch
from dropcurve.tuning.stress.trials import Trials

LINK = "2/2,rtt=60ms,buffer=60ms"
#: Bounds that are all fixed and harmless: tests widen those they need.
MILD = {
    "flows": "3", "rtt": "60 ms", "rtt_ratio": "1", "start": "1 s", "short": "0 %", "cbr": "0 %", "pulse_rate": "0 %",
    "datagram": "1000 B", "senders": ["rfc"], "cc": "reno", "envelope_rate": "30 %",
}  # fmt: skip


def bounds(**given: Any) -> Bounds:
    """Bounds that are fixed except for the arguments."""
    return parse({**MILD, **given}, rtt_s=0.06)


def searched(design: str, within: Bounds, tmp_path: Path, **more: Any) -> Any:
    """The answer of a small search."""
    given = {"link": LINK, "measure": "goodput of long", "runs": 40, "fresh": 5, "jobs": 1, **more}
    return stress(design, within=within, out=tmp_path / "out", cache=tmp_path / "cache", **given)


class Formula(Trials):
    """Trials whose harm follows from a formula of the case."""

    def __init__(self, within: Bounds, formula: Any) -> None:
        link = link_of(LINK)
        counted = harm.parse("goodput of long", within, link)
        super().__init__(
            within, link, counted, trials.design("droptail", link, within), (), Executor(1), None
        )
        self.formula = formula

    def losses(self, cases: Any, seeds: Any) -> list[list[float]]:
        return [[self.formula(case) for _ in seeds] for case in cases]


def test_every_problem_of_a_file_is_refused_with_its_line_and_the_nearest_key(tmp_path: Path) -> None:
    file = tmp_path / "bounds.toml"
    file.write_text('flwos = "1-9"\nrtt = "5 pkts"\nloss = "80 %"\nsenders = ["linx"]\nflows = "1.5-3"\n')
    with pytest.raises(ScenarioError) as caught:
        load(file)
    lines = caught.value.lines()
    assert len(lines) == 5
    assert f"{file}:1: flwos = 1-9: no such key here; did you mean 'flows'?" in lines
    assert f"{file}:3: loss = 80 %: must lie between 0 % and 50 %; write one such as 0 %" in lines
    assert any("did you mean 'linux'?" in line for line in lines)
    assert invoke(["stress", "codel", "--within", str(file)]) == 2


def test_a_file_of_the_lines_of_bounds_is_the_same_bounds(tmp_path: Path) -> None:
    file = tmp_path / "bounds.toml"
    first = parse({"flows": "1-200", "pulse_width": "10-300 ms", "senders": ["linux", "rfc"]}, rtt_s=0.04)
    file.write_text("\n".join(first.lines()))
    again = load(file, rtt_s=0.04)
    assert again.ranges == first.ranges
    assert again.choices == first.choices


def test_every_key_is_described() -> None:
    assert [row[0].removeprefix("within.") for row in listed()] == list(KEYS)


def test_no_case_leaves_its_bounds_or_the_envelope() -> None:
    within = parse({"envelope_rate": "25 %", "envelope_burst": "40 pkts"}, rtt_s=0.04)
    link = link_of("10/10")
    rng = np.random.default_rng(1)
    pulses = 0
    for _ in range(300):
        case = traffic.enveloped(
            within.at(dict(zip(within.axes, rng.random(len(within.axes)), strict=True))), within, link
        )
        assert traffic.offered(case) <= 25.0 * 1.02
        rate, width = float(case["pulse_rate"]), float(case["pulse_width"])
        beyond = (float(case["cbr"]) + rate - 25.0) / 100.0 * link.rate_bps * width / 12_000.0
        assert rate == 0 or beyond <= 40 * 1.02
        assert rate == 0 or width >= 0.01 * 0.99
        assert all(
            within.ranges[name].low * 0.99 <= float(case[name]) for name in ("flows", "rtt", "pulse_period")
        )
        pulses += rate > 0
        again = traffic.enveloped(case, within, link)
        assert all(again[name] == pytest.approx(case[name], rel=0.02) for name in within.ranges)
    assert pulses > 100


def test_the_low_rate_attack_is_found_at_the_minimum_rto(tmp_path: Path) -> None:
    # Kuzmanovic and Knightly 2003: nulls where the period is the minimum RTO, 1 s, or a fraction of it.
    within = bounds(flows="1", pulse_rate="150 %", pulse_width="80-150 ms", pulse_period="0.4-2.4 s")
    answer = searched("droptail", within, tmp_path, link="4/4,rtt=60ms,buffer=60ms", fresh=8)
    assert float(answer.worst["pulse_period"]) == pytest.approx(1.0, abs=0.1)
    # Of the 70 % of the link that the pulses leave, nearly all is lost.
    assert answer.worst_loss.mean - answer.worst_loss.half_width > 0.55 * answer.link.rate_bps
    assert "fq_codel" in [one.name for one in answer.rivals if one.relation == "far less"]


def test_red_fails_with_many_flows_against_a_fixed_probability(tmp_path: Path) -> None:
    within = bounds(flows="1-60")
    answer = searched(
        "red:max_p=0.02,min_th=5 pkts,max_th=15 pkts", within, tmp_path, measure="loss of call", runs=20
    )
    assert float(answer.worst["flows"]) > 20
    assert "fq_codel" in [one.name for one in answer.rivals if one.relation == "far less"]


def test_the_search_is_never_worse_than_a_grid(tmp_path: Path) -> None:
    """Two open parameters, 64 points of the grid and as many cases for the search; both on fresh seeds."""
    within = bounds(pulse_rate="150 %", pulse_width="60-150 ms", pulse_period="0.3-2.4 s")
    answer = searched("droptail", within, tmp_path, runs=64)
    link = link_of(LINK)
    counted = harm.parse("goodput of long", within, link)
    runner = Trials(within, link, counted, trials.design("droptail", link, within), (), Executor(1), None)
    places = np.linspace(0.0, 1.0, 8)
    grid = [
        runner.enveloped(within.at({"pulse_width": a, "pulse_period": b})) for a in places for b in places
    ]
    best = max(zip(runner.means(grid, [1]), range(64), strict=True))[1]
    theirs = statistics.t_interval(runner.losses([grid[best]], [1_000_001 + n for n in range(5)])[0])
    assert answer.worst_loss.mean + answer.worst_loss.half_width >= theirs.mean
    assert answer.worst_loss.mean >= 0.9 * theirs.mean


@pytest.mark.parametrize("seed", range(3))
def test_the_search_finds_a_narrow_valley(seed: int) -> None:
    """A peak as wide as a throughput null, of 4 % of a range, on a slope that leads elsewhere."""
    within = bounds(flows="1-60", rtt="10-200 ms", cbr="0-30 %", start="0-5 s")

    def formula(case: Case) -> float:
        share = {name: within.share(name, case[name]) for name in within.axes}
        peak = 50.0 * np.exp(-(((share["rtt"] - 0.37) / 0.04) ** 2) - ((share["flows"] - 0.6) / 0.3) ** 2)
        return float(peak + 10.0 * share["cbr"] - 3.0 * share["rtt"])

    search = StressSearch(Formula(within, formula), 120, seed)
    assert search.go()[0].loss > 50.0


def test_shrinking_leaves_what_the_harm_needs() -> None:
    within = bounds(flows="1-60", cbr="0-30 %", short="0-20 %", rtt="10-200 ms")
    runner = Formula(within, lambda case: 100.0 * (float(case["flows"]) >= 7) * (float(case["cbr"]) >= 4.0))
    worst = runner.enveloped({**within.mild(), "flows": 47.0, "cbr": 23.7, "short": 13.0, "rtt": 0.171})
    minimal = shrinking.shrink(runner, worst, [1, 2], 0.8)
    assert minimal["short"] == 0
    assert minimal["rtt"] == pytest.approx(0.06)
    assert 7 <= float(minimal["flows"]) <= 9
    assert 4.0 <= float(minimal["cbr"]) <= 6.0


def test_usual_traffic_that_does_the_harm_is_the_minimal_scenario() -> None:
    within = bounds(flows="1-60", short="0-20 %")
    runner = Formula(within, lambda case: 10.0 + float(case["short"]) / 20.0)
    minimal = shrinking.shrink(runner, runner.enveloped({**within.mild(), "short": 20.0}), [1], 0.8)
    assert minimal["short"] == 0
    assert minimal["flows"] == 1


def interval(mean: float) -> statistics.Interval:
    return statistics.t_interval([mean, mean + 1, mean - 1])


@pytest.mark.parametrize(
    ("rivals", "kind"),
    [
        ({"a": 10, "b": 20, "c": 95}, "design"),
        ({"a": 10, "b": 80, "c": 95}, "some"),
        ({"a": 90, "b": 80, "c": 95}, "any"),
        ({"a": 51, "b": 90, "c": 95}, "undecided"),
    ],
)
def test_the_kinds_of_fault(rivals: dict[str, float], kind: str) -> None:
    own = [100.0, 101.0, 99.0, 100.0]
    noise = np.array([2.0, -2.0, 1.0, -1.0])
    compared = [fault._compared(name, own, list(mean + noise), 0.98) for name, mean in rivals.items()]
    assert fault._kind(own, compared, 0.98) == kind
    assert fault._kind([-1.0, -2.0, -1.5], compared, 0.98) == "none"


def test_the_answer_repeats_and_its_scenario_plays_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    within = tmp_path / "bounds.toml"
    within.write_text("\n".join(bounds(flows="1-20", cbr="0-30 %").lines()))
    call = ["stress", "codel", "--link", LINK, "--within", str(within), "--runs", "20", "--replications", "3"]
    call += ["--out", str(tmp_path / "out"), "--cache", str(tmp_path / "cache"), "--quiet"]
    assert invoke(call) == 0
    first = (tmp_path / "out" / "stress.json").read_bytes()
    page = (tmp_path / "out" / "report.html").read_text()
    assert invoke([*call, "--no-report"]) == 0
    assert (tmp_path / "out" / "stress.json").read_bytes() == first
    scenario = Scenario.load(tmp_path / "out" / SCENARIO)
    capsys.readouterr()
    assert invoke(["stress", *call[1:-1], "--json", "--no-report"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert scenario.hash == data["scenario_hash"]
    assert scenario.digest(data["digest_seed"]) == data["digest"]
    assert data["answer"][0].startswith("Within these bounds codel loses up to")
    assert data["answer"][0].split(";")[0] in page.replace("\n", " ")
    words = data["replay"].split()[1:]
    assert invoke(words) == 0
    assert capsys.readouterr().out.strip() == data["digest"]


def asked(capsys: pytest.CaptureFixture[str], tmp_path: Path, design: str, within: Bounds, *more: str) -> Any:
    """The JSON of the command for a small search."""
    file = tmp_path / "bounds.toml"
    file.write_text("\n".join(within.lines()))
    call = ["stress", design, "--link", LINK, "--within", str(file), "--replications", "3", "--jobs", "1"]
    call += [
        "--out",
        str(tmp_path / "out"),
        "--cache",
        str(tmp_path / "cache"),
        "--json",
        "--no-report",
        *more,
    ]
    capsys.readouterr()
    assert invoke(call) == 0
    return json.loads(capsys.readouterr().out)


def test_regret_subtracts_the_least_harmed_rival_of_each_run() -> None:
    link, within = link_of(LINK), bounds(flows="1-20")
    mine, *others = (trials.design(one, link, within) for one in ("red", "codel", "pie"))
    regrets = Trials(
        within, link, harm.parse("goodput of long", within, link), mine, tuple(others), Executor(1), None
    )
    case, seeds = regrets.enveloped(within.mild()), [1, 2, 3]
    own, *rivals = (regrets.harms(case, seeds, one) for one in (mine, *others))
    assert len({*own, *rivals[0], *rivals[1]}) == 9, "the least rival is to differ between runs"
    assert regrets.losses([case], seeds) == [
        [a - min(b, c) for a, b, c in zip(own, rivals[0], rivals[1], strict=True)]
    ]


def test_the_command_looks_for_regret(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    design = "red:max_p=0.02,min_th=5 pkts,max_th=15 pkts"
    call = ["--harm", "goodput of long", "--regret", "--rival", "sfq", "--runs", "20"]
    data = asked(capsys, tmp_path, design, bounds(flows="1-20"), *call)
    assert data["loss"] == "regret" and "--regret" in data["command"] and "--rival sfq" in data["command"]
    regret = data["minimal"]["loss"]["mean"]
    less = {one["name"]: one["less"]["mean"] for one in data["rivals"]}
    assert {"sfq", *REGRET_RIVALS} <= set(less)
    # The regret is relative to the best rival of each run, so it exceeds the distance from any single rival
    # over all runs.
    assert all(regret >= less[name] - 1e-6 for name in ("sfq", *REGRET_RIVALS))
    words = data["answer"][0]
    assert "more than the best rival" in words if data["fault"] != "none" else "No regret was found" in words


def test_a_limit_of_time_ends_the_search_and_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    within, call = bounds(flows="1-20", cbr="0-30 %"), ["--harm", "goodput of long"]
    cut = asked(capsys, tmp_path, "codel", within, *call, "--runs", "100000", "--time", "0.5s")
    assert cut["stopped"].startswith("cut short to fit into 500 ms") and cut["runs"] < 3_000
    assert 1 <= cut["worst"]["case"]["flows"] <= 20 and cut["minimal"]["loss"]["mean"] is not None
    few = [*call, "--runs", "20"]
    free, ample = (asked(capsys, tmp_path, "codel", within, *few, *more) for more in ([], ["--time", "1h"]))
    assert free["stopped"] is None
    assert {**free, "command": ""} == {**ample, "command": ""}, "time that is left over changes nothing"


@pytest.mark.parametrize(("time", "problem"), [("0s", "must be above 0"), ("5pkts", "time")])
def test_a_time_that_is_none_is_refused(time: str, problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["stress", "codel", "--time", time]) == 2
    assert problem in capsys.readouterr().err


def test_harms_without_a_best_value_are_refused() -> None:
    within, link = bounds(cbr="0-30 %"), link_of(LINK)
    with pytest.raises(UsageError, match="neither good nor bad"):
        harm.parse("max marks", within, link)
    with pytest.raises(UsageError, match="harm = goodpt"):
        harm.parse("goodpt", within, link)
    with pytest.raises(UsageError, match="one objective"):
        harm.parse("max utilisation, min p95 delay", within, link)
    assert harm.parse("p95 delay of call", within, link).unit == "ms"


def test_an_ideal_queue_has_no_harm() -> None:
    """The goodput of one transfer in a buffer of three bandwidth-delay products comes close to the ideal."""
    within, link = bounds(flows="1"), link_of("10/10,rtt=20ms,buffer=60ms")
    counted = harm.parse("goodput of long", within, link)
    runner = Trials(within, link, counted, trials.design("droptail", link, within), (), Executor(1), None)
    case = runner.enveloped({**within.mild(), "rtt": 0.02})
    (loss,) = runner.means([case], [1, 2])
    assert abs(loss) < 0.03 * link.rate_bps


def test_parameters_have_usual_values_inside_their_limits() -> None:
    for one in PARAMETERS.values():
        assert one.least <= one.usual <= one.most


def test_the_page_of_the_worst_has_every_discipline() -> None:
    page = (Path(__file__).parents[2] / "docs" / "stress.md").read_text(encoding="utf-8")
    missing = [one["kind"] for one in library.catalogue()["disciplines"] if f"`{one['kind']}`" not in page]
    assert missing == []
