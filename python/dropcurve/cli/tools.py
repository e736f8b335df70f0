"""The verbs as tools of the Model Context Protocol: a JSON schema of each verb's options, and calls as command lines.

A tool is made of the declaration of its verb, so that it takes the same options as the command line and no others.
``root`` is the command line as a whole, as Typer made it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import UsageError, nearest

#: Verbs that an agent may call, in the order of a task, and whether they take the text of a configuration.
VERBS = {
    "describe": False, "list": False, "advise": False, "tune": False, "compare": False, "stress": False, "run": False,
    "assert": False, "evaluate": False, "import": True, "fix": True, "export": False,
}  # fmt: skip
#: Options on the form of the answer for people.
LEFT_OUT = frozenset({"json", "quiet", "help", "no_report"})
#: The property for the text of a configuration, instead of a file.
TEXT = "text"
_TYPES = {
    "boolean": "boolean", "integer": "integer", "integer range": "integer", "float": "number", "float range": "number",
}  # fmt: skip


@dataclass(frozen=True)
class ToolCall:
    """A call as a command line: its arguments, and the text for its standard input."""

    arguments: list[str]
    standard_input: str


def schemas(root: Any) -> dict[str, tuple[str, dict[str, Any]]]:
    """Description and JSON schema of the arguments of every tool, by the name of its verb."""
    return {verb: (_description(root, verb), _schema(root, verb)) for verb in VERBS}


def call(root: Any, verb: str, arguments: Mapping[str, Any]) -> ToolCall:
    """The command line of a call.

    Raises UsageError for an unknown verb or argument; the verb itself checks the values.
    """
    if verb not in VERBS:
        raise UsageError(
            "tool",
            verb,
            f"no tool is called '{verb}'",
            nearest(verb, VERBS, otherwise="the tools are " + ", ".join(VERBS)),
            shown="rule",
        )
    parameters = {_name(one): one for one in _parameters(root, verb)}
    values = dict(arguments)
    text = str(values.pop(TEXT, "")) if VERBS[verb] else ""
    options: list[str] = []
    places: list[str] = []
    for name, value in values.items():
        if name not in parameters:
            hint = nearest(name, parameters, otherwise=f"it takes {', '.join(parameters)}")
            raise UsageError(
                f"{verb}.{name}", arguments[name], f"no argument is called '{name}'", hint, shown="rule"
            )
        options += _options(parameters[name], value)
    for name, one in parameters.items():
        if one.param_type_name == "argument" and values.get(name) is not None:
            value = values[name]
            places += [str(part) for part in (value if isinstance(value, list) else [value])]
    if text and not places:
        places = ["-"]
    takes_json = any(one.name == "json" for one in _command(root, verb).params)
    tool_call = ToolCall([verb, *options, *(["--json"] if takes_json else []), "--", *places], text)
    _refuse_what_is_no_text(verb, tool_call)
    return tool_call


def _refuse_what_is_no_text(verb: str, tool_call: ToolCall) -> None:
    """Raises UsageError for characters that neither a command line nor a file can have."""
    for word in [*tool_call.arguments, tool_call.standard_input]:
        if "\0" in word or any("\ud800" <= sign <= "\udfff" for sign in word):
            raise UsageError(
                verb, word, "has a zero byte or half a character", "send text without them", shown="rule"
            )


def _options(parameter: Any, value: Any) -> list[str]:
    """An option as words, the value behind an equals sign, so that one that begins with a dash is not an option."""
    if parameter.param_type_name == "argument" or value is None:
        return []
    if parameter.is_flag:
        return [parameter.opts[0]] if value else []
    values = value if isinstance(value, list) else [value]
    return [f"{parameter.opts[0]}={part}" for part in values]


def _schema(root: Any, verb: str) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required = []
    for one in _parameters(root, verb):
        kind: dict[str, Any] = {"type": "boolean" if getattr(one, "is_flag", False) else _type(one)}
        if one.multiple or one.nargs == -1:
            kind = {"type": "array", "items": kind}
        properties[_name(one)] = {**kind, "description": " ".join((one.help or "").split())}
        if one.required and not (VERBS[verb] and one.param_type_name == "argument"):
            required.append(_name(one))
    if VERBS[verb]:
        properties[TEXT] = {"type": "string", "description": "The configuration itself, instead of a file."}
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _name(parameter: Any) -> str:
    """The property of a parameter: the word that the command line has for it, ``for`` of ``--for``."""
    return str(
        parameter.name
        if parameter.param_type_name == "argument"
        else parameter.opts[0].lstrip("-").replace("-", "_")
    )


def _type(parameter: Any) -> str:
    return _TYPES.get(parameter.type.name, "string")


def _description(root: Any, verb: str) -> str:
    """The help of the verb up to its examples."""
    return " ".join(str(_command(root, verb).help).split("\b")[0].split())


def _parameters(root: Any, verb: str) -> list[Any]:
    return [one for one in _command(root, verb).params if one.name not in LEFT_OUT]


def _command(root: Any, verb: str) -> Any:
    return root.get_command(None, verb)
