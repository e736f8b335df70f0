"""A stress test: parses the bounds, the link and the harm, and searches for the worst case."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...errors import UsageError
from ...runs import cache as caches
from ...runs.executor import Executor
from ...scenario import links
from ...verdict import Exchange
from . import fault, harm, trials
from .answer import StressAnswer
from .bounds import Bounds, load, parse
from .solving import StressBudget, solve
from .traffic import StressLink
from .trials import StressProgress, Trials

#: Cases of a search, replications of each interval, and share of the harm that shrinking leaves, by default.
RUNS, FRESH, KEEP = 240, 10, 0.8
#: Fewest cases and replications.
FEWEST, FEWEST_FRESH = 20, 3
#: Rivals whose least harm a search of regret subtracts.
REGRET_RIVALS = ("droptail", "codel", "pie", "fq_codel")


def stress(
    design: str,
    *,
    link: str = "10/10",
    within: str | Path | Bounds | None = None,
    measure: str = "balanced",
    exchange: Exchange | None = None,
    regret: bool = False,
    against: Sequence[str] = (),
    keep: float = KEEP,
    runs: int = RUNS,
    fresh: int = FRESH,
    seconds: float | None = None,
    seed: int = 1,
    jobs: int | None = None,
    out: str | Path,
    cache: str | Path | None = None,
    command: str = "",
    progress: StressProgress | None = None,
) -> StressAnswer:
    """Finds the traffic within bounds that harms a design most, shrinks it, and judges whose fault it is.

    Args:
        design: A discipline as ``--queue`` takes it.
        link: As `links.spec` takes it; its rates, round trip, buffer, ECN and congestion control count, not its mix.
        within: A file of bounds, or `Bounds`; by default as `parameters` declares them.
        measure: A goal, the name of one, or a measure: what is harmed.
        exchange: Between delay and utilisation, for goals by name.
        regret: Looks for the largest harm beyond that of the best rival of each run instead.
        against: Rivals besides the usual ones.
        keep: Share of the loss that the minimal scenario must retain.
        runs: Cases of the search.
        fresh: Fresh runs of each interval.
        seconds: Limit of time. Only ``runs`` gives the same answer on every machine.
        seed: Seed of every random choice; fresh runs have others.
        jobs: Threads.
        out: Folder of the answer.
        cache: Folder of the store of runs, or "off". The same call after an interruption resumes.
        command: Command line that repeats the call.
        progress: Called with stage, runs done, runs planned and the largest loss so far.

    Returns:
        The answer, which ``print`` renders; ``worst.toml`` in the folder is the minimal scenario.

    Raises:
        DropcurveError: For every fault of the design, the bounds, the values or the folder.

    Example:
        ``stress("codel", link="50/10", out="worst").fault``
    """
    _check(keep, runs, fresh, seconds, seed)
    where = link_of(link)
    cc, flows = _senders(link)
    if isinstance(within, Bounds):
        limits = within
    elif within is None:
        limits = parse({}, rtt_s=where.rtt_s, cc=cc, flows=flows)
    else:
        limits = load(within, rtt_s=where.rtt_s, cc=cc, flows=flows)
    counted = harm.parse(measure, limits, where, exchange=exchange)
    own = trials.design(design, where, limits)
    regret_rivals = trials.rivals_of(own, [*REGRET_RIVALS, *against], where, limits) if regret else ()
    rivals = trials.rivals_of(own, [*fault.RIVALS, *against], where, limits)
    spent = StressBudget(runs, fresh, seconds, keep, seed)
    with caches.store(cache, out=Path(out)) as store:
        work = Trials(limits, where, counted, own, regret_rivals, Executor(jobs), store, progress=progress)
        answer = solve(work, rivals, spent, folder=Path(out), command=command)
    answer.save()
    return answer


def link_of(text: str) -> StressLink:
    """The link of a text, without ranges except for the round trip, whose middle is the usual one.

    Raises:
        UsageError: As `links.parse`.
    """
    profile, direction = links.parse(text)
    low, high = profile.rtt_s
    return StressLink(
        text, profile.rate_bps(direction), profile.rate_bps("up" if direction == "down" else "down"),
        float(f"{(low * high) ** 0.5:.3g}"), profile.buffer_pkts(direction), profile.mix.ecn > 0,
    )  # fmt: skip


def _senders(text: str) -> tuple[str, int]:
    """Congestion control and usual number of transfers of a link."""
    profile, direction = links.parse(text)
    mix = profile.mix
    return mix.cc, max(1, mix.downloads if direction == "down" else mix.uploads)


def _check(keep: float, runs: int, fresh: int, seconds: float | None, seed: int) -> None:
    if not 0.0 < keep <= 1.0:
        raise UsageError(
            "keep",
            f"{keep:g}",
            "must lie in (0, 1]: it is the share of the harm that the minimal scenario does",
            "write one such as 0.8",
        )
    if runs < FEWEST:
        raise UsageError(
            "runs", runs, f"must be {FEWEST} or more, or there is nothing to choose from", "raise it"
        )
    if fresh < FEWEST_FRESH:
        raise UsageError("replications", fresh, f"must be {FEWEST_FRESH} or more for an interval", "raise it")
    if seconds is not None and not seconds > 0:
        raise UsageError("time", f"{seconds:g} s", "must be above 0", "give a time such as 10min")
    trials.check_seed(seed)
