"""A scenario: what is simulated. Read and checked by the built core; edited here by path."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import DropcurveError, Problem, ScenarioError

if TYPE_CHECKING:
    from . import _core
    from .results import Result


@dataclass(frozen=True)
class Scenario:
    """A checked scenario; `set`, `queue` and the like return a new one.

    Made by `load` or `parse`. ``name`` is that of its file, ``origin`` the path as given, ``edits`` what was set since.
    """

    core: _core.Scenario = field(repr=False)
    name: str = "scenario"
    origin: str = ""
    edits: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def load(cls, path: str | Path) -> Scenario:
        """Reads a TOML file, or a scenario that ships with the package, by its name.

        Raises ScenarioError with every problem in it, or DropcurveError if there is no such file.
        """
        from . import library

        found = library.locate(path)
        try:
            text = found.read_text(encoding="utf-8")
        except OSError as error:
            raise DropcurveError(f"{path}: cannot be read: {error.strerror or error}") from None
        except UnicodeDecodeError as error:
            raise DropcurveError(f"{path}: is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
        return cls.parse(text, name=found.stem, origin=str(path))

    @classmethod
    def parse(cls, text: str, *, name: str = "scenario", origin: str = "") -> Scenario:
        """Reads TOML text. Raises ScenarioError with every problem in it."""
        from . import _core

        try:
            return cls(_core.Scenario(text), name, origin)
        except _core.ScenarioError as error:
            raise _problems(error, origin) from None

    def set(self, path: str, value: Any) -> Scenario:
        """With one value changed: ``set("queue.max_p", 0.1)``, ``set("run.duration", "60 s")``.

        Quantities are text with their unit. Raises ScenarioError if the value or the path is refused.
        """
        from . import _core

        try:
            core = self.core.set(path, json.dumps(value, allow_nan=False))
        except _core.ScenarioError as error:
            raise _problems(error, self.origin) from None
        except (TypeError, ValueError) as error:
            problem = Problem(path, repr(value), "must be a number, a switch, text or a list")
            raise ScenarioError([problem], origin=self.origin) from error
        return replace(self, core=core, edits=(*self.edits, (path, value)))

    def with_(self, **values: Any) -> Scenario:
        """Several `set` at once, ``__`` for the dots: ``with_(queue__max_p=0.1, run__duration="60 s")``."""
        changed = self
        for path, value in values.items():
            changed = changed.set(path.replace("__", "."), value)
        return changed

    def queue(self, kind: str, *, at: str = "queue", **parameters: Any) -> Scenario:
        """With another discipline at the bottleneck: ``queue("red", dialect="ns2", max_p=0.1)``.

        The buffer stays: ``limit`` is taken over unless given, or unless the discipline has none. ``at`` is where the
        discipline stands, such as ``back_queue`` or ``links.NAME.queue``.
        """
        from . import library

        table: dict[str, Any] = {"kind": kind, **parameters}
        limit = self.get(f"{at}.limit")
        if limit is not None and "limit" not in parameters and "limit" in library.parameters(kind):
            table["limit"] = limit
        return self.set(at, table)

    def get(self, path: str) -> Any:
        """The resolved value at a path, in the form a user would write; None if there is nothing."""
        return json.loads(self.core.get(path))

    @cached_property
    def resolved(self) -> dict[str, Any]:
        """Everything, defaults written out."""
        found: dict[str, Any] = json.loads(self.core.resolved())
        return found

    @property
    def title(self) -> str:
        """What the scenario calls itself, or else its name."""
        return str(self.resolved.get("title") or self.name)

    def to_toml(self) -> str:
        """As TOML text that `parse` reads back to the same hash."""
        return self.core.to_toml()

    @property
    def hash(self) -> str:
        """16 hex digits over the resolved scenario: equal hashes mean equal runs."""
        return self.core.hash()

    @property
    def flow_count(self) -> int:
        """Number of flows."""
        return self.core.flows()

    def run(self, *, seed: int = 1, replications: int | None = None, **options: Any) -> Result:
        """Runs it; the same as `dropcurve.run`, which lists the options."""
        from .replicate import run

        return run(self, seed=seed, replications=replications, **options)

    def __str__(self) -> str:
        return self.to_toml()

    def _repr_html_(self) -> str:
        from html import escape

        return f"<b>{escape(self.title)}</b> <code>{self.hash}</code><pre>{escape(self.to_toml())}</pre>"


def _problems(error: Exception, origin: str) -> ScenarioError:
    return ScenarioError([Problem(*found) for found in error.args[0]], origin=origin)
