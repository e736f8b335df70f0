"""dropcurve schema: the JSON Schema of scenario files."""

from __future__ import annotations


def schema() -> int:
    """Print the JSON Schema of scenario files, for editors that complete and check TOML.

    \b
    Example:
      dropcurve schema > scenario.schema.json
    """
    from .. import library
    from . import console

    console.data(library.schema())
    console.again("dropcurve schema")
    return 0
