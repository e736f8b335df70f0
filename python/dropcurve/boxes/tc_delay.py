"""Linux disciplines beyond the RED family as ``tc`` words: CoDel, PIE, CAKE, DualPI2, SFQ, SFB and the plain
queues.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from ..quantities import units
from . import tc_cake
from . import tc_numbers as tc
from .model import Note, Problems
from .settings import Settings
from .tc_commands import TcCommands


def codel(settings: Settings, notes: list[Note], problems: Problems) -> TcCommands | None:
    """`codel`."""
    limit = _whole_packets(settings, "limit", notes, problems)
    words, shown = _codel_times(settings, notes)
    ecn = settings.flag("ecn")
    return TcCommands(
        "codel", ["limit", str(limit), *words, "ecn" if ecn else "noecn"], "codel",
        {"dialect": "linux", "limit": f"{limit} pkts", **shown, "ecn": ecn},
    )  # fmt: skip


def fq_codel(settings: Settings, notes: list[Note], problems: Problems) -> TcCommands | None:
    """`fq_codel`."""
    limit = _whole_packets(settings, "limit", notes, problems)
    words, shown = _codel_times(settings, notes)
    ecn, memory = (
        settings.flag("ecn"),
        units.size(settings.text("memory_limit")) if not _zero(settings, "memory_limit") else 0,
    )
    flows, quantum, batch = (
        settings.whole("flows"),
        units.size(settings.text("quantum")),
        settings.whole("drop_batch"),
    )
    problems.require(quantum >= 256, "quantum", f"{quantum} B", "Linux takes 256 B or more", "raise it")
    _only(settings, notes, ways=1)
    if not memory:
        notes.append(Note("rounded", "memory_limit", "no bound becomes 4 GB, the largest value"))
        memory = 2**32 - 1
    pairs = {"flows": str(flows), **dict(pairs_of(words)), "quantum": str(quantum), "memory_limit": str(memory),
             "drop_batch": str(batch)}  # fmt: skip
    stated = {word: text for word, text in pairs.items() if text != FQ_CODEL.get(word)}
    loaded = {
        "memory_limit": f"{memory} B",
        "flows": flows,
        **shown,
        "quantum": f"{quantum} B",
        "drop_batch": batch,
    }
    own = {key: value for key, value in loaded.items() if key in stated}
    return TcCommands(
        "fq_codel", ["limit", str(limit), *chain.from_iterable(stated.items()), "ecn" if ecn else "noecn"], "fq_codel",
        {"dialect": "linux", "limit": f"{limit} pkts", **own, "ecn": ecn},
    )  # fmt: skip


#: The options of `fq_codel` that the kernel takes where none are stated (tc-fq_codel(8)).
FQ_CODEL = {
    "flows": "1024", "target": "5ms", "interval": "100ms", "quantum": "1514", "memory_limit": str(32 << 20),
    "drop_batch": "64",
}  # fmt: skip


def pairs_of(words: list[str]) -> Iterator[tuple[str, str]]:
    """Words of options with their values, in pairs."""
    return zip(words[::2], words[1::2], strict=True)


def fq_codel_defaults(words: str, options: Mapping[str, Any]) -> str:
    """The words of an `fq_codel` that takes the place of another one, with the defaults of what that one had set: `tc
    qdisc replace` leaves what is not stated as it is in a queue of the same kind (tc(8)), and refuses another number of
    flows.

    Args:
        words: The words of the new queue.
        options: The parameters of the one in place.
    """
    has = words.split()
    again = [
        f"{word} {text}" for word, text in FQ_CODEL.items() if word in options and word not in (*has, "flows")
    ]
    return " ".join([words, *again])


def _codel_times(settings: Settings, notes: list[Note]) -> tuple[list[str], dict[str, Any]]:
    words, shown = [], {}
    for key in ("target", "interval", "ce_threshold"):
        seconds = settings.seconds(key)
        if key == "ce_threshold" and seconds == 0.0:
            continue
        stated = tc.codel_time_written(seconds)
        if abs(stated - seconds) > 1e-12 and abs(tc.codel_time(stated) - seconds) > 1e-12:
            notes.append(Note("rounded", key, f"{units.show_span(seconds)} becomes {stated * 1e6:.0f} us"))
        words += [key, tc.show_time(stated)]
        shown[key] = units.show_span(tc.codel_time(stated))
    if "ce_threshold" in shown and settings.options.get("ce_for") == "ect1":
        notes.append(
            Note(
                "lost",
                "ce_for",
                "ect1: tc before 6.0 marks all capable packets; newer ones take ce_threshold_selector",
            )
        )
    return words, shown


def _micro(key: str, seconds: float, notes: list[Note]) -> float:
    """A time in whole microseconds, the unit of tc."""
    micro = max(1, round(seconds * 1e6))
    if abs(micro / 1e6 - seconds) > 1e-12:
        notes.append(Note("rounded", key, f"{units.show_span(seconds)} becomes {micro} us"))
    return micro / 1e6


def pie(settings: Settings, notes: list[Note], problems: Problems) -> TcCommands | None:
    """`pie`."""
    limit = _whole_packets(settings, "limit", notes, problems)
    words, shown = _pie_words(settings, notes, problems)
    byte_mode, rate_estimate = settings.flag("byte_mode"), settings.options.get("delay") == "rate"
    words = [
        "limit", str(limit), *words, "ecn" if settings.flag("ecn") else "noecn",
        "bytemode" if byte_mode else "nobytemode",
        *(["dq_rate_estimator"] if rate_estimate else []),
    ]  # fmt: skip
    _only(settings, notes, derandomise=True, active_share=0.0, cap_step=True)
    shown = {
        "dialect": "linux",
        "limit": f"{limit} pkts",
        **shown,
        "ecn": settings.flag("ecn"),
        "byte_mode": byte_mode,
    }
    return TcCommands("pie", words, "pie", {**shown, **({"delay": "rate"} if rate_estimate else {})})


def fq_pie(settings: Settings, notes: list[Note], problems: Problems) -> TcCommands | None:
    """`fq_pie`."""
    limit = _whole_packets(settings, "limit", notes, problems)
    words, shown = _pie_words(settings, notes, problems)
    flows, quantum = settings.whole("flows"), units.size(settings.text("quantum"))
    memory = 2**32 - 1 if _zero(settings, "memory_limit") else units.size(settings.text("memory_limit"))
    share = _hundredth(settings, notes)
    ecn = settings.flag("ecn")
    words = [
        "limit", str(limit), "flows", str(flows), *words, "quantum", str(quantum),
        "memory_limit", str(memory),
        "ecn_prob", str(share), "ecn" if ecn else "noecn",
    ]  # fmt: skip
    _only(settings, notes, ways=1, derandomise=True)
    return TcCommands(
        "fq_pie", words, "fq_pie",
        {"dialect": "linux", "limit": f"{limit} pkts", "flows": flows, **shown, "quantum": f"{quantum} B",
         "memory_limit": f"{memory} B", "mark_limit": share / 100.0, "ecn": ecn},
    )  # fmt: skip


def _hundredth(settings: Settings, notes: list[Note]) -> int:
    exact = 100.0 * settings.number("mark_limit")
    share = min(100, max(0, round(exact)))
    if abs(share - exact) > 1e-9:
        notes.append(Note("rounded", "mark_limit", f"{exact:g} % becomes {share} %"))
    return share


def _pie_words(settings: Settings, notes: list[Note], problems: Problems) -> tuple[list[str], dict[str, Any]]:
    """Times, and alpha and beta in sixteenths between 0 and 2."""
    words: list[str] = []
    shown: dict[str, Any] = {}
    for key, name in (("target", "target"), ("t_update", "tupdate")):
        stated = _micro(key, settings.seconds(key), notes)
        words += [name, tc.show_time(stated)]
        shown[key] = units.show_span(stated)
    for key in ("alpha", "beta"):
        exact = settings.number(key)
        steps = round(16.0 * exact)
        problems.require(
            0 <= steps <= 32,
            key,
            f"{exact:g}",
            "tc takes sixteenths from 0 to 2",
            "write a value from 0 to 2",
        )
        if steps / 16.0 != exact:
            notes.append(Note("rounded", key, f"{exact:g} becomes {steps}/16 = {steps / 16.0:g}"))
        words += [key, str(steps)]
        shown[key] = steps / 16.0
    if settings.options.get("max_burst", "150 ms") != "150 ms":
        notes.append(
            Note(
                "lost",
                "max_burst",
                f"{settings.options['max_burst']} becomes 150 ms, which the kernel has fixed",
            )
        )
    return words, shown


def cobalt(settings: Settings, notes: list[Note], problems: Problems) -> TcCommands | None:
    """`cake` with one queue for all flows: COBALT behind CAKE's own shaper."""
    interval = _micro("interval", settings.seconds("interval"), notes)
    target = tc_cake.target(interval)
    notes += tc_cake.another_target(settings, target)
    limit = round(settings.bytes_("limit"))
    notes.append(tc_cake.memory(limit))
    if not settings.flag("ecn"):
        notes.append(tc_cake.MARKS)
    words = [
        "bandwidth",
        tc.show_rate(settings.rate_bps),
        "besteffort",
        "flowblind",
        *tc_cake.rtt(interval),
        "memlimit",
        str(limit),
    ]
    shown = {
        "dialect": "cake", "limit": f"{limit} B", "target": units.show_span(target),
        "interval": units.show_span(interval),
        "ecn": True,
    }  # fmt: skip
    return TcCommands("cake", words, "cobalt", shown, shapes=True)


