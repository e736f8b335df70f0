"""Advice in a second: starting designs from closed-form models, with the expected queue and the limits of each.

    advice = advise(rate="100Mbit", rtt="20-200ms", flows="5-100", buffer="1000pkts")
    for design in advice.designs:
        print(design.queue, design.why)

Nothing here is simulated; docs/guide/advice-errors.md compares the predictions with simulation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..files.lazy import attributes

if TYPE_CHECKING:
    from .advice import Advice, advise
    from .designs import Design, Expectation
    from .equilibrium import Curve, Equilibrium
    from .fluid import Margins
    from .link_conditions import Conditions, Point, conditions

__all__ = [
    "Advice",
    "Conditions",
    "Curve",
    "Design",
    "Equilibrium",
    "Expectation",
    "Margins",
    "Point",
    "advise",
    "conditions",
]

_HOME = {
    "Advice": "advice",
    "Conditions": "link_conditions",
    "Curve": "equilibrium",
    "Design": "designs",
    "Equilibrium": "equilibrium",
    "Expectation": "designs",
    "Margins": "fluid",
    "Point": "link_conditions",
    "advise": "advice",
    "conditions": "link_conditions",
}

__getattr__ = attributes(__name__, _HOME)
