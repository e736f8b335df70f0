"""Exports and imports of box configurations as data: the queue, its text, its notes; and problems gathered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from ..errors import Problem, ScenarioError, UsageError, nearest
from ..files.reading import parse_json
from ..quantities import units, values
from ..scenario import Scenario
from ..scenario.links import LinkProfile
from ..scenario.links.framing import FULL_BYTES, Framing
from . import cake_functions, code_points, tc_numbers
from .link import profile, scenario


@dataclass(frozen=True)
class Note:
    """A note on one option.

    ``kind`` is "rounded" (the box has coarser steps), "lost" (the box, or the simulation of its queue, has no such
    option), "assumed" (the configuration does not state it) or "load" (a condition or hint for loading it).
    """

    kind: str
    key: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind:<8} {self.key}: {self.text}" if self.key else f"{self.kind:<8} {self.text}"


#: The name of an interface that is safe in a line of any box's configuration.
DEVICE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/@-]*(?: [0-9][A-Za-z0-9_.:/@-]*)?")
#: Part of the note that a queue needs a shaper, unless it is at the bottleneck.
NEEDS_SHAPER = "must itself be the bottleneck"


def bottleneck(dev: str, rate_bps: float, *, shaper: bool = True, verb: str = "export") -> Note:
    """Note that the queue must form here; ``shaper``: the ``verb`` has an option for that."""
    text = f"{dev} {NEEDS_SHAPER} of {tc_numbers.show_rate(rate_bps)}"
    return Note("load", "", f"{text}; otherwise add a shaper ({verb} --shape)" if shaper else text)


def uncounted(framing: Framing, rate_bps: float) -> Note:
    """Note that the shaper of this box does not count the bytes that the line adds to a packet."""
    full = framing.on_wire(FULL_BYTES)
    text = f"the line takes {full} bytes for a packet of {FULL_BYTES}, which shapers of this box do not count"
    rate = units.show_rate(float(f"{rate_bps * framing.share:.3g}"))
    return Note("load", "overhead", f"{text}: shape to {rate} at most")


def promise(key: str, what: str, rate_bps: float) -> Note:
    """Note that ``what`` has a guaranteed rate, while others share the link's."""
    shown = units.show_rate(rate_bps)
    stated = f"{what} is guaranteed {shown}, and gets more while others are idle"
    return Note("load", key, f"{stated}: it is judged at the rate it is guaranteed")


@dataclass(frozen=True)
class Export:
    """A configuration: its text, notes on rounded and lost settings, and the queue that the box will run.

    ``discipline_as_loaded`` and ``params_as_loaded`` are in the form scenarios have; ``discipline`` and ``params``
    those that were asked for. ``effect`` describes how the two differ. ``functions`` are those that its CAKE has in
    addition.
    """

    box: str
    discipline: str
    params: dict[str, Any]
    text: str
    notes: list[Note]
    discipline_as_loaded: str
    params_as_loaded: dict[str, Any]
    effect: list[str] = field(default_factory=list)
    functions: cake_functions.CakeFunctions = cake_functions.NONE

    @property
    def queue_as_loaded(self) -> str:
        """The text of the queue for `dropcurve compare --queue`."""
        return queue_text(self.discipline_as_loaded, self.params_as_loaded)


#: Remedy for a damaged text.
EXPORT_AGAIN = "export it from the box once more"
#: Limit of a `prio` queue in packets that has no effect, since it is above that of any box.
MOST_PLACED = 10_000_000
#: Packets of a priority queue whose text states no limit.
PRIORITY_PKTS = 64


@dataclass(frozen=True)
class Priority:
    """A queue that is served before another one.

    Attributes:
        title: Its name in the configuration.
        limit: Its buffer, as scenarios write it.
        police_bps: The rate that it may not exceed; None if it is not policed.
    """

    title: str
    limit: str = f"{PRIORITY_PKTS} pkts"
    police_bps: float | None = None


