"""Bytes that a line adds to every packet, as CAKE's shaper counts them (tc-cake(8)).

The framing belongs to the line and is there below any queue; shapers of other disciplines count the Ethernet header
alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..quantities import units

#: Parameters of CAKE that state the framing of the line.
LINE = ("overhead", "mpu", "framing")
#: Bytes of a full packet, and of the Ethernet header that the kernel counts.
FULL_BYTES, ETHERNET_BYTES = 1500, 14
#: Bytes of a cell of ATM and of its payload (ITU-T I.361).
CELL_BYTES, CELL_PAYLOAD = 53, 48
#: Bytes of a PTM block and of its payload (IEEE 802.3, clause 61).
BLOCK_BYTES, BLOCK_PAYLOAD = 65, 64


def share(params: Mapping[str, Any], *, counted: int = 0) -> float:
    """Share of a CAKE shaper's rate that full packets get, after the bytes that it adds to each.

    Args:
        params: Of CAKE.
        counted: Bytes next to the packet that the other shaper counts too.

    Returns:
        At most 1 for ``counted = 0``; 1 where no shaper or no framing is stated.

    Example:
        >>> share({"bandwidth": "20 Mbit/s", "overhead": "44 B"})
        0.9715025906735751
    """
    if params.get("bandwidth", "auto") == "auto" or not set(params) & set(LINE):
        return 1.0
    return (FULL_BYTES + counted) / on_wire(FULL_BYTES, params)


def same_basis(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of a CAKE without framing, at the rate that full packets get below it: the basis on which shapers that
    count other bytes are compared. Its own framing would count small packets, such as ACKs, for CAKE alone.

    Args:
        params: Of CAKE.

    Returns:
        The same parameters where no shaper or no framing is stated.

    Example:
        >>> same_basis({"bandwidth": "19 Mbit/s", "overhead": "44 B", "framing": "atm"})
        {'bandwidth': '16.295025729 Mbit/s'}
    """
    part = share(params)
    if part == 1.0:
        return dict(params)
    rate = units.show_rate(part * units.rate(str(params["bandwidth"])))
    return {key: value for key, value in params.items() if key not in LINE} | {"bandwidth": rate}


def on_wire(packet_bytes: int, params: Mapping[str, Any]) -> int:
    """Bytes that a packet takes on the wire below a CAKE with these parameters.

    Args:
        packet_bytes: Of the packet.
        params: Of CAKE.

    Returns:
        The bytes, cells and blocks of the line included.

    Example:
        >>> on_wire(1500, {"overhead": "44 B", "framing": "atm"})
        1749
    """
    total = max(packet_bytes + _bytes(params, "overhead"), _bytes(params, "mpu"))
    if params.get("framing") == "atm":
        return CELL_BYTES * math.ceil(total / CELL_PAYLOAD)
    if params.get("framing") == "ptm":
        return math.ceil(total * BLOCK_BYTES / BLOCK_PAYLOAD)
    return total


def _bytes(params: Mapping[str, Any], name: str) -> int:
    text = str(params.get(name, "0"))
    return 0 if text.split()[0] == "0" else units.size(text, what=name)
