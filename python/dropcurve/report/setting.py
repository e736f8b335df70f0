"""The setting of a result as text: links, flows, and every option of disciplines and transports with its value."""

from __future__ import annotations

from typing import Any

from ..results import Result
from . import setup
from .directory import Rows, aligned

#: The origin of a value that the scenario itself did not set.
ORIGINS = {"preset": "dialect or profile", "assumed": "assumed", "default": "default", "set": "set", "": ""}


def data(result: Result) -> dict[str, Any]:
    """Links, flows, option tables, and by variant and link the resolved value of each automatic parameter."""
    return {
        "links": setup.links(result),
        "flows": setup.flows(result),
        "options": setup.options(result),
        "automatic": {variant.name: variant.automatic for variant in result.variants},
    }


def text(result: Result, *, width: int = 100) -> str:
    """The same in sections of aligned rows."""
    links: Rows = [
        (row["name"], row["rate"], row["delay"], "; ".join(row["queues"])) for row in setup.links(result)
    ]
    flows: Rows = [
        (row["name"], row["count"], f"{row['transport']}: {row['source']}; starts at {row['start']}")
        for row in setup.flows(result)
    ]
    parts = [result.title, _part("Links", links, width), _part("Flows", flows, width)]
    for table in setup.options(result):
        columns: Rows = [(f"[{i}]", name) for i, name in enumerate(table["columns"], start=1)]
        rows: Rows = [
            (row["key"], _value(row["cells"]), _origins(row["cells"]))
            for row in [*table["main"], *table["rest"]]
        ]
        heading = [
            table["title"],
            *([aligned(columns, indent="  ", width=width)] if len(columns) > 1 else []),
        ]
        parts.append("\n".join([*heading, aligned(rows, indent="  ", width=width)]))
    return "\n\n".join(parts)


def _part(title: str, rows: Rows, width: int) -> str:
    return f"{title}\n{aligned(rows, indent='  ', width=width)}"


def _value(cells: list[dict[str, str]]) -> str:
    """A single value if all columns are equal, else each value with the number of its column."""
    if len({cell["text"] for cell in cells}) == 1:
        return cells[0]["text"]
    return ", ".join(f"[{i}] {cell['text'] or '–'}" for i, cell in enumerate(cells, start=1))


def _origins(cells: list[dict[str, str]]) -> str:
    return ", ".join(dict.fromkeys(ORIGINS[cell["origin"]] for cell in cells if cell["origin"]))
