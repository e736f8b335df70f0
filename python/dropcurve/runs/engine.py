"""The engine that makes runs: ``fast``, or ``plain``, which has no fast path and the same results, bit for bit.

It is an option of the work, not of the scenario: runs keep their address in the store, and stored runs are not made
again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..errors import UsageError

ENGINES = ("fast", "plain")

_chosen: ContextVar[str] = ContextVar("engine", default="fast")


def chosen() -> str:
    """Name of the engine that makes runs here."""
    return _chosen.get()


@contextmanager
def using(name: str) -> Iterator[None]:
    """Runs with the engine of this name inside the block.

    Raises:
        UsageError: there is no such engine.
    """
    if name not in ENGINES:
        raise UsageError("engine", repr(name), f"must be one of {', '.join(ENGINES)}", "choose one of these")
    token = _chosen.set(name)
    try:
        yield
    finally:
        _chosen.reset(token)


def options() -> dict[str, Any]:
    """The keyword arguments with which the core makes runs; none for its default."""
    return {} if chosen() == "fast" else {"engine": chosen()}
