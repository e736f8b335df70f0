"""dropcurve new: writes the skeleton of a discipline of your own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from . import options as o


def new(
    what: Annotated[Literal["discipline"], typer.Argument(metavar="KIND", help="What to write: discipline.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name: lower-case letters, digits and _.")],
    python: Annotated[
        bool, typer.Option("--python", help="A Python file (slow) instead of a Rust crate.")
    ] = False,
    out: Annotated[Path | None, o.shared("out", "default: the working folder")] = None,
) -> int:
    """Begin a discipline of your own: a Python file or a Rust crate.

    The crate depends on no other. The discipline works as written; docs/guide/plugins.md explains the next steps.

    \b
    Examples:
      dropcurve new discipline half
      dropcurve new discipline half --python
    """
    from ..scenario import starters

    out = out or Path()
    files = (starters.python if python else starters.crate)(name, out)
    for file in files:
        print(file)
    if python:
        print(f"Next:   dropcurve conformance {name} --plugin {files[0]}")
    else:
        library = out / name / "target" / "release" / f"lib{name}.so"
        print(
            f"Next:   (cd {out / name} && cargo build --release) && dropcurve conformance {name} --plugin {library}"
        )
    return 0
