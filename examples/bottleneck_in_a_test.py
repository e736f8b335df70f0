"""A bottleneck with a real AQM inside a test of your own protocol: deterministic, in virtual time.

    python examples/bottleneck_in_a_test.py

A sender with a fixed window runs over a CoDel queue; its acknowledgements return over a link of their own. Installed
packages get the same class as the pytest fixture `dropcurve_link`.
"""

import dropcurve as dc

WINDOW = 40

there = dc.Bottleneck(rate="10Mbit", delay="20ms", queue="codel:ecn=true", seed=1)
back = dc.Bottleneck(rate="10Mbit", delay="20ms")

sent = delivered = marked = 0
now = 0.0
for _ in range(WINDOW):
    there.send(sent, at=now, size=1500, ecn="ect0")
    sent += 1

while now < 5.0:
    now = min(due for due in (there.next_event(), back.next_event()) if due is not None)
    for arrival in there.receive(until=now):
        back.send(arrival.packet, at=now, size=40)
        marked += arrival.marked
    for _arrival in back.receive(until=now):
        delivered += 1
        there.send(sent, at=now, size=1500, ecn="ect0")
        sent += 1

print(f"{delivered} packets acknowledged in {now:.3f} s, {marked} marked, {len(there.dropped)} dropped")
assert marked > 0, "a window larger than the path holds a standing queue, which CoDel marks"
