"""Every sentence of an answer on random runs: each follows from the numbers of its table, and none is missing or
added."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dropcurve.metrics import statistics
from dropcurve.runs.sweeping.rows import Row
from dropcurve.tuning import fronts, of_link, settling, statements, validation_lines
from dropcurve.tuning.bench import Bench, PairedTrial
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.comparison import UNUSUAL
from dropcurve.tuning.decision import complexity, default_distance, margin_of
from dropcurve.tuning.effort import Budget
from dropcurve.tuning.findings import Findings
from dropcurve.tuning.proof import APART, parts, prove
from dropcurve.tuning.spare import USED
from dropcurve.tuning.statements import verdict
from dropcurve.tuning.terms import labels
from dropcurve.tuning.text import text
from dropcurve.tuning.text import verdict as text_verdict
from dropcurve.tuning.validation import Validation
from dropcurve.tuning.validation_front import validation_front
from dropcurve.tuning.validation_line import ValidationLine

GOALS = (
    "p95 delay < 20ms, max utilisation",
    "max utilisation",
    "min p95 delay, utilisation > 95%",
    "loss < 2%, max goodput",
    "max utilisation - 0.5 * p95 delay",
)
#: The same with a front.
FRONTS = ("max utilisation, min p95 delay", "max utilisation, min p95 delay, loss < 2%")
#: Designs without digits in their names, so that every number in a sentence is one of the answer's.
DESIGNS = (
    Candidate("tail drop, whole buffer", "droptail", {"limit": "200 pkts"}, "no AQM"),
    Candidate("droptail, tuned", "droptail", {"limit": "30000 B"}, "search"),
    Candidate("codel, tuned", "codel", {"target": "4 ms"}, "search"),
    Candidate("CoDel, defaults", "codel", {"target": "5 ms"}, "RFC8289"),
    Candidate("pie, tuned", "pie", {"target": "6 ms"}, "search"),
    Candidate("red, tuned", "red", {"min_th": "7 pkts"}, "search"),
)
COLUMNS = {
    "utilisation": (90.0, 100.0),
    "sojourn_ms_p95": (5.0, 25.0),
    "loss": (0.0, 3.0),
    "goodput_bps": (8e6, 9e6),
}
NUMBER = r"−?\d+(?:\.\d+)?"


class Drawn(Bench):
    """A bench with random runs: a level of each measure by design, and noise by seed."""

    def __init__(self, goal: str, levels: dict[str, dict[str, tuple[float, float]]]) -> None:
        question = of_link(rate="10Mbit", rtt="20-40ms", flows="4-8", buffer="200pkts", goal=goal)
        super().__init__(question, None, None)  # type: ignore[arg-type]
        self.levels = levels

    def run(self, pairs: Iterable[tuple[Candidate, PairedTrial]], *, until: float | None = None) -> bool:
        return True

    def has(self, candidate: Candidate, trial: PairedTrial) -> bool:
        return True

    def usable(self, candidate: Candidate, trial: PairedTrial) -> bool:
        return True

    def row(self, candidate: Candidate, trial: PairedTrial) -> Row | None:
        luck = np.random.default_rng([trial.seed, DESIGNS.index(candidate)]).normal(size=len(COLUMNS))
        row_ = {}
        for (name, (low, high)), one in zip(COLUMNS.items(), luck, strict=True):
            level, scatter = self.levels[candidate.name][name]
            value = low + (high - low) * (level + scatter * float(one))
            row_[name] = min(max(value, 0.0), 100.0) if name in ("utilisation", "loss") else max(value, 0.1)
        return row_


@dataclass(frozen=True, repr=False)
class Case:
    """An answer with the bench of its runs and the trials of each line."""

    bench: Bench
    validation: Validation
    answer: Findings
    block: int

    def __repr__(self) -> str:
        return text(self.answer)

    def values(self, line: ValidationLine, measure: str) -> list[float]:
        """A measure in each run of a design."""
        trials = [trial for some in self.validation.trials(line.candidate) for trial in some]
        return [(self.bench.row(line.candidate, trial) or {})[measure] for trial in trials]

    def objective(self, line: ValidationLine, number: int = 0) -> list[float]:
        """An objective in each run of a design."""
        trials = [trial for some in self.validation.trials(line.candidate) for trial in some]
        one = self.bench.question.goal.objectives[number]
        values = [one.value(self.bench.row(line.candidate, trial) or {}) for trial in trials]
        return [value for value in values if value is not None]

    def behind(self, line: ValidationLine) -> list[float]:
        """By how many points a rival is behind in each replication that it shares with the recommendation."""
        trials = self.validation.trials
        pairs = zip(trials(line.candidate), trials(self.answer.best), strict=False)
        return [
            self.bench.together(self.bench.losses(line.candidate, mine))
            - self.bench.together(self.bench.losses(self.answer.best, its))
            for mine, its in pairs
        ]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Two to six designs at equal or different levels, with little or much noise."""
    return drawn_case(draw, draw(st.sampled_from(GOALS)))


