"""The outcome of a study as data: the verdicts for JSON, and the numbers of every cell as CSV."""

from __future__ import annotations

import csv
import math
from pathlib import Path

from ..files.writing import draft
from ..metrics import statistics
from ..scenario import library
from .study import Outcome

#: Confidence level of printed intervals.
CONFIDENCE = 0.95


def record(outcome: Outcome) -> dict[str, object]:
    """Returns the verdicts of a study as data, for ``--json``.

    Args:
        outcome: The outcome of `reproduce`.

    Returns:
        Data that JSON can hold.

    Example:
        >>> json.dumps(record(outcome))
    """
    return {
        "study": outcome.study.name,
        "title": outcome.study.title,
        "version": library.version(),
        "quick": outcome.quick,
        "runs": outcome.runs,
        "printed": [
            {"quantity": one.printed.quantity, "place": one.printed.place, "paper": one.printed.value,
             "mean": _json(one.mean), "half_width_95": _json(one.half_width), "least": _json(one.least),
             "most": _json(one.most), "outside_interval": one.outside_interval, "outside_runs": one.outside_runs}
            for one in outcome.compared()
        ],
        "settings": {name: outcome.study.settings[name].about for name in outcome.cells},
        "findings": [
            {
                "setting": setting, "claim": finding.claim.key, "text": finding.claim.text,
                "verdict": finding.verdict, "tied": finding.tied,
                "tests": [
                    {"estimated": part.label, "rule": part.rule, "unit": part.unit, "value": _json(part.value),
                     "half_width": _json(part.half_width), "n": part.n, "verdict": part.verdict}
                    for part in finding.parts
                ],
            }
            for setting, findings in outcome.findings.items() for finding in findings
        ],
    }  # fmt: skip


def _json(value: float) -> float | None:
    return value if math.isfinite(value) else None


def write_numbers(outcome: Outcome, path: Path) -> Path:
    """Writes every number of every cell as CSV; returns the file."""
    with draft(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["setting", "cell", "number", "mean", "half_width_95", "n"])
        for setting, cells in outcome.cells.items():
            for name, cell in cells.items():
                for number, values in cell.numbers.items():
                    interval = statistics.t_interval(values, confidence=CONFIDENCE)
                    rows.writerow(
                        [
                            setting,
                            name,
                            number,
                            _digits(interval.mean),
                            _digits(interval.half_width),
                            interval.n,
                        ]
                    )
    return path


def _digits(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
