"""One line to an answer: which queue, with which parameters, for this link and this goal?

    python examples/one_line_answer.py

A search of sixty runs is enough for an impression. Without `runs` the search is as thorough as the link allows and
takes about a minute.
"""

import tempfile

import dropcurve as dc

with tempfile.TemporaryDirectory() as out:
    print(
        dc.tune(
            rate="5Mbit",
            rtt="40ms",
            flows="4",
            buffer="60pkts",
            goal="p95 delay < 60ms, max utilisation",
            candidates=["codel"],
            runs=60,
            out=out,
        )
    )