def dualpi2(settings: Settings, notes: list[Note], problems: Problems) -> TcCommands | None:
    """`dualpi2` (Linux 6.17, iproute2 6.16 or newer)."""
    limit = _whole_packets(settings, "limit", notes, problems)
    target, update = (_micro(one, settings.seconds(one), notes) for one in ("target", "t_update"))
    step = _micro("min_th", settings.seconds("min_th") + settings.seconds("range") / 2.0, notes)
    if settings.seconds("range") > 0.0:
        notes.append(
            Note("lost", "range", f"Linux has a step, not a ramp: at {tc.show_time(step)}, its middle")
        )
    coupling, share = round(settings.number("coupling")), round(100.0 * settings.number("classic_share"))
    weights = {}
    for name in ("alpha", "beta"):
        weights[name] = round(256.0 * settings.number(name)) / 256.0
        if weights[name] != settings.number(name):
            notes.append(
                Note(
                    "rounded",
                    name,
                    f"{settings.number(name):g} becomes {weights[name]:.6g}, in steps of 1/256",
                )
            )
    words = [
        "limit", str(limit), "coupling_factor", str(coupling), "step_thresh", tc.show_time(step),
        "min_qlen_step", str(settings.whole("min_len")),
        "drop_on_overload" if settings.text("overload") == "drop" else "overflow",
        "drop_dequeue", "classic_protection", f"{share}%", "target", tc.show_time(target),
        "tupdate", tc.show_time(update),
        "alpha", tc.show_number(weights["alpha"]), "beta", tc.show_number(weights["beta"]),
    ]  # fmt: skip
    if not settings.flag("ecn"):
        notes.append(Note("lost", "ecn", "Linux marks capable packets of the classic queue"))
    notes.append(Note("load", "", "needs Linux 6.17 and iproute2 6.16 or newer"))
    shown = {
        "dialect": "linux", "limit": f"{limit} pkts", "target": units.show_span(target),
        "t_update": units.show_span(update),
        "min_th": units.show_span(step), "min_len": settings.whole("min_len"), "coupling": coupling,
        "classic_share": share / 100.0,
        "overload": settings.text("overload"), **weights,
    }  # fmt: skip
    return TcCommands("dualpi2", words, "dualpi2", shown)


