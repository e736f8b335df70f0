"""Results: runs with where they came from, their tables and series, and the folder they are stored in."""

from .folders import FORMAT
from .result import Result
from .variant import Variant

__all__ = ["FORMAT", "Result", "Variant"]
