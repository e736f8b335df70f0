"""Templates of plug-ins, written by `dropcurve new`."""

from __future__ import annotations

import re
from pathlib import Path

from ...errors import UsageError
from ...files.writing import write_text
from .. import library

HERE = Path(__file__).resolve().parent
#: Files of a crate, with the template of each.
CRATE = {"Cargo.toml": "Cargo.toml.txt", "src/lib.rs": "lib.rs.txt", "src/abi.rs": "abi.rs.txt"}


def python(name: str, folder: Path) -> list[Path]:
    """Writes ``NAME.py`` with a discipline; returns the file.

    Raises:
        UsageError: If the name cannot be used, or the file exists.
    """
    return _written({folder / f"{check(name)}.py": HERE / "discipline.py.txt"}, name)


def crate(name: str, folder: Path) -> list[Path]:
    """Writes a folder ``NAME`` with a Rust crate that needs no other; returns its files.

    Raises:
        UsageError: If the name cannot be used, or a file exists.
    """
    root = folder / check(name)
    return _written({root / path: HERE / "rust" / template for path, template in CRATE.items()}, name)


def check(name: str) -> str:
    """Returns the name of a new discipline. Raises UsageError for one that cannot be used."""
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name):
        raise UsageError(
            "name",
            repr(name),
            "must be lower-case letters, digits and _",
            "choose one such as half or my_red",
        )
    if name in library.disciplines():
        raise UsageError("name", repr(name), "is a discipline already", "choose another name")
    return name


def _written(files: dict[Path, Path], name: str) -> list[Path]:
    for path in files:
        if path.exists():
            raise UsageError("file", path, "exists", "choose another name or folder", shown="value")
    title = "".join(part.capitalize() for part in name.split("_"))
    for path, template in files.items():
        text = template.read_text(encoding="utf-8")
        if template.name != "abi.rs.txt":
            # In code TITLE is a type, in `const TITLE` a name of the interface.
            text = re.sub(r"(?<!const )\bTITLE\b", title, re.sub(r"(?<!const )\bNAME\b", name, text))
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    return list(files)
