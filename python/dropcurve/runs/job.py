"""A job: one run to make. Its address identifies the result, in any process and on any machine."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import dropcurve._core as _core

from ..scenario import Scenario

#: Parts of a run that are stored, each with those before it: all counters, numbers derived from samples, the sampled
#: series.
Keep = Literal["summary", "derived", "series"]
KEEPS: tuple[Keep, ...] = ("summary", "derived", "series")

#: Version of the values that Python adds to the summary of the core; a change of it invalidates every stored run.
FORMAT = 1


@dataclass(frozen=True)
class Job:
    """One run: a scenario under a seed, by this build of the core."""

    scenario: Scenario
    seed: int
    keep: Keep = "summary"
    #: Name of the numbers that are stored instead of the summary, if they are computed from the fate of every packet.
    probe: str = ""

    @property
    def key(self) -> tuple[str, int]:
        """Key of the run among those of one build: (hash of the scenario, seed)."""
        return self.scenario.hash, self.seed

    @property
    def address(self) -> bytes:
        """16 bytes over scenario, seed, build and format: equal addresses mean equal runs."""
        return address(*self.key, self.probe)

    @property
    def level(self) -> int:
        """Rank of ``keep``: a stored run answers every job of its rank or a lower one."""
        return KEEPS.index(self.keep)


def address(scenario: str, seed: int, probe: str = "") -> bytes:
    """The address of a run of this build, by the hash of its scenario and its seed, or of a probe of it."""
    text = f"dropcurve run {FORMAT} {build()} {scenario} {seed} {probe}"
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


@cache
def build() -> str:
    """Eight hex digits over the built core, so that runs of different builds are never confused."""
    path = getattr(_core, "__file__", None)
    content = Path(path).read_bytes() if path else _core.version().encode()
    return hashlib.sha256(content).hexdigest()[:8]
