"""Results: runs with their origin, their tables and series, and the folder that stores them."""

from typing import TYPE_CHECKING

from ..files.lazy import attributes

if TYPE_CHECKING:
    from .folders import FORMAT
    from .result import Result
    from .variant import Variant

__all__ = ["FORMAT", "Result", "Variant"]

_HOME = {"FORMAT": "folders", "Result": "result", "Variant": "variant"}

__getattr__ = attributes(__name__, _HOME)
