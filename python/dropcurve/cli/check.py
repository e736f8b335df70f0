"""dropcurve check: verifies the files of a folder against their checksums."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options as o

if TYPE_CHECKING:
    from ..files.checksums import Fault


def check(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Folder of a result, a sweep or an answer of `tune`.")
    ],
    json: o.Json = False,
) -> int:
    """Verify the files of a folder against their checksums.

    The check compares every file and every page of a Parquet file with its checksum, and the contents with the
    expected types. It prints a line for each damaged file; the exit code is 1 if there is one.

    \b
    Examples:
      dropcurve check results/droptail_vs_red-1a2b3c4d
    """
    from ..quantities import wording
    from ..results import integrity
    from . import console

    checked = integrity.check(folder)
    faults = checked.faults or _mistyped(folder)
    if json:
        damaged = [[str(one.path), one.what] for one in faults]
        console.data({"files": checked.files, "checksums": checked.compared, "damaged": damaged})
    else:
        for one in faults:
            console.say(f"dropcurve: {one}; run the command again")
        if not faults:
            files = wording.count(checked.files, "file")
            end = (
                "checked, none is damaged"
                if checked.compared
                else "read; there are no checksums to compare them with"
            )
            print(f"{folder}: {files} {end}")
    return 1 if faults else 0


def _mistyped(folder: Path) -> list[Fault]:
    """The faults of a result or sweep whose files match their checksums, or have none."""
    from ..errors import ResultError
    from ..files.checksums import Fault
    from ..results.result import Result
    from ..runs.sweeping.table import Sweep

    try:
        if (folder / "result.json").exists():
            Result.load(folder)
        if (folder / "sweep.json").exists():
            Sweep.load(folder, store=folder)
    except ResultError as error:
        return [Fault(Path(one.path), one.rule) for one in error.problems]
    return []
