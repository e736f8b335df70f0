"""Designs for a queue in its place: usual settings, formulas, short buffers, and the answer of `tune`."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from ..advise import advise
from ..advise.scenario import conditions_of
from ..boxes import kinds, sqm
from ..boxes.model import Export, placed
from ..boxes.red_rows import INSTANT, MARKS_BEYOND
from ..errors import DropcurveError
from ..quantities import units
from ..runs.executor import Executor
from ..scenario import Scenario
from ..scenario.links import LOCAL_S
from ..tuning import names, of_file, solve
from ..tuning.families import USUAL
from ..verdict import Exchange
from . import cake_designs
from .budget import SEARCH_RUNS
from .loading import export_at
from .place import Place

#: Disciplines that need no thresholds, by name.
SELF_SETTING = {
    "tail drop": "droptail",
    "CoDel": "codel",
    "PIE": "pie",
    "FQ-CoDel": "fq_codel",
    "CAKE": "cake",
}
#: Fair queues of boxes that have no better ones: the title and the number of flow queues, the default of IOS-XE and
#: enough for flows seldom to share one. SFQ of Linux is none of the designs: a long flow fills its own queue there,
#: which delays what else it carries (a tunnel, a browser's one connection), and the score counts the delay of thin
#: flows alone. `tune --queue sfq` judges it.
FAIR = {"fair-queue": 16, "fair-queue 1024": 1024}
#: Queue limits of fair queues in round trips at the link's rate: a long flow fills the whole of it.
FAIR_ROUNDS = (1.0, 2.0)
#: Disciplines that hold the delay by themselves: their limit bounds the memory and is none of their parameters to
#: choose.
CONTROLLED = ("codel", "cobalt", "pie", "pi", "docsis_pie", "fq_codel", "fq_cobalt", "fq_pie", "dualpi2")
#: Disciplines with a curve over the average queue.
CURVES = ("red", "ared", "wred", "gred", "curve")
#: Delays that thresholds and limits are sized for, in seconds.
AIMS_S = (0.005, 0.01, 0.02)
#: Packets that any tail drop holds: with fewer, a burst of two flows is lost.
FEWEST_PACKETS = 4
#: Delays that thresholds and limits are sized for on links of a data centre, as shares of a round trip.
LOCAL_AIMS = (0.25, 0.5)
#: Share of a round trip at the link's rate beyond which the queue of a data centre marks every packet (DCTCP10).
STEP_SHARE = 1.0 / 7.0
#: Round trip where the scenario has no long flows.
ROUND_TRIP_S = 0.04
#: Best designs of a search that go into the comparison, next to the best of the discipline in place.
BEST = 2


def designs(where: Place, *, shape: bool) -> Iterator[tuple[str, Export]]:
    """Designs by name that the box can load: usual settings, formulas and short buffers, none of them twice."""
    queue, base, rate_bps = where.imported, where.own, where.rate_bps * where.framing.share
    ecn = {"ecn": True} if queue.params.get("ecn") is True else {}
    seen = {where.base.hash}
    scripts = sqm.defaults(where.rate_bps) if queue.box == "sqm" else {}
    sized = _sized(base, rate_bps, buffer(where, "red"), ecn)
    usual = [(*one, None) for one in _self_setting(where, ecn, scripts)]
    # Where there is time for a few designs only, these are the ones that may change most.
    first, longer = (
        [(title, "cake", params, functions) for title, params, functions in some]
        for some in (cake_designs.with_functions(where), cake_designs.longer(where))
    )
    for title, kind, params, functions in [*first, *usual, *longer, *((*one, None) for one in sized)]:
        params = params | where.framing.params if kind == "cake" else params
        exported = export_at(where, kind, params, shape=shape, functions=functions)
        if exported is None:
            continue
        loaded = where.put(exported.discipline_as_loaded, exported.params_as_loaded, exported.functions)
        if loaded.hash not in seen:
            seen.add(loaded.hash)
            yield title, exported


def tuned(
    where: Place,
    *,
    shape: bool,
    seconds: float | None = None,
    goal: str | None = None,
    exchange: Exchange | None = None,
    jobs: Executor | None = None,
    on_step: Callable[[str], None] = lambda _: None,
) -> Iterator[tuple[str, Export]]:
    """The best designs of a search in the queue's place.

    Args:
        where: The queue with its scenario.
        shape: Puts a shaper above the queue in the exported configuration.
        seconds: Time for the search; by default it has `SEARCH_RUNS` runs, which is the same on every machine.
        goal: The goal; by default the balanced goal, whose score the verdict uses.
        exchange: Between delay and utilisation; by default that of the round trip.
        jobs: Executor of the runs.
        on_step: Called with each stage of the search.

    Returns:
        The name of each design, and the configuration to load.
    """
    searched = [kind for kind in kinds(where.imported.box) if kind in USUAL]
    with tempfile.TemporaryDirectory(prefix="dropcurve-fix-") as folder:
        base = where.own if where.policed else where.own.set("queue", _searched(where))
        question = of_file(
            base,
            goal="balanced" if goal is None else goal,
            exchange=exchange,
            box=where.imported.box,
            candidates=searched,
        )
        answer = solve(
            question, runs=None if seconds else SEARCH_RUNS, seconds=seconds, executor=jobs or Executor(),
            out=Path(folder) / "tune", short=True, on_stage=lambda step, *_: on_step(step),
        )  # fmt: skip
    alike = (one for one in answer.lines[BEST:] if one.candidate.kind == where.imported.discipline)
    for line in [*answer.lines[:BEST], *islice(alike, 1)]:
        params = dict(line.candidate.params)
        if params.get("ecn") is False and "ecn" not in where.imported.params:
            # No sender of this traffic uses ECN, so that the search cannot decide on it: the box's default stays.
            del params["ecn"]
        if line.candidate.kind in CONTROLLED:
            params["limit"] = buffer(where, line.candidate.kind)
        exported = export_at(where, line.candidate.kind, params, shape=shape)
        if exported is not None:
            kind = line.candidate.kind
            plain = export_at(where, kind, {"limit": buffer(where, kind)}, shape=shape)
            loaded, usual = exported.params_as_loaded, plain.params_as_loaded if plain else None
            if kind in SELF_SETTING.values() and loaded == usual:
                continue
            yield names.setting(replace(line.candidate, loaded=loaded), usual), exported


def buffer(where: Place, kind: str) -> str:
    """The limit of a new design of a discipline.

    Tail drop and its like keep the buffer of the queue in place, which is a choice of delay. Disciplines that hold the
    delay by themselves get the default of the box, unless there is more: a short tail drop would take their packets
    before they act. A curve has room for a bandwidth-delay product above its thresholds.
    """
    if where.room:
        return where.room
    queue = where.imported
    stated = None if queue.discipline in ("policer", "cake") else queue.params.get("limit")
    own = None if stated in (None, "auto") else str(stated)
    if kind in CONTROLLED:
        usual = (
            f"{sqm.LIMIT} pkts"
            if queue.box == "sqm"
            else where.base.set("queue", {"kind": kind}).get("queue.limit")
        )
        return _largest(str(usual), where.buffer, own)
    chosen = where.buffer if own is None or queue.discipline in CONTROLLED else own
    if kind in CURVES:
        product = units.buffer(
            "1bdp", rate_bps=where.rate_bps, rtt_s=round_trip_s(where.own), packet_bytes=1500
        )
        return _largest(chosen, f"{math.ceil(product)} pkts")
    return chosen


def _largest(*limits: str | None) -> str:
    """The largest of some limits, the first of equal ones."""
    return max((one for one in limits if one), key=lambda one: units.packets(one, packet_bytes=1500))


def _searched(where: Place) -> dict[str, Any]:
    """The queue that a search begins from: tail drop with the buffer of the link, or with that in place if it is
    larger."""
    limit = _largest(buffer(where, "droptail"), where.buffer)
    kind, settings = placed("droptail", {"limit": limit}, where.imported.above)
    return {"kind": kind, **settings}


def loadable(where: Place, kind: str) -> bool:
    """Whether the box can load a discipline in the place of the queue."""
    if kind not in kinds(where.imported.box) or kind in CURVES:
        return kind in kinds(where.imported.box)
    limit = {} if kind == "cake" else {"limit": buffer(where, kind)}
    return export_at(where, kind, limit, shape=False) is not None


def _self_setting(
    where: Place, ecn: dict[str, bool], scripts: dict[str, str]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Usual settings; those of sqm-scripts for this rate where they set the queue up."""
    timed = {key: value for key, value in scripts.items() if key != "limit"}
    for title, kind in SELF_SETTING.items():
        own: dict[str, Any] = {"limit": buffer(where, kind)} if kind != "cake" else {}
        own |= timed if kind in ("codel", "fq_codel") else {}
        yield title, kind, own | (ecn if kind not in ("droptail", "cake") else {})
    for title, count in FAIR.items():
        yield title, "drr", {"limit": buffer(where, "drr"), "queues": count}


