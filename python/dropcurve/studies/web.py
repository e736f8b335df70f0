"""A study's page as HTML that opens offline, in the style of the pages of results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..plot import style
from ..report import page
from ..scenario import library
from .blocks import Block, FigureBlock, Heading, Table, Text
from .study import Outcome

if TYPE_CHECKING:
    from markupsafe import Markup


def render(outcome: Outcome, blocks: Sequence[Block]) -> str:
    """The page; figures are inlined, nothing is fetched."""
    data = {
        "title": outcome.study.title,
        "version": library.version(),
        "parts": [_part(block) for block in blocks],
    }
    return page("study.html", data, script=False, filters={"inline": inline})


def _part(block: Block) -> dict[str, object]:
    """A block as the template wants it."""
    from markupsafe import Markup

    match block:
        case Heading(text):
            return {
                "kind": "heading",
                "text": text,
                "id": re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-"),
            }
        case Text(text):
            return {"kind": "text", "text": text}
        case Table(head, rows, caption, words):
            return {"kind": "table", "head": head, "rows": rows, "caption": caption, "words": words}
        case FigureBlock(name, title, see, draw):
            figure: dict[str, object] = {"kind": "figure", "id": name, "title": title, "see": see}
            for size, width in (("wide", style.PAGE_IN), ("narrow", style.COLUMN_IN)):
                with style.styled(text_as_text=True):
                    svg = style.to_bytes(draw(width), format="svg")
                figure[size] = Markup(style.embeddable(svg, prefix=f"{name}-{size}", label=title))
            return figure


def inline(text: str) -> Markup:
    """Markdown's `code`, **bold**, *emphasis* and [links](to); all else is escaped."""
    from markupsafe import Markup, escape

    markup = str(escape(text))
    markup = re.sub(r"`([^`]+)`", r"<code>\1</code>", markup)
    markup = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", markup)
    markup = re.sub(r"(?<!\*)\*([^*]+)\*(?!\*)", r"<i>\1</i>", markup)
    return Markup(re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", r'<a href="\2">\1</a>', markup))
