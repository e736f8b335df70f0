"""Results: runs with where they came from, their tables and series, and the folder they are stored in."""

from .result import FORMAT, Result, Variant

__all__ = ["FORMAT", "Result", "Variant"]
