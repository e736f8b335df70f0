"""A trace written as a capture, read again by our reader and, where it is installed, by tcpdump."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dropcurve as dc
from dropcurve.files.pcapng import CapturedPacket, encode
from dropcurve.runs import capture
from dropcurve.runs.tracing import Trace
from dropcurve.scenario import captures


@pytest.fixture
def traced(folder: Path) -> Trace:
    """A run with marks and drops."""
    scenario = dc.Scenario.load("short.toml").edit([("queue.ecn", True), ("flows.tcp.ecn", True)])
    return dc.trace(scenario)


def test_a_capture_has_a_packet_for_each_row(traced: Trace) -> None:
    path = traced.write("run.pcapng")
    packets = captures.packets(path)
    assert len(packets) == len(traced)
    assert [size for _, size in packets] == traced.size_bytes.tolist()
    assert [time for time, _ in packets] == (traced.time_ns - traced.time_ns[0]).tolist()


def test_marks_reach_the_destination_as_congestion_experienced(traced: Trace) -> None:
    words = traced.columns()["what"].tolist()
    marks = words.count("mark")
    assert marks > 0
    codes = Counter(
        (capture.INTERFACES[one.interface], one.data[1] & 3)
        for one in capture.packets(traced.columns(), traced.summary["flows"])
    )
    assert codes["queue", 3] == marks
    # Marked packets that were still queued at the end have not arrived.
    assert marks - 60 <= codes["destination", 3] <= marks
    assert codes["source", 3] == 0


def columns(*rows: tuple[str, int, int, int, int, int]) -> dict[str, Any]:
    names = ("what", "time_ns", "flow", "seq", "size_bytes", "back")
    return {name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def test_headers_of_a_segment_and_its_acknowledgement() -> None:
    rows = columns(("send", 5, 300, 2, 1500, 0), ("acknowledge", 9, 300, 3, 40, 1), ("drop", 9, 7, 0, 528, 0))
    flows = [{"id": 300, "transport": "tcp"}, {"id": 7, "transport": "tfrc"}]
    sent, acknowledged, dropped = capture.packets(rows, flows)
    # Flow 300 is 10.1.1.44; the third segment of 1460 bytes begins at byte 2921.
    assert sent.data[12:20] == bytes([10, 1, 1, 44, 10, 2, 1, 44])
    assert struct.unpack(">HHII", sent.data[20:32]) == (1324, 5001, 2921, 1)
    assert struct.unpack(">HHII", acknowledged.data[20:32]) == (5001, 1324, 1, 4381)
    assert (sent.interface, acknowledged.interface, dropped.interface) == (0, 1, 2)
    assert dropped.comment == "dropped by the queue"
    assert dropped.data[9] == 17
    assert struct.unpack(">H", dropped.data[24:26]) == (508,)
    # RFC 1071: the words of a header with its checksum sum to all ones.
    total = sum(struct.unpack(">10H", sent.data[:20]))
    assert (total & 0xFFFF) + (total >> 16) == 0xFFFF


def test_an_empty_capture_is_a_section_and_its_interfaces() -> None:
    assert encode([], []).hex() == "0a0d0d0a1c0000004d3c2b1a01000000ffffffffffffffff1c000000"
    one = encode([], [CapturedPacket(0, 2**32 + 7, 60, b"\x45", "x")])[28:]
    assert struct.unpack("<IIIIIII", one[:28]) == (6, len(one), 0, 1, 7, 1, 60)
    assert len(one) % 4 == 0


def test_tcpdump_reads_every_packet(traced: Trace) -> None:
    if shutil.which("tcpdump") is None:
        pytest.skip("tcpdump is not installed")
    path = traced.write("run.pcapng")
    shown = subprocess.run(["tcpdump", "-nvr", str(path)], capture_output=True, text=True, check=True).stdout
    assert shown.count("IP (tos") == len(traced)
    assert "bad cksum" not in shown


def test_the_verb_prints_and_writes(dropcurve: Callable[..., Any]) -> None:
    answer = dropcurve("trace", "short.toml", "--rows", "3", "--write", "run.pcapng")
    assert answer.code == 0
    assert answer.out.splitlines()[0].split() == [
        "time",
        "(s)",
        "event",
        "flow",
        "segment",
        "bytes",
        "direction",
    ]
    assert answer.out.splitlines()[-1] == "run.pcapng"
    assert "rows in all" in answer.err
    again = dropcurve("trace", "short.toml", "--write", "run.pcapng")
    assert (again.code, again.out) == (2, "")
    assert "give --force to replace it" in again.err
    other = dropcurve("trace", "short.toml", "--write", "run.pcap")
    assert (other.code, other.out) == (2, "")
    assert "must end in .csv, .parquet or .pcapng" in other.err
