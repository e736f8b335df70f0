"""A better queue for a box's configuration: designs that the box can load, simulated as it loads them, and the text
with the best of them in place of the old queue.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..advise import advise
from ..advise.scenario import conditions_of
from ..errors import DropcurveError
from ..metrics import statistics
from ..quantities import units
from ..results import Result
from ..results.recommendation import verdict_on
from ..runs.replicate import Effort, Progress, replicate
from ..scenario import Scenario
from ..verdict import Exchange, Verdict
from . import export, kinds, rewrite
from .model import Export, Import

#: The name of the imported queue among the variants.
YOURS = "yours"
#: Disciplines that need no thresholds, by what they are called.
SELF_SETTING = {
    "tail drop": "droptail",
    "CoDel": "codel",
    "PIE": "pie",
    "FQ-CoDel": "fq_codel",
    "CAKE": "cake",
}
#: Delays that thresholds and limits are sized for, in seconds.
AIMS_S = (0.005, 0.01, 0.02)
#: Most runs of each design.
MOST_REPLICATIONS = 30
#: Round trip where the scenario does not tell.
ROUND_TRIP_S = 0.04


@dataclass(frozen=True)
class Fix:
    """What to do about a configuration.

    Attributes:
        found: The imported queue.
        before: The text.
        after: The text with the recommended queue; as `before` unless the verdict is to load another one.
        in_place: Whether `after` is the whole text with the queue replaced; else it is the new queue alone.
        exports: The designs by name, as the box takes them.
        result: The simulation of all of them and of the imported queue, `YOURS`.
        verdict: What it says.
    """

    found: Import
    before: str
    after: str
    in_place: bool
    exports: Mapping[str, Export]
    result: Result
    verdict: Verdict

    @property
    def better(self) -> bool:
        """Whether another queue is to be loaded."""
        return self.verdict.status == "load" and self.verdict.recommended != YOURS

    @property
    def diff(self) -> str:
        """The unified difference of both texts; "" where they are the same or `after` is the queue alone."""
        if not self.in_place:
            return ""
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), "before", "after", lineterm="", n=2
        )
        return "\n".join(lines)


def fix(
    found: Import,
    text: str,
    base: Scenario,
    *,
    shape: bool = False,
    name: str | None = None,
    replications: int = 5,
    most: int = MOST_REPLICATIONS,
    exchange: Exchange | None = None,
    command: str = "",
    progress: Progress | None = None,
) -> Fix:
    """Compares the imported queue with designs that its box can load, and rewrites the text for the best.

    Args:
        found: The imported queue.
        text: The configuration that it was found in.
        base: The scenario of the link with the imported queue.
        shape: Puts a shaper of the link's rate above the new queue, where the text has none.
        name: The policy, class or queue that was imported, if it was named.
        replications: Runs of each design at first.
        most: Runs of each design while they cannot tell whether to keep the queue.
        exchange: Between delay and utilisation; by default that of the round trip.
        command: That repeats the answer.
        progress: Called as runs finish.

    Raises:
        DropcurveError: If no design could be made for this box.
    """
    rate = units.rate(str(base.get("dumbbell.rate")))
    exports = dict(designs(found, base, rate, shape=shape))
    variants = {YOURS: base}
    for title, made in exports.items():
        variants[title] = base.set("queue", {"kind": made.discipline_as_loaded, **made.params_as_loaded})
    if len(variants) < 2:
        raise DropcurveError(f"{found.box}: no design could be made for this link")
    level = statistics.level_when_stopping(0.95)
    count = replications
    while True:
        result = replicate(
            variants, Effort(replications=count), name=base.name, command=command, progress=progress
        )
        verdict = verdict_on(result, current=YOURS, exchange=exchange, confidence=level)
        assert verdict is not None, "the variants differ in their queues alone"
        # Half as many again, and at least what the verdict asks for, while that is worth the wait.
        if verdict.status != "undecided" or verdict.more is None or count >= most:
            break
        count = min(most, max(statistics.next_size(count, maximum=most), count + verdict.more))
    after, in_place = text, True
    if verdict.status == "load":
        after, in_place = rewrite.rewritten(text, found, exports[verdict.recommended], name=name)
    return Fix(found, text, after, in_place, exports, result, verdict)


def designs(found: Import, base: Scenario, rate_bps: float, *, shape: bool) -> Iterator[tuple[str, Export]]:
    """Designs by name that the box can load: usual settings, formulas and short buffers, none of them twice."""
    known = kinds(found.box)
    limit = str(base.get("queue.limit"))
    if limit == "auto":
        limit = str(base.get("back_queue.limit"))
    ecn = {"ecn": True} if found.params.get("ecn") is True else {}
    seen = {base.hash}
    for title, kind, params in [*_self_setting(limit, ecn), *_sized(base, rate_bps, limit, ecn)]:
        loadable = kind in known or (kind == "ared" and "red" in known)
        options: dict[str, Any] = {"shape": shape} if found.box in ("linux", "ios", "junos") else {}
        try:
            if not loadable:
                continue
            made = export(kind, params, box=found.box, rate_bps=rate_bps, **options)
            loaded = base.set("queue", {"kind": made.discipline_as_loaded, **made.params_as_loaded})
        except DropcurveError:
            # A design by formula that this box refuses, or that contradicts the buffer, is no candidate.
            continue
        if loaded.hash not in seen:
            seen.add(loaded.hash)
            yield title, made


def _self_setting(limit: str, ecn: dict[str, bool]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for title, kind in SELF_SETTING.items():
        own: dict[str, Any] = {"limit": limit} if kind != "cake" else {}
        yield title, kind, own | (ecn if kind not in ("droptail", "cake") else {})


def _sized(
    base: Scenario, rate_bps: float, limit: str, ecn: dict[str, bool]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """RED by formula and tail drop by size, for each of the delays."""
    product = units.buffer("1bdp", rate_bps=rate_bps, rtt_s=_round_trip_s(base), packet_bytes=1500)
    # A curve needs room for bursts above its thresholds: what is there, or a bandwidth-delay product.
    room = max(units.packets(limit, packet_bytes=1500), math.ceil(product))
    for aim in AIMS_S:
        shown = units.show_span(aim)
        packets = max(4, round(aim * rate_bps / 12_000.0))
        if packets < room:
            yield f"tail drop of {shown}", "droptail", {"limit": f"{packets} pkts"}
        try:
            found = advise(
                base, buffer=f"{room:g}pkts", goal=f"p95 delay < {2e3 * aim:g}ms", ecn=bool(ecn)
            ).designs
        except DropcurveError:
            # The formulas know long TCP flows alone.
            continue
        for one in found:
            if one.discipline == "red":
                yield f"{one.name} for {shown}", one.discipline, {**one.params, **ecn}


def _round_trip_s(base: Scenario) -> float:
    try:
        found: float = conditions_of(base).middle.rtt_s
    except DropcurveError:
        return ROUND_TRIP_S
    return found
