"""What a search found."""

from __future__ import annotations

from dataclasses import dataclass

from .bench import PairedTrial
from .candidates import Candidate
from .families import Family
from .screening import ScreeningEffect


@dataclass
class SearchOutcome:
    """What a search found. ``finalists`` are best first, tried on ``trials``; ``tried`` has everything that was seen
    on all conditions, ``looked`` counts what was seen on any, by discipline, ``known`` what was there before."""

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
