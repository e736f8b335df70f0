"""The whole search: from a question to its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..present import notebook
from ..quantities.arguments import checked
from ..results.occupied import check_answer
from ..runs.executor import Executor
from ..runs.job import build
from ..runs.sweeping.execute import opened as opened_table
from ..runs.sweeping.run_table import RunTable
from ..scenario import Scenario
from ..verdict import Exchange
from . import stressed
from .answer import Answer
from .asking import ask
from .bench import Bench, OnBatch
from .candidates import Candidate
from .effort import DECIDED, Clock
from .first_rule import first_rule
from .pace import effort_of
from .question import Question
from .stages import Stages
from .time_source import TimeSource, WallTime

#: Called with the stage, the incumbent (None before there is one) and the means of its runs so far.
OnStage = Callable[[str, Candidate | None, str], None]
#: Fewest runs of a search.
FEWEST = 60


@checked
def tune(
    scenario: Scenario | str | Path | None = None,
    *,
    link: str | None = None,
    goal: str | None = None,
    ranges: Mapping[str, str] | None = None,
    rate: str | None = None,
    rtt: str | None = None,
    flows: str | None = None,
    buffer: str | None = None,
    short: str | None = None,
    udp: str | None = None,
    tcp: str | None = None,
    ecn: bool | None = None,
    exchange: Exchange | None = None,
    candidates: Sequence[str] = (),
    robust: str | None = None,
    within: str | Path | None = None,
    box: str | None = None,
    space: Mapping[str, Mapping[str, str]] | None = None,
    runs: int | None = None,
    seconds: float | None = None,
    margin: float | None = None,
    until_decided: bool = False,
    seed: int = 1,
    jobs: int | None = None,
    cluster: str | None = None,
    out: str | Path,
    cache: str | Path | None = None,
) -> Answer:
    """Finds the discipline and parameters that serve a goal best over a range of conditions.

    Args:
        scenario: A scenario with a dumbbell; its ``[tune]`` section may hold the rest of the question.
        link: A link with its usual traffic instead, as `links.spec` takes it: ``"cable:up,downloads=1-4"``.
        goal: As `goal` describes, or the name of a preset; "balanced" if there is none.
        ranges: Range by path of the scenario.
        rate, rtt, flows, buffer, short, udp, tcp, ecn: A link by a few numbers instead, as for `of_link`; with
            ``link``, or a rate without flows, they override those of its usual traffic.
        exchange, candidates, robust, box, space: As for `of_link`.
        within: Bounds of datagrams in addition to the traffic, for ``robust="stress"``.
        runs: Limit of the search; by default by the size of the link, 1500 at most.
        seconds: Limit of everything up to the answer. An answer limited by ``runs`` instead is the same on every
            machine.
        margin: The difference that matters: 0.2 percentage points, 1 or 4 points of a score, or 1 % of the value.
        until_decided: Validates until every rival is better, worse or equal within the margin.
        seed: Seed of every random choice.
        jobs: Threads.
        cluster: Address of a Dask cluster.
        out: Folder of the answer. Interrupted, the same call continues there.
        cache: Folder of the store of runs, or "off" (`dropcurve.runs.cache`).

    Returns:
        The answer, which ``print`` renders.

    Raises:
        DropcurveError: For every fault of the question, the values or the folder.

    Example:
        ``tune(link="cable:up", goal="gaming", box="linux", out="answer")``
    """
    question = ask(
        scenario, link=link, exchange=exchange, goal=goal, ranges=ranges,
        rate=rate, rtt=rtt, flows=flows, buffer=buffer, short=short, udp=udp,
        tcp=tcp, ecn=ecn, candidates=candidates, robust=robust, within=within, box=box, space=space,
    )  # fmt: skip
    return solve(
        question, runs=runs, seconds=seconds, margin=margin, until_decided=until_decided, seed=seed,
        executor=Executor(jobs, cluster), out=out, cache=cache, page=False, **_in_notebook(),
    )  # fmt: skip


def _in_notebook() -> dict[str, Any]:
    """The arguments of `solve` that show progress in a notebook; none elsewhere."""
    bar = notebook.bar()
    return {"on_stage": bar.step, "on_batch": bar.batched, "on_plan": bar.plan} if bar else {}


def solve(
    question: Question, *, runs: int | None = None, seconds: float | None = None, margin: float | None = None,
    until_decided: bool = False, seed: int = 1, executor: Executor | None = None, out: str | Path,
    cache: str | Path | None = None, command: str = "", page: bool = True, short: bool = False,
    on_stage: OnStage = lambda *_: None, on_batch: OnBatch | None = None, log: Callable[[str], None] = lambda _: None,
    on_plan: Callable[[int], None] = lambda _: None, source: TimeSource | None = None,
) -> Answer:  # fmt: skip
    """Answers a question.

    Args:
        question: As `ask` returns it.
        runs, seconds, margin, until_decided, seed, out, cache: As for `tune`.
        executor: Executor of the runs.
        command: The command that repeats the answer.
        page: Whether figures and a page will follow, for which part of ``seconds`` is reserved.
        short: Stops after the validation, without sensitivity, drift and further replications: for callers that
            compare the designs themselves.
        on_stage: Called with each stage, the incumbent and the means of its runs so far ("" before there are some).
        on_batch: Called with the number of finished runs of a batch, and with the size of the batch.
        log: Called with a note on the time it will take.
        on_plan: Called with the number of runs that the whole answer will take, about.
        source: Source of the time that ``seconds`` limits; the wall clock by default.

    Returns:
        The answer.

    Raises:
        DropcurveError: For values out of range, and a folder with the result of another verb.

    Example:
        >>> answer = solve(question, runs=200, out="out")
    """
    _check(runs, seconds, margin, seed, Path(out))
    most = DECIDED if until_decided else 0
    rounds = 1 + stressed.ROUNDS if question.robust == "stress" else 1
    with (executor or Executor()).opened() as opened:
        while True:
            clock = Clock(None if seconds is None else seconds / rounds, page, source or WallTime())
            bench = Bench(
                question,
                RunTable(Path(out) / "runs", build(), cache=cache),
                opened,
                on_batch,
                source=clock.source,
            )
            bench.deadline = clock.end
            bench.open()

            def shown(stage: str, best: Candidate | None, bench: Bench = bench) -> None:
                on_stage(stage, best, "" if best is None else bench.expectation(best))

            with opened_table(bench.store) as bench.held:
                if (rule := first_rule(bench, seed, clock.until(1.0))) is not None:
                    shown("rule of thumb: tail drop below the bound", rule)
                spent = effort_of(bench, clock, runs, seed)
                on_plan(spent.runs + spent.outside(question))
                stages = Stages(
                    bench, spent, clock, seed, Path(out), shown, log, margin=margin, most=most, short=short
                )
                answer = stages.go(command)
                if question.robust != "stress":
                    return answer
                shown("search for a worse condition", answer.best)
                worst = stressed.worse(bench, answer.best, margin=answer.margin, seed=seed)
                if worst is None or len(question.worst) == stressed.ROUNDS:
                    answer = replace(answer, stress=stressed.summary(question, worst))
                    answer.save(Path(out))
                    return answer
            log(f"worse: {question.describe(worst)}; searching again with this condition")
            question = replace(question, worst=(*question.worst, tuple(worst.items())))


def _check(runs: int | None, seconds: float | None, margin: float | None, seed: int, out: Path) -> None:
    """Raises UsageError for values out of range, ResultError for a folder with the result of another verb."""
    if runs is not None and runs < FEWEST:
        raise UsageError(
            "runs", runs, f"must be {FEWEST} or more, or there is nothing to choose from", "raise it"
        )
    if not 0 <= seed < 2**31:
        raise UsageError("seed", seed, "must be a whole number from 0 to 2147483647", "choose one such as 1")
    if seconds is not None and not seconds > 0:
        raise UsageError("time", f"{seconds:g} s", "must be above 0", "give a time such as 10min")
    if margin is not None and not margin > 0:
        raise UsageError("margin", f"{margin:g}", "must be above 0", "write one such as 0.2")
    check_answer(out)
