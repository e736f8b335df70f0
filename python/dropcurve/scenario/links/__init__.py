"""Links with their usual traffic: rates, round trips, buffer and mix.

spec = links.spec("cable:up,rtt=20-60ms,downloads=1-4")
for scenario in links.scenarios("cable:up,downloads=1-4"):
    print(scenario.title)
"""

from .parse import PREFIX, USUAL, LinkSpec, load, overrides, parse, scenarios, spec, with_l4s
from .presets import PRESETS, preset
from .profile import DIRECTIONS, LOCAL_S, PACKET_BYTES, LinkProfile, Mix
from .traffic import ASSUMED, scenario

__all__ = [
    "ASSUMED",
    "DIRECTIONS",
    "LOCAL_S",
    "PACKET_BYTES",
    "PREFIX",
    "PRESETS",
    "USUAL",
    "LinkProfile",
    "LinkSpec",
    "Mix",
    "load",
    "overrides",
    "parse",
    "preset",
    "scenario",
    "scenarios",
    "spec",
    "with_l4s",
]
