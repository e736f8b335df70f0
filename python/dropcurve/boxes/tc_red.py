"""RED and its relatives in Linux: thresholds in whole bytes (or packets), a weight that is a power of two.

tc derives the weight from a burst: see `tc_numbers`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..quantities import units
from . import tc_numbers as tc
from .model import Note, Problems
from .settings import Settings


@dataclass(frozen=True)
class TcCurve:
    """One curve as tc takes it: thresholds and limit in ``unit`` ("bytes" or "packets"), the burst, and the exponent
    of the weight that follows from it.
    """

    limit: int
    low: int
    high: int
    max_p: float
    burst: int
    exponent: int
    avpkt: int
    unit: str

    @property
    def w_q(self) -> float:
        """The weight as loaded."""
        return float(0.5**self.exponent)

    @property
    def max_p_loaded(self) -> float:
        """The probability just below max_th as loaded."""
        return tc.max_p_loaded(self.max_p, self.high - self.low)

    def words(self) -> list[str]:
        """The options that red, gred and choke share."""
        return [
            "limit", str(self.limit), "min", str(self.low), "max", str(self.high), "avpkt", str(self.avpkt),
            "burst", str(self.burst), "probability", tc.show_number(self.max_p),
        ]  # fmt: skip

    def amount(self, value: int) -> str:
        """An amount as scenarios write it."""
        return f"{value} B" if self.unit == "bytes" else f"{value} pkts"


def curve(
    settings: Settings,
    *,
    limit: float,
    low: float,
    high: float,
    max_p: float,
    w_q: float,
    unit: str,
    notes: list[Note],
    problems: Problems,
    name: str = "",
) -> TcCurve | None:
    """The options for tc. Adds to ``notes`` and ``problems``; None if there is a problem."""
    at = f"{name}." if name else ""
    before = len(problems.all)
    whole = {"min_th": round(low), "max_th": round(high), "limit": round(limit)}
    for key, exact in (("min_th", low), ("max_th", high), ("limit", limit)):
        if whole[key] != exact:
            notes.append(Note("rounded", f"{at}{key}", f"{exact:g} becomes {whole[key]} {unit}"))
    _check(whole, max_p, problems, at)
    if len(problems.all) > before:
        return None
    probability = _probability(max_p, whole["max_th"] - whole["min_th"], notes, at)
    if tc.plog(whole["min_th"], whole["max_th"], probability) is None:
        problems.add(
            f"{at}max_p",
            f"{max_p:g}",
            "is too flat for tc: max_p/(max_th - min_th) must exceed 2^-31",
            "raise max_p",
        )
        return None
    exponent, avpkt, burst = _weight(settings, whole, w_q, unit, notes, problems, at)
    if burst is None:
        return None
    return TcCurve(
        whole["limit"], whole["min_th"], whole["max_th"], probability, burst, exponent, avpkt, unit
    )


def _check(whole: dict[str, int], max_p: float, problems: Problems, at: str) -> None:
    low, high, limit = whole["min_th"], whole["max_th"], whole["limit"]
    problems.require(low >= 1, f"{at}min_th", low, "must be 1 or more once rounded", "raise it")
    problems.require(
        high > low, f"{at}max_th", high, f"must exceed min_th ({low})", "raise it, or lower min_th"
    )
    problems.require(
        limit > high, f"{at}limit", limit,
        f"must exceed max_th ({high}); otherwise the buffer overflows before RED drops every packet",
        "raise limit, or lower both thresholds",
    )  # fmt: skip
    problems.require(0.0 < max_p <= 1.0, f"{at}max_p", max_p, "must lie in (0, 1]")
    problems.require(limit < 2**32, f"{at}limit", limit, "must stay below 2^32 for tc", "lower limit")


def _probability(max_p: float, span: int, notes: list[Note], at: str) -> float:
    """max_p as tc takes it: at 1 its 32-bit fraction overflows to 0 and the kernel falls back to a power of two.

    A value that misses a whole step only because it was written with twelve digits is rounded up to it.
    """
    if max_p >= 1.0 - 2.0**-33:
        text = "1 overflows tc's 32 bits (the kernel would take a power of two): 0.9999999"
        notes.append(Note("rounded", f"{at}max_p", text))
        return 0.9999999
    steps = int(max_p * (1.0 + 1e-11) * 2.0**32) // span
    exact = steps * span / 2.0**32
    if abs(exact - max_p) > 0.005 * max_p:
        notes.append(
            Note("rounded", f"{at}max_p", f"{max_p:.4g} becomes {exact:.4g}: {steps} steps of 2^-32 a unit")
        )
    same = int(max_p * 2.0**32) // span == steps and tc.plog(0, span, max_p) is not None
    return max_p if same else (steps * span + 0.5) / 2.0**32


def _weight(
    settings: Settings,
    whole: dict[str, int],
    w_q: float,
    unit: str,
    notes: list[Note],
    problems: Problems,
    at: str,
) -> tuple[int, int, int | None]:
    """(exponent, avpkt, burst): the nearest power of two that tc can set and the kernel accepts."""
    wanted = tc.exponent_of(w_q)
    most = tc.most_exponent(whole["max_th"])
    if most < 1:
        problems.add(f"{at}max_th", whole["max_th"], "must stay below 2^30 for the kernel", "lower it")
        return 0, 0, None
    exponent = min(wanted, most)
    if exponent < wanted:
        rule = f"2^-{wanted} does not fit the kernel's 32 bits with max_th = {whole['max_th']}: 2^-{most}"
        notes.append(Note("rounded", f"{at}w_q", rule))
    avpkt = settings.mean_packet
    while True:
        low = whole["min_th"] / avpkt if unit == "bytes" else float(whole["min_th"])
        some = tc.bursts(low, exponent)
        if some or unit == "packets" or avpkt <= 8:
            break
        avpkt //= 2
    if not some:
        exponent = 1
        some = tc.bursts(low, 1)
        notes.append(
            Note(
                "rounded",
                f"{at}w_q",
                f"no burst brings tc to 2^-{wanted} with min_th = {whole['min_th']}: 1/2",
            )
        )
    if avpkt != settings.mean_packet:
        text = f"{settings.mean_packet} B becomes {avpkt} B, so that min_th is several packets "
        text += "(for burst and idle time)"
        notes.append(Note("rounded", f"{at}mean_packet", text))
    loaded = 0.5**exponent
    if abs(loaded - w_q) > 1e-9 * w_q:
        notes.append(
            Note(
                "rounded",
                f"{at}w_q",
                f"{w_q:.4g} becomes 2^-{exponent} = {loaded:.4g} (x {loaded / w_q:.2f})",
            )
        )
    if exponent >= 10:
        notes.append(
            Note(
                "load",
                "burst",
                f"tc warns that a burst of {some[len(some) // 2]} seems too large; it loads all the same",
            )
        )
    return exponent, avpkt, some[len(some) // 2]


def lost_options(settings: Settings, notes: list[Note], *, spacing: str = "cycle") -> None:
    """Notes on differences between Linux and the requested options."""
    asked = settings.options.get("spacing")
    if asked is not None and asked != spacing:
        notes.append(
            Note("lost", "spacing", f"{asked} becomes {spacing}: marks are spaced uniformly on 1 to 1/p")
        )
    above = settings.options.get("above_max")
    if above == "gentle":
        notes.append(
            Note("lost", "above_max", "there is no gentle mode: every packet is dropped from max_th up")
        )
    elif above == "capped":
        notes.append(Note("lost", "above_max", "every packet is dropped from max_th up"))
    for key, plain in (
        ("byte_mode", "off"), ("sample", "before"), ("counting", "between"), ("victim", "arriving"),
        ("forced_as_early", False), ("min_queue", 0), ("ecn_step", False), ("mark_limit", "auto"),
        ("incapable", "drop"), ("caution", "off"),
    ):  # fmt: skip
        if key in settings.options and settings.options[key] != plain:
            text = "true" if settings.options[key] is True else str(settings.options[key])
            notes.append(Note("lost", key, f"{text}: Linux always uses {str(plain).lower()}"))
    if settings.flag("ecn") and settings.options.get("ecn_forced") == "drop":
        notes.append(
            Note("lost", "ecn_forced", "Linux marks from max_th up, too, unless harddrop is given, as here")
        )


def loaded(curve: TcCurve, settings: Settings, *, ecn: bool) -> dict[str, Any]:
    """The options of `red` that behave as the kernel will."""
    return {
        "dialect": "linux", "limit": curve.amount(curve.limit), "min_th": curve.amount(curve.low),
        "max_th": curve.amount(curve.high),
        "max_p": curve.max_p_loaded, "w_q": curve.w_q, "mean_packet": f"{curve.avpkt} B",
        "idle_rate": units.show_rate(round(settings.rate_bps)), "ecn": ecn,
        **forced(settings),
    }  # fmt: skip


def forced(settings: Settings) -> dict[str, Any]:
    """`harddrop` as an option, where it was asked for."""
    asked = settings.flag("ecn") and settings.options.get("ecn_forced") == "drop"
    return {"ecn_forced": "drop"} if asked else {}
