"""Library: the core's catalogue, and the scenarios that ship with the package."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import dropcurve._core as _core

from ..errors import DropcurveError, nearest
from ..files.named import load_toml
from ..files.shape import Keys, faults
from . import plugins

#: Shape of an entry of ``INDEX.toml``.
_ENTRY = {"title?": str, "claim?": str, "expect?": str, "variants?": Keys(dict)}


def catalogue() -> dict[str, Any]:
    """Returns the core's description of disciplines, dialects, transports, profiles, sources and sections.

    Returns:
        Tables by kind, such as ``disciplines``; each entry has a ``kind`` (its name), a title and
        parameters with their defaults.

    Example:
        >>> "red" in [one["kind"] for one in dropcurve.catalogue()["disciplines"]]
        True
    """
    plugins.discover()
    return _catalogue(tuple(plugins.loaded))


def disciplines() -> list[str]:
    """Returns the names of all disciplines, those of plug-ins last; a hundredth of the time of `catalogue`.

    Example:
        >>> "red" in library.disciplines()
        True
    """
    plugins.discover()
    return _core.disciplines()


@cache
def _catalogue(_: tuple[str, ...]) -> dict[str, Any]:
    """The catalogue, read again when there are more plug-ins."""
    catalogue: dict[str, Any] = json.loads(_core.catalogue())
    return catalogue


def version() -> str:
    """Returns the version of dropcurve; with scenario and seed it fixes every bit of a run.

    Returns:
        Three numbers with dots between them.

    Example:
        >>> dropcurve.version().count(".")
        2
    """
    return _core.version()


def schema() -> dict[str, Any]:
    """Returns the JSON Schema of scenario files, for editors and other programs.

    Returns:
        The schema as nested dictionaries; its text is that of ``dropcurve schema``.

    Example:
        >>> "flows" in dropcurve.schema()["properties"]
        True
    """
    parsed: dict[str, Any] = json.loads(_core.schema())
    return parsed


@cache
def scenarios() -> dict[str, Path]:
    """Returns the scenarios that ship with the package; in a source tree, those of its ``scenarios`` folder.

    Returns:
        The file of each by name; `run`, `compare` and `sweep` take the names.

    Example:
        >>> "droptail_vs_red" in dropcurve.scenarios()
        True
    """
    here = Path(__file__).resolve().parents[1]
    for folder in (here / "scenarios", here.parent.parent / "scenarios"):
        files = {path.stem: path for path in sorted(folder.glob("*.toml")) if path.stem != "INDEX"}
        if files:
            return files
    return {}


@cache
def references() -> dict[str, str]:
    """Returns the sources that answers and pages cite, each in one line, by their key.

    Returns:
        Authors, title, place and year by key, such as ``RFC8289``; empty where the file is not there.

    Example:
        >>> "RFC8289" in references()
        True
    """
    here = Path(__file__).resolve().parents[1]
    for file in (here / "references.toml", here.parent.parent / "docs" / "references.toml"):
        if file.is_file():
            tables = load_toml(file)[0]
            return {key: _cited(one) for key, one in tables.items() if isinstance(one, dict)}
    return {}


def _cited(entry: Mapping[str, Any]) -> str:
    """An entry of the list of sources in one line."""
    parts = [entry.get("authors"), entry.get("title"), entry.get("where"), entry.get("year")]
    return ", ".join(str(part) for part in parts if part)


def index(scenario: Path) -> dict[str, Any]:
    """Returns a scenario's entry in the ``INDEX.toml`` next to it.

    It has title, claim, expect and variants (tables of edits by path).

    Empty if there is no such file or no such entry. Raises DropcurveError if the file cannot be read, is not TOML,
    or has other types.
    """
    path = scenario.parent / "INDEX.toml"
    if not path.exists():
        return {}
    parsed: dict[str, Any] = load_toml(path)[0].get(scenario.stem, {})
    wrong = list(faults(parsed, _ENTRY, scenario.stem))
    if wrong:
        raise DropcurveError(
            path,
            "",
            "; ".join(wrong),
            "write variants as [NAME.variants] with a table of edits each",
            shown="path",
        )
    return parsed


def locate(path: str | Path) -> Path:
    """The file of a scenario given by path or by name. Raises DropcurveError with the nearest name."""
    given = Path(path)
    try:
        if given.is_file():
            return given
    except OSError as error:
        raise DropcurveError(
            path,
            "",
            f"cannot be read: {error.strerror or error}",
            "name a TOML file that you may read",
            shown="path",
        ) from None
    if given.is_dir():
        raise DropcurveError(
            "scenario", path, "is a folder; a scenario is a TOML file", "name a file in it", shown="value"
        )
    shipped = scenarios()
    if str(path) in shipped:
        return shipped[str(path)]
    nearby = [file.name for file in given.parent.glob("*.toml")] if given.parent.is_dir() else []
    otherwise = "`dropcurve list scenarios` shows those that come with it"
    hint = nearest(given.name, [*nearby, *shipped], otherwise=otherwise)
    raise DropcurveError("scenario", path, "no such file", hint, shown="value")
