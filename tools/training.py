"""Training runs of a build of the core: they take the paths that users' runs take.

    python tools/training.py LIBRARY

loads the built core (the shared library alone, no package around it) and prints a line for each run: its name, and a
hash of its whole result. Two builds of the same sources must print the same lines.

The core lists disciplines and transports, so that an added one is trained with the next build. Each gets an equal share
of the work, because code that hardly runs in the training is built to be small, not fast. Greedy flows over RED and
over tail drop, which most runs have, get a quarter of the time.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SEED = 1
# How long the scenarios that ship are run.
SHIPPED = '"60 s"'

DUMBBELL = """
[run]
duration = "{seconds} s"
clock = "{clock}"
[dumbbell]
rate = "{rate} Mbit/s"
delay = "10 ms"
access_delay = "even 0.5 ms to 20 ms"
[queue]
{queue}
"""
FLOWS = """
[flows.{name}]
count = {count}
start = "uniform 0 s to 1 s"
{keys}
"""
QUEUES = {
    "red": 'kind = "red"\nabove_max = "gentle"',
    "droptail": 'kind = "droptail"',
    "codel": 'kind = "codel"',
}
GREEDY = 'recovery = "sack"\nack_every = 1'
CBR = 'transport = "udp"\nsource = "cbr"\nrate = "1 Mbit/s"\npacket = "500 B"'


class Case(NamedTuple):
    """A scenario, the changes to it, and the recorded parts of its run."""

    name: str
    text: str
    keep: str = "summary"
    edits: Sequence[tuple[str, str]] = ()


def main(library: str) -> int:
    """Runs all cases and prints their hashes; returns the exit code."""
    core = load(library)
    for case in cases(core):
        scenario = core.Scenario(case.text).edit(case.edits)
        # One after the other: threads that count in one place lose counts.
        (run,) = core.run_many([(scenario, SEED, case.keep)], 1)
        print(f"{case.name}: {digest(run)}", flush=True)
    return 0


def cases(core: Any) -> list[Case]:
    """All there is to run."""
    return [*shipped(), *ladder(), *disciplines(core), *transports(core)]


def load(library: str) -> Any:
    """The built core as a module."""
    loader = ExtensionFileLoader("_core", library)
    spec = importlib.util.spec_from_loader("_core", loader)
    assert spec is not None, "a loader that is given makes a spec"
    core = importlib.util.module_from_spec(spec)
    loader.exec_module(core)
    return core


def digest(run: Any) -> str:
    """A hash of all recorded parts of a run, to the last bit of each number.

    The scenario's own hash is left out, since a new option changes it although the option is at its default; so is the
    version, whose change alone changes no result."""
    summary = run.summary(["links.*.little_pkts"])
    del summary["scenario"], summary["version"]
    hashed = hashlib.sha256(json.dumps([summary, run.derived()]).encode())
    for name, component, times, values in run.series():
        hashed.update(f"{name} {component}".encode() + times + values)
    return hashed.hexdigest()[:16]


def shipped() -> Iterator[Case]:
    """The scenarios that ship, with their series."""
    edits = [("run.duration", SHIPPED), ("run.warmup", '"auto"')]
    for path in sorted((ROOT / "scenarios").glob("*.toml")):
        if path.name != "INDEX.toml":
            yield Case(path.stem, path.read_text(encoding="utf-8"), "series", edits)


def ladder() -> Iterator[Case]:
    """Few flows and many, and the clock of doubles, over RED and over tail drop."""
    for kind in ("red", "droptail"):
        queue = QUEUES[kind]
        for count, seconds in [(1, 4000), (10, 800), (100, 80), (1000, 12)]:
            room = f'{queue}\nlimit = "{8 * count} pkts"'
            text = dumbbell(room, rate=count, seconds=seconds, tcp=(count, GREEDY))
            yield Case(f"{kind}, flows: {count}", text)
        yield Case(f"{kind}, doubles", dumbbell(queue, clock="doubles", tcp=(10, GREEDY)))


def disciplines(core: Any) -> Iterator[Case]:
    """Every discipline as it comes, with flows that lose, flows that are marked, and one that does not respond."""
    for kind in named(core, "disciplines", "kind"):
        usual, marked, cbr = (8, 'cc = "cubic"'), (4, "ecn = true"), (1, CBR)
        yield Case(kind, dumbbell(f'kind = "{kind}"', usual=usual, marked=marked, deaf=cbr))


def transports(core: Any) -> Iterator[Case]:
    """Every transport, and every recovery, control and profile of TCP, over RED and over CoDel."""
    keys = [("transport", name) for name in named(core, "transports", "name")]
    keys += [("recovery", name) for name in named(core, "recoveries", "name")]
    keys += [("cc", name) for name in named(core, "congestion_controls", "name")]
    sections = json.loads(core.catalogue())["sections"]
    (tcp,) = (part for part in sections if part["when"] == 'transport = "tcp"')
    keys += [("profile", name) for name in tcp["presets"]]
    for key, name in keys:
        for kind in ("red", "codel"):
            text = dumbbell(QUEUES[kind], tcp=(6, f'{key} = "{name}"'))
            yield Case(f"{key} {name}, {kind}", text, "derived")


def named(core: Any, part: str, key: str) -> list[str]:
    """The names in one part of the catalogue."""
    return [entry[key] for entry in json.loads(core.catalogue())[part]]


def dumbbell(
    queue: str, *, rate: int = 10, seconds: int = 120, clock: str = "nanoseconds", **groups: tuple[int, str]
) -> str:
    """The text of a scenario: a queue, and groups of flows by name, each a number and its keys."""
    flows = [FLOWS.format(name=name, count=count, keys=keys) for name, (count, keys) in groups.items()]
    return DUMBBELL.format(seconds=seconds, clock=clock, rate=rate, queue=queue) + "".join(flows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
