"""Calls of the studio: configurations of boxes, imports, and the results of a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import boxes
from ..errors import DropcurveError, UsageError
from ..files.reading import parse_json, read_text
from ..scenario import Scenario

#: Bytes of a full packet where a box has to know it.
PACKET = 1500
#: Most results that are listed, the latest first.
MOST = 200


def configuration(given: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of a queue for a box.

    Args:
        given: ``toml``, the text of a scenario; ``link``, the name of a link in it; ``box``.

    Returns:
        ``text``, and ``notes`` on rounded and lost settings.

    Raises:
        DropcurveError: If the scenario has problems, or the box cannot express its queue.
    """
    scenario = Scenario.parse(_text(given, "toml"), name="studio")
    path, wire = _place(scenario, _text(given, "link"))
    queue = dict(scenario.get(path))
    from ..quantities import units

    made = boxes.export(
        str(queue.pop("kind")), queue, box=_text(given, "box"), rate_bps=units.rate(scenario.get(f"{wire}.rate")),
        packet_bytes=PACKET,
    )  # fmt: skip
    return {"text": made.text, "notes": [str(note) for note in made.notes]}


def imported(given: Mapping[str, Any]) -> dict[str, Any]:
    """A scenario from the configuration of a box: its queue on a link of 40 ms with 20 transfers.

    Args:
        given: ``text``, as `dropcurve import` takes it.

    Returns:
        ``toml``, the text of the scenario.

    Raises:
        DropcurveError: For text that is no configuration of a known box.
    """
    from ..fixes import place

    found = boxes.read(_text(given, "text"))
    rate = None if found.rate_bps else 100e6
    made = place(
        found, rate_bps=rate, rtt_s=(0.04, 0.04), flows=20, packet_bytes=PACKET, link=None, name="import"
    )
    return {"toml": made.base.to_toml()}


def results(folder: Path) -> dict[str, Any]:
    """The results in a folder, the latest first.

    Args:
        folder: Where commands write results.

    Returns:
        ``folder``, and ``results``: name, kind, title, page, and the scenarios that can be run again.
    """
    try:
        found = [one for one in folder.iterdir() if one.is_dir() and not one.name.startswith(".")]
        found.sort(key=lambda one: one.stat().st_mtime, reverse=True)
    except OSError:
        found = []
    rows = [row for row in map(_row, found[:MOST]) if row is not None]
    return {"folder": str(folder), "results": rows}


def _row(folder: Path) -> dict[str, Any] | None:
    """A result's line; ``None`` for a folder that holds none."""
    page = next((name for name in ("report.html", "index.html") if (folder / name).is_file()), "")
    kind, title, scenarios = "", "", []
    try:
        held = parse_json(read_text(folder / "result.json"))
        kind = str(held.get("command", "")).removeprefix("dropcurve ").partition(" ")[0]
        title = str(held.get("title", ""))
        scenarios = [
            {"label": str(one["name"]), "toml": _toml(one["scenario"])}
            for one in held.get("variants", [])[:12]
        ]
    except (DropcurveError, OSError, AttributeError, KeyError, TypeError, ValueError) as error:
        # A damaged result is listed with its page alone.
        if not page:
            return None
        title = f"cannot be read: {error}" if (folder / "result.json").exists() else ""
    return {"name": folder.name, "kind": kind, "title": title, "page": page, "scenarios": scenarios}


def _toml(resolved: Mapping[str, Any]) -> str:
    """The text of a stored scenario."""
    from ..scenario.toml import dump

    return dump(resolved)


def _place(scenario: Scenario, link: str) -> tuple[str, str]:
    """Paths of the queue of a link and of its wire."""
    name, back = link.removesuffix(".back"), link.endswith(".back")
    for form in ("dumbbell", "chain"):
        if form in scenario.resolved:
            return ("back_queue" if back else "queue"), (f"{form}.back" if back else form)
    wire = f"links.{name}.back" if back else f"links.{name}"
    return f"{wire}.queue", wire


def _text(given: Mapping[str, Any], key: str) -> str:
    """A value of a call that has to be text."""
    value = given.get(key)
    if not isinstance(value, str):
        raise UsageError(key, given.get(key), "must be text", "send a JSON string")
    return value
