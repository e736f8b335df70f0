"""Questions that the atlas can be asked: their conditions as it knows them, quantities beyond its ranges, and refusals
with their remedy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...errors import UsageError
from ...quantities import units, wording
from ..candidates import Candidate
from ..goal import Goal
from ..link import Link
from ..link_mix import MixLink
from ..question import Condition, Question
from . import features
from .features import DISCIPLINES
from .outcomes import OUTCOMES

#: End of every refusal.
REMEDY = "run without --instant"
#: Parameters that a box sets besides those asked for; a design with them is still of the default dialect.
HARMLESS = ("victim", "quantum", "flows")
#: Quantities without a lower limit in the atlas: below its range a queue behaves as at the end of it.
OPEN_BELOW = ("flows", "bandwidth-delay product", "calls", "games", "videos", "web", "short flows", "UDP")


@dataclass(frozen=True)
class AtlasCondition:
    """A condition of the question as the atlas knows it; ``bulk`` names the class of the long transfers through the
    queue."""

    at: Condition
    condition: features.Condition
    bulk: str = ""

    def name(self, measure: str) -> str:
        """The outcome of a column in the rows of runs."""
        return measure.replace(f"[{self.bulk}]", "[bulk]") if self.bulk else measure


@dataclass(frozen=True)
class Extrapolation:
    """A quantity that lies outside the runs of the atlas: its value furthest out, and the ends of its range in the
    runs."""

    name: str
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        low, value, high = (_shown(self.name, one) for one in (self.low, self.value, self.high))
        return f"{self.name} {value} (atlas: {low} to {high})"


def known(question: Question) -> list[AtlasCondition]:
    """The conditions of a question.

    Raises:
        UsageError: For a question that the atlas cannot answer, with the remedy.
    """
    _refuse(question)
    conditions = [_known(question, one) for one in question.conditions()]
    _refuse_measures(question.goal, conditions[0])
    return conditions


def _known(question: Question, at: Condition) -> AtlasCondition:
    if isinstance(question.link, Link):
        return AtlasCondition(at, features.stated(question.link, at))
    assert isinstance(question.link, MixLink), "scenarios are refused"
    profile, direction = question.link.spec.at(at), question.link.direction
    if profile.mix.l4s:
        raise UsageError("--instant", "", "the atlas has no L4S senders", f"leave them out, or {REMEDY}")
    if profile.back != "droptail":
        raise UsageError(
            "--instant",
            profile.back,
            f"the atlas has tail drop in the other direction, not {profile.back}",
            f"leave out back= or --for, or {REMEDY}",
            shown="path",
        )
    return AtlasCondition(
        at, features.usual(profile, direction), "upload" if direction == "up" else "download"
    )


def _refuse(question: Question) -> None:
    if question.link is None:
        raise UsageError(
            "--instant",
            "",
            "the atlas knows links, not scenarios",
            f"describe the link (--link, or --rate), or {REMEDY}",
        )
    if len(question.goal.objectives) > 1:
        raise UsageError(
            "--instant", "", "the atlas answers goals with one objective", f"ask for one, or {REMEDY}"
        )
    if question.space:
        raise UsageError("--instant", "", "the atlas does not cover [tune.space]", REMEDY)
    wrong = [kind for kind in question.candidates if kind not in DISCIPLINES]
    if not question.free and wrong:
        raise UsageError(
            "--instant",
            wrong[0],
            f"{wrong[0]} is not in the atlas, which has {', '.join(DISCIPLINES)}",
            f"name one of these, or {REMEDY}",
            shown="path",
        )
    dialects = [
        f"{kind}:{dialect}" for kind, dialect in question.sizing.dialects.items() if dialect != "linux"
    ]
    if dialects:
        raise UsageError(
            "--instant",
            dialects[0],
            f"{dialects[0]} is not in the atlas",
            f"leave out the dialect, or {REMEDY}",
            shown="path",
        )


def _refuse_measures(goal: Goal, first: AtlasCondition) -> None:
    names = {outcome.name for outcome in OUTCOMES[first.condition.traffic]}
    wrong = next((one for one in goal.measures if first.name(one.key) not in names), None)
    if wrong is not None:
        measured = [name.replace("[bulk]", f"[{first.bulk}]") for name in names]
        shown = wording.listed(sorted(measured))
        raise UsageError(
            "--instant",
            wrong.text,
            f"goal: the atlas does not know {wrong.text}; it has {shown}",
            REMEDY,
            shown="path",
        )


def answerable(candidate: Candidate) -> bool:
    """Whether the atlas has simulated the dialect that a box loads: the default one, or that of Linux."""
    own = set(candidate.params_as_loaded) <= {*candidate.params, *HARMLESS}
    return candidate.kind_as_loaded == candidate.kind and (is_linux(candidate) or own)


def is_linux(candidate: Candidate) -> bool:
    """Whether a design is loaded in the dialect of Linux."""
    return candidate.params_as_loaded.get("dialect") == "linux"


def beyond(
    conditions: Sequence[AtlasCondition], ranges: Mapping[str, tuple[float, float]], goal: Goal
) -> list[Extrapolation]:
    """The quantities of the conditions that lie outside the ranges of the atlas, each once, at its furthest value."""
    quantities: dict[str, list[float]] = {}
    for one in conditions:
        for name, value in one.condition.quantities.items():
            quantities.setdefault(name, []).append(value)
    for bound in goal.constraints:
        if bound.measure.key.startswith("sojourn_ms"):
            quantities.setdefault("bound on the delay", []).append(bound.bound / 1e3)
    outside = []
    for name, values in quantities.items():
        low, high = ranges.get(name, (float("-inf"), float("inf")))
        if max(values) > high * (1 + 1e-9):
            outside.append(Extrapolation(name, max(values), low, high))
        elif min(values) < low * (1 - 1e-9) and name not in OPEN_BELOW:
            outside.append(Extrapolation(name, min(values), low, high))
    return outside


def _shown(name: str, value: float) -> str:
    if name in ("rate", "rate for each flow"):
        return units.show_rate(float(f"{value:.3g}"))
    if name in ("round trip", "bound on the delay"):
        return units.show_span(float(f"{value:.3g}"))
    if name in ("short flows", "UDP"):
        return f"{value:.3g} %"
    if name == "web":
        return wording.percent(value)
    return f"{value:.3g}" + (" packets" if name == "bandwidth-delay product" else "")
