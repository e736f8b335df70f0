"""The answer of a sweep in sentences: for each metric the setting that changes it most, and how far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ... import metrics
from ...metrics import main_effects
from ...metrics.main_effects import MainEffect, RunValue, Value
from ...metrics.statistics import Interval
from ...quantities import wording


def sentences(settings: Sequence[str], measured: Mapping[str, Sequence[RunValue]]) -> list[str]:
    """Returns a sentence for each metric that has values; none where only one level was run.

    The means are over all levels of the other settings, with their 95 % intervals over the seeds.

    Args:
        settings: Names of the varied settings.
        measured: All runs by metric.
    """
    lines = []
    for name, runs in measured.items():
        effects = main_effects.effects(settings, runs)
        if effects and sum(one.mean is not None for one in effects[0].means) > 1:
            lines.append(_sentence(name, effects[0]))
    return lines


def _sentence(name: str, effect: MainEffect) -> str:
    metric, scope = metrics.split(name)
    title = metrics.find(metric).title + (f" of {scope}" if scope else "")
    title = title[:1].upper() + title[1:]
    known = [
        (one.mean, one, level)
        for one, level in zip(effect.means, effect.levels.values, strict=True)
        if one.mean is not None
    ]
    low, high = min(known, key=lambda one: one[0]), max(known, key=lambda one: one[0])
    if not _disjoint(low[1], high[1]):
        return f"{title}: no difference between settings found."
    unit, within = metrics.find(metric).unit, metrics.find(metric).possible
    ends = " to ".join(
        f"{wording.amount(one.mean, one.half_width, unit, within=within)} at {_level(effect.levels.setting, level)}"
        for _, one, level in (low, high)
    )
    return f"{title}: the {wording.setting(effect.levels.setting)[0]} changes it most, from {ends}."


def _disjoint(low: Interval, high: Interval) -> bool:
    """Whether two intervals do not overlap; False without intervals."""
    if low.mean is None or high.mean is None or low.half_width is None or high.half_width is None:
        return False
    return high.mean - high.half_width > low.mean + low.half_width


def _level(setting: str, level: Value) -> str:
    if isinstance(level, str):
        return level
    divisor, unit = wording.scaled(wording.setting(setting)[1], level)
    return f"{level / divisor:.4g} {unit}".rstrip()
