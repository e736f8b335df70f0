"""The instant answer: the pick of the atlas as sentences, as text and as data, and the limits of its knowledge."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import UsageError
from ...quantities import wording
from ..candidates import Candidate
from ..customary import customary
from ..decision import readable
from ..delay_bounds import bound_s
from ..families import family
from ..measures import Measure, main_measures
from ..names import DISPLAY_NAMES, setting, shown
from ..question import Question
from .conditions import Extrapolation, beyond, known
from .model import Atlas, load
from .pick import Pick, PredictedRange, picks

#: Version of the record.
FORMAT = 1
#: Columns of the text.
WIDTH = 100
#: Command that proves an answer.
PROVE = "run without --instant to prove it"
#: Least half-width of an interval in % that decimals are shown for.
LEAST_SHOWN = 0.005
#: An answer is one to load at this probability that the bounds hold, and with at most this half-width of the objective
#: (points, or a share of its value).
SURE, WIDE_POINTS, WIDE_SHARE = 0.8, 10.0, 0.3
#: Disciplines that have a formula beyond the ranges of the atlas, in the order they are tried: their scale is a share
#: of the bound, as in the rules of thumb.
BY_FORMULA = ("droptail", "pie", "fq_codel", "codel", "red")


@dataclass(frozen=True, repr=False)
class InstantAnswer:
    """Recommendation of the atlas, or beyond its ranges of a formula; ``print(answer)`` shows it.

    Attributes:
        question: The question.
        picks: The best design of each discipline, the recommended one first; empty where a formula answers.
        formula: The design by formula where the atlas does not reach; None elsewhere.
        outside: Quantities beyond the ranges of the atlas.
        level: Share of the intervals that cover the simulated value.
        rows: Simulated conditions that the model learned from.
    """

    question: Question
    picks: tuple[Pick, ...]
    formula: Candidate | None
    outside: tuple[Extrapolation, ...]
    level: float
    rows: int

    @property
    def best(self) -> Candidate:
        """The recommended design."""
        return self.picks[0].candidate if self.picks else self.formula  # type: ignore[return-value]

    @property
    def holds(self) -> bool:
        """Whether the bounds are expected to hold; a formula promises nothing."""
        return bool(self.picks) and self.picks[0].holds

    def verdict(self) -> list[str]:
        """The answer as sentences without a full stop; the first is the one to act on."""
        return _by_formula(self) if not self.picks else _by_atlas(self)

    def record(self) -> dict[str, Any]:
        """Everything as data."""
        goal = self.question.goal
        return {
            "format": FORMAT, "source": "atlas" if self.picks else "formula", "simulated": False,
            "title": self.question.title, "goal": str(goal), "robust": self.question.robust,
            "queue": self.best.queue, "recommendation": _candidate(self.best), "verdict": self.verdict(),
            "holds": self.holds if self.picks else None, "level": self.level, "rows": self.rows,
            "picks": [
                {**_candidate(one.candidate), "objective": _figure(one.score),
                 "measures": {key: _figure(figure) for key, figure in one.measures.items()},
                 "probability_of_holding": round(one.sure, 4) if goal.constraints else None, "holds": one.holds}
                for one in self.picks
            ],
            "outside": [
                {"quantity": one.name, "value": one.value, "low": one.low, "high": one.high} for one in self.outside
            ],
        }  # fmt: skip

    def __repr__(self) -> str:
        return f"<InstantAnswer: {' '.join(self.verdict())}>"

    def __str__(self) -> str:
        return text(self)


def answer(question: Question, atlas: Atlas | None = None) -> InstantAnswer:
    """The instant answer to a question.

    Args:
        question: As `tuning.ask` returns it.
        atlas: The model; by default that of the package.

    Returns:
        The recommendation of the atlas, or by formula where a quantity is beyond its ranges.

    Raises:
        UsageError: For a question that neither the atlas nor a formula can answer, with the remedy.
        DropcurveError: For a model that is damaged.
    """
    conditions = known(question)
    atlas = atlas or load()
    part = atlas.parts[conditions[0].condition.traffic]
    outside = tuple(beyond(conditions, part.ranges, question.goal))
    level = float(atlas.record["level"])
    if outside:
        return InstantAnswer(question, (), formula(question, outside), outside, level, part.rows)
    picked = picks(question, part, conditions)
    if not picked:
        raise refused_by_box(question)
    return InstantAnswer(question, tuple(picked), None, (), level, part.rows)


def _by_atlas(answer: InstantAnswer) -> list[str]:
    best, question = answer.picks[0], answer.question
    measures = {one.key: one for one in question.goal.measures}
    bounded = {one.measure.key for one in question.goal.constraints}
    main = main_measures([measures[key] for key in best.measures], lambda one: best.measures[one.key].value)
    expected = wording.listed([
        f"{readable(one).text} {_cell(best, one)}"
        + (" in the worst condition" if one.key in bounded and question.varying else "")
        for one in main
    ])  # fmt: skip
    design = setting(best.candidate)
    if best.holds and _settled(answer):
        lines = [f"Load {design}, by the atlas: expect {expected}"]
    elif best.holds:
        lines = [f"Not sure enough to load, the best guess of the atlas is {design}: expect {expected}"]
    else:
        lines = [
            f"No design of the atlas is expected to hold every bound; {design} comes closest, with {expected}"
        ]
    if bounded:
        where = question.describe(question.conditions()[best.worst])
        near = f"; closest to a bound at {where}" if question.varying else ""
        lines.append(f"{_chance(best.sure)} that every bound holds{near}")
    lines += _rivals(answer)
    lines.append(
        f"Not simulated: {wording.percent(answer.level)} intervals of a model learned from {answer.rows} simulated "
        f"conditions; {PROVE}"
    )
    if question.target.box:
        lines.append(
            f"No configuration for {question.target.box}: one is printed for what was simulated as the box loads it"
        )
    return lines


def _settled(answer: InstantAnswer) -> bool:
    """Whether the intervals are narrow enough to act on."""
    best, objective = answer.picks[0], answer.question.goal.objectives[0]
    half = (best.score.high - best.score.low) / 2.0
    wide = WIDE_POINTS if objective.in_points else WIDE_SHARE * abs(best.score.value)
    return best.sure >= SURE and half <= wide


def _rivals(answer: InstantAnswer) -> list[str]:
    """Sentence on the disciplines that may be better than the recommendation within the intervals."""
    objective = answer.question.goal.objectives[0]
    sign, best = -objective.sign, answer.picks[0]
    end = best.score.low if objective.higher else best.score.high
    open_ = [
        DISPLAY_NAMES.get(one.candidate.kind, one.candidate.kind)
        for one in answer.picks[1:]
        if one.holds and best.holds
        and sign * (one.score.high if objective.higher else one.score.low) > sign * end
    ]  # fmt: skip
    if not open_:
        return []
    return [f"The intervals leave open whether {wording.listed(open_)} would do better"]


def _by_formula(answer: InstantAnswer) -> list[str]:
    assert answer.formula is not None, "without picks there is a formula"
    beyond_ = wording.listed([str(one) for one in answer.outside])
    return [
        f"Load {setting(answer.formula)}, by a rule of thumb: the atlas ends before this link",
        f"Beyond its ranges: {beyond_}",
        f"Nothing is known of what this design will do; {PROVE}",
    ]


def formula(question: Question, outside: Sequence[Extrapolation]) -> Candidate:
    """The design by rule of thumb for a bound on the delay.

    Raises:
        UsageError: Without such a bound, and where the box takes none of the designs.
    """
    ends = "; ".join(map(str, outside))
    bound = bound_s(question.goal, question.sizing)
    if bound is None:
        raise UsageError(
            "--instant",
            ends,
            f"beyond the ranges of the atlas: {ends}; without a bound on the delay there is no formula",
            "run without --instant",
            shown="path",
        )
    for kind in BY_FORMULA:
        if kind not in question.candidates:
            continue
        space = family(kind, question.sizing)
        params = space.params(customary(space, question.sizing, bound))
        candidate = question.target.candidate(f"{kind}, rule of thumb", kind, params, origin="rule")
        if candidate is not None:
            return candidate
    raise refused_by_box(question)


def refused_by_box(question: Question) -> Exception:
    """The refusal where the box loads none of the designs of the atlas."""
    return UsageError(
        "--instant",
        question.target.box,
        f"the atlas has none of the queues of {question.target.box or 'this question'}",
        "leave out --for, or run without --instant",
        shown="path",
    )


def text(answer: InstantAnswer) -> str:
    """The whole answer as text."""
    question = answer.question
    parts = [
        "\n".join([question.title, *textwrap.wrap(f"Goal: {question.goal}", WIDTH, break_on_hyphens=False)])
    ]
    wrap = textwrap.TextWrapper(WIDTH, initial_indent="* ", subsequent_indent="  ", break_on_hyphens=False)
    parts.append("\n".join(wrap.fill(f"{line}.") for line in answer.verdict()))
    own = [f"  {name:<14}{shown(value)}" for name, value in answer.best.params_as_loaded.items()]
    heading = "By the atlas" if answer.picks else "By rule of thumb"
    parts.append("\n".join([f"{heading}, not simulated: {answer.best.kind_as_loaded}", *own]))
    if answer.picks:
        parts.append("\n".join(_table(answer)))
    if question.link is not None:
        parts.append("\n".join(textwrap.wrap(f"Assumed: {question.link.assumed()}", WIDTH)))
    return "\n\n".join(parts)


def _table(answer: InstantAnswer) -> list[str]:
    """The best design of each discipline with its figures."""
    goal = answer.question.goal
    single = goal.objectives[0].single
    heads = ["", *([] if single else ["score"]), *(readable(one).text for one in goal.measures)]
    heads += ["holds"] if goal.constraints else []
    rows = [heads]
    for number, one in enumerate(answer.picks):
        name = f"{'→' if number == 0 else ' '} {_name(one.candidate)}"
        cells = [_cell(one, measure) for measure in goal.measures]
        score = [] if single else [figure(one.score, "")]
        rows.append([name, *score, *cells, *([_share(one.sure)] if goal.constraints else [])])
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _name(candidate: Candidate) -> str:
    scale = {"droptail": "limit", "red": "min_th", "cake": "interval"}.get(candidate.kind, "target")
    value = candidate.params_as_loaded.get(scale, candidate.params.get(scale))
    return f"{DISPLAY_NAMES.get(candidate.kind, candidate.kind)} ({scale} {shown(value)})"


def _cell(pick: Pick, measure: Measure) -> str:
    """A measure of a pick: the load time of pages instead of its logarithm."""
    predicted, shown_as = pick.measures[measure.key], readable(measure)
    if shown_as is not measure:
        predicted = PredictedRange(*(2.0**end for end in (predicted.low, predicted.value, predicted.high)))
    return figure(predicted, shown_as.unit)


def figure(predicted: PredictedRange, unit: str) -> str:
    """A number with the ends of its interval: ``97.1 % (94.9 to 98.6)``."""
    divisor, shown_unit = wording.scaled(unit, predicted.value)
    least = LEAST_SHOWN if unit == "%" else 1e-9
    places = wording.decimals(
        predicted.value / divisor, max((predicted.high - predicted.low) / divisor / 2, least)
    )
    low, value, high = (
        wording.number(end / divisor, places) for end in (predicted.low, predicted.value, predicted.high)
    )
    return f"{value}{f' {shown_unit}' if shown_unit else ''} ({low} to {high})"


def _chance(probability: float) -> str:
    return f"{_share(probability)} sure"


def _share(probability: float) -> str:
    percent = min(99, max(1, round(100 * probability)))
    return f"{percent} %"


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "name": candidate.name, "queue": candidate.queue, "discipline": candidate.kind_as_loaded,
        "params": candidate.params_as_loaded,
    }  # fmt: skip


def _figure(predicted: PredictedRange) -> dict[str, float]:
    return {
        "low": _rounded(predicted.low),
        "value": _rounded(predicted.value),
        "high": _rounded(predicted.high),
    }


def _rounded(value: float) -> float:
    """A value to six digits, the same on every machine."""
    return float(f"{value:.6g}")
