"""Candidates: a discipline with parameters, its origin, and the form in which a box loads it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .. import advise, boxes
from ..errors import DropcurveError, UsageError
from ..quantities import units, values
from ..scenario import Scenario
from ..scenario.links.framing import NONE, Framing
from .families import USUAL
from .search_space import FULL_BYTES, Params, Sizing


@dataclass(frozen=True)
class Candidate:
    """``kind`` and ``params`` were asked for; ``loaded_kind`` and ``loaded`` are those that the box loads, if there is
    one."""

    name: str
    kind: str
    params: Params
    origin: str = ""
    loaded_kind: str = ""
    loaded: Params = field(default_factory=dict)

    @property
    def kind_as_loaded(self) -> str:
        """The discipline that is simulated."""
        return self.loaded_kind or self.kind

    @property
    def params_as_loaded(self) -> Params:
        """The parameters that are simulated."""
        return self.loaded or self.params

    @cached_property
    def key(self) -> str:
        """A key that is equal for equal simulations."""
        return json.dumps([self.kind_as_loaded, self.params_as_loaded], sort_keys=True)

    @property
    def queue(self) -> str:
        """The candidate as an argument of ``--queue``."""
        kind = self.kind_as_loaded
        settings = ",".join(f"{name}={values.show(value)}" for name, value in self.params_as_loaded.items())
        return f"{kind}:{settings}" if settings else kind

    def on(self, scenario: Scenario, *, most: str | None = None) -> Scenario:
        """The scenario with this queue at the bottleneck, in the last band if there is a strict priority.

        Args:
            scenario: With any queue.
            most: The buffer of the link where it differs between conditions: a larger limit is reduced to it.
        """
        return self.instead(bare(scenario), most=most)

    def instead(self, scenario: Scenario, *, most: str | None = None) -> Scenario:
        """The scenario with this queue, from one that is `bare` already."""
        params = dict(self.params_as_loaded)
        if most is not None and "limit" in params and _size(params["limit"]) > _size(most):
            params["limit"] = most
        queue = scenario.resolved["queue"]
        if queue.get("kind") == "prio" and self.kind_as_loaded != "prio":
            own = {"kind": self.kind_as_loaded, **params}
            return scenario.set("queue.bands", [*scenario.get("queue.bands")[:-1], own])
        return scenario.queue(self.kind_as_loaded, **params)


def bare(scenario: Scenario) -> Scenario:
    """The scenario with a tail drop of the limit of its queue; with its bands if there is a strict priority."""
    return scenario if scenario.resolved["queue"].get("kind") == "prio" else scenario.queue("droptail")


@dataclass(frozen=True)
class Target:
    """The box a configuration is wanted for; ``box`` is "" if none is. ``direction`` is that of a customer's line, "up"
    or "down", and ``other_bps`` the rate of the other one; "" and None for other links. ``scheduler`` has the
    parameters of a strict priority in whose last band the queue is; None without one. ``framing`` has the bytes that
    the line adds to a packet."""

    box: str
    rate_bps: float
    rtt_s: float
    direction: str = ""
    other_bps: float | None = None
    scheduler: Mapping[str, Any] | None = None
    framing: Framing = NONE
    #: Earlier exports by discipline and parameters: the configuration, or the refusal.
    _exports: dict[str, boxes.Export | DropcurveError] = field(
        default_factory=dict, repr=False, compare=False
    )
    _loads: dict[tuple[str, str], bool] = field(default_factory=dict, repr=False, compare=False)

    def candidate(
        self, name: str, kind: str, params: Mapping[str, Any], *, origin: str = ""
    ) -> Candidate | None:
        """The candidate as the box would run it; None if the box refuses it."""
        if not self.box:
            return Candidate(name, kind, dict(params), origin)
        try:
            exported = self._export(kind, params)
        except DropcurveError:
            return None
        return Candidate(
            name, kind, dict(params), origin, exported.discipline_as_loaded, dict(exported.params_as_loaded)
        )

    def takes(self, candidate: Candidate) -> bool:
        """Whether the box can be configured with a candidate; True without a box."""
        try:
            self.export(candidate)
        except DropcurveError:
            return False
        return True

    def export(self, candidate: Candidate) -> boxes.Export | None:
        """The configuration of a candidate, or None without a box."""
        return self._export(candidate.kind, candidate.params) if self.box else None

    def written(self, candidate: Candidate) -> tuple[boxes.Export | None, tuple[str, ...]]:
        """The configuration of a candidate, if it reads back as what was simulated, else None; with the parameters that
        read back otherwise. None without a box, too."""
        exported = self.export(candidate)
        if exported is None:
            return None, ()
        changed = self._read_back(candidate, exported)
        if changed or self.scheduler is None or candidate.kind == "prio":
            return (None if changed else exported), changed
        return boxes.with_priority(
            exported, self.scheduler, candidate.kind, self._asked(candidate.params), **self._place
        ), ()

    def loads(self, candidate: Candidate) -> bool:
        """Whether the box can be configured with a candidate so that it runs what was simulated; True without a box."""
        name = (candidate.kind, candidate.key)
        if name not in self._loads:
            try:
                self._loads[name] = not self.written(candidate)[1]
            except DropcurveError:
                self._loads[name] = False
        return self._loads[name]

    def _read_back(self, candidate: Candidate, exported: boxes.Export) -> tuple[str, ...]:
        """The parameters as loaded that the text does not state or states otherwise; without the buffer, where that is
        no part of a box's queue configuration and the importer assumes one."""
        limit = str(candidate.params_as_loaded.get("limit", ""))
        stated: dict[str, Any] = (
            {"buffer_bytes": round(units.packets(limit, packet_bytes=1500) * 1500)} if limit else {}
        )
        if self.box == "sqm" and self.direction:
            stated["name"] = f"{self.direction}load"
        try:
            back = boxes.read(exported.text, box=self.box, rate_bps=self.rate_bps, **stated)
        except DropcurveError:
            return ("all of it",)
        if back.discipline != candidate.kind_as_loaded:
            return ("the discipline",)
        assumed = {note.key for note in back.notes if note.kind == "assumed"} & {"limit"}
        return tuple(
            name
            for name, value in candidate.params_as_loaded.items()
            if name not in assumed and not _same(value, back.params.get(name))
        )

    def _asked(self, params: Mapping[str, Any]) -> Params:
        """The parameters that the box can be asked for."""
        return {
            name: value for name, value in params.items() if not (name == "above_max" and self.box == "linux")
        }

    @property
    def _place(self) -> dict[str, Any]:
        """The options of an export: the box and the link."""
        both = {"other_bps": self.other_bps} if self.box == "sqm" and self.other_bps else {}
        return {
            "box": self.box, "rate_bps": self.rate_bps, "rtt_s": self.rtt_s, "direction": self.direction,
            "framing": self.framing, **both,
        }  # fmt: skip

    def _export(self, kind: str, params: Mapping[str, Any]) -> boxes.Export:
        wanted = self._asked(params)
        name = json.dumps([kind, wanted], sort_keys=True, default=str)
        if name not in self._exports:
            try:
                self._exports[name] = boxes.export(kind, wanted, **self._place)
            except DropcurveError as error:
                self._exports[name] = error
        exported = self._exports[name]
        if isinstance(exported, DropcurveError):
            raise exported.with_traceback(None)
        return exported


