"""Names of disciplines and designs, and values of parameters, in sentences, tables and figures."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .candidates import Candidate

#: Disciplines as sentences call them.
DISPLAY_NAMES = {
    "red": "RED", "codel": "CoDel", "fq_codel": "FQ-CoDel", "pie": "PIE", "fq_pie": "FQ-PIE", "droptail": "tail drop",
    "ared": "Adaptive RED", "choke": "CHOKe", "cobalt": "COBALT", "fq_cobalt": "FQ-COBALT", "pi": "PI",
    "nlred": "nonlinear RED", "wred": "WRED",
}  # fmt: skip
#: Parameters that the name of a setting leaves out.
USUAL = ("limit", "ecn", "dialect", "victim", "above_max", "mean_packet", "idle_rate", "unit", "byte_mode",
         "memory_limit", "drop_batch")  # fmt: skip
#: Share by which a box rounds a time at most: Linux to 1.024 us, 7 ms to 6.99904 ms.
ROUNDED = 2e-4
#: A number with a fraction, such as that of ``10.399744 ms``, to which a box rounds ``10.4 ms``.
FRACTION = re.compile(r"\d+\.\d+")


def named(candidate: Candidate) -> str:
    """The discipline that is simulated, by its usual name: WRED for RED as a router loads it."""
    return DISPLAY_NAMES.get(candidate.kind_as_loaded, candidate.kind_as_loaded)


def shown(value: object) -> str:
    """A parameter as text: switches in small letters, numbers to four digits, lists with commas."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ", ".join(map(shown, value))
    if isinstance(value, float):
        return f"{value:.4g}"
    return FRACTION.sub(lambda found: _four_digits(float(found[0])), str(value))


def _four_digits(value: float) -> str:
    rounded = float(f"{value:.3g}")
    if abs(value - rounded) <= ROUNDED * value:
        return f"{rounded:g}"
    return f"{value:.4g}" if value < 1000 else f"{value:.0f}"


def setting(candidate: Candidate, usual: Mapping[str, object] | None = None) -> str:
    """A design in words: ``tail drop with limit 30700 B``, ``PIE with target 5.4 ms, t_update 15 ms``.

    Args:
        candidate: The design.
        usual: Values that are left out, such as the box's defaults.
    """
    params = candidate.params_as_loaded
    kind = candidate.kind_as_loaded
    own = {name: value for name, value in params.items() if name not in USUAL}
    if usual is not None:
        own = {name: value for name, value in own.items() if usual.get(name) != value}
    own = own or {name: value for name, value in params.items() if name == "limit"}
    if kind == "droptail":
        own = {"limit": params.get("limit")}
    values = ", ".join(f"{name} {shown(value)}" for name, value in own.items() if value is not None)
    return f"{named(candidate)} with {values}" if values else named(candidate)
