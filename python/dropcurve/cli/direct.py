"""`dropcurve tune --instant` without the parser of all verbs, whose libraries take as long to load as the answer.

Only lines that leave that parser nothing to decide are read here: known options, each with a value where it takes one,
and no default from the environment or a file. All others, and so every misuse, are left to it.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from typing import Any

from . import defaults

#: Options with one value, by the name of their parameter; those that may be repeated; and those without a value.
SINGLE = {
    f"--{name}": name
    for name in (
        "link", "rate", "rtt", "flows", "buffer", "goal", "exchange", "short", "udp", "tcp", "robust",
    )
} | {"--for": "for_"}  # fmt: skip
REPEATED = {"--queue": "queue", "--range": "ranges"}
FLAGS = {"--ecn": "ecn", "--json": "json", "--quiet": "quiet", "-q": "quiet", "--instant": "instant"}
#: Variables with defaults of options that `tune` has.
VARIABLES = (defaults.JOBS, defaults.OUT)


def print_answer(arguments: Sequence[str]) -> int | None:
    """Answers a line with `tune --instant` and returns the exit code; None for any other line.

    Raises:
        DropcurveError: For every fault of the question.
    """
    if arguments[:1] != ["tune"] or "--instant" not in arguments:
        return None
    if any(one in os.environ for one in VARIABLES) or defaults.path().is_file():
        return None
    given = options(arguments[1:])
    if given is None:
        return None
    collecting = gc.isenabled()
    # Loading modules makes no garbage, and counting their objects over and over takes a twentieth of the time.
    gc.disable()
    try:
        return _answer(**given)
    finally:
        if collecting:
            gc.enable()


def options(arguments: Sequence[str]) -> dict[str, Any] | None:
    """The options of a line by the names of their parameters; None if the parser of all verbs has to read it."""
    given: dict[str, Any] = {}
    rest = iter(arguments)
    for word in rest:
        name, sign, value = word.partition("=")
        key = SINGLE.get(name) or REPEATED.get(name)
        if key is None:
            key, value = ("scenario", word) if not word.startswith("-") else (FLAGS.get(word, ""), "given")
        elif not sign:
            value = next(rest, "")
        repeated = name in REPEATED
        if not key or not value.strip() or value.startswith("-") or (key in given and not repeated):
            return None
        given[key] = [*given.get(key, []), value] if repeated else True if word in FLAGS else value
    return given


def _answer(
    *,
    scenario: str | None = None,
    instant: bool = True,
    json: bool = False,
    quiet: bool = False,
    **given: Any,
) -> int:
    from . import at_once, tune_question

    question, search = tune_question.asked(scenario, **given)
    return at_once.print_answer(question, scenario, search, (), json=json, quiet=quiet)
