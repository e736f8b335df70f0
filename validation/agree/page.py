"""The page: a table of areas first, then the differences and their causes, missing references, and every case with its
figures."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Sequence

from .cases import AgreementCase, Area, Figure

HEAD = """\
# Agreement

The same cases in dropcurve and in ns-2.35, ns-3, Linux or a formula, and how far the results are apart. Written by
`make agree`; do not edit.

A case is *within* if all its figures are: each area states how far they may be apart. *Not yet* names the part that is
missing here. In the tables of cases a cell holds the other's number and how far ours is from it; bold is outside.
"""


def markdown(areas: Sequence[Area]) -> str:
    """The page as Markdown."""
    parts = [
        HEAD,
        summary(areas),
        "## Cases outside, and why\n",
        *map(outside, areas),
        "## Not yet\n",
        missing(areas),
    ]
    parts += [area_section(area) for area in areas if area.cases]
    return "\n".join(part for part in parts if part).rstrip() + "\n"


def summary(areas: Sequence[Area]) -> str:
    """One line for each area, then all."""
    lines = [
        "| area | against | cases | within | outside | not yet | figures within |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for area in areas:
        counts = [area.count(verdict) for verdict in ("within", "outside", "not yet")]
        link = f"[{area.title}](#{anchor(area.title)})"
        lines.append(
            f"| {link} | {area.against} | {len(area.cases)} | {row(counts)} | {ratio(*area.figures)} |"
        )
    totals = [sum(area.count(verdict) for area in areas) for verdict in ("within", "outside", "not yet")]
    figures = [sum(pair) for pair in zip(*(area.figures for area in areas), strict=True)]
    lines.append(f"| **all** | | {sum(totals)} | {row(totals)} | {ratio(*figures)} |")
    return "\n".join(lines) + "\n"


def row(counts: Sequence[int]) -> str:
    """Numbers as cells."""
    return " | ".join(map(str, counts))


def ratio(within: int, total: int) -> str:
    """Returns a number as a share."""
    return f"{within} of {total} ({100 * within / total:.1f} %)" if total else ""


def anchor(title: str) -> str:
    """The target of a link to a heading."""
    return re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")


def outside(area: Area) -> str:
    """Cases outside with their figures and cause."""
    cases = [case for case in area.cases if case.verdict == "outside"]
    if not cases:
        return ""
    lines = [f"**{area.title}**\n"]
    for case in cases:
        figures = "; ".join(f"{figure.name} {shown(figure)}" for figure in case.outside)
        lines.append(f"* {case.name}: {figures}. {case.cause}" + (f" ({case.note})" if case.note else ""))
    return "\n".join(lines) + "\n"


def shown(figure: Figure) -> str:
    """Both numbers and their distance."""
    return f"{figure.theirs:.6g} there, {figure.ours:.6g} here ({figure.percent:+.1f} %)"


def missing(areas: Sequence[Area]) -> str:
    """Parts that are missing, with the number of cases that wait for them."""
    lines = ["| needs | cases | where |", "|---|--:|---|"]
    counts = Counter((case.missing, area.title) for area in areas for case in area.cases if case.missing)
    lines += [f"| {part} | {count} | {title} |" for (part, title), count in sorted(counts.items())]
    return "\n".join(lines) + "\n"


def area_section(area: Area) -> str:
    """One area: method, then a table of its cases."""
    names = list(dict.fromkeys(figure.name for case in area.cases for figure in case.figures))
    present = [case for case in area.cases if case.figures]
    lines = [f"## {area.title}\n", f"{area.method}\n"]
    if not present:
        return "\n".join([*lines, "None of its cases can be run yet.\n"])
    if len(names) > 8:
        return "\n".join([*lines, long_table(present)])
    lines += ["| case | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for case in present:
        by_name = {figure.name: figure for figure in case.figures}
        cells = [cell(by_name.get(name)) for name in names]
        lines.append(f"| {case.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def long_table(cases: Sequence[AgreementCase]) -> str:
    """One line a figure, where cases have too many or different ones for columns."""
    lines = ["| case | figure | there | here | difference | allowed |", "|---|---|--:|--:|--:|--:|"]
    for case in cases:
        for figure in case.figures:
            mark = "" if figure.within else " **outside**"
            numbers = f"{figure.theirs:.6g} | {figure.ours:.6g} | {figure.percent:+.2f} %{mark} | {figure.allowed:.3g}"
            lines.append(f"| {case.name} | {figure.name} | {numbers} |")
    return "\n".join(lines) + "\n"


def cell(figure: Figure | None) -> str:
    """Theirs, and how far ours is from it."""
    if figure is None:
        return ""
    if figure.theirs == figure.ours:
        return f"{figure.theirs:.6g} ="
    distance = f"{figure.percent:+.2f} %" if figure.theirs else f"{figure.ours:.4g}"
    text = f"{figure.theirs:.5g} {distance}"
    return text if figure.within else f"**{text}**"


def as_html(text: str) -> str:
    """The page as HTML that opens offline: only the Markdown that `markdown` writes."""
    body: list[str] = []
    rows: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            rows.append([part.strip() for part in line.strip("|").split(" | ")])
            continue
        if rows:
            body.append(table(rows))
            rows = []
        if match := re.match(r"(#+) (.*)", line):
            level = len(match[1])
            body.append(f'<h{level} id="{anchor(match[2])}">{inline(match[2])}</h{level}>')
        elif line.startswith("* "):
            body.append(f"<p>• {inline(line[2:])}</p>")
        elif line:
            body.append(f"<p>{inline(line)}</p>")
    return PAGE.format(body="\n".join(body))


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells; the second only rules the first off."""
    head, _, *rest = rows
    lines = ["<tr>" + "".join(f"<th>{inline(part)}</th>" for part in head) + "</tr>"]
    lines += [
        "<tr>" + "".join(f"<td>{inline(part.strip('|'))}</td>" for part in one) + "</tr>" for one in rest
    ]
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def inline(text: str) -> str:
    """Emphasis, code and links."""
    escaped = html.escape(text, quote=False)
    escaped = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escaped)
    escaped = re.sub(r"\*(.+?)\*", r"<i>\1</i>", escaped)
    escaped = re.sub(r"`(.+?)`", r"<code>\1</code>", escaped)
    return re.sub(r"\[(.+?)\]\((.+?)\)", r'<a href="\2">\1</a>', escaped)


PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Agreement</title>
<style>
body {{ font: 15px/1.45 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }}
td, th {{ border-bottom: 1px solid #ccc; padding: .2rem .6rem; text-align: left; white-space: nowrap; }}
td b {{ color: #a40; }}
</style>
{body}
</html>
"""
