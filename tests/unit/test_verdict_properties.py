"""Every rule of a verdict on drawn runs: no draw may lead to a sentence that its numbers do not bear."""

from __future__ import annotations

import math
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from dropcurve.metrics import statistics
from dropcurve.verdict import Bound, Criterion, SampledDesign, Verdict, decide, headline, ranking
from dropcurve.verdict.equivalence import MARGIN_POINTS, MOST_REPLICATIONS, holds
from dropcurve.verdict.sentences import FEW

USE = Criterion("use", "utilisation", "%", worth=1.0)
WAIT = Criterion("wait", "p95 delay of voice", "ms", worth=-0.5)
CAPPED = Criterion("wait", "p95 delay", "ms", worth=-0.01, bound=Bound(20.0))
PAGE = Criterion("page", "mean page load time", "ms")
VIDEO = Criterion("video", "bit rate of video", "bit/s", better="higher")
RUNS = 5
#: Names without digits, so that every number in a sentence is one of the verdict's.
NAMES = ("tail drop", "codel", "pie", "cake", "red")


@st.composite
def designs(draw: st.DrawFn) -> list[SampledDesign]:
    """Two to five designs with equal or different means and little or much noise."""
    count = draw(st.integers(2, 5))
    current = draw(st.integers(-1, count - 1))
    drawn = []
    for number in range(count):
        samples = {}
        # Even with the largest noise a delay of 10 ms stays above zero.
        for key, low, high in (("use", 60.0, 100.0), ("wait", 10.0, 40.0)):
            centre = draw(st.sampled_from([low, (low + high) / 2, high - 0.1, high]))
            spread = draw(st.sampled_from([0.0, 0.01, 0.1, 3.0]))
            samples[key] = [centre + spread * draw(st.integers(-3, 3)) for _ in range(RUNS)]
        drawn.append(SampledDesign(NAMES[number], samples, float(draw(st.integers(0, 3))), number == current))
    return drawn


def score(one: SampledDesign, criteria: list[Criterion]) -> float:
    return sum(c.worth * statistics.mean([v or 0.0 for v in one.samples[c.key]]) for c in criteria)


def feasible(one: SampledDesign) -> bool:
    return holds(sum((value or 0.0) <= 20.0 for value in one.samples["wait"]), RUNS)


def decided(some: list[SampledDesign], criteria: list[Criterion]) -> tuple[Verdict, dict[str, SampledDesign]]:
    return decide(some, criteria, exchange="an exchange rate"), {one.name: one for one in some}


def words(verdict: Verdict) -> str:
    text = headline(verdict)
    return " ".join([*text.sentences, *text.details])


@given(designs())
@settings(max_examples=60, deadline=None)
def test_a_design_that_holds_never_loses_to_one_that_does_not(some: list[SampledDesign]) -> None:
    verdict, named = decided(some, [USE, CAPPED])
    if any(map(feasible, some)):
        assert feasible(named[verdict.recommended])
        assert verdict.status != "none feasible"
    else:
        assert verdict.status == "none feasible"
        assert "No design meets the goal" in words(verdict)
    for rival in verdict.rivals:
        if rival.relation == "infeasible":
            assert not feasible(named[rival.name])


@given(designs())
@settings(max_examples=60, deadline=None)
def test_a_design_within_the_margin_is_never_called_better_or_worse(some: list[SampledDesign]) -> None:
    verdict, named = decided(some, [USE, WAIT])
    leader = named[verdict.leader]
    for rival in verdict.rivals:
        gap = score(leader, [USE, WAIT]) - score(named[rival.name], [USE, WAIT])
        if rival.relation == "better":
            assert gap > verdict.margin and gap > (rival.half_width or 0.0)
        if rival.relation == "equal":
            assert abs(gap) + (rival.half_width or 0.0) <= verdict.margin


