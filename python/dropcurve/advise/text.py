"""Advice as text and as data."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from ..quantities import units
from .designs import Design, Expectation
from .first_choice import first_choice
from .fluid import Margins
from .link_conditions import Conditions

#: Words for the regime of an equilibrium (`equilibrium.Equilibrium`); "" for the usual ones.
REGIMES = {
    "curve": "",
    "edge": "at the jump of the curve: oscillates",
    "buffer": "at the limit: drops by overflow only",
    "held": "",
}


def text(
    conditions: Conditions, designs: Sequence[Design], notes: Sequence[str], *, assumed: str = "", width: int
) -> str:
    """Returns the whole advice as text of at most ``width`` columns."""
    opening = " ".join(first_choice(conditions, designs).sentences)
    lines = [*_wrapped(opening, width, "", ""), "", *_head(conditions, width)]
    for note in notes:
        lines += ["", *_wrapped(note, width, "! ", "  ")]
    for number, design in enumerate(designs, start=1):
        lines += ["", *_design(number, design, width)]
    lines += [
        "",
        *_wrapped(
            "Expected figures are those of the models; docs/guide/advice-errors.md compares them with "
            "simulation. Margins: by how much the gain of the loop may grow, and the phase left, before the "
            "queue oscillates; – where the loop's gain is below 1 throughout.",
            width, "", "",
        ),
    ]  # fmt: skip
    lines += ["", *_wrapped(f"Assumed: {assumed}", width, "", "")] if assumed else []
    return "\n".join(lines)


def _head(conditions: Conditions, width: int) -> Iterator[str]:
    buffer = "" if conditions.buffer is None else f", buffer {conditions.buffer:.0f} packets"
    rate = units.show_rate(float(f"{conditions.rate_bps:.4g}"))
    if conditions.line_bps:
        rate += f" (left to full packets by the framing of a line of {units.show_rate(conditions.line_bps)})"
    yield from _wrapped(
        f"{rate}, round trip {_range(*(1000 * x for x in conditions.rtt_s))} ms, "
        f"{_range(*conditions.flows)} TCP flow{'' if conditions.flows[1] == 1 else 's'}, "
        f"packets of {conditions.packet_bytes} B{buffer}",
        width,
        "",
        "",
    )
    if conditions.udp_bps:
        yield f"(the rest of the link after {units.show_rate(conditions.udp_bps)} of UDP)"
    trips = [conditions.capacity * x for x in conditions.rtt_s]
    yield from _wrapped(
        f"{conditions.capacity:.4g} packets/s; a round trip holds {_range(*trips)} packets. Queueing delay aimed at: "
        f"{units.show_span(conditions.aim_s)} in the mean"
        + (f", half of the {units.show_span(conditions.target_delay_s)} allowed" if conditions.target_delay_s else "")
        + ".",
        width, "", "",
    )  # fmt: skip


def _design(number: int, design: Design, width: int) -> Iterator[str]:
    yield f"{number}. {design.name}"
    yield f'   --queue "{design.queue}"'
    yield from _wrapped(f"{design.formula}  [{design.source}]", width, "   formula  ", "            ")
    yield from _wrapped(design.why, width, "   why      ", "            ")
    yield from _wrapped(design.fails, width, "   fails    ", "            ")
    for note in design.notes:
        yield from _wrapped(note, width, "   note     ", "            ")
    if design.expected:
        yield f"   expect   {'':<24}{'queue':>14}{'delay':>12}{'drops':>10}{'gain margin':>18}{'phase':>8}"
        for one in design.expected:
            yield "            " + _expected(one)


def _expected(expectation: Expectation) -> str:
    at = expectation.at
    delay = at.rtt_s - expectation.point.rtt_s
    gain, phase = _margins(expectation.margins)
    row = f"{expectation.point.label():<24}{at.queue:>9.4g} pkts{1000 * delay:>9.3g} ms{_share(at.loss):>10}"
    note = REGIMES[at.regime]
    return f"{row}{gain:>18}{phase:>8}  {note}".rstrip()


def _margins(margins: Margins | None) -> tuple[str, str]:
    if margins is None:
        return "", ""
    gain = "–" if math.isinf(margins.gain) else _factor(margins.gain)
    if margins.gain <= 1.0:
        gain += " unstable"
    return gain, "–" if math.isnan(margins.phase_deg) or margins.gain <= 1.0 else f"{margins.phase_deg:.0f}°"


def _factor(value: float) -> str:
    if not 0.01 <= value < 1000.0:
        return "> ×1000" if value >= 1000.0 else "< ×0.01"
    return f"×{value:.0f}" if value >= 10.0 else f"×{value:.2g}"


def _share(loss: float) -> str:
    return f"{100 * loss:.2g} %" if loss >= 1e-6 else f"{100 * loss:.0e} %" if loss else "0 %"


def _range(low: float, high: float) -> str:
    return f"{low:.4g}" if f"{low:.4g}" == f"{high:.4g}" else f"{low:.4g} to {high:.4g}"


def _wrapped(words: str, width: int, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        words,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def data(conditions: Conditions, designs: Sequence[Design], notes: Sequence[str]) -> dict[str, Any]:
    """Returns the advice as data for JSON: numbers with their unit in the key."""
    return {
        "conditions": {
            "rate_bps": conditions.rate_bps, "rtt_s": list(conditions.rtt_s), "flows": list(conditions.flows),
            "buffer_pkts": conditions.buffer, "packet_bytes": conditions.packet_bytes,
            "target_delay_s": conditions.target_delay_s, "ecn": conditions.ecn, "capacity_pps": conditions.capacity,
        },
        "notes": list(notes),
        "answer": {
            "design": (chosen := first_choice(conditions, designs)).design.name, "sentences": list(chosen.sentences),
        },
        "designs": [
            {
                "name": one.name, "discipline": one.discipline, "params": one.params, "queue": one.queue,
                "formula": one.formula, "source": one.source, "why": one.why, "fails": one.fails,
                "notes": list(one.notes), "expected": [_expected_data(row) for row in one.expected],
            }
            for one in designs
        ],
    }  # fmt: skip


def _expected_data(expectation: Expectation) -> dict[str, Any]:
    margins = expectation.margins
    return {
        "flows": expectation.point.flows, "rtt_s": expectation.point.rtt_s, "queue_pkts": expectation.at.queue,
        "delay_s": expectation.at.rtt_s - expectation.point.rtt_s, "loss": expectation.at.loss,
        "window_pkts": expectation.at.window, "regime": expectation.at.regime,
        "gain_margin": None if margins is None else _finite(margins.gain),
        "phase_margin_deg": None if margins is None else _finite(margins.phase_deg),
        "crossover_rad_per_s": None if margins is None else _finite(margins.crossover),
    }  # fmt: skip


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
