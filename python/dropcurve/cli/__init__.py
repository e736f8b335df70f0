"""The command line: one thin file for each verb; here the exit codes of errors and of Ctrl-C.

Exit codes: 0 done, 1 the answer is invalid (a run hit a limit, running work was lost), 2 the input is invalid, 70 an
internal error, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from ..errors import DropcurveError, Problem, UsageError, failed

#: Exit code after Ctrl-C, as in shells.
INTERRUPTED = 130
#: Variable by which a shell asks for the completion of a line.
COMPLETE = "_DROPCURVE_COMPLETE"
#: Exit code of an internal error: EX_SOFTWARE of sysexits.h.
OURS = 70


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and exits with its code. Wrong input is one line per problem.

    Args:
        arguments: The arguments after the name of the program; those of the process if not given.

    Example:
        >>> main(["list", "metrics"])
    """
    from . import streams
    from .console import spell_out

    try:
        streams.own()
    except DropcurveError as error:
        sys.stderr.write(f"dropcurve: {error}\n")
        sys.exit(2)
    spell_out(sys.stdout, sys.stderr)
    if COMPLETE in os.environ:
        from .completion import print_words

        sys.exit(print_words(sys.argv[1:]))
    sys.exit(invoke(list(sys.argv[1:] if arguments is None else arguments)))


def invoke(arguments: list[str]) -> int:
    """Runs the command line and returns the exit code.

    Three options may stand anywhere before ``--``: ``--debug`` shows the traceback of an error instead
    of one line, ``--allow-files DIR`` lets scenarios name files there, ``--plugin FILE`` loads plug-ins
    from a file. What follows ``--`` is never an option: it may come from a stranger, as a file's name does.

    Args:
        arguments: The arguments after the name of the program.

    Returns:
        0 for success, 2 for wrong input, any other number as the verb documents it.

    Example:
        >>> invoke(["list", "metrics"])
    """
    from .streams import ReaderGone, leave
    from .unexpected import Unexpected

    end = arguments.index("--") if "--" in arguments else len(arguments)
    debug = "--debug" in arguments[:end]
    rest, allowed = _taken_out([one for one in arguments[:end] if one != "--debug"], "--allow-files")
    rest, plugins = _taken_out(rest, "--plugin")
    rest += arguments[end:]
    guard = Unexpected(arguments, debug=debug, code=OURS)
    code = OURS
    with guard, _allowing(allowed):
        try:
            code = _run(rest, debug=debug, plugins=plugins, allowed=allowed)
            sys.stdout.flush()
        except ReaderGone:
            leave()
            code = 0
    return code


def _allowing(folders: list[str]) -> AbstractContextManager[None]:
    """Lets scenarios name files in the folders; loads nothing where none is given."""
    if not folders:
        return nullcontext()
    from ..scenario import recordings

    return recordings.allowing(folders)


def _taken_out(arguments: list[str], name: str) -> tuple[list[str], list[str]]:
    """The arguments without an option that may stand anywhere, and its values."""
    rest: list[str] = []
    values: list[str] = []
    given = iter(arguments)
    for one in given:
        value = (
            next(given, None)
            if one == name
            else one.removeprefix(f"{name}=")
            if one.startswith(f"{name}=")
            else None
        )
        if value is None:
            rest.append(one)
        else:
            values.append(value)
    return rest, values


def _refuse_empty(name: str, values: Sequence[str]) -> None:
    """Raises UsageError if an option that may stand anywhere has an empty value."""
    if any(not one.strip() for one in values):
        raise UsageError(name, "", "is empty", f"give a value, or leave {name} out", shown="path")


def _run(
    arguments: list[str], *, debug: bool, plugins: Sequence[str] = (), allowed: Sequence[str] = ()
) -> int:
    """Runs the command line; errors that are expected become lines and a code."""
    from . import direct
    from .console import Interrupted
    from .streams import ReaderGone, leave
    from .unexpected import as_typed, report_problems

    try:
        _refuse_empty("--plugin", plugins)
        _refuse_empty("--allow-files", allowed)
        _load(plugins)
        code = _parsed(arguments) if (answered := direct.print_answer(arguments)) is None else answered
        sys.stdout.flush()
        # A command that the questions made has reported it already.
        if code == INTERRUPTED and arguments:
            report_problems(arguments, [_interrupted("interrupted")], code=INTERRUPTED)
        return code if isinstance(code, int) else 0
    except DropcurveError as error:
        if debug:
            raise
        typed = type(error).of(as_typed(error.problems, arguments), origin=error.origin)
        report_problems(arguments, typed.problems, typed.lines(), code=error.exit_code, origin=error.origin)
        return error.exit_code
    except Interrupted as interrupt:
        report_problems(arguments, [_interrupted(str(interrupt))], code=INTERRUPTED)
        return INTERRUPTED
    except KeyboardInterrupt:
        report_problems(arguments, [_interrupted("interrupted")], code=INTERRUPTED)
        return INTERRUPTED
    except SystemExit as left:
        # The parser of arguments exits this way when any pipe breaks, also one that is not our output.
        cause = left.__context__
        if isinstance(cause, ReaderGone):
            raise cause from None
        if isinstance(cause, OSError):
            report_problems(arguments, [_failed(cause)], code=1, printed=cause.filename != "standard output")
            return 1
        return left.code if isinstance(left.code, int) else 1
    except BrokenPipeError as error:
        report_problems(arguments, [_failed(error)], code=1)
        return 1
    except OSError as error:
        # A full disk, a folder that may not be written, a name that is too long.
        if debug:
            raise
        report_problems(arguments, [_failed(error)], code=2, printed=error.filename != "standard output")
        if error.filename == "standard output":
            leave()
    return 2


def _parsed(arguments: list[str]) -> Any:
    """Runs the verb that the parser of all verbs finds; misuse becomes a line and a code."""
    from . import verbs
    from .app import CommandError, app, describe_misuse
    from .defaults import by_verb, path
    from .unexpected import report_problems

    # Building every verb takes longer than most of them.
    known = by_verb(dict(verbs.options())) if path().is_file() else {}
    try:
        return app(arguments, prog_name="dropcurve", standalone_mode=False, default_map=known, obj=invoke)
    except CommandError as error:
        report_problems(arguments, [describe_misuse(error)], code=2)
        return 2


def _load(plugins: Sequence[str]) -> None:
    """Loads the files of plug-ins; loads nothing where none is given."""
    if plugins:
        from ..scenario import plugins as loader

        for path in plugins:
            loader.load(path)


def _failed(error: OSError) -> Problem:
    """An error of the operating system as a problem, with its path if it has one."""
    if isinstance(error, BrokenPipeError):
        rule = "a process that this command talked to has ended, and its work with it"
        return Problem("process", str(error.strerror or error), rule, "run the command again", shown="rule")
    problem = failed(error.filename or "", "", error, "name what you may read and write")
    return problem if error.filename else replace(problem, path="system", shown="rule")


def _interrupted(text: str) -> Problem:
    """Ctrl-C as a problem."""
    rule, _, remedy = text.partition("; ")
    return Problem("command", "Ctrl-C", rule, remedy or "the same command runs again", shown="rule")
