"""The command line that reproduces an answer."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Any

from ..quantities import values
from ..scenario import plugins


def line(verb: str, arguments: Sequence[str], options: Sequence[tuple[str, Any]]) -> str:
    """``dropcurve VERB ARGUMENTS --option value``, quoted for a POSIX shell; options that are None are
    left out."""
    return " ".join(_quote(word) for word in ["dropcurve", *words(verb, arguments, options)])


def words(verb: str, arguments: Sequence[str], options: Sequence[tuple[str, Any]]) -> list[str]:
    """The words of `line` after the program's name, without quotes; the files of plug-ins come last."""
    parts = [verb, *arguments]
    for name, value in options:
        if value is None or value is False:
            continue
        parts.append(f"--{name}")
        if value is not True:
            parts.append(f"{value:g}" if isinstance(value, float) else str(value))
    for path in plugins.files:
        parts += ["--plugin", path]
    return parts


def edits(pairs: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """``--set`` options for edits of a scenario."""
    return [("set", f"{path}={values.show(value)}") for path, value in pairs]


def _quote(word: str) -> str:
    return (
        word if re.fullmatch(r"[\w@%+=:,./\[\]-]+", word, re.ASCII) and "[" not in word else shlex.quote(word)
    )
