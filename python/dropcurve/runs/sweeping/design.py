"""Settings of a sweep: every combination of listed values, or a sample of ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, get_args

from ...errors import UsageError, require
from ...quantities import ranges, values
from ...quantities.ranges import Range
from ...scenario import Scenario
from ..variants import with_queue

if TYPE_CHECKING:
    from numpy.typing import NDArray

Method = Literal["sobol", "latin", "random"]
#: Default number of points of a sample.
POINTS = 64

#: One setting: path to value.
Setting = dict[str, Any]


@dataclass(frozen=True)
class DesignPoint:
    """A setting with the scenario it makes. ``queue`` is "" for the scenario's own queue."""

    number: int
    queue: str
    setting: Setting
    scenario: Scenario


def points(
    base: Scenario,
    vary: Mapping[str, Sequence[Any] | Range | str],
    *,
    queues: Sequence[str] = (),
    at: str = "queue",
    samples: int | None = None,
    method: str = "sobol",
    seed: int = 1,
) -> list[DesignPoint]:
    """Every point, in order: queues, times listed values, times the sample of all ranges together.

    Raises UsageError for nothing to vary or an unknown method, ScenarioError for a point that is refused.
    """
    axes = axes_of(vary, base)
    listed = {path: some for path, some in axes.items() if not isinstance(some, Range)}
    sampled = {path: some for path, some in axes.items() if isinstance(some, Range)}
    if not axes and len(queues) < 2:
        raise UsageError(
            "--vary",
            "",
            "not given, so there is nothing to sweep",
            "give --vary PATH=VALUE,VALUE or PATH=LOW..HIGH, or --queue twice",
        )
    if samples is not None and not sampled:
        raise UsageError(
            "--points", samples, "are drawn from ranges, and none was given", "write --vary PATH=LOW..HIGH"
        )
    check_method(method)
    drawn = sample(sampled, samples or POINTS, method=method, seed=seed) if sampled else [{}]
    grid = [dict(zip(listed, some, strict=True)) for some in product(*listed.values())]
    design_points: list[DesignPoint] = []
    for queue in queues or [""]:
        start = with_queue(base, queue, at) if queue else base
        for setting in ({**fixed, **some} for fixed in grid for some in drawn):
            scenario = start.edit(setting.items()) if setting else start
            design_points.append(DesignPoint(len(design_points), queue, setting, scenario))
    return design_points


def axes_of(vary: Mapping[str, Sequence[Any] | Range | str], base: Scenario) -> dict[str, list[Any] | Range]:
    """Returns the axes of a sweep, each a list of values or a range. Raises UsageError for text of another form."""
    return {path: _axis(path, some, base) for path, some in vary.items()}


def is_grid(vary: Mapping[str, Sequence[Any] | Range | str], base: Scenario) -> bool:
    """Whether every axis is a list of values."""
    return not any(isinstance(axis, Range) for axis in axes_of(vary, base).values())


def options(
    queues: Sequence[str],
    at: str,
    vary: Mapping[str, Sequence[Any] | Range | str],
    samples: int | None,
    method: str,
) -> list[tuple[str, Any]]:
    """The arguments of `points` as options of the command line, defaults left out."""
    return [
        *(("queue", queue) for queue in queues),
        *([] if at == "queue" else [("at", at)]),
        *(("vary", f"{path}={_shown(some)}") for path, some in vary.items()),
        ("points", samples),
        ("method", None if method == "sobol" else method),
    ]


def check_method(method: str) -> None:
    """Raises UsageError for an unknown method of sampling."""
    if method not in get_args(Method):
        raise UsageError(
            "method", method, f"must be one of {', '.join(get_args(Method))}", "choose one of these"
        )


def sample(axes: Mapping[str, Range], count: int, *, method: str, seed: int) -> list[Setting]:
    """``count`` settings spread over all ranges at once."""
    unit = cube(len(axes), count, method=method, seed=seed)
    return [
        {
            path: axis.shown(axis.at(float(share)))
            for (path, axis), share in zip(axes.items(), one, strict=True)
        }
        for one in unit
    ]


def cube(dimensions: int, count: int, *, method: str, seed: int) -> NDArray[Any]:
    """``count`` points in the unit cube: scrambled Sobol (Owen 1998), Latin hypercube, or independent."""
    require("scipy")
    import numpy as np
    from scipy.stats import qmc

    check_method(method)
    if count < 1:
        raise UsageError("points", count, "must be 1 or more", "give the number of points to draw")
    if method == "sobol":
        whole = qmc.Sobol(dimensions, scramble=True, rng=np.random.default_rng(seed))
        sample: NDArray[Any] = whole.random_base2((count - 1).bit_length())[:count]
        return sample
    if method == "latin":
        latin: NDArray[Any] = qmc.LatinHypercube(dimensions, rng=np.random.default_rng(seed)).random(count)
        return latin
    return np.random.default_rng(seed).random((count, dimensions))


def _shown(levels: Sequence[Any] | Range | str) -> str:
    if isinstance(levels, Range):
        unit = f" {levels.unit}" if levels.unit else ""
        return f"{levels.low:g}{unit}..{levels.high:g}{unit} {levels.scale}"
    return levels if isinstance(levels, str) else ",".join(map(values.show, levels))


def _axis(path: str, levels: Sequence[Any] | Range | str, base: Scenario) -> list[Any] | Range:
    """A list of values, or a range; a text with two dots in it is one."""
    if isinstance(levels, Range):
        return levels
    if isinstance(levels, str) or (len(levels) == 1 and isinstance(levels[0], str) and ".." in levels[0]):
        text = levels if isinstance(levels, str) else levels[0]
        if not ranges.is_range(text):
            raise UsageError(
                path, text, "must be a list of values, or a range", "write one such as 0.01..0.5"
            )
        return ranges.parse(text, name=path)
    if not levels:
        raise UsageError(path, "", "needs at least one value", "write some, such as 0.1,0.2")
    base.get(path)
    return list(levels)
