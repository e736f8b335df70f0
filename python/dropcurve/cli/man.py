"""dropcurve man: manual pages, made from the help of the verbs."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from . import options as o

Verbs = Annotated[
    list[str] | None, typer.Argument(metavar="[VERB]...", help="Verbs (default: all, and the overview).")
]


def man(
    verb: Verbs = None,
    out: Annotated[Path | None, o.shared("out", "default: one page, to standard output")] = None,
) -> int:
    """Write the manual pages.

    With --out each page becomes a file of that folder, for `man`; without it the one page asked for is printed.

    \b
    Examples:
      dropcurve man tune | man -l -
      dropcurve man --out ~/.local/share/man/man1
    """
    from ..errors import UsageError, nearest
    from ..files.writing import write_text
    from .verbs import VERBS

    for name in verb or []:
        if name not in VERBS:
            raise UsageError(
                "verb",
                name,
                f"no verb is called '{name}'",
                nearest(name, VERBS, otherwise="see `dropcurve --help`"),
                shown="rule",
            )
    if out is None:
        if len(verb or []) > 1:
            raise UsageError(
                "--out",
                "",
                "several pages need --out FOLDER",
                "give it, or name one verb, whose page is printed",
                shown="rule",
            )
        print(page(verb[0] if verb else ""))
        return 0
    out.mkdir(parents=True, exist_ok=True)
    for name in verb or ["", *VERBS]:
        file = out / f"{'-'.join(filter(None, ('dropcurve', name)))}.1"
        write_text(file, page(name) + "\n")
        print(file)
    return 0


def page(verb: str) -> str:
    """The page of a verb, or of the command for "", in the macros of man(7)."""
    from ..scenario import library
    from .app import app
    from .verbs import VERBS, command

    documented = command(verb) if verb else typer.main.get_command(app)
    name = "-".join(filter(None, ("dropcurve", verb)))
    context = documented.make_context(f"dropcurve {verb}".strip(), [], resilient_parsing=True)
    first, *rest = _paragraphs(documented.help or "")
    lines = [
        f'.TH "{_escaped(name.upper())}" "1" "" "dropcurve {library.version()}" "dropcurve"',
        ".SH NAME",
        f"{_escaped(name)} \\- {_escaped(' '.join(first).rstrip('.'))}",
        ".SH SYNOPSIS",
        _escaped(" ".join([context.command_path, *documented.collect_usage_pieces(context)])),
    ]
    if rest:
        lines += [".SH DESCRIPTION", *_text(rest)]
    lines += _parameters(documented, context)
    if not verb:
        lines += [".SH VERBS"]
        for one, known in VERBS.items():
            lines += _item(f"dropcurve-{one}(1)", known.help)
    else:
        own = getattr(documented, "commands", {})
        lines += [".SH VERBS"] if own else []
        for one, known in own.items():
            lines += _item(one, " ".join(_paragraphs(known.help or "")[0]))
        lines += [".SH SEE ALSO", "dropcurve(1)"]
    return "\n".join(lines)


def _paragraphs(text: str) -> list[list[str]]:
    """Paragraphs as lists of lines; one that begins with a backspace keeps its lines, as in Click."""
    return [part.splitlines() for part in inspect.cleandoc(text).split("\n\n") if part.strip()]


def _text(paragraphs: Sequence[Sequence[str]]) -> Iterator[str]:
    for lines in paragraphs:
        if lines[0].strip() == "\b":
            yield from (".PP", ".nf", *map(_escaped, lines[1:]), ".fi")
        else:
            yield from (".PP", _escaped(" ".join(line.strip() for line in lines)))


def _parameters(documented: Any, context: Any) -> Iterator[str]:
    """Arguments and options as items, in the order of the help."""
    records: dict[str, list[tuple[str, str]]] = {"ARGUMENTS": [], "OPTIONS": []}
    for one in documented.get_params(context):
        record = one.get_help_record(context)
        if record is not None:
            records["ARGUMENTS" if one.param_type_name == "argument" else "OPTIONS"].append(record)
    for title, rows in records.items():
        if rows:
            yield f".SH {title}"
            for names, text in rows:
                yield from _item(names, text)


def _item(term: str, text: str) -> tuple[str, ...]:
    return (".TP", f"\\fB{_escaped(term)}\\fR", _escaped(text))


def _escaped(text: str) -> str:
    """Text escaped for roff: no control line, literal backslashes and hyphens."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain[:1] in (".", "'") else plain
