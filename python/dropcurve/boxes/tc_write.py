"""Disciplines as ``tc`` commands for Linux.

Each writer takes resolved options and returns the words after the kind, and the options as the kernel will have them.
Times, rates and probabilities are rounded as tc and the kernel do; `tc_numbers` has the rules.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..quantities import units
from . import tc_cake, tc_red
from . import tc_numbers as tc
from .model import Note, Problems, profiles, refuse
from .settings import Settings
from .tc_commands import TcCommands, Writer
from .tc_delay import cobalt, codel, droptail, dualpi2, fq_codel, fq_pie, pie, sfb, sfq


def red(settings: Settings, notes: list[Note], problems: Problems) -> TcCommands | None:
    """`red`, in bytes."""
    curve = _curve(settings, notes, problems)
    if curve is None:
        return None
    tc_red.lost_options(settings, notes)
    words = [*curve.words(), "bandwidth", tc.show_rate(settings.rate_bps), *_red_flags(settings)]
    return TcCommands("red", words, "red", tc_red.loaded(curve, settings, ecn=settings.flag("ecn")))


def ared(settings: Settings, notes: list[Note], problems: Problems) -> TcCommands | None:
    """`red adaptive`: the kernel's own rules for max_p."""
    curve = _curve(settings, notes, problems)
    if curve is None:
        return None
    tc_red.lost_options(settings, notes)
    for key, fixed in (
        ("interval", "500 ms"),
        ("top", 0.5),
        ("bottom", 0.01),
        ("alpha", 0.01),
        ("beta", 0.9),
    ):
        if str(settings.options[key]) not in (str(fixed), "auto"):
            notes.append(
                Note("lost", key, f"{settings.options[key]} becomes {fixed}, which the kernel has fixed")
            )
    words = [*curve.words(), "bandwidth", tc.show_rate(settings.rate_bps), *_red_flags(settings), "adaptive"]
    shown = {
        "dialect": "linux", "limit": curve.amount(curve.limit), "unit": "bytes", "min_th": curve.amount(curve.low),
        "max_th": curve.amount(curve.high), "max_p": curve.max_p_loaded, "w_q": curve.w_q,
        "mean_packet": f"{curve.avpkt} B",
        "ecn": settings.flag("ecn"), **tc_red.forced(settings),
    }  # fmt: skip
    return TcCommands("red", words, "ared", shown)


def _curve(settings: Settings, notes: list[Note], problems: Problems) -> tc_red.TcCurve | None:
    return tc_red.curve(
        settings, limit=settings.bytes_("limit"), low=settings.bytes_("min_th"), high=settings.bytes_("max_th"),
        max_p=settings.number("max_p"), w_q=settings.number("w_q"), unit="bytes", notes=notes, problems=problems,
    )  # fmt: skip


def _red_flags(settings: Settings) -> list[str]:
    if not settings.flag("ecn"):
        return []
    return ["ecn", "harddrop"] if settings.options.get("ecn_forced") == "drop" else ["ecn"]


def choke(settings: Settings, notes: list[Note], problems: Problems) -> TcCommands | None:
    """`choke`, in packets."""
    curve = tc_red.curve(
        settings, limit=settings.packets("limit"), low=settings.packets("min_th"), high=settings.packets("max_th"),
        max_p=settings.number("max_p"), w_q=settings.number("w_q"), unit="packets", notes=notes, problems=problems,
    )  # fmt: skip
    if curve is None:
        return None
    tc_red.lost_options(settings, notes)
    for key, plain in (("candidates", 1), ("candidate", "random")):
        if settings.options[key] != plain:
            notes.append(Note("lost", key, f"{settings.options[key]}: Linux always uses {plain}"))
    words = [
        *curve.words(),
        "bandwidth",
        tc.show_rate(settings.rate_bps),
        *(["ecn"] if settings.flag("ecn") else []),
    ]
    shown = {
        "limit": curve.amount(curve.limit), "min_th": curve.amount(curve.low), "max_th": curve.amount(curve.high),
        "max_p": curve.max_p_loaded, "w_q": curve.w_q, "spacing": "cycle", "idle_from": "link_idle",
        "ecn": settings.flag("ecn"),
        "ecn_forced": "mark",
    }  # fmt: skip
    return TcCommands("choke", words, "choke", shown)