def _same(one: Any, other: Any) -> bool:
    """Whether two values of a parameter are the same setting: ``200 pkts`` and ``300000 B`` are."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) or isinstance(other, float):
        try:
            return math.isclose(float(one), float(other), rel_tol=1e-9)
        except (TypeError, ValueError):
            return False
    if one == other or str(one) == str(other):
        return True
    try:
        sizes = [units.packets(str(value), packet_bytes=1500) for value in (one, other)]
    except DropcurveError:
        return False
    return math.isclose(*sizes, rel_tol=1e-9)


def target_of(
    box: str, rate_bps: float, rtt_s: float, *, direction: str = "", other_bps: float | None = None,
    scheduler: Mapping[str, Any] | None = None, framing: Framing = NONE,
) -> Target:  # fmt: skip
    """The target for a box by one of its names, "" for none. Raises UsageError for one that is not known."""
    name = boxes.named(box, what="for") if box else ""
    return Target(name, rate_bps, rtt_s, direction, other_bps, scheduler, framing)


def scheduler_of(base: Scenario) -> Mapping[str, Any] | None:
    """The parameters of the strict priority of a scenario that has one above the queue under design; else None."""
    queue = base.resolved["queue"]
    banded = queue.get("kind") == "prio" and isinstance(queue.get("bands"), list) and len(queue["bands"]) > 1
    return queue if banded else None


def references(sizing: Sizing, *, box: str) -> Iterator[tuple[str, str, Params, str]]:
    """(name, discipline, parameters, origin) of common settings without tuning, all with the buffer of the link; a
    modem's queue has its own."""
    limit = f"{sizing.buffer_pkts:g} pkts"
    ecn = {"ecn": sizing.ecn}
    linux = {"dialect": "linux"} if box == "linux" else {}
    yield (
        "tail drop, whole buffer",
        "droptail",
        {"limit": f"{sizing.modem_pkts or sizing.buffer_pkts:g} pkts"},
        "no AQM",
    )
    if box == "sqm":
        own = {
            "dialect": "linux",
            **boxes.sqm.defaults(sizing.capacity * 8 * FULL_BYTES),
            "limit": limit,
            "ecn": True,
        }
        yield "FQ-CoDel, defaults", "fq_codel", own, "RFC8290"
        # Its shaper has the rate of the line, by which it sizes its targets.
        cake = {"bandwidth": units.show_rate(sizing.capacity * 8 * FULL_BYTES)}
        yield "CAKE, defaults", "cake", cake, "HTM18"
        return
    if box == "linux":
        yield "Linux red, tc's defaults", "red", {"dialect": "linux", "limit": limit, **ecn}, "vendor default"
    else:
        settings = {"limit": limit, "min_th": "5 pkts", "max_th": "15 pkts", "max_p": 0.02, **ecn}
        yield "RED as published in 1993", "red", settings, "FJ93"
    yield "Adaptive RED", "ared", {"limit": limit, **ecn}, "FGS01"
    yield "CoDel, defaults", "codel", {**linux, "limit": limit, **ecn}, "RFC8289"
    yield "PIE, defaults", "pie", {**linux, "limit": limit, **ecn}, "RFC8033"
    yield "FQ-CoDel, defaults", "fq_codel", {**linux, "limit": limit, **ecn}, "RFC8290"


