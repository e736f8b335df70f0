"""Names, addresses and clock of a lab's two hosts."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

#: Networks of the hosts on the left and on the right; the last two bytes of an address are the flow's number, from 1.
NETWORKS = {"left": "10.77", "right": "10.78"}
#: The other host.
OTHER = {"left": "right", "right": "left"}
#: Port of the first flow; the others follow.
FIRST_PORT = 5201
#: Length in seconds of the intervals in which receivers count bytes.
INTERVAL_S = 0.5


def address(host: str, number: int) -> str:
    """Address of a flow's end on a host."""
    return f"{NETWORKS[host]}.{(number + 1) >> 8}.{(number + 1) & 255}"


def source(flow: Mapping[str, Any]) -> str:
    """The host that sends a flow."""
    return "right" if flow["reverse"] else "left"


def pause_until(moment: float) -> None:
    """Sleeps until a moment of the monotonic clock."""
    if (left := moment - time.monotonic()) > 0:
        time.sleep(left)