def drawn_case(draw: st.DrawFn, goal: str) -> Case:
    """An answer to a goal on random runs."""
    some = draw(st.lists(st.sampled_from(DESIGNS), min_size=2, max_size=6, unique_by=lambda one: one.name))
    level = st.sampled_from([0.1, 0.5, 0.51, 0.9, 0.99])
    scatter = st.sampled_from([0.0, 0.002, 0.02, 0.2, 1.0])
    levels = {one.name: {name: (draw(level), draw(scatter)) for name in COLUMNS} for one in some}
    bench = Drawn(goal, levels)
    margin = margin_of(bench.question.goal)
    bench.scale(some[0], [PairedTrial(0, (("rate", 1e7), ("rtt", 0.02), ("flows", 4.0)), 1)])
    validation = Validation(bench, Budget(100, replications=4, fresh=3), 1, margin)
    validation.run(some)
    for one in some:
        if draw(st.booleans()):
            validation.drifted[one.key] = draw(st.integers(0, 2))
    settling.settle(validation)
    validation.decide()
    proof, size = None, draw(st.integers(6, 40))
    single = len(bench.question.goal.objectives) == 1
    if single and bench.question.goal.constraints and draw(st.booleans()):
        proof = prove(bench, validation.decide(), 1, 0, runs=size)
    ahead = validation_front(validation)
    lines = sorted(validation_lines.lines(validation), key=lambda line: line.candidate not in ahead)
    answer = Findings(
        bench.question, 1, tuple(lines), (), (), (), (), "", (), 10, 10, "0", "tune",
        replications=validation.replications, fresh_conditions=3, replication_s=1.0, margin=margin,
        point=bench.scales[0], points=tuple(bench.scales), proof=proof, front=len(ahead),
    )  # fmt: skip
    return Case(bench, validation, answer, size)


def near(shown: str, value: float) -> bool:
    """Whether a number of a sentence is a value to the digits shown."""
    number = shown.replace("−", "-")
    places = len(number.partition(".")[2])
    return abs(float(number) - value) <= 0.501 * 10.0**-places + 1e-9


def held_share(case: Case, line: ValidationLine) -> float:
    """The share of runs that hold the constraint held least often."""
    shares = [1.0]
    for bound in case.bench.question.goal.constraints:
        values = case.values(line, bound.measure.key)
        shares.append(sum(bound.excess(value) == 0 for value in values) / len(values))
    return min(shares)


def interval_of(case: Case, measure: str) -> statistics.Interval:
    """The interval of a measure of the recommendation over the replications."""
    values, size = case.values(case.answer.lines[0], measure), case.answer.fresh_conditions
    return statistics.t_interval(
        [statistics.mean(values[start : start + size]) for start in range(0, len(values), size)]
    )


def half_width(case: Case, measure: str) -> float:
    """Its half-width."""
    return interval_of(case, measure).half_width or 0.0


def is_wide(case: Case, measure: str) -> bool:
    """Whether it is half as wide as its value or more."""
    return half_width(case, measure) >= 0.5 * (interval_of(case, measure).mean or 0.0)


