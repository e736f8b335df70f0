"""The product of a writer of ``tc`` commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .model import Note, Problems
from .settings import Settings


@dataclass
class Written:
    """The product of a writer: words, further commands to change the queue by, and the options as loaded."""

    kind: str
    words: list[str]
    discipline: str
    loaded: dict[str, Any]
    changes: list[list[str]] = field(default_factory=list)
    shapes: bool = False


Writer = Callable[[Settings, list[Note], Problems], Written | None]
