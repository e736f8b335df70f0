"""Initial designs: defaults, rules of thumb, and designs by formula."""

from __future__ import annotations

from .candidates import Candidate, of_design, references
from .question import Question

#: Origin of a setting that follows from the bound alone.
RULE = "rule"


def designs_known(question: Question, *, brief: bool = False) -> list[Candidate]:
    """The initial designs, tail drop first; where the effort is ``brief``, of those by formula only the rules of
    thumb."""
    sizing, target = question.sizing, question.target
    designs = []
    for name, kind, params, origin in references(sizing, box=target.box):
        # Designs of scripts are loaded as the scripts write them.
        candidate = target.candidate(name, kind, params, origin=origin) if target.box == "sqm" else None
        designs.append(candidate or Candidate(name, kind, params, origin))
    advice = question.advice()
    for one in advice.designs if advice else ():
        name, kind, params, origin = of_design(one)
        if brief and "rule" not in name:
            continue
        title = name if "rule" in name else f"{name}, by formula"
        candidate = target.candidate(title, kind, params, origin=origin)
        if candidate is not None and kind in (*question.candidates, "red", "ared"):
            designs.append(candidate)
    return designs


def left_out(question: Question) -> list[Candidate]:
    """The initial designs that a brief effort leaves out."""
    kept = {one.key for one in designs_known(question, brief=True)}
    return [one for one in designs_known(question) if one.key not in kept]


def is_default(candidate: Candidate) -> bool:
    """Whether a design is a common setting without tuning, and no rule of thumb or design by formula."""
    return candidate.origin != RULE and "formula" not in candidate.name and "rule" not in candidate.name
