"""Converts Linux queues, parsed by `tc_parse`, to disciplines with parameters, each with its rates in the tree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..errors import ScenarioError, UsageError
from . import cake_functions, tc_numbers
from .model import Import, Note, promise, refuse
from .tc_filters import applications
from .tc_kinds import READERS
from .tc_parse import tree
from .tc_tree import CONTAINERS, NO_QUEUE, Queue, Tree, fill, takes_the_rest, unshaped


def read(text: str, *, origin: str = "", name: str | None = None, **_: Any) -> Import:
    """The queue of a text; of several, the one that ``name`` (a device, a handle, or interface and parent as printed)
    selects, or the first that no other queue is served after. Raises ScenarioError if there is none.
    """
    parsed, known = _known(text, origin)
    if name is None:
        others = [one for one in known if not _urgent(parsed, one)] or known
        return _of(
            parsed, known, next((one for one in others if takes_the_rest(parsed, one)), others[0]), origin
        )
    for one in known:
        if name in (one.place, one.handle, *one.place.split()):
            return _of(parsed, known, one, origin)
    places = ", ".join(one.place for one in known)
    refuse("--name", name, f"is not a queue there: {places}", "name one of these", origin=origin)


def read_all(text: str, *, origin: str = "", **_: Any) -> list[Import]:
    """Every queue of a text, in its order. Raises ScenarioError as `read`."""
    parsed, known = _known(text, origin)
    return [_of(parsed, known, one, origin) for one in known]


def _known(text: str, origin: str) -> tuple[Tree, list[Queue]]:
    """The text's tree, and its queues that can be simulated. Raises ScenarioError if there is none."""
    try:
        parsed = tree(text, origin)
        parsed.notes += unshaped(parsed)
        fill(parsed)
    except UsageError as error:
        raise ScenarioError(error.problems, origin=origin) from None
    known = [one for one in parsed.queues if one.kind in READERS]
    if not known:
        others = [one.kind for one in parsed.queues]
        refuse(
            "",
            ", ".join(others) or "the text",
            f"holds no queue that is known here: {', '.join(READERS)}",
            "show the queues with tc -d qdisc",
            origin=origin,
        )
    return parsed, known


def _urgent(tree: Tree, queue: Queue) -> bool:
    """Whether other queues of its `prio` are served after it."""
    return any(
        other.kind == "prio"
        and other.dev == queue.dev
        and queue.parent == f"{other.handle}1"
        and other.handle
        for other in tree.queues
    )


def _line(known: list[Queue], chosen: Queue) -> str:
    """The line of a customer in the form of ``--link``: of the two CAKEs with a rate at the roots of their devices, the
    one on an ifb device holds what arrives. "" where a text has no such two."""
    pair = {
        one.dev.startswith("ifb"): one for one in known
        if one.kind == "cake" and not one.parent and one.options.get("bandwidth", "unlimited") != "unlimited"
    }  # fmt: skip
    if len(pair) < 2 or len(known) != len(pair) or chosen not in pair.values():
        return ""
    down, up = (tc_numbers.rate(pair[arriving].options["bandwidth"]) / 1e6 for arriving in (True, False))
    return f"{down:g}/{up:g}Mbit:{'down' if chosen is pair[True] else 'up'},back=cake"


def _of(tree: Tree, known: list[Queue], chosen: Queue, origin: str) -> Import:
    notes: list[Note] = []
    try:
        discipline, params, own = READERS[chosen.kind](chosen, notes)
        rate, guaranteed = tree.rates(chosen)
        first = tree.above(chosen)
    except UsageError as error:
        own_place = [replace(one, path=f"{chosen.kind} {one.path}", shown="both") for one in error.problems]
        raise ScenarioError(own_place, origin=origin) from None
    except KeyError as error:
        refuse(
            f"{chosen.kind} {error.args[0]}",
            "",
            "is missing",
            "give it, or show the queue with tc -d",
            origin=origin,
        )
    notes += tree.notes
    if guaranteed is not None:
        notes.append(promise("rate", "the class", guaranteed))
    if prio := tree.prio(chosen):
        notes.append(Note("lost", "prio", f"{prio}: which class borrows first is not simulated"))
    for one in first:
        notes.append(Note("load", "priority", f"{one.title} is served first"))
    unknown = [
        one for one in tree.queues
        if one.kind not in READERS and one.kind not in CONTAINERS and one.kind not in (*NO_QUEUE, "netem")
    ]  # fmt: skip
    notes += [Note("lost", one.kind, f"{one.place}: no such queue is simulated") for one in unknown]
    others = [str(one) for one in known if one is not chosen]
    rest = takes_the_rest(tree, chosen)
    return Import(
        "linux", discipline, params, notes, own if own is not None else rate, others, title=chosen.place,
        share_bps=guaranteed, above=first, urgent=_urgent(tree, chosen), port_bps=None if own is None else rate,
        link_text=_line(known, chosen),
        functions=cake_functions.of_words(chosen.options) if discipline == "cake" else cake_functions.NONE,
        applications=frozenset() if rest else applications(tree.filters, chosen.dev, chosen.parent),
    )  # fmt: skip
