"""The command line: one thin file for each verb, and here what they share: how errors and Ctrl-C end.

Exit codes: 0 done, 1 the answer is no good (a run hit a limit), 2 the input is, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

#: Exit code after Ctrl-C, as shells have it.
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and exits with its code. Wrong input is told in one line per problem."""
    from .console import spell_out

    spell_out(sys.stdout, sys.stderr)
    sys.exit(invoke(list(sys.argv[1:] if arguments is None else arguments)))


def invoke(arguments: list[str]) -> int:
    """Runs the command line and returns the exit code."""
    from ..errors import DropcurveError, ScenarioError
    from .app import CommandError, app, describe_misuse
    from .console import Interrupted, say

    try:
        code = app(arguments, prog_name="dropcurve", standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:
            say("dropcurve: interrupted")
        return code if isinstance(code, int) else 0
    except ScenarioError as error:
        for line in error.lines():
            say(f"dropcurve: {line}")
    except DropcurveError as error:
        say("\n".join(f"dropcurve: {line}" for line in str(error).splitlines()))
    except CommandError as error:
        say(f"dropcurve: {describe_misuse(error)}")
    except Interrupted as interrupt:
        say(f"dropcurve: {interrupt}")
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):
        # Whoever read our output has gone (the parser of arguments leaves when it notices); let the interpreter not
        # complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        # A full disk, a folder that may not be written, a name that is too long.
        where = f"{error.filename}: " if error.filename else ""
        say(f"dropcurve: {where}{error.strerror or error}")
    return 2