@dataclass(frozen=True)
class Import:
    """One queue of an existing configuration as a discipline with parameters.

    Attributes:
        box: The kind of text it was found in.
        discipline: Its kind, as scenarios name it.
        params: Its parameters, as scenarios write them.
        notes: Assumptions, lost settings, and cautions.
        rate_bps: Rate of a shaper in the text; None if it has none.
        others: Further queues in the text.
        title: Name of the queue in the configuration, as ``--name`` takes it; "" if it has none.
        share_bps: Guaranteed rate of the queue while the others are busy; None if that is the whole rate.
        above: Queues that are served before this one.
        urgent: Whether it is a priority queue itself.
        policed_bps: Rate above which a policer drops its packets before they queue; None without one.
        policed_burst: Bytes that the policer lets through at once after a pause; None where the text does not say.
        port_bps: Rate of the queue's port, where the text states it.
        scheduler: The scheduler of ALTQ that the queue is a part of; else "".
        link_text: The link in the form of ``--link``, where the text states both rates; else "".
        dev: The interface that the text puts the queue on; "" where it names none, or several.
        functions: Options of a CAKE that its parameters do not have.
        applications: What the queue's class is for by its code points (`code_points.applications`); empty where they
            do not say.
    """

    box: str
    discipline: str
    params: dict[str, Any]
    notes: list[Note]
    rate_bps: float | None = None
    others: list[str] = field(default_factory=list)
    title: str = ""
    share_bps: float | None = None
    above: tuple[Priority, ...] = ()
    urgent: bool = False
    link_text: str = ""
    dev: str = ""
    applications: frozenset[str] = frozenset()
    policed_bps: float | None = None
    policed_burst: float | None = None
    port_bps: float | None = None
    scheduler: str = ""
    functions: cake_functions.CakeFunctions = cake_functions.NONE

    @property
    def calls_alone(self) -> bool:
        """Whether the queue has calls alone (expedited forwarding, RFC3246), served first or not."""
        return self.applications == code_points.CALLS

    @property
    def placed(self) -> tuple[str, dict[str, Any]]:
        """Kind and parameters of the whole scheduler: strict priority with this queue in its last band, where others
        are served before it; else the queue itself."""
        return placed(self.discipline, self.params, self.above)

    @property
    def queue(self) -> str:
        """The text of the queue for `dropcurve compare --queue`."""
        return queue_text(self.discipline, self.params)

    def link(
        self, *, rate_bps: float | None = None, rtt_s: tuple[float, float] = (0.04, 0.04), flows: int = 20
    ) -> LinkProfile:
        """A link of this rate with ``flows`` downloads and the usual traffic next to them.

        Raises:
            UsageError: If neither ``rate_bps`` nor a shaper in the configuration states the rate.
        """
        rate = rate_bps or self.rate_bps
        if rate is None:
            raise UsageError(
                "--rate",
                "",
                "not given, and no shaper in the text states it",
                "give it, such as --rate 100Mbit",
            )
        return profile(rate, rtt_s, flows, ecn=self.params.get("ecn") is True)

    def scenario(
        self,
        *,
        rate_bps: float | None = None,
        rtt_s: tuple[float, float] = (0.04, 0.04),
        flows: int = 20,
        packet_bytes: int = 1500,
        name: str = "imported",
        link: LinkProfile | None = None,
        direction: str = "down",
    ) -> Scenario:
        """The scenario of a link with this queue.

        Args:
            rate_bps: Rate of the link; by default that of the shaper in the configuration.
            rtt_s: Least and greatest base round trip.
            flows: Downloads at the same time, next to an upload, web pages, a video, a call and a game.
            packet_bytes: Size of the packets of long transfers.
            name: Name of the scenario.
            link: A link with its traffic, instead of the three above.
            direction: Direction of the queue, "down" or "up".

        Raises:
            UsageError: If neither ``rate_bps``, ``link`` nor a shaper in the configuration states the rate.
        """
        kind, params = self.placed
        return scenario(
            kind, params, link=link or self.link(rate_bps=rate_bps, rtt_s=rtt_s, flows=flows), direction=direction,
            packet_bytes=packet_bytes, title=f"{name} ({self.box})", name=name, urgent=bool(self.above),
            ecn=self.params.get("ecn") is True,
        )  # fmt: skip


