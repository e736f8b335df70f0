"""dropcurve check: verifies the files of a folder against their checksums."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as o


def check(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Of a result, a sweep or an answer of `tune`.")
    ],
    json: o.Json = False,
) -> int:
    """Verify the files of a folder against their checksums.

    Every file is compared with its checksum, the pages of Parquet files with theirs, and their contents with the types
    that it must have. Exit code 1 means that a file is damaged; each damaged file has a line.

    \b
    Examples:
      dropcurve check results/droptail_vs_red-1a2b3c4d
    """
    from ..quantities import wording
    from ..results import integrity
    from . import console

    found = integrity.check(folder)
    if json:
        console.data({"files": found.files, "damaged": [[str(one.path), one.what] for one in found.faults]})
    else:
        for one in found.faults:
            console.say(f"dropcurve: {one}; run the command again")
        if not found.faults:
            print(f"{folder}: {wording.count(found.files, 'file')} checked, all as they were written")
    return 1 if found.faults else 0
