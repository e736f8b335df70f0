"""The comparisons, in the order of the page, and the known causes of the remaining differences."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

from . import (
    defects,
    live_linux,
    live_ns2,
    live_ns3,
    ns2_packets,
    ns3_packets,
    ns3_singles,
    rate_packets,
    tables,
    theory,
    verdicts,
)
from .cases import AgreementCase, Area
from .context import Context

#: Name to comparison. Each is one file, or one table of `tables.py`.
AREAS: dict[str, Callable[[Context], Area]] = {
    "ns2_packets": ns2_packets.compare,
    "ns3_packets": ns3_packets.compare,
    "ns3_singles": ns3_singles.compare,
    "tfrc_packets": partial(rate_packets.compare, "tfrc"),
    "rap_packets": partial(rate_packets.compare, "rap"),
    "verdicts": verdicts.compare,
    "linux_verdicts": verdicts.linux,
    **{table.key: partial(tables.compare, table) for table in tables.TABLES},
    "theory": theory.compare,
    "defects": defects.compare,
}
#: Comparisons that run others themselves.
LIVE: dict[str, Callable[[Context], Area]] = {
    **live_ns2.COMPARISONS,
    "live_ns3": live_ns3.compare,
    "live_linux": live_linux.compare,
}


def compare(names: list[str], context: Context) -> list[Area]:
    """The named comparisons, with the cause of each case outside."""
    return [explain((AREAS | LIVE)[name](context)) for name in names]


def explain(area: Area) -> Area:
    """Returns the cases with causes from `causes.toml`."""
    text = Path(__file__).with_name("causes.toml").read_text(encoding="utf-8")
    known = tomllib.loads(text)["cause"]

    def cause(case: AgreementCase) -> str:
        fits = (one for one in known if fnmatch(area.key, one["area"]) and fnmatch(case.name, one["case"]))
        return str(next(fits, {"text": ""})["text"])

    cases = [replace(case, cause=cause(case)) if case.verdict == "outside" else case for case in area.cases]
    return replace(area, cases=cases)
