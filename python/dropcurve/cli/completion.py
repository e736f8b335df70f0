"""dropcurve completion: the completion of commands in a shell."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class Shell(StrEnum):
    """Shells whose completion is known."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


def completion(shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")]) -> int:
    """Print a completion script for bash, zsh or fish.

    Append it to a file that the shell reads when it starts. The shell then completes verbs and options.

    \b
    Examples:
      dropcurve completion bash >> ~/.bashrc
      dropcurve completion zsh > ~/.zfunc/_dropcurve
      dropcurve completion fish > ~/.config/fish/completions/dropcurve.fish
    """
    from typer._completion_shared import get_completion_script

    from . import COMPLETE

    print(get_completion_script(prog_name="dropcurve", complete_var=COMPLETE, shell=shell.value))
    return 0
