"""Lists of arrivals offered to ns-2's RED with any of its variables, as text traces of every decision.

    python -m reference.ns2_red_list FIRST UNTIL DIRECTORY

Draws lists FIRST to UNTIL - 1, each with its variables, link and arrivals, has `ns` (2.35) decide them through
`reference/ns2/redlist.tcl`, and writes DIRECTORY/{red,ared,feng}/ns2_list_N.txt. ns-2 shows its average with six
digits; here it is computed again from the lengths of the queue, at full precision, and compared with those
six digits.

`table` maps ns-2's variables to our parameters; `docs/disciplines/red.md` has the same as a table.
"""

import math
import pathlib
import random
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).parent / "ns2" / "redlist.tcl"
HEADER = """\
# A list of packets offered to the RED queue of ns-2.35, and what became of each.
# Made by reference/ns2_red_list.py; Queue/RED set {options_}
# What the link is sending does not count as waiting.
# Columns: microseconds since the arrival before, bytes (e: ECN-capable), average after the update, and what the arrival
# brought about: m if it is marked, x if it is dropped, x3 if the fourth arrival is dropped in its place.
"""
#: ns-2.35's own values of the drawn parameters.
DEFAULTS = {
    "bytes_": True, "queue_in_bytes_": True, "thresh_": 0, "maxthresh_": 0, "mean_pktsize_": 500, "idle_pktsize_": 100,
    "q_weight_": -1, "adaptive_": 0, "cautious_": 0, "alpha_": 0.01, "beta_": 0.9, "interval_": 0.5,
    "feng_adaptive_": 0, "targetdelay_": 0.005, "top_": 0.5, "bottom_": 0, "wait_": True, "linterm_": 10,
    "mark_p_": 0.1, "use_mark_p_": True, "setbit_": False, "gentle_": True, "drop_tail_": True, "drop_front_": False,
    "drop_rand_": False, "ns1_compat_": False, "doubleq_": False, "dqthresh_": 50,
}  # fmt: skip


def table(options_, buffer):
    """The keys of our queue for variables of `Queue/RED` and its `limit_`."""
    var = {**DEFAULTS, **options_}
    feng = var["adaptive_"] == 1 and var["feng_adaptive_"] == 1
    kind = "feng" if feng else "ared" if var["adaptive_"] == 1 else "red"
    keys = {
        "kind": kind,
        "dialect": "ns2_explicit" if kind == "red" else "ns2",
        "limit": f"{buffer} pkts",
        "mean_packet": f"{var['mean_pktsize_']} B",
        "unit": "bytes" if var["queue_in_bytes_"] else "packets",
        "min_th": f"{var['thresh_']} pkts" if var["thresh_"] else "auto",
        "max_th": f"{var['maxthresh_']} pkts" if var["maxthresh_"] else "auto",
        "max_p": repr(1 / var["linterm_"]),
        "byte_mode": "ns2" if var["bytes_"] else "off",
        "spacing": "wait" if var["wait_"] else "pseudocode",
        "above_max": "gentle" if var["gentle_"] else "drop",
        "forced_as_early": var["use_mark_p_"],
        "forced_resets_count": not var["ns1_compat_"],
        "overflow_resets_count": not var["ns1_compat_"],
        "ecn": var["setbit_"],
        "mark_limit": var["mark_p_"] if var["use_mark_p_"] else "auto",
        "caution": {1: "spare", 2: "weigh"}.get(var["cautious_"], "off"),
        "victim": "second" if var["drop_front_"] else "random_one" if var["drop_rand_"] else "arriving",
    }
    weights = {0: "rate", -1: "rtt", -2: "tenth"}
    if var["q_weight_"] in weights:
        keys |= {"w_q": "auto", "auto_w_q": weights[var["q_weight_"]]}
    else:
        keys["w_q"] = var["q_weight_"]
    if "auto" in (keys["min_th"], keys["max_th"]):
        keys["target_delay"] = f"{var['targetdelay_']} s"
    if var["cautious_"] == 3:
        keys["idle_packet"] = f"{var['idle_pktsize_']} B"
    if kind == "ared":
        keys |= {
            "alpha": var["alpha_"], "beta": var["beta_"], "interval": f"{var['interval_']} s", "top": var["top_"],
            "bottom": var["bottom_"] or "auto",
        }  # fmt: skip
    if feng:
        keys |= {"alpha": var["alpha_"], "beta": var["beta_"]}
    return keys