@given(designs())
@settings(max_examples=60, deadline=None)
def test_a_design_in_use_is_replaced_only_by_one_that_is_better(some: list[SampledDesign]) -> None:
    verdict, named = decided(some, [USE, WAIT])
    if not verdict.current:
        return
    pair = statistics.paired(
        [u - 0.5 * w for u, w in zip(*_both(named[verdict.recommended]), strict=True)],
        [u - 0.5 * w for u, w in zip(*_both(named[verdict.current]), strict=True)],
        confidence=1.0 - 0.05 / (len(some) - 1),
    )
    if verdict.status == "load":
        assert verdict.recommended != verdict.current
        assert pair is not None and pair.mean > max(verdict.margin, pair.half_width or 0.0)
        assert words(verdict).startswith(f"Load {verdict.recommended} instead of {verdict.current}: ")
    if verdict.status == "keep":
        assert verdict.recommended == verdict.current
        ends = [(one.half_width or 0.0) - (one.behind or 0.0) for one in verdict.related("undecided")]
        assert verdict.firm == all(end <= 3.0 * verdict.margin for end in ends)
        assert words(verdict).startswith(f"Keep {verdict.current} {'(' if verdict.firm else 'for now ('}")
    if verdict.status == "undecided":
        assert verdict.recommended == verdict.current
        sure = verdict.faint is not None
        assert words(verdict).startswith(f"Keep {verdict.current} {'(' if sure else 'for now ('}")


@given(designs())
@settings(max_examples=60, deadline=None)
def test_every_verdict_opens_with_one_design_to_run_and_names_no_rival_it_beats(
    some: list[SampledDesign],
) -> None:
    verdict, _ = decided(some, [USE, WAIT])
    opening = headline(verdict).sentences[0]
    assert re.match(rf"(Load|Keep) {verdict.recommended}\b", opening)
    beaten = {one.name for one in verdict.related("better")}
    assert not beaten & {*verdict.unsettled, *verdict.equals}
    assert verdict.recommended not in beaten
    assert not {*verdict.unsettled} & {*verdict.equals}
    if verdict.status == "undecided" and not verdict.current:
        behind = {one.name: one.behind or 0.0 for one in verdict.rivals}
        assert behind.get(verdict.recommended, 0.0) <= verdict.margin
        assert verdict.unsettled, "what is undecided is named"
        if verdict.recommended == verdict.leader and beaten:
            assert f"surely better than {next(one.name for one in verdict.related('better'))}" in opening
    if " better on balance" in opening or " instead of " in opening:
        assert verdict.reference not in verdict.equals or any(one.kind == "gain" for one in verdict.changes)
    rows = ranking(verdict)
    (marked,) = [row for row in rows[1:] if row[0].startswith("→")]
    assert marked[0] == f"→ {verdict.recommended}", "the table marks the design of the first sentence"


@given(designs())
@settings(max_examples=60, deadline=None)
def test_of_equal_designs_none_that_is_simpler_is_passed_over(some: list[SampledDesign]) -> None:
    verdict, named = decided(some, [USE, WAIT])
    if verdict.status != "load" or verdict.current:
        return
    equals = [verdict.leader, *(one.name for one in verdict.related("equal"))]
    assert verdict.recommended in equals
    assert named[verdict.recommended].simplicity == min(named[name].simplicity for name in equals)


@given(designs())
@settings(max_examples=60, deadline=None)
def test_gains_and_costs_are_what_the_paired_runs_show(some: list[SampledDesign]) -> None:
    verdict, named = decided(some, [USE, WAIT])
    for change in verdict.changes:
        mine, theirs = (
            statistics.mean([value or 0.0 for value in named[name].samples[change.criterion.key]])
            for name in (verdict.recommended, verdict.reference)
        )
        better = (mine > theirs) == change.criterion.higher
        if change.kind in ("gain", "cost"):
            assert better == (change.kind == "gain")
            assert abs(mine - theirs) > max(change.half_width or 0.0, change.criterion.margin(MARGIN_POINTS))
    text = words(verdict)
    if "No measure gets worse" in text:
        assert all(one.kind in ("gain", "same") for one in verdict.changes)
    if "It costs " in text and "nothing" not in text:
        assert any(one.kind == "cost" for one in verdict.changes)


@given(designs())
@settings(max_examples=60, deadline=None)
def test_more_runs_are_asked_for_only_where_the_runs_cannot_tell(some: list[SampledDesign]) -> None:
    verdict, _ = decided(some, [USE, WAIT])
    for rival in verdict.rivals:
        assert rival.more is None or (rival.relation == "undecided" and rival.more >= 1)
    known = [one.more for one in verdict.in_question]
    waits = (
        verdict.more is not None and verdict.faint is None
        if verdict.status == "undecided"
        else bool(known) and None not in known
    )
    assert ("would decide" in words(verdict)) == waits


