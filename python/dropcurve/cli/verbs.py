"""The verbs: each is imported when it is called, so that `dropcurve --help` loads none of them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import typer

from ..errors import DropcurveError, UsageError

#: Keywords of every parser: text without markup, no tracebacks of its own.
PLAIN: dict[str, Any] = {
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "add_completion": False,
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": 100},
}


@dataclass(frozen=True)
class Verb:
    """A verb of the command line.

    Attributes:
        module: Its module in this folder.
        help: The first line of its help.
        simulates: Whether it takes ``--engine``.
        function: Its function, if that has another name than the verb.
    """

    module: str
    help: str
    simulates: bool = False
    function: str = ""


#: Every verb by name, in the order of the help.
VERBS = {
    "fix": Verb("fix", "Find better queues for a router's configuration and write the changed text.", True),
    "tune": Verb("tune", "Find the right queue for a link: discipline, parameters, reasons, configuration.", True),
    "compare": Verb("compare", "Compare disciplines, settings or scenarios.", True),
    "advise": Verb("advise", "Compute starting designs for a link from published formulas."),
    "evaluate": Verb("evaluate", "Grade a discipline by the tests of RFC 7928.", True),
    "stress": Verb("stress", "Find the traffic that harms a discipline most, as a minimal scenario.", True),
    "import": Verb("import_", "Read a router's configuration as a discipline, and judge it.", True, "import_"),
    "export": Verb("export", "Write a discipline as a router's configuration.", True),
    "run": Verb("run", "Run one scenario several times and print means with intervals.", True),
    "sweep": Verb("sweep", "Run one scenario at many settings and store every run in a table.", True),
    "query": Verb("sweep", "Query the runs of a sweep with SQL.", False, "query"),
    "trace": Verb("trace", "Record every packet of one run, for reading or for Wireshark.", True),
    "assert": Verb("assert_", "Check statements about a scenario, with an exit code for pipelines.", True, "assert_"),
    "reproduce": Verb("reproduce", "Repeat published studies and judge each of their claims.", True),
    "model": Verb("model", "Compute throughput from loss and round-trip time, or the reverse, by published models."),
    "live": Verb("live", "Run the same queue on real packets: lab, check, run, set, stats, replay, clean."),
    "plot": Verb("plot", "Draw the figures of a stored result or sweep, or one of them."),
    "report": Verb("report", "Write the page of a stored result or sweep; it opens offline."),
    "show": Verb("show", "Print the table of a stored result or sweep, or its scenarios."),
    "check": Verb("check", "Verify the files of a folder against their checksums."),
    "studio": Verb("studio", "Open the simulator and the results of a folder in a browser."),
    "mcp": Verb(
        "mcp", "Serve the verbs as tools for agents, over standard input and output (Model Context Protocol)."
    ),
    "agree": Verb("agree", "Show how well recorded runs of Linux and ns-3 cover a queue and a sender."),
    "new": Verb("new", "Begin a discipline of your own: a Python file or a Rust crate."),
    "conformance": Verb("conformance", "Check a discipline, control, source or metric against the rules of its kind."),
    "list": Verb("listing", "List disciplines, dialects, scenarios, metrics and so on.", False, "list_"),
    "describe": Verb("describe", "Describe one thing and its parameters."),
    "completion": Verb("completion", "Print a completion script for bash, zsh or fish."),
    "man": Verb("man", "Write the manual pages."),
    "schema": Verb("schema", "Print the JSON Schema of scenario files."),
}  # fmt: skip

#: Former names of verbs, which still call them.
FORMER = {"exam": "conformance"}

#: Options by subject, in the order of the help; all others are the verb's own and come first.
GROUPS = {
    "Link and traffic": (
        "link", "rate", "rtt", "flows", "buffer", "packet", "short", "udp", "tcp", "ecn", "ranges", "changes",
    ),
    "Goal and verdict": ("goal", "exchange", "robust", "within", "margin", "until", "for_"),
    "Runs": (
        "duration", "seed", "replications", "precision", "on", "maximum", "runs", "time", "jobs", "cluster",
        "cluster_tls", "cluster_insecure", "engine",
    ),
    "Output": (
        "out", "write", "force", "digest", "store", "cache", "per", "metric", "json", "quiet", "no_report", "help",
    ),
}  # fmt: skip
#: The title of a verb's own options.
OWN = "Options"


class VerbCommand(typer.core.TyperCommand):
    """A command that refuses empty values, and whose help groups its options by `GROUPS`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses the arguments. Raises UsageError for the first that is empty, since it would silently mean the
        default."""
        given, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        for param in self.get_params(ctx):
            name = param.name or ""
            value = given.get(name)
            if value is None and ctx.default_map:
                value = ctx.default_map.get(name)
            values = value if isinstance(value, (list, tuple)) else [value]
            if any(isinstance(one, str) and not one.strip() for one in values):
                raise _empty(param)
            if given.get(name) is None and param.param_type_name == "option":
                module("defaults").check(param, value)
        options: list[str] = super().parse_args(ctx, args)
        return options

    def invoke(self, ctx: Any) -> Any:
        """Runs the verb; errors about a default name its place."""
        try:
            return super().invoke(ctx)
        except DropcurveError as error:
            raise module("defaults").placed(error, ctx) from error

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes the sections of arguments and options."""
        sections: dict[str, list[tuple[str, str]]] = {
            "Arguments": [],
            OWN: [],
            **{name: [] for name in GROUPS},
        }
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                sections[_section(param)].append(record)
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class VerbGroup(typer.core.TyperGroup):
    """The group of all verbs, which imports a verb on first use."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of the verbs."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a verb, also by its former name; None if there is none."""
        name = FORMER.get(cmd_name, cmd_name)
        return command(name) if name in VERBS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of the arguments; an unknown verb is refused with the nearest name."""
        if args and args[0] not in {*VERBS, *FORMER} and not args[0].startswith("-"):
            near = get_close_matches(args[0], VERBS, n=1, cutoff=0.5)
            hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(VERBS)}"
            ctx.fail(f"no verb is called '{args[0]}'; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the table of verbs, from which none is imported."""
        with formatter.section("Verbs"):
            formatter.write_dl([(name, one.help) for name, one in VERBS.items()])


