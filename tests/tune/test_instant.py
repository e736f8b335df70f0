"""The atlas behind `tune --instant`: its file, its ranges and refusals, and its intervals on fresh runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dropcurve.errors import DropcurveError, UsageError
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import build
from dropcurve.runs.sweeping.run_table import RunTable
from dropcurve.scenario.links import spec
from dropcurve.tuning import Question, of_file, of_link, of_mix
from dropcurve.tuning.atlas import answer, features, load, model
from dropcurve.tuning.atlas.start import starts
from dropcurve.tuning.bench import Bench, block
from dropcurve.tuning.customary import customary
from dropcurve.tuning.families import family
from dropcurve.tuning.interval_share import SHARES, beyond

BOUND = "p95 delay < {} ms, max utilisation"


def question(rate: str, rtt: str, flows: str, bound: float, buffer: str = "250ms") -> Question:
    return of_link(rate=rate, rtt=rtt, flows=flows, buffer=buffer, goal=BOUND.format(bound))


def test_the_model_is_small_and_has_the_conditions_it_names() -> None:
    folder = Path(model.__file__).parent / "data"
    assert sum(path.stat().st_size for path in folder.iterdir()) < 5_000_000
    assert set(load().parts) == {"stated", "usual"}
    assert all(part.rows > 1000 for part in load().parts.values())


@pytest.mark.parametrize("damage", ["cut", "bit", "version", "part", "missing", "no JSON"])
def test_a_damaged_model_is_refused_in_one_line(damage: str, tmp_path: Path) -> None:
    source = Path(model.__file__).parent / "data"
    arrays, record = (source / model.NETWORKS).read_bytes(), json.loads((source / model.RECORD).read_text())
    if damage == "cut":
        arrays = arrays[: len(arrays) // 2]
    elif damage == "bit":
        arrays = arrays[:1000] + bytes([arrays[1000] ^ 1]) + arrays[1001:]
    elif damage == "version":
        record["format"] = 99
    elif damage == "part":
        del record["parts"]["usual"]
    if damage != "missing":
        (tmp_path / model.NETWORKS).write_bytes(arrays)
    text = "{" if damage == "no JSON" else json.dumps(record)
    (tmp_path / model.RECORD).write_text(text)
    with pytest.raises(DropcurveError, match="install dropcurve again") as raised:
        load(tmp_path)
    assert "\n" not in str(raised.value)


def test_intervals_hold_fresh_runs(tmp_path: Path) -> None:
    """For eight cheap questions on links outside the training set the intervals cover the simulated values as often as
    90 % intervals do (one-sided test at 0.1 %)."""
    asked = [
        question("3Mbit", "30ms", "3", 60), question("6Mbit", "45ms", "2-6", 40), question("8Mbit", "20ms", "10", 25),
        question("12Mbit", "60ms", "5", 30), question("5Mbit", "80ms", "4", 90), question("10Mbit", "35ms", "2-20", 18),
        question("15Mbit", "25ms", "12", 10), question("2Mbit", "50ms", "2", 80),
    ]  # fmt: skip
    covered = [held for one in asked for held in _covered(one, tmp_path / "runs")]
    assert len(covered) == 16
    assert sum(covered) >= 11


def _covered(one: Question, folder: Path) -> list[bool]:
    """Whether the intervals of utilisation and of the delay at the worst condition hold the means of two runs."""
    pick = answer(one).picks[0]
    bench = Bench(one, RunTable(folder, build(), cache="off"), Executor(1))
    bench.open()
    trials = [trial for seed in (901, 902) for trial in block(one.conditions(), seed)]
    bench.run((pick.candidate, trial) for trial in trials)
    places = [[trial for trial in trials if trial.index == place] for place in range(len(one.conditions()))]
    use = bench.mean(pick.candidate, trials, "utilisation")
    delays = [bench.mean(pick.candidate, some, "sojourn_ms_p95") for some in places]
    actual = {"utilisation": use, "sojourn_ms_p95": max(delay for delay in delays if delay is not None)}
    return [
        pick.measures[key].low <= value <= pick.measures[key].high for key, value in actual.items() if value
    ]


def test_a_question_beyond_the_ranges_is_answered_by_formula() -> None:
    instant = answer(question("20Gbit", "30ms", "50", 10, buffer="100000pkts"))
    assert not instant.picks and not instant.holds
    assert next(one.name for one in instant.outside) == "rate"
    assert instant.best.kind == "droptail"
    assert "rate 20 Gbit/s (atlas:" in str(instant)
    assert instant.record()["source"] == "formula"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (lambda: of_mix("cable", goal="max utilisation, p95 completion time of web < 3s"), "completion time"),
        (lambda: of_mix("cable,l4s=1"), "L4S"),
        (lambda: of_mix("cable", candidates=["choke"]), "choke is not in the atlas"),
        (lambda: of_mix("cable", candidates=["red:ns2"]), "red:ns2 is not in the atlas"),
        (lambda: of_mix("office", box="sonic"), "none of the queues of sonic"),
        (lambda: of_mix("datacentre"), "does not know p95 one-way delay of rpc"),
        (lambda: of_link(rate="5Mbit", rtt="20ms", flows="3", buffer="60pkts", goal="max goodput, min p95 delay"),
         "one objective"),
    ],
)  # fmt: skip
def test_a_question_the_atlas_cannot_answer_is_refused_with_the_remedy(asked: object, message: str) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        answer(asked())  # type: ignore[operator]
    assert "without --instant" in str(raised.value)


@pytest.mark.parametrize("goal", ["balanced", "gaming", "voip", "bulk", "web"])
@pytest.mark.parametrize("link", ["dsl:down", "cable:up", "starlink:down", "office:down"])
def test_every_preset_is_answered_for_every_kind_of_link(link: str, goal: str) -> None:
    instant = answer(of_mix(link, goal=goal, box="linux"))
    assert instant.picks[0].score.low <= instant.picks[0].score.value <= instant.picks[0].score.high
    assert {one.key for one in instant.question.goal.measures} == set(instant.picks[0].measures)
    assert "No configuration for linux" in " ".join(instant.verdict())


@pytest.mark.parametrize("link", ["lte", "dsl"])
def test_a_target_is_a_usual_share_of_its_interval(link: str) -> None:
    asked = of_mix(link)
    for pick in answer(asked).picks:
        assert beyond(pick.candidate) < len(SHARES), pick.candidate.queue
    codel = family("fq_codel", asked.sizing)
    assert {"codel", "fq_codel"} <= set(starts(asked))
    assert starts(asked)["fq_codel"] <= SHARES[-1] * customary(codel, asked.sizing, 1.0)["interval"] * 1.02


def test_no_number_is_beyond_what_is_possible() -> None:
    """Shares and losses lie between 0 and 100 %, however wide the interval."""
    instant = answer(of_mix("dsl:down", goal="balanced"))
    for pick in instant.picks:
        for key, one in pick.measures.items():
            if key.startswith(("utilisation", "flow_loss", "video_stalled")):
                assert 0.0 <= one.low <= one.value <= one.high <= 100.0
            assert one.low >= 0.0


def test_a_measure_of_missing_traffic_is_refused() -> None:
    with pytest.raises(UsageError):
        answer(of_mix("cable,videos=0", goal="max video bit rate of video"))


def test_the_search_starts_from_the_atlas() -> None:
    one = question("10Mbit", "40ms", "4-16", 20)
    scales = starts(one)
    assert set(scales) == set(one.candidates)
    assert next(iter(scales)) == answer(one).picks[0].candidate.kind
    assert starts(of_mix("cable,l4s=1")) == {}, "a question that the atlas cannot answer"


def test_the_command_answers_in_the_usual_form(dropcurve: Callable[..., Any]) -> None:
    line = ["tune", "--rate", "10Mbit", "--rtt", "40ms", "--flows", "4-16", "--buffer", "300pkts"]
    line += ["--goal", "p95 delay < 20ms, max utilisation", "--for", "linux", "--instant"]
    shown = dropcurve(*line)
    assert shown.code in (0, 1)
    assert "Not simulated" in shown.out and "Prove: dropcurve tune --rate 10Mbit" in shown.out
    data = json.loads(dropcurve(*line, "--json").out)
    assert data["simulated"] is False and data["picks"][0]["queue"] == data["queue"]
    refused = dropcurve(*line, "--time", "10s")
    assert refused.code == 2 and "--time: has no meaning with --instant" in refused.err


def test_the_framing_of_a_line_leaves_less_to_the_atlas_and_to_the_search() -> None:
    """Full packets of 1500 bytes take 33 cells of 53: a link of 1500/1749 of the rate, where pages are more of it."""
    plain, framed = (spec(text).profile for text in ("20/2", "20/2,framing=pppoe-llcsnap"))
    share = 1500 / 1749
    same = replace(
        plain, down_bps=share * plain.down_bps, up_bps=share * plain.up_bps, buffer=f"{plain.buffer_pkts('down')} pkts",
        mix=replace(plain.mix, web=plain.mix.web / share),
    )  # fmt: skip
    assert features.usual(framed, "down").numbers == pytest.approx(features.usual(same, "down").numbers)
    assert features.usual(framed, "down").capacity == pytest.approx(
        share * features.usual(plain, "down").capacity
    )
    question = of_mix("20/2,framing=pppoe-llcsnap")
    assert question.sizing.capacity == pytest.approx(share * of_mix("20/2").sizing.capacity)
    assert question.sizing.buffer_pkts == of_mix("20/2").sizing.buffer_pkts
    scenario = question.scenario({})
    assert of_file(scenario).sizing.capacity == pytest.approx(question.sizing.capacity)
