"""Links with their usual traffic: rates, round trips, buffer and mix.

profile, direction = links.parse("cable:up,rtt=20-60ms")
scenario = links.scenario(profile, direction=direction)
print(profile.assumptions(direction))
"""

from .parse import PREFIX, load, parse
from .presets import PRESETS, preset
from .profile import DIRECTIONS, PACKET_BYTES, LinkProfile, Mix
from .traffic import ASSUMED, scenario

__all__ = [
    "ASSUMED",
    "DIRECTIONS",
    "PACKET_BYTES",
    "PREFIX",
    "PRESETS",
    "LinkProfile",
    "Mix",
    "load",
    "parse",
    "preset",
    "scenario",
]
