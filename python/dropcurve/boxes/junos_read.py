"""Import from Junos: a drop profile and the scheduler that uses it, from stanzas or ``set`` lines.

Reference: JunosCoS.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..quantities import units
from . import junos_classes, junos_rates
from .model import PRIORITY_PKTS, Import, Note, Priority, promise, refuse
from .numbers import at as word_at
from .numbers import one_of, whole
from .red_rows import INSTANT

#: A fill level and a drop probability, in whole percent.
Point = tuple[int, int]


#: Delay of the whole buffer of an interface, for buffers that are a share of it (JunosCoS).
PORT_BUFFER_S = 0.1


def read(
    text: str, *, origin: str = "", name: str | None = None, rate_bps: float | None = None,
    buffer_bytes: int | None = None, packet_bytes: int = 1500, **_: Any,
) -> Import:  # fmt: skip
    """The queue of a scheduler: its drop profile, or tail drop, over its buffer.

    If there are several, the one of the scheduler, forwarding class or profile ``name``, or the first with a
    drop profile. Raises ScenarioError for a text without a queue, an unknown name, and contradictions.
    """
    configuration = _Configuration.of(text, origin)
    chosen = configuration.chosen(name)
    return _of(configuration, chosen, rate_bps, buffer_bytes, packet_bytes)


def read_all(
    text: str, *, origin: str = "", rate_bps: float | None = None, buffer_bytes: int | None = None,
    packet_bytes: int = 1500, **_: Any,
) -> list[Import]:  # fmt: skip
    """Every queue of the text, in its order. Raises ScenarioError as `read`."""
    configuration = _Configuration.of(text, origin)
    return [_of(configuration, one, rate_bps, buffer_bytes, packet_bytes) for one in configuration.titles]


def _of(
    configuration: _Configuration,
    title: str,
    rate_bps: float | None,
    buffer_bytes: int | None,
    packet_bytes: int,
) -> Import:
    own, notes = configuration.own(title), list[Note]()
    profiles = configuration.profiles_of(title)
    interface = junos_rates.of_interface(configuration.lines, title)
    known = interface or rate_bps
    rate = junos_rates.shaped(own, known) or interface
    limit = buffer_bytes or configuration.buffer(title, known, notes)
    if limit is None:
        refuse(
            "buffer-size",
            "",
            "is not stated as a time, or the link's rate is not known",
            "give --buffer, or --rate",
            origin=configuration.origin,
        )
    if profiles:
        notes.append(Note("load", "w_q", "Junos has no weight to set: the instantaneous fill level counts"))
    if len(profiles) > 1:
        rest = ", ".join(profiles[1:])
        notes.append(
            Note("lost", "loss-priority", f"{rest}: profiles of other loss priorities are not simulated")
        )
    promised = configuration.promised(title, known)
    if promised is not None:
        notes.append(promise("transmit-rate", "the queue", promised))
    first = configuration.above(title, known)
    for words in own:
        if words[-2:-1] == ["priority"] and words[-1] not in ("low", "strict-high"):
            notes.append(
                Note(
                    "lost",
                    "priority",
                    f"{words[-1]}: served before lower ones within its rate; not simulated",
                )
            )
    idle = configuration.unmapped()
    if idle:
        notes.append(Note("load", "scheduler-maps", f"{', '.join(idle)}: in no scheduler map, not in use"))
    notes += [Note("load", "priority", f"{one.title} is served first") for one in first]
    ecn = any("explicit-congestion-notification" in one for one in own)
    shared = {
        "others": [one for one in configuration.titles if one != title], "title": title, "share_bps": promised,
        "above": first, "urgent": configuration.urgent(title),
        "applications": junos_classes.applications(configuration.lines, title),
    }  # fmt: skip
    if not profiles:
        return Import("junos", "droptail", {"limit": f"{limit} B"}, notes, rate, **shared)  # type: ignore[arg-type]
    points, interpolated = configuration.profiles[profiles[0]]
    params = as_simulated(points, limit, ecn, packet_bytes, interpolated=interpolated)
    return Import("junos", "curve", params, notes, rate, **shared)  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Configuration:
    """Statements of class of service, with the drop profiles and titles of queues they name.

    A title is that of a scheduler; of a drop profile where the text has no schedulers.
    """

    lines: list[list[str]]
    profiles: dict[str, tuple[list[Point], bool]]
    titles: list[str]
    origin: str

    @classmethod
    def of(cls, text: str, origin: str) -> _Configuration:
        lines = [words for words in statements(text) if words]
        profiles = _profiles(lines, origin)
        named = dict.fromkeys(
            one[one.index("schedulers") + 1]
            for one in lines
            if "schedulers" in one[:-1] and "class-of-service" in one
        ) or dict.fromkeys(one[one.index("schedulers") + 1] for one in lines if "schedulers" in one[:-1])
        mapped = dict.fromkeys(one[-1] for one in lines if _maps(one))
        titles = [one for one in mapped if one in named] or list(named)
        if not titles and not profiles:
            refuse("drop-profiles", "", "is not there", "show configuration class-of-service", origin=origin)
        return cls(lines, profiles, titles or list(profiles), origin)

    def chosen(self, name: str | None) -> str:
        """The title of a scheduler, forwarding class or profile."""
        weighted = [one for one in self.titles if self.profiles_of(one)]
        plain = [one for one in self.titles if not self.urgent(one)]
        if name is None:
            return (weighted or plain or self.titles)[0]
        mapped = [one[-1] for one in self.lines if _maps(one) and name in one]
        users = [one for one in self.titles if name in self.profiles_of(one)]
        title = next(
            (one for one in [name, *mapped, *users] if one in self.titles or one in self.profiles), None
        )
        if title is None:
            known = ", ".join(dict.fromkeys([*self.titles, *self.profiles]))
            refuse(
                "--name",
                name,
                f"is none of the profiles there: {known}",
                "name one of these",
                origin=self.origin,
            )
        return users[0] if title in self.profiles and title not in self.titles and users else title

    def unmapped(self) -> list[str]:
        """Schedulers that the text defines but does not use."""
        named = dict.fromkeys(
            one[one.index("schedulers") + 1] for one in self.lines
            if "schedulers" in one[:-1] and one[one.index("schedulers") + 1] not in self.titles
        )  # fmt: skip
        return list(named)

    def own(self, title: str) -> list[list[str]]:
        """The statements of a scheduler."""
        return [
            one for one in self.lines
            if "schedulers" in one[:-1] and one[one.index("schedulers") + 1] == title
        ]  # fmt: skip

    def profiles_of(self, title: str) -> list[str]:
        """The drop profiles of a scheduler that the text holds; the profile itself for its own title."""
        own = [one[-1] for one in self.own(title) if _uses(one) and one[-1] in self.profiles]
        return list(dict.fromkeys(own)) or ([title] if title in self.profiles and not self.own(title) else [])

    def urgent(self, title: str) -> bool:
        """Whether a scheduler is served before all others."""
        return any(one[-2:] == ["priority", "strict-high"] for one in self.own(title))

    def promised(self, title: str, rate: float | None) -> float | None:
        """The rate that a scheduler's ``transmit-rate`` guarantees in bit/s, if that is less than the whole rate. Those
        with ``remainder`` share what the others leave."""
        percent = self._percent(title, "transmit-rate", rate)
        return (
            rate * percent / 100.0 if percent is not None and rate is not None and percent < 100.0 else None
        )

    def buffer(self, title: str, rate: float | None, notes: list[Note]) -> int | None:
        """The buffer of a scheduler in bytes; None where the rate that it depends on is not known."""
        own = self.own(title)
        if rate is None or not own:
            return None
        for words in own:
            if "temporal" in words:
                return round(int(junos_rates.metric(one_of(words, words.index("temporal") + 1))) * rate / 8e6)
        # Without a statement, a queue can get the whole buffer.
        percent = self._percent(title, "buffer-size", rate)
        share = 100.0 if percent is None else percent
        text = f"{share:g} % of the interface's buffer, taken as {PORT_BUFFER_S * 1e3:g} ms at the rate"
        notes.append(Note("assumed", "limit", text))
        return max(1, round(share / 100.0 * PORT_BUFFER_S * rate / 8.0))

    def _percent(self, title: str, key: str, rate: float | None) -> float | None:
        """The share of the interface that a scheduler's statement gives it, in percent; None without the statement, and
        for a rate where that of the interface is not known."""
        stated = {
            one: junos_rates.stated(self.own(one), key, rate) for one in dict.fromkeys([*self.titles, title])
        }
        if stated[title] != junos_rates.REMAINDER:
            return stated[title]
        left = 100.0 - sum(one for one in stated.values() if one is not None and one != junos_rates.REMAINDER)
        return max(0.0, left) / sum(one == junos_rates.REMAINDER for one in stated.values())

    def above(self, title: str, rate: float | None) -> tuple[Priority, ...]:
        """The scheduler that is served before this one, with its limit."""
        first = [] if self.urgent(title) else [one for one in self.titles if self.urgent(one)]
        for one in first[:1]:
            own = self.own(one)
            limited = any(words[-1] in ("exact", "rate-limit") for words in own if "transmit-rate" in words)
            police = junos_rates.shaped(own, rate) or (self.promised(one, rate) if limited else None)
            limit = self.buffer(one, rate, [])
            return (Priority(one, f"{PRIORITY_PKTS} pkts" if limit is None else f"{limit} B", police),)
        return ()


def _maps(words: list[str]) -> bool:
    """Whether a statement maps a forwarding class to a scheduler."""
    return "scheduler-maps" in words and words[-2:-1] == ["scheduler"]


def _uses(words: list[str]) -> bool:
    """Whether a statement names the drop profile of a scheduler."""
    return "schedulers" in words and "drop-profile-map" in words and words[-2] == "drop-profile"


def statements(text: str) -> Iterator[list[str]]:
    """Every active statement as its full path of words: of ``set`` lines, or of stanzas in braces."""
    bare = re.sub(r"/\*.*?\*/|##.*?$", "", text, flags=re.DOTALL | re.MULTILINE)
    if re.search(r"^\s*set\s", bare, re.MULTILINE):
        lines = [line.split() for line in bare.splitlines()]
        idle = [words[1:] for words in lines if words[:1] == ["deactivate"]]
        for words in lines:
            if words[:1] == ["set"] and not any(words[1 : 1 + len(one)] == one for one in idle):
                yield words[1:]
        return
    path: list[list[str]] = []
    words = []
    for token in re.findall(r"[{};]|[^\s{};]+", bare):
        if token == "{":
            path.append(words)
            words = []
        elif token == "}":
            if path:
                path.pop()
        elif token == ";":
            statement = [word for part in path for word in part] + words
            if "inactive:" not in statement:
                yield statement
            words = []
        else:
            words.append(token)


def _profiles(lines: list[list[str]], origin: str) -> dict[str, tuple[list[Point], bool]]:
    """Points of each profile, and whether they are joined by lines."""
    profiles: dict[str, dict[str, list[int]]] = {}
    for words in lines:
        if "drop-profiles" not in words:
            continue
        at = words.index("drop-profiles")
        name = word_at(words, at + 1, "drop-profiles", origin=origin)
        profile = profiles.setdefault(name, {"fill-level": [], "drop-probability": [], "interpolate": []})
        rest = words[at + 2 :]
        if rest[:1] == ["interpolate"]:
            profile["interpolate"].append(1)
            rest = rest[1:]
        key = ""
        for word in rest:
            if word in ("fill-level", "drop-probability"):
                key = word
            elif key and word.isdecimal():
                profile[key].append(whole(word, f"drop-profiles {name} {key}", origin=origin))
    return {name: _checked(name, profile, origin) for name, profile in profiles.items()}


def _checked(name: str, profile: dict[str, list[int]], origin: str) -> tuple[list[Point], bool]:
    levels, shares = profile["fill-level"], profile["drop-probability"]
    if len(levels) != len(shares) or not levels:
        refuse(
            f"drop-profiles {name}",
            f"{len(levels)} levels",
            f"need as many probabilities ({len(shares)})",
            origin=origin,
        )
    points = list(zip(levels, shares, strict=True))
    if not profile["interpolate"]:
        points.sort()
    for (level, share), (after, higher) in pairwise(points):
        if after <= level or higher < share:
            refuse(
                f"drop-profiles {name}",
                f"{after} % {higher} %",
                f"must rise from {level} % {share} %",
                origin=origin,
            )
    if any(not 0 <= value <= 100 for pair in points for value in pair):
        refuse(f"drop-profiles {name}", "", "percentages must lie between 0 and 100", origin=origin)
    return points, bool(profile["interpolate"])


def as_simulated(
    points: list[Point], limit: int, ecn: bool, packet_bytes: int, *, interpolated: bool
) -> dict[str, Any]:
    """The profile as `curve`: straight lines between points, or steps.

    Lines begin at 0 %, 0 % and end at 100 %, 100 %, whether these are stated or not (JunosCoS).
    """
    if interpolated:
        points = [
            *([(0, 0)] if points[0][1] else []),
            *points,
            *([(100, 100)] if points[-1][1] < 100 else []),
        ]
    at = [(round(limit * level / 100.0), share / 100.0) for level, share in points]
    if interpolated:
        text = "points " + ", ".join(f"{level} {units.plain(share)}" for level, share in at)
    else:
        bounds = [
            f"until {level}: {units.plain(share)}"
            for (level, _), share in zip(at[1:], [one[1] for one in at], strict=False)
        ]
        text = "; ".join([*bounds, units.plain(at[-1][1])])
    starts = [level for level, share in at if share == 0.0]
    low = (
        starts[-1]
        if interpolated and starts
        else next((level for level, share in at if share > 0.0), at[0][0])
    )
    high = max(at[-1][0], low + 1)
    return {
        "limit": f"{limit} B", "unit": "bytes", "mean_packet": f"{packet_bytes} B", "min_th": f"{max(1, low)} B",
        "max_th": f"{high} B", "w_q": INSTANT, "curve": text, "refuse": "nothing", "spacing": "geometric",
        "idle_decay": "ignored", "ecn": ecn,
    }  # fmt: skip


def looks_like(text: str) -> bool:
    """Whether a text is of this kind."""
    return "drop-profiles" in text or bool(
        re.search(
            r"^\s*(?:set )?(?:class-of-service|firewall policer)\b|^\s*policer \S+ \{|^\s*scheduler-maps\s*\{",
            text,
            re.MULTILINE,
        )
    )
