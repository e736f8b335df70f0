"""The answer for one queue of a box's configuration: the queue simulated in its place next to designs that the box can
load, as it loads them, and the verdict on all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..boxes.model import Export, Import
from ..errors import DropcurveError
from ..metrics import Run, main_links, measured_s, statistics
from ..quantities import wording
from ..results import Result
from ..results.recommendation import conditions, verdict_on
from ..runs.effort import Effort
from ..runs.executor import Executor
from ..runs.replicate import replicate
from ..runs.replications import Progress
from ..scenario import Scenario
from ..tuning import goal as goals
from ..tuning import goal_weights
from ..verdict import Exchange, Verdict, Weights
from ..verdict.equivalence import FAIR
from . import budget
from .designs import designs, round_trip_s, tuned
from .elimination import Elimination
from .place import Place

#: The name of the imported queue among the variants.
YOURS = "yours"
#: Most runs of each design: without a time limit, and with one, which is spent until every rival is decided.
MOST_REPLICATIONS, MOST_TIMED = 30, 200
#: Confidence of a verdict after which runs may stop.
LEVEL = statistics.level_when_stopping(0.95)


@dataclass(frozen=True)
class Thoroughness:
    """Extent of the search for the designs of a queue.

    Attributes:
        tune: Whether a search is made at all, next to usual settings and formulas.
        seconds: Time for the search and the comparison of one queue; None for a fixed number of runs.
        goal: The goal of the search and of the verdict; None for use of the link against delay.
        jobs: Executor of the runs.
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
        result: The simulation of all of them and of the imported queue, `YOURS`; designs that were surely worse early
            have fewer runs.
        verdict: The verdict on these designs.
        untuned: Why there was no search, "" if there was one.
        chosen: The design to load although the verdict is to keep the present queue, because the other direction of
            the line decides; else "".
        kept: Whether the present queue stays although the verdict is to load another one, for the same reason.
        joint: Sentence on the design that both directions of the line share, if this one alone would load another
            design; else "".
        limited: Sentence on the parts that did not fit into the time; "" if there are none.
        compared_s: Seconds of the comparison.
        replication_s: Seconds of one more replication of the designs in contention.
        settling_s: Seconds of further runs that would decide the undecided rivals that runs can decide; None if there
            are none.
    """

    place: Place
    exports: Mapping[str, Export]
    result: Result
    verdict: Verdict
    untuned: str = ""
    chosen: str = ""
    kept: bool = False
    joint: str = ""
    limited: str = ""
    compared_s: float = 0.0
    replication_s: float | None = None
    settling_s: float | None = None

    @property
    def imported(self) -> Import:
        """The imported queue."""
        return self.place.imported

    @property
    def better(self) -> bool:
        """Whether the verdict is to load another queue."""
        return not self.kept and self.verdict.status == "load" and self.verdict.recommended != YOURS

    @property
    def names(self) -> list[str]:
        """The designs of the verdict, the leader first."""
        return [self.verdict.leader, *(rival.name for rival in self.verdict.rivals)]

    @property
    def loaded(self) -> str:
        """Name of the design to load; "" to keep the present queue."""
        return self.chosen or (self.verdict.recommended if self.better else "")

    @property
    def load(self) -> Export | None:
        """The configuration to load; None to keep the present queue."""
        return self.exports[self.loaded] if self.loaded else None


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
    on_step: Callable[[str], None] = lambda _: None,
) -> QueueFix:
    """The answer for one queue; arguments as for `fix`."""
    began = time.monotonic()
    where = budget.shortened(where, round_trip_s(where.own))
    exports = dict(designs(where, shape=shape))
    untuned = "" if search.tune else "not asked for"
    if search.tune and search.seconds is None and budget.packets(where.base) >= budget.SEARCHED_PACKETS:
        untuned = "runs at this rate take long; a search needs a time such as --time 10min"
    elif search.tune and search.seconds is not None and search.seconds <= 0:
        untuned = "the queues before this one took all of the time; give a longer --time"
    elif search.seconds is not None and search.tune and not budget.searched(where, search.seconds):
        untuned = "a search takes longer than the time that is left for it; give a longer --time"
    elif search.tune:
        seconds = None if search.seconds is None else search.seconds * budget.SEARCH_SHARE
        try:
            exports |= dict(
                tuned(
                    where, shape=shape, seconds=seconds, goal=search.goal, exchange=exchange,
                    jobs=search.jobs, on_step=lambda step: on_step(f"{where.title}: {step}"),
                )
            )  # fmt: skip
        except DropcurveError as error:
            untuned = str(error)
    on_step(f"{where.title}: comparison")
    weights = weights_of(where, search, exchange)
    left = None if search.seconds is None else search.seconds - (time.monotonic() - began)
    most = most if left is None else max(most, MOST_TIMED)
    began = time.monotonic()
    rounds, limited = _rounds(where, exports, replications, most, exchange, weights, command, progress, left)
    result, verdict = rounds.run()
    return QueueFix(
        where, exports, result, verdict, untuned, limited=limited, compared_s=time.monotonic() - began,
        replication_s=rounds.replication_s(verdict), settling_s=rounds.settling_s(verdict),
    )  # fmt: skip


def weights_of(where: Place, search: Thoroughness, exchange: Exchange | None) -> Weights | None:
    """The weights of the goal of a search; None without one."""
    if search.goal is None:
        return None
    return goal_weights.weights(goals.of_scenario(search.goal, where.base, exchange=exchange))


def _rounds(
    where: Place,
    exports: Mapping[str, Export],
    replications: int,
    most: int,
    exchange: Exchange | None,
    weights: Weights | None,
    command: str,
    progress: Progress | None,
    left_s: float | None = None,
) -> tuple[Elimination, str]:
    """The comparison of all designs with the imported queue, with more runs of those that may still be the best while
    it is undecided; and words on what was left out to fit into ``left_s`` seconds ("" without a limit, or if all
    fits)."""
    began = time.monotonic()
    variants = _variants(where, exports if left_s is None else _fair_first(exports))
    if len(variants) < 2 * len(where.conditions):
        raise DropcurveError(
            "configuration",
            where.imported.box,
            "no design could be made for this link",
            "give another --buffer",
            shown="value",
        )
    count, limited = replications, ""
    until = None if left_s is None else began + left_s
    if left_s is not None:
        variants, count, limited = _affordable(where, variants, replications, exchange, weights, left_s)

    def some_of(titles: Sequence[str] | None, number: int) -> Result:
        chosen = variants if titles is None else _of_titles(where, variants, titles)
        result = replicate(
            chosen,
            Effort(replications=number),
            name=where.base.name,
            command=command,
            progress=progress,
            until=until,
        )
        return of_place(_distinct(result) if titles is None else result, where)

    def judge(result: Result) -> Verdict:
        verdict = verdict_on(
            result, current=YOURS, exchange=exchange, confidence=LEVEL, weights=weights,
            unsimulated=where.unsimulated,
        )  # fmt: skip
        if verdict is None:
            raise DropcurveError(
                "configuration",
                where.imported.box,
                "every design for this link behaves as your queue does",
                "keep it, or give the rate and round trip of the line if they differ",
                shown="value",
            )
        return verdict

    titles = _titles(where, variants)
    rounds = Elimination(
        some_of, judge, lambda one: titles[one.name], count, most, len(where.conditions), until
    )
    return rounds, limited


def _fair_first(exports: Mapping[str, Export]) -> dict[str, Export]:
    """The designs with those first that have a queue for each flow: where there is time for a few only, they are the
    ones that protect most traffic."""
    return dict(sorted(exports.items(), key=lambda one: one[1].discipline_as_loaded not in FAIR))


def _titles(where: Place, names: Iterable[str]) -> dict[str, str]:
    """The title of the design of each variant: its name without the condition."""
    conditions = sorted((one.condition for one in where.conditions), key=len, reverse=True)
    return {
        name: next((name.removeprefix(f"{one} ") for one in conditions if name.startswith(f"{one} ")), name)
        for name in names
    }


def _of_titles(where: Place, variants: Mapping[str, Scenario], titles: Sequence[str]) -> dict[str, Scenario]:
    """The variants of these designs under every condition."""
    title = _titles(where, variants)
    return {name: scenario for name, scenario in variants.items() if title[name] in titles}


def _affordable(
    where: Place, variants: Mapping[str, Scenario], replications: int, exchange: Exchange | None,
    weights: Weights | None, left_s: float,
) -> tuple[dict[str, Scenario], int, str]:  # fmt: skip
    """The variants that fit into ``left_s`` seconds, their replications, and words on what is left out."""
    titles = list(dict.fromkeys(_titles(where, variants).values()))

    def once(chosen: Sequence[str]) -> dict[str, float]:
        plan = replicate(_of_titles(where, variants, chosen), Effort(replications=1), name=where.base.name)
        result = of_place(_distinct(plan), where)
        verdict = verdict_on(result, current=YOURS, exchange=exchange, weights=weights)
        rivals = verdict.rivals if verdict else ()
        behind = {one.name: (one.behind or 0.0) + 1e6 * (one.relation == "infeasible") for one in rivals}
        return {verdict.leader: 0.0, **behind} if verdict else {}

    plan = budget.plan(
        titles, conditions=len(where.conditions), replications=replications, left_s=left_s, run=once
    )
    parts = [_uncompared(plan.dropped)] if plan.dropped else []
    if plan.replications < replications:
        # The time may end before those that were planned.
        parts.append(f"each has fewer than {wording.count(replications, 'replication')} at first")
    limited = f"For lack of time {wording.listed(parts)}; a longer --time makes up for it." if parts else ""
    return _of_titles(where, variants, plan.names), plan.replications, limited


def _uncompared(designs: int) -> str:
    return f"{wording.count(designs, 'design')} {'is' if designs == 1 else 'are'} not compared"


def _variants(where: Place, exports: Mapping[str, Export]) -> dict[str, Scenario]:
    """The imported queue and every design that fits all conditions, none of them twice, by condition and name."""
    chosen: dict[str, list[Scenario]] = {YOURS: [one.base for one in where.conditions]}
    seen = {where.base.hash}
    for title, export in exports.items():
        try:
            scenarios = [
                one.put(export.discipline_as_loaded, export.params_as_loaded, export.functions)
                for one in where.conditions
            ]
        except DropcurveError:
            # A buffer of another condition contradicts it.
            continue
        if scenarios[0].hash not in seen:
            seen.add(scenarios[0].hash)
            chosen[title] = scenarios
    return {
        f"{one.condition} {title}".strip(): scenarios[number]
        for number, one in enumerate(where.conditions)
        for title, scenarios in chosen.items()
    }


def of_place(result: Result, where: Place) -> Result:
    """The comparison with the link's rate that the queue may use: behind a policer that of the policer, so that
    utilisation is a share of it."""
    if not where.policed:
        return result
    return replace(
        result,
        variants=[
            replace(one, runs=[_at_rate(run, where.capacity_bps) for run in one.runs])
            for one in result.variants
        ],
    )


def _at_rate(run: Run, rate_bps: float) -> Run:
    """A run whose main link has this rate, and is busy for as long as it would take to send the same."""
    name = main_links(run)[0]
    link = run["links"][name]
    busy = min(measured_s(run), link["busy_s"] * link["rate_bps"] / rate_bps)
    return {**run, "links": {**run["links"], name: {**link, "rate_bps": round(rate_bps), "busy_s": busy}}}


def _distinct(result: Result) -> Result:
    """The comparison without designs of which every run is that of an earlier one: their settings differ in a part that
    this traffic never uses, such as marking where no sender uses ECN."""
    places = conditions(result.variants)
    names = list(places[0]) if places else []
    behaviours: dict[str, list[object]] = {}
    for name in names:
        runs = [[(run["links"], run["flows"]) for run in place[name].runs] for place in places]
        if runs not in behaviours.values():
            behaviours[name] = list(runs)
    kept = [place[name] for place in places for name in names if name in behaviours]
    return replace(result, variants=[one for one in result.variants if one in kept])
