"""Readers of Linux queues: the discipline and parameters of each kind of `tc`.

An option missing from the text (``tc qdisc show`` without ``-d`` hides the weight) takes tc's default, and is noted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import UsageError
from ..quantities import units
from . import tc_cake
from . import tc_numbers as tc
from .model import Note
from .tc_tree import Queue

#: Converts one kind of queue: the discipline, its parameters, and its shaper's rate in bit/s if it has one.
Reader = Callable[[Queue, list[Note]], tuple[str, dict[str, Any], float | None]]


def red(queue: Queue, notes: list[Note]) -> tuple[str, dict[str, Any], float | None]:
    """`red`; with `adaptive`, `ared`."""
    options = queue.options
    params = _curve(options, notes, unit="B")
    rate = params.pop("rate")
    adaptive = "adaptive" in options or "adaptative" in options
    ecn = "ecn" in options
    if "nodrop" in options:
        notes.append(
            Note("lost", "nodrop", "packets that cannot be marked are kept in Linux; here they are dropped")
        )
    shown: dict[str, Any] = {"dialect": "linux", **params}
    if adaptive:
        shown["unit"] = "bytes"
    elif rate is not None:
        shown["idle_rate"] = units.show_rate(rate)
    shown["ecn"] = ecn
    if ecn and "harddrop" in options:
        shown["ecn_forced"] = "drop"
    return "ared" if adaptive else "red", shown, None


def _curve(options: Mapping[str, str], notes: list[Note], *, unit: str) -> dict[str, Any]:
    """Limit, thresholds, probability, weight and mean packet that red, choke and gred share."""
    in_bytes = unit == "B"
    read_amount = tc.size if in_bytes else tc.count
    avpkt = tc.size(options["avpkt"]) if "avpkt" in options else 1000
    limit = read_amount(options["limit"])
    if options.get("max"):
        high = read_amount(options["max"])
    elif options.get("min"):
        high = 3 * read_amount(options["min"])
    else:
        high = limit // 4
    low = read_amount(options["min"]) if options.get("min") else high // 3
    if high <= low:
        raise UsageError("max", high, f"must exceed min {low}", "raise max, or lower min")
    if avpkt < 1:
        raise UsageError(
            "avpkt", avpkt, "must be 1 byte or more", "write the mean size of a packet, such as 1000"
        )
    if limit <= low:
        notes.append(
            Note("load", "limit", f"lies below min ({low}): the buffer is full before RED drops any")
        )
    elif limit < high:
        notes.append(
            Note("load", "limit", f"lies below max ({high}): the buffer is full before RED drops all")
        )
    if "probability" in options:
        max_p = tc.number(options["probability"])
    else:
        max_p = 0.02
        notes.append(
            Note(
                "assumed", "max_p", "the text does not say; tc's default is 0.02 (tc -d qdisc show prints it)"
            )
        )
    exponent = _exponent(
        options,
        low / avpkt if in_bytes else float(low),
        (2 * low + high) // (3 * (avpkt if in_bytes else 1)),
        notes,
    )
    if max_p >= 1.0:
        notes.append(
            Note(
                "load", "max_p", "a probability of 1 overflows in tc: the kernel takes a power of two instead"
            )
        )
        slope = tc.plog(low, high, 1.0)
        max_p = 1.0 if slope is None else min(1.0, (high - low) / 2.0**slope)
    most = tc.most_exponent(high)
    if exponent > most:
        raise UsageError(
            "ewma",
            exponent,
            f"with max {high} does not fit the kernel's 32 bits (at most {most})",
            "lower one of the two",
        )
    params: dict[str, Any] = {
        "limit": f"{limit} {unit}", "min_th": f"{low} {unit}", "max_th": f"{high} {unit}",
        "max_p": tc.max_p_loaded(max_p, high - low), "w_q": 0.5**exponent,
    }  # fmt: skip
    if in_bytes:
        params["mean_packet"] = f"{avpkt} B"
    params["rate"] = tc.rate(options["bandwidth"]) if "bandwidth" in options else None
    return params


def _exponent(options: Mapping[str, str], min_packets: float, burst: int, notes: list[Note]) -> int:
    if "ewma" in options:
        return tc.count(options["ewma"])
    if "burst" in options:
        burst = tc.count(options["burst"])
    else:
        notes.append(
            Note(
                "assumed",
                "w_q",
                f"the text names no burst; tc's default would be {burst} (tc -d qdisc show prints ewma)",
            )
        )
    exponent = tc.ewma(min_packets, burst)
    if exponent is None and min_packets < 1.0:
        raise UsageError(
            "red min",
            options.get("min", ""),
            f"is less than a packet ({min_packets:g} of avpkt): tc counts bytes, and refuses it",
            "write min, max and limit with their unit, such as 30kb",
        )
    if exponent is None:
        raise UsageError(
            "burst",
            burst,
            f"is too small for min, {min_packets:g} packets: tc refuses it",
            "raise burst, or lower min",
        )
    return exponent


def choke(queue: Queue, notes: list[Note]) -> tuple[str, dict[str, Any], float | None]:
    """`choke`."""
    params = _curve(queue.options, notes, unit="pkts")
    params.pop("rate")
    return (
        "choke",
        {
            **params,
            "spacing": "cycle",
            "idle_from": "link_idle",
            "ecn": "ecn" in queue.options,
            "ecn_forced": "mark",
        },
        None,
    )


def gred(queue: Queue, notes: list[Note]) -> tuple[str, dict[str, Any], float | None]:
    """`gred`, from its set-up and a line for each virtual queue. The overall `limit` has no effect in Linux."""
    rows = sorted(queue.virtual, key=lambda one: tc.count(one["DP"]))
    if not rows:
        raise UsageError(
            "gred", "", "no virtual queue is set up", "add a line with DP 0, min, max and so on for each"
        )
    count = tc.count(queue.options.get("DPs", str(len(rows))))
    if count != len(rows) or [tc.count(one["DP"]) for one in rows] != list(range(count)):
        raise UsageError(
            "DPs",
            count,
            f"virtual queues {', '.join(one['DP'] for one in rows)} are set up: each must be",
            "add the lines that are missing",
        )
    curves = [_curve(one, notes, unit="B") for one in rows]
    if len({one["w_q"] for one in curves}) > 1:
        notes.append(
            Note("lost", "w_q", "virtual queues with weights of their own: the first one's is taken for all")
        )
    total = (
        tc.size(queue.options["limit"])
        if "limit" in queue.options
        else max(tc.size(one["limit"]) for one in rows)
    )
    rates = [one["rate"] for one in curves]
    return "gred", {
        "dialect": "linux", "limit": f"{total} B", "limit_binds": False, "mean_packet": curves[0]["mean_packet"],
        "default_dp": tc.count(queue.options.get("default", "0")), "grio": "grio" in queue.options,
        "dp_limit": [one["limit"] for one in curves], "min_th": [one["min_th"] for one in curves],
        "max_th": [one["max_th"] for one in curves], "probability": [one["max_p"] for one in curves],
        "prio": [max(1, tc.count(one.get("prio", str(i + 1)))) for i, one in enumerate(rows)], "w_q": curves[0]["w_q"],
        **({} if None in rates else {"idle_rate": [units.show_rate(rate) for rate in rates]}),
        "ecn": "ecn" in queue.options,
    }, None  # fmt: skip


def _times(options: Mapping[str, str], **names: str) -> dict[str, Any]:
    return {key: units.show_span(tc.time(options[name])) for name, key in names.items() if name in options}


def _codel_times(options: Mapping[str, str]) -> dict[str, Any]:
    """CoDel's times in ticks of its clock."""
    return {
        key: units.show_span(tc.codel_time(tc.time(options[key])))
        for key in ("target", "interval", "ce_threshold")
        if key in options
    }


