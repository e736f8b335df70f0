"""Result of a writer of ``tc`` commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .model import Note, Problems
from .settings import Settings


@dataclass
class TcCommands:
    """Result of a writer: the kind and words of the command, the words of further ``tc qdisc change`` commands, and
    discipline and options as the kernel runs them. ``shapes``: the queue has a shaper of its own."""

    kind: str
    words: list[str]
    discipline: str
    loaded: dict[str, Any]
    changes: list[list[str]] = field(default_factory=list)
    shapes: bool = False


Writer = Callable[[Settings, list[Note], Problems], TcCommands | None]
