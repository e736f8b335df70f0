"""The answer of a stress search: rendered, as JSON, and stored in its folder."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ...files import checksums
from ...files.writing import write_text
from ...present.visible import json_text
from . import text
from .findings import SCENARIO, StressFindings

#: File of the answer as JSON.
RECORD = "stress.json"


@dataclass(frozen=True)
class StressAnswer(StressFindings):
    """The findings with their text and their files."""

    def __str__(self) -> str:
        return text.text(self)

    def record(self) -> dict[str, Any]:
        """The answer as JSON holds it."""
        return {
            "design": self.design, "link": asdict(self.link), "bounds": self.bounds.lines(),
            "answer": list(text.sentences(self)), "measure": self.measure, "unit": self.unit,
            "loss": "regret" if self.regret else "harm", "keep": self.keep,
            "worst": {"case": self.worst, "text": text.described(self, self.worst), "loss": asdict(self.worst_loss)},
            "minimal": {
                "case": self.minimal, "text": text.described(self, self.minimal), "loss": asdict(self.minimal_loss),
                "harm": asdict(self.minimal_harm),
            },
            "usual": {"case": self.usual, "harm": asdict(self.usual_harm)},
            "fault": self.fault,
            "rivals": [asdict(one) for one in self.rivals],
            "walks": [asdict(one) for one in self.walks],
            "grid": None if self.grid is None else asdict(self.grid),
            "scenario": self.scenario.given(), "scenario_hash": self.scenario.hash,
            "digest": self.digest, "digest_seed": self.digest_seed, "replay": self.replay, "lab": self.lab or None,
            "seed": self.seed, "fresh_runs": self.fresh, "runs": self.runs, "stopped": self.stopped or None,
            "command": self.command, "version": self.version, "folder": str(self.folder),
        }  # fmt: skip

    def save(self) -> None:
        """Writes ``worst.toml`` and ``stress.json`` into the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        files = [self.folder / SCENARIO, self.folder / RECORD]
        write_text(files[0], self.scenario.given())
        write_text(files[1], json_text(self.record()) + "\n")
        checksums.add(self.folder, files)
