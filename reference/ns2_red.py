"""Turn a run of ns-2 into a text trace of every decision its RED queue took.

    ns redtrace.tcl out=NAME ...          (records NAME.tr and NAME.red)
    python -m reference.ns2_red NAME crates/queue/tests/traces/red/ns2_NAME.txt key=value ...

`redtrace.tcl` runs N SACK flows through one RED queue between nodes 0 and 1 and prints the state of the
random number generator at the start and the end; nothing but the queue draws from it in between. NAME.tr is the
packet trace of the queue, NAME.red the trace of its variable ave_, which ns-2 writes with six digits. Here the
average is computed again from the queue lengths, at full precision, and compared with those six digits.

The keys go into the header: those of the queue as a scenario writes them, and `run`, the arguments of ns-2.
"""

import math
import pathlib
import sys

RATE = 1.5e6
HEADER = """\
# Every packet that arrived at the RED queue of ns-2.35, and what became of it.
# Made by reference/ns2_red.py from: ns redtrace.tcl {run}
# The link sends 1.5 Mbit/s over 20 ms; what it is sending does not count as waiting.
# Columns: microseconds since the arrival before, bytes (e: ECN-capable), average after the update,
# and x if dropped, m if marked, ? if it still waited at the end, for a mark shows when a packet leaves.
"""


def read_events(path):
    """Yields (event, time, size, flags, uid) of the link from node 0 to node 1."""
    with pathlib.Path(path).open() as lines:
        for line in lines:
            event, time, a, b, _, size, flags, *rest = line.split()
            if (a, b) == ("0", "1") and event in "+-d":
                yield event, float(time), int(size), flags, int(rest[-1])


def ends_of_packets(path):
    """Fate of each packet: 'x' dropped, 'm' marked, '' neither."""
    ends = {}
    for event, _, _, flags, uid in read_events(path):
        if event == "d":
            ends[uid] = "x"
        elif event == "-":
            ends[uid] = "m" if "E" in flags else ""
    return ends


def averages(path, recorded, w_q, ptc, in_bytes):
    """Yields (microseconds, size, flags, uid, avg) for each arrival; the average is that of ns-2's estimator.

    The trace rounds times to the microsecond. Where that leaves open whether an arrival came before a departure,
    the order of the trace decides; where it leaves open how many packets could have been sent in an idle time, the
    value ns-2 recorded decides. The time is then moved by a microsecond to that side.
    """
    waiting, waiting_bytes, avg, changes = 0, 0, 0.0, 0
    started_at, ends_at, idle = 0.0, 0.0, True  # of the packet on the wire, in microseconds
    for event, time, size, flags, uid in read_events(path):
        sign = 1 if event == "+" else -1
        if event == "+":
            now = round(time * 1e6)
            queue = waiting_bytes if in_bytes else waiting
            idle = waiting == 0 and now >= ends_at - 1
            if not idle:
                before_end = math.ceil(ends_at - 0.001) - 1 if waiting > 0 else math.inf
                arrived = min(max(now, math.ceil(started_at - 0.001)), before_end)
                assert abs(arrived - now) <= 2, (path, time, started_at, ends_at)
                now = arrived
            if idle:
                now = max(now, math.ceil(ends_at - 0.001))
            times = [now, now + 1, now - 1] if idle else [now]
            steps = [int(ptc * (t - ends_at) * 1e-6) if idle else 0 for t in times]
            candidates = [(t, decayed(avg, w_q, m, queue)) for t, m in zip(times, steps, strict=True)]
            right = [(t, new) for t, new in candidates if new == avg or close(new, recorded[changes])]
            assert right, (path, time, candidates, recorded[changes])
            now, new = right[0]
            changes += new != avg
            avg = new
            yield now, size, flags, uid, avg
        elif event == "-":
            started_at = now if idle else ends_at
            ends_at = started_at + size * 8e6 / RATE
            idle = False
        waiting += sign
        waiting_bytes += sign * size
    assert changes == len(recorded), (path, changes, len(recorded))


def decayed(avg, w_q, m, queue):
    """The average after `m` packets' worth of idle time and a sample of the queue."""
    return (1 - w_q) * avg * (1 - w_q) ** m + w_q * queue


def close(value, recorded):
    """Whether a value would be written with the six digits recorded."""
    return abs(value - recorded) <= 1.01e-5 * abs(recorded)


def averages_of_ns2(path):
    """The values of ave_, one for each change."""
    with pathlib.Path(path).open() as lines:
        return [float(line.split()[2]) for line in lines if line.startswith("a ")]


def main(name, out, *pairs):
    """Writes the trace."""
    keys = dict(pair.split("=", 1) for pair in pairs)
    run, states = keys.pop("run"), keys.pop("states").split(",")
    w_q, mean = float(keys.pop("ns_w_q")), float(keys.pop("ns_mean"))
    in_bytes = keys.get("unit") == "bytes" or (keys.get("dialect") == "ns2" and "kind" not in keys)
    recorded = averages_of_ns2(name + ".red")
    rows = list(averages(name + ".tr", recorded, w_q, RATE / (8 * mean), in_bytes))
    ends = ends_of_packets(name + ".tr")
    unseen = "?" if "ecn" in keys else ""
    with pathlib.Path(out).open("w") as file:
        file.write(HEADER.format(run=run))
        for key, value in keys.items():
            file.write(f"# {key} = {value}\n")
        file.write(f"# random state before = {states[0]}\n# random state after = {states[1]}\n")
        before = 0
        for now, size, flags, uid, avg in rows:
            text = f"{now - before} {size}{'e' if flags[6] == 'N' else ''} {avg:.10g} {ends.get(uid, unseen)}"
            file.write(text.rstrip() + "\n")
            before = now
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
