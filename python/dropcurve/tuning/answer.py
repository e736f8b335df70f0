"""The answer of a tuning run: its findings as sentences, as text and as ``tune.json``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from ..errors import ResultError, unwritable
from ..files import checksums
from ..files.writing import write_text
from ..metrics.statistics import Interval
from ..present import markdown, text_table
from ..present.visible import visible
from . import study, text
from .candidates import Candidate
from .findings import Findings
from .proof import ConstraintOutcome, Proof
from .validation_line import ValidationLine

#: Version of ``tune.json``.
FORMAT = 1


@dataclass(frozen=True, repr=False)
class Answer(Findings):
    """The answer of `tune`; ``print(answer)`` shows it as text."""

    def verdict(self) -> list[str]:
        """Returns the verdict as sentences.

        Returns:
            The sentences, without a full stop; the first one names what to load.

        Example:
            >>> dropcurve.tune(rate="10 Mbit/s", rtt="40 ms", flows=4, goal="voip").verdict()
        """
        return text.verdict(self)

    def record(self) -> dict[str, Any]:
        """Returns the answer as data, in the layout of ``tune.json``.

        Returns:
            Numbers, text and lists of these; figures that are not finite are kept as floats.

        Example:
            >>> answer.record()["recommendation"]
        """
        goal = self.question.goal
        return {
            "format": FORMAT, "version": self.version, "command": self.command, "title": self.question.title,
            "goal": str(goal), "robust": self.question.robust, "seed": self.seed, "runs": self.runs,
            "stopped": self.stopped, "conditions": self.conditions, "replications": self.replications,
            "fresh_conditions": self.fresh_conditions, "queue": self.queue,
            "recommendation": _candidate(self.best), "verdict": self.verdict(),
            "configuration": self.configuration, "notes": list(self.notes), "front": self.front,
            "confirmed": [_line(line, goal.objectives) for line in self.lines],
            "fresh_seeds": [
                _proof(one, goal.objectives) for one in (*self.refused, self.proof) if one is not None
            ],
            "screening": [
                {"discipline": one.family, "parameter": one.parameter, "mu_star": one.mu_star, "sigma": one.sigma,
                 "matters": one.matters}
                for one in self.effects
            ],
            "sensitivity": [
                {"parameter": one.parameter, "queue": one.design.queue if one.design else self.best.queue, "off": [
                    {"factor": off.factor, "value": off.shown, "objectives": list(off.objectives),
                     "measures": off.measures, "holds": off.holds} for off in one.off
                ]} for one in self.sensitivity
            ],
            "drift": [
                {"axis": one.axis.name, "design": one.candidate.name, "points": [
                    {"value": far.value, "inside": far.inside, "objectives": list(far.objectives),
                     "measures": far.measures, "holds": far.holds} for far in one.points
                ]} for one in self.drift
            ],
            "not_compared": list(self.uncompared),
            "looked_at": dict(self.looked),
            "worst_conditions": [dict(one) for one in self.question.worst],
            "tried": [
                {**_candidate(one.candidate), "objectives": list(one.objectives), "measures": one.measures,
                 "holds": one.holds, "front": one.front} for one in self.spots
            ],
        }  # fmt: skip

    def save(self, folder: Path) -> None:
        """Writes ``tune.json``, the configuration and checksums, also of the studies, into a folder.

        Args:
            folder: The folder; it is created if it is missing.

        Raises:
            ResultError: If a file cannot be written.

        Example:
            >>> answer.save(Path("answer"))
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            content = json.dumps(_finite(self.record()), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
            written = [folder / "tune.json"]
            write_text(written[0], content)
            if self.configuration:
                written.append(folder / f"configuration.{self.question.target.box}")
                write_text(written[1], self.configuration)
            checksums.add(folder, [*written, *study.publish(folder)])
        except OSError as error:
            where = error.filename or folder
            raise ResultError.of([unwritable(where, error)]) from error

    def to_markdown(self) -> str:
        """Returns the verdict, the validated designs and the configuration as Markdown.

        Returns:
            The text.

        Example:
            >>> Path("answer.md").write_text(answer.to_markdown())
        """
        parts = [f"## {markdown.escaped(self.question.title)}"]
        parts.append("\n".join(f"- {markdown.escaped(line)}" for line in text.verdict(self)))
        for heading, rows in text.tables(self):
            parts += [
                *([f"**{markdown.escaped(heading)}**"] if heading else []),
                text_table.as_markdown(rows),
            ]
        parts.append(markdown.escaped(text.foot(self)))
        if self.configuration:
            parts.append(f"```\n{self.configuration.rstrip()}\n```")
        return visible("\n\n".join(parts), lines=True) + "\n"

    def to_latex(self) -> str:
        r"""Returns the validated designs as LaTeX, for a paper: ``tabular`` with the rules of the package booktabs;
        where the goal has several objectives, one for the Pareto front and one for the other designs.

        Returns:
            The text.

        Example:
            >>> Path("answer.tex").write_text(answer.to_latex())
        """
        return visible("\n".join(text_table.as_latex(rows) for _, rows in text.tables(self)), lines=True)

    def __repr__(self) -> str:
        return f"<Answer: {text.verdict(self)[0]}>"

    def _repr_html_(self) -> str:
        """The verdict, the tables, the sensitivity and the configuration, for notebooks."""
        first, *rest = text.verdict(self)
        parts = [f"<p><b>{escape(first)}</b></p>", *(f"<p>{escape(line)}</p>" for line in rest)]
        for heading, rows in text.tables(self):
            parts += [*([f"<p>{escape(heading)}</p>"] if heading else []), text_table.as_html(rows)]
        parts.append(f"<p><small>{escape(text.foot(self))}</small></p>")
        parts += [
            f"<pre>{escape(some)}</pre>"
            for some in ("\n".join(text.sensitivity(self)), self.configuration)
            if some
        ]
        return visible("".join(parts), lines=True)

    def __str__(self) -> str:
        return text.text(self)


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "name": candidate.name, "origin": candidate.origin, "queue": candidate.queue,
        "discipline": candidate.kind_as_loaded, "params": candidate.params_as_loaded,
    }  # fmt: skip