def placed(kind: str, params: Mapping[str, Any], above: Sequence[Priority]) -> tuple[str, dict[str, Any]]:
    """Kind and parameters of a queue below those of ``above``: strict priority in which expedited forwarding (DSCP EF
    and above) goes first. The queue itself where ``above`` is empty."""
    if not above:
        return kind, dict(params)
    first = {"kind": "droptail", "limit": above[0].limit}
    # Each band has a limit of its own, so the common limit has no effect.
    return "prio", {
        "limit": f"{MOST_PLACED} pkts", "bands": [first, {"kind": kind, **params}], "class_by": "precedence",
        "band_of": [1, 1, 1, 1, 1, 0],
    }  # fmt: skip


def queue_text(discipline: str, params: Mapping[str, Any]) -> str:
    """``red:limit=100 pkts,max_p=0.1``."""
    return f"{discipline}:{','.join(f'{key}={values.show_item(value)}' for key, value in params.items())}"


class Problems:
    """Problems of a configuration, gathered so that all are reported at once."""

    def __init__(self, origin: str = "") -> None:
        self.all: list[Problem] = []
        self.origin = origin

    def add(self, path: str, value: object, rule: str, remedy: str = "") -> None:
        """Adds a problem."""
        self.all.append(Problem(path, str(value), rule, remedy))

    def require(self, holds: bool, path: str, value: object, rule: str, remedy: str = "") -> None:
        """Adds a problem unless the condition ``holds``."""
        if not holds:
            self.add(path, value, rule, remedy)

    def raise_if_any(self) -> None:
        """Raises ScenarioError with every problem, if there is one."""
        if self.all:
            raise ScenarioError(self.all, origin=self.origin)


def refuse(path: str, value: object, rule: str, remedy: str = "", *, origin: str = "") -> NoReturn:
    """Raises ScenarioError with one problem."""
    raise ScenarioError([Problem(path, str(value), rule, remedy)], origin=origin)


def with_others(queues: Iterable[Import]) -> list[Import]:
    """Imports of one text, each with the titles of the others."""
    queues = list(queues)
    titles = [queue.title for queue in queues]
    return [replace(queue, others=[title for title in titles if title != queue.title]) for queue in queues]


def chosen(queues: Sequence[Import], name: str | None, *, what: str, origin: str = "") -> Import:
    """The import with this title or with the name among its words; without a name the first. Raises ScenarioError for a
    name that fits none, called ``what`` in its message."""
    for one in queues:
        if name is None or name == one.title or name in one.title.split():
            return one
    titles = [one.title for one in queues]
    words = [word for title in titles for word in (title, *title.split())]
    hint = nearest(name or "", words, otherwise="name one of these")
    refuse("--name", name, f"is no {what} there: {', '.join(titles)}", hint, origin=origin)


@contextmanager
def remedied(remedy: str) -> Iterator[None]:
    """Adds this remedy to problems that state none."""
    try:
        yield
    except ScenarioError as error:
        problems = [one if one.remedy else replace(one, remedy=remedy) for one in error.problems]
        raise ScenarioError(problems, origin=error.origin) from None


def json_of(text: str, *, origin: str = "") -> Any:
    """The value of a text in JSON. Raises ScenarioError if it is not JSON."""
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        refuse("", "the text", f"is not JSON (line {error.lineno}: {error.msg})", EXPORT_AGAIN, origin=origin)
    except ValueError as error:
        refuse("", "the text", f"is not JSON ({error})", EXPORT_AGAIN, origin=origin)


def read_json(text: str, *, origin: str = "") -> dict[str, Any]:
    """The object in a text. Raises ScenarioError if it is not JSON or not an object."""
    value = json_of(text, origin=origin)
    if not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else "a single value"
        refuse(
            "",
            "the text",
            f"is {kind}, where an object in curly brackets belongs",
            EXPORT_AGAIN,
            origin=origin,
        )
    return value


def profiles(count: int, **lists: list[Any]) -> Iterator[dict[str, Any]]:
    """Rows of lists whose last value repeats for the rest, as in the options of `wred` and `gred`."""
    for i in range(count):
        yield {key: some[min(i, len(some) - 1)] for key, some in lists.items()}
