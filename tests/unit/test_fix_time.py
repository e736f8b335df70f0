"""The time of `fix`: the designs and runs it allows, which designs get further runs, and what settles the rest."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from dropcurve import boxes
from dropcurve.cli import fix_answer
from dropcurve.cli.configurations import round_trip
from dropcurve.fixes import Thoroughness, budget, configuration, elimination, fix, place
from dropcurve.fixes.elimination import Elimination, contenders
from dropcurve.fixes.queues import LEVEL, YOURS, fix_queue
from dropcurve.quantities import units
from dropcurve.results import Result, Variant
from dropcurve.results.series import Series
from dropcurve.runs import replications as replications_
from dropcurve.runs.effort import Effort
from dropcurve.runs.replications import Replications
from dropcurve.scenario import Scenario
from dropcurve.verdict import Bound, Criterion, SampledDesign, Verdict, decide, headline


@pytest.mark.parametrize(
    ("left_s", "designs", "replications"),
    [(1e9, 6, 5), (-1.0, 3, 3)],
    ids=["all of them", "the fewest"],
)
def test_a_time_bounds_the_designs_and_runs_of_a_comparison(
    left_s: float, designs: int, replications: int
) -> None:
    names = [YOURS, *"abcde"]
    plan = budget.plan(
        names, conditions=1, replications=5, left_s=left_s, run=lambda some: dict.fromkeys(some, 0.0)
    )
    assert (len(plan.names), plan.replications) == (designs, replications)
    assert plan.names[0] == YOURS
    assert plan.dropped == len(names) - designs


def test_where_time_is_short_the_best_of_one_run_each_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(budget.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(budget.threads, "count", lambda _: 1)
    asked: list[list[str]] = []

    def run(some: Sequence[str]) -> dict[str, float]:
        asked.append(list(some))
        clock[0] += 1.0
        return {"a": 9.0, "b": 0.0, "c": 5.0, "d": 1.0, "e": 7.0}

    plan = budget.plan([YOURS, *"abcde"], conditions=1, replications=5, left_s=18.0, run=run)
    assert asked == [[YOURS], [YOURS, *"abcde"]]
    assert plan.names == (YOURS, "b", "d")
    assert plan.replications == 4


def test_runs_of_a_fast_link_are_shorter_and_of_a_switch_in_its_data_centre() -> None:
    text = json.dumps({"WRED_PROFILE": {"p": {"ecn": "ecn_all", "green_min_threshold": "1000000",
                                              "green_max_threshold": "2000000", "green_drop_probability": "5"}},
                       "QUEUE": {"Ethernet0|3": {"wred_profile": "p"}}})  # fmt: skip
    imported = boxes.read(text)
    wide = budget.shortened(place(imported, rate_bps=1e10), 0.04)
    assert 40 * 0.04 <= units.span(str(wide.base.get("run.duration"))) < 2.5
    assert budget.packets(wide.base) <= 1.6e6
    slow = place(imported, rate_bps=1e8)
    assert budget.shortened(slow, 0.04).base.hash == slow.base.hash
    near = place(imported, rate_bps=1e10, rtt_s=round_trip(None, imported.box))
    assert near.base.resolved["flows"]["response"]["source"] == "http"
    assert "call" not in near.base.resolved["flows"]
    assert round_trip(None, "ios") is None, "that of the link"
    assert round_trip("1-2ms", "sonic") == (0.001, 0.002)


def _rounds(
    scores: dict[str, list[float]],
    *,
    until: float | None = None,
    work: Callable[[int], None] = lambda _: None,
) -> tuple[list[tuple[str, int]], Verdict, float | None]:
    """The rounds of designs of these scores, the first in use: the runs that were made, the verdict, and the seconds
    that would settle it. ``work`` is called with the fresh runs of each call."""
    requests: list[tuple[str, int]] = []

    def replicate(names: Sequence[str] | None, count: int) -> Result:
        some = list(scores) if names is None else list(names)
        work(sum(count - max((n for known, n in requests if known == name), default=0) for name in some))
        requests.extend((name, count) for name in some)
        return Result(
            "x", [Variant(name, {}, [{}] * count, Series()) for name in some], list(range(count)), ""
        )

    def judge(result: Result) -> Verdict:
        most = max(len(one.runs) for one in result.variants)
        designs = []
        for one in result.variants:
            own = len(one.runs)
            values: list[float | None] = [*scores[one.name][:own], *[None] * (most - own)]
            there = [number < own for number in range(most)]
            designs.append(SampledDesign(one.name, {"u": values}, current=one.name == YOURS, made=there))
        return decide(designs, [Criterion("u", "utilisation", "%", worth=1.0)], confidence=LEVEL)

    rounds = Elimination(replicate, judge, lambda one: one.name, 5, 30, until=until)
    _, verdict = rounds.run()
    return requests, verdict, rounds.settling_s(verdict)


def _noisy(mean: float, spread: float, period: int = 2) -> list[float]:
    return [mean + (spread if number % period else -spread) for number in range(30)]


def test_further_replications_go_to_designs_in_contention_and_the_verdict_is_that_of_all() -> None:
    scores = {
        YOURS: _noisy(90.0, 1.5), "ahead": _noisy(91.0, 1.0, 3), "far": _noisy(40.0, 0.5),
        "near": _noisy(90.5, 1.0, 5),
    }  # fmt: skip
    requests, verdict, _ = _rounds(scores)
    again = {name for name, count in requests if count > 5}
    assert again == {YOURS, "ahead", "near"}
    whole = decide(
        [
            SampledDesign(name, {"u": values[: verdict.replications]}, current=name == YOURS)
            for name, values in scores.items()
        ],
        [Criterion("u", "utilisation", "%", worth=1.0)],
        confidence=LEVEL,
    )
    assert (verdict.status, verdict.recommended, verdict.leader) == (
        whole.status, whole.recommended, whole.leader,
    )  # fmt: skip
    assert verdict.advantage == whole.advantage
    assert verdict.half_width == whole.half_width, "as simultaneous as over all pairs"
    assert verdict.fewest == 5
    assert "from 5 for designs that were surely worse by then" in " ".join(headline(verdict).details)


def test_a_design_that_a_later_leader_does_not_surely_beat_comes_back_with_all_runs() -> None:
    """Design a surely beats back over five runs; b, which leads later, does not over the same five."""
    rest = 25
    scores = {
        YOURS: [70.0, 92.0, 70.0, 92.0, 70.0, *[80.0, 81.0] * 12, 80.0],
        "a": [90.0] * 5 + [60.0] * rest,
        "back": [89.0] * 5 + [89.5] * rest,
        "b": [70.0, 93.0, 70.0, 93.0, 70.0, *[88.0] * rest],
    }
    requests, verdict, _ = _rounds(scores)
    assert ("back", 5) in requests
    assert any(name == "back" and count > 5 for name, count in requests)
    assert verdict.leader == "back"
    assert verdict.replications == max(count for _, count in requests)


#: A queue that is surely beaten by two designs, of which further runs tell which is the better one.
TWO_AHEAD = {YOURS: _noisy(60.0, 0.5), "ahead": _noisy(91.0, 1.0, 3), "near": _noisy(89.9, 1.0, 5)}


@pytest.mark.parametrize(
    ("until", "replications"), [(None, 5), (1e9, 18), (31.0, 10)], ids=["no time", "long", "short"]
)
def test_a_time_is_spent_until_every_rival_is_decided(
    until: float | None, replications: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a time the comparison ends as soon as it is known to load another queue. Five replications of three
    designs take 15 s here, so that 31 s allow for five more of them."""
    clock = [0.0]
    monkeypatch.setattr(elimination.time, "monotonic", lambda: clock[0])

    def work(runs: int) -> None:
        clock[0] += runs

    requests, verdict, settling_s = _rounds(TWO_AHEAD, until=until, work=work)
    assert verdict.status == "load"
    assert verdict.replications == replications
    assert until is None or clock[0] <= until
    undecided = verdict.related("undecided")
    assert bool(undecided) == (until != 1e9)
    assert (settling_s is None) == (not undecided)
    if settling_s is not None:
        assert settling_s == verdict.settling * len(contenders(verdict, most=30))
    assert max(count for _, count in requests) == replications


