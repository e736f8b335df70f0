"""The main job: the right parameters for a link, why, and the configuration to load.

    answer = dropcurve.tune(rate="100Mbit", rtt="20-200ms", flows="5-100", buffer="1000pkts",
                            goal="p95 delay < 15ms, max utilisation", box="linux", out="answer")
    print(answer)

The modules, in the order of an answer: `question` (a scenario, or a link by `link_question`) and its `goal`;
`families`, the search space of each discipline; `initial_designs`; `solving`, the edge of the bound by root finding
(`constraint`); `screening`; `search` with a `surrogate` of each family and a `study` in Optuna; `race` or `adjust` for
the finalists; `validation` on held-out conditions with the rules of `decision`; `robustness`; `answer`, rendered by
`text`, `statements` and `page`. `stages` runs them all on the `bench`, which makes and stores the runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..runs.executor import Executor
from ..runs.job import build
from ..runs.sweeping.run_table import RunTable
from ..scenario import Scenario
from .answer import Answer
from .bench import Bench, Tell
from .effort import Clock
from .link_question import of_link
from .question import Question, of_file
from .search import Say
from .stages import Stages, effort_of

__all__ = ["Answer", "Question", "of_file", "of_link", "solve", "tune"]

#: Fewest that give a search its name.
FEWEST = 60
#: Replications of a validation that goes on until every rival is decided, at most.
DECIDED = 200


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
    margin: float | None = None,
    until_decided: bool = False,
    seed: int = 1,
    jobs: int | None = None,
    cluster: str | None = None,
    out: str | Path,
    cache: str | Path | None = None,
) -> Answer:
    """Finds the discipline and parameters that serve a goal best over a range of conditions; kept in ``out``.

    The question is a ``scenario`` with ``ranges`` (path to range; or both from its ``[tune]`` section), or a link by
    ``rate``, ``rtt``, ``flows`` and ``buffer``, with shares of ``short`` flows and ``udp`` in per cent; ranges as
    ``"20-200ms"``. ``goal`` is as `goal` describes. ``candidates`` are disciplines, ``space`` ranges of your own for
    parameters of one, ``box`` is what the configuration is for. ``robust`` is "mean" or "worst". ``runs`` limits
    the search (None: by the size of the link, 1500 at most), ``seconds`` everything up to the answer; only the former
    gives the same answer on every machine. ``margin`` is the difference of the objective that matters (0.2 percentage
    points, or 1 % of the value); with ``until_decided`` the validation goes on until every rival is better, worse or
    equal within it.

    ``cache`` is the folder of the store of runs, or "off" (`dropcurve.runs.cache`).

    Interrupted, the same call goes on. Raises DropcurveError for whatever is wrong with question, values or folder.
    """
    question = ask(
        scenario, goal=goal, ranges=ranges, rate=rate, rtt=rtt, flows=flows, buffer=buffer, short=short, udp=udp,
        tcp=tcp, ecn=ecn, candidates=candidates, robust=robust, box=box, space=space,
    )  # fmt: skip
    return solve(
        question, runs=runs, seconds=seconds, margin=margin, until_decided=until_decided, seed=seed,
        where=Executor(jobs, cluster), out=out, cache=cache,
    )  # fmt: skip


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
    margin: float | None = None,
    until_decided: bool = False,
    seed: int = 1,
    where: Executor | None = None,
    out: str | Path,
    cache: str | Path | None = None,
    command: str = "",
    say: Say = lambda *_: None,
    tell: Tell | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> Answer:
    """Answers a question that was read before; the rest is as for `tune`.

    ``say`` is called with each stage and the incumbent; ``tell`` with the runs of it that are done; ``note`` with how
    long it will take.
    """
    if runs is not None and runs < FEWEST:
        raise UsageError(f"runs = {runs}: must be {FEWEST} or more, or there is nothing to choose from")
    if not 0 <= seed < 2**31:
        raise UsageError(f"seed = {seed}: must be a whole number from 0 to 2147483647")
    if seconds is not None and not seconds > 0:
        raise UsageError(f"time = {seconds:g} s: must be above 0")
    if margin is not None and not margin > 0:
        raise UsageError(f"margin = {margin:g}: must be above 0, such as 0.2")
    clock = Clock(seconds)
    most = DECIDED if until_decided else 0
    with (where or Executor()).opened() as there:
        bench = Bench(question, RunTable(Path(out) / "runs", build(), cache=cache), there, tell)
        bench.open()
        spent = effort_of(bench, clock, runs, seed)
        stages = Stages(bench, spent, clock, seed, Path(out), say, note, margin=margin, most=most)
        return stages.go(command)