def codel(queue: Queue, notes: list[Note]) -> tuple[str, dict[str, Any], float | None]:
    """`codel`."""
    options = queue.options
    limit = tc.count(options.get("limit", "1000"))
    return (
        "codel",
        {"dialect": "linux", "limit": f"{limit} pkts", **_codel_times(options), "ecn": "ecn" in options},
        None,
    )


def fq_codel(queue: Queue, notes: list[Note]) -> tuple[str, dict[str, Any], float | None]:
    """`fq_codel`."""
    options = queue.options
    return "fq_codel", {
        "dialect": "linux", "limit": f"{tc.count(options.get('limit', '10240'))} pkts",
        **_sizes(options, memory_limit="memory_limit", quantum="quantum"),
        **_counts(options, flows="flows", drop_batch="drop_batch"),
        **_codel_times(options),
        # On by default: a command without either word marks; what `tc qdisc show` prints has all of its options.
        "ecn": "noecn" not in options and ("ecn" in options or not _PRINTED.issubset(options)),
    }, None  # fmt: skip


#: Options that `tc qdisc show` prints of every `fq_codel`.
_PRINTED = {"limit", "flows", "quantum", "target", "interval"}


def _sizes(options: Mapping[str, str], **names: str) -> dict[str, Any]:
    return {key: f"{tc.size(options[name])} B" for name, key in names.items() if name in options}


