"""The main job: the right parameters for a link, why, and the configuration to load.

    answer = dropcurve.tune(rate="100Mbit", rtt="20-200ms", flows="5-100", buffer="1000pkts",
                            goal="p95 delay < 15ms, max utilisation", box="linux", out="answer")
    print(answer)

`question` says what is asked (`asked` in its short form), `goal` what is wanted, `families` what may be moved;
`search` starts from what is known, screens (`screen`), asks Optuna (`study`) and races (`race`) on the `bench`;
`confirm` holds the winner against what people run, on fresh ground; `around` moves parameters and conditions; `answer`
keeps it all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..quantities import units, wording
from ..runs.executor import Executor
from ..runs.job import build
from ..runs.sweeping.run_table import RunTable
from ..scenario import Scenario, library
from . import around, effort
from .answer import Answer, Spot
from .asked import of_link
from .bench import Bench, Tell, block
from .candidates import Candidate, references
from .confirm import APART
from .confirm import confirm as confirmed
from .effort import Clock, Effort
from .families import family
from .question import Question, of_file
from .search import Outcome, Say, Search
from .study import Study, front

__all__ = ["Answer", "Question", "of_file", "of_link", "solve", "tune"]

#: Fewest that give a search its name.
FEWEST = 60


def tune(
    scenario: Scenario | str | Path | None = None,
    *,
    goal: str | None = None,
    ranges: Mapping[str, str] | None = None,
    rate: str | None = None,
    rtt: str | None = None,
    flows: str | None = None,
    buffer: str | None = None,
    short: str | None = None,
    udp: str | None = None,
    tcp: str = "cubic",
    ecn: bool = False,
    candidates: Sequence[str] = (),
    robust: str | None = None,
    box: str | None = None,
    space: Mapping[str, Mapping[str, str]] | None = None,
    runs: int | None = None,
    seconds: float | None = None,
    seed: int = 1,
    jobs: int | None = None,
    cluster: str | None = None,
    out: str | Path,
) -> Answer:
    """Finds the discipline and parameters that serve a goal best over a range of conditions; kept in ``out``.

    The question is a ``scenario`` with ``ranges`` (path to range; or both from its ``[tune]`` section), or a link by
    ``rate``, ``rtt``, ``flows`` and ``buffer``, with shares of ``short`` flows and ``udp`` in per cent; ranges as
    ``"20-200ms"``. ``goal`` is as `goal` describes. ``candidates`` are disciplines, ``space`` ranges of your own for
    parameters of one, ``box`` is what the configuration is for. ``robust`` is "mean" or "worst". ``runs`` limits
    the search (None: by the size of the link, 1500 at most), ``seconds`` everything up to the answer; only the former
    gives the same answer on every machine.

    Interrupted, the same call goes on. Raises DropcurveError for whatever is wrong with question, values or folder.
    """
    question = ask(
        scenario, goal=goal, ranges=ranges, rate=rate, rtt=rtt, flows=flows, buffer=buffer, short=short, udp=udp,
        tcp=tcp, ecn=ecn, candidates=candidates, robust=robust, box=box, space=space,
    )  # fmt: skip
    return solve(question, runs=runs, seconds=seconds, seed=seed, where=Executor(jobs, cluster), out=out)


def ask(
    scenario: Scenario | str | Path | None,
    *,
    goal: str | None,
    ranges: Mapping[str, str] | None,
    robust: str | None,
    box: str | None,
    candidates: Sequence[str],
    space: Mapping[str, Mapping[str, str]] | None,
    **link: Any,
) -> Question:
    """The question of `tune`, read and checked."""
    given = {name: value for name, value in link.items() if value is not None}
    if scenario is not None:
        wrong = [name for name in given if name not in ("tcp", "ecn")]
        if wrong:
            raise UsageError(
                f"--{wrong[0]} describes a link, and a scenario was named; give one or the other"
            )
        return of_file(
            scenario, goal=goal, ranges_=ranges, box=box, candidates=candidates, robust=robust, space=space
        )
    missing = [f"--{name}" for name in ("rate", "rtt", "flows", "buffer") if name not in given]
    missing += ["--goal"] if not goal else []
    if missing:
        raise UsageError(
            f"{', '.join(missing)}: not given; say such as --rate 100Mbit --rtt 20-200ms --flows 5-100 "
            '--buffer 1000pkts --goal "p95 delay < 15ms, max utilisation", or name a scenario'
        )
    return of_link(
        **given, goal=str(goal), box=box or "", candidates=candidates, robust=robust or "mean", space=space
    )  # fmt: skip


def solve(
    question: Question,
    *,
    runs: int | None = None,
    seconds: float | None = None,
    seed: int = 1,
    where: Executor | None = None,
    out: str | Path,
    command: str = "",
    say: Say = lambda *_: None,
    tell: Tell | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> Answer:
    """Answers a question that was read before; the rest is as for `tune`.

    ``say`` is told what is going on, with the best design so far; ``tell`` how many runs of it are done; ``note`` how
    long it will take.
    """
    if runs is not None and runs < FEWEST:
        raise UsageError(f"runs = {runs}: must be {FEWEST} or more, or there is nothing to choose from")
    if not 0 <= seed < 2**31:
        raise UsageError(f"seed = {seed}: must be a whole number from 0 to 2147483647")
    if seconds is not None and not seconds > 0:
        raise UsageError(f"time = {seconds:g} s: must be above 0")
    clock = Clock(seconds)
    with (where or Executor()).opened() as there:
        bench = Bench(question, RunTable(Path(out) / "runs", build()), there, tell)
        bench.open()
        spent = _effort(bench, clock, runs, seed)
        return _solved(bench, spent, clock, seed, Path(out), say=say, note=note, command=command)


def _effort(bench: Bench, clock: Clock, runs: int | None, seed: int) -> Effort:
    """What is spent: by the size of the link, or under a limit of time by the pace of the first runs."""
    question = bench.question
    if clock.seconds is None:
        return effort.by_size(question, runs)
    name, kind, params, origin = next(references(question.room, box=question.target.box))
    first = block(question.conditions(2), seed)
    bench.run((Candidate(name, kind, params, origin), trial) for trial in first)
    if bench.run_s is None:
        return effort.by_size(question, runs)
    return effort.by_pace(question, clock.left(effort.DRIFT) or 0.0, bench.run_s, runs)


def _solved(
    bench: Bench, spent: Effort, clock: Clock, seed: int, folder: Path, *, say: Say, note: Callable[[str], None],
    command: str,
) -> Answer:  # fmt: skip
    """All steps, on a bench that is open."""
    question = bench.question
    outcome = Search(bench, seed, spent, folder, say, clock, note).go()
    searched = bench.runs
    chosen, size = _chosen(outcome, bench)
    say("confirmation on fresh seeds and conditions", chosen[0])
    left_s = clock.left(effort.CONFIRMATION)
    rivals = len(chosen) - size
    chosen = chosen[: max(size, effort.confirmable(left_s, bench.run_s))]
    confirming = effort.confirmation(spent, len(chosen), left_s, bench.run_s)
    lines, replications = confirmed(
        bench, chosen, confirming, seed=seed, until=clock.until(effort.CONFIRMATION)
    )
    best, ahead = chosen[0], {one.key for one in chosen[:size]}
    say("sensitivity: each parameter off by factors", best)
    moved = _moved(best, outcome, bench, spent, seed, until=clock.until(effort.SENSITIVITY))
    say("drift: conditions beyond their range", best)
    rival = next((line.candidate for line in lines[1:] if line.candidate.origin != "search"), None)
    wandered = around.drift(
        bench, [best, rival] if rival and not spent.brief else [best], effort=spent, seed=seed + 2 * APART,
        until=clock.until(effort.DRIFT),
    )  # fmt: skip
    made = question.target.export(best) if best.loaded_kind or question.target.box else None
    bench.store.adopt()
    bench.store.compact()
    answer = Answer(
        question=question, seed=seed, lines=tuple(lines), spots=tuple(_spots(outcome, bench)),
        effects=tuple(outcome.effects), sensitivity=tuple(moved), drift=tuple(wandered),
        configuration=made.text if made else "", notes=tuple(str(note) for note in made.notes) if made else (),
        runs=searched, fresh=bench.runs - searched, version=library.version(), command=command,
        stopped=_stopped(bench, outcome, clock, moved, wandered, (len(chosen) - size, rivals)),
        pictured=clock.pictured(bench.run_s),
        conditions=len({trial.place for trial in outcome.first}), looked=outcome.looked,
        replications=replications, fresh_conditions=confirming.fresh if question.varying else 1,
        front=sum(line.candidate.key in ahead for line in lines), folder=folder,
    )  # fmt: skip
    answer.save(folder)
    return answer


def _stopped(
    bench: Bench, outcome: Outcome, clock: Clock, moved: Sequence[object], wandered: Sequence[object],
    rivals: tuple[int, int],
) -> str:  # fmt: skip
    """What a limit of time cut short; "" if there was none. ``rivals`` are those that were confirmed, of how many."""
    if clock.seconds is None:
        return ""
    left_out = ["sensitivity"] if not moved and outcome.families else []
    left_out += ["drift"] if bench.question.varying and not wandered else []
    left_out += [] if clock.pictured(bench.run_s) else ["queue pictures"]
    told = f"made to fit into {units.show_span(clock.seconds)}"
    if rivals[0] < rivals[1]:
        told += f", held against {rivals[0]} of {rivals[1]} rivals"
    return f"{told}, {wording.listed(left_out)} left out" if left_out else told


def _chosen(outcome: Outcome, bench: Bench) -> tuple[list[Candidate], int]:
    """What is confirmed: the recommendation, the rest of the front, the best of the other disciplines, and what
    people run; with the number of those on the front."""
    several = len(bench.question.goal.objectives) > 1
    leaders = _knee(outcome, bench) if several else outcome.finalists[:1]
    best = leaders[0]
    others = [] if several else [one for kind, one in outcome.best_of.items() if kind != best.kind]
    found = {one.key: one for one in [*leaders, *others, *outcome.known]}
    return list(found.values()), len(leaders)


def _knee(outcome: Outcome, bench: Bench) -> list[Candidate]:
    """The front with its knee first: the point closest to the best of every objective, each scaled to its range."""
    several = range(len(bench.question.goal.objectives))
    points = {
        one.key: [bench.together([bench.points(one, trial)[n] for trial in outcome.trials]) for n in several]
        for one in outcome.finalists
    }
    low = [min(point[n] for point in points.values()) for n in several]
    high = [max(point[n] for point in points.values()) for n in several]

    def distance(one: Candidate) -> float:
        return sum(((points[one.key][n] - low[n]) / ((high[n] - low[n]) or 1.0)) ** 2 for n in several)

    knee = min(outcome.finalists, key=distance)
    return [knee, *(one for one in outcome.finalists if one is not knee)]


def _moved(
    best: Candidate, outcome: Outcome, bench: Bench, spent: Effort, seed: int, *, until: float | None
) -> list[around.Sensitivity]:
    """The sensitivity of the recommendation, if its discipline has knobs that are known."""
    question = bench.question
    try:
        one = outcome.families.get(best.kind) or family(
            best.kind, question.room, space=question.space.get(best.kind)
        )
    except UsageError:
        return []
    knobs = outcome.knobs.get(best.key) or one.knobs_of(best.params)
    if knobs is None:
        return []
    study = Study(one, question.target, 1, seed)
    return around.sensitivity(
        bench, best, one, knobs, study.candidate, block(question.conditions(spent.conditions), seed + 1),
        effort=spent, until=until,
    )  # fmt: skip


def _spots(outcome: Outcome, bench: Bench) -> list[Spot]:
    """Everything that was tried at every condition, with the front of objectives and bounded measures."""
    goal = bench.question.goal
    found: list[tuple[Candidate, tuple[float, ...], dict[str, float], bool]] = []
    for one in outcome.tried:
        objectives, measures, holds = around.summary(bench, one, outcome.first)
        found.append((one, objectives, measures, holds))
    signs = [one.sign for one in goal.objectives]
    points = {
        one.key: [
            *(sign * value for sign, value in zip(signs, objectives, strict=True)),
            *((1.0 if bound.upper else -1.0) * measures[bound.measure.key] for bound in goal.constraints),
        ]
        for one, objectives, measures, _ in found
        if all(value == value for value in (*objectives, *measures.values()))
    }
    ahead = set(front(points))
    return [
        Spot(one, objectives, measures, holds, one.key in ahead) for one, objectives, measures, holds in found
    ]