def sfq(settings: Settings, notes: list[Note], problems: Problems) -> TcCommands | None:
    """`sfq`."""
    limit = _whole_packets(settings, "limit", notes, problems)
    problems.require(
        limit <= 65536, "limit", f"{limit} pkts", "Linux takes at most 65536 packets", "lower it"
    )
    buckets = settings.whole("buckets")
    divisor = 2 ** max(0, round(math.log2(buckets)))
    problems.require(divisor <= 65536, "buckets", buckets, "Linux takes at most 65536", "lower it")
    if divisor != buckets:
        notes.append(Note("rounded", "buckets", f"{buckets} becomes {divisor}, a power of two"))
    if settings.text("refuse") != "longest":
        notes.append(Note("lost", "refuse", "Linux takes from the longest queue"))
    if settings.options.get("child", "plain") != "plain":
        notes.append(
            Note("lost", "child", "queues become plain: of disciplines inside, Linux sfq has RED alone")
        )
    depth = min(limit, 127)
    words = ["limit", str(limit), "depth", str(depth), "divisor", str(divisor)]
    if depth < limit:
        notes.append(Note("load", "depth", f"one flow may hold {depth} packets"))
    shown: dict[str, Any] = {"limit": f"{limit} pkts", "buckets": divisor, "refuse": "longest"}
    if settings.text("perturb") != "auto":
        seconds = max(1, round(settings.seconds("perturb")))
        if seconds != settings.seconds("perturb"):
            notes.append(Note("rounded", "perturb", f"{settings.text('perturb')} becomes {seconds} s"))
        words += ["perturb", str(seconds)]
        shown["perturb"] = f"{seconds} s"
    return TcCommands("sfq", words, "sfq", shown)


