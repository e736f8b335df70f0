"""The answer of `tune --instant`: from the atlas, without a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import UsageError
from ..runs import command_line
from ..tuning import Question, atlas
from . import console


def print_answer(
    question: Question,
    scenario: str | None,
    asked: Sequence[tuple[str, Any]],
    search: Sequence[tuple[str, Any]],
    *,
    json: bool,
    quiet: bool,
) -> int:
    """Answers and prints. Returns 1 if the bounds are not expected to hold, or a formula answers.

    Raises:
        UsageError: For an option of the search, which has no meaning without one.
    """
    given = next((name for name, value in search if value is not None), None)
    if given is not None:
        raise UsageError(
            f"--{given}", "", "has no meaning with --instant, which makes no run", "leave out one of the two"
        )
    answer = atlas.answer(question)
    proof = command_line.line("tune", [scenario] if scenario else [], asked)
    if json:
        console.data({**answer.record(), "prove": proof})
    elif quiet:
        print(answer.best.queue)
    else:
        print(answer)
        print(f"\nProve: {proof}")
    return 0 if answer.holds else 1
