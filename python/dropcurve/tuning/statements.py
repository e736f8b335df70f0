"""The sentences of an answer to a goal with one objective: what to load, what it buys, what it costs, how sure that is.

Each follows from the lines of the validation alone, so that none contradicts the table below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..metrics.statistics import PairedDifference
from ..present import intervals
from ..quantities import wording
from ..verdict.equivalence import MOST_REPLICATIONS
from .aggregation import where
from .comparison import GROUPS, against_usual, bounded_by, group_of, on_share, says_nothing
from .decision import UNUSUAL, are_fair_queues, complexity, default_distance, reported, short
from .effort import DECIDED
from .findings import Findings
from .measures import Measure, main_measures
from .names import DISPLAY_NAMES, setting
from .proof import ConstraintOutcome
from .spare import spare_budget
from .terms import beyond, cell, further, interval, labels, margin_shown
from .unsettled import narrower, to_do
from .validation_line import ValidationLine

#: Ending of the names of designs by formula.
FORMULA = ", by formula"
#: Seconds of runs beyond which a decision is hardly worth them.
LONGEST_S = 3600.0
#: Largest number of designs that a sentence names.
NAMED = 3


def verdict(answer: Findings) -> list[str]:
    """The sentences, without full stops; the first is the one to act on."""
    best = answer.lines[0]
    if not answer.question.asks_for(best.candidate):
        return [not_validated(answer), *_sure(answer)]
    findings = [_load(answer, best) if best.holds else _nothing(answer, best)]
    findings += narrower(answer) if best.holds else []
    findings += _unwritten(answer)
    findings += [_kept(answer, one) for one in best.kept] if best.holds else []
    if best.holds:
        findings += _proven(answer)
        findings += spare_budget(answer)
        findings += _against_default(answer, best)
        findings += against_usual(answer, best, bounded(answer))
        findings += on_share(answer, best)
        findings += _sure(answer)
    else:
        findings += _possible(answer)
        findings += _ended(answer)
    return findings


def not_validated(answer: Findings) -> str:
    """The sentence of an answer without a validated design of the disciplines that were named."""
    kinds = wording.listed([DISPLAY_NAMES.get(kind, kind) for kind in answer.question.candidates])
    return (
        f"No design of {kinds} was validated, so there is nothing to load; the others are only compared, and a longer "
        "--time validates one"
    )


def _unwritten(answer: Findings) -> Iterator[str]:
    """Sentence on the reason why a box was named and a design is feasible, but there is no configuration."""
    if answer.changed:
        yield (
            f"No configuration is written: the text for {answer.question.target.box} does not read back as what was "
            f"simulated ({wording.listed(answer.changed)} would differ)"
        )


def bounded(answer: Findings) -> list[Measure]:
    """Measures of constraints and of sums, and the delay where the goal leaves that open: those that are no objectives
    themselves."""
    plain = {one.single.key for one in answer.question.goal.objectives if one.single}
    return [one for one in reported(answer.question.goal) if one.key not in plain]


def standing_of(answer: Findings, line: ValidationLine) -> str:
    """Standing of a rival, for its cell in the table: ``0.8 ± 0.2 worse``, ``equal``, ``misses a bound``."""
    if line.standing is None:
        return ""
    if line.standing == "infeasible":
        return "not sure to hold" if line.holds else "misses a bound"
    pair, objective = line.difference[0], answer.question.goal.objectives[0]
    if pair is None:
        return "no value"
    divisor, _ = wording.scaled(objective.unit, answer.lines[0].objectives[0].mean or 0.0)
    mean, half = wording.value(abs(pair.mean), pair.half_width, divisor=divisor)
    by = intervals.interval(mean, half)
    if line.standing in ("better", "worse"):
        return f"{by} {line.standing}"
    word = {"equal": "equal", "no better": "no better", "undecided": "undecided"}[line.standing]
    if says_nothing(answer, line, pair):
        return word
    side = "ahead" if (pair.mean > 0) == objective.higher else "behind"
    return f"{word} ({by} {side})" if pair.mean else word


def _load(answer: Findings, best: ValidationLine) -> str:
    how = where(answer.question.robust)
    if not answer.question.varying:
        how = "on this link"
    return f"{to_do(answer, setting(best.candidate))}; {how} expect {expected(answer, best)}"


def expected(answer: Findings, line: ValidationLine) -> str:
    """Objectives and bounded measures of a design with their intervals; of a long sum those that stand for the rest."""
    goal = answer.question.goal
    parts = [
        f"{name} {cell(outcome, one)}"
        for name, one, outcome in zip(goal.names, goal.objectives, line.objectives, strict=True)
    ]
    measured = [f"{one.text} {interval(line, one)}" for one in _main(answer, line)]
    # A score alone means little to readers: its terms are named, and where they are many it stays in the table.
    if goal.names == ("score",) and len(measured) < len(bounded(answer)):
        return wording.listed(measured)
    return ", ".join([*measured, *parts] if goal.names == ("score",) else [*parts, *measured])


def _main(answer: Findings, line: ValidationLine) -> list[Measure]:
    """The measures that sentences on a design name."""
    return main_measures(bounded(answer), lambda one: line.measures[one.key].mean)


def _kept(answer: Findings, kept: ConstraintOutcome) -> str:
    if not kept.runs:
        return f"{kept.constraint}: no run has a value"
    worst = wording.amount(kept.worst, None, kept.constraint.measure.unit)
    where = f" ({kept.where})" if kept.where != "as given" else ""
    return (
        f"{kept.constraint} held in {kept.held} of {kept.runs} validation runs; the worst was {worst}{where}"
    )


def _proven(answer: Findings) -> Iterator[str]:
    """Sentences on the runs that took no part in choosing the recommendation, and on designs that failed in such."""
    goal, proof = answer.question.goal, answer.proof
    if goal.constraints and proof is None and not answer.too_few:
        yield (
            "No time was left for fresh seeds that took no part in choosing it, so that the bound may be broken more "
            "often than here; a longer --time makes those runs"
        )
    if proof is not None:
        parts = [
            f"{name} {cell(outcome, one)}"
            for name, one, outcome in zip(goal.names, goal.objectives, proof.objectives, strict=True)
        ]
        parts += [
            f"{one.constraint} held in {one.held} of {one.runs} (worst "
            f"{wording.amount(one.worst, None, one.constraint.measure.unit)})"
            for one in proof.kept
        ]
        runs = wording.count(proof.runs, "run")
        yield f"In {runs} on fresh seeds that took no part in choosing it: {', '.join(parts)}"
    for refused in answer.refused[-NAMED:]:
        broken = [one for one in refused.kept if not one.holds]
        parts = [f"{one.constraint} in {one.runs - one.held} of {one.runs} of them" for one in broken]
        if parts:
            yield f"{setting(refused.candidate)} was chosen before and broke, on such seeds, {wording.listed(parts)}"
            continue
        parts = [f"{one.constraint} in {one.held} of {one.runs}" for one in refused.kept]
        yield (
            f"{setting(refused.candidate)} was chosen before and held, on such seeds, {wording.listed(parts)}: too few "
            "to be sure of nineteen in twenty"
        )


def _nothing(answer: Findings, best: ValidationLine) -> str:
    missed = [one for one in best.kept if not one.holds]
    parts = [
        f"{one.constraint} in {one.runs - one.held} of {one.runs} runs (worst "
        f"{wording.amount(one.worst, None, one.constraint.measure.unit)})"
        if one.runs
        else f"{one.constraint}: no run has a value"
        for one in missed
    ]
    return (
        f"No design {answer.question.tried} holds every constraint over the whole range, so there is nothing to load; "
        f"{setting(best.candidate)} comes closest and misses {wording.listed(parts)}"
    )


def _possible(answer: Findings) -> Iterator[str]:
    """The best objective for several values of the bounded measure, from the designs of the search."""
    bounds = answer.question.goal.constraints
    if not bounds:
        return
    one, objective = bounds[0], answer.question.goal.objectives[0]
    front = sorted(
        (spot.measures[one.measure.key], spot.objectives[0]) for spot in answer.spots if spot.front
    )
    spots = list(dict.fromkeys((float(f"{value:.3g}"), float(f"{best:.4g}")) for value, best in front))
    if not spots:
        return
    some = list(dict.fromkeys([0, len(spots) // 3, 2 * len(spots) // 3, len(spots) - 1]))
    parts = [
        f"{wording.amount(spots[n][0], None, one.measure.unit)} with "
        f"{wording.amount(spots[n][1], None, objective.unit)}"
        for n in some
    ]
    name = answer.question.goal.names[0]
    yield (
        f"What is possible, {one.measure.text} with {name} in the mean over the conditions of the search: "
        + ", ".join(parts)
    )


def _ended(answer: Findings) -> Iterator[str]:
    """Sentence on the time that a goal that nothing comes near leaves unspent."""
    if answer.hopeless and answer.stopped:
        yield (
            "Every design that was tried breaks a bound in more than half of the runs of the search, and by more than "
            "a quarter of it; further runs of them would decide nothing, so that the rest of the time is not spent"
        )


def _against_default(answer: Findings, best: ValidationLine) -> Iterator[str]:
    """Gains and costs of the recommendation against the queue without AQM; where its whole buffer was not validated,
    against tail drop of another size."""
    rivals = answer.lines[1:]
    rival = next((line for line in rivals if line.candidate.origin == "no AQM"), None) or next(
        (line for line in rivals if line.candidate.kind == "droptail"), None
    )
    if rival is None:
        return
    goal = answer.question.goal
    parts = []
    for one in _main(answer, best):
        before, after = rival.measures[one.key], best.measures[one.key]
        if before.mean is not None and after.mean is not None:
            old, new = (wording.amount(value, None, one.unit) for value in (before.mean, after.mean))
            same = wording.reads_alike(before.mean, after.mean)
            parts.append(f"{one.text} {'stays at' if same else f'goes from {old} to'} {new}")
    pair, objective = rival.difference[0], goal.objectives[0]
    if pair is not None:
        by = beyond(abs(pair.mean), pair.half_width, objective)
        gains = (pair.mean < 0) == objective.higher
        if pair.half_width is not None and abs(pair.mean) > pair.half_width:
            parts.append(f"{goal.names[0]} is {by} {'better' if gains else 'worse'}")
        else:
            parts.append(f"{goal.names[0]} {bounded_by(answer, rival, pair)}")
    if parts:
        yield f"Against {labels(answer.lines)[rival.candidate.key]}: {', '.join(parts)}"


def _sure(answer: Findings) -> Iterator[str]:
    """Sentences on the standing of the rivals, and on the runs that would decide the undecided ones."""
    rivals = answer.lines[1:]
    if answer.uncompared:
        reason = "for lack of time" if answer.stopped else "as a run of this link is long"
        what = "it" if len(answer.uncompared) == 1 else "them"
        yield f"Not compared, {reason}: {_uncompared(answer)}; a longer --time compares {what}"
    if not rivals:
        return
    groups: dict[str, list[ValidationLine]] = {name: [] for name in GROUPS}
    for line in rivals:
        groups[group_of(answer, line)].append(line)
    margin = margin_shown(answer)
    words = {
        "infeasible": "miss a bound", "unsure": "are not sure to hold", "worse": "are worse",
        "no better": f"are no better by more than {margin}", "equal": f"are equal within {margin}",
        "better": f"are better but {_not_loaded(answer, groups['better'])}", "undecided": "are undecided",
        "less usual": "are less usual and not shown to be better",
    }  # fmt: skip
    there = [(name, len(some)) for name, some in groups.items() if some]
    parts = [f"{count} {_verb(words[name], count)}" for name, count in there]
    if len(there) == 1:
        yield f"{_all(len(rivals))} {_verb(words[there[0][0]], len(rivals))} on the same runs"
    else:
        yield f"Of {wording.count(len(rivals), 'rival')} on the same runs, {wording.listed(parts)}"
    if groups["equal"]:
        names = labels(answer.lines)
        listed = _named([names[line.candidate.key] for line in groups["equal"]])
        yield f"Equal: {listed}; the recommendation {_among_equals(answer, groups['equal'])}"
    for line in groups["undecided"][:NAMED]:
        yield _undecided(answer, line)


def _not_loaded(answer: Findings, better: Sequence[ValidationLine]) -> str:
    """The reason for which designs are not recommended: the box does not run them, or other disciplines were named."""
    loads = {answer.question.target.loads(line.candidate) for line in better}
    reasons = {True: "not asked for", False: "cannot be loaded"}
    return " or ".join(reasons[one] for one in sorted(loads)) or reasons[False]


def _uncompared(answer: Findings) -> str:
    """The designs that were not compared: those by formula as a number, the others by name."""
    named = [name for name in answer.uncompared if not name.endswith(FORMULA)]
    rest = len(answer.uncompared) - len(named)
    return "; ".join([*named, *([wording.count(rest, "design") + FORMULA.replace(",", "")] if rest else [])])


def _among_equals(answer: Findings, equal: Sequence[ValidationLine]) -> str:
    """The reason for the choice among equals: by a shorter delay where the goal leaves that open, then by the rest."""
    best = answer.lines[0]
    equal = [line for line in equal if answer.question.may_recommend(line.candidate)]
    if not equal:
        return "is the only one of them that was asked for and that the box takes"
    near = short([best, *equal])
    if len(near) > len(equal):
        return f"is {_simplest(best, equal)}"
    others = [line for line in near if line is not best]
    if not others:
        return "has the shortest delay of them"
    return f"is, of those with about the shortest delay, {_simplest(best, others)}"


def _simplest(best: ValidationLine, equal: Sequence[ValidationLine]) -> str:
    """The reason for the choice of a design among equals: by simplicity, then broken runs, then drift of conditions."""
    alike = [line for line in equal if complexity(line.candidate) == complexity(best.candidate)]
    if any(complexity(line.candidate) < complexity(best.candidate) for line in equal):
        return "the simplest of those that isolate flows, which protects traffic that the runs do not have"
    if not alike:
        return "the simplest of them"
    if all(_broken(best) < _broken(line) for line in alike):
        return "as simple as any and breaks a bound in the fewest runs"
    drifts = [line.drifted for line in (best, *alike)]
    known = [one for one in drifts if one is not None]
    if len(known) == len(drifts) and known[0] < min(known[1:]):
        return "as simple as any and good over the widest drift of conditions"
    if all(default_distance(best.candidate) < default_distance(line.candidate) for line in alike):
        return "as simple as any and nearest its defaults"
    as_good = len(known) == len(drifts) and known[0] <= min(known)
    return "as simple as any" + (" and as good where conditions drift" if as_good else "")


def _broken(line: ValidationLine) -> float:
    """The share of the runs of a design that broke a bound, of the one broken most often."""
    return max((1.0 - one.held / one.runs for one in line.kept if one.runs), default=0.0)


def _undecided(answer: Findings, line: ValidationLine) -> str:
    pair, name = line.difference[0], labels(answer.lines)[line.candidate.key]
    amount = standing_of(answer, line).partition("(")[2].rstrip(")")
    by = f" ({amount})" if amount else ""
    if line.needed is None:
        if pair is None or pair.half_width is None:
            return f"Undecided against {name}{by}: they share too few runs; --until decided makes more"
        return (
            f"Undecided against {name}{by}: more than {MOST_REPLICATIONS} replications would settle it; "
            f"{_wider(answer, pair)} does so with these"
        )
    more = max(line.needed - answer.replications, 1)
    own = answer.replications if pair is None else pair.n
    seconds = (more + max(line.needed - own, 1)) * answer.replication_s
    near = f"; until then the {word} is preferred" if (word := _preferred(answer, line)) else ""
    settled = f"Undecided against {name}{by}: {further(more, seconds)} would probably settle it"
    if seconds > LONGEST_S and pair is not None:
        return f"{settled}, hardly worth it; {_wider(answer, pair)} does so with these{near}"
    option = "--until decided" if line.needed <= DECIDED else "a longer --time"
    return f"{settled}; {option} makes them{near}"


def _preferred(answer: Findings, line: ValidationLine) -> str:
    """The reason for which the recommendation was preferred to a rival that is ahead: it is simpler, or of two fair
    queues the one nearer the defaults of the same discipline; "" if it was not."""
    best, pair = answer.lines[0], line.difference[0]
    ahead = (
        pair is not None and pair.mean != 0 and (pair.mean > 0) == answer.question.goal.objectives[0].higher
    )
    if not ahead:
        return ""
    if complexity(best.candidate) < complexity(line.candidate):
        return "simpler one"
    if not are_fair_queues(line.candidate, best.candidate):
        return ""
    same = line.candidate.kind_as_loaded == best.candidate.kind_as_loaded
    nearer = default_distance(line.candidate) - default_distance(best.candidate) >= UNUSUAL
    return "one nearer its defaults" if same and nearer else ""


def _wider(answer: Findings, pair: PairedDifference) -> str:
    """The option with a margin within which the difference counts as equal."""
    points = 1.1 * (abs(pair.mean) + (pair.half_width or 0.0)) / answer.point
    return f"--margin {float(f'{points:.2g}'):g}"


def _all(count: int) -> str:
    """The subject of a sentence on every rival."""
    return {1: "The only rival", 2: "Both rivals"}.get(count, f"All {count} rivals")


def _verb(words: str, count: int) -> str:
    """The words for one or for several."""
    if count != 1:
        return words
    return {"miss": "misses", "are": "is", "cannot": "cannot"}[words.split()[0]] + words[
        len(words.split()[0]) :
    ]


def _named(names: Sequence[str]) -> str:
    rest = len(names) - NAMED
    return "; ".join([*names[:NAMED], *([f"{rest} more"] if rest > 0 else [])])
