"""Defaults of options from the environment and from a file.

``DROPCURVE_JOBS`` and ``DROPCURVE_OUT`` override ``jobs`` and ``out`` of ``config.toml`` in
``$XDG_CONFIG_HOME/dropcurve`` (``~/.config/dropcurve``)::

    jobs = 4                 # threads of every verb
    out = "/data/dropcurve"  # the folder under which results are stored

    [compare]                # options of one verb
    replications = 20

The command line comes first, then the environment, then the file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import DropcurveError, nearest
from ..files.named import load_toml

#: Environment variable with the folder under which results are stored.
OUT = "DROPCURVE_OUT"
#: Environment variable with the number of threads.
JOBS = "DROPCURVE_JOBS"
#: Folder of results unless another one is named.
RESULTS = "results"


def path() -> Path:
    """Path of the file, whether or not it exists."""
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "dropcurve" / "config.toml"


def read() -> dict[str, Any]:
    """The file's content; empty if there is none. Raises DropcurveError if it cannot be read or is not TOML."""
    place = path()
    return load_toml(place)[0] if place.exists() else {}


def results() -> Path:
    """The folder under which results are stored."""
    return Path(os.environ.get(OUT) or str(read().get("out") or RESULTS))


def by_verb(options: Mapping[str, frozenset[str]]) -> dict[str, dict[str, Any]]:
    """Defaults of each verb, as the parser of arguments takes them.

    Args:
        options: The names of the options of each verb.

    Raises:
        DropcurveError: For a key that is neither an option nor a verb, with the nearest name.
    """
    held = read()
    every = frozenset().union(*options.values()) - {"out"}
    found: dict[str, dict[str, Any]] = {verb: {} for verb in options}
    for key, value in held.items():
        if isinstance(value, dict):
            if key not in options:
                raise DropcurveError(*_unknown(f"[{key}]", key, frozenset(options), "no such verb"))
            for name in value:
                if name not in options[key]:
                    raise DropcurveError(
                        *_unknown(f"{key}.{name}", name, options[key], f"{key} has no such option")
                    )
            found[key].update(value)
        elif key in every:
            for verb, names in options.items():
                if key in names:
                    found[verb].setdefault(key, value)
        elif key != "out":
            raise DropcurveError(*_unknown(key, key, every | {"out"}, "no such option"))
    return found


def _unknown(shown: str, name: str, known: frozenset[str], rule: str) -> tuple[str, str, str, str]:
    hint = nearest(name, sorted(known), otherwise=f"there are {', '.join(sorted(known))}")
    return str(path()), shown, rule, hint
