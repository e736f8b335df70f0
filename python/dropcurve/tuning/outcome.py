"""What a search found."""

from __future__ import annotations

from dataclasses import dataclass

from .bench import Trial
from .candidates import Candidate
from .families import Family
from .screen import Effect


@dataclass
class Outcome:
    """What a search found. ``finalists`` are best first, tried on ``trials``; ``tried`` has everything that was seen
    on all conditions, ``looked`` counts what was seen on any, by discipline, ``known`` what was there before."""

    finalists: list[Candidate]
    trials: list[Trial]
    tried: list[Candidate]
    known: list[Candidate]
    first: list[Trial]
    effects: list[Effect]
    families: dict[str, Family]
    knobs: dict[str, dict[str, float]]
    best_of: dict[str, Candidate]
    looked: dict[str, int]
    stopped: str = ""