def _sized(
    base: Scenario, rate_bps: float, limit: str, ecn: dict[str, bool]
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """RED by formula and tail drop by size, for each of the delays."""
    round_trip = round_trip_s(base)
    product = units.buffer("1bdp", rate_bps=rate_bps, rtt_s=round_trip, packet_bytes=1500)
    # A curve needs room for bursts above its thresholds: the present limit, or a bandwidth-delay product.
    room = max(units.packets(limit, packet_bytes=1500), math.ceil(product))
    if ecn and round_trip < LOCAL_S:
        step = max(2, round(STEP_SHARE * product))
        marking = {
            "limit": limit,
            "min_th": f"{step} pkts",
            "max_th": f"{step + 1} pkts",
            "max_p": 1.0,
            "w_q": INSTANT,
            "spacing": "geometric",
            **MARKS_BEYOND,
            **ecn,
        }
        yield "DCTCP's threshold", "red", marking
    for rounds in FAIR_ROUNDS:
        packets = max(16, round(rounds * product))
        if packets < units.packets(limit, packet_bytes=1500):
            shown = units.show_span(float(f"{rounds * round_trip:.2g}"))
            short = {"limit": f"{packets} pkts", "queues": FAIR["fair-queue 1024"]}
            yield f"fair-queue 1024 of {shown}", "drr", short
    for aim in aims(round_trip):
        shown = units.show_span(aim)
        sized = round(aim * rate_bps / 12_000.0)
        packets = max(FEWEST_PACKETS, sized)
        if packets < room:
            size = shown if packets == sized else f"{packets} packets"
            yield f"tail drop of {size}", "droptail", {"limit": f"{packets} pkts"}
        try:
            advice = advise(
                base, buffer=f"{room:g}pkts", goal=f"p95 delay < {2e3 * aim:g}ms", ecn=bool(ecn)
            ).designs
        except DropcurveError:
            # The formulas know long TCP flows alone.
            continue
        for one in advice:
            if one.discipline == "red":
                yield f"{one.name} for {shown}", one.discipline, {**one.params, **ecn}


def aims(round_trip_s: float) -> tuple[float, ...]:
    """Delays in seconds that thresholds and limits are sized for."""
    if round_trip_s >= LOCAL_S:
        return AIMS_S
    return tuple(float(f"{share * round_trip_s:.1g}") for share in LOCAL_AIMS)


def round_trip_s(base: Scenario) -> float:
    """The base round trip in the middle of its range; `ROUND_TRIP_S` where it is not known."""
    try:
        trip_s: float = conditions_of(base).middle.rtt_s
    except DropcurveError:
        return ROUND_TRIP_S
    return trip_s
