"""Plug-ins: disciplines in Python, or in shared libraries, that scenarios then name like built-in ones.

    from dropcurve import plugins

    class Half(plugins.Discipline):
        '''Drops each arrival with probability one half.'''

        name = "half"

        def enqueue(self, packet, call):
            if call.uniform() < 0.5:
                call.drop(packet.number, "early")
            else:
                self.queue.append(packet.number)

        def dequeue(self, call):
            return self.queue.popleft() if self.queue else None

Code is loaded for two reasons only: an installed package has an entry point in the group ``dropcurve.plugins``, or the
user names a file (``--plugin FILE``, `load`). A scenario cannot load any.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import dropcurve._core as _core

from ..errors import UsageError

#: Entry points of installed packages: a `Discipline` class, or the path of a shared library.
GROUP = "dropcurve.plugins"
#: Suffixes of shared libraries.
LIBRARIES = (".so", ".dylib", ".dll")

#: Names of the plug-ins of this process, and the files that they were loaded from by name.
loaded: list[str] = []
files: list[str] = []

Packet = _core.PluginPacket
Call = _core.PluginCall


@dataclass(frozen=True)
class Parameter:
    """A parameter of a discipline: a number.

    Attributes:
        default: Its default, in seconds, bits per second, or ``unit``.
        unit: "s" (written ``"20 ms"``), "bit/s" (``"10 Mbit/s"``), or any other word, which may follow the number.
        about: Its meaning.
        least: The least value.
        greatest: The greatest value.
    """

    default: float
    unit: str = ""
    about: str = ""
    least: float = 0.0
    greatest: float = 1e15


@dataclass(frozen=True)
class LinkSetting:
    """The link behind a queue: bit/s (0 is unlimited), seconds of propagation delay, bytes of a typical packet."""

    rate_bps: int
    delay_s: float
    packet_bytes: int


class Discipline(ABC):
    """Base class of disciplines in Python; the docstring of a class is its description.

    A packet is handled by its number (``packet.number``), which is free for another one once it has left or is
    dropped; the simulator stores the packets and counts them. Random numbers come from ``call.uniform()`` alone, so
    that a run can be repeated.

    Attributes:
        name: Value of ``kind`` in a scenario: lower-case letters, digits and ``_``.
        title: Its name in words; by default the name of the class.
        parameters: Its parameters by key.
        shapes: Whether it holds packets back although the link is free; then it sets ``call.set_ready(ns)``.
        values: The parameters' values of this queue.
        link: The link behind this queue.
        queue: An empty deque, for the numbers of packets.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    parameters: ClassVar[Mapping[str, Parameter]] = {}
    shapes: ClassVar[bool] = False

    def __init__(self, values: Mapping[str, float], link: LinkSetting) -> None:
        self.values = dict(values)
        self.link = link
        self.queue: deque[int] = deque()

    def first_deadline(self) -> int | None:
        """Nanoseconds until the first call of `on_deadline`; None for a discipline without a periodic controller."""
        return None

    @abstractmethod
    def enqueue(self, packet: Packet, call: Call) -> None:
        """Takes a packet: queues its number, or drops it (or another one) with ``call.drop``."""

    @abstractmethod
    def dequeue(self, call: Call) -> int | None:
        """Returns the number of the packet to send. None if there is none: the link becomes idle."""

    def on_deadline(self, call: Call) -> None:
        """A periodic controller's tick: sets the next one with ``call.set_deadline(ns)``. Here it sets none."""
        call.set_deadline(2**64 - 1)


def load(path: str | Path) -> list[str]:
    """Loads the disciplines of a Python file or a shared library, whose code runs with the rights of this process.

    Returns:
        Their names.

    Raises:
        UsageError: If the file cannot be loaded, has no discipline, or one that cannot be used.
    """
    path = Path(path)
    names = _load(path)
    # Printed commands name it, so only loaded files count.
    if str(path) not in files:
        files.append(str(path))
    return names