@given(designs(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_every_number_of_the_sentences_is_one_of_the_verdict(some: list[SampledDesign], capped: bool) -> None:
    verdict, named = decided(some, [USE, CAPPED if capped else WAIT])
    # The last two are the replications that are advised, and the most that are ever asked for.
    known = {
        verdict.margin,
        95.0,
        float(RUNS),
        100.0 * verdict.confidence,
        20.0,
        float(FEW),
        float(MOST_REPLICATIONS),
    }
    for change in verdict.changes:
        known |= {change.recommended, change.other, abs(change.difference)}
    known |= {value.mean for value in [*verdict.values, *verdict.leading]}
    for rival in verdict.rivals:
        known |= {abs(x) for x in (rival.behind, rival.half_width, rival.more) if x is not None}
        known |= {(rival.half_width or 0.0) - (rival.behind or 0.0)}
        known |= {float(x) for m in rival.missed for x in (m.missed, m.runs, m.worst or 0.0)}
    known |= {float(x) for m in verdict.missed for x in (m.missed, m.runs, m.worst or 0.0)}
    known |= {abs(x) for x in (verdict.advantage, verdict.half_width) if x is not None}
    known |= {float(n) for n in range(len(named) + 1)}
    text = re.sub(r"\bp95\b", "", words(verdict))
    for shown in re.findall(r"\d+(?:\.\d+)?", text):
        step = 10.0 ** -len(shown.partition(".")[2]) if "." in shown else 1.0
        # Numbers have as many digits as their intervals support.
        assert any(abs(float(shown) - one) <= max(0.51 * step, 0.006 * abs(one)) for one in known), (
            shown,
            text,
        )


@given(designs())
@settings(max_examples=40, deadline=None)
def test_the_table_has_every_design_once_and_marks_the_recommended_one(some: list[SampledDesign]) -> None:
    verdict, named = decided(some, [USE, WAIT])
    _, *rows = ranking(verdict)
    names = [row[0][2:] for row in rows]
    assert sorted(names) == sorted(named)
    assert [row[0][2:] for row in rows if row[0].startswith("→")] == [verdict.recommended]
    assert names[0] == verdict.leader


@given(designs())
@settings(max_examples=40, deadline=None)
def test_a_shift_of_all_designs_does_not_change_the_verdict(some: list[SampledDesign]) -> None:
    """Common random numbers: what all designs share cancels in the pairs."""
    criteria = [USE, WAIT]
    before, _ = decided(some, criteria)
    shifts = [7.0, -3.0, 11.0, 2.0, 5.0]
    moved = [
        SampledDesign(
            one.name,
            {
                key: [(value or 0.0) + shifts[run] for run, value in enumerate(values)]
                for key, values in one.samples.items()
            },
            one.simplicity,
            one.current,
        )
        for one in some
    ]
    after, _ = decided(moved, criteria)
    if before.leader == after.leader:
        assert (before.status, before.recommended) == (after.status, after.recommended)


def _both(one: SampledDesign) -> tuple[list[float], list[float]]:
    return [value or 0.0 for value in one.samples["use"]], [value or 0.0 for value in one.samples["wait"]]


@st.composite
def outcomes(draw: st.DrawFn) -> list[SampledDesign]:
    """Designs that are close in the score, with page loads and video that are not."""
    drawn = []
    for number in range(draw(st.integers(2, 5))):
        use, page, video = (
            draw(st.sampled_from(some)) for some in ((90.0, 90.1, 94.0), (500, 900), (2e6, 4e6))
        )
        spread = draw(st.sampled_from([0.0, 0.05, 1.0]))
        luck = [spread * draw(st.integers(-2, 2)) for _ in range(RUNS)]
        samples = {
            "use": [use + one for one in luck], "wait": [20.0] * RUNS, "page": [page + one for one in luck],
            "video": [video + one for one in luck],
        }  # fmt: skip
        drawn.append(SampledDesign(NAMES[number], samples, float(draw(st.integers(0, 3))), number == 0))
    return drawn


@given(outcomes())
@settings(max_examples=80, deadline=None)
def test_a_design_as_close_that_is_better_in_an_outcome_and_worse_in_none_is_chosen(
    some: list[SampledDesign],
) -> None:
    verdict, named = decided(some, [USE, WAIT, PAGE, VIDEO])

    def means(name: str) -> tuple[float, float]:
        held = named[name].samples
        return -statistics.mean(held["page"]), statistics.mean(held["video"])  # type: ignore[arg-type]

    if verdict.status == "load":
        chosen = means(verdict.recommended)
        for rival in verdict.related("equal"):
            better = all(
                mine >= his - 0.1 * abs(his) for mine, his in zip(means(rival.name), chosen, strict=True)
            )
            beats = any(mine > 1.2 * his if his > 0 else mine > 0.8 * his
                        for mine, his in zip(means(rival.name), chosen, strict=True))  # fmt: skip
            assert not (better and beats), (rival.name, verdict.recommended)
    for rival in verdict.rivals:
        for change in rival.better_at:
            mine, his = (statistics.mean(named[name].samples[change.criterion.key])  # type: ignore[arg-type]
                         for name in (rival.name, verdict.recommended))  # fmt: skip
            assert (mine > his) == change.criterion.higher, "what is praised is better"
    if verdict.status == "load" and "Prefer " in words(verdict):
        name = words(verdict).partition("Prefer ")[2]
        assert any(name.startswith(one.name) and one.relation != "infeasible" for one in verdict.rivals)


FELT = Criterion("page", "mean page load time", "ms", worth=-10.0, log=True)


@st.composite
def loading(draw: st.DrawFn) -> list[SampledDesign]:
    """Designs with load times of pages, which a run may lack: of all designs, or of one alone."""
    empty = draw(st.sets(st.integers(0, RUNS - 1), max_size=RUNS - 1))
    drawn = []
    for number in range(draw(st.integers(2, 4))):
        use = draw(st.sampled_from([80.0, 90.0]))
        page = draw(st.sampled_from([400.0, 800.0, 1600.0]))
        spread = draw(st.sampled_from([0.0, 0.01, 0.3]))
        times: list[float | None] = [
            None if run in empty else page * 2.0 ** (spread * draw(st.integers(-2, 2))) for run in range(RUNS)
        ]
        if draw(st.booleans()) and draw(st.booleans()):
            times[draw(st.integers(0, RUNS - 1))] = None
        drawn.append(SampledDesign(NAMES[number], {"use": [use] * RUNS, "page": times}, float(number)))
    return drawn


def felt(one: SampledDesign) -> float:
    """Utilisation less ten points for each doubling of the load time, over the runs."""
    loads = [10.0 * math.log2(value) if value else 0.0 for value in one.samples["page"]]
    return statistics.mean([(use or 0.0) - load for use, load in zip(one.samples["use"], loads, strict=True)])


@given(loading())
@settings(max_examples=150, deadline=None)
def test_load_times_count_by_their_logarithm_and_a_run_that_no_design_has_counts_for_none(
    some: list[SampledDesign],
) -> None:
    verdict, named = decided(some, [USE, FELT])
    known = [[value is not None for value in one.samples["page"]] for one in some]
    lacks = {
        one.name: any(not mine and any(row[run] for row in known) for run, mine in enumerate(own))
        for one, own in zip(some, known, strict=True)
    }
    if verdict.status == "unknown":
        assert all(lacks.values()) or not any(map(any, known))
        return
    complete = [one for one in some if not lacks[one.name]]
    assert complete, "a design that lacks a value has no score, and is not recommended"
    assert not lacks[verdict.recommended]
    assert felt(named[verdict.leader]) >= max(map(felt, complete)) - 1e-9
    for rival in verdict.rivals:
        assert (rival.relation == "infeasible") == lacks[rival.name]
        if rival.behind is not None and not lacks[rival.name]:
            gap = felt(named[verdict.leader]) - felt(named[rival.name])
            assert math.isclose(rival.behind, gap, abs_tol=1e-9)
    for change in verdict.changes:
        if change.criterion is FELT and change.kind in ("gain", "cost"):
            assert (change.recommended < change.other) == (change.kind == "gain")
