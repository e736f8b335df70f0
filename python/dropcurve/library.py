"""What there is: the core's catalogue, and the scenarios that ship with the package."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from .errors import DropcurveError


@cache
def catalogue() -> dict[str, Any]:
    """The core's own description of disciplines, dialects, transports, profiles, sources and sections."""
    from . import _core

    found: dict[str, Any] = json.loads(_core.catalogue())
    return found


def version() -> str:
    """Version of dropcurve; with scenario and seed it fixes every bit of a run."""
    from . import _core

    return _core.version()


def schema() -> dict[str, Any]:
    """The JSON Schema of scenario files."""
    from . import _core

    found: dict[str, Any] = json.loads(_core.schema())
    return found


@cache
def scenarios() -> dict[str, Path]:
    """Scenarios that ship with the package, by name. In a source tree, those of its ``scenarios`` folder."""
    here = Path(__file__).resolve().parent
    for folder in (here / "scenarios", here.parent.parent / "scenarios"):
        files = {path.stem: path for path in sorted(folder.glob("*.toml")) if path.stem != "INDEX"}
        if files:
            return files
    return {}


def nearest(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'red'?`` or nothing."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"; did you mean '{near[0]}'?" if near else ""


def locate(path: str | Path) -> Path:
    """The file of a scenario given by path or by name. Raises DropcurveError with the nearest name."""
    given = Path(path)
    if given.is_file():
        return given
    if given.is_dir():
        raise DropcurveError(f"{path}: is a folder; a scenario is a TOML file")
    shipped = scenarios()
    if str(path) in shipped:
        return shipped[str(path)]
    nearby = [file.name for file in given.parent.glob("*.toml")] if given.parent.is_dir() else []
    near = difflib.get_close_matches(given.name, [*nearby, *shipped], n=1, cutoff=0.6)
    hint = (
        f"did you mean '{near[0]}'?" if near else "`dropcurve list scenarios` shows those that come with it"
    )
    raise DropcurveError(f"{path}: no such file; {hint}")
