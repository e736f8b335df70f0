"""The command line's parser: options before the verb, the questions without one, and how misuse is described."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from ..errors import Problem
from ..present.visible import cut
from ..quantities import wording
from . import verbs

#: The exception Typer raises for wrong options and arguments, wherever its parser is.
CommandError: type[Exception] = typer.BadParameter.__mro__[2]
#: The one for an unknown option.
NO_SUCH_OPTION = "NoSuchOption"

app = typer.Typer(
    name="dropcurve",
    help="How should this queue drop or mark packets, and how do we know?",
    epilog="Start with: dropcurve list scenarios",
    cls=verbs.VerbGroup,
    **verbs.PLAIN,
)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version, the build and the engine, and exit.")
    ] = False,
    allow_files: Annotated[
        str | None,
        typer.Option(
            metavar="DIR", help="Folder whose files scenarios may name. Before or after the verb; repeatable."
        ),
    ] = None,
    plugin: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Python file or shared library with plug-ins. Before or after the verb; repeatable.",
        ),
    ] = None,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Print the traceback of an internal error. Before or after the verb."),
    ] = False,
) -> None:
    """How should this queue drop or mark packets, and how do we know?"""
    if version:
        from ..runs import engine, job
        from ..scenario import library

        print(f"dropcurve {library.version()} (build {job.build()}, engine {engine.chosen()})")
    elif context.invoked_subcommand is None:
        if len(sys.argv) == 1 and sys.stdin.isatty() and sys.stdout.isatty():
            raise typer.Exit(_asked(context.obj))
        print(context.get_help())
        if len(sys.argv) > 1:
            raise typer.Exit(2)


def _asked(invoke: Callable[[list[str]], int]) -> int:
    """Asks five questions, prints the command that they make, and returns its exit code if it is to run."""
    from . import console, wizard

    def ask(question: str, default: str) -> str:
        answer: str = typer.prompt(question, default=default, show_default=bool(default))
        return answer

    try:
        line, words = wizard.questions(ask)
        print(f"\n  {line}\n")
        run = typer.confirm("Run it?", default=True)
    except typer.Abort:
        # Ctrl-C, or the end of the input; the question stands in front of the cursor.
        print()
        raise console.Interrupted("interrupted; nothing was run") from None
    return invoke(words) if run else 0


WRONG_NUMBER = re.compile(r"Input should be a valid (integer|number).*")
NUMBERS = {"integer": "must be a whole number", "number": "must be a number"}

#: Click's sentence about arguments that a verb does not take.
EXTRA = re.compile(r"Got unexpected extra argument(?:s|\(s\))? \((.*)\)$")


def describe_misuse(error: Exception) -> Problem:
    """Misuse of options or arguments as a problem."""
    message = getattr(error, "format_message", lambda: str(error))()
    context = getattr(error, "ctx", None)
    verb = context.command_path if context is not None else "dropcurve"
    text = " ".join(str(message).split()).rstrip(".").replace("Value error, ", "")
    # Words of the user, which have any length.
    text = re.sub(r"\S{200,}|(?<=\()[^()]{200,}", lambda match: cut(match[0]), text)
    text = WRONG_NUMBER.sub(lambda match: NUMBERS[match[1]], text)
    # Click puts the name and the value into its sentence, and appends the nearest name.
    rule, _, near = re.sub(
        r"[;.]? \(?(?:[Dd]id you mean |Possible options: )",
        "\0",
        EXTRA.sub(r"unexpected argument '\1'", text),
    ).partition("\0")
    named = re.search(r"'([^']*)'", rule)
    option = getattr(error, "option_name", None) or getattr(getattr(error, "param", None), "opts", [None])[-1]
    path = option or (named[1] if named else verb)
    quoted = re.search(r"'([^']*)' (?:is not|does not)|\(([^)]*)\)|: '?([^']+)'?$", rule)
    value = next((one for one in quoted.groups() if one), "") if quoted else ""
    if type(error).__name__ == NO_SUCH_OPTION:
        near, others = _meant(str(path), context)
        rule = f"No such option here: {path}" if others else rule
        hint = f"{others}; " if others else ""
    else:
        hint = ""
    hint += f"did you mean {near.rstrip('?)')}? see `{verb} --help`" if near else f"see `{verb} --help`"
    return Problem(str(path), value, rule.rstrip("."), hint, shown="rule")


#: Other words for what an option says, with the options that say it.
MEANT = {
    "--time": ("--duration",), "--duration": ("--time",), "--discipline": ("--queue",),
    "--bandwidth": ("--rate",), "--speed": ("--rate",), "--delay": ("--rtt",), "--runs": ("--replications",),
    "--reps": ("--replications",), "--box": ("--for", "--from"), "--output": ("--out", "--write"),
    "--threads": ("--jobs",), "--limit": ("--buffer",),
}  # fmt: skip
#: Likeness of two names from which one is a misprint of the other.
ALIKE = 0.7


def _meant(name: str, context: Any) -> tuple[str, str]:
    """The option of a verb that an unknown one stands for, "" if there is none; then the verbs that have it."""
    offered = [
        opt for one in getattr(context.command, "params", ()) for opt in one.opts if opt.startswith("--")
    ]
    meant = next((one for one in MEANT.get(name, ()) if one in offered), "")
    bare = {one.lstrip("-"): one for one in offered}
    near = difflib.get_close_matches(name.lstrip("-"), bare, n=1, cutoff=ALIKE)
    if meant or near:
        return meant or bare[near[0]], ""
    key = {"--for": "for_", "--from": "box"}.get(name, name.lstrip("-").replace("-", "_"))
    others = [verb for verb, options in verbs.options() if key in options]
    if not others:
        return "", ""
    has = "has" if len(others) == 1 else "have"
    return "", f"{wording.listed([f'`{one}`' for one in others])} {has} it"