def _line(line: ValidationLine, objectives: Any) -> dict[str, Any]:
    return {
        **_candidate(line.candidate),
        "objectives": {str(one): _interval(cell) for one, cell in zip(objectives, line.objectives, strict=True)},
        "measures": {name: _interval(cell) for name, cell in line.measures.items()},
        "constraints": _kept(line.kept),
        "difference": [
            None if pair is None else {"mean": pair.mean, "half_width": pair.half_width, "n": pair.n, "real": real}
            for pair, real in zip(line.difference, line.real, strict=True)
        ],
        "holds": line.holds,
        "standing": line.standing,
        "replications_needed": line.needed,
    }  # fmt: skip


def _kept(some: Iterable[ConstraintOutcome]) -> list[dict[str, Any]]:
    return [
        {
            "constraint": str(one.constraint),
            "held": one.held,
            "runs": one.runs,
            "worst": one.worst,
            "where": one.where,
        }
        for one in some
    ]


def _proof(proof: Proof, objectives: Any) -> dict[str, Any]:
    return {
        **_candidate(proof.candidate), "runs": proof.runs, "holds": proof.holds, "constraints": _kept(proof.kept),
        "objectives": {str(goal): _interval(cell) for goal, cell in zip(objectives, proof.objectives, strict=True)},
    }  # fmt: skip


def _interval(cell: Interval) -> dict[str, Any]:
    return {"mean": cell.mean, "half_width": cell.half_width, "n": cell.n}


def _finite(value: Any) -> Any:
    """The data with None for NaN and infinities, which JSON does not have."""
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return value
