"""A measure of your own: every run is plain data, and intervals are a function of a list of numbers.

python examples/own_metric.py
"""

import dropcurve as dc

scenario = dc.Scenario.load("droptail_vs_red").set("run.duration", "15 s")
result = dc.run(scenario, replications=5)
worst = [
    max(flow["retransmits"] for flow in run["flows"] if "retransmits" in flow) for run in result.baseline.runs
]
interval = dc.statistics.t_interval(worst)
print(f"Most retransmissions of one flow: {interval.mean:.1f} ± {interval.half_width:.1f} (95 %)")
