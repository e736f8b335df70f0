"""Goals by name, written out for the traffic at hand.

Each is a sum in points of utilisation, so that no bound can make it infeasible. A delay as long as the base round trip
counts as 20 points, unless the exchange rate is stated (`dropcurve.verdict.exchange`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..advise.planned import PlannedClass
from ..errors import UsageError
from ..quantities import wording
from ..verdict import BULK_FACTOR, PAGES, Exchange

#: Factors on the exchange rate: the delay of a game or call counts four times; the load time of a page, which takes
#: many round trips, counts a 25th.
THIN_FACTOR, PAGE_FACTOR = 4.0, 0.04
#: Points of one step of the mean opinion score: from "satisfied" to "some dissatisfied" are 0.3 steps (ITU-T G.107).
POINTS_PER_MOS = 50.0


#: Differences in points that matter to goals that weigh one application several times as much as "balanced" does: 5 %
#: of a round trip of a game's delay, 5 round trips of a page's load time, 0.08 steps of the opinion of a call.
MARGINS = {"gaming": 4.0, "web": 4.0, "voip": 4.0}


@dataclass(frozen=True)
class PresetContext:
    """Traffic and trade-off that a preset is written for.

    Attributes:
        classes: Traffic classes by name; empty where none is known.
        exchange: Exchange rate between delay and utilisation.
    """

    classes: Mapping[str, PlannedClass]
    exchange: Exchange

    def named(self, *roles: str, source: str = "") -> list[str]:
        """Names of the classes with these roles or sources whose data passes the queue."""
        classes_of_role = [one for one in self.classes.values() if one.role in roles and not one.reverse]
        own = [one.name for one in classes_of_role if source in one.sources]
        return own if source and own else [one.name for one in classes_of_role]

    @property
    def victims(self) -> list[str]:
        """The classes of an attacked link that do not attack; empty where nothing attacks."""
        attacked = any(one.role == "unresponsive" for one in self.classes.values())
        forward = [one for one in self.classes.values() if not one.reverse]
        return [one.name for one in forward if one.role != "unresponsive"] if attacked else []

    def use(self) -> list[str]:
        """The term for utilisation; under an attack the share of the link that the other flows get."""
        return [f"link share of {name}" for name in self.victims] or ["utilisation"]

    def delays(self, factor: float, names: Sequence[str], measure: str) -> list[str]:
        """Terms of a delay, shared by classes; that of all packets where there are none."""
        points = factor * self.exchange.points_per_ms
        if not names:
            return [f"-{points:.4g} * {measure.replace('one-way ', '')}"]
        return [f"-{points / len(names):.4g} * {measure} of {name}" for name in names]

    def own_delay(self, factor: float = 1.0) -> list[str]:
        """Terms of the delay of long transfers, which also delays requests on the same connection; none without long
        transfers.

        A discipline that isolates flows protects thin flows from the queue of long transfers, so that a goal that
        weighs thin flows alone would let that queue grow without limit.

        Args:
            factor: On the exchange rate for thin flows in the same goal, of which long transfers count a quarter.
        """
        bulk = self.named("bulk")
        return self.delays(BULK_FACTOR * factor, bulk, "p95 one-way delay") if bulk else []

    def losses(self, names: Sequence[str]) -> list[str]:
        """Terms of the loss of thin flows."""
        return [f"-{self.exchange.loss / len(names):.4g} * loss of {name}" for name in names]

    def outcomes(self) -> list[str]:
        """Terms of the load time of pages, where a run has enough of them, and of the bit rate and stalls of video."""
        forward = [one for one in self.classes.values() if not one.reverse]
        pages = [one.name for one in forward if "pages" in one.parts and one.pages >= PAGES]
        videos = [one.name for one in forward if "viewers" in one.parts]
        worth, rate = self.exchange.page, self.exchange.video / 1e6
        terms = [f"-{worth / len(pages):.4g} * page load doublings of {name}" for name in pages if worth]
        terms += [f"{rate / len(videos):.4g} * video bit rate of {name}" for name in videos if rate]
        return terms + [f"-{1.0 / len(videos):.4g} * stalls of {name}" for name in videos]


def _balanced(weighed: PresetContext) -> list[str]:
    thin = weighed.named("thin")
    return [
        *weighed.use(),
        *weighed.delays(1.0, thin or weighed.victims, "p95 one-way delay"),
        *(weighed.own_delay() if thin else []),
        *weighed.losses(thin),
        *weighed.outcomes(),
    ]


def _voip(weighed: PresetContext) -> list[str]:
    calls = [one.name for one in weighed.classes.values() if "voice" in one.sources and not one.reverse]
    if weighed.classes and not calls:
        raise UsageError("goal", "voip", "this traffic has no call", "add one with --link office")
    terms = [f"{POINTS_PER_MOS / len(calls):.4g} * call quality of {name}" for name in calls]
    return [*weighed.use(), *(terms or [f"{POINTS_PER_MOS:g} * call quality"]), *weighed.own_delay()]


def _gaming(weighed: PresetContext) -> list[str]:
    games = weighed.named("thin", source="cbr")
    return [
        *weighed.use(),
        *weighed.delays(THIN_FACTOR, games, "p99 one-way delay"),
        *(weighed.own_delay(THIN_FACTOR) if games else []),
        *weighed.losses(games),
    ]


def _web(weighed: PresetContext) -> list[str]:
    points = PAGE_FACTOR * weighed.exchange.points_per_ms
    pages = [one.name for one in weighed.classes.values() if "http" in one.sources and one.role == "short"]
    if weighed.classes and not pages:
        raise UsageError(
            "goal", "web", "this traffic has no web pages", "add some with --link cable or --short 10%"
        )
    terms = []
    for name in pages:
        measure = "page load time" if "pages" in weighed.classes[name].parts else "completion time"
        terms.append(f"-{points / len(pages):.4g} * p95 {measure} of {name}")
    return [*weighed.use(), *(terms or [f"-{points:.4g} * p95 page load time"]), *weighed.own_delay()]


def _bulk(weighed: PresetContext) -> list[str]:
    bulk = weighed.named("bulk")
    if weighed.classes and not bulk:
        raise UsageError(
            "goal",
            "bulk",
            "this traffic has no long transfers through this queue",
            "add some, such as with --link cable",
        )
    use = [f"link share of {name}" for name in bulk] or ["utilisation"]
    # Transfers in the other direction depend on the acknowledgements that pass this queue.
    if any(one.role == "bulk" and one.reverse for one in weighed.classes.values()):
        use.append("reverse utilisation")
    # The delay of all packets: a longer queue than needed is no better, even if thin flows bypass it.
    return [*use, *weighed.delays(BULK_FACTOR, [], "p95 delay")]


_TERMS: dict[str, Callable[[PresetContext], list[str]]] = {
    "balanced": _balanced, "voip": _voip, "gaming": _gaming, "web": _web, "bulk": _bulk,
}  # fmt: skip

#: Description of each preset, by name: its traffic and trade-off.
PRESETS = {
    "balanced": "use of the link and video bit rate against delay and loss of calls and games, page load time, stalls "
    "of video, and a little the delay of long transfers",
    "voip": "call quality (MOS), then use of the link, and a little the delay of long transfers",
    "gaming": "p99 delay and loss of games, then use of the link, and a little the delay of long transfers",
    "web": "p95 page load time, then use of the link, and a little the delay of long transfers",
    "bulk": "goodput of long transfers in both directions, and a little their queue",
}


def written(
    name: str,
    classes: Iterable[PlannedClass] = (),
    *,
    exchange: Exchange | None = None,
    round_trip_s: float | None = None,
) -> str:
    """The goal of a preset as text that `goal.parse` takes.

    Args:
        name: A key of `PRESETS`.
        classes: Classes of the traffic; without them the measures are those of all flows.
        exchange: Between delay and utilisation; by default that of the round trip.
        round_trip_s: The base round trip in seconds; 40 ms if it is unknown.

    Raises:
        UsageError: For a preset whose application is not in the traffic.

    Example:
        ``written("voip", planned.classes(scenario).values())``
    """
    given = PresetContext({one.name: one for one in classes}, exchange or Exchange.default(round_trip_s))
    first, *rest = _TERMS[name](given)
    return f"max {first}" + "".join(
        f" - {one.removeprefix('-')}" if one.startswith("-") else f" + {one}" for one in rest
    )


def listed() -> str:
    """The presets and their descriptions, for help texts."""
    return wording.listed([f"{name} ({about})" for name, about in PRESETS.items()])
