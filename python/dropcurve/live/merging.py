"""Frames merged on arrival (GRO), turned off on an interface for as long as a queue stands there, and then on again.

What is to be turned on again is noted beforehand in a folder of the run (`scratch`). Should everything of the run be
killed at once, the note outlives it, and whoever removes the folder does first what the note says.

Reference: ethtool(7) requests of Linux (`SIOCETHTOOL`).
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import socket
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

#: In the folder of a run: which interfaces are to merge frames again, and in which network namespace they are.
NOTE = "merging.json"
SIOCETHTOOL, ETHTOOL_GGRO, ETHTOOL_SGRO = 0x8946, 0x2B, 0x2C


@contextmanager
def off(interfaces: Iterable[str], folder: Path) -> Iterator[None]:
    """Turns it off where it is on and we may, with a note in ``folder``, and on again afterwards."""
    note = folder / NOTE
    if merging := [name for name in interfaces if merges(name)]:
        note.write_text(json.dumps({"namespace": _namespace(), "interfaces": merging}), encoding="utf-8")
    for name in merging:
        _ask(name, ETHTOOL_SGRO, 0)
    try:
        yield
    finally:
        if restored(folder):
            note.unlink(missing_ok=True)


def restored(folder: Path) -> bool:
    """Turns on what a note in ``folder`` says. False if that is for another to do: in another network namespace, or
    with more rights."""
    try:
        found = json.loads((folder / NOTE).read_text(encoding="utf-8"))
        namespace, names = found["namespace"], list(found["interfaces"])
    except (OSError, ValueError, KeyError, TypeError):
        # None, or one that was cut off while it was written: then nothing was turned off yet.
        return True
    return namespace == _namespace() and not [name for name in names if not _merge(name)]


def _merge(interface: str) -> bool:
    """Turns it on; whether it is, or the interface has gone."""
    if interface not in (name for _, name in socket.if_nameindex()):
        return True
    return merges(interface) or _ask(interface, ETHTOOL_SGRO, 1) is not None


def _namespace() -> int:
    return Path("/proc/self/ns/net").stat().st_ino


def merges(interface: str) -> bool:
    """Whether it is on."""
    return _ask(interface, ETHTOOL_GGRO, 0) == 1


def _ask(interface: str, request: int, value: int) -> int | None:
    """Sends an ethtool request with one value; returns the kernel's value, None if it refuses."""
    words = ctypes.create_string_buffer(struct.pack("=II", request, value), 8)
    asked = struct.pack("16sP16x", interface.encode(), ctypes.addressof(words))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        try:
            fcntl.ioctl(line, SIOCETHTOOL, asked)
        except OSError:
            return None
    return int(struct.unpack("=II", words.raw)[1])
