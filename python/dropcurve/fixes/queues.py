"""Better queues for a box's configuration: each queue simulated in its place next to designs that the box can load, as
it loads them, and the text with the best of them instead.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..boxes import rewrite
from ..boxes.model import Export, Import
from ..errors import DropcurveError
from ..metrics import statistics
from ..results import Result
from ..results.recommendation import verdict_on
from ..runs.effort import Effort
from ..runs.executor import Executor
from ..runs.replicate import replicate
from ..runs.replications import Progress
from ..scenario import Scenario
from ..tuning import goal as goals
from ..tuning import goal_weights
from ..verdict import Exchange, Verdict, Weights
from .designs import designs, tuned
from .place import Place

#: The name of the imported queue among the variants.
YOURS = "yours"
#: Most runs of each design.
MOST_REPLICATIONS = 30


@dataclass(frozen=True)
class Thoroughness:
    """Extent of the search for the designs of a queue.

    Attributes:
        tune: Whether a search is made at all, next to usual settings and formulas.
        seconds: Time for the search of one queue; None for a fixed number of runs.
        goal: What is wanted, of the search and of the verdict; None for use of the link against delay.
        jobs: Where runs are made.
    """

    tune: bool = True
    seconds: float | None = None
    goal: str | None = None
    jobs: Executor | None = None


@dataclass(frozen=True)
class QueueFix:
    """Recommendation for one queue.

    Attributes:
        place: The imported queue and its scenario.
        exports: The designs by name, as the box takes them.
        result: The simulation of all of them and of the imported queue, `YOURS`.
        verdict: The verdict on these designs.
        untuned: Why there was no search, "" if there was one.
        chosen: The design to load, where another direction of the same line decides; else "".
    """

    place: Place
    exports: Mapping[str, Export]
    result: Result
    verdict: Verdict
    untuned: str = ""
    chosen: str = ""

    @property
    def found(self) -> Import:
        """The imported queue."""
        return self.place.found

    @property
    def better(self) -> bool:
        """Whether another queue is to be loaded."""
        return self.verdict.status == "load" and self.verdict.recommended != YOURS

    @property
    def load(self) -> Export | None:
        """The configuration to load; None to keep what is there."""
        if self.chosen:
            return self.exports[self.chosen]
        return self.exports[self.verdict.recommended] if self.better else None


@dataclass(frozen=True)
class Fix:
    """Recommendation for a configuration.

    Attributes:
        queues: The answer for each of its queues.
        before: The text of the configuration.
        after: The text with the recommended queues; as `before` unless a verdict is to load another one.
        in_place: Whether `after` is the whole text with queues replaced; else it is the new queues alone.
    """

    queues: tuple[QueueFix, ...]
    before: str
    after: str
    in_place: bool

    @property
    def better(self) -> bool:
        """Whether another queue is to be loaded somewhere."""
        return any(one.better for one in self.queues)

    @property
    def diff(self) -> str:
        """The unified difference of both texts; "" where they are the same or `after` is the new queues alone."""
        if not self.in_place:
            return ""
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), "before", "after", lineterm="", n=2
        )
        return "\n".join(lines)


def fix(
    places: Sequence[Place],
    text: str,
    *,
    shape: bool = False,
    search: Thoroughness | None = None,
    replications: int = 5,
    most: int = MOST_REPLICATIONS,
    exchange: Exchange | None = None,
    command: str = "",
    progress: Progress | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Fix:
    """Compares each queue with designs that its box can load, and rewrites the text for the best.

    Args:
        places: The queues of the text, each with its scenario.
        text: The configuration that they were found in.
        shape: Puts a shaper of the link's rate above a new queue, where the text has none.
        search: How designs are searched for; by default with a fixed number of runs.
        replications: Runs of each design at first.
        most: Runs of each design while it is undecided whether to keep the queue.
        exchange: Between delay and utilisation; by default that of the round trip.
        command: That repeats the answer.
        progress: Called as runs finish.
        say: Called with the queue and the step that begins.

    Raises:
        DropcurveError: If no design could be made for this box.
    """
    known: dict[tuple[str, ...], QueueFix] = {}
    answers = []
    for where in places:
        # Queues with the same settings in the same place, such as those of several ports, have one answer.
        if (key := tuple(one.base.hash for one in where.conditions)) not in known:
            known[key] = fix_queue(
                where, shape=shape, search=search or Thoroughness(), replications=replications, most=most,
                exchange=exchange, command=command, progress=progress, say=say,
            )  # fmt: skip
        answers.append(replace(known[key], place=where))
    answers = joint(answers)
    after, in_place = rewrite.all_rewritten(text, [(one.found, one.load) for one in answers])
    return Fix(tuple(answers), text, after, in_place)


def fix_queue(
    where: Place,
    *,
    shape: bool,
    search: Thoroughness,
    replications: int,
    most: int,
    exchange: Exchange | None,
    command: str = "",
    progress: Progress | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> QueueFix:
    """The answer for one queue; arguments as for `fix`."""
    exports = dict(designs(where, shape=shape))
    untuned = "" if search.tune else "not asked for"
    if search.tune:
        try:
            exports |= dict(
                tuned(
                    where, shape=shape, seconds=search.seconds, goal=search.goal, exchange=exchange,
                    jobs=search.jobs, say=lambda step: say(f"{where.title}: {step}"),
                )
            )  # fmt: skip
        except DropcurveError as error:
            untuned = str(error)
    say(f"{where.title}: comparison")
    wanted = None if search.goal is None else goals.of_scenario(search.goal, where.base, exchange=exchange)
    weights = None if wanted is None else goal_weights.weights(wanted)
    result, verdict = _judged(where, exports, replications, most, exchange, weights, command, progress)
    return QueueFix(where, exports, result, verdict, untuned)


def _judged(
    where: Place,
    exports: Mapping[str, Export],
    replications: int,
    most: int,
    exchange: Exchange | None,
    weights: Weights | None,
    command: str,
    progress: Progress | None,
) -> tuple[Result, Verdict]:
    """The comparison of all designs with the imported queue, with more runs while it is undecided."""
    variants = _variants(where, exports)
    if len(variants) < 2 * len(where.conditions):
        raise DropcurveError(
            f"{where.found.box}: no design could be made for this link; give another --buffer"
        )
    level = statistics.level_when_stopping(0.95)
    count = replications
    while True:
        result = replicate(
            variants, Effort(replications=count), name=where.base.name, command=command, progress=progress
        )
        verdict = verdict_on(result, current=YOURS, exchange=exchange, confidence=level, weights=weights)
        assert verdict is not None, "the variants differ in their queues alone"
        # Half as many again, and at least what the verdict asks for, while that is worth the wait.
        if verdict.status != "undecided" or verdict.more is None or count >= most:
            return result, verdict
        count = min(most, max(statistics.next_size(count, maximum=most), count + verdict.more))


def _variants(where: Place, exports: Mapping[str, Export]) -> dict[str, Scenario]:
    """The imported queue and every design that fits all conditions, none of them twice, by condition and name."""
    chosen: dict[str, list[Scenario]] = {YOURS: [one.base for one in where.conditions]}
    seen = {where.base.hash}
    for title, made in exports.items():
        try:
            found = [one.put(made.discipline_as_loaded, made.params_as_loaded) for one in where.conditions]
        except DropcurveError:
            # A buffer of another condition contradicts it.
            continue
        if found[0].hash not in seen:
            seen.add(found[0].hash)
            chosen[title] = found
    return {
        f"{one.condition} {title}".strip(): found[number]
        for number, one in enumerate(where.conditions)
        for title, found in chosen.items()
    }


def joint(answers: Sequence[QueueFix]) -> list[QueueFix]:
    """Answers in which both directions of a section of sqm-scripts load the same kind of queue: that of the direction
    that gains most, as script and kind hold for both."""
    found = list(answers)
    sections: dict[str, list[int]] = {}
    for i, one in enumerate(found):
        if one.found.box == "sqm":
            sections.setdefault(one.found.title.rpartition(" ")[0], []).append(i)
    for some in sections.values():
        gaining = [i for i in some if found[i].better]
        if not gaining or len(some) < 2:
            continue
        first = max(gaining, key=lambda i: found[i].verdict.advantage or 0.0)
        design = found[first].verdict.recommended
        kind = found[first].exports[design].discipline
        for i in some:
            same = next((name for name, made in found[i].exports.items() if name == design), None) or next(
                (name for name, made in found[i].exports.items() if made.discipline == kind), None
            )
            own = found[i].load
            if i != first and same is not None and (own is None or own.discipline != kind):
                found[i] = replace(found[i], chosen=same)
    return found
