"""Export a configuration: the same RED for Linux and for a Cisco router, with the values that each of them rounds or
lacks.

python examples/export_configuration.py
"""

from dropcurve import boxes

PARAMETERS = {"limit": "240 pkts", "min_th": "20 pkts", "max_th": "60 pkts", "max_p": 0.05}

for box in ("linux", "ios"):
    made = boxes.export("red", PARAMETERS, box=box, rate_bps=50e6)
    print(f"# {box}")
    print(made.text)
    for note in made.notes:
        print(note)
    print(f"# what it does: --queue {made.queue_as_loaded!r}\n")
