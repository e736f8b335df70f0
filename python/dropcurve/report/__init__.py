"""The page of a result or a sweep: one HTML file that opens anywhere, offline, readable by someone who did not run it.

    from dropcurve import report
    report.write(result, "report.html")

Everything is inside: figures as inlined SVG, styles, a dozen lines of script. A content policy in the page
forbids any request. What users wrote (titles, names) is escaped by the template engine. The same result makes
the same page, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..files.writing import write_text
from ..present.visible import visible
from ..results import Result
from ..runs.sweeping import Sweep
from ..verdict import Exchange, Weights
from . import content, sweep

if TYPE_CHECKING:
    from markupsafe import Markup

TEMPLATES = Path(__file__).resolve().parent / "templates"


def write(
    result: Result | Sweep,
    path: str | Path,
    *,
    exchange: Exchange | None = None,
    weights: Weights | None = None,
) -> Path:
    """Writes the page to `path` and returns it. A folder gets `report.html`. The verdict is by this exchange rate and
    these weights of a goal, as for `Result.document`."""
    path = Path(path)
    if path.is_dir():
        path = path / "report.html"
    write_text(path, render(result, exchange=exchange, weights=weights))
    return path


def render(
    result: Result | Sweep, *, exchange: Exchange | None = None, weights: Weights | None = None
) -> str:
    """The page as text; arguments as for `write`."""
    if isinstance(result, Sweep):
        return _page("sweep.html", sweep.of(result))
    return _page("page.html", content.of(result, exchange=exchange, weights=weights))


def _page(template: str, data: Mapping[str, Any]) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["code"] = _code
    # These are ours, not the user's.
    own = {name: Markup((TEMPLATES / name).read_text(encoding="utf-8")) for name in ("page.css", "page.js")}
    page = environment.get_template(template).render(css=own["page.css"], script=own["page.js"], **data)
    return visible(page.rstrip(), lines=True) + "\n"


def _code(text: str) -> Markup:
    """Text in which `backticks` set off what is meant literally; all of it is escaped."""
    from markupsafe import Markup, escape

    parts = str(text).split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if i % 2 else escape(part) for i, part in enumerate(parts)
    )
