"""Writes the page of regrets; see the package's docstring.

Finished runs are stored in ``--runs``, link by link, so that an interrupted or a larger call continues from there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dropcurve.quantities import units
from dropcurve.runs.executor import Executor
from dropcurve.runs.job import build
from dropcurve.runs.sweeping.run_table import RunTable
from dropcurve.tuning import solve
from dropcurve.tuning.bench import Bench, block
from dropcurve.tuning.candidates import Candidate
from dropcurve.tuning.constraint import direction
from dropcurve.tuning.time_source import ProcessorTime

from . import confirm, contest, peers, reference
from .links import DrawnLink, drawn, fast, other
from .outcome import LinkOutcome
from .page import add_again, write

#: Seed of the links of the page.
LINKS_SEED = 2026
#: Name of `tune` among the optimisers.
OURS = "dropcurve tune"
#: Numbers of runs after which the incumbents of all optimisers enter the contest: beyond the last, the models of the
#: others take longer than the runs.
STEPS = (60, 125, 250, 400)


def main() -> int:
    """Executes the missing runs of its part and writes the page of that."""
    options = _arguments()
    limits = options.times.split(",")
    outcomes = []
    part, parts = map(int, options.part.split("/"))
    links = [*drawn(options.links, seed=options.seed), *fast(options.fast_links, seed=options.seed)]
    for number, link in enumerate(links):
        if number % parts != part - 1 or (options.only and number + 1 not in options.only):
            continue
        place = f"{number}" if number < options.links else f"fast-{number - options.links}"
        folder = options.runs / f"{options.seed}-{place}"
        sys.stderr.write(f"{number + 1} of {len(links)}: {link.kind}: {link.title}: {link.goal}\n")
        began = time.process_time()
        outcomes.append(_outcome(link, folder, limits, number < options.peer_links, options.jobs))
        sys.stderr.write(f"  {time.process_time() - began:.0f} processor seconds\n")
        if options.again:
            add_again(options.out, outcomes, limits, options.again, options.only)
        else:
            write(options.out, outcomes, limits)
    others: list[LinkOutcome] = []
    for number, link in enumerate(other(options.other_links, seed=options.seed)):
        folder = options.runs / f"{options.seed}-other-{number}"
        sys.stderr.write(f"{number + 1} of {options.other_links}: {link.kind}: {link.title}: {link.goal}\n")
        others.append(_outcome(link, folder, limits, False, options.jobs))
        write(options.out, outcomes, limits, others)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m validation.regret", description=__doc__.split("\n")[0])
    parser.add_argument(
        "--out", type=Path, required=True, help="page to write; its figures go into figures/ next to it"
    )
    parser.add_argument(
        "--runs", type=Path, required=True, help="folder for the runs, to go on after an interruption"
    )
    parser.add_argument("--links", type=int, default=30)
    parser.add_argument(
        "--fast-links", type=int, default=0, help="links of 200 Mbit/s to 10 Gbit/s, which take hours each"
    )
    parser.add_argument("--other-links", type=int, default=0, help="links with other objectives")
    parser.add_argument("--seed", type=int, default=LINKS_SEED, help="of the drawn links")
    parser.add_argument("--times", default="30s,60s,default", help="time limits of tune, comma-separated")
    parser.add_argument(
        "--peer-links", type=int, default=10, help="links on which other optimisers are run too"
    )
    parser.add_argument(
        "--part", default="1/1", help="which of several calls that share the links this one is, such as 2/2"
    )
    parser.add_argument(
        "--only", type=_numbers, default=(), help="numbers of the links, comma-separated; default: all"
    )
    parser.add_argument(
        "--again",
        metavar="HEADING",
        default="",
        help="add to the page a section with this heading on these links instead of writing it",
    )
    parser.add_argument("--jobs", type=int, default=None)
    return parser.parse_args()


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(one) for one in text.split(","))


def _outcome(
    link: DrawnLink, folder: Path, limits: list[str], with_peers: bool, jobs: int | None
) -> LinkOutcome:
    folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(link.question(), RunTable(folder / "runs", build()), Executor(jobs))
    bench.open()
    outcome = LinkOutcome(link, build=build())
    designs: dict[str, Candidate] = {}
    courses: list[peers.Course] = []
    for limit in limits:
        outcome.spent[limit], course = _tuned(link, folder, limit, jobs)
        designs[f"tune {limit}"] = course.incumbents[-1][1]
        courses = courses or [course]
    # A point of an objective that is not a share is 1 % of what the last answer reaches.
    trials = block(bench.question.conditions(), reference.SEED)
    last = designs[f"tune {limits[-1]}"]
    bench.run((last, trial) for trial in trials)
    bench.scale(last, trials)
    points, outcome.points = reference.search(bench)
    designs |= {f"reference {rank + 1}": point for rank, point in enumerate(points)}
    if with_peers:
        steps = [runs for runs in STEPS if runs <= outcome.spent[limits[0]]["runs"]] or list(STEPS[:1])
        courses += [
            _course(name, sampler, bench, steps[-1], folder) for name, sampler in peers.available().items()
        ]
        outcome.courses = {
            one.name: {
                runs: f"{one.name} after {runs}" for runs in steps if runs >= one.incumbents[0][0]
            } for one in courses
        }  # fmt: skip
        for one in courses:
            for runs, name in outcome.courses[one.name].items():
                designs[name] = one.after(runs)
    outcome.standings = contest.hold(bench, designs)
    winner = designs[f"tune {limits[-1]}"]
    if direction(bench.question.goal) == 1:
        outcome.confirmed = confirm.confirm(link, bench, winner, folder / "ns3", jobs or 1)
    bench.store.compact()
    return outcome


def _course(name: str, sampler: peers.Sampler, bench: Bench, runs: int, folder: Path) -> peers.Course:
    """The course of a peer: kept, since its models take longer than its runs."""
    kept = folder / f"peer-{name.replace(' ', '-')}.json"
    if kept.exists():
        stored: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        if (stored["build"], stored["runs"]) == (build(), runs):
            return _read(name, stored)
    course = peers.course(name, sampler, bench, runs, seed=1)
    kept.write_text(json.dumps({"build": build(), "runs": runs, **_written(course)}), encoding="utf-8")
    return course


def _tuned(
    link: DrawnLink, folder: Path, limit: str, jobs: int | None
) -> tuple[dict[str, float], peers.Course]:
    """The incumbents under a time limit, the answer last, and the runs and seconds spent: stored, since an answer under
    a time limit is not repeatable. Time is in processor seconds, so that other work of the machine does not count."""
    kept = folder / f"tune-{limit}.json"
    if kept.exists():
        stored: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        if stored["build"] == build():
            return stored["spent"], _read(OURS, stored)
    course, runs, batch = peers.Course(OURS), 0, 0

    def on_batch(done: int, _: int) -> None:
        nonlocal runs, batch
        runs += done if done <= batch else done - batch
        batch = done

    def on_stage(_: str, best: Candidate | None, __: str) -> None:
        if best is not None:
            course.incumbents.append((runs, best))

    executor = Executor(jobs)
    source = ProcessorTime(executor.threads)
    began = time.monotonic(), source.now(), time.process_time()
    seconds = None if limit == "default" else units.span(limit, what="times")
    answer = solve(
        link.question(),
        seconds=seconds,
        executor=executor,
        out=folder / f"tune-{limit}",
        cache="off",
        page=False,
        source=source,
        on_stage=on_stage,
        on_batch=on_batch,
    )
    course.incumbents.append((answer.runs + answer.fresh, answer.best))
    spent = {
        "wall": time.monotonic() - began[0], "idle": source.now() - began[1],
        "processor": time.process_time() - began[2],
        "runs": float(answer.runs + answer.fresh), "threads": float(executor.threads),
    }  # fmt: skip
    kept.write_text(json.dumps({"build": build(), "spent": spent, **_written(course)}), encoding="utf-8")
    return spent, course


def _written(course: peers.Course) -> dict[str, Any]:
    return {"incumbents": [(spent, asdict(design)) for spent, design in course.incumbents]}


def _read(name: str, record: dict[str, Any]) -> peers.Course:
    return peers.Course(name, [(spent, Candidate(**design)) for spent, design in record["incumbents"]])


if __name__ == "__main__":
    sys.exit(main())
