"""dropcurve schema: the JSON Schema of scenario files."""

from __future__ import annotations


def schema() -> int:
    """Print the JSON Schema of scenario files.

    Editors that know TOML complete and check scenarios with it.

    \b
    Example:
      dropcurve schema > scenario.schema.json
    """
    from ..scenario import library
    from . import console

    console.data(library.schema())
    return 0
