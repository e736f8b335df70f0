"""The main job: the best discipline and parameters for a link, the reasons, and the configuration to load.

    answer = dropcurve.tune(rate="100Mbit", rtt="20-200ms", flows="5-100", buffer="1000pkts",
                            goal="p95 delay < 15ms, max utilisation", box="linux", out="answer")
    print(answer)

The modules, in the order of an answer: `asking`, `question` (a scenario, or a link by `link_question`) and its
`goal`; `families` and `catalogue_spaces`, the `search_space` of each discipline; `initial_designs`; `solving`, the edge
of the bound by root finding (`constraint`); `screening`; `search` with a `surrogate` of each family and a `study` in
Optuna; `race` or `adjust` for the finalists; `validation` on held-out conditions with the rules of `decision`;
`robustness`; `answer`, rendered by `text`, `statements` and `page`. `tuner` and `stages` run them all on the `bench`,
which makes and stores the runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..files.lazy import attributes

if TYPE_CHECKING:
    from .answer import Answer
    from .asking import ask
    from .link_question import of_link, of_mix
    from .question import Question
    from .scenario_question import of_file
    from .tuner import solve, tune

__all__ = ["Answer", "Question", "ask", "of_file", "of_link", "of_mix", "solve", "tune"]

_HOME = {
    "Answer": "answer",
    "Question": "question",
    "ask": "asking",
    "of_file": "scenario_question",
    "of_link": "link_question",
    "of_mix": "link_question",
    "solve": "tuner",
    "tune": "tuner",
}

__getattr__ = attributes(__name__, _HOME)
