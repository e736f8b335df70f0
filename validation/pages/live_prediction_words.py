"""Text of docs/live-prediction.md around its numbers."""

from __future__ import annotations

INTRODUCTION = """\
# Predictions compared with real kernels

Four flows of real TCP pass our queues in the lab (`dropcurve live lab`, [live.md](live.md)): in virtual time, inside
the kernel of the reference rows (Linux 7.3.4), and in real time on a two-core machine (Linux 6.18). The tables compare
them with the simulator's prediction for the same scenario: {simulations} runs with 95 % intervals. The intervals of a
live run come from ten equal parts of it. A number in bold differs from the prediction by more than 5 % and by more than
the intervals.

* Runs last 20 s, of which 5 s are warm-up.
* RED, PIE, CoDel and FQ-CoDel use their `linux` dialects. At 50 and 100 Mbit/s RED's thresholds are five times those
  at 10.
* Flows use `profile = "linux-7.3"`, which includes `bbr_rule = "linux"`; CUBIC also `cubic_rule = "linux"` and
  `hystart = "linux"`, with the round trip of the handshake known. Data start two round trips after the handshake
  (`open_wait`), as in iperf3, which opens all its connections first.
* Behind RED with ECN, BBR's predictions use the window that the kernel's receivers offered in the first seconds
  (`window = {narrow}`, [why](#what-was-traced)).
* The real-time runs shared the machine with other work (a load of 9 to 20, recorded for each run in the data
  below). The forwarder, and at a lower level all programs of the lab, had real-time priority (`chrt -r 3`).
* Five runs, with intervals from their spread, were made where one run is not enough: Reno over FQ-CoDel, whose flows
  may or may not halve in step, and cases of which a first run was outside: {repeated}
* All predictions are of one build. Live numbers depend on the code of the queue only, not on the simulator's TCP.
  Every record was replayed through the simulator's queue with identical verdicts.

Written by `validation/pages/live_prediction.py` from the data in
[live-prediction.json](../validation/pages/live-prediction.json)."""
KERNELS = """\
The recorded rows of the kernel's own disciplines (four flows, 10 Mbit/s, all delay on the return path, Ethernet
counted, 60 s), and ours of the same name under the same kernel's TCP in virtual time. The recorded queue has a
token bucket before it that takes packets out about one packet time before a strict link would; ours is measured
at the link itself. The queues of FQ-CoDel hold one or two packets each and so feel that: with a target one packet
time longer (6.211 ms) ours gives 10.20 kB (−1.5 %) and 9.548 Mbit/s (+0.1 %). CoDel's row is one run of the kernel."""
QUALITY = """\
`dropcurve live check` measures it: four CUBIC flows, counted at the receiving host's device by the wall clock, and
small datagrams over an idle link. Here: {machine}."""
QUALITY_TERMS = """\
Lateness is from when a packet was due to when it was handed over; added delay is from the sender's call to the kernel's
time of arrival, less the wire's; jitter is its p95 less its p5."""
TRACED = """\
Seven differences were followed packet by packet, six of them in virtual time.

*BBR behind DropTail.* With equal windows (120 segments in all) 76 packets waited here and 85 there: here flights stayed
two segments below their windows. Linux makes up for a departure that came late by shortening the next gap, by up
to half (`pace_credit = 0.5`, part of `profile = "linux"`). With it the queue follows the kernel's, second by second.

*BBR behind DropTail at 20 ms.* A flow that begins while others fill the buffer takes the round trip of its handshake
for that of the path, and keeps it for ten seconds. In virtual time 93 packets wait until 10.6 s, when all measure it
again, and 66 from then on; here 65 before, 68 after. In real time runs differ as much: 91 once, 71.8 ± 13.9 over five.

*BBR behind RED with ECN.* Retransmissions are not ECN-capable (RFC 3168), and BBR heeds no marks: while it keeps the
average above max_th, RED drops them, in the kernel 37 to 121 a second (0 to 35 get through). A receiver with a
hole does not widen its window: 106 to 131 segments were offered in the first two seconds. So a flow with a hole
stalls, times out, and sends the same segment again at ever longer intervals (one of the four was silent from 12 s to
the end); meanwhile the others measure more bandwidth, fill the buffer, and lose in turn. With unlimited windows the
simulated flows never stall, and data that a late retransmission releases counts as goodput beyond the link's rate
(10.5 Mbit/s); with `window = {narrow}` they stall as the kernel's do.

*BBR behind RED.* A seventh of what four flows sent was lost there, here a sixth, and the queue was two packets
longer; at 100 Mbit/s a packet in ten less waited here. In the kernel a flow's bandwidth stayed the same to the bit
for 48 rounds, while no phase of its cycle changed the pace: it took the losses for those of a policer.
`bbr_policer = true` does so, too.

*CUBIC and Reno at 100 Mbit/s.* A third more than in the kernel waited behind FQ-CoDel. Duplicates that a receiver
holds back let the acknowledgement of a retransmission echo the time of one of them, which is older: the
reduction was taken for an unnecessary one and undone. At 10 Mbit/s duplicates come too far apart to be held back.

*Reno behind FQ-CoDel in real time.* At 40 ms a sixth less waited than predicted, and lone segments left milliseconds
after the acknowledgement that made room for them. A trace of the kernel names who sent them: the timer of its pacing.
Linux 6.18 here begins connections with BBR, iperf3 gives each its own control afterwards, and the pacing stays on.
The lab begins them without pacing, so that bursts of one, two and three segments are as many as in virtual time.
Whether the four flows then halve in step is chance: in six of twenty simulated runs they do, in one of six in virtual
time; 7.0 packets wait then, else 5.5.

*Pairs at any rate.* A window that grows makes room for a third segment. Here it waited for a fourth, and the two met a
full queue together; in the kernel it waits only where the next acknowledgement is expected within a millisecond, and
bursts of three are seven times as many as those of four. CUBIC behind CoDel and FQ-CoDel at 100 ms depended on it."""
CAUSES: list[tuple[str, str]] = [
    (
        "bbr, RED, ECN",
        "Which flow stalls, and for how long, is chance (see below): from one run of 20 s to the next the kernel's own "
        "numbers differ as much (virtual: 9.41 and 9.77 Mbit/s with the same scenario).",
    ),
    (
        "real: .*bbr, CoDel",
        "Its mean depends on when each of its four flows measures its round trip again, in the simulator from 25 to 46 "
        "packets by the seed: thirty simulated runs give 37.5 ± 1.9, with which it agrees.",
    ),
    (
        "100 ms, reno, DropTail",
        "The 15 s that count hold one cycle of Reno's window, and the same part of it in each run. Over 120 s 67.1 "
        "packets wait in real time, and 65.4 ± 1.5 simulated (+2.7 %).",
    ),
    (
        "virtual: .*reno, FQ-CoDel",
        "One run, whose flows are in step or are not, which is chance (see below). Thirty simulated runs at 10 Mbit/s, "
        "40 ms hold 5.6 to 6.3 packets, and 6.5 to 7.3 in the seven that are in step; at 100 Mbit/s 19.3 to 21.4, and "
        "22.1 to 23.3 in six: the live one is of the former there, of the latter here.",
    ),
    (
        "virtual: .*bbr, (FQ-)?CoDel",
        "One run of 20 s, whose mean depends on when each of its four flows measures its round trip again: the parts "
        "of the run differ by a factor of two.",
    ),
]
