"""A scenario: the network to simulate. The core parses and validates it; edits address values by path."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, NoReturn

import dropcurve._core as _core

from ..errors import DropcurveError, Problem, ScenarioError, UsageError
from ..files.named import load_text
from ..files.reading import parse_toml
from ..quantities import wording
from ..quantities.arguments import checked
from . import library, plugins, recordings, toml

#: Largest scenario that is read, in bytes.
LIMIT = 2**26
#: Characters up to which a scenario is compared with its defaults, value by value.
MOST_COMPARED = 20_000


@dataclass(frozen=True, repr=False)
class Scenario:
    """A checked scenario; `set`, `queue` and the like return a new one.

    Made by `load` or `parse`. ``name`` is that of its file, ``origin`` the path as given, ``edits`` the changes since
    then.
    """

    core: _core.Scenario = field(repr=False)
    name: str = "scenario"
    origin: str = ""
    edits: tuple[tuple[str, Any], ...] = ()

    @classmethod
    @checked
    def load(cls, path: str | Path, *, allow_files: Iterable[str | Path] = ()) -> Scenario:
        """Loads a TOML file, or a scenario that ships with the package, by its name.

        Args:
            path: The file, or the name.
            allow_files: Folders whose files the scenario may name as ``file:``, in addition to its own folder.

        Returns:
            The scenario, checked.

        Raises:
            ScenarioError: With every problem in it.
            DropcurveError: If there is no such file, or one that it names cannot be used.

        Example:
            >>> dropcurve.Scenario.load("droptail_vs_red").get("queue.kind")
            'red'
        """
        path_of = library.locate(path)
        text = load_text(path_of, origin=path, limit=LIMIT)
        if "\0" in text:
            raise DropcurveError(
                path, "NUL", "is not text; a scenario is a TOML file", "name such a file", shown="path"
            )
        with recordings.allowing(allow_files):
            text = recordings.filled_in(text, path_of.parent)
        return cls.parse(text, name=path_of.stem, origin=str(path))

    @classmethod
    @checked
    def parse(cls, text: str, *, name: str = "scenario", origin: str = "") -> Scenario:
        """Parses TOML text; a ``[tune]`` section is left to `dropcurve tune`.

        Args:
            text: The text.
            name: Name of the scenario in results.
            origin: File of the text, for messages.

        Returns:
            The scenario, checked.

        Raises:
            ScenarioError: With every problem in it.

        Example:
            >>> text = dropcurve.Scenario.load("mm1").to_toml()
            >>> dropcurve.Scenario.parse(text).hash == dropcurve.Scenario.load("mm1").hash
            True
        """
        try:
            plugins.discover()
            return cls(_core.Scenario(_without_tune_section(text)), name, origin)
        except _core.ScenarioError as error:
            raise _problems(error, origin, text) from None

    @checked
    def set(self, path: str, value: Any) -> Scenario:
        """Returns the scenario with one value changed.

        Args:
            path: Path of the value, with dots.
            value: The value; quantities are text with their unit.

        Returns:
            The new scenario, checked.

        Raises:
            ScenarioError: If there is no such path, or the value is refused.

        Example:
            >>> dropcurve.Scenario.load("droptail_vs_red").set("queue.max_p", 0.05).get("queue.max_p")
            0.05
        """
        return self.edit([(path, value)])

    def with_(self, **values: Any) -> Scenario:
        """Returns the scenario with several values changed at once.

        Args:
            values: The values by path, with ``__`` for the dots.

        Returns:
            The new scenario, checked.

        Raises:
            ScenarioError: If there is no such path, or a value is refused.

        Example:
            >>> scenario = dropcurve.Scenario.load("droptail_vs_red")
            >>> scenario.with_(queue__min_th="6 pkts", queue__max_th="20 pkts").get("queue.max_th")
            '20 pkts'
        """
        return self.edit([(path.replace("__", "."), value) for path, value in values.items()])

    @checked
    def edit(self, edits: Iterable[tuple[str, Any]]) -> Scenario:
        """Returns the scenario with several values changed; only the outcome is checked, so their order is free.

        Recordings may be named as in a file: ``("flows.office.packets", "file:office.pcap")``. Their paths are
        relative to the working folder; they must lie in it, in the folder of the scenario, or below.

        Args:
            edits: Paths and values.

        Returns:
            The new scenario, checked.

        Raises:
            ScenarioError: With every problem of the outcome.

        Example:
            >>> edits = [("run.duration", "20 s"), ("flows.tcp.count", 4)]
            >>> dropcurve.Scenario.load("droptail_vs_red").edit(edits).get("flows.tcp.count")
            4
        """
        given = list(edits)
        ordered = _choices_first(given)
        own = [Path(self.origin).parent] if self.origin else []
        pairs = [(path, recordings.value(path, value, folder=Path(), within=own)) for path, value in ordered]
        for path, value in pairs:
            _usable(path, value, self.origin)
        try:
            core = self.core.edit([(path, json.dumps(value)) for path, value in pairs])
        except _core.ScenarioError as error:
            raise _problems(error, self.origin) from None
        return replace(self, core=core, edits=(*self.edits, *given))

    @checked
    def queue(self, kind: str, *, at: str = "queue", **parameters: Any) -> Scenario:
        """Returns the scenario with another discipline at the bottleneck.

        Keys of the old discipline that the new one also knows stay (``limit``, ``ecn``), so that both have the same
        buffer.

        Args:
            kind: The discipline.
            at: Path of the queue, such as ``back_queue`` or ``links.NAME.queue``.
            parameters: Its keys.

        Returns:
            The new scenario, checked.

        Raises:
            ScenarioError: If there is no such discipline or key, or a value is refused.

        Example:
            >>> dropcurve.Scenario.load("droptail_vs_red").queue("codel", target="10 ms").get("queue.target")
            '10 ms'
        """
        return self.edit(
            [(f"{at}.kind", kind), *((f"{at}.{key}", value) for key, value in parameters.items())]
        )

    @checked
    def get(self, path: str) -> Any:
        """Returns the resolved value at a path, as a scenario writes it.

        Args:
            path: Path of the value, with dots.

        Returns:
            Text, a number, a truth value, or a list or table of these.

        Raises:
            ScenarioError: If there is no such path.

        Example:
            >>> dropcurve.Scenario.load("droptail_vs_red").get("queue.limit")
            '100 pkts'
        """
        try:
            return json.loads(self.core.get(path))
        except _core.ScenarioError as error:
            raise _problems(error, self.origin) from None

    @cached_property
    def resolved(self) -> dict[str, Any]:
        """All values of the scenario, defaults included."""
        tables: dict[str, Any] = json.loads(self.core.resolved())
        return tables

    @cached_property
    def automatic(self) -> dict[str, dict[str, Any]]:
        """Returns the values of parameters that are "auto", by link: ``{"bottleneck": {"min_th": "5 pkts"}}``."""
        by_path: dict[str, dict[str, Any]] = json.loads(self.core.automatic())
        return by_path

    @property
    def title(self) -> str:
        """Title of the scenario, or else its name."""
        return str(self.resolved.get("title") or self.name)

    def to_toml(self) -> str:
        """Returns TOML text with all defaults, which `parse` reads back to the same hash.

        Returns:
            The text.

        Example:
            >>> Path("resolved.toml").write_text(scenario.to_toml())
        """
        return self.core.to_toml()

    @property
    def hash(self) -> str:
        """16 hex digits over the resolved scenario: equal hashes mean equal runs."""
        return self.core.hash()

    def digest(self, seed: int = 1) -> str:
        """Runs the scenario once and returns the digest of the run: 16 hex digits.

        The digest covers every number of the run's summary to its last bit, in the measurement window. The same
        scenario, seed and version have the same digest on any machine, in both engines and in the studio. Nothing
        is stored.

        Args:
            seed: Seed of the run.

        Returns:
            The digest.

        Raises:
            UsageError: If the seed is negative or has more than 64 bits.

        Example:
            >>> scenario = dropcurve.Scenario.load("droptail_vs_red").set("run.duration", "20 s")
            >>> scenario.digest(seed=1) == scenario.digest(seed=1)
            True
        """
        if not 0 <= seed < 1 << 64:
            raise UsageError(
                "seed", seed, f"must be between 0 and {(1 << 64) - 1}", "choose a seed such as 1"
            )
        return self.core.digest(seed)

    @property
    def flow_count(self) -> int:
        """Number of flows."""
        return self.core.flows()

    def run(self, *_: object, **__: object) -> NoReturn:
        """Refuses to run: `dropcurve.run` runs scenarios.

        Raises:
            UsageError: Always, with the call to make instead.
        """
        raise UsageError(
            "Scenario.run", "", "a scenario does not run itself", "use dropcurve.run(scenario, ...)"
        )

    def __str__(self) -> str:
        return self.to_toml()

    def __repr__(self) -> str:
        edits = "".join(f", {path} = {value!r}" for path, value in self.edits)
        return f"<Scenario {self.name}: {wording.count(self.flow_count, 'flow')}{edits}, {self.hash}>"

    def given(self) -> str:
        """Returns the scenario as TOML text without the defaults: the text of the file, and the edits.

        Returns:
            The text.

        Example:
            >>> "max_p" in dropcurve.Scenario.load("droptail_vs_red").set("queue.max_p", 0.05).given()
            True
        """
        return toml.dump(json.loads(self.core.given()))

    def differences(self) -> str:
        """Returns the values that differ from the defaults as TOML text, whether the file states others or not.

        Returns:
            The text, which `parse` reads back to the same hash; that of `given` for more than `MOST_COMPARED`
            characters, such as those of recordings.

        Example:
            >>> "floyd93" in dropcurve.Scenario.load("droptail_vs_red").differences()
            True
        """
        tables = json.loads(self.core.given())
        for path in toml.paths(tables) if len(toml.dump(tables)) <= MOST_COMPARED else ():
            rest = toml.without(tables, path)
            try:
                same = _core.Scenario(toml.dump(rest)).hash() == self.hash
            except _core.ScenarioError:
                continue
            tables = rest if same else tables
        return toml.dump(tables)

    def _repr_html_(self) -> str:
        """Title, hash and differences from the defaults, for notebooks."""
        return f"<b>{escape(self.title)}</b> <code>{self.hash}</code><pre>{escape(self.differences())}</pre>"


def _without_tune_section(text: str) -> str:
    """The text without its ``[tune]`` section, which is no part of the simulation."""
    if "[tune" not in text:
        return text
    try:
        tables = parse_toml(text)
    except ValueError:
        return text
    return toml.dump({key: value for key, value in tables.items() if key != "tune"})


def located(problems: Iterable[Problem], text: str) -> list[Problem]:
    """The problems of a file's text with their line numbers."""
    return [replace(problem, line=_core.line_of(text, problem.path)) for problem in problems]