def check_load(case: Case, match: re.Match[str]) -> None:
    best = case.answer.lines[0]
    undecided = sum(line.standing == "undecided" for line in case.answer.lines)
    if match["verb"] == "Load":
        assert int(match["undecided"] or 0) == undecided
        assert not case.answer.question.goal.constraints or len(case.values(best, "utilisation")) >= 6
        goal = case.answer.question.goal
        bounded = "p95 delay <" in str(goal)
        # In a score a wide interval matters from five margins on.
        matters = goal.objectives[0].single is not None or 0.5 * half_width(case, "sojourn_ms_p95") >= 5.0
        assert bounded or not (matters and is_wide(case, "sojourn_ms_p95"))
    assert held_share(case, best) >= 0.95 - 1e-9
    objective = case.answer.question.goal.objectives[0]
    name = case.answer.question.goal.names[0]
    shown = re.search(rf"{re.escape(name)} ({NUMBER})", match[0])
    values = case.objective(best)
    if not objective.single:
        for key, title in (("utilisation", "utilisation"), ("sojourn_ms_p95", "p95 delay")):
            term = re.search(rf"{title} ({NUMBER})", match[0])
            assert term and near(term[1], statistics.mean(case.values(best, key)))
    assert shown and near(shown[1], statistics.mean(values) / (1e6 if objective.unit == "bit/s" else 1.0))


def check_narrower(case: Case, match: re.Match[str]) -> None:
    keys = {"p95 delay": "sojourn_ms_p95", "loss": "loss"}
    values = case.values(case.answer.lines[0], keys[match["measure"]])
    assert is_wide(case, keys[match["measure"]]) and near(match["mean"], statistics.mean(values))


def check_nothing(case: Case, match: re.Match[str]) -> None:
    shares = [held_share(case, line) for line in case.answer.lines]
    assert max(shares) < 0.95 and shares[0] == max(shares)
    assert round((1.0 - shares[0]) * int(match["runs"])) == int(match["missed"])


def check_held(case: Case, match: re.Match[str]) -> None:
    for bound in case.answer.question.goal.constraints:
        if str(bound) == match["bound"]:
            values = case.values(case.answer.lines[0], bound.measure.key)
            assert int(match["held"]) == sum(bound.excess(value) == 0 for value in values)
            assert int(match["runs"]) == len(values)
            assert near(match["worst"], max(values) if bound.upper else min(values))
            return
    raise AssertionError(f"no such bound: {match[0]}")


