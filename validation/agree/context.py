"""Context of a comparison: folders of the references, threads, cached output of other programs."""

from __future__ import annotations

import csv
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import get_ident
from typing import Any

import dropcurve as dc

from .cases import AgreementCase

#: The repository, where the recorded traces of the tests lie.
ROOT = Path(__file__).resolve().parents[2]

Summary = dict[str, Any]
Numbers = dict[str, float]


@dataclass
class Context:
    """``reference`` is the folder with ns2, ns3 and linux; None: only the project's own copies. ``quick`` takes few
    cases and replications; ``live`` runs the other programs themselves: "" (not), "sample" or "all". ``cache`` is
    the folder for the output of the other programs, by their arguments."""

    reference: Path | None = None
    own: Path = ROOT / "validation" / "agree" / "data"
    jobs: int = 2
    quick: bool = False
    live: str = ""
    cache: Path | None = None
    log: Callable[[str], None] = lambda text: None

    def csv(self, *path: str) -> list[dict[str, str]]:
        """Rows of a recorded table: the reference's if it is there, else the project's own copy."""
        table = self.find(*path)
        if table is None:
            return []
        with table.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def find(self, *path: str) -> Path | None:
        """A file of the reference, or else the project's own copy of it."""
        homes = [home for home in (self.reference, self.own) if home is not None]
        return next((place for home in homes if (place := home.joinpath(*path)).exists()), None)

    def runs(
        self, scenario: dc.Scenario, replications: int, numbers: Callable[[Summary], Numbers]
    ) -> list[Numbers]:
        """The numbers of each replication. The runs are stored as those of any command, so an interrupted comparison
        resumes."""
        result = dc.run(scenario, replications=replications, jobs=self.jobs)
        return [numbers(dict(run)) for run in result.baseline.runs]

    def cached(self, key: str, work: Callable[[], Any]) -> Any:
        """Returns the output of another program for this input; run once, then cached, so that a comparison resumes."""
        if self.cache is None:
            return work()
        place = self.cache / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"
        if place.exists():
            return json.loads(place.read_text(encoding="utf-8"))
        value = work()
        place.parent.mkdir(parents=True, exist_ok=True)
        part = place.with_suffix(f".{get_ident()}.part")
        part.write_text(json.dumps(value), encoding="utf-8")
        part.replace(place)
        return value

    def each(
        self, name: str, items: Sequence[Any], work: Callable[[Any], AgreementCase]
    ) -> list[AgreementCase]:
        """The cases of many items, with progress."""
        cases = []
        for number, item in enumerate(items, 1):
            self.log(f"{name} {number}/{len(items)}")
            cases.append(work(item))
        return cases


def show_progress(text: str) -> None:
    """One line on the terminal, written over."""
    end = "\r" if sys.stderr.isatty() else "\n"
    sys.stderr.write(f"{text:<70}{end}")
    sys.stderr.flush()
