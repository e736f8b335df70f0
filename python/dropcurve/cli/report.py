"""dropcurve report: the page of a stored result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from . import options as o
from .show import Folder


def report(
    folder: Folder,
    write: Annotated[Path | None, o.shared("write", "default: report.html of the result")] = None,
    out: o.FormerOut = None,
) -> int:
    """Write the page of a stored result or sweep; it opens offline.

    The folder is the one that `run`, `compare` or `sweep` names at the end.

    \b
    Example:
      dropcurve report demo --write red.html
    """
    from .. import report as pages
    from ..files import checksums
    from ..results import Result
    from ..runs import command_line
    from ..runs.sweeping import Sweep
    from . import answer, console
    from .swept import is_sweep

    o.refuse_out(out, "the page")
    result = Sweep.load(folder) if is_sweep(folder) else Result.load(folder)
    exchange, weights = (None, None) if isinstance(result, Sweep) else answer.stated(result)
    file = write or folder / "report.html"
    file.parent.mkdir(parents=True, exist_ok=True)
    pages.write(result, path=file, exchange=exchange, weights=weights)
    checksums.add(folder, [file])
    print(file)
    console.again(command_line.line("report", [str(folder)], [("write", write)]))
    return 0
