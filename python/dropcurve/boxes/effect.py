"""Sentences on the difference between a box's queue and the requested one, from their drop curves and averages."""

from __future__ import annotations

from collections.abc import Iterator

from ..advise.spacing import RULES, share
from .settings import Settings

#: Differences of less than this share of the larger value are not reported.
WORTH = 0.02


def effect(wanted: Settings, loaded: Settings) -> list[str]:
    """Sentences on the queue as loaded against the one asked for; empty if curves and averages do not differ."""
    return [*_curves(wanted, loaded), *_weights(wanted, loaded)]


def _curves(asked: Settings, loaded: Settings) -> Iterator[str]:
    asked_curve, loaded_curve = _DropCurve.of(asked), _DropCurve.of(loaded)
    if asked_curve is None or loaded_curve is None:
        return
    for where, avg in (
        ("halfway between the thresholds", asked_curve.middle),
        ("just below max_th", asked_curve.high * 0.999),
    ):
        wanted, got = asked_curve.taken(avg), loaded_curve.taken(avg)
        if abs(wanted - got) > WORTH * max(wanted, got):
            yield (
                f"{where} ({avg:.4g} packets) {_percent(got)} of packets are dropped or marked instead of "
                f"{_percent(wanted)}" + _remedy(asked_curve, loaded_curve)
            )
            break
    beyond = 1.1 * asked_curve.high
    wanted, got = asked_curve.taken(beyond), loaded_curve.taken(beyond)
    if abs(wanted - got) > WORTH * max(wanted, got):
        yield (
            f"above max_th (at {beyond:.4g} packets) {_percent(got)} are dropped or marked, not {_percent(wanted)}"
        )


def _remedy(curve: _DropCurve, loaded: _DropCurve) -> str:
    """The max_p that would make up for another spacing of marks, if only the spacing differs."""
    if curve.points or curve.spacing == loaded.spacing:
        return ""
    wanted = curve.taken(curve.middle)
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2.0
        low, high = (middle, high) if share(middle, loaded.spacing) < wanted else (low, middle)
    return f" (max_p = {2.0 * low:.3g} compensates)" if 0.0 < low < 0.5 else ""


def _weights(wanted: Settings, loaded: Settings) -> Iterator[str]:
    asked_weight, loaded_weight = _weight(wanted), _weight(loaded)
    if (
        asked_weight
        and loaded_weight
        and abs(asked_weight - loaded_weight) > WORTH * max(asked_weight, loaded_weight)
    ):
        packets = wanted.rate_bps / 8.0 / wanted.mean_packet
        slow, fast = 1.0 / (packets * asked_weight), 1.0 / (packets * loaded_weight)
        yield (
            f"the average answers a change of the queue in {_seconds(fast)} instead of {_seconds(slow)} (time "
            "constant at full rate, "
            f"packets of {wanted.mean_packet} B)"
        )


def _weight(settings: Settings) -> float | None:
    if "exponent" in settings:
        return float(0.5 ** settings.whole("exponent"))
    return settings.number("w_q") if "w_q" in settings else None


class _DropCurve:
    """The drop curve of a class: thresholds in packets, or points of (packets, probability)."""

    def __init__(
        self,
        settings: Settings,
        low: float,
        high: float,
        max_p: float,
        points: tuple[tuple[float, float], ...] = (),
    ) -> None:
        self.low, self.high, self.max_p, self.points = low, high, max_p, points
        self.spacing = settings.text("spacing") if settings.options.get("spacing") in RULES else "geometric"
        self.above = str(settings.options.get("above_max", "drop"))

    @classmethod
    def of(cls, settings: Settings) -> _DropCurve | None:
        """The curve of the first class; None for a discipline of another kind."""
        if settings.discipline in ("wred", "gred"):
            low, high = settings.amounts("min_th")[0][0], settings.amounts("max_th")[0][0]
            top = (
                1.0 / settings.numbers("denominator")[0]
                if settings.discipline == "wred"
                else settings.numbers("probability")[0]
            )
            return cls(settings, low, high, top)
        if settings.discipline in ("red", "choke"):
            return cls(
                settings, settings.packets("min_th"), settings.packets("max_th"), settings.number("max_p")
            )
        if settings.discipline == "curve" and settings.text("curve").startswith("points "):
            size = settings.mean_packet if settings.text("unit") == "bytes" else 1
            pairs = [part.split() for part in settings.text("curve").removeprefix("points ").split(",")]
            return cls(settings, 0.0, 0.0, 0.0, tuple((float(avg) / size, float(p)) for avg, p in pairs))
        return None

    @property
    def middle(self) -> float:
        """Half way between the thresholds."""
        return (self.low + self.high) / 2.0

    def taken(self, avg: float) -> float:
        """Share of packets that are dropped or marked at a steady average."""
        if self.points:
            return share(self._between(avg), self.spacing)
        if avg < self.low:
            return 0.0
        if avg < self.high:
            return share(self.max_p * (avg - self.low) / (self.high - self.low), self.spacing)
        if self.above == "gentle":
            return share(
                min(1.0, self.max_p + (1.0 - self.max_p) * (avg - self.high) / self.high), self.spacing
            )
        return share(self.max_p, self.spacing) if self.above == "capped" else 1.0

    def _between(self, avg: float) -> float:
        for (left, p), (right, q) in zip(self.points, self.points[1:], strict=False):
            if left <= avg < right:
                return p + (q - p) * (avg - left) / (right - left)
        return 0.0 if avg < self.points[0][0] else self.points[-1][1]


def _percent(value: float) -> str:
    return f"{100.0 * value:.3g} %"


def _seconds(value: float) -> str:
    return f"{value:.3g} s" if value >= 1.0 else f"{1000.0 * value:.3g} ms"
