"""Exports and imports as text and as data."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterable
from typing import Any

from ..quantities import units, values
from .model import Export, Import, Note, queue_text
from .tc_try import Trial


def notes(found: Iterable[Note], *, width: int, mark: str = "") -> list[str]:
    """A line for each note, wrapped."""
    lines = []
    for one in found:
        head = f"{mark}{one.kind:<9}"
        body = f"{one.key}: {one.text}" if one.key else one.text
        lines += textwrap.wrap(
            body, width, initial_indent=head, subsequent_indent=mark + " " * 9, break_on_hyphens=False
        )
    return lines


def about(made: Export, *, width: int = 100, trial: Trial | None = None) -> str:
    """Notes on an export, its effect, and the queue as loaded."""
    lines = notes(made.notes, width=width)
    lines += (
        textwrap.wrap("effect   " + "; ".join(made.effect), width, subsequent_indent=" " * 9)
        if made.effect
        else []
    )
    lines.append(f"as loaded  {made.queue_as_loaded}")
    if trial is not None:
        lines += _trial(trial)
    return "\n".join(lines)


def _trial(trial: Trial) -> list[str]:
    if trial.skipped:
        return [f"not tried: {trial.skipped}"]
    return [
        f"tried    {one.outcome}: {one.command}" + (f" ({one.message})" if one.message else "")
        for one in trial.verdicts
    ]


def export_data(made: Export, trial: Trial | None = None) -> dict[str, Any]:
    """An export as data for JSON."""
    found: dict[str, Any] = {
        "box": made.box, "discipline": made.discipline, "params": made.params, "text": made.text,
        "notes": [vars(one) for one in made.notes], "effect": made.effect,
        "discipline_as_loaded": made.discipline_as_loaded, "params_as_loaded": made.params_as_loaded,
        "queue_as_loaded": made.queue_as_loaded,
    }  # fmt: skip
    if trial is not None:
        found["trial"] = {"skipped": trial.skipped, "verdicts": [vars(one) for one in trial.verdicts]}
    return found


def import_text(found: Import, *, width: int = 100) -> str:
    """The imported queue as text."""
    lines = [
        f"{found.box}: {found.discipline}",
        *(f"  {key} = {_shown(value)}" for key, value in found.params.items()),
    ]
    if found.rate_bps is not None:
        lines.append(f"shaped to {units.show_rate(found.rate_bps)}")
    elif found.port_bps is not None:
        lines.append(f"port of {units.show_rate(found.port_bps)}")
    lines += notes(found.notes, width=width)
    if found.others:
        others = f"other queues in the text: {', '.join(found.others)}"
        lines.append(f"{others}; --name reads one of them, `dropcurve fix` judges all")
    lines.append(f"--queue {shlex.quote(found.queue)}")
    if found.above:
        lines.append(f"below {found.above[0].title}: --queue {shlex.quote(queue_text(*found.placed))}")
    return "\n".join(lines)


def _shown(value: Any) -> str:
    return values.show(value)


def import_data(found: Import) -> dict[str, Any]:
    """An import as data for JSON."""
    return {
        "box": found.box, "discipline": found.discipline, "params": found.params, "queue": found.queue,
        "notes": [vars(one) for one in found.notes], "rate_bps": found.rate_bps,
        "port_bps": found.port_bps, "others": found.others,
        "title": found.title, "share_bps": found.share_bps, "above": [vars(one) for one in found.above],
        "urgent": found.urgent,
    }  # fmt: skip
