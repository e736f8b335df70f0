"""Directory of all named things (disciplines, transports, metrics, scenarios), for `list`, `describe` and pages."""

from __future__ import annotations

import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from .. import metrics, plot
from ..errors import UsageError, nearest
from ..quantities import units
from ..scenario import library, links

Rows = list[tuple[str, ...]]

#: Columns of aligned text that the last cell of a row gets at least, and a wide cell before it.
LAST, LEAST = 30, 12


@dataclass(frozen=True)
class Description:
    """One thing described: a title, paragraphs, tables of aligned rows under headings, blocks of text as
    they are, and the same as data."""

    title: str
    data: dict[str, Any]
    paragraphs: list[str] = field(default_factory=list)
    tables: list[tuple[str, Rows]] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)


def text(description: Description, *, width: int = 100) -> str:
    """A description as text of at most ``width`` columns."""
    parts = [aligned([(one,)], width=width) for one in (description.title, *description.paragraphs)]
    parts += [
        f"{aligned([(heading,)], width=width)}\n{aligned(table, indent='  ', width=width)}"
        for heading, table in description.tables
    ]
    return "\n\n".join([*parts, *description.blocks])


def aligned(rows: Rows, *, indent: str = "", width: int = 100) -> str:
    """Rows in columns; each cell is wrapped in its column, the last column takes the remaining width."""
    if not rows:
        return ""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    room = width - len(indent) - 2 * len(widths)
    if widths and sum(widths) > room - LAST:
        widest = widths.index(max(widths))
        widths[widest] = max(LEAST, widths[widest] - sum(widths) + room - LAST)
    widths.append(max(LAST, room - sum(widths)))
    lines = []
    for row in rows:
        columns = [
            textwrap.wrap(cell, wide, break_on_hyphens=False) for cell, wide in zip(row, widths, strict=True)
        ]
        for parts in zip_longest(*columns, fillvalue=""):
            cells = [f"{part:<{wide}}" for part, wide in zip(parts, widths, strict=True)]
            lines.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(lines)


#: The subjects of `list`.
SECTIONS = (
    "disciplines", "dialects", "transports", "profiles", "controls", "sources", "links", "metrics", "scenarios",
    "plots",
)  # fmt: skip
#: Sections that other packages add: names with their rows.
More = Mapping[str, Rows]


def sections(more: More | None = None) -> dict[str, Rows]:
    """Every section with its rows of (name, what it is), those that other packages add at the end."""
    return {name: section(name) for name in SECTIONS} | dict(more or {})


def section(name: str, more: More | None = None) -> Rows:
    """One section of `sections`. Raises UsageError with the nearest name for an unknown one."""
    if more and name in more:
        return more[name]
    if name not in SECTIONS:
        names = (*SECTIONS, *(more or ()))
        hint = nearest(name, names, otherwise=f"there are {', '.join(names)}")
        raise UsageError("list", name, f"no list is called '{name}'", hint, shown="rule")
    catalogue = library.catalogue()
    if name == "disciplines":
        return [(one["kind"], one["title"]) for one in catalogue["disciplines"]]
    if name == "dialects":
        return [(key, row["doc"]) for key, _, row in _presets("disciplines", "kind", "dialects")]
    if name == "profiles":
        return [(key, row["doc"]) for key, _, row in _presets("transports", "name", "profiles")]
    if name in ("transports", "sources"):
        return [(one["name"], one["doc"]) for one in catalogue[name]]
    if name == "controls":
        return [(one["name"], one["doc"]) for one in catalogue["congestion_controls"]]
    if name == "links":
        return [(one.name, _link_title(one)) for one in links.PRESETS.values()]
    if name == "metrics":
        return [(one.name, f"{one.title}{f' ({one.unit})' if one.unit else ''}") for one in metrics.ordered()]
    if name == "scenarios":
        return [(title, _title(title)) for title in library.scenarios()]
    return [(kind.name, kind.title) for kind in plot.KINDS.values()]


def _presets(part: str, name: str, presets: str) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """(``red:ns2``, discipline, dialect), or the like of transports and profiles."""
    for owner in library.catalogue()[part]:
        for row in owner[presets]:
            yield f"{owner[name]}:{row['name']}", owner, row


def _title(name: str) -> str:
    """The title of a shipped scenario, read without validation, so that one bad file does not break the list."""
    try:
        with library.scenarios()[name].open("rb") as file:
            return str(tomllib.load(file).get("title", ""))
    except (OSError, tomllib.TOMLDecodeError) as error:
        return f"cannot be read: {error}"