def _size(limit: Any) -> float:
    """A limit in full packets; 0 for one that is "auto"."""
    return 0.0 if str(limit) == "auto" else units.packets(str(limit), packet_bytes=FULL_BYTES)


def of_design(design: advise.Design) -> tuple[str, str, Params, str]:
    """A design by formula as a row of `references`."""
    params = {name: _plain(value) for name, value in design.params.items()}
    return design.name, design.discipline, params, design.source


def _plain(value: str) -> Any:
    return values.parse(value)


#: Boxes on which `prio` needs its bands: a policed priority queue, and another queue below it.
BANDED = ("ios", "junos")


def searched(candidates: Sequence[str], space: Mapping[str, object], *, box: str) -> tuple[str, ...]:
    """The disciplines to search: those asked for, or the usual ones. Raises UsageError for an unknown box, and for
    disciplines that it does not have."""
    if not box:
        return tuple(dict.fromkeys(candidates or (*USUAL, *space)))
    loadable = boxes.kinds(box)
    chosen = tuple(dict.fromkeys(candidates or (*(kind for kind in USUAL if kind in loadable), *space)))
    strange = [kind for kind in chosen if kind not in loadable]
    if strange:
        raise UsageError("queue", strange[0], f"{box} has no such queue", f"it has {', '.join(loadable)}")
    if "prio" in chosen and boxes.named(box) in BANDED:
        raise UsageError(
            "queue",
            "prio",
            f"{box} has a priority queue only above another one",
            "name a scenario whose queue is prio with two bands, and the queue to tune below it, such as --queue red",
        )
    return chosen


def dialects_of(candidates: Sequence[str], *, box: str) -> tuple[list[str], dict[str, str]]:
    """Kinds, and the dialects that were named (``red:ns2``). Raises UsageError for other parameters, and where a box
    decides the dialect."""
    kinds: list[str] = []
    dialects: dict[str, str] = {}
    for text in candidates:
        kind, params = values.queue(text)
        dialect = str(params.pop("dialect", ""))
        if params:
            raise UsageError(
                "queue",
                text,
                f"only a dialect may follow, as in {kind}:ns2",
                f"put ranges into [tune.space.{kind}]",
            )
        if dialect and box:
            raise UsageError("queue", text, f"{box} has its own dialect", "leave out one of the two")
        if dialect:
            Scenario.parse(_PLAIN, name="candidate").queue(kind, dialect=dialect)
            dialects[kind] = dialect
        kinds.append(kind)
    return kinds, dialects


#: The smallest scenario, to validate a dialect with.
_PLAIN = """
run.duration = "1 s"
dumbbell = {rate = "1 Mbit/s", delay = "1 ms"}
queue.kind = "droptail"
flows.tcp.count = 1
"""
