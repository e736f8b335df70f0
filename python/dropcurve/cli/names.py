"""Names that `list` and `describe` know besides those of scenarios: goals, measures, boxes and verbs."""

from __future__ import annotations

from ..boxes import BOXES
from ..metrics import find, split
from ..tuning.goal_presets import PRESETS
from ..tuning.measures import measure, names
from .verbs import VERBS


def sections() -> dict[str, list[tuple[str, ...]]]:
    """Rows of (name, description) by the title of their list."""
    measures = [(name, _measured(name)) for name in names() if " " in name or name.isalpha()]
    return {
        "goals": [(name, f"a goal: {about}") for name, about in PRESETS.items()],
        "measures": [row for row in measures if row[1]],
        "boxes": [(name, "a box whose configuration `import` reads and `export` writes") for name in BOXES],
        "verbs": [(name, one.help) for name, one in VERBS.items()],
    }


def _measured(name: str) -> str:
    """The metric behind the name of a measure."""
    key = split(measure(name).key)[0]
    return f"{find(key).title}: {key}"
