"""Turns off generic receive offload (GRO), which merges arriving frames, on an interface while a queue runs there.

The interfaces are noted beforehand in a folder of the run (`scratch`). If the whole run is killed, the note remains,
and the process that removes the folder turns GRO on again first.

Reference: ethtool(7) requests of Linux (`SIOCETHTOOL`).
"""

from __future__ import annotations

import ctypes
import json
import socket
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows, where `live` is refused before it locks or opens anything
    fcntl = None  # type: ignore[assignment,unused-ignore]

#: File in the folder of a run: the interfaces to turn GRO on again, and their network namespace.
NOTE = "merging.json"
SIOCETHTOOL, ETHTOOL_GGRO, ETHTOOL_SGRO = 0x8946, 0x2B, 0x2C


@contextmanager
def off(interfaces: Iterable[str], folder: Path) -> Iterator[None]:
    """Turns GRO off if it is on and we have the rights, with a note in ``folder``, and on again at the end."""
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
    """Turns GRO on for the interfaces noted in ``folder``. False if that needs another network namespace or more
    rights."""
    try:
        stored = json.loads((folder / NOTE).read_text(encoding="utf-8"))
        namespace, names = stored["namespace"], list(stored["interfaces"])
    except (OSError, ValueError, KeyError, TypeError):
        # No note, or an incomplete one: nothing was turned off yet.
        return True
    return namespace == _namespace() and not [name for name in names if not _merge(name)]


def _merge(interface: str) -> bool:
    """Turns GRO on; returns whether it is on, or the interface no longer exists."""
    if interface not in (name for _, name in socket.if_nameindex()):
        return True
    return merges(interface) or _ask(interface, ETHTOOL_SGRO, 1) is not None


def _namespace() -> int:
    return Path("/proc/self/ns/net").stat().st_ino


def merges(interface: str) -> bool:
    """Whether GRO is on."""
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