def check_proven(case: Case, match: re.Match[str]) -> None:
    proof, goal = case.answer.proof, case.answer.question.goal
    assert proof is not None and int(match["runs"]) == proof.runs
    trials = parts(case.bench, 1 + APART, case.block, proof.runs // case.block)
    assert proof.runs == len(trials)
    rows = [case.bench.row(case.answer.best, trial) or {} for trial in trials]
    for bound in goal.constraints:
        values = [row[bound.measure.key] for row in rows]
        shown = re.search(rf"{re.escape(str(bound))} held in (\d+) of (\d+) \(worst ({NUMBER})", match[0])
        assert shown and int(shown[1]) == sum(bound.excess(value) == 0 for value in values)
        assert int(shown[2]) == len(values) and near(shown[3], (max if bound.upper else min)(values))


def check_few(case: Case, match: re.Match[str]) -> None:
    runs = len(case.values(case.answer.lines[0], "utilisation"))
    assert int(match["runs"]) == runs + (case.answer.proof.runs if case.answer.proof else 0) < 6


def check_unproven(case: Case, match: re.Match[str]) -> None:
    assert case.answer.proof is None and case.answer.question.goal.constraints


def check_budget(case: Case, match: re.Match[str]) -> None:
    worst, proof = max(case.values(case.answer.lines[0], "sojourn_ms_p95")), case.answer.proof
    proven = (
        [one.worst for one in proof.kept if one.constraint.measure.key == "sojourn_ms_p95"] if proof else []
    )
    most = max([worst, *proven])
    assert most < USED * 20.0 and near(match["share"], 100.0 * most / 20.0)
    used = statistics.mean(case.values(case.answer.lines[0], "utilisation"))
    if match["most"]:
        assert float(match["most"]) >= 0.94 * (100.0 - used)
    elif match["nothing"]:
        assert used > 100.0 - 1e-3
    else:
        more = [line for line in case.answer.lines[1:] if max(case.values(line, "sojourn_ms_p95")) > worst]
        check_unused(case, match["why"], more)


def check_unused(case: Case, why: str, more: list[ValidationLine]) -> None:
    """The reason for an unused budget; ``more`` are the rivals that use more of it."""
    rivals = [line for line in more if held_share(case, line) >= 0.95 - 1e-9]
    if why.startswith("it is undecided whether more delay buys anything"):
        assert any(line.standing == "undecided" for line in rivals)
    elif over := re.fullmatch(r".* uses more and misses .* in (\d+) of (\d+) runs", why):
        kind = case.answer.best.kind
        missed = [
            held_share(case, line) for line in more if line not in rivals and line.candidate.kind == kind
        ]
        assert any(round((1.0 - share) * int(over[2])) == int(over[1]) for share in missed)
    elif own := re.fullmatch(
        r".* uses (\d+) % and is (worse|no better by more than 0.2 percentage points)", why
    ):
        line = next(
            one
            for one in rivals
            if one.candidate.kind == case.answer.best.kind
            and near(own[1], 100.0 * max(case.values(one, "sojourn_ms_p95")) / 20.0)
        )
        behind = statistics.mean(case.behind(line))
        assert behind > (case.answer.margin if own[2] == "worse" else -case.answer.margin)
    elif why == "its limit is the whole buffer":
        assert case.answer.best.params["limit"] == "200 pkts"
        assert not any(line.candidate.kind == "droptail" for line in more)
    elif why == "no validated design that uses more of it is better by more than the margin":
        assert rivals and all(statistics.mean(case.behind(line)) > -case.answer.margin for line in rivals)
    else:
        assert why == "no validated design uses more of it and holds every constraint" and not rivals


def check_against(case: Case, match: re.Match[str]) -> None:
    line = next(one for one in case.answer.lines[1:] if f"Against {one.candidate.name}:" in match[0])
    assert line.candidate.kind == "droptail"
    behind = statistics.mean(case.behind(line))
    if match["undecided"]:
        assert int(match["undecided"]) == len(case.behind(line))
        assert line.standing in ("undecided", "infeasible", "no better")
    if match["side"]:
        assert (behind > 0) == (match["side"] == "better")
    if match["before"]:
        assert near(match["before"], statistics.mean(case.values(line, "sojourn_ms_p95")))
        assert near(match["after"], statistics.mean(case.values(case.answer.lines[0], "sojourn_ms_p95")))


def check_usual(case: Case, match: re.Match[str]) -> None:
    best, rivals = case.answer.lines[0], case.answer.lines[1:]
    line = next(one for one in rivals if labels(case.answer.lines)[one.candidate.key] == match["name"])
    own = [one for one in rivals if one.candidate.kind == best.candidate.kind]
    assert line in own and all(
        default_distance(line.candidate) <= default_distance(one.candidate) for one in own
    )
    assert default_distance(best.candidate) >= default_distance(line.candidate) + UNUSUAL
    assert bool(match["fails"]) == (line.standing == "infeasible")
    assert line.holds or match["fails"] == ", which misses a bound"
    behind = statistics.mean(case.behind(line))
    if side := re.search(r" is [^;]* (better|worse)$", match["parts"]):
        assert (behind > 0) == (side[1] == "better")


def check_counts(case: Case, match: re.Match[str]) -> None:
    rivals = case.answer.lines[1:]
    margin = re.search(r"(?:equal within|by more than) (\S+) (percentage points?|points?|\S+)", match[0])
    if margin and case.answer.question.goal.objectives[0].in_points:
        assert float(margin[1]) == case.answer.margin
        assert margin[2].endswith("points") == (margin[1] != "1")
        scored = case.answer.question.goal.objectives[0].single is None
        assert (
            "compared over the replications that they share" in " ".join(text(case.answer).split())
        ) == scored
        assert f"equal within {margin[1]} {margin[2]} (" in " ".join(text(case.answer).split())
    if match["every"]:
        number = {"The only rival": 1, "Both rivals": 2}.get(match["every"]) or int(match["every"].split()[1])
        numbers = [(match["same"], number)]
        assert len({line.standing for line in rivals}) == 1
    else:
        counts = re.findall(r"(\d+) ((?:miss|are|is|cannot)\w*)", match["counts"])
        numbers = [(word, int(number)) for number, word in counts]
        assert int(match["rivals"]) == len(rivals)
    assert len(rivals) == sum(number for _, number in numbers)
    missed = sum(held_share(case, line) < 0.95 - 1e-9 for line in rivals)
    assert missed == sum(number for word, number in numbers if word.startswith("miss"))
    for line in rivals:
        behind = statistics.mean(case.behind(line))
        if line.standing == "worse":
            assert behind > 0
        if line.standing == "equal":
            assert abs(behind) <= case.answer.margin
        assert line.standing != "better"


def check_equal(case: Case, match: re.Match[str]) -> None:
    best = case.answer.lines[0]
    equal = [line for line in case.answer.lines[1:] if line.standing == "equal"]
    assert equal
    why = match["why"]
    if "shortest delay" in why:
        delays = [statistics.mean(case.values(line, "sojourn_ms_p95")) for line in (best, *equal)]
        assert "delay" not in str(case.answer.question.goal) and delays[0] <= 1.25 * min(delays) + 1e-9
        assert max(delays) > 1.25 * min(delays)
        equal = [line for line, one in zip(equal, delays[1:], strict=True) if one <= 1.25 * min(delays)]
    mine = complexity(best.candidate)
    if "the simplest of them" in why:
        assert all(mine < complexity(line.candidate) for line in equal)
    if "as simple as any" in why:
        assert all(mine <= complexity(line.candidate) for line in equal)
        twins = [line for line in equal if complexity(line.candidate) == mine]
        broken = [1.0 - held_share(case, line) for line in (best, *twins)]
        if "fewest runs" in why:
            assert broken[0] < min(broken[1:])
        if "widest drift" in why:
            assert all((best.drifted or 0) < (line.drifted or 0) for line in twins)
        if "as good where" in why:
            assert all((best.drifted or 0) <= (line.drifted or 0) for line in twins)


def check_undecided(case: Case, match: re.Match[str]) -> None:
    lines = [line for line in case.answer.lines if line.standing == "undecided"]
    assert any(line.candidate.name in match[0] for line in lines)
    if match["more"]:
        assert int(match["more"]) in [max((line.needed or 0) - case.answer.replications, 1) for line in lines]


#: Each form of a sentence with its check.
FORMS = {
    r"(?P<verb>Load|Not settled yet, the best so far is) .*?"
    r"(?:, the best so far \((?P<undecided>\d+) rivals? undecided\))?; in the mean over the range expect .*":
        check_load,
    rf"The interval of (?P<measure>.*) \((?P<mean>{NUMBER}) ± .*\) is too wide to act on: (?:about .* would narrow it "
    r"to half of the value; a longer --time or --until decided makes them|it varies between runs; .*)":
        check_narrower,
    r"No design that was tried holds .* comes closest and misses .* in (?P<missed>\d+) of (?P<runs>\d+) runs .*":
        check_nothing,
    rf"(?P<bound>.*) held in (?P<held>\d+) of (?P<runs>\d+) validation runs; the worst was (?P<worst>{NUMBER}).*":
        check_held,
    r"Only (?P<runs>\d+) runs? of it shows? that the bounds hold: too few to load it, .*": check_few,
    r"In (?P<runs>\d+) runs on fresh seeds that took no part in choosing it: .*": check_proven,
    r"No time was left for fresh seeds that took no part in choosing it, .*": check_unproven,
    rf"The worst run uses (?P<share>{NUMBER}) % of the bound on the delay; (?:more delay would buy (?:at most "
    rf"(?P<most>{NUMBER}) percentage points|(?P<nothing>nothing))|(?P<why>.*))": check_budget,
    r"Against (?P<name>.*), the setting nearest the defaults(?P<fails>, which (?:misses a bound|is not sure to "
    r"hold))?: (?P<parts>.*)": check_usual,
    rf"Against (?!.*, the setting nearest the defaults).*?: (?:p95 delay (?:goes from (?P<before>{NUMBER}) ms to "
    rf"(?P<after>{NUMBER}) ms|stays at [^,]*))?(?:, )?(?:.* is .* (?P<side>better|worse)|.* is undecided after "
    r"(?P<undecided>\d+) runs?|.* differs by at most .*|.* is the same)?": check_against,
    r"Of (?P<rivals>\d+) rivals on the same runs, (?P<counts>.*)|(?P<every>The only rival|Both rivals|All \d+ rivals) "
    r"(?P<same>.*) on the same runs": check_counts,
    r"Equal: .*; the recommendation (?P<why>.*)": check_equal,
    r"Undecided against .*: (?:about .* \((?P<more>\d+) replications?\) would probably settle it.*|the difference .*)":
        check_undecided,
}  # fmt: skip


@given(cases())
@settings(max_examples=40, deadline=None)
def test_every_sentence_is_borne_by_its_table(case: Case) -> None:
    for sentence in verdict(case.answer):
        forms = [(check, match) for form, check in FORMS.items() if (match := re.fullmatch(form, sentence))]
        assert len(forms) == 1, f"{len(forms)} forms for: {sentence}"
        check, match = forms[0]
        check(case, match)


@given(cases())
@settings(max_examples=20, deadline=None)
def test_no_sentence_has_empty_parentheses_where_runs_bound_nothing(case: Case) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statements, "says_nothing", lambda *_: True)
        assert not [sentence for sentence in verdict(case.answer) if "()" in sentence]


