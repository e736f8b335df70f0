"""Renders a study: a page in Markdown with its figures, the same in HTML, and the numbers as a table."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from ..files import checksums
from ..files.writing import write_bytes, write_text
from ..plot import style
from ..present import intervals
from ..present.wrapping import wrap_markdown
from ..quantities import wording
from ..scenario import library
from . import printed_values, web
from .blocks import Block, FigureBlock, Heading, Table, Text
from .claims import FAILS, HOLDS, OPEN, UNASKED
from .data import CONFIDENCE, record, write_numbers
from .effects import Effect
from .study import OPEN_TIMES, Outcome, Page, Setting

#: Signs of verdicts in tables.
SIGNS = {HOLDS: "✓", FAILS: "✗", OPEN: "?", UNASKED: "–"}
PLURAL = {HOLDS: "hold", FAILS: "do not hold", OPEN: OPEN}


def write(outcome: Outcome, folder: str | Path, *, figures: str = "figures", html: bool = True) -> list[Path]:
    """Writes the pages of a study into a folder.

    They are ``NAME.md``, its figures as SVG, ``NAME.html``, ``NAME.csv`` (every number of every cell) and
    ``NAME.json`` (the verdicts).

    Args:
        outcome: The outcome of `reproduce`.
        folder: The folder.
        figures: Its folder for the figures.
        html: Whether to write the HTML page.

    Returns:
        The files.

    Example:
        >>> write(outcome, "docs/studies")
    """
    folder = Path(folder)
    (folder / figures).mkdir(parents=True, exist_ok=True)
    name = outcome.study.name
    # A figure of one width is drawn once, for its file and for the page.
    blocks = [
        replace(one, draw=cache(one.draw)) if isinstance(one, FigureBlock) else one
        for one in compose(outcome)
    ]
    files = [_write(folder / f"{name}.md", wrap_markdown(markdown(outcome, blocks, figures)))]
    for figure in (block for block in blocks if isinstance(block, FigureBlock)):
        with style.styled():
            svg = style.to_bytes(figure.draw(style.PAGE_IN), format="svg")
        files.append(folder / figures / f"{name}-{figure.name}.svg")
        write_bytes(files[-1], svg)
    if html:
        files.append(_write(folder / f"{name}.html", web.render(outcome, blocks)))
    files.append(write_numbers(outcome, folder / f"{name}.csv"))
    files.append(
        _write(folder / f"{name}.json", json.dumps(record(outcome), indent=1, ensure_ascii=False) + "\n")
    )
    checksums.add(folder, files)
    return files


def _informed(claims: Sequence[str]) -> str:
    have = "has" if len(claims) == 1 else "have"
    return (
        f"{wording.listed(claims)} {have} tests that were stated after results of an earlier run had been read: their "
        "verdicts are not those of blind tests."
    )


def compose(outcome: Outcome) -> Iterator[Block]:
    """The page in its order; the title comes before it."""
    page = outcome.study.page(outcome)
    yield Text(f"After {outcome.study.source}.")
    yield Text(f"**Question.** {outcome.study.question}")
    if page.paper:
        yield Text(f"**The paper.** {page.paper}")
    yield Text(f"**Result.** {_tally(outcome)} {page.short[0]}")
    yield from map(Text, page.short[1:])
    if outcome.quick:
        yield Text(
            "**This is the quick form**: short runs, few replications. Its numbers are not to be quoted."
        )
    yield Heading("Verdicts")
    yield Text(
        "Each test was stated before the run, with its margin. A claim holds if the whole interval of its estimate "
        "lies where the claim says, does not hold if none of it does, and cannot be decided otherwise. A claim of "
        "several tests needs all of them; its intervals are widened so that a verdict is wrong in at most one case "
        "of twenty."
    )
    if outcome.study.informed:
        yield Text(_informed(outcome.study.informed))
    yield verdicts(outcome)
    yield from _open(outcome)
    yield Heading("How it was done")
    yield from _method(outcome, page)
    if page.explained:
        yield Heading("The paper's figures and tables")
        yield from page.explained
    yield Heading("Tables and figures")
    if outcome.study.printed_values is not None:
        yield from printed_values.summary(outcome.compared())
    yield from page.results
    if len(outcome.findings) > 1:
        yield Heading("Where a verdict depends on a choice")
        yield from choices(outcome)
        yield from page.sensitivity
    for title, part in (
        ("Does it still hold today?", page.today),
        ("What the paper does not ask", page.questions),
    ):
        if part:
            yield Heading(title)
            yield from part
    if page.surprises:
        yield Heading("What surprised")
        yield from map(Text, page.surprises)
    yield Heading("To repeat it")
    yield Text(
        f"`dropcurve reproduce {outcome.study.name}{' --quick' if outcome.quick else ''}` repeats all of this: "
        f"{outcome.runs} runs. {_precision(outcome)} The study is one file, `python/dropcurve/studies/"
        f"{outcome.study.name.replace('-', '_')}.py`, made to be copied. dropcurve {library.version()}."
    )


def _tally(outcome: Outcome) -> str:
    counts = {verdict: outcome.count(verdict) for verdict in (HOLDS, FAILS, OPEN)}
    words = [f"{n} {verdict if n == 1 else PLURAL[verdict]}" for verdict, n in counts.items() if n]
    return f"Of its {wording.count(outcome.asked, 'claim')}, {', '.join(words)}."


def verdicts(outcome: Outcome) -> Table:
    """Table with a row for each test; the first row of a claim has its text and verdict."""
    rows = []
    for finding in outcome.findings[outcome.main]:
        claim = f"**{finding.claim.key}** {finding.claim.text} ({finding.claim.place})"
        verdict = f"**{finding.verdict}{': a tie' if finding.tied else ''}**"
        for part in finding.parts:
            rule, estimate = (text.replace(" ", "\u00a0") for text in (part.rule, part.estimate))
            rows.append([claim, part.label, rule, estimate, str(part.n), SIGNS[part.verdict], verdict])
            claim = verdict = ""
        if not finding.parts:
            rows.append([claim, "", "", "", "", SIGNS[UNASKED], "not asked"])
    return Table(["claim", "estimated", "holds if", "found", "n", "row", "verdict"], rows, words=3)


def _open(outcome: Outcome) -> Iterator[Text]:
    """Names the test because of which a claim is undecided or fails by a tie."""
    for finding in outcome.findings[outcome.main]:
        for part in finding.parts:
            if finding.tied and part.tied:
                yield Text(
                    f"**{finding.claim.key}** is a tie: {part.label} is {part.estimate}, less than the margin "
                    f"({part.rule}) in either direction. What the claim puts first is as good here, not better."
                )
            if finding.verdict == OPEN and part.verdict == OPEN and part.constant:
                yield Text(
                    f"**{finding.claim.key}** cannot be decided: {part.label} is {part.estimate} in each of {part.n} "
                    "replications, and equal replications give no interval."
                )
            elif finding.verdict == OPEN and part.verdict == OPEN:
                yield Text(
                    f"**{finding.claim.key}** cannot be decided after {part.n} runs of each cell: {part.label} is "
                    f"{part.estimate}, an interval that reaches over the margin ({part.rule})."
                )


def choices(outcome: Outcome) -> Iterator[Block]:
    """Claims against settings, and in words where each holds."""
    yield Text("✓ holds, ✗ does not, = does not because of a tie, ? cannot be decided, – not asked.")
    rows = [
        [
            f"`{name}`",
            outcome.study.settings[name].about,
            *("=" if one.tied else SIGNS[one.verdict] for one in findings),
        ]
        for name, findings in outcome.findings.items()
    ]
    keys = [claim.key for claim in outcome.study.claims]
    yield Table(["setting", "what it is", *keys], rows, words=2)
    for claim in outcome.study.claims:
        yield Text(f"**{claim.key}** ({claim.text}): {_where(outcome, claim.key)}.")


def _where(outcome: Outcome, key: str) -> str:
    """Settings in which a claim holds, and those in which it does not."""
    settings_of: dict[str, list[str]] = {HOLDS: [], FAILS: [], OPEN: []}
    for name in outcome.findings:
        if (verdict := outcome.verdict(key, name)) in settings_of:
            settings_of[verdict].append(f"`{name}`")
    if len([names for names in settings_of.values() if names]) == 1:
        return f"{next(verdict for verdict, names in settings_of.items() if names)} in any of them"
    return "; ".join(f"{verdict} in {_listing(names)}" for verdict, names in settings_of.items() if names)


def _method(outcome: Outcome, page: Page) -> Iterator[Block]:
    yield Table(["what", "in the paper", "here"], [list(row) for row in page.choices], words=3)
    if outcome.plan.precision is not None:
        yield Text(_replications(outcome))
        yield Text(
            "Intervals are at 95 %; cells that are compared share their random numbers. Near zero the relative "
            "width of a difference means nothing: there the interval itself shows how much is known."
        )


def _replications(outcome: Outcome) -> str:
    """How often a cell runs, in words."""
    plan, study = outcome.plan, outcome.study
    settings = {name: study.settings[name] for name in outcome.cells}
    wanted = [
        f"`{name}`{f' (or ± {tolerance:g})' if tolerance else ''}"
        for name, tolerance in plan.tolerance.items()
    ]
    own = [
        f"± {width:g} for `{number}` in `{name}`"
        for name, one in settings.items()
        for number, width in (one.tolerance or {}).items()
        if width not in (0, plan.tolerance.get(number))
    ]
    sentences = [
        f"Every cell runs {plan.first} times{_exceptions(settings, 'first')}, with seeds from 1 on, and then until the "
        f"interval of {_listing(wanted)} is within {wording.percent(plan.precision or 0)} of its mean, at most "
        f"{plan.maximum} times{_exceptions(settings, 'maximum', study.maximum_unprinted)}.",
        f"The stated width is {_listing(own)}." if own else "",
        study.floor,
    ]
    if study.decide:
        rest = min(study.decide, OPEN_TIMES * study.maximum_unprinted) if study.maximum_unprinted else None
        sentences.append(
            "An undecided claim adds runs to the cells it depends on, half as many again each time, to at most "
            f"{study.decide}{_exceptions(settings, 'decide', rest)}; the chance of a wrong "
            "verdict is split over these tests."
        )
    return " ".join(filter(None, sentences))


def _exceptions(settings: Mapping[str, Setting], name: str, rest: int | None = None) -> str:
    """Settings with a number of their own, in brackets; ``rest``: the number of settings with verdicts alone."""
    by_number: dict[int, list[str]] = {}
    for setting, one in settings.items():
        if (own := getattr(one, name)) is not None:
            by_number.setdefault(own, []).append(f"`{setting}`")
    words = [f"{number} in {_listing(names)}" for number, names in sorted(by_number.items())]
    words += [f"{rest} where only verdicts are printed"] if rest else []
    return f" ({'; '.join(words)})" if words else ""


def _listing(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _precision(outcome: Outcome) -> str:
    """Sentences on how many cells reach the precision, and on the others with the reason."""
    if outcome.plan.precision is None:
        return ""
    settings = outcome.study.settings
    cells = sum(len(cells) for name, cells in outcome.cells.items() if settings[name].printed)
    requested = wording.percent(outcome.plan.precision)
    wide, loose = outcome.imprecise(floors=False), outcome.imprecise(floors=True)
    if not wide:
        return f"All {cells} cells of the tables and figures are known within {requested}."
    text = f"{cells - len(wide)} of {cells} cells of the tables and figures are known within {requested}."
    if small := {place: widths for place, widths in wide.items() if place not in loose}:
        listed = _listing(_named(small))
        text += f" Others are within the stated width, which is more than {requested} of their small means: {listed}."
    if loose:
        text += f" Wider than that after the most runs: {_listing(_named(loose))}."
    return text


def _named(named: Mapping[tuple[str, str], Mapping[str, float]]) -> list[str]:
    """Cells by setting and number, with the widest of their intervals."""
    groups: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for (setting, cell), widths in named.items():
        for number, width in widths.items():
            groups.setdefault((setting, number), []).append((cell, width))
    return [
        f"`{number}` of {_listing([cell for cell, _ in cells]) if len(cells) <= 3 else f'{len(cells)} cells'} in "
        f"`{setting}` (± {_share(max(width for _, width in cells))} %)"
        for (setting, number), cells in groups.items()
    ]


def _share(width: float) -> str:
    percent = 100 * width
    return f"{percent:.1f}" if percent < 10 else f"{percent:.0f}"


def shown(effect: Effect, *, scale: float = 1.0, unit: str = "") -> str:
    """Returns an effect as text for a table: ``12.3 ± 0.4``.

    Args:
        effect: The effect.
        scale: Factor of the value.
        unit: Unit behind the number.

    Returns:
        The text; "–" for an effect without a value.

    Example:
        >>> text = shown(effect, scale=1e-6, unit="Mbit/s")
    """
    if math.isnan(effect.value):
        return "–"
    half = effect.half_width(CONFIDENCE) * scale
    centre, width = wording.value(effect.value * scale, half if math.isfinite(half) else None)
    return f"{intervals.interval(centre, width)} {unit}".rstrip()


def markdown(outcome: Outcome, blocks: Sequence[Block], figures: str) -> str:
    """The page as Markdown."""
    parts = [f"# {outcome.study.title}"]
    for block in blocks:
        match block:
            case Heading(text):
                parts.append(f"## {text}")
            case Text(text):
                parts.append(text)
            case Table():
                parts.append(_table(block))
            case FigureBlock(name, title, see, _):
                parts.append(f"![{title}]({figures}/{outcome.study.name}-{name}.svg)\n\n*{title}.* {see}")
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> str:
    rule = ["---" if i < table.words else "--:" for i in range(len(table.head))]
    rows = [table.head, rule, *table.rows]
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([f"**{table.caption}**\n"] * bool(table.caption) + lines)


def text(outcome: Outcome, *, width: int = 100) -> str:
    """Returns the verdicts for a terminal: one line for each claim, with its tests below.

    Args:
        outcome: The outcome of `reproduce`.
        width: Columns of the terminal.

    Returns:
        The lines.

    Example:
        >>> print(text(outcome))
    """
    lines = [outcome.study.title, _tally(outcome), ""]
    for finding in outcome.findings[outcome.main]:
        verdict = f"{finding.verdict} (a tie)" if finding.tied else finding.verdict
        lines.append(f"{SIGNS[finding.verdict]} {finding.claim.key} {verdict}: {finding.claim.text}")
        lines += [
            f"    {part.label}: {part.estimate} (n = {part.n}; holds if {part.rule})"
            for part in finding.parts
        ]
    return "\n".join(
        piece for line in lines for piece in (textwrap.wrap(line, width, subsequent_indent="      ") or [""])
    )


def _write(path: Path, text: str) -> Path:
    write_text(path, text)
    return path
