"""Variants of a scenario: its queues and values, or those that the index next to it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from ..errors import ScenarioError, UsageError
from ..quantities import values
from ..results.variant import AS_GIVEN
from ..scenario import Scenario, library, recordings

#: Most variants in one comparison: beyond, a table cannot be read.
MOST = 40


def variants(
    bases: Sequence[Scenario], *, queues: Sequence[str], vary: Mapping[str, Sequence[Any]], at: str = "queue"
) -> dict[str, Scenario]:
    """Every variant by name: bases times queues times values, in that order.

    A name holds only what differs, or is the one given (``classic=red:max_p=0.1``); of two that are equal the
    second gets a number.

    Raises:
        UsageError: For fewer than two or more than 40 variants.
        ScenarioError: With the problems of all queues.
    """
    changed: list[tuple[str, Scenario]] = []
    refused: list[ScenarioError] = []
    if len(bases) == 1 and not queues and not vary:
        changed = _indexed(bases[0])
    for base in [] if changed else bases:
        title = base.name if len(bases) > 1 else ""
        if len(queues) == 1:
            changed.append((_join(title, "" if len(bases) > 1 else AS_GIVEN), base))
        for name, text in map(values.named, queues):
            try:
                changed.append((_join(title, name or text), with_queue(base, text, at)))
            except ScenarioError as error:
                refused.append(error)
        if not queues:
            changed.append((title, base))
    if refused:
        problems = dict.fromkeys(problem for error in refused for problem in error.problems)
        raise ScenarioError(problems, origin=refused[0].origin)
    settings = list(product(*[[(path, value) for value in some] for path, some in vary.items()]))
    by_title: dict[str, Scenario] = {}
    for (title, base), setting in product(changed, settings):
        one = base
        for path, value in setting:
            one = one.set(path, value)
        name = _join(title, *(f"{path.split('.')[-1]}={values.show(value)}" for path, value in setting))
        by_title[_unique(name, by_title)] = one
    if len(by_title) < 2:
        raise UsageError(
            "--queue, --vary",
            "",
            "a comparison needs two variants or more",
            "give --queue twice, --vary with two values, or two scenarios",
            shown="rule",
        )
    if len(by_title) > MOST:
        raise UsageError(
            "variants",
            len(by_title),
            f"{len(by_title)} variants are more than a table can show ({MOST})",
            "compare fewer at a time",
            shown="rule",
        )
    return by_title


def _indexed(base: Scenario) -> list[tuple[str, Scenario]]:
    """The variants that the index next to a scenario's file names for it."""
    if not base.origin or base.origin.startswith("link:"):
        return []
    file = library.locate(base.origin)
    rows = library.index(file).get("variants", {})
    pairs = []
    for name, edits in rows.items():
        # The index came with the scenario, so its files lie in the same folder and nowhere else.
        own = [(path, recordings.value(path, value, folder=file.parent)) for path, value in edits.items()]
        pairs.append((name, base.edit(own) if own else base))
    return pairs


def with_queue(base: Scenario, text: str, at: str) -> Scenario:
    """Returns the scenario with the queue of a word of the command line.

    Another discipline starts from its own defaults, in the same buffer and with the same use of ECN; the same
    discipline in another dialect keeps the values that are set. Where the buffer is "auto", that of CAKE by itself,
    another discipline has its own default.
    """
    kind, parameters = values.queue(text)
    try:
        old = str(base.get(f"{at}.kind"))
    except ScenarioError:
        old = kind
    if kind == old:
        return base.queue(kind, at=at, **parameters)
    if _knows_ecn(kind) and _knows_ecn(old) and base.get(f"{at}.ecn"):
        parameters = {"ecn": True, **parameters}
    if _limit(base, at) == "auto":
        return base.set(at, {"kind": kind, **parameters})
    # Tail drop has only a buffer.
    return base.queue("droptail", at=at).queue(kind, at=at, **parameters)


def _limit(base: Scenario, at: str) -> str:
    """The limit of the queue at a place; "" where it states none."""
    try:
        return str(base.get(f"{at}.limit"))
    except ScenarioError:
        return ""


def _knows_ecn(kind: str) -> bool:
    """Whether a discipline has the option; False for an unknown one, which is refused elsewhere."""
    return any(
        field["name"] == "ecn"
        for one in library.catalogue()["disciplines"]
        if one["kind"] == kind
        for field in one["fields"]
    )


def _unique(name: str, taken: Iterable[str]) -> str:
    """The name, with a number if it is taken."""
    known = set(taken)
    numbered = (f"{name} ({n})" for n in range(2, len(known) + 2))
    return name if name not in known else next(one for one in numbered if one not in known)


def _join(*parts: str) -> str:
    return " ".join(part for part in parts if part)
