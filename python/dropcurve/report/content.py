"""Content of the page as plain data: no markup here except figures, no numbers computed in the template."""

from __future__ import annotations

import re
from typing import Any

from .. import metrics, plot
from ..plot import style
from ..quantities import wording
from ..results import Result
from ..results.document import headline
from ..verdict import Exchange, Weights
from . import method, setup, table, topology

#: End of the sentences of a verdict: "(95 %, 5 paired replications)".
_BASIS = re.compile(r" \(([^()]*)\)\.?$")

#: Figures that belong to the answer; all others explain it.
ANSWER_FIGURES = ("tradeoff", "comparison")


def of(
    result: Result,
    *,
    exchange: Exchange | None = None,
    weights: Weights | None = None,
    drawn: plot.Drawn | None = None,
) -> dict[str, Any]:
    """The data of the template, by the names it uses; ``drawn`` are figures that were drawn already."""
    figures = _figures(result, drawn)
    return {
        "title": result.title or result.name or "A run of dropcurve",
        "kind": _kind(result),
        "question": question(result),
        "source": _head(result, "source").removesuffix("dropcurve").strip(),
        "facts": setup.facts(result),
        "headline": headline(result, exchange=exchange, weights=weights),
        "verdict": verdict(result),
        "problems": result.problems,
        "warnings": result.warnings,
        "variants": [{"name": v.name, "series": series_class(i)} for i, v in enumerate(result.variants)],
        "table": table.of(result),
        "answer_figures": [figure for figure in figures if figure["name"] in ANSWER_FIGURES],
        "figures": [figure for figure in figures if figure["name"] not in ANSWER_FIGURES],
        "network": topology.svg(result),
        "links": setup.links(result),
        "flows": setup.flows(result),
        "option_tables": setup.options(result),
        "method": method.paragraphs(result),
        "runs": method.runs(result),
        "conservation": method.conservation(result),
        "definitions": definitions(result),
        "command": result.command,
        "version": result.version,
        "seeds": method.seeds(result),
        "scenarios": [{"name": v.name, "hash": v.hash, "toml": v.toml} for v in result.variants],
    }


def series_class(index: int) -> str:
    """The CSS class of a variant's colour, the same as in the figures."""
    return f"series-{index % len(style.PALETTE) + 1}"


def question(result: Result) -> str:
    """Returns the question that the result answers: the author's description if there is one, else ours."""
    given = _head(result, "description")
    if given:
        return given
    if not result.variants:
        return ""
    first, *others = [variant.name for variant in result.variants]
    if not others:
        return f"How does {first} perform under this traffic?"
    if len(others) == 1:
        return f"What changes if {others[0]} replaces {first}?"
    return f"What changes if {', '.join(others[:-1])} or {others[-1]} replaces {first}?"


def definitions(result: Result) -> list[dict[str, str]]:
    """The metrics in the table: description, unit, and source of the definition."""
    shown = dict.fromkeys(row.metric for row in result.table())
    described = [metrics.find(name) for name in shown]
    return [
        {"name": one.name, "title": one.title, "unit": one.unit, "doc": one.doc, "source": one.source}
        for one in described
    ]


def _head(result: Result, key: str) -> str:
    return str(result.variants[0].scenario.get(key) or "") if result.variants else ""


def _kind(result: Result) -> str:
    count = len(result.variants)
    return "One scenario" if count < 2 else f"Comparison of {wording.count(count, 'variant')}"


def verdict(result: Result) -> dict[str, Any]:
    """The verdict's sentences, grouped by variant.

    `groups` have a variant's name (or none), its colour, and its sentences without the name; `basis` is the ending
    that all sentences share.
    """
    sentences = result.verdict()
    ends = {match.group(1) if (match := _BASIS.search(sentence)) else "" for sentence in sentences}
    basis = ends.pop() if len(ends) == 1 else ""
    names = sorted(
        ((variant.name, i) for i, variant in enumerate(result.variants)), key=lambda one: -len(one[0])
    )
    groups: dict[int | None, list[str]] = {}
    for sentence in sentences:
        text = _BASIS.sub("", sentence) if basis else sentence
        name, index = next(((n, i) for n, i in names if text.startswith((f"{n} ", f"{n}:"))), ("", None))
        text = text.removeprefix(name).lstrip(": ").replace(" ± ", "\u00a0±\u00a0")
        groups.setdefault(index, []).append(text[:1].upper() + text[1:])
    return {
        "basis": basis,
        "groups": [
            {
                "name": "" if index is None else result.variants[index].name,
                "series": None if index is None else series_class(index),
                "lines": lines,
            }
            for index, lines in groups.items()
        ],
    }


def _figures(result: Result, drawn: plot.Drawn | None) -> list[dict[str, Any]]:
    """The figures that are not empty, drawn for a page and for a phone."""
    from markupsafe import Markup

    figures = []
    for name in plot.available(result):
        kind = plot.KINDS[name]
        label = f"{kind.title}. {kind.see}"
        figures.append({
            "name": name,
            "title": kind.title,
            "see": kind.see,
            "wide": Markup(plot.fragment(name, result, label=label, drawn=drawn)),
            "narrow": Markup(plot.fragment(name, result, label=label, width="column")),
        })  # fmt: skip
    return figures
