"""dropcurve completion: the completion of commands in a shell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Annotated, Any

import typer


class Shell(StrEnum):
    """Shells whose completion is known."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


#: What a shell runs at a tab. Each calls the program with the words up to the cursor, and reads lines of a word, a tab
#: and its description. bash splits words at = and :, so that what stands before the last of them is not to be repeated.
SCRIPTS = {
    Shell.bash: r"""
_dropcurve() {
    local line word kept words
    read -ra words <<< "${COMP_LINE:0:COMP_POINT}"
    [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=("")
    word=${words[-1]}
    kept=${word%"${word##*[=:]}"}
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == $'\tfiles' ]]; then
            compopt -o filenames
            while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "${word#"$kept"}")
        else
            line=${line%%$'\t'*}
            COMPREPLY+=("${line#"$kept"}")
        fi
    done < <(_DROPCURVE_COMPLETE=words dropcurve "${words[@]:1}" 2>/dev/null)
}
complete -F _dropcurve dropcurve
""",
    Shell.zsh: r"""
#compdef dropcurve
_dropcurve() {
  local line
  local -a offered
  local -i files=0
  while IFS= read -r line; do
    if [[ $line == $'\tfiles' ]]; then
      files=1
    else
      offered+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    fi
  done < <(_DROPCURVE_COMPLETE=words dropcurve "${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( $#offered )) && _describe -t values value offered
  if (( files )); then
    [[ $PREFIX == --*=* ]] && compset -P '*='
    _files
  fi
}
if [[ $funcstack[1] == _dropcurve ]]; then
  _dropcurve "$@"
else
  compdef _dropcurve dropcurve
fi
""",
    Shell.fish: r"""
function __dropcurve_words
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    for line in (env _DROPCURVE_COMPLETE=words dropcurve $before[2..] "$word" 2>/dev/null)
        if test "$line" = (printf '\tfiles')
            __fish_complete_path "$word"
        else
            echo $line
        end
    end
end
complete --command dropcurve --no-files --arguments "(__dropcurve_words)"
""",
}
#: Words of placeholders whose values are files.
FILES = ("FILE", "FOLDER", "SCENARIO", "DIR", "SOCKET", "RECORD")
#: Lists of `dropcurve list` whose names may stand for a placeholder, by how the placeholder begins.
LISTS = {
    "KIND[:": ("disciplines", "dialects"), "KIND:": ("disciplines", "dialects"), "NAME[:": ("disciplines", "controls"),
    "SCENARIO": ("scenarios",), "METRIC": ("metrics",), "BOX": ("boxes",), "LINK": ("links",), "VERB": ("verbs",),
    "CC": ("controls",),
}  # fmt: skip
#: The same for a placeholder that means several things, by its verb and the parameter.
OF_VERBS = {
    ("agree", "queue"): ("disciplines",), ("agree", "profile"): ("profiles",),
    ("tune", "tcp"): ("controls", "profiles"),
}  # fmt: skip


def completion(shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")]) -> int:
    """Print a completion script for bash, zsh or fish.

    Append it to a file that the shell reads when it starts. The shell then completes verbs, options, names such as
    those of disciplines, scenarios and metrics, and files.

    \b
    Examples:
      dropcurve completion bash >> ~/.bashrc
      dropcurve completion zsh > ~/.zfunc/_dropcurve
      dropcurve completion fish > ~/.config/fish/completions/dropcurve.fish
    """
    print(SCRIPTS[shell].strip())
    return 0


def print_words(words: Sequence[str]) -> int:
    """Prints what the last of the words may become, for the scripts above: a word, a tab and its description in each
    line, and a line with a tab and ``files`` where it may be a file.

    Args:
        words: The words after the name of the program, up to the cursor; the last may be empty.
    """
    from .app import CommandError

    *before, last = words or [""]
    # The parser takes a value that follows its option after = without the option, and shells want the whole word.
    option = last.partition("=")[0] + "=" if last.startswith("--") and "=" in last else ""
    # There are no completions for an unknown verb.
    with suppress(CommandError):
        for word, about in _offered(before, last):
            print(f"{option}{word}\t{' '.join(about.split())}" if word else f"\t{about}")
    return 0


def _offered(before: Sequence[str], last: str) -> Iterator[tuple[str, str]]:
    """Words with what they are, and ("", "files") where the word may be a file."""
    from typer._click.shell_completion import _resolve_context, _resolve_incomplete

    from .app import app

    root = typer.main.get_command(app)
    context: Any = _resolve_context(root, {}, "dropcurve", list(before))
    with context:
        what, start = _resolve_incomplete(context, list(before), last)
        placeholder = (getattr(what, "metavar", None) or "").lstrip("[")
        named = _names(str(context.info_name), str(what.name), placeholder)
        if named:
            yield from ((name, about) for name, about in named if name.startswith(start))
        else:
            items = what.shell_complete(context, start)
            yield from ((one.value, one.help or "") for one in items if one.type == "plain")
        if (
            any(one in placeholder for one in FILES)
            or getattr(getattr(what, "type", None), "name", "") == "path"
        ):
            yield "", "files"


def _names(verb: str, parameter: str, placeholder: str) -> list[tuple[str, str]]:
    """Names that a parameter of a verb takes, with what they are; none where any text may stand."""
    from ..report import directory
    from . import names

    if (verb, parameter) == ("describe", "name"):
        every = directory.sections(names.sections())
        # A word that completes has no spaces; nobody looks for an article by its key.
        listed = [row for title, rows in every.items() if title != "references" for row in rows]
        return [(row[0], row[1]) for row in listed if " " not in row[0]]
    if (verb, parameter) == ("list", "what"):
        return [(title, "") for title in directory.sections(names.sections())]
    if (verb, parameter) == ("plot", "kind"):
        from ..plot import KINDS, sweep

        return [*((kind.name, kind.title) for kind in KINDS.values()), *((one, "") for one in sweep.KINDS)]
    lists = OF_VERBS.get((verb, parameter)) or next(
        (lists for start, lists in LISTS.items() if placeholder.startswith(start)), ()
    )
    return [(row[0], row[1]) for title in lists for row in directory.section(title, names.sections())]
