"""Outcome of a search: its finalists, and every design that was run."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import UsageError
from .bench import PairedTrial
from .candidates import Candidate
from .families import family
from .question import Question
from .screening import ScreeningEffect
from .search_space import Coordinates, Family


@dataclass
class SearchOutcome:
    """Outcome of a search. ``finalists`` are best first, tried on ``trials``; ``tried`` has the candidates evaluated on
    all conditions, ``looked`` counts those evaluated on any, by discipline, ``known`` has the initial designs,
    ``unseen`` those that were not run for lack of time; it is ``complete`` if every family was solved."""

    finalists: list[Candidate]
    trials: list[PairedTrial]
    tried: list[Candidate]
    known: list[Candidate]
    first: list[PairedTrial]
    effects: list[ScreeningEffect]
    families: dict[str, Family]
    coordinates: dict[str, dict[str, float]]
    best_of: dict[str, Candidate]
    looked: dict[str, int]
    unseen: tuple[Candidate, ...] = ()
    complete: bool = False

    def in_space(self, candidate: Candidate, question: Question) -> tuple[Family | None, Coordinates | None]:
        """The family of a design and its coordinates there, if they are known."""
        try:
            space = self.families.get(candidate.kind) or family(
                candidate.kind, question.sizing, space=question.space.get(candidate.kind)
            )
        except UsageError:
            return None, None
        return space, self.coordinates.get(candidate.key) or space.coordinates_of(candidate.params)
