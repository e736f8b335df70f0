"""The first design on the screen where runs are long: tail drop below the bound, whose limit alone keeps the delay.

It needs a run at each end of the ranges, which the search makes anyway as those of a rule of thumb.
"""

from __future__ import annotations

from . import effort
from .bench import Bench, block
from .candidates import Candidate
from .constraint import RULES, customary_s, direction, scaled
from .families import family
from .initial_designs import RULE
from .solving import rule_name
from .study import FamilyStudy

#: The discipline whose limit bounds the sojourn time of every packet.
KIND = "droptail"


def first_rule(bench: Bench, seed: int, until: float | None) -> Candidate | None:
    """Runs tail drop with the limit of a rule of thumb at the ends of the ranges.

    Returns:
        The design; None where runs are short, the goal does not ask for the use of a bound on the queueing delay, tail
        drop may not be recommended, a run breaks the bound, or the time is up.
    """
    question = bench.question
    if (
        KIND not in question.candidates
        or direction(question.goal) != 1
        or effort.size(question) < effort.LONG
    ):
        return None
    study = FamilyStudy(
        family(KIND, question.sizing, space=question.space.get(KIND)), question.target, 1, seed
    )
    bound = customary_s(question.goal, question.sizing)
    at = scaled(study, question.sizing, bound, RULES[KIND][0])
    candidate = question.target.candidate("", KIND, study.family.params(at), origin=RULE)
    trials = block(question.conditions(effort.ENDS), seed)
    if candidate is None or not all(bench.usable(candidate, trial) for trial in trials):
        return None
    if not bench.run(((candidate, trial) for trial in trials), until=until):
        return None
    return None if bench.violation(candidate, trials) > 0 else rule_name(candidate)
