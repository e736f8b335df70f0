"""Published studies repeated claim by claim, and the parts to write one of your own.

    from dropcurve import studies
    outcome = studies.reproduce(studies.load("dsilva"), folder="results/dsilva", quick=True)
    studies.write(outcome, "results/dsilva")

Each study is one file here, made from the public names of this module and `dropcurve`, so that a copy of it is the
start of another one: `docs/guide/own-study.md`.
"""

from __future__ import annotations

import importlib.util
import sys
from importlib import import_module
from pathlib import Path

from ..errors import DropcurveError, UsageError, nearest
from ..files.writing import write_text
from ..plot.panels import Line, Map, Panel, panels
from .blocks import Block, FigureBlock, Heading, Table, Text
from .cells import Cells, Probe, ReplicationPlan, StudyCell
from .claims import FAILS, HOLDS, OPEN, Finding, Test, TestedClaim, at, more
from .data import record
from .draw import line, with_paper
from .effects import Effect, average, gain, mean, smooth
from .explained import explained
from .pages import shown, text, write
from .printed_values import PrintedValue, printed
from .screen import Axis, Region, Screen, spread
from .study import Outcome, Page, Setting, Study, prose, reproduce
from .texts import texts

__all__ = [
    "FAILS",
    "HOLDS",
    "NAMES",
    "OPEN",
    "Axis",
    "Block",
    "Cells",
    "Effect",
    "FigureBlock",
    "Finding",
    "Heading",
    "Line",
    "Map",
    "Outcome",
    "Page",
    "Panel",
    "PrintedValue",
    "Probe",
    "Region",
    "ReplicationPlan",
    "Screen",
    "Setting",
    "Study",
    "StudyCell",
    "Table",
    "Test",
    "TestedClaim",
    "Text",
    "at",
    "average",
    "copy",
    "explained",
    "gain",
    "line",
    "load",
    "mean",
    "more",
    "panels",
    "printed",
    "prose",
    "record",
    "reproduce",
    "shown",
    "smooth",
    "spread",
    "text",
    "texts",
    "with_paper",
    "write",
]  # fmt: skip

#: The studies that come with the package, by name, and the module of each.
NAMES = {
    "hassan": "hassan",
    "wtred": "wtred",
    "red-at": "red_at",
    "decnodder": "decnodder",
    "dsilva": "dsilva",
}


def load(name: str) -> Study:
    """Returns a study by name, or from a Python file that defines ``STUDY``.

    Args:
        name: Name of a study of the package, or path of a file.

    Returns:
        The study.

    Raises:
        UsageError: For an unknown name, or a file that defines no study.

    Example:
        >>> load("red-at").name
        'red-at'
    """
    if name in NAMES:
        source: object = import_module(f"{__name__}.{NAMES[name]}")
    elif Path(name).suffix == ".py":
        source = _from_file(Path(name))
    else:
        hint = nearest(name, NAMES, otherwise=f"there are {', '.join(NAMES)}, or a Python file of your own")
        raise UsageError("study", name, "no such study", hint, shown="value")
    study = getattr(source, "STUDY", None)
    if not isinstance(study, Study):
        raise UsageError(
            "study", name, "defines no STUDY", f"see the files in {Path(__file__).parent}", shown="value"
        )
    return study


def copy(name: str, path: str | Path) -> Path:
    """Writes the file of a study of the package to a path, for changes.

    Args:
        name: Name of the study.
        path: The new file.

    Returns:
        The file.

    Raises:
        UsageError: For an unknown study, or if the file exists.

    Example:
        >>> copy("red-at", "mine.py")
    """
    path = Path(path)
    if path.exists():
        raise UsageError("file", path, "exists already", "choose another name", shown="value")
    module = sys.modules[f"{__name__}.{NAMES[load(name).name]}"]
    write_text(path, Path(str(module.__file__)).read_text(encoding="utf-8"))
    return path


def _from_file(path: Path) -> object:
    if not path.is_file():
        raise UsageError(
            "file",
            path,
            "no such file",
            "name a study's Python file, or one of `dropcurve list studies`",
            shown="value",
        )
    spec = importlib.util.spec_from_file_location(f"study_{path.stem}", path)
    assert spec is not None and spec.loader is not None, "a file that ends in .py has a loader"
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (SyntaxError, ImportError, NameError, AttributeError, TypeError) as error:
        raise DropcurveError(
            path, "", f"cannot be read as a study: {error}", "correct the file", shown="path"
        ) from error
    return module
