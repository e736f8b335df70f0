"""Whether a folder may be written to: another result is replaced only by force."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from ..errors import ResultError
from ..files.reading import parse_json, read_bytes
from ..files.shape import faults

#: Files that mark a folder, with the verb that wrote each.
_MARKS = {"result.json": "run or compare", "sweep.json": "sweep", "tune.json": "tune"}
_REMEDY = "name another folder with --out, or replace it with --force (from Python force=True)"


def check_result(folder: Path, scenarios: Collection[str]) -> None:
    """Raises ResultError unless ``folder`` is free, or holds a result of some of these scenarios.

    Args:
        folder: Where a result is to be written.
        scenarios: The hashes of its variants.
    """
    _check_mark(folder, "result.json")
    stored = _read(folder / "result.json", {"variants": [{"hash": str}]})
    if stored is not None and not {one["hash"] for one in stored["variants"]} <= set(scenarios):
        raise ResultError("--out", folder, "holds the result of another scenario", _REMEDY, shown="value")


def check_sweep(folder: Path, scenario: Mapping[str, Any]) -> None:
    """Raises ResultError unless ``folder`` is free, or holds a sweep of the same scenario, as it is resolved."""
    _check_mark(folder, "sweep.json")
    stored = _read(folder / "sweep.json", {"scenario": dict})
    if stored is not None and stored["scenario"] != scenario:
        raise ResultError("--out", folder, "holds a sweep of another scenario", _REMEDY, shown="value")


def check_answer(folder: Path) -> None:
    """Raises ResultError if ``folder`` holds the result of a run or a sweep, next to which an answer of ``tune`` would
    leave files of two questions."""
    _check_mark(folder, "tune.json", remedy="name another folder with --out")


def _check_mark(folder: Path, own: str, *, remedy: str = _REMEDY) -> None:
    for name, verb in _MARKS.items():
        if name != own and (folder / name).exists():
            raise ResultError("--out", folder, f"holds what `dropcurve {verb}` wrote", remedy, shown="value")


def _read(path: Path, shape: Any) -> Any:
    """The content of a mark; None if it is not there."""
    try:
        stored = parse_json(read_bytes(path))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise ResultError(
            path, error, f"cannot be read as a result ({error})", _REMEDY, shown="path"
        ) from None
    if any(faults(stored, shape)):
        raise ResultError(path, "", "cannot be read as a result", _REMEDY, shown="path")
    return stored
