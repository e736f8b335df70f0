"""Plug-ins: disciplines, congestion controls, traffic sources and metrics that scenarios and tables then name like
built-in ones. Disciplines also come as shared libraries; the others as Python.

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

`CongestionControl` is the class of congestion controls (``cc = "mine"``), `Source` that of sources
(``source = "mine"``), and `metric` registers a metric. Code is loaded for two reasons only: an installed package has an
entry point in the group ``dropcurve.plugins``, or the user names a file (``--plugin FILE``, `load`). A scenario cannot
load any.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import dropcurve._core as _core

from ..errors import Problem, ScenarioError, UsageError
from .plugin_classes import (
    Ack,
    Call,
    Congestion,
    CongestionControl,
    Discipline,
    Draws,
    LinkSetting,
    Packet,
    Parameter,
    PluginMetric,
    Source,
    Window,
    metric,
)

__all__ = [
    "Ack", "Call", "Congestion", "CongestionControl", "Discipline", "Draws", "LinkSetting", "Packet", "Parameter",
    "PluginMetric", "Source", "Window", "conformance", "discover", "files", "load", "loaded", "metric", "register",
]  # fmt: skip

#: Entry points of installed packages: a class, a metric, or the path of a shared library.
GROUP = "dropcurve.plugins"
#: Suffixes of shared libraries.
LIBRARIES = (".so", ".dylib", ".dll")

#: Names of the plug-ins of this process, and the files that they were loaded from by name.
loaded: list[str] = []
files: list[str] = []

#: What a plug-in in Python may be.
Plugin = type[Discipline] | type[CongestionControl] | type[Source] | PluginMetric
CLASSES = (Discipline, CongestionControl, Source)


def load(path: str | Path) -> list[str]:
    """Loads the plug-ins of a Python file, or the discipline of a shared library.

    The code runs with the rights of this process.

    Returns:
        Their names.

    Raises:
        UsageError: If the file cannot be loaded, has no plug-in, or one that cannot be used.
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
    classes = [one for one in vars(_module(path)).values() if _is_own(one, _name(path))]
    if not classes:
        raise UsageError(
            path,
            "",
            "has no class that derives from dropcurve.plugins.Discipline, CongestionControl or Source, and has a name, "
            "and no metric",
            "write one; `dropcurve new discipline` makes a beginning",
            shown="path",
        )
    return [register(one, code=_digest(path.read_bytes())) for one in classes]


def _is_own(value: Any, module: str) -> bool:
    """Whether this value of a module is a plug-in that the module defines."""
    if isinstance(value, PluginMetric):
        return value.function.__module__ == module
    return (
        inspect.isclass(value)
        and issubclass(value, CLASSES)
        and bool(value.name)
        and value.__module__ == module
    )


def register(plugin: Plugin, *, code: str | None = None) -> str:
    """Registers a plug-in for scenarios and tables of this process; returns its name.

    Args:
        plugin: The class, or the metric that `metric` has made.
        code: A hash of its code, which results store; by default over the source of its module.

    Raises:
        UsageError: If its name or a parameter cannot be used.
    """
    if isinstance(plugin, PluginMetric):
        return _note(plugin.register())
    code = _source(plugin) if code is None else code
    enter, what = _discipline, "discipline"
    if issubclass(plugin, CongestionControl):
        enter, what = _control, "congestion control"
    elif issubclass(plugin, Source):
        enter, what = _traffic, "source"
    try:
        enter(plugin, code)
    except _core.PluginError as error:
        raise UsageError(what, plugin.name, str(error), f"correct the {what}", shown="rule") from None
    return _note(plugin.name)


def _texts(plugin: type[Any]) -> tuple[str, str, str]:
    """Name, title and description of a class."""
    about = " ".join((inspect.getdoc(plugin) or "").split())
    return plugin.name, plugin.title or plugin.__name__, about


def _declared(plugin: type[Any]) -> list[tuple[str, str, str, float, float, float]]:
    """The parameters of a class, as the core reads them."""
    return [
        (key, one.unit, one.about, float(one.default), float(one.least), float(one.greatest))
        for key, one in plugin.parameters.items()
    ]


def _discipline(plugin: type[Any], code: str) -> None:
    names = list(plugin.parameters)

    def make(values: list[float], link: tuple[int, int, int]) -> Discipline:
        rate_bps, delay_ns, packet_bytes = link
        instance: Discipline = plugin(
            dict(zip(names, values, strict=True)), LinkSetting(rate_bps, delay_ns / 1e9, packet_bytes)
        )
        return instance

    flags = (plugin.shapes, plugin.decides_at_arrival)
    _core.register_plugin(make, _texts(plugin), _declared(plugin), flags, code)


def _control(plugin: type[Any], code: str) -> None:
    names = list(plugin.parameters)

    def make(values: list[float]) -> CongestionControl:
        instance: CongestionControl = plugin(dict(zip(names, values, strict=True)))
        return instance

    watches = plugin.on_every_ack is not CongestionControl.on_every_ack
    _core.register_control(make, _texts(plugin), _declared(plugin), (watches, plugin.paces), code)


def _traffic(plugin: type[Any], code: str) -> None:
    names = list(plugin.parameters)

    def make(values: list[float], draws: Draws) -> Source:
        instance: Source = plugin(dict(zip(names, values, strict=True)), draws)
        return instance

    if plugin.transport not in ("tcp", "udp"):
        raise UsageError(
            "transport",
            repr(plugin.transport),
            f"of the source {plugin.name} must be tcp or udp",
            "choose one",
        )
    typical = (int(plugin.packet_bytes), int(plugin.rate_bps))
    _core.register_source(make, _texts(plugin), _declared(plugin), plugin.transport == "tcp", typical, code)


@cache
def discover() -> tuple[str, ...]:
    """Loads the plug-ins of installed packages, once a process; returns their names.

    Raises:
        UsageError: If one cannot be loaded; the message names its package.
    """
    if not _offered():
        return ()
    # Imported here, because it takes longer than all the rest of a short command.
    from importlib.metadata import entry_points

    names: list[str] = []
    for point in entry_points(group=GROUP):
        try:
            value: Any = point.load()
            names += load(value) if isinstance(value, (str, Path)) else [register(value)]
        except Exception as error:
            package = point.dist.name if point.dist is not None else point.value
            raise UsageError(
                "plug-in",
                point.name,
                f"of {package} cannot be loaded: {error}",
                "correct or remove the package",
            ) from error
    return tuple(names)


def _offered() -> bool:
    """Whether an installed package may have plug-ins: one of the files that declare them names the group."""
    for folder in map(Path, sys.path):
        if folder.is_file():
            return True  # an archive, which only the import system looks into
        for path in folder.glob("*-info/entry_points.txt"):
            if GROUP in path.read_text(encoding="utf-8", errors="replace"):
                return True
    return False


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
        ScenarioError: With every problem of the table.
        UsageError: With the first rule that was broken, and where.
    """
    total = dict.fromkeys(("arrived", "left", "dropped", "marked"), 0)
    for seed in range(1, seeds + 1):
        try:
            for name, count in zip(total, _core.conformance(queue, seed, steps, reorders), strict=True):
                total[name] += count
        except _core.ScenarioError as error:
            raise ScenarioError([Problem(*one) for one in error.args[0]]) from None
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


def _source(plugin: type[Any]) -> str:
    """Hash over the file of a class; over its name where there is none, as in a notebook."""
    try:
        return _digest(Path(inspect.getfile(plugin)).read_bytes())
    except (OSError, TypeError):
        return _digest(repr(plugin).encode())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