@st.composite
def front_cases(draw: st.DrawFn) -> Case:
    """Answers to a goal with two objectives."""
    return drawn_case(draw, draw(st.sampled_from(FRONTS)))


def check_front(case: Case, sentence: str) -> None:
    """A sentence on the front: its ends, a step to one of its designs, or a group of designs next to it."""
    answer = case.answer
    front, rest = answer.lines[: answer.front], answer.lines[answer.front :]
    shown = " ".join(text(answer).split())
    if ends := re.match(
        r"The front has (\d+) designs, from (.*) to utilisation (.*); recommended is its knee", sentence
    ):
        assert int(ends[1]) == len(front)
        cells = re.findall(rf"{NUMBER}(?: ± {NUMBER})?(?: %| ms)", f"{ends[2]} {ends[3]}")
        assert len(cells) >= 2 and all(cell in shown for cell in cells)
        values = sorted(statistics.mean(case.objective(line)) for line in front)
        first, last = (re.search(NUMBER, ends[n]) for n in (2, 3))
        assert first and last and near(first[0], values[0]) and near(last[0], values[-1])
    elif step := re.match(
        r"For (more|less) (.*), take (.*): it gives (.*) of .* and costs (.*) of .*", sentence
    ):
        line = next(line for line in front if fronts.named(answer, line.candidate) == step[3])
        gains = {n: statistics.mean(differences(case, line, n)) for n in (0, 1)}
        assert (gains[0] > 0) == (step[2] == "utilisation")
        own = (0, 1) if step[2] == "utilisation" else (1, 0)
        for number, shown in zip(own, (step[4], step[5]), strict=True):
            amount = re.match(NUMBER, shown)
            assert amount and near(amount[0], abs(gains[number]))
        assert gains[own[0]] * (1 if own[0] == 0 else -1) > 0 > gains[own[1]] * (1 if own[1] == 0 else -1)
    elif sentence.startswith("Nothing else that was tried"):
        assert len(front) == 1
    else:
        names = sentence.partition(": ")[2].split("; ")
        assert re.match(r"(Worse|Better|No difference found) in ", sentence)
        assert all(any(line.candidate.name == name and line.holds for line in rest) for name in names)


