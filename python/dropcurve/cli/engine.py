"""The option ``--engine`` of the verbs that simulate."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

Engine = Annotated[
    Literal["fast", "plain"],
    typer.Option(
        help="Engine of the runs: plain has no fast path. Does not change results; stored runs are not repeated.",
    ),
]


def with_engine(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the verb with the option ``--engine``, which applies to all its runs."""
    signature = inspect.signature(verb, eval_str=True)

    @functools.wraps(verb)
    def call(*args: Any, engine: str, **more: Any) -> Any:
        from ..runs import engine as runs

        with runs.using(engine):
            return verb(*args, **more)

    option = inspect.Parameter("engine", inspect.Parameter.KEYWORD_ONLY, default="fast", annotation=Engine)
    # Typer reads names and defaults from the signature and types from the annotations.
    call.__signature__ = signature.replace(parameters=[*signature.parameters.values(), option])  # type: ignore[attr-defined]
    call.__annotations__ = {**verb.__annotations__, "engine": Engine}
    return call
