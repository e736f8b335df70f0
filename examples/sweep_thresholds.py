"""A sweep: one scenario at many settings, and a question in SQL.

    python examples/sweep_thresholds.py

Nine runs, three values of each threshold. The folder can be resumed after an interruption and queried again later.
"""

import tempfile

import dropcurve as dc

scenario = dc.Scenario.load("droptail_vs_red").set("run.duration", "15 s").set("queue.kind", "red")
with tempfile.TemporaryDirectory() as out:
    table = dc.sweep(
        scenario,
        {"queue.min_th": ["5 pkts", "10 pkts", "15 pkts"], "queue.max_th": ["30 pkts", "45 pkts", "60 pkts"]},
        out=out,
    )
    print(
        table.query(
            "select queue_min_th_pkts, queue_max_th_pkts, avg(utilisation), avg(sojourn_ms_mean) "
            "from runs group by all order by all"
        )
    )