def _load(path: Path) -> list[str]:
    if not path.is_file():
        raise UsageError(
            "file", path, "no such file", "name a Python file or a shared library", shown="value"
        )
    if path.suffix in LIBRARIES:
        try:
            return [_note(_core.load_plugin(str(path.resolve())))]
        except _core.PluginError as error:
            raise UsageError(
                "file",
                path,
                str(error),
                "correct the library, or build it again for this version",
                shown="rule",
            ) from None
    found = [
        one
        for one in vars(_module(path)).values()
        if inspect.isclass(one) and issubclass(one, Discipline) and one.name and one.__module__ == _name(path)
    ]
    if not found:
        raise UsageError(
            path,
            "",
            "has no class that derives from dropcurve.plugins.Discipline and has a name",
            "write one; `dropcurve new discipline` makes a beginning",
            shown="path",
        )
    return [register(one, code=_digest(path.read_bytes())) for one in found]


def register(discipline: type[Discipline], *, code: str | None = None) -> str:
    """Makes a class known to scenarios of this process; returns its name.

    Args:
        discipline: The class.
        code: A hash of its code, which results store; by default over the source of its module.

    Raises:
        UsageError: If its name or a parameter cannot be used.
    """
    about = " ".join((inspect.getdoc(discipline) or "").split())
    names = list(discipline.parameters)

    def make(values: list[float], link: tuple[int, int, int]) -> Discipline:
        rate_bps, delay_ns, packet_bytes = link
        return discipline(
            dict(zip(names, values, strict=True)), LinkSetting(rate_bps, delay_ns / 1e9, packet_bytes)
        )

    declared = [
        (key, one.unit, one.about, float(one.default), float(one.least), float(one.greatest))
        for key, one in discipline.parameters.items()
    ]
    title = discipline.title or discipline.__name__
    try:
        _core.register_plugin(
            make,
            (discipline.name, title, about),
            declared,
            discipline.shapes,
            _source(discipline) if code is None else code,
        )
    except _core.PluginError as error:
        raise UsageError(
            "discipline", discipline.name, str(error), "correct the discipline", shown="rule"
        ) from None
    return _note(discipline.name)


@cache
def discover() -> tuple[str, ...]:
    """Loads the plug-ins of installed packages, once a process; returns their names.

    Raises:
        UsageError: If one cannot be loaded; the message names its package.
    """
    found: list[str] = []
    for point in entry_points(group=GROUP):
        try:
            value: Any = point.load()
            found += load(value) if isinstance(value, (str, Path)) else [register(value)]
        except Exception as error:
            package = point.dist.name if point.dist is not None else point.value
            raise UsageError(
                "plug-in",
                point.name,
                f"of {package} cannot be loaded: {error}",
                "correct or remove the package",
            ) from error
    return tuple(found)


def conformance(queue: str, *, seeds: int = 20, steps: int = 2_000, reorders: bool = False) -> dict[str, int]:
    """Checks a discipline against the rules for every queue: no packet lost or invented, order within a flow, right
    counts, ECN respected, reproducible results.

    Args:
        queue: Its table in TOML: ``kind = "half"``.
        seeds: Number of random sequences of arrivals, departures and pauses.
        steps: Length of each.
        reorders: Whether packets of one flow may overtake each other.

    Returns:
        Packets that arrived, left, were dropped and marked, over all sequences.

    Raises:
        UsageError: With the first rule that was broken, and where.
    """
    total = dict.fromkeys(("arrived", "left", "dropped", "marked"), 0)
    for seed in range(1, seeds + 1):
        try:
            for name, count in zip(total, _core.conformance(queue, seed, steps, reorders), strict=True):
                total[name] += count
        except _core.PluginError as error:
            raise UsageError(
                "conformance",
                f"seed {seed}",
                str(error),
                "correct the discipline; the same seed repeats the fault",
            ) from None
    return total


def _note(name: str) -> str:
    if name not in loaded:
        loaded.append(name)
    return name


def _module(path: Path) -> ModuleType:
    name = _name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(
            "file",
            path,
            f"is neither a Python file nor a shared library ({', '.join(LIBRARIES)})",
            "name such a file",
            shown="value",
        )
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(
            path, "", f"{type(error).__name__}: {error}", "correct the file", shown="path"
        ) from error
    return module


def _name(path: Path) -> str:
    return f"dropcurve_plugin_{_digest(str(path.resolve()).encode())}"


def _source(discipline: type[Any]) -> str:
    """Hash over the file of a class; over its name where there is none, as in a notebook."""
    try:
        return _digest(Path(inspect.getfile(discipline)).read_bytes())
    except (OSError, TypeError):
        return _digest(repr(discipline).encode())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
