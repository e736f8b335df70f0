"""Calibrate from a capture: replay a recorded packet stream next to TCP, and check that CoDel bounds its delay.

    python examples/replay_capture.py [FILE.pcap]

Without a file the program writes a small capture of its own: a camera that sends ten packets of 1200 bytes every 40 ms.
"""

import struct
import sys
import tempfile
from pathlib import Path

import dropcurve as dc

SCENARIO = """
title = "A recorded stream together with two transfers"

[run]
duration = "15 s"
warmup = "3 s"

[dumbbell]
rate = "10 Mbit/s"
delay = "15 ms"

[queue]
kind = "droptail"
limit = "150 pkts"

[flows.recorded]
transport = "udp"
source = "replay"
packets = "file:stream.pcap"
repeat = true

[flows.transfer]
count = 2
cc = "cubic"
start = "uniform 0 s to 1 s"
"""


def write_capture(path: Path) -> None:
    """Writes a classic pcap file of raw IPv4 headers: 50 frames of ten packets, 40 ms apart."""
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 96, 101))
        for number in range(500):
            microseconds = 40_000 * (number // 10)
            header = struct.pack(">BBH", 0x45, 0, 1200) + bytes(16)
            file.write(
                struct.pack("<IIII", microseconds // 10**6, microseconds % 10**6, len(header), 1200) + header
            )


with tempfile.TemporaryDirectory() as folder:
    capture = Path(folder) / "stream.pcap"
    if len(sys.argv) > 1:
        capture.write_bytes(Path(sys.argv[1]).read_bytes())
    else:
        write_capture(capture)
    scenario = Path(folder) / "recorded.toml"
    scenario.write_text(SCENARIO, encoding="utf-8")
    result = dc.compare(scenario, queues=["droptail", "codel"], replications=3)
    for row in result.table(per="class", only=["delay_ms_p95", "goodput_bps"]):
        print(row)
