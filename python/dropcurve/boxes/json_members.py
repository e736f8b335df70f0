"""Members of a JSON object by their offsets in a text, so that some can change while the layout stays (RFC 8259)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_SPACE = re.compile(r"\s*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class Member:
    """A member of an object: its key, and the offsets of its key, of its value and of the value's end."""

    key: str
    start: int
    value: int
    end: int


def members(text: str, start: int) -> Iterator[Member]:
    """The members of the object that opens at an offset.

    Raises:
        ValueError: If there is no object, or it is damaged.
    """
    if text[start : start + 1] != "{":
        raise ValueError("no object")
    at = _after(text, start + 1)
    while text[at : at + 1] != "}":
        key, end = _DECODER.raw_decode(text, at)
        colon = _after(text, end)
        if not isinstance(key, str) or text[colon : colon + 1] != ":":
            raise ValueError("no key")
        value = _after(text, colon + 1)
        _, end = _DECODER.raw_decode(text, value)
        yield Member(key, at, value, end)
        at = _after(text, end)
        if text[at : at + 1] == ",":
            at = _after(text, at + 1)
        elif text[at : at + 1] != "}":
            raise ValueError("no end of the object")


def with_values(text: str, old: Sequence[Member], new: Mapping[str, object]) -> str:
    """The text with new values for members of an object; new members follow the last one, with the same spacing.

    Args:
        text: All of the text.
        old: The members of the object, at least one.
        new: Values by key; a value that is equal to the old one keeps its form.
    """
    known = {one.key for one in old}
    last = old[-1]
    lead = text[old[-2].end : last.start].replace(",", "", 1) if len(old) > 1 else " "
    colon = re.sub(r"^\"(?:[^\"\\]|\\.)*\"", "", text[last.start : last.value])
    added = "".join(
        f",{lead}{json.dumps(key)}{colon}{json.dumps(value)}"
        for key, value in new.items()
        if key not in known
    )
    rewritten = text[: last.end] + added + text[last.end :]
    for one in sorted(old, key=lambda one: -one.start):
        was = json.loads(text[one.value : one.end])
        if one.key in new and str(was) != str(new[one.key]):
            value = new[one.key] if isinstance(was, str) else _bare(str(new[one.key]))
            rewritten = rewritten[: one.value] + json.dumps(value) + rewritten[one.end :]
    return rewritten


def _bare(text: str) -> object:
    """A number or truth value where the text writes them without quotes."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _after(text: str, at: int) -> int:
    """The offset of the next character that is no white space."""
    match = _SPACE.match(text, at)
    return match.end() if match else at