def describe(name: str, more: More | None = None) -> list[Description]:
    """Everything called ``name``: disciplines, dialects (``red:ns2``, or ``ns2`` alone), transports, profiles,
    congestion controls, sources, links, sections, metrics, plots, scenarios, and the rows that other packages
    add. Capitals, hyphens and underscores need not match.

    Args:
        name: Name to describe.
        more: Further sections.

    Raises:
        UsageError: With the nearest name if there is no such thing.
    """
    looks = (
        _discipline, _presets_called, _transport, _control, _source, _link, _section, _metric, _plot, _scenario,
        _parameter,
    )  # fmt: skip
    descriptions = [one for look in looks for one in look(name)]
    descriptions += [
        Description(f"{name}: {about}", {"name": name, "about": about, "list": title})
        for title, rows in (more or {}).items()
        for known, about in rows
        if known == name
    ]
    if descriptions:
        return descriptions
    known = [row[0] for rows in sections(more).values() for row in rows]
    plain = name.lower().replace("_", "-")
    same = next(
        (one for one in known if one.lower().replace("_", "-").replace(" ", "-") == plain.replace(" ", "-")),
        None,
    )
    if same is not None and same != name:
        return describe(same, more)
    known += [one["path"] for one in library.catalogue()["sections"]]
    owner, _, key = name.rpartition(":")
    known += [f"{owner}:{one['name']}" for title, one in _parameters() if owner in ("", title)] if key else []
    hint = nearest(name, known, otherwise="`dropcurve list` shows all names")
    raise UsageError("name", name, f"nothing is called '{name}'", hint, shown="rule")


def _discipline(name: str) -> Iterator[Description]:
    for discipline in library.catalogue()["disciplines"]:
        if discipline["kind"] == name:
            tables: list[tuple[str, Rows]] = [("Parameters", _fields(discipline["fields"]))]
            if discipline["dialects"]:
                tables.append(("Dialects", [(row["name"], row["doc"]) for row in discipline["dialects"]]))
                tables.append(("What the dialects set", _options(discipline["dialects"])))
            about = [
                discipline["about"],
                *([f"Reference: {discipline['reference']}"] if discipline["reference"] else []),
            ]
            yield Description(f"{name}: {discipline['title']}", discipline, about, tables, [_use(discipline)])


