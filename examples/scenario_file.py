"""A scenario file: run it, change a value by its path, run it again.

    python examples/scenario_file.py

The file next to this one describes the link, its queue and its traffic; docs/scenarios.md lists every key.
"""

from pathlib import Path

import dropcurve as dc

office = dc.Scenario.load(Path(__file__).with_name("office.toml"))
for kind in ("fq_codel", "droptail"):
    result = dc.run(office.set("queue.kind", kind), replications=3)
    print(kind)
    for row in result.table(per="class", only=["delay_ms_p95", "goodput_bps"]):
        print(f"  {row}")