@pytest.mark.parametrize(("left_s", "replications"), [(1e9, 12), (3.0, 6), (-1.0, 2)])
def test_replications_that_have_to_end_in_time_are_made_in_parts(
    left_s: float, replications: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each replication takes half a second, two are a part: the third part would end exactly in time, the fourth not.
    Two are made in any case."""
    clock = [0.0]
    monkeypatch.setattr(replications_.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(replications_.threads, "count", lambda _: 1)
    work = Replications([base_of_a_link()], Effort(replications=12), None, until=left_s)

    def extend(size: int, _: object) -> None:
        clock[0] += 0.5 * (size - len(work.seeds))
        work.seeds = list(range(size))

    monkeypatch.setattr(work, "extend_to", extend)
    work.run(None)
    assert len(work.seeds) == replications
    assert clock[0] <= max(left_s, 1.0)


def base_of_a_link() -> Scenario:
    return place(boxes.read("tc qdisc add dev eth0 root pfifo limit 500"), rate_bps=4e6, flows=4).base


def test_a_round_that_runs_out_of_time_keeps_the_replications_that_it_has() -> None:
    """Three of seven further replications of all end in time, and none of a later call."""
    scores = {YOURS: _noisy(60.0, 0.5), "a": _noisy(91.0, 1.0, 3), "b": _noisy(90.0, 1.0, 5)}
    given = {None: 5, (YOURS, "a", "b"): 8}

    def replicate(names: Sequence[str] | None, count: int) -> Result:
        key = None if names is None else tuple(sorted(names, key=list(scores).index))
        made = min(count, given.get(key, 6))
        some = list(scores) if names is None else list(names)
        return Result("x", [Variant(name, {}, [{}] * made, Series()) for name in some], list(range(made)), "")

    rounds = Elimination(replicate, lambda _: None, lambda one: one.name, 5, 30)  # type: ignore[arg-type, return-value]
    first = rounds._extended(replicate(None, 5), [YOURS, "a", "b"], 12)
    assert [len(one.runs) for one in first.variants] == [8, 8, 8] and len(first.seeds) == 8
    # A later call that has no time left takes no run away.
    again = rounds._extended(first, ["a"], 12)
    assert [len(one.runs) for one in again.variants] == [8, 8, 8] and len(again.seeds) == 8


@pytest.mark.parametrize(("each_s", "searched"), [(0.01, True), (1.0, False)])
def test_a_search_that_would_not_fit_into_the_time_is_left_out(
    each_s: float, searched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty runs of a second take a minute on one processor, of ten seconds four are for the search."""
    clock = [0.0]
    monkeypatch.setattr(budget.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(budget.threads, "count", lambda _: 1)

    def run(*_: object, **__: object) -> None:
        clock[0] += each_s

    monkeypatch.setattr(budget, "replicate", run)
    where = place(boxes.read("tc qdisc add dev eth0 root pfifo limit 500"), rate_bps=4e6, flows=4)
    assert budget.searched(where, 10.0) is searched


def test_queues_share_the_time_that_those_before_them_left() -> None:
    search = Thoroughness(seconds=10.0)
    assert configuration._share(search, 3, 0, 0.0).seconds == 10.0
    assert configuration._share(search, 3, 1, 4.0).seconds == 13.0
    assert configuration._share(search, 3, 2, 31.0).seconds == -1.0
    assert configuration._share(Thoroughness(), 3, 1, 4.0).seconds is None


def test_an_undecided_answer_names_the_time_that_would_settle_it(monkeypatch: pytest.MonkeyPatch) -> None:
    where = place(boxes.read("tc qdisc add dev eth0 root pfifo limit 500"), rate_bps=4e6, flows=4)
    done = fix([where], "", search=Thoroughness(tune=False), replications=2, most=2)
    rival = replace(done.queues[0].verdict.rivals[0], relation="undecided", more=3)
    verdict = replace(done.queues[0].verdict, rivals=(rival,), status="undecided", half_width=None)
    one = replace(done.queues[0], verdict=verdict, settling_s=130.0, compared_s=50.0)
    text = fix_answer.settling(replace(done, queues=(one,)), Thoroughness())
    assert text == "Undecided: about 2 min more would settle it; --time 5min runs them."
    partly = replace(one, verdict=replace(verdict, rivals=(rival, replace(rival, more=None))))
    some = fix_answer.settling(replace(done, queues=(partly,)), Thoroughness())
    assert "would settle 1 of 2 rivals, and hardly any number of runs the others" in some
    plain = fix_answer.settling(replace(done, queues=(one, one)), Thoroughness(tune=False))
    assert plain == "Undecided: about 4 min more would settle it; --time 6min runs them."
    assert fix_answer.settling(replace(done, queues=(replace(one, settling_s=None),)), Thoroughness()) == ""
    # Hours are no advice: what is open, and what is left to decide by.
    ahead = replace(rival, behind=-1.0, half_width=2.5)
    for seconds, words in (
        (3500.0, "--time 60min runs them"),
        (9000.0, "runs would take about 2.5 h to settle it"),
    ):
        late = replace(one, verdict=replace(verdict, rivals=(ahead,)), settling_s=seconds)
        text = fix_answer.settling(replace(done, queues=(late,)), Thoroughness(tune=False))
        assert words in text and ("--time" in text) == (seconds < 3600)
        assert ("none of them is ahead by more than 3.5 points" in text) == (seconds > 3600)


def test_below_a_firm_answer_further_runs_are_optional() -> None:
    """The design to load is sure, the one next to it is undecided: nothing below says that the answer is."""
    where = place(boxes.read("tc qdisc add dev eth0 root pfifo limit 500"), rate_bps=4e6, flows=4)
    done = fix([where], "", search=Thoroughness(tune=False), replications=2, most=2)
    rival = replace(
        done.queues[0].verdict.rivals[0], relation="undecided", more=3, behind=0.5, half_width=1.5
    )
    verdict = replace(done.queues[0].verdict, rivals=(rival,), status="load")
    one = replace(done.queues[0], verdict=verdict, settling_s=130.0, compared_s=50.0)
    assert verdict.firm
    text = fix_answer.settling(replace(done, queues=(one,)), Thoroughness())
    assert text == (
        "Optional: about 2 min more would show whether the undecided design is better still (none by more than 1 "
        "points); --time 5min runs them."
    )
    late = replace(one, settling_s=9000.0)
    assert fix_answer.settling(replace(done, queues=(late,)), Thoroughness()) == ""
    # One queue that is undecided makes the whole answer so.
    open_ = replace(one, verdict=replace(verdict, status="undecided", half_width=None))
    text = fix_answer.settling(replace(done, queues=(one, open_)), Thoroughness())
    assert text.startswith("Undecided: about 4 min more")


def test_a_bound_that_further_runs_may_still_meet_keeps_a_design_in_contention() -> None:
    """One miss of five may become one of thirty, which is 96.7 % of runs; two stay below 95 %."""
    capped = Criterion("u", "utilisation", "%", worth=1.0, bound=Bound(50.0, upper=False))
    ok = SampledDesign("ok", {"u": [60.0, 61.0, 59.0, 60.0, 61.0]}, current=True)
    once = SampledDesign("once", {"u": [49.0, 70.0, 71.0, 69.0, 70.0]})
    twice = SampledDesign("twice", {"u": [49.0, 49.0, 71.0, 69.0, 70.0]})
    verdict = decide([ok, once, twice], [capped])
    assert [one.relation for one in verdict.rivals] == ["infeasible", "infeasible"]
    assert contenders(verdict, most=30) == ["ok", "once"]
    assert contenders(verdict, most=5) == ["ok"]


def test_progress_is_that_of_all_queues() -> None:
    seen: list[tuple[int, int, float]] = []
    reported = [configuration._of_all(lambda *one: seen.append(one), before, 2) for before in (0, 1)]
    for one in reported:
        assert one is not None
        one(5, 10, 0.5)
    assert seen == [(5, 20, 0.25), (15, 20, 0.75)]
    assert configuration._of_all(None, 0, 2) is None


def test_a_queue_without_any_time_left_is_not_searched_for() -> None:
    where = place(
        boxes.read("tc qdisc replace dev eth0 root cake bandwidth 2Mbit nat\n"), link="100/2Mbit:up"
    )
    done = fix_queue(
        where, shape=False, search=Thoroughness(seconds=-1.0), replications=2, most=2, exchange=None
    )
    assert done.untuned == "the queues before this one took all of the time; give a longer --time"
    # Of all designs there was time for, the filters of acknowledgements come first.
    assert {"CAKE with ack-filter", "CAKE with ack-filter-aggressive"} <= set(done.names)


def test_the_sentence_over_all_queues_says_which_answers_more_runs_may_change() -> None:
    where = place(boxes.read("tc qdisc add dev eth0 root pfifo limit 500"), rate_bps=4e6, flows=4)
    done = fix([where], "", search=Thoroughness(tune=False), replications=2, most=2)
    first = done.queues[0]
    firm, open_ = (
        replace(first, verdict=replace(first.verdict, status=status, rivals=(), half_width=None))
        for status in ("keep", "undecided")
    )
    assert firm.verdict.firm and not open_.verdict.firm
    better = "nothing that this box can load is surely better"
    for queues, text in (
        ((open_, open_), f"Keep both queues, until more runs decide: {better}."),
        ((firm, firm), f"Keep both queues: {better}."),
        ((firm, open_), f"Keep both queues: {better}; one of them only until more runs decide."),
    ):
        assert fix_answer._summary(replace(done, queues=queues)) == text