def _problems(error: Exception, origin: str, text: str = "") -> ScenarioError:
    """An error of the core as ScenarioError, with line numbers if ``text`` is given."""
    problems = [Problem(*one) for one in error.args[0]]
    return ScenarioError(located(problems, text) if text else problems, origin=origin)


#: Keys that decide which other keys their table has, and drop the rest: in the order in which they are set.
_CHOICES = {"kind": 0, "transport": 0, "source": 1}


def _choices_first(edits: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Edits with each choice before the other keys of its table, so that it drops none of them."""
    ordered: list[tuple[str, Any]] = []
    for path, value in edits:
        table, _, key = path.rpartition(".")
        place = len(ordered)
        if key in _CHOICES:
            later = [
                number
                for number, (other, _) in enumerate(ordered)
                if other.rpartition(".")[0] == table
                and _CHOICES.get(other.rpartition(".")[2], 2) > _CHOICES[key]
            ]
            place = min(later, default=place)
        ordered.insert(place, (path, value))
    return ordered


def _usable(path: str, value: Any, origin: str) -> None:
    """Raises ScenarioError for values that a scenario cannot hold: None, NaN, infinity, objects of other kinds."""
    if isinstance(value, dict):
        for key, inner in value.items():
            _usable(f"{path}.{key}", inner, origin)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            _usable(path, inner, origin)
    elif not isinstance(value, (bool, int, str)) and not (isinstance(value, float) and math.isfinite(value)):
        problem = Problem(
            path,
            str(value),
            "must be a finite number, true or false, text, a list or a table",
            "write one of these",
        )
        raise ScenarioError([problem], origin=origin)
