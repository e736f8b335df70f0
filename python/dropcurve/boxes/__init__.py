"""Configurations of boxes: a discipline with its parameters to and from the configuration of a router or switch.

    exported = export("red", {"min_th": "5 pkts", "max_th": "15 pkts"}, box="linux", rate_bps=10e6)
    print(exported.text, *exported.notes, *exported.effect, sep="\\n")
    imported = read(exported.text)
    print(imported.queue)

Units are converted as the box does it; values it cannot express are rounded and noted. Contradictions are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..files.lazy import attributes

if TYPE_CHECKING:
    from . import sqm
    from .front import ALIASES, BOXES, export, kinds, named, read, read_all
    from .model import Export, Import, Note
    from .scheduler import with_priority

__all__ = [
    "ALIASES",
    "BOXES",
    "Export",
    "Import",
    "Note",
    "export",
    "kinds",
    "named",
    "read",
    "read_all",
    "sqm",
    "with_priority",
]

_HOME = {
    "ALIASES": "front",
    "BOXES": "front",
    "Export": "model",
    "Import": "model",
    "Note": "model",
    "export": "front",
    "kinds": "front",
    "named": "front",
    "read": "front",
    "read_all": "front",
    "sqm": "",
    "with_priority": "scheduler",
}

__getattr__ = attributes(__name__, _HOME)
