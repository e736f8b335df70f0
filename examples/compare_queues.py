"""Compare queues on the same traffic: which differences are real?

    python examples/compare_queues.py

Every replication runs all queues with the same random numbers, so that a difference is one of the queues. An interval
that includes zero shows no difference.
"""

import dropcurve as dc

scenario = dc.Scenario.load("droptail_vs_red").set("run.duration", "20 s")
result = dc.compare(scenario, queues=["droptail", "red:ns2", "codel"], replications=5)
print(result)
for difference in result.differences(only=["sojourn_ms_p95", "utilisation"]):
    print(
        f"{difference.variant} - {difference.baseline}: {difference.metric} "
        f"{difference.mean:+.1f} ± {difference.half_width:.1f} {difference.unit}"
    )
