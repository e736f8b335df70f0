"""The page of a result or a sweep: one HTML file that opens anywhere, offline, readable by someone who did not run it.

    from dropcurve import report
    report.write(result, "report.html")

Everything is inside: figures as inlined SVG, styles, a dozen lines of script. A content policy in the page forbids any
request. The template engine escapes all text from users (titles, names). The same result makes the same page, byte for
byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..files.lazy import attributes

if TYPE_CHECKING:
    from .front import render, write
    from .rendering import TEMPLATES, page

__all__ = ["TEMPLATES", "page", "render", "write"]

_HOME = {"TEMPLATES": "rendering", "page": "rendering", "render": "front", "write": "front"}

__getattr__ = attributes(__name__, _HOME)