def differences(case: Case, line: ValidationLine, number: int) -> list[float]:
    """By how much a rival exceeds the recommendation in an objective, by replication."""
    size = case.answer.fresh_conditions
    both = [case.objective(one, number) for one in (line, case.answer.lines[0])]
    means = [[statistics.mean(some[at : at + size]) for at in range(0, len(some), size)] for some in both]
    return [one - other for one, other in zip(*means, strict=False)]


@given(front_cases())
@settings(max_examples=40, deadline=None)
def test_every_sentence_on_a_front_is_borne_by_its_table(case: Case) -> None:
    first, *others = text_verdict(case.answer)
    best = case.answer.lines[0]
    assert first.startswith(("Load ", "Not settled yet", "No design that was tried"))
    if first.startswith("Load "):
        cells = re.search(rf"utilisation ({NUMBER}).*?, p95 delay ({NUMBER})", first)
        assert cells and near(cells[1], statistics.mean(case.objective(best)))
        assert near(cells[2], statistics.mean(case.objective(best, 1)))
    for sentence in others:
        if held := re.match(r"loss < 2 % held in (\d+) of (\d+) validation runs", sentence):
            values = case.values(best, "loss")
            assert (int(held[1]), int(held[2])) == (sum(value <= 2.0 for value in values), len(values))
        elif not sentence.startswith(("The interval of", "Only ")):
            check_front(case, sentence)
