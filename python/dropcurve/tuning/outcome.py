"""Outcome of a search."""

from __future__ import annotations

from dataclasses import dataclass

from .bench import PairedTrial
from .candidates import Candidate
from .families import Family
from .screening import ScreeningEffect


@dataclass
class SearchOutcome:
    """Outcome of a search. ``finalists`` are best first, tried on ``trials``; ``tried`` has the candidates evaluated on
    all conditions, ``looked`` counts those evaluated on any, by discipline, ``known`` has the initial designs,
    ``unseen`` those that were not run for lack of time."""

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
    stopped: str = ""
    unseen: tuple[Candidate, ...] = ()
