"""The page of a stress answer: one file that opens offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ... import report
from ...files import checksums
from ...files.writing import write_bytes, write_text
from ...plot import style
from . import figures, text
from .answer import StressAnswer
from .findings import SCENARIO

TEMPLATE = "stress.html"


def write(answer: StressAnswer) -> Path:
    """Writes ``report.html`` and ``figures/`` into the folder of an answer, and returns the page."""
    folder = answer.folder
    files = []
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    for name in figures.available(answer):
        figure = figures.draw(name, answer)
        for format in ("svg", "png"):
            files.append(folder / "figures" / f"{name}.{format}")
            with style.styled():
                write_bytes(files[-1], style.to_bytes(figure, format=format))
    page = folder / "report.html"
    write_text(page, render(answer))
    checksums.add(folder, [*files, page])
    return page


def render(answer: StressAnswer) -> str:
    """The page as text."""
    return report.page(TEMPLATE, content(answer))


def content(answer: StressAnswer) -> dict[str, Any]:
    """The variables of the template."""
    kinds = {"design": "bad", "some": "bad", "any": "unsure", "undecided": "unsure", "none": "good"}
    return {
        "title": f"The worst for {answer.design}",
        "question": f"{answer.link}. Harm: {answer.measure}.",
        "tone": kinds[answer.fault],
        "sentences": list(text.sentences(answer)),
        "facts": [
            ("worst found", text.amount(answer, answer.worst_loss)),
            ("minimal scenario", text.amount(answer, answer.minimal_harm)),
            ("usual traffic", text.amount(answer, answer.usual_harm)),
            ("runs", f"{answer.runs}"),
        ],
        "worst": text.described(answer, answer.worst), "minimal": text.described(answer, answer.minimal),
        "rows": text.rows(answer)[1:], "walked": text.walked(answer)[1:] if answer.walks else [],
        "figures": [_figure(name, answer) for name in figures.available(answer)],
        "scenario": answer.scenario.given(), "scenario_file": SCENARIO,
        "replay": answer.replay, "digest": answer.digest,
        "lab": answer.lab, "command": answer.command, "bounds": answer.bounds.lines(),
        "keep": f"{100 * answer.keep:.0f} %",
        "fresh": answer.fresh, "version": answer.version, "stopped": answer.stopped, "regret": answer.regret,
    }  # fmt: skip


def _figure(name: str, answer: StressAnswer) -> dict[str, Any]:
    from markupsafe import Markup

    title, see = figures.TITLES[name]
    return {
        "name": name, "title": title, "see": see, "wide": Markup(figures.fragment(name, answer)),
        "narrow": Markup(figures.fragment(name, answer, width="column")),
    }  # fmt: skip
