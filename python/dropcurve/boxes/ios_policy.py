"""The structure of Cisco texts: policies in classes of other policies, and the rate at which a class is served.

Reads configurations and the output of ``show policy-map interface`` (CiscoWRED).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..errors import nearest
from .model import refuse

_POLICY = re.compile(r"(?:policy-map(?:\s+type\s+\S+)?|Service-policy output:)\s+(\S+)")
_NESTED = re.compile(r"(?:service-policy|Service-policy :)\s+(?!output|input|type\s)(\S+)")
_CLASS = re.compile(r"(?:class(?:\s+type\s+\S+)?|Class-map:)\s+(\S+)")
_INTERFACE = re.compile(r"interface\s+(\S+)")
#: The line above the policies of an interface in the output of ``show policy-map interface``.
_SHOWN_INTERFACE = re.compile(r"[A-Z][A-Za-z-]*\d[\d/.:]*")
_PLACED = re.compile(r"service-policy\s+(?:type\s+\S+\s+)?output\s+(\S+)")
_SHAPE = re.compile(
    r"shape (?:average|peak)\s+(?P<stated>\d+)\s*(?P<unit>[kmg])?(?:bps)?(?!\S)"
    r"|shape \(average\) cir (?P<cir>\d+)|target shape rate (?P<target>\d+)"
    r"|shape (?:average|peak)\s+percent\s+(?P<percent>\d+)"
)
_UNITS = {None: 1.0, "k": 1e3, "m": 1e6, "g": 1e9}


#: A condition of a class map: ``match ip dscp af41 af42``.
_MATCHED = re.compile(r"match\s+(?:ip\s+)?dscp\s+(.+)")


@dataclass
class Block:
    """A class of a policy, or an interface with a queue of its own.

    Attributes:
        title: The name it is selected by.
        policy: The policy that it is a class of; "" for an interface.
        lines: Its statements.
        nested: The policy inside it, "" if there is none.
    """

    title: str
    policy: str
    lines: list[str] = field(default_factory=list)
    nested: str = ""

    @property
    def body(self) -> str:
        """Its lines as one text."""
        return "\n".join(self.lines)


@dataclass
class Policies:
    """Contents of a configuration: its blocks in order, the class that contains each policy, the other classes that
    contain it too, the interface that each is attached to, and the code points that each class map matches."""

    blocks: list[Block] = field(default_factory=list)
    parents: dict[str, Block] = field(default_factory=dict)
    further: dict[str, list[Block]] = field(default_factory=dict)
    places: dict[str, Block] = field(default_factory=dict)
    maps: dict[str, list[str]] = field(default_factory=dict)

    def rate_bps(self, block: Block) -> float | None:
        """Rate that the class, or the nearest class around it, is shaped to; None if none is."""
        share = 1.0
        for at in self._outward(block):
            match = _SHAPE.search(at.body)
            if match and match["percent"]:
                share *= float(match["percent"]) / 100.0
            elif match:
                stated = match["stated"] or match["cir"] or match["target"]
                return share * float(stated) * _UNITS[match["unit"]]
        return None

    def speed(self, block: Block) -> tuple[str, float] | None:
        """The interface that the class's policy is put on, and its ``bandwidth`` statement in bit/s."""
        *_, outermost = self._outward(block)
        place = self.places.get(outermost.policy)
        stated = re.search(r"^\s*bandwidth\s+(\d+)\s*$", place.body, re.M) if place else None
        return (place.title, float(stated[1]) * 1e3) if place and stated else None

    def interface(self, block: Block) -> str:
        """The interface that the class's policy is put on; "" where the text names none."""
        if not block.policy:
            return "" if block.title == "interface" else block.title
        *_, outermost = self._outward(block)
        place = self.places.get(outermost.policy)
        return place.title if place else ""

    def ambiguities(self, block: Block) -> Iterator[tuple[Block, Block]]:
        """Each enclosing class that was chosen, with another class that contains the same policy."""
        for at in self._outward(block):
            yield from ((self.parents[at.policy], other) for other in self.further.get(at.policy, []))

    def _outward(self, block: Block) -> Iterator[Block]:
        """The block and those around it; each once, since a text may nest policies in a circle."""
        seen: set[str] = set()
        at: Block | None = block
        while at is not None and at.title not in seen:
            seen.add(at.title)
            yield at
            at = self.parents.get(at.policy)


def title_of(name: str, titles: Sequence[str], origin: str) -> str:
    """The title of a class by itself or by its policy or class alone. Raises ScenarioError for a name of none."""
    title = next((one for one in titles if name in (one, *one.split("/"))), None)
    if title is None:
        words = [word for one in titles for word in one.split("/")]
        hint = nearest(name, words, otherwise="name one of these")
        refuse("--name", name, f"is none of the classes there: {', '.join(titles)}", hint, origin=origin)
    return title


def policies(text: str) -> Policies:
    """The blocks of a text and their nesting."""
    result = Policies()
    # Open policies with the indentation of their lines: the output of `show` nests by it, a configuration does not.
    open_: list[tuple[int, str]] = []
    at: Block | None = None
    points: list[str] = []
    shown = ""
    for line in text.splitlines():
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        if head := _POLICY.match(bare):
            if bare.startswith("Service-policy output:") and shown:
                result.places[head[1]] = Block(shown, "")
            open_, at = [(indent, head[1])], None
        elif bare.startswith("class-map"):
            open_, at = [], None
            points = result.maps.setdefault(bare.split()[-1], [])
        elif matched := _MATCHED.match(bare):
            points += matched[1].split()
        elif placed := _PLACED.match(bare):
            if at is not None:
                result.places[placed[1]] = at
        elif nested := _NESTED.match(bare):
            if at is not None:
                before = result.parents.get(nested[1])
                if before is not None and before.title != at.title:
                    result.further.setdefault(nested[1], []).append(before)
                result.parents[nested[1]] = at
                at.nested = nested[1]
            if bare.startswith("Service-policy :"):
                open_.append((indent, nested[1]))
        elif (inner := _CLASS.match(bare)) and open_ and "ransmitted" not in bare:
            while len(open_) > 1 and indent <= open_[-1][0]:
                open_.pop()
            policy = open_[-1][1]
            at = Block(f"{policy}/{inner[1]}", policy)
            result.blocks.append(at)
        elif place := _INTERFACE.match(bare):
            open_, at = [], Block(place[1], "")
            result.blocks.append(at)
        elif above := _SHOWN_INTERFACE.fullmatch(bare):
            shown = above[0]
        elif at is not None:
            at.lines.append(line)
        elif bare.startswith("random-detect"):
            at = Block("interface", "", [line])
            result.blocks.append(at)
    return result