def weight(var, per_second, delay):
    """The weight of a sample that ns-2 uses, for `per_second` packets over a link."""
    exponents = {0: 1, -1: 1 / (10 * max(0.1, 3 * (delay + 1 / per_second))), -2: 10}
    given = var["q_weight_"]
    return 1 - math.exp(-exponents[given] / per_second) if given in exponents else given


def draw(number):
    """Variables, link and arrivals of a list."""
    rng = random.Random(f"red list {number}")

    def flip(*shares):
        return rng.choice(shares)

    low = flip(1, 2, 3, 5, 8)
    options_ = {
        "bytes_": flip(True, False), "queue_in_bytes_": flip(True, False), "thresh_": low,
        "maxthresh_": low + flip(2, 5, 10), "mean_pktsize_": flip(500, 1000, 700), "idle_pktsize_": flip(40, 100, 333),
        "q_weight_": flip(0, -1, -2, 0.002, 0.02, 0.1, 0.3), "wait_": flip(True, False),
        "linterm_": flip(1.5, 2, 5, 10, 50), "use_mark_p_": flip(True, False), "gentle_": flip(True, False),
        "setbit_": flip(True, False), "mark_p_": flip(0.05, 0.1, 0.3, 0.5, 1, 2), "cautious_": flip(0, 0, 0, 1, 2, 3),
        "ns1_compat_": flip(False, False, True), "drop_front_": flip(False, False, False, True),
        "drop_rand_": flip(False, False, True), "drop_tail_": flip(True, False), "doubleq_": flip(True, False),
        "dqthresh_": flip(3, 50),
    }  # fmt: skip
    if flip(1, 2, 3) == 1:
        options_["thresh_"], options_["maxthresh_"] = flip((0, 0), (0, 30), (3, 0))
        options_["targetdelay_"] = flip(0.005, 0.02, 0.1)
    if flip(1, 2, 3) == 1:
        options_ |= {"adaptive_": 1, "alpha_": flip(0.01, 0.05), "beta_": flip(0.9, 0.5), "interval_": flip(0.05, 0.2),
                 "top_": flip(0.5, 0.2, 0.9), "bottom_": flip(0, 0.01, 0.05)}  # fmt: skip
    if flip(1, 2, 3, 4) == 1:
        options_ |= {"adaptive_": 1, "feng_adaptive_": 1, "alpha_": flip(3, 1.5), "beta_": flip(2, 1.2)}
    if options_.get("feng_adaptive_"):
        options_["thresh_"], options_["maxthresh_"] = options_["thresh_"] or 5, options_["maxthresh_"] or 15
        options_["q_weight_"] = options_["q_weight_"] if options_["q_weight_"] > 0 else 0.05
    link = {"rate": flip(500_000, 1_500_000, 10_000_000), "delay": flip(0.002, 0.02, 0.15)}
    return options_, flip(4, 8, 15, 40), link, arrivals(rng, link["rate"], 400)


def arrivals(rng, rate, count):
    """(microseconds, bytes, ECN-capable) of packets: now too many, now few, with pauses.

    In nanoseconds, so that none meets a departure.
    """
    sizes = rng.choice([(1000,), (500,), (1500, 750, 375), (1000, 40), (40, 576, 1500)])
    now, load, rows = 100_000.0, 1.0, []
    grid = rate * 1e-6 / 8
    for i in range(count):
        if i % 40 == 0:
            load = rng.choice([0.5, 0.9, 1.1, 1.5, 3.0])
        size = rng.choice(sizes)
        now += rng.expovariate(1) * size / grid / load
        if rng.random() < 0.02:
            now += rng.uniform(5, 100) * 1000 / grid
        rows.append((round(now, 3), size, rng.randrange(2)))
    return rows


def events(path):
    """(event, size, flags, uid) of a trace of a queue."""
    for line in pathlib.Path(path).read_text().splitlines():
        event, _, _, _, _, size, flags, *rest = line.split()
        if event in "+-d":
            yield event, int(size), flags, int(rest[-1])