def _counts(options: Mapping[str, str], **names: str) -> dict[str, Any]:
    return {key: tc.count(options[name]) for name, key in names.items() if name in options}


def _pie_gains(options: Mapping[str, str]) -> dict[str, Any]:
    return {key: tc.number(options[key]) / 16.0 for key in ("alpha", "beta") if key in options}


def pie(queue: Queue, notes: list[Note]) -> tuple[str, dict[str, Any], float | None]:
    """`pie`."""
    options = queue.options
    return "pie", {
        "dialect": "linux", "limit": f"{tc.count(options.get('limit', '1000'))} pkts",
        **_times(options, target="target", tupdate="t_update"), **_pie_gains(options),
        "ecn": "ecn" in options, "byte_mode": "bytemode" in options,
        **({"delay": "rate"} if "dq_rate_estimator" in options else {}),
    }, None  # fmt: skip


def fq_pie(queue: Queue, notes: list[Note]) -> tuple[str, dict[str, Any], float | None]:
    """`fq_pie`."""
    options = queue.options
    share = tc.number(options.get("ecn_prob", "10"))
    return "fq_pie", {
        "dialect": "linux", "limit": f"{tc.count(options.get('limit', '10240'))} pkts",
        **_counts(options, flows="flows"),
        **_times(options, target="target", tupdate="t_update"), **_pie_gains(options),
        **_sizes(options, quantum="quantum", memory_limit="memory_limit"), "mark_limit": share / 100.0,
        "ecn": "ecn" in options,
    }, None  # fmt: skip


def dualpi2(queue: Queue, notes: list[Note]) -> tuple[str, dict[str, Any], float | None]:
    """`dualpi2`."""
    options = queue.options
    step = options.get("step_thresh", "1ms")
    if re.fullmatch(r"\d+(?:p|pkts?|packets?)?", step):
        raise UsageError(
            "step_thresh",
            queue.options["step_thresh"],
            "in packets is not simulated",
            "give a time, such as 1ms",
        )
    params: dict[str, Any] = {
        "dialect": "linux", "limit": f"{tc.count(options.get('limit', '10000'))} pkts",
        **_times(options, target="target", tupdate="t_update"), "min_th": units.show_span(tc.time(step)),
    }  # fmt: skip
    for key in ("alpha", "beta"):
        if key in options:
            params[key] = tc.dualpi2_gain(tc.number(options[key]))
    params.update(_counts(options, min_qlen_step="min_len", coupling_factor="coupling"))
    if "classic_protection" in options:
        share = options["classic_protection"]
        params["classic_share"] = tc.number(share if share.endswith("%") else f"{share}%")
    params["overload"] = "mark" if "overflow" in options else "drop"
    if "drop_enqueue" in options:
        notes.append(
            Note("lost", "drop_enqueue", "decisions at arrival are not simulated: they fall at departure")
        )
    return "dualpi2", params, None


