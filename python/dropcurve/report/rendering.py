"""A page from its template: styles, script and policy of all pages, everything that users wrote escaped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..present.visible import visible

if TYPE_CHECKING:
    from markupsafe import Markup

TEMPLATES = Path(__file__).resolve().parent / "templates"


def page(
    template: str,
    data: Mapping[str, Any],
    *,
    script: bool = True,
    filters: Mapping[str, Callable[[str], Markup]] | None = None,
) -> str:
    """The text of a page.

    Args:
        template: Name of a template, which extends ``base.html``.
        data: By the names that the template uses.
        script: Whether the page has the script of the pages; without it its policy allows none.
        filters: Filters of the template by name, in addition to ``code``.

    Returns:
        The text, which ends in a line break.

    Example:
        >>> text = page("page.html", data)
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update({"code": _code, **(filters or {})})
    # These are ours, not the user's.
    css, own = (Markup((TEMPLATES / name).read_text(encoding="utf-8")) for name in ("page.css", "page.js"))
    text = environment.get_template(template).render(css=css, script=own if script else "", **data)
    return visible(text.rstrip(), lines=True) + "\n"


def _code(text: str) -> Markup:
    """Text in which `backticks` mark code; all of it is escaped."""
    from markupsafe import Markup, escape

    parts = str(text).split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if i % 2 else escape(part) for i, part in enumerate(parts)
    )
