"""Finished runs in a result's folder: of work that is not done yet, so that an interruption loses none of
them, and of the result that is there, so that one that asks for more takes what it has.

A run is known by the hash of its scenario, its seed and the build of the core: a change of any of them
is another run. The folder of unfinished work is removed when the result is written.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import uuid
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ResultError
from ..results.series import Series
from . import derived

if TYPE_CHECKING:
    from .. import _core


@dataclass(frozen=True)
class Done:
    """A finished run: its summary with ``derived``, and its series if they are kept."""

    summary: dict[str, Any]
    series: Series | None = None

    @classmethod
    def of(cls, run: _core.Run, *, series: bool) -> Done:
        """A run of the core, with its series if they are to be kept."""
        return cls(derived.summary(run), Series.from_curves(run.series()) if series else None)


@cache
def build() -> str:
    """Eight hex digits over the built core, so that work of an older build is never taken for its own."""
    from .. import _core

    path = getattr(_core, "__file__", None)
    content = Path(path).read_bytes() if path else _core.version().encode()
    return hashlib.sha256(content).hexdigest()[:8]


def writable(folder: Path) -> None:
    """Makes a folder. Raises ResultError if it cannot be written."""
    probe = folder / f".part-{uuid.uuid4().hex}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ResultError(f"{folder}: cannot be written: {error.strerror or error}") from None


@dataclass(frozen=True)
class Store:
    """Runs kept in ``folder/unfinished``, and those of the result in ``folder``."""

    folder: Path

    @property
    def place(self) -> Path:
        """Where the runs are."""
        return self.folder / "unfinished"

    def open(self) -> None:
        """Makes the folder. Raises ResultError if it cannot be written, before any work is done."""
        writable(self.folder)

    def find(self, scenario: str, seed: int, *, series: bool) -> Done | None:
        """The run of a scenario (by hash) and seed, if it is there and has series where they are wanted."""
        kept = self._kept.get((scenario, seed))
        if kept is not None and (kept.series or not series):
            return kept
        path = self._path(scenario, seed)
        try:
            summary = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not series:
            return Done(summary)
        curves = _load_series(path.with_suffix(".npz"))
        return None if curves is None else Done(summary, curves)

    @cached_property
    def _kept(self) -> dict[tuple[str, int], Done]:
        """The runs of the result in the folder by scenario and seed, if it can be read and the core is the same."""
        from ..results import Result

        try:
            result = Result.load(self.folder)
        except ResultError:
            return {}
        if result.build != build():
            return {}
        return {
            (variant.hash, run["seed"]): Done(run, variant.series if index == 0 else None)
            for variant in result.variants
            for index, run in enumerate(variant.runs)
        }

    def keep(self, scenario: str, seed: int, done: Done) -> None:
        """Writes a run; the summary comes last, so that a half-written run is not found."""
        import numpy as np

        path = self._path(scenario, seed)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if done.series is not None:
                columns = {
                    "\x1f".join((part, *key)): pair[index]
                    for key, pair in done.series.curves.items()
                    for index, part in enumerate(("time", "value"))
                }
                np.savez(path.with_suffix(".npz"), **columns)  # type: ignore[arg-type]
            draft = path.with_suffix(".part")
            draft.write_text(json.dumps(done.summary), encoding="utf-8")
            draft.replace(path)
        except OSError as error:
            raise ResultError(f"{path.parent}: cannot be written: {error.strerror or error}") from error

    def count(self) -> int:
        """How many finished runs are waiting here."""
        return sum(1 for _ in self.place.glob("*.json"))

    def close(self) -> None:
        """Removes the runs: the result holds them now."""
        shutil.rmtree(self.place, ignore_errors=True)

    def _path(self, scenario: str, seed: int) -> Path:
        return self.place / f"{scenario}-{seed}-{build()}.json"


def _load_series(path: Path) -> Series | None:
    import numpy as np

    try:
        with np.load(path) as found:
            names = [name.split("\x1f")[1:] for name in found.files if name.startswith("time")]
            return Series(
                {
                    (name, component): (
                        found[f"time\x1f{name}\x1f{component}"],
                        found[f"value\x1f{name}\x1f{component}"],
                    )
                    for name, component in names
                }
            )
    except (OSError, ValueError, KeyError):
        return None
