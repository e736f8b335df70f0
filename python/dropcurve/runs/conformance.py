"""Conformance of congestion controls, sources and metrics: the rules that each obeys, built in or of a plug-in.

That of disciplines is `dropcurve.plugins.conformance`. These make whole runs: twice in the fast engine and once in the
plain one, all with the same seed and the same bits.
"""

from __future__ import annotations

import json
from typing import Any

import dropcurve._core as _core

from .. import metrics
from ..errors import UsageError
from ..scenario import Scenario, library

#: A link on which losses, marks and timeouts occur; the group under test is ``tested``.
_LINK = """
[run]
duration = "{seconds} s"
warmup = "0 s"

[dumbbell]
rate = "4 Mbit/s"
delay = "10 ms"

[queue]
kind = "{queue}"

[flows.tested]
{flow}

[flows.other]
count = 1
start = "1 s"
"""


def control(name: str, *, seeds: int = 20, steps: int = 2_000) -> dict[str, int]:
    """Checks a congestion control: windows are numbers above 0, most losses narrow them, and runs are the same in both
    engines and again.

    Args:
        name: As ``cc`` takes it: ``mine``, or ``mine:gain=0.5``.
        seeds: Number of random sequences of ACKs, losses, timeouts and echoes; a tenth as many whole runs.
        steps: Length of each sequence.

    Returns:
        ACKs, reductions and undone reductions over all sequences, and packets of the runs.

    Raises:
        ScenarioError: There is no such control, or its options are refused.
        UsageError: With the first rule that was broken, and where.
    """
    flow = f"cc = {json.dumps(name)}\ncount = 2"
    _scenario(flow, "codel")
    total = dict.fromkeys(("acks", "reductions", "undone"), 0)
    for seed in range(1, seeds + 1):
        try:
            for key, count in zip(total, _core.conformance_control(name, seed, steps), strict=True):
                total[key] += count
        except _core.PluginError as error:
            raise _fault(seed, str(error), "control") from None
    return total | {"packets": _both_engines(flow, "control", seeds)}


def source(name: str, *, seeds: int = 20) -> dict[str, int]:
    """Checks a source: packets of possible sizes, and runs that are the same in both engines and again.

    Args:
        name: As ``source`` takes it: ``mine``, or ``mine:pause=20 ms``.
        seeds: A tenth as many whole runs of two flows.

    Returns:
        Packets of the runs.

    Raises:
        UsageError: With the first rule that was broken, and where.
    """
    kind = name.partition(":")[0]
    (entry,) = [one for one in library.catalogue()["sources"] if one["name"] == kind]
    flow = f'transport = "{entry["transport"]}"\nsource = {json.dumps(name)}\ncount = 2'
    return {"packets": _both_engines(flow, "source", seeds)}


def metric(name: str, *, seeds: int = 20) -> dict[str, int]:
    """Checks a metric: a finite number or nothing for every place of a run, the same again.

    Args:
        name: Its name.
        seeds: A tenth as many whole runs.

    Returns:
        Values, and places without one.

    Raises:
        UsageError: With the first rule that was broken, and where.
    """
    measure = metrics.find(name)
    counts = {"values": 0, "gaps": 0}
    for seed in range(1, max(1, seeds // 10) + 1):
        run = _run(_scenario('cc = "cubic"\ncount = 2', "codel"), seed, "fast", "metric").summary()
        for scope in metrics.places(run, measure):
            first = metrics.value(run, name, scope=scope)
            if first != metrics.value(run, name, scope=scope):
                raise _fault(seed, "two values of the same run differ", "metric")
            counts["gaps" if first is None else "values"] += 1
    return counts


def _scenario(flow: str, queue: str) -> Scenario:
    return Scenario.parse(_LINK.format(seconds=6, queue=queue, flow=flow))


def _both_engines(flow: str, what: str, seeds: int) -> int:
    """Packets delivered in runs that are equal in both engines and again."""
    packets = 0
    for seed in range(1, max(1, seeds // 10) + 1):
        scenario = _scenario(flow, "droptail" if seed % 2 else "codel")
        first, again, plain = (_run(scenario, seed, engine, what) for engine in ("fast", "fast", "plain"))
        if first.summary_json() != again.summary_json():
            rule = "two runs with the same seed differ: take random numbers from the source's draws alone"
            raise _fault(seed, rule, what)
        if _results(first) != _results(plain):
            rule = "the fast and the plain engine differ: nothing but the calls' arguments may decide"
            raise _fault(seed, rule, what)
        packets += int(sum(link["departed_pkts"] for link in first.summary()["links"].values()))
    return packets


def _results(run: Any) -> dict[str, Any]:
    """The summary of a run without its number of events, of which the fast engine needs fewer."""
    return {key: value for key, value in run.summary().items() if key != "events"}


def _run(scenario: Scenario, seed: int, engine: str, what: str) -> Any:
    try:
        (run,) = _core.run_many([(scenario.core, seed, "summary")], 1, engine=engine)
    except _core.PluginError as error:
        raise _fault(seed, str(error), what) from None
    return run


def _fault(seed: int, rule: str, what: str) -> UsageError:
    return UsageError(
        "conformance", f"seed {seed}", rule, f"correct the {what}; the same seed repeats the fault"
    )