def sfq(queue: Queue, notes: list[Note]) -> tuple[str, dict[str, Any], float | None]:
    """`sfq`."""
    options = queue.options
    if "redflowlimit" in options or "ewma" in options:
        notes.append(Note("lost", "red", "RED inside each flow of SFQ is not simulated"))
    params: dict[str, Any] = {
        "limit": f"{tc.count(options.get('limit', '127'))} pkts",
        "buckets": tc.count(options.get("divisor", "1024")),
        "refuse": "longest",
    }  # fmt: skip
    seconds = tc.number(re.sub(r"s(ec)?$", "", options.get("perturb", "0")))
    if seconds > 0.0:
        params["perturb"] = f"{seconds:g} s"
    return "sfq", params, None


def sfb(queue: Queue, notes: list[Note]) -> tuple[str, dict[str, Any], float | None]:
    """`sfb`; tc's own defaults differ from the kernel's."""
    options = queue.options
    steps = {
        key: max(1, round(tc.number(options.get(key, default)) * 65535.0)) / 65535.0
        for key, default in (("increment", "0.0005"), ("decrement", "0.00005"))
    }
    times = {
        key: f"{_milli(options.get(name, default)):g} ms"
        for name, key, default in (("rehash", "rehash", "600000"), ("db", "warmup", "60000"))
    }
    return "sfb", {
        "limit": f"{tc.count(options.get('limit', '1000'))} pkts",
        "target": tc.count(options.get("target", "20")),
        "max": tc.count(options.get("max", "25")), **steps, **times,
        "penalty_rate": tc.count(options.get("penalty_rate", "10")),
        "penalty_burst": tc.count(options.get("penalty_burst", "20")),
    }, None  # fmt: skip


def _milli(text: str) -> float:
    """Milliseconds: tc takes a bare number and shows ``600s``."""
    return tc.number(text) if re.fullmatch(r"[0-9.]+", text) else 1000.0 * tc.time(text)


def fifo(queue: Queue, notes: list[Note]) -> tuple[str, dict[str, Any], float | None]:
    """`pfifo`, `bfifo`, `pfifo_head_drop`, `pfifo_fast`."""
    options = queue.options
    if queue.kind == "pfifo_fast":
        notes.append(
            Note(
                "assumed",
                "limit",
                "pfifo_fast holds txqueuelen packets, usually 1000, in three bands: one is simulated",
            )
        )
    elif "limit" not in options:
        notes.append(Note("assumed", "limit", "the text does not say: 1000 packets, the usual txqueuelen"))
    if queue.kind == "bfifo":
        limit = f"{tc.size(options['limit'])} B" if "limit" in options else "1514000 B"
    else:
        limit = f"{tc.count(options.get('limit', '1000'))} pkts"
    return "droptail", {"limit": limit, "victim": "head" if queue.kind == "pfifo_head_drop" else "tail"}, None


#: Readers by kind of queue.
READERS: Mapping[str, Reader] = {
    "red": red, "gred": gred, "choke": choke, "codel": codel, "fq_codel": fq_codel, "pie": pie,
    "fq_pie": fq_pie, "cake": tc_cake.read,
    "dualpi2": dualpi2, "sfq": sfq, "sfb": sfb, "pfifo": fifo, "bfifo": fifo, "pfifo_head_drop": fifo,
    "pfifo_fast": fifo,
}  # fmt: skip
