"""Kinds of links, each with the rates, round trips, buffer and traffic that are usual for it.

Rates are those of common products; buffers are those of devices without active queue management. Every number
can be overridden.
"""

from __future__ import annotations

from ...errors import UsageError, nearest
from .framing import WORDS, Framing
from .profile import LinkProfile, Mix

_HOME = Mix()

#: The presets of ``--link``, by name.
PRESETS: dict[str, LinkProfile] = {
    one.name: one
    for one in (
        LinkProfile("dsl", 16e6, 1e6, (0.02, 0.08), "300ms", _HOME,
                    "rates of ADSL2+ (ITU-G9925); buffers of KWNP10; PPPoE with LLC/SNAP over AAL5 (tc-cake(8))",
                    framing=Framing(*WORDS["pppoe-llcsnap"])),
        LinkProfile("cable", 200e6, 20e6, (0.015, 0.08), "250ms", _HOME,
                    "rates of FCC-MBA; buffers of modems without AQM of FKLLO21"),
        LinkProfile("fibre", 500e6, 500e6, (0.005, 0.08), "50ms", _HOME,
                    "rates of FCC-MBA; buffers assumed"),
        LinkProfile("lte", 30e6, 8e6, (0.04, 0.1), "500ms", Mix(downloads=1, uploads=1),
                    "delays under load of JWLR12; rates assumed"),
        LinkProfile("starlink", 150e6, 15e6, (0.03, 0.1), "200ms", _HOME,
                    "rates and round trips of MTMB22; buffers assumed"),
        LinkProfile("satellite", 25e6, 3e6, (0.6, 0.7), "600ms", Mix(downloads=2, uploads=1, games=0),
                    "rates and latency of FCC-MBA; buffers assumed"),
        LinkProfile("office", 100e6, 100e6, (0.005, 0.1), "100ms",
                    Mix(downloads=6, uploads=2, web=0.2, videos=3, calls=10, games=0), "assumed"),
        LinkProfile("datacentre", 10e9, 10e9, (50e-6, 200e-6), "1bdp",
                    Mix(downloads=8, uploads=0, web=0.1, videos=0, calls=0, games=40, ecn=1.0, cc="dctcp"),
                    "round trips and traffic of DCTCP10; rates assumed"),
    )
}  # fmt: skip


def preset(name: str) -> LinkProfile:
    """The preset of a name. Raises UsageError with the nearest name for one that is not known."""
    if name in PRESETS:
        return PRESETS[name]
    raise UsageError(
        "link", name, "is neither a rate nor a kind of link", nearest(name, PRESETS, otherwise=_known())
    )


def _known() -> str:
    return f"there are {', '.join(PRESETS)}"