def _parameters() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every parameter with its owner: a discipline, transport or source, or the path of a section."""
    catalogue = library.catalogue()
    for part, key in (
        ("disciplines", "kind"),
        ("transports", "name"),
        ("sources", "name"),
        ("sections", "path"),
    ):
        for owner in catalogue[part]:
            for one in owner["fields"]:
                yield owner[key], one


def _parameter(name: str) -> Iterator[Description]:
    """A parameter by its name (``target``), of all that have it, or of one (``codel:target``)."""
    owner, _, key = name.rpartition(":")
    some = [(title, one) for title, one in _parameters() if one["name"] == key and owner in ("", title)]
    if not some:
        return
    rows: Rows = [(title, *row[1:]) for title, one in some for row in _fields([one])]
    data = {"name": key, "parameter_of": dict(some)}
    what = f"a parameter of {owner}" if owner else "a parameter"
    yield Description(f"{name}: {what}", data, [], [("Of, default, meaning", rows)])


def _control(name: str) -> Iterator[Description]:
    for control in library.catalogue()["congestion_controls"]:
        if control["name"] == name:
            yield Description(f"{name}: {control['doc']}", control, ["A congestion control: `cc` of TCP."])


def _link(name: str) -> Iterator[Description]:
    if name not in links.PRESETS:
        return
    link = links.PRESETS[name]
    about = [f"{way}: {link.assumptions(way)}" for way in links.DIRECTIONS]
    data = {"name": link.name, "down_bps": link.down_bps, "up_bps": link.up_bps, "rtt_s": list(link.rtt_s),
            "buffer": link.buffer, "source": link.source}  # fmt: skip
    yield Description(f"{name}: {_link_title(link)}", data, [*about, f"Source: {link.source}"])


def _link_title(link: links.LinkProfile) -> str:
    low, high = (units.show_span(span) for span in link.rtt_s)
    rates = f"{units.show_rate(link.down_bps)} down, {units.show_rate(link.up_bps)} up"
    return f"{rates}, round trip {low} to {high}, buffer {link.buffer}"


def _use(transport: dict[str, Any]) -> str:
    lines = ["[queue]", f'kind = "{transport["kind"]}"']
    lines += [f'dialect = "{transport["dialects"][0]["name"]}"'] if transport["dialects"] else []
    return "In a scenario\n" + "\n".join(f"  {line}" for line in lines)


def _fields(fields: list[dict[str, Any]]) -> Rows:
    """(name, default, meaning with unit, range and source)."""
    rows: Rows = []
    for parameter in fields:
        facts = [fact for fact in (parameter.get("range"), _choices(parameter), _origin(parameter)) if fact]
        default = parameter["default"]
        shown = str(default).lower() if isinstance(default, bool) else f"{default}"
        unit = (
            f" {parameter['unit']}"
            if parameter["unit"] not in ("", "1") and not isinstance(default, str)
            else ""
        )
        doc = parameter["doc"].rstrip(".") + "."
        rows.append((parameter["name"], shown + unit, f"{doc} [{'; '.join(facts)}]" if facts else doc))
    return rows


def _choices(field: dict[str, Any]) -> str:
    return "one of " + ", ".join(row["name"] for row in field["choices"]) if field.get("choices") else ""


def _origin(field: dict[str, Any]) -> str:
    assumed = "assumed" if field.get("assumed") else ""
    return ", ".join(part for part in (field.get("source") or "", assumed) if part)


def _options(presets: list[dict[str, Any]]) -> Rows:
    return [
        (
            row["name"],
            ", ".join(f"{key} = {value}" for key, value in row["options"].items()) or "the defaults",
        )
        for row in presets
    ]


def _presets_called(name: str) -> Iterator[Description]:
    every = [*_presets("disciplines", "kind", "dialects"), *_presets("transports", "name", "profiles")]
    for full, owner, row in every:
        if name in (full, row["name"]):
            docs = {one["name"]: one["doc"] for one in owner["fields"]}
            options: Rows = [(key, str(value), docs.get(key, "")) for key, value in row["options"].items()]
            rest = (
                "Options that are not listed have the defaults of `dropcurve describe "
                + full.split(":")[0]
                + "`."
            )
            yield Description(
                f"{full}: {row['doc']}", row, [rest], [("Options", list(options))] if options else []
            )


def _transport(name: str) -> Iterator[Description]:
    for transport in library.catalogue()["transports"]:
        if transport["name"] == name:
            tables = [("Parameters", _fields(transport["fields"]))]
            if transport["profiles"]:
                tables.append(("Profiles", [(row["name"], row["doc"]) for row in transport["profiles"]]))
                tables.append(("What the profiles set", _options(transport["profiles"])))
            yield Description(f"{name}: {transport['doc']}", transport, [], tables)


def _source(name: str) -> Iterator[Description]:
    for source in library.catalogue()["sources"]:
        if source["name"] == name:
            tables = [("Parameters", _fields(source["fields"]))] if source["fields"] else []
            if source["presets"]:
                tables.append(
                    (
                        f"Rows of options ({source['preset_key']})",
                        [(row["name"], row["doc"]) for row in source["presets"]],
                    )
                )
                tables.append(("What the rows set", _options(source["presets"])))
            yield Description(
                f"{name}: {source['doc']}", source, [f"Over {' or '.join(source['transports'])}."], tables
            )


def _section(name: str) -> Iterator[Description]:
    parts = [one for one in library.catalogue()["sections"] if one["path"] == name]
    headings = [part["doc"] + (f" ({part['when']})" if part["when"] else "") for part in parts]
    tables = [(heading, _fields(part["fields"])) for heading, part in zip(headings, parts, strict=True)]
    if parts:
        yield Description(f"[{name}]", {"path": name, "parts": parts}, [], tables)


def _metric(name: str) -> Iterator[Description]:
    metric = metrics.METRICS.get(metrics.split(name)[0])
    if metric is None:
        return
    better = {
        "higher": "Higher is better.",
        "lower": "Lower is better.",
        "none": "Neither direction is better.",
    }
    data = {
        "name": metric.name, "title": metric.title, "unit": metric.unit, "better": metric.better,
        "source": metric.source, "per": metric.per, "about": metric.doc,
    }  # fmt: skip
    about = [
        metric.doc,
        f"{better[metric.better]} Unit: {metric.unit or 'none'}. Per {metric.per}. Source: {metric.source}.",
    ]
    yield Description(f"{metric.name}: {metric.title}", data, about)


def _plot(name: str) -> Iterator[Description]:
    kind = plot.KINDS.get(name)
    if kind is not None:
        data = {"name": name, "title": kind.title, "see": kind.see}
        yield Description(f"{name}: {kind.title}", data, [kind.see])


def _scenario(name: str) -> Iterator[Description]:
    path = library.scenarios().get(name)
    if path is None:
        return
    text = path.read_text(encoding="utf-8")
    facts = library.index(path)
    data = {"name": name, "title": _title(name), "path": str(path), "index": facts, "text": text}
    about = [
        f"{label}: {facts[key]}." for key, label in (("claim", "Claim"), ("expect", "Expect")) if key in facts
    ]
    edits: Rows = [
        (variant, ", ".join(f"{key} = {value}" for key, value in rows.items()) or "as it is")
        for variant, rows in facts.get("variants", {}).items()
    ]
    tables = [(f"Variants of `dropcurve compare {name}`", edits)] if edits else []
    yield Description(f"{name}: {_title(name)}", data, [*about, str(path)], tables, [text.rstrip()])
