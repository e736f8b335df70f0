"""Foreign text made safe to show: characters that control a terminal or reorder a line become visible escapes.

Control characters here are the controls of ECMA-48 (C0, DEL, C1), the separators and directional overrides of Unicode
(UAX #9), and lone surrogates, which no file can hold.
"""

from __future__ import annotations

import json
import re
from typing import Any

_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_STEERING_BUT_LINES = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str, *, lines: bool = False) -> str:
    r"""Returns the text with control characters as escapes, such as ``\x1b``.

    Args:
        text: Any text.
        lines: Leaves line feeds and tabs, for a text of several lines.
    """
    return (_STEERING_BUT_LINES if lines else _STEERING).sub(_escape, text)


def cut(text: str, most: int = 200) -> str:
    """Returns the text made `visible`, and no longer than ``most`` characters with an ellipsis."""
    shown = visible(text[: 4 * most])
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def json_text(value: Any, *, indent: int | None = 1) -> str:
    """Returns a value as JSON that is safe to show: control characters inside texts become JSON's own escapes."""
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    return _STEERING_BUT_LINES.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return {0x0A: "\\n", 0x09: "\\t"}.get(code, f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