def sfb(settings: Settings, notes: list[Note], problems: Problems) -> TcCommands | None:
    """`sfb`: probabilities in 65535ths."""
    limit = _whole_packets(settings, "limit", notes, problems)
    _only(settings, notes, levels=8, bins=16)
    steps = {}
    for key in ("increment", "decrement"):
        exact = settings.number(key)
        whole = max(1, round(exact * 65535.0))
        steps[key] = whole / 65535.0
        if abs(steps[key] - exact) > 0.005 * exact:
            notes.append(Note("rounded", key, f"{exact:.4g} becomes {whole}/65535 = {steps[key]:.4g}"))
    milli = {key: round(1000.0 * settings.seconds(key)) for key in ("rehash", "warmup")}
    words = [
        "rehash", str(milli["rehash"]), "db", str(milli["warmup"]), "limit", str(limit),
        "max", str(settings.whole("max")),
        "target", str(settings.whole("target")), "increment", f"{steps['increment']:.9f}",
        "decrement", f"{steps['decrement']:.9f}",
        "penalty_rate", str(round(settings.number("penalty_rate"))),
        "penalty_burst", str(settings.whole("penalty_burst")),
    ]  # fmt: skip
    if not settings.flag("ecn"):
        notes.append(Note("lost", "ecn", "Linux marks ECN-capable packets"))
    shown = {
        "limit": f"{limit} pkts", "target": settings.whole("target"), "max": settings.whole("max"), **steps,
        "rehash": f"{milli['rehash']} ms", "warmup": f"{milli['warmup']} ms",
        "penalty_rate": round(settings.number("penalty_rate")), "penalty_burst": settings.whole("penalty_burst"),
    }  # fmt: skip
    return TcCommands("sfb", words, "sfb", shown)


def droptail(settings: Settings, notes: list[Note], problems: Problems) -> TcCommands | None:
    """`pfifo`, `bfifo` or `pfifo_head_drop`."""
    head = settings.text("victim") == "head"
    if settings.text("victim") == "random":
        notes.append(Note("lost", "victim", "random: Linux drops the arriving packet"))
    if settings.text("limit_test") == "before":
        notes.append(Note("lost", "limit_test", "Linux drops packets that do not fit"))
    shown: dict[str, Any] = {"victim": "head" if head else "tail"}
    if not settings.text("limit").endswith(("pkts", "pkt")) and not head:
        limit = round(settings.bytes_("limit"))
        return TcCommands("bfifo", ["limit", str(limit)], "droptail", {"limit": f"{limit} B", **shown})
    limit = _whole_packets(settings, "limit", notes, problems)
    kind = "pfifo_head_drop" if head else "pfifo"
    return TcCommands(kind, ["limit", str(limit)], "droptail", {"limit": f"{limit} pkts", **shown})


def _whole_packets(settings: Settings, key: str, notes: list[Note], problems: Problems) -> int:
    exact = settings.packets(key)
    if settings.text("limit_test") == "counts_arrival" if "limit_test" in settings else False:
        exact -= 1.0
        notes.append(
            Note(
                "rounded",
                key,
                f"{exact + 1:g} packets with the arriving one become {exact:g}, the packets in the queue",
            )
        )
    whole = round(exact)
    problems.require(1 <= whole < 2**32, key, settings.text(key), "must be 1 packet or more, and below 2^32")
    if not settings.text(key).endswith(("pkts", "pkt")) or whole != exact:
        notes.append(
            Note("rounded", key, f"{settings.text(key)} becomes {whole} packets of {settings.mean_packet} B")
        )
    return whole


def _only(settings: Settings, notes: list[Note], **plain: Any) -> None:
    for key, value in plain.items():
        if key in settings and settings.options[key] != value:
            notes.append(
                Note("lost", key, f"{settings.options[key]}: Linux always uses {str(value).lower()}")
            )


def _zero(settings: Settings, key: str) -> bool:
    return settings.text(key).split()[0] in ("0", "0.0")
