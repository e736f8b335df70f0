"""Frames merged on arrival (GRO), turned off on an interface for as long as a queue stands there, and then on again.

Reference: ethtool(7) requests of Linux (`SIOCETHTOOL`).
"""

from __future__ import annotations

import ctypes
import fcntl
import socket
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

SIOCETHTOOL, ETHTOOL_GGRO, ETHTOOL_SGRO = 0x8946, 0x2B, 0x2C


@contextmanager
def off(interfaces: Iterable[str]) -> Iterator[None]:
    """Turns it off where it is on and we may, and on again afterwards."""
    changed = [name for name in interfaces if merges(name) and _ask(name, ETHTOOL_SGRO, 0) is not None]
    try:
        yield
    finally:
        for name in changed:
            _ask(name, ETHTOOL_SGRO, 1)


def merges(interface: str) -> bool:
    """Whether it is on."""
    return _ask(interface, ETHTOOL_GGRO, 0) == 1


def _ask(interface: str, request: int, value: int) -> int | None:
    """What the kernel makes of a request with one value; None if it refuses."""
    words = ctypes.create_string_buffer(struct.pack("=II", request, value), 8)
    asked = struct.pack("16sP16x", interface.encode(), ctypes.addressof(words))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        try:
            fcntl.ioctl(line, SIOCETHTOOL, asked)
        except OSError:
            return None
    return int(struct.unpack("=II", words.raw)[1])
