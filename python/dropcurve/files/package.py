"""The version of the installed package."""

from __future__ import annotations

from importlib import metadata

#: As the package's metadata state it; `dropcurve.version` returns that of the engine, which fixes the bits of a run.
__version__ = metadata.version("dropcurve")