class Subcommands(typer.core.TyperGroup):
    """A verb with commands of its own, whose help shows the whole first sentence of each."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the table of commands."""
        rows = [
            (name, " ".join((one.help or "").split("\n\n")[0].split())) for name, one in self.commands.items()
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def module(name: str) -> Any:
    """A module of the command line, imported now."""
    return importlib.import_module(f".{name}", __package__)


def answer(name: str) -> Callable[..., int]:
    """The function ``print_answer`` of a module of the command line, imported now; it returns the exit code."""
    function: Callable[..., int] = module(name).print_answer
    return function


def command(name: str) -> Any:
    """The command of a verb, imported now. Raises KeyError for an unknown name."""
    from .engine import with_engine

    verb = VERBS[name]
    loaded = module(verb.module)
    if isinstance(group := getattr(loaded, "app", None), typer.Typer):
        return typer.main.get_command(group)
    function = getattr(loaded, verb.function or name)
    parser = typer.Typer(**PLAIN)
    parser.command(name, cls=VerbCommand)(with_engine(function) if verb.simulates else function)
    return typer.main.get_command(parser)


def options() -> Iterator[tuple[str, frozenset[str]]]:
    """Each verb with the names of its options; imports all of them."""
    for name in VERBS:
        click_command = command(name)
        yield name, frozenset(one.name for one in click_command.params if one.param_type_name == "option")


def _empty(param: Any) -> UsageError:
    """The refusal of an option or argument whose value is empty."""
    placeholder = param.metavar or param.name.upper()
    if param.param_type_name == "argument":
        return UsageError(placeholder, "", "is empty", f"give a value for {placeholder}", shown="path")
    name = param.opts[0]
    remedy = (
        f"give a value for {name}" if param.required else f"give a value, or leave {name} out for its default"
    )
    return UsageError(name, "", "is empty", remedy, shown="path")


def _section(param: Any) -> str:
    if param.param_type_name == "argument":
        return "Arguments"
    return next((title for title, names in GROUPS.items() if param.name in names), OWN)