def gred(settings: Settings, notes: list[Note], problems: Problems) -> TcCommands | None:
    """`gred`: set up, then one change for each virtual queue."""
    count = max(len(settings.options[key]) for key in ("dp_limit", "min_th", "max_th", "probability", "prio"))
    if count > 16:
        refuse("dp_limit", count, "Linux has at most 16 virtual queues", "merge some")
    rows = profiles(
        count, limit=settings.amounts("dp_limit"), low=settings.amounts("min_th"), high=settings.amounts("max_th"),
        p=settings.numbers("probability"), prio=settings.options["prio"],
    )  # fmt: skip
    curves = [
        tc_red.curve(
            settings, limit=row["limit"][1], low=row["low"][1], high=row["high"][1], max_p=row["p"],
            w_q=settings.number("w_q"),
            unit="bytes", notes=notes, problems=problems, name=f"DP {i}",
        )
        for i, row in enumerate(rows)
    ]  # fmt: skip
    kept = [one for one in curves if one is not None]
    default, total = settings.whole("default_dp"), round(settings.bytes_("limit"))
    problems.require(
        default < count, "default_dp", default, f"must be below the number of virtual queues ({count})"
    )
    if len(kept) < count or problems.all:
        return None
    tc_red.lost_options(settings, notes)
    _gred_notes(kept, notes)
    prio = [settings.options["prio"][min(i, len(settings.options["prio"]) - 1)] for i in range(count)]
    grio = settings.flag("grio")
    words = [
        "setup",
        "DPs",
        str(count),
        "default",
        str(default),
        *(["grio"] if grio else []),
        "limit",
        str(total),
    ]
    changes = [
        [
            *one.words(),
            "bandwidth",
            tc.show_rate(settings.rate_bps),
            "DP",
            str(i),
            *(["prio", str(prio[i])] if grio else []),
        ]
        for i, one in enumerate(kept)
    ]
    shown = {
        "dialect": "linux", "limit": f"{total} B", "limit_binds": False, "mean_packet": f"{settings.mean_packet} B",
        "default_dp": default, "grio": grio,
        "dp_limit": [one.amount(one.limit) for one in kept], "min_th": [one.amount(one.low) for one in kept],
        "max_th": [one.amount(one.high) for one in kept], "probability": [one.max_p_loaded for one in kept],
        "prio": prio, "w_q": kept[0].w_q, "idle_rate": [units.show_rate(round(settings.rate_bps))] * count,
        "ecn": settings.flag("ecn"),
    }  # fmt: skip
    return TcCommands("gred", [*words, *(["ecn"] if settings.flag("ecn") else [])], "gred", shown, changes)


def _gred_notes(kept: list[tc_red.TcCurve], notes: list[Note]) -> None:
    if len({one.exponent for one in kept}) > 1:
        text = "the virtual queues come to different weights in Linux; as loaded, the first one's is shown"
        notes.append(Note("lost", "w_q", text))
    text = "packets find their virtual queue by skb->tc_index & 15: set it with a filter or dsmark"
    notes.append(Note("load", "class", text))


#: Writers by discipline.
WRITERS: Mapping[str, Writer] = {
    "red": red, "ared": ared, "gred": gred, "choke": choke, "codel": codel, "fq_codel": fq_codel,
    "pie": pie, "fq_pie": fq_pie,
    "cake": tc_cake.write, "cobalt": cobalt, "dualpi2": dualpi2, "sfq": sfq, "sfb": sfb, "droptail": droptail,
}  # fmt: skip
