"""Calls of the studio: configurations of boxes, and imports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import boxes
from ..errors import UsageError
from ..scenario import Scenario

#: Bytes of a full packet where a box has to know it.
PACKET = 1500


def configuration(request: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of a queue for a box.

    Args:
        request: ``toml``, the text of a scenario; ``link``, the name of a link in it; ``box``.

    Returns:
        ``text``, and ``notes`` on rounded and lost settings.

    Raises:
        DropcurveError: If the scenario has problems, or the box cannot express its queue.
    """
    scenario = Scenario.parse(_text(request, "toml"), name="studio")
    path, wire = _place(scenario, _text(request, "link"))
    queue = dict(scenario.get(path))
    from ..quantities import units

    exported = boxes.export(
        str(queue.pop("kind")), queue, box=_text(request, "box"), rate_bps=units.rate(scenario.get(f"{wire}.rate")),
        packet_bytes=PACKET,
    )  # fmt: skip
    return {"text": exported.text, "notes": [str(note) for note in exported.notes]}


def imported(request: Mapping[str, Any]) -> dict[str, Any]:
    """A scenario from the configuration of a box: its queue on a link of 40 ms with 20 transfers.

    Args:
        request: ``text``, as `dropcurve import` takes it.

    Returns:
        ``toml``, the text of the scenario.

    Raises:
        DropcurveError: For text that is not a configuration of a known box.
    """
    queue = boxes.read(_text(request, "text"))
    # Only now: text that no box reads is refused at once.
    from ..fixes import place

    rate = None if queue.rate_bps else 100e6
    where = place(
        queue, rate_bps=rate, rtt_s=(0.04, 0.04), flows=20, packet_bytes=PACKET, link=None, name="import"
    )
    return {"toml": where.base.to_toml()}


def _place(scenario: Scenario, link: str) -> tuple[str, str]:
    """Paths of the queue of a link and of its wire."""
    name, back = link.removesuffix(".back"), link.endswith(".back")
    for form in ("dumbbell", "chain"):
        if form in scenario.resolved:
            return ("back_queue" if back else "queue"), (f"{form}.back" if back else form)
    wire = f"links.{name}.back" if back else f"links.{name}"
    return f"{wire}.queue", wire


def _text(request: Mapping[str, Any], key: str) -> str:
    """A value of a call that has to be text."""
    value = request.get(key)
    if not isinstance(value, str):
        raise UsageError(key, request.get(key), "must be text", "send a JSON string")
    return value
