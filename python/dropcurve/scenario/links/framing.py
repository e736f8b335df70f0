"""Framing of a line: the bytes that it adds to every packet, whatever queue is on it (tc-cake(8)).

The link of a scenario has it as ``overhead``, ``mpu`` and ``framing``; CAKE's shaper counts it under the same names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...errors import UsageError, nearest
from ...quantities import units

#: CAKE's words for framings: bytes of overhead, least size in bytes, cells ("atm") or blocks ("ptm") (tc-cake(8)).
WORDS = {
    "conservative": (48, 0, "atm"), "pppoa-vcmux": (10, 0, "atm"), "pppoa-llc": (14, 0, "atm"),
    "pppoe-vcmux": (32, 0, "atm"), "pppoe-llcsnap": (40, 0, "atm"), "bridged-vcmux": (24, 0, "atm"),
    "bridged-llcsnap": (32, 0, "atm"), "ipoa-vcmux": (8, 0, "atm"), "ipoa-llcsnap": (16, 0, "atm"),
    "pppoe-ptm": (30, 0, "ptm"), "bridged-ptm": (22, 0, "ptm"), "docsis": (18, 64, ""), "ethernet": (38, 84, ""),
}  # fmt: skip
#: Keys of a link and of CAKE.
KEYS = ("overhead", "mpu", "framing")
#: Bytes of a full packet, and most bytes of overhead.
FULL_BYTES, MOST_BYTES = 1500, 256
#: Bytes of a cell of ATM and of its payload (ITU-T I.361).
CELL_BYTES, CELL_PAYLOAD = 53, 48
#: Bytes of a PTM block and of its payload (IEEE 802.3, clause 61).
BLOCK_BYTES, BLOCK_PAYLOAD = 65, 64


@dataclass(frozen=True)
class Framing:
    """Bytes that a line adds to each packet.

    Attributes:
        overhead: Bytes of headers and trailers.
        mpu: Smallest size of a packet with them.
        cells: "atm" for cells, "ptm" for blocks, or "".
    """

    overhead: int = 0
    mpu: int = 0
    cells: str = ""

    def __bool__(self) -> bool:
        return bool(self.overhead or self.mpu or self.cells)

    def on_wire(self, packet_bytes: int) -> int:
        """Bytes that a packet takes on the line."""
        total = max(packet_bytes + self.overhead, self.mpu)
        if self.cells == "atm":
            return CELL_BYTES * math.ceil(total / CELL_PAYLOAD)
        if self.cells == "ptm":
            return math.ceil(total * BLOCK_BYTES / BLOCK_PAYLOAD)
        return total

    @property
    def share(self) -> float:
        """Share of the line's rate that full packets get."""
        return FULL_BYTES / self.on_wire(FULL_BYTES)

    @property
    def params(self) -> dict[str, Any]:
        """Keys of a link or parameters of CAKE, those that are not the default."""
        keys: dict[str, Any] = {"overhead": f"{self.overhead} B"} if self.overhead else {}
        keys |= {"mpu": f"{self.mpu} B"} if self.mpu else {}
        return keys | ({"framing": self.cells} if self.cells else {})

    @property
    def typed(self) -> str:
        """The keys of a link as `dropcurve.scenario.links.spec` parses them, with a comma before each."""
        values = {"framing": self.cells, "overhead": self.overhead, "mpu": self.mpu}
        return "".join(f",{key}={value}" for key, value in values.items() if value)

    def words(self) -> str:
        """The bytes that a packet takes, in words: ``ATM cells with 40 bytes of overhead a packet``."""
        least = f", at least {self.mpu} bytes" if self.mpu else ""
        cells = {"atm": "ATM cells with ", "ptm": "PTM blocks with "}.get(self.cells, "")
        return f"{cells}{self.overhead} bytes of overhead a packet{least}"


#: A line that adds nothing.
NONE = Framing()


def of_params(params: Mapping[str, Any]) -> Framing:
    """The framing that the keys of a link or the parameters of CAKE state.

    Args:
        params: With the keys `KEYS`, or without.

    Returns:
        The framing.

    Example:
        >>> of_params({"overhead": "44 B", "framing": "atm"}).on_wire(1500)
        1749
    """
    cells = str(params.get("framing", "plain"))
    return Framing(_bytes(params, "overhead"), _bytes(params, "mpu"), "" if cells == "plain" else cells)


def changed(framing: Framing, key: str, value: str) -> Framing:
    """The framing with one key of a link changed. Raises UsageError for a word that is not known.

    Args:
        framing: Before.
        key: One of `KEYS`.
        value: As typed: a word of tc-cake(8), atm, ptm or none for ``framing``, else a number of bytes.
    """
    if key == "framing":
        if value in ("none", "plain"):
            return NONE
        if value in ("atm", "ptm"):
            return replace(framing, cells=value)
        if value in WORDS:
            return Framing(*WORDS[value])
        names = [*WORDS, "atm", "ptm", "none"]
        raise UsageError(
            key, value, "is not known", nearest(value, names, otherwise=f"there are {', '.join(names)}")
        )
    text = value.removesuffix("B").strip()
    if not text.isdecimal() or int(text) > MOST_BYTES:
        raise UsageError(
            key, value, f"must be a number of bytes from 0 to {MOST_BYTES}", "write one such as 40"
        )
    return replace(framing, mpu=int(text)) if key == "mpu" else replace(framing, overhead=int(text))


def _bytes(params: Mapping[str, Any], name: str) -> int:
    text = str(params.get(name, "0"))
    return 0 if text.split()[0] == "0" else units.size(text, what=name)
