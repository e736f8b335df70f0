"""The verbs, registered with Typer; each is imported when it is called for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from . import (
    advise,
    assert_,
    check,
    compare,
    describe,
    evaluate,
    export,
    fix,
    import_,
    listing,
    live,
    mcp,
    model,
    plot,
    report,
    reproduce,
    run,
    schema,
    show,
    sweep,
    tune,
    wizard,
)
from .engine import with_engine

#: What Typer raises for wrong options and arguments, wherever it keeps its parser.
CommandError: type[Exception] = typer.BadParameter.__mro__[2]

app = typer.Typer(
    name="dropcurve",
    help="How should this queue drop or mark packets, and how do we know?",
    epilog="Start with: dropcurve list scenarios",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

app.command("advise")(advise.advise)
app.command("model")(model.model)
app.command("tune")(with_engine(tune.tune))
app.command("run")(with_engine(run.run))
app.command("compare")(with_engine(compare.compare))
app.command("assert")(with_engine(assert_.assert_))
app.command("sweep")(with_engine(sweep.sweep))
app.command("query")(sweep.query)
app.command("check")(check.check)
app.command("show")(show.show)
app.command("plot")(plot.plot)
app.command("report")(report.report)
app.command("reproduce")(with_engine(reproduce.reproduce))
app.command("evaluate")(with_engine(evaluate.evaluate))
app.command("fix")(with_engine(fix.fix))
app.command("export")(export.export)
app.command("import")(with_engine(import_.import_))
app.command("mcp")(mcp.mcp)
app.command("list")(listing.list_)
app.command("describe")(describe.describe)
app.command("schema")(schema.schema)
app.add_typer(live.app)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
    allow_files: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="A folder whose files scenarios may name. Anywhere, repeatable."),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error came from. Anywhere.")] = False,
) -> None:
    """How should this queue drop or mark packets, and how do we know?"""
    if version:
        from ..scenario import library

        print(library.version())
    elif context.invoked_subcommand is None:
        if len(sys.argv) == 1 and sys.stdin.isatty() and sys.stdout.isatty():
            raise typer.Exit(_asked(context.obj))
        print(context.get_help())
        if len(sys.argv) > 1:
            raise typer.Exit(2)


def options_by_verb() -> dict[str, frozenset[str]]:
    """The names of the options of each verb, for defaults from a file."""
    commands = getattr(typer.main.get_command(app), "commands", {})
    return {
        name: frozenset(option.name for option in command.params if option.param_type_name == "option")
        for name, command in commands.items()
    }


def _asked(invoke: Callable[[list[str]], int]) -> int:
    """Asks five questions, prints the command that they make, and returns its exit code if it is to run."""

    def ask(question: str, default: str) -> str:
        answer: str = typer.prompt(question, default=default, show_default=bool(default))
        return answer

    line, words = wizard.questions(ask)
    print(f"\n  {line}\n")
    return invoke(words) if typer.confirm("Run it?", default=True) else 0


def describe_misuse(error: Exception) -> str:
    """What is wrong with options or arguments, in one line with a remedy."""
    message = getattr(error, "format_message", lambda: str(error))()
    context = getattr(error, "ctx", None)
    verb = context.command_path if context is not None else "dropcurve"
    text = " ".join(str(message).split()).rstrip(".")
    return f"{text}{' ' if text.endswith('?') else '; '}`{verb} --help` shows what there is"
