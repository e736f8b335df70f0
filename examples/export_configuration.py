"""Export a configuration: the same RED for Linux and for a Cisco router, with the values that each of them rounds or
lacks.

python examples/export_configuration.py
"""

from dropcurve import boxes

PARAMETERS = {"limit": "240 pkts", "min_th": "20 pkts", "max_th": "60 pkts", "max_p": 0.05}

for box in ("linux", "ios"):
    exported = boxes.export("red", PARAMETERS, box=box, rate_bps=50e6)
    print(f"# {box}")
    print(exported.text)
    for note in exported.notes:
        print(note)
    print(f"# what it does: --queue {exported.queue_as_loaded!r}\n")