def averages(rows, trace, var, link):
    """The average after each arrival, by ns-2's estimator; complains where times leave an order open."""
    mean, in_bytes = var["mean_pktsize_"], var["queue_in_bytes_"]
    per_second = link["rate"] / (8 * mean)
    w_q = weight(var, per_second, link["delay"])
    idle_rate = link["rate"] / (8 * var["idle_pktsize_"]) if var["cautious_"] == 3 else per_second
    line, ends_at, avg, times = [], 0.0, 0.0, iter(rows)
    for event, size, _, uid in trace:
        if event == "+":
            now = next(times)[0]
            assert ends_at > now or not line, ("a departure is missing", now, ends_at)
            if ends_at <= now:
                avg *= (1 - w_q) ** int(idle_rate * (now - ends_at) * 1e-6)
            if abs(now - ends_at) < 0.01:
                raise LookupError(now)
            avg = (1 - w_q) * avg + w_q * (sum(s for _, s in line) if in_bytes else len(line))
            line.append((uid, size))
            yield avg
        else:
            line.remove((uid, size))
        if event == "-":
            ends_at = max(ends_at, now) + size * 8e6 / link["rate"]


def verdicts(trace):
    """Effects of each arrival."""
    order, ends, marked = {}, [], set()
    for event, _, flags, uid in trace:
        if event == "+":
            order[uid] = len(ends)
            ends.append("")
        elif event == "d":
            ends[-1] += "x" if order[uid] == len(ends) - 1 else f"x{order[uid]}"
        if event in "-d" and "E" in flags:
            marked.add(order[uid])
    return ["m" * (i in marked) + end for i, end in enumerate(ends)]


def tcl(value):
    """A value as Tcl reads it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def record(number, out):
    """Has ns-2 decide a list, and writes the trace."""
    options_, buffer, link, rows = draw(number)
    var = {**DEFAULTS, **options_}
    with tempfile.TemporaryDirectory() as folder:
        name = f"{folder}/run"
        pathlib.Path(f"{name}.list").write_text("".join(f"{t:.3f} {size} {e}\n" for t, size, e in rows))
        options = {"list": f"{name}.list", "out": name, "seed": number, "buf": buffer, **link, **options_}
        words = [word for key, value in options.items() for word in (key, tcl(value))]
        done = subprocess.run(["ns", str(SCRIPT), *words], capture_output=True, text=True, check=True)
        states = dict(word.split("=") for word in done.stdout.split("RESULT ")[1].split())
        trace = list(events(f"{name}.tr"))
        shown = [float(line.split()[0]) for line in pathlib.Path(f"{name}.ave").read_text().splitlines()]
    full = list(averages(rows, trace, var, link))
    for i, (mine, ns2) in enumerate(zip(full, shown, strict=True)):
        assert abs(mine - ns2) <= 1.01e-5 * abs(ns2) + 1e-300, (number, i, mine, ns2)
    capable = {
        i: flags[6] == "N" or "E" in flags for i, flags in enumerate(f for e, _, f, _ in trace if e == "+")
    }
    keys = table(options_, buffer)
    path = pathlib.Path(out) / keys["kind"] / f"ns2_list_{number}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        file.write(HEADER.format(options_=" ".join(f"{key} {tcl(value)}" for key, value in options_.items())))
        file.write(f"# link_bps = {link['rate']}\n# link_delay_us = {round(link['delay'] * 1e6)}\n")
        file.writelines(f"# {key} = {tcl(value)}\n" for key, value in keys.items())
        file.write(f"# random state before = {states['before']}\n# random state after = {states['after']}\n")
        last = 0
        for i, ((now, size, _), avg, end) in enumerate(zip(rows, full, verdicts(trace), strict=True)):
            file.write(f"{now - last:.3f} {size}{'e' * capable[i]} {avg:.10g} {end}".rstrip() + "\n")
            last = now
    return path


def main(first, until, out):
    """Writes the lists of these numbers."""
    for number in range(int(first), int(until)):
        try:
            print(record(number, out))
        except LookupError as tie:
            print(f"list {number}: an arrival and a departure fall together at {tie} us; left out")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
