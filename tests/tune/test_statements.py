"""Each sentence of an answer is compared with the lines of its table, on lines made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dropcurve.metrics.statistics import Interval, PairedDifference
from dropcurve.report import TEMPLATES
from dropcurve.tuning import of_link, page
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.decision import Standing
from dropcurve.tuning.findings import Findings
from dropcurve.tuning.names import named, setting
from dropcurve.tuning.proof import ConstraintOutcome, Proof
from dropcurve.tuning.statements import standing_of, verdict
from dropcurve.tuning.validation_line import ValidationLine

QUESTION = of_link(
    rate="10Mbit", rtt="20-40ms", flows="4-8", buffer="100pkts", goal="p95 delay < 15ms, max utilisation"
)
BOUND = QUESTION.goal.constraints[0]


def line(
    name: str, mean: float, stands: Standing | None = None, *, ahead: float = 0.0, held: int = 36, worst: float = 14.0,
    needed: int | None = None, drifted: int | None = None, kind: str = "droptail", mean_shown: float | None = None,
) -> ValidationLine:  # fmt: skip
    """A design of ``mean`` utilisation, or of ``mean_shown``, that is ``ahead`` of the recommendation."""
    pair = None if stands is None else PairedDifference(ahead, 0.05, 6, 0.01)
    candidate = Candidate(name, kind, {"limit": f"{mean:g} pkts"}, "search")
    mean = mean if mean_shown is None else mean_shown
    measures = {BOUND.measure.key: Interval(worst - 1.0, 0.1, 6), "utilisation": Interval(mean, 0.1, 6)}
    kept = (ConstraintOutcome(BOUND, held, 36, worst, "8 flows"),)
    return ValidationLine(
        candidate, (Interval(mean, 0.1, 6),), measures, kept, (pair,), (False,), stands, needed, drifted
    )


def answer(*lines: ValidationLine) -> Findings:
    return Findings(
        QUESTION, 1, lines, (), (), (), (), "", (), 10, 10, "0", "tune", replications=6, fresh_conditions=6,
        replication_s=1.0,
    )  # fmt: skip


def text_of(findings: Findings) -> str:
    return ". ".join(verdict(findings))


def test_the_first_sentence_is_what_to_load_and_what_to_expect_of_it() -> None:
    first, held = verdict(answer(line("mine", 99.0)))[:2]
    assert first.startswith("Load tail drop with limit 99 pkts; ")
    assert "utilisation 99.00 ± 0.10 %" in first and "p95 delay 13.00 ± 0.10 ms" in first
    assert held == "p95 delay < 15 ms held in 36 of 36 validation runs; the worst was 14.00 ms (8 flows)"


def test_a_better_rival_is_one_that_the_box_does_not_run_or_that_was_not_asked_for() -> None:
    best, rival = line("mine", 95.0, kind="red"), line("tail", 99.0, "better", ahead=4.0)
    foreign = line("fq", 99.5, "better", ahead=4.5, kind="fq_codel")
    question = of_link(
        rate="10Mbit", rtt="20-40ms", flows="4-8", buffer="100pkts", goal="p95 delay < 15ms, max utilisation",
        box="ios", candidates=("red",),
    )  # fmt: skip
    for rivals, text in (
        ((rival,), "The only rival is better but not asked for"),
        ((foreign,), "The only rival is better but cannot be loaded"),
        ((rival, foreign), "Both rivals are better but cannot be loaded or not asked for"),
    ):
        assert text in text_of(replace(answer(best, *rivals), question=question))


def test_rivals_that_were_not_compared_are_named() -> None:
    findings = replace(answer(line("mine", 99.0)), uncompared=("FQ-CoDel, defaults", "PIE, by formula"))
    sentence = "Not compared, {}: FQ-CoDel, defaults; 1 design by formula; a longer --time compares them"
    assert sentence.format("as a run of this link is long") in text_of(findings)
    assert sentence.format("for lack of time") in text_of(replace(findings, stopped="made to fit into 30 s"))
    alone = replace(findings, uncompared=("FQ-CoDel, defaults",))
    assert "long: FQ-CoDel, defaults; a longer --time compares it" in text_of(alone)
    assert "Not compared" not in text_of(answer(line("mine", 99.0)))


def test_rivals_are_counted_as_their_lines_stand() -> None:
    findings = answer(
        line("mine", 99.0),
        line("behind", 97.0, "worse", ahead=-2.0),
        line("alike", 98.9, "equal", ahead=-0.1, kind="pie"),
        line("hasty", 100.0, "infeasible", ahead=1.0, held=20, worst=30.0),
        line("near", 98.8, "no better", ahead=-0.2),
    )
    text = text_of(findings)
    assert "Of 4 rivals on the same runs, 1 misses a bound, 1 is worse, 1 is no better" in text
    assert "and 1 is equal within 0.2 percentage points" in text
    assert "Equal: alike; the recommendation is the simplest of them" in text
    cells = [standing_of(findings, one) for one in findings.lines]
    assert cells == [
        "", "2.000 ± 0.050 worse", "equal (0.100 ± 0.050 behind)", "misses a bound", "no better (0.200 ± 0.050 behind)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("mine", "other", "why"),
    [
        (1, 3, "as simple as any and good over the widest drift of conditions"),
        (2, 2, "as simple as any and as good where conditions drift"),
        (None, None, "as simple as any"),
    ],
)
def test_the_reason_for_a_choice_among_equals_is_stated(
    mine: int | None, other: int | None, why: str
) -> None:
    findings = answer(
        line("mine", 99.0, drifted=mine), line("twin", 98.95, "equal", ahead=-0.05, drifted=other)
    )
    assert f"Equal: twin; the recommendation is {why}." in text_of(findings) + "."


def test_a_simpler_recommendation_says_that_it_is_preferred_to_an_undecided_rival_ahead() -> None:
    tail, choke = line("tail", 99.0), line("choke", 99.5, "undecided", ahead=0.5, needed=10, kind="choke")
    assert text_of(answer(tail, choke)).endswith("; until then the simpler one is preferred")
    behind = line("choke", 98.5, "undecided", ahead=-0.5, needed=10, kind="choke")
    assert "preferred" not in text_of(answer(tail, behind))
    rival = line("tail", 99.5, "undecided", ahead=0.5, needed=10)
    assert "preferred" not in text_of(answer(line("choke", 99.0, kind="choke"), rival))


def test_undecided_says_what_would_settle_it() -> None:
    text = text_of(answer(line("mine", 99.0), line("open", 99.1, "undecided", ahead=0.1, needed=10)))
    assert "about 8 s more (4 replications) would probably settle it; --until decided makes them" in text
    findings = answer(line("mine", 99.0), line("open", 99.1, "undecided", ahead=0.1, needed=10))
    # `--until decided` ends at 200 replications.
    many = text_of(answer(line("mine", 99.0), line("open", 99.1, "undecided", ahead=0.1, needed=201)))
    assert "(195 replications) would probably settle it; a longer --time makes them" in many
    # Four further replications of both designs, each of a quarter of an hour, are two hours.
    hours = text_of(replace(findings, replication_s=900.0))
    assert "about 2 h more (4 replications) would probably settle it, hardly worth it; --margin 0." in hours
    assert "--until decided" not in hours
    stored = text_of(replace(findings, replication_s=0.0))
    assert ": about 4 further replications would probably settle it; --until decided makes them" in stored
    text = text_of(answer(line("mine", 99.0), line("open", 99.2, "undecided", ahead=0.2)))
    assert (
        "more than 1000 replications would settle it; --margin 0." in text and " does so with these" in text
    )
    alone = replace(line("open", 99.2, "undecided"), difference=(None,))
    assert "they share too few runs; --until decided makes more" in text_of(answer(line("mine", 99.0), alone))


def test_nothing_is_to_be_loaded_that_misses_a_bound_or_does_not_read_back() -> None:
    text = text_of(answer(line("mine", 99.0, held=30, worst=16.0)))
    assert text.startswith("No design that was tried holds every constraint over the whole range")
    assert "misses p95 delay < 15 ms in 6 of 36 runs (worst 16.00 ms)" in text and "Load " not in text
    text = text_of(replace(answer(line("mine", 99.0)), changed=("w_q",)))
    assert "No configuration is written" in text and "(w_q would differ)" in text


def test_one_replication_shows_no_difference() -> None:
    whole = replace(
        line("whole", 85.0, "infeasible", held=0, worst=90.0),
        difference=(PairedDifference(14.0, None, 1, 1.0),),
    )
    text = text_of(answer(line("mine", 99.0), whole))
    assert "utilisation is undecided after 1 run" in text and "points better" not in text


def test_an_unused_budget_is_explained() -> None:
    text = text_of(answer(line("mine", 99.9, worst=9.0)))
    assert "The worst run uses 60 % of the bound on the delay; more delay would buy at most 0.1" in text
    mine, rival = line("mine", 99.0, worst=9.0), line("more", 97.0, "worse", ahead=-2.0)
    assert "; tail drop with limit 97 pkts uses 93 % and is worse" in text_of(answer(mine, rival))
    alike = line("alike", 98.9, "equal", ahead=-0.1)
    both = text_of(answer(mine, rival, alike))
    assert "; tail drop with limit 98.9 pkts uses 93 % and is no better by more than 0.2 percentage" in both
    other = line("more", 97.0, "worse", ahead=-2.0, kind="pie")
    assert "no validated design that uses more of it is better by more than the margin" in text_of(
        answer(mine, other)
    )
    assert "; its limit is the whole buffer" in text_of(
        answer(line("mine", 100.0, worst=9.0, mean_shown=99.0))
    )
    less = line("less", 97.0, "worse", ahead=-2.0, worst=8.0)
    assert "no validated design uses more of it and holds every constraint" in text_of(answer(mine, less))
    over = line("next", 99.5, "infeasible", ahead=0.5, held=20, worst=16.0)
    text = text_of(answer(mine, other, over, line("far", 99.9, "infeasible", ahead=0.9, held=0, worst=30.0)))
    assert "tail drop with limit 99.5 pkts uses more and misses p95 delay < 15 ms in 16 of 36 runs" in text
    text = text_of(answer(mine, over, line("open", 99.1, "undecided", ahead=0.1, needed=10)))
    assert "it is undecided whether more delay buys anything (open)" in text
    assert "of the bound on the delay" not in text_of(answer(line("mine", 99.0, worst=13.5), rival))


def test_a_design_that_was_not_asked_for_is_not_offered() -> None:
    question = of_link(
        rate="10Mbit", rtt="20-40ms", flows="4-8", buffer="100pkts", goal="p95 delay < 15ms, max utilisation",
        candidates=("red",),
    )  # fmt: skip
    first, *rest = verdict(replace(answer(line("mine", 99.0)), question=question))
    assert first.startswith("No design of RED was validated, so there is nothing to load") and not rest
    missed = verdict(replace(answer(line("mine", 99.0, kind="red", held=30, worst=16.0)), question=question))
    assert missed[0].startswith("No design that was asked for holds every constraint")


def test_the_used_budget_is_that_of_all_runs_of_the_recommendation() -> None:
    findings = answer(line("mine", 99.9, worst=9.0))

    def proven(worst: float) -> str:
        kept = (ConstraintOutcome(BOUND, 72, 72, worst, "8 flows"),)
        return text_of(replace(findings, proof=Proof(findings.best, kept, (Interval(99.9, 0.1, 72),), 72)))

    assert "The worst run uses 80 % of the bound on the delay" in proven(12.0)
    assert "of the bound on the delay" not in proven(14.0)


def test_the_first_sentence_says_how_far_the_recommendation_was_compared() -> None:
    open_one = line("open", 99.1, "undecided", ahead=0.1, needed=10)
    findings = answer(line("mine", 99.0), open_one, line("behind", 97.0, "worse", ahead=-2.0))
    assert text_of(findings).startswith(
        "Load tail drop with limit 99 pkts, the best so far (1 rival undecided); "
    )
    findings = replace(findings, uncompared=("FQ-CoDel, defaults", "PIE, by formula"))
    assert "limit 99 pkts, the best so far (1 rival undecided, 2 not compared); in the mean" in text_of(
        findings
    )


def test_rivals_that_all_stand_alike_are_one_subject() -> None:
    some = [line(f"behind {n}", 97.0, "worse", ahead=-2.0) for n in range(9)]
    assert "All 9 rivals are worse on the same runs" in text_of(answer(line("mine", 99.0), *some))
    assert "Both rivals are worse on the same runs" in text_of(answer(line("mine", 99.0), *some[:2]))
    assert "The only rival is worse on the same runs" in text_of(answer(line("mine", 99.0), some[0]))


def test_equals_that_break_a_bound_more_often_are_reported() -> None:
    findings = answer(line("mine", 99.0), line("twin", 98.95, "equal", ahead=-0.05, held=35))
    assert "the recommendation is as simple as any and breaks a bound in the fewest runs" in text_of(findings)


def test_gains_are_against_the_queue_without_aqm_else_tail_drop_of_another_size() -> None:
    short = line("tail drop, short", 97.0, "worse", ahead=-2.0, worst=40.0)
    whole = replace(short, candidate=Candidate("tail drop, whole buffer", "droptail", {}, "no AQM"))
    red = line("red", 98.0, "worse", ahead=-1.0, kind="red")
    text = text_of(answer(line("mine", 99.0, kind="red"), red, short))
    assert (
        "Against tail drop, short: p95 delay goes from 39.00 ms to 13.00 ms, utilisation is 2.000 ± 0.050 percentage "
        "points better" in text
    )
    assert "Against tail drop, whole buffer: " in text_of(
        answer(line("mine", 99.0, kind="red"), short, whole)
    )
    assert "Against" not in text_of(answer(line("mine", 99.0, kind="red"), red))


def fair(name: str, target: str, ahead: float | None, *, used: float, worst: float) -> ValidationLine:
    """FQ-CoDel with a target; ``ahead`` of the recommendation, None for the recommendation itself."""
    validated = line(name, used, "worse" if ahead else None, ahead=ahead or 0.0, worst=worst, kind="fq_codel")
    return replace(
        validated, candidate=Candidate(name, "fq_codel", {"target": target, "interval": "100 ms"}, "search")
    )


def test_a_setting_far_from_the_defaults_says_what_it_buys_and_costs_against_the_one_nearest_them() -> None:
    best = fair("FQ-CoDel, tuned", "32 ms", None, used=88.0, worst=60.0)
    near = fair("FQ-CoDel, near", "14 ms", -5.0, used=82.0, worst=50.0)
    usual = fair("FQ-CoDel, defaults", "5 ms", -9.0, used=79.0, worst=45.0)
    text = text_of(answer(best, near, usual))
    assert (
        "Against FQ-CoDel, defaults, the setting nearest the defaults: it costs p95 delay 59.00 ms, not 44.00 ms; "
        "utilisation is 9.000 ± 0.050 percentage points better"
    ) in text
    # 59.004 and 59 ms differ by more than their intervals, and in no digit that is shown.
    close = fair("FQ-CoDel, defaults", "5 ms", -9.0, used=79.0, worst=60.004)
    assert "nearest the defaults: p95 delay is about the same; utilisation" in text_of(answer(best, close))
    # One that is not a choice is called that.
    misses = replace(usual, standing="infeasible")
    assert "the setting nearest the defaults, which is not sure to hold: it costs" in text_of(
        answer(best, near, misses)
    )
    # A setting within a factor of two of them needs no such sentence.
    assert "nearest the defaults" not in text_of(
        answer(fair("mine", "8 ms", None, used=88.0, worst=60.0), usual)
    )


def test_a_target_near_the_interval_says_what_a_usual_share_would_lose() -> None:
    best = fair("FQ-CoDel, tuned", "32 ms", None, used=88.0, worst=12.0)
    near = fair("FQ-CoDel, near", "10 ms", -5.0, used=82.0, worst=12.0)
    usual = fair("FQ-CoDel, defaults", "5 ms", -9.0, used=79.0, worst=12.0)
    share = "Its target is 32 % of its interval, where RFC 8289 (section 4.3) advises 5 to 10 %"
    text = text_of(answer(best, usual, near))
    assert (
        f"{share}: with FQ-CoDel, near, the best setting compared of a smaller share, utilisation is 5.000 ± 0.050 "
        "percentage points worse"
    ) in text
    misses = [replace(one, standing="infeasible") for one in (near, usual)]
    none = "of the settings with a smaller share that were compared none holds the bounds; FQ-CoDel, near comes closest"
    assert f"{share}: {none}" in text_of(answer(best, *misses))
    assert f"{share}. " in text_of(answer(best, line("tail", 80.0, "worse", ahead=-8.0)))
    assert "RFC 8289" not in text_of(answer(near, usual))


def test_settings_of_a_larger_share_that_are_not_shown_to_be_better_are_no_open_question() -> None:
    best = fair("FQ-CoDel, tuned", "10 ms", None, used=88.0, worst=12.0)
    wide = replace(fair("FQ-CoDel, wide", "60 ms", 0.4, used=88.4, worst=12.0), standing="undecided")
    wide = replace(wide, difference=(PairedDifference(0.4, 0.9, 6, 0.4),))
    tail = line("tail", 80.0, "worse", ahead=-8.0)
    text = text_of(answer(best, wide, tail))
    assert text.startswith("Load FQ-CoDel with target 10 ms, interval 100 ms; ") and "Undecided" not in text
    assert "1 is worse and 1 is less usual and not shown to be better" in text
    assert (
        "1 setting of FQ-CoDel with a target of more than 10 % of the interval is not shown to be better, so that the "
        "usual share is recommended; with FQ-CoDel, wide utilisation differs by at most 1.3 percentage points"
    ) in text
    # One of a smaller share is undecided as before.
    narrow = replace(wide, candidate=replace(wide.candidate, params={"target": "5 ms"}))
    assert "1 is undecided" in text_of(answer(best, narrow, tail))


def test_a_difference_that_the_runs_do_not_bound_is_undecided_in_words() -> None:
    """Two runs whose interval spans 113 points."""
    rival = replace(
        line("tail drop, short", 97.0, "undecided"), difference=(PairedDifference(-1.0, 112.0, 2, 0.9),)
    )
    findings = answer(line("mine", 99.0, kind="red"), rival)
    assert "utilisation is undecided after 2 runs" in text_of(findings)
    assert "113" not in text_of(findings) and "112" not in text_of(findings)
    assert standing_of(findings, findings.lines[1]) == "undecided"


def test_a_design_is_named_by_what_the_box_loads() -> None:
    loaded = Candidate("RED, tuned", "red", {"min_th": "5 pkts"}, "search", "wred", {"min_th": "5 pkts"})
    assert (named(loaded), setting(loaded)) == ("WRED", "WRED with min_th 5 pkts")


def test_the_page_opens_with_the_verdict_in_its_colour_and_tables_come_next() -> None:
    best = line("mine", 99.0)
    assert page.tone(answer(best, line("behind", 97.0, "worse", ahead=-2.0))) == "good"
    assert page.tone(answer(best, line("open", 99.1, "undecided", ahead=0.1))) == "unsure"
    assert page.tone(answer(line("mine", 99.0, held=30, worst=16.0))) == "bad"
    template = (TEMPLATES / "tune.html").read_text(encoding="utf-8")
    for later in ('<p class="question">', '<dl class="facts">', "<main>", "<table>"):
        assert template.index('<div class="opening {{ tone }}">') < template.index(later)


def test_a_setting_leaves_out_what_is_usual() -> None:
    params = {"limit": "1001 pkts", "flows": 1024, "target": "14 ms", "interval": "100 ms", "ecn": True}
    design = Candidate("fq_codel, tuned", "fq_codel", params, "search")
    assert setting(design) == "FQ-CoDel with flows 1024, target 14 ms, interval 100 ms"
    assert (
        setting(design, {"flows": 1024, "interval": "100 ms", "target": "5 ms"})
        == "FQ-CoDel with target 14 ms"
    )
    assert setting(design, params) == "FQ-CoDel with limit 1001 pkts"


def test_nothing_is_to_be_loaded_on_an_interval_as_wide_as_its_value() -> None:
    goal = "max utilisation - 2 * p95 delay"
    question = of_link(rate="10Mbit", rtt="20-40ms", flows="4-8", buffer="100pkts", goal=goal)
    best = line("mine", 99.0)
    wide = replace(best, kept=(), measures={**best.measures, BOUND.measure.key: Interval(20.0, 20.0, 6)})
    findings = replace(answer(wide), question=question)
    first, second = verdict(findings)[:2]
    assert first.startswith("Not settled yet, the best so far is tail drop with limit 99 pkts; ")
    assert second.startswith(
        "The interval of p95 delay (20 ± 20 ms) is too wide to act on: about 18 s more (18 repl"
    )
    sure = replace(best, kept=(), measures={**best.measures, BOUND.measure.key: Interval(0.2, 0.15, 6)})
    assert verdict(replace(findings, lines=(sure,)))[0].startswith("Load "), "0.3 points matter to nobody"


def test_nothing_is_to_be_loaded_on_two_runs() -> None:
    findings = answer(replace(line("mine", 99.0), kept=(ConstraintOutcome(BOUND, 2, 2, 14.0, "8 flows"),)))
    first, second = verdict(findings)[:2]
    assert first.startswith("Not settled yet, the best so far is tail drop with limit 99 pkts; ")
    assert second.startswith("Only 2 runs of it show that the bounds hold: too few to load it")
    more = Proof(
        findings.best, (ConstraintOutcome(BOUND, 4, 4, 14.0, "8 flows"),), (Interval(99.0, 0.1, 4),), 4
    )
    assert verdict(replace(findings, proof=more))[0].startswith("Load ")


def test_the_page_opens_with_three_sentences_at_most() -> None:
    long, short = "x" * 290, "y" * 40
    assert page.opening([short] * 5) == {"verdict": [short] * 3, "folded": [short] * 2}
    assert page.opening([long, short]) == {"verdict": [long], "folded": [short]}
