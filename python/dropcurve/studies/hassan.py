"""Hassan: how RED's parameters decide whether TFRC is friendly to TCP."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from statistics import fmean, median, stdev
from typing import TYPE_CHECKING, Any

import dropcurve.studies as st
from dropcurve.metrics import friendliness_class
from dropcurve.scenario import Scenario
from dropcurve.studies.tfrc_rivals import RIVALS, START, WEB

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TEXTS = st.texts("hassan")
#: Flows of each kind; the friendliness ratio, of two means.
COUNTS, F_R = (1, 2, 4, 8, 16), "tfrc/tcp"
BUF250 = {"limit": "250 pkts", "min_th": "20 pkts", "max_th": "50 pkts"}
#: Every case of tables 3 to 9, as edits of the Base case's queue.
CASES: dict[str, dict[str, Any]] = {
    "base": {}, "base p0.01": {"max_p": 0.01}, "base p1": {"max_p": 1.0}, "base w0.02": {"w_q": 0.02},
    "base 5-20": {"max_th": "20 pkts"}, "base 5-30": {"max_th": "30 pkts"},
    "buf250": BUF250, "buf250 p0.01": BUF250 | {"max_p": 0.01}, "buf250 p1": BUF250 | {"max_p": 1.0},
    "buf250 w0.02": BUF250 | {"w_q": 0.02}, "buf250 20-100": BUF250 | {"max_th": "100 pkts"},
    "buf250 20-150": BUF250 | {"max_th": "150 pkts"},
}  # fmt: skip
Change = Callable[[Scenario], Scenario]


def queue(scenario: Scenario, **keys: Any) -> Scenario:
    """The scenario with other parameters of RED, in both directions: the paper has RED on each link."""
    places = [where for where in ("queue", "back_queue") if scenario.get(f"{where}.kind") == "red"]
    return scenario.edit([(f"{where}.{key}", value) for where in places for key, value in keys.items()])


def flows(scenario: Scenario, count: int) -> Scenario:
    """Returns a scenario with ``count`` flows of each kind."""
    return scenario.edit([("flows.tcp.count", count), ("flows.tfrc.count", count)])


def cells(change: Change = lambda scenario: scenario, *, times: int = 1) -> dict[str, Scenario]:
    """Every case at every number of flows, multiplied by ``times``."""
    base = change(Scenario.load("hassan_red_friendliness"))
    return {f"{at} {n}": flows(queue(base, **keys), times * n) for at, keys in CASES.items() for n in COUNTS}


def edited(edits: Mapping[str, Any]) -> Change:
    """A change of keys by path."""
    return lambda scenario: scenario.edit(edits.items())


ONE_WAY = edited({"back_queue": {"kind": "droptail", "limit": "1000 pkts"}})
LATER = edited({"flows.tcp.profile": "ns2-2.35", "flows.tfrc.profile": "ns2-2.35"})


def present(scenario: Scenario) -> Scenario:
    """CUBIC against RFC 5348 in 1500-byte packets over 20 Mbit/s."""
    tcp = {"count": 1, "profile": "rfc", "cc": "cubic", "start": "uniform 0 s to 5 s"}
    tfrc = {"count": 1, "transport": "tfrc", "profile": "rfc", "mss": "1460 B", "start": "uniform 0 s to 5 s"}
    modern = scenario.edit({"flows.tcp": tcp, "flows.tfrc": tfrc, "dumbbell.rate": "20 Mbit/s",
                           "dumbbell.access_rate": "200 Mbit/s", "run.duration": "60 s"}.items())  # fmt: skip
    return queue(modern, mean_packet="1500 B")


#: Marks instead of drops, for these packets.
MARKING_ENDS = {"tcp": "for TCP alone", "both": "for both"}


def ecn() -> dict[str, Scenario]:
    """RED that marks instead of dropping: the packets of TCP, or of both transports."""
    scenarios: dict[str, Scenario] = {}
    for ends in MARKING_ENDS:
        marks = {"flows.tcp.ecn": True, "flows.tfrc.ecn": ends == "both"}
        base = queue(edited(marks)(Scenario.load("hassan_red_friendliness")), ecn=True)
        scenarios |= {f"{ends} {case} {n}": flows(queue(base, **CASES[case]), n)
                  for case in ("base", "buf250") for n in COUNTS}  # fmt: skip
    return scenarios


def rivals() -> dict[str, Scenario]:
    """Each rival against TCP in both cases, four and sixteen flows of each."""
    scenarios: dict[str, Scenario] = {}
    for name, keys in RIVALS.items():
        base = Scenario.load("hassan_red_friendliness")
        if name != "TFRC (2000)":
            like = START if "transport" in keys else START | {"profile": "ns2-2000", "recovery": "sack1"}
            base = base.set("flows.tfrc", like | keys)
        for case in ("base", "buf250"):
            scenarios |= {f"{name} {case} {n}": flows(queue(base, **CASES[case]), n) for n in (4, 16)}
    return scenarios


#: Numbers of sessions, and the long flows with them: of TCP and of TFRC.
USERS, LONG = (0, 4, 16), {"4 of each": (4, 4), "7 TCP, 1 TFRC": (7, 1), "1 TCP, 7 TFRC": (1, 7)}


def short() -> dict[str, Scenario]:
    """Short transfers together with long ones, in both cases."""
    cells = {}
    for case, (long, (tcp, tfrc)), users in product(("base", "buf250"), LONG.items(), USERS):
        base = queue(Scenario.load("hassan_red_friendliness"), **CASES[case])
        base = base.edit([("flows.tcp.count", tcp), ("flows.tfrc.count", tfrc)])
        cells[f"{case}, {long}, {users}"] = base.set("flows.web", WEB | {"count": users}) if users else base
    return cells


#: RED's parameters and the load, each over the range of the paper's cases and of common configurations. The
#: thresholds are given as shares: min_th of the buffer, max_th of what is left above min_th.
AXES = (
    st.Axis("buffer", 25, 400, unit="pkts"), st.Axis("min_th", 3, 40, unit="% of the buffer"),
    st.Axis("max_th", 10, 90, log=False, unit="% of the rest"), st.Axis("max_p", 0.01, 1), st.Axis("w_q", 0.0005, 0.05),
    st.Axis("flows", 1, 16, unit="of each kind"),
)  # fmt: skip
POINTS = 192


def atlas() -> dict[str, Scenario]:
    """Points spread over all of RED's parameters at once."""
    base = Scenario.load("hassan_red_friendliness")
    scenarios = {}
    for number, point in enumerate(st.spread(AXES, POINTS)):
        low = max(1.0, point["buffer"] * point["min_th"] / 100)
        high = low + (point["buffer"] - low) * point["max_th"] / 100
        keys = {"limit": f"{point['buffer']:.0f} pkts", "min_th": f"{low:.1f} pkts", "max_th": f"{high:.1f} pkts",
                "max_p": point["max_p"], "w_q": point["w_q"]}  # fmt: skip
        scenarios[f"point {number}"] = flows(queue(base, **keys), round(point["flows"]))
    return scenarios


def measure(run: dict[str, Any]) -> dict[str, float]:
    """Mean rate of a flow of each kind in kbit/s, the time that web sessions wait for an object, and the
    share of drops caused by an average above max_th, in per cent."""
    seconds, rates = run["simulated_s"] - run["warmup_s"], {}
    for group in ("tcp", "tfrc"):
        mine = [flow["goodput_bytes"] for flow in run["flows"] if flow["group"] == group]
        rates[group] = sum(mine) * 8e-3 / seconds / len(mine)
    drops = [run["links"]["bottleneck"][f"{kind}_pkts"] for kind in ("forced", "early", "overflow")]
    forced = 100 * drops[0] / sum(drops) if sum(drops) else math.nan
    transfer_times = [flow["objects"]["fct_ms_all"]["p50"] for flow in run["flows"] if flow["group"] == "web"]
    times = [one for one in transfer_times if one is not None]
    return {**rates, "fct_ms": median(times) if times else math.nan, "forced": forced}


def ratios(x: st.Cells, case: str) -> list[st.Effect]:
    """F_r at each number of flows: the ratio of mean rates, the paper's equation 3."""
    return [x[f"{case} {n}"][F_R] for n in COUNTS]


def mean_ratio(x: st.Cells, case: str) -> st.Effect:
    """Mean of F_r over the numbers of flows, as the paper's tables have it."""
    return st.average(ratios(x, case))


def off(ratio: st.Effect) -> st.Effect:
    """Distance of TCP's share of two flows from a half, in percentage points."""
    return abs(st.smooth(lambda one: 100 / (1 + one) - 50, ratio))


def distance(x: st.Cells, case: str) -> st.Effect:
    """Mean distance of TCP's share from a half over the numbers of flows."""
    return st.average([off(one) for one in ratios(x, case)])


def farther(case: str, reference: str) -> st.Test:
    """A test that a case is less friendly than another, by more than half a point of TCP's share."""
    label = f"distance from an equal share, {case} less {reference}"
    return st.Test(label, lambda x: distance(x, case) - distance(x, reference), 0.5, None, "points",
                   difference=True)  # fmt: skip


def shift(case: str, reference: str, *, above: float | None = None, below: float | None = None) -> st.Test:
    """A test on the difference of two mean ratios."""
    return st.Test(f"mean F_r, {case} less {reference}",
                   lambda x: mean_ratio(x, case) - mean_ratio(x, reference), above, below)  # fmt: skip


CLAIMS = (
    st.TestedClaim("H1", "table 3", "a larger buffer with wider thresholds brings the ratio closer to 1", (
        farther("base", "buf250"),)),
    st.TestedClaim("H2", "tables 3 and 4",
             "TCP gets the larger share, in the base case at every max_p and with 250 packets as given", tuple(
        st.Test(f"mean F_r, {case}", partial(mean_ratio, case=case), below=1)
        for case in ("base p0.01", "base", "base p1", "buf250"))),
    st.TestedClaim("H3", "tables 4 and 5", "max_p = 1/10 is the best of 1/100, 1/10 and 1", tuple(
        farther(f"{case} p{p}", case) for case in ("base", "buf250") for p in ("0.01", "1"))),
    st.TestedClaim("H4", "table 5", "with 250 packets max_p = 1/100 is extremely unfair to TCP", (
        st.Test("mean F_r, buf250 p0.01", partial(mean_ratio, case="buf250 p0.01"), above=2.34),)),
    st.TestedClaim("H5", "tables 6 and 7, section 4.3", "w_q = 0.002 is friendlier than 0.02, which gives TFRC more", (
        farther("base w0.02", "base"), farther("buf250 w0.02", "buf250"),
        shift("base w0.02", "base", above=0.02), shift("buf250 w0.02", "buf250", above=0.02))),
    st.TestedClaim("H6", "tables 8 and 9",
             "a smaller interval is friendlier; a wider one favours TCP in the base case, TFRC with 250 packets", (
        farther("base 5-30", "base"), farther("buf250 20-150", "buf250"),
        shift("base 5-30", "base", below=-0.02), shift("buf250 20-150", "buf250", above=0.02))),
    st.TestedClaim("H7", "figures 2 and 3", "the ratio varies more over the number of flows with the small buffer", (
        st.Test("deviation of F_r over flows, base less buf250",
                lambda x: st.smooth(lambda *all_of_them: stdev(all_of_them[:5]) - stdev(all_of_them[5:]),
                                    *ratios(x, "base"), *ratios(x, "buf250")), above=0.02),)),
    st.TestedClaim("H8", "section 4.2, table 4", "in the base case max_p makes no significant difference", tuple(
        shift(f"base p{p}", "base", above=-0.1, below=0.1) for p in ("0.01", "1"))),
)  # fmt: skip
#: Values of the two cases as given, and the letters of the parameters in a case's name.
GIVEN, SHORT = {"50", "250", "5-10", "20-50", "0.1", "0.002"}, {"max_p": "p", "w_q": "w", "thresholds": ""}


def case_of(row: Mapping[str, str]) -> str:
    """The case that a printed row is of."""
    return row["case"] + ("" if row["value"] in GIVEN else f" {SHORT[row['parameter']]}{row['value']}")


def over_flows(x: st.Cells, case: str) -> st.Effect:
    """Half the 95 % interval of F_r over the numbers of flows: the paper's Δ."""
    return st.smooth(lambda *numbers: st.mean(numbers).half_width(0.95), *ratios(x, case))


def single(x: st.Cells, case: str, number: Callable[[Sequence[float]], float]) -> list[float]:
    """A number of the ratios over the numbers of flows, replication by replication."""
    cells = [x[f"{case} {n}"].numbers for n in COUNTS]
    runs = range(min(len(cell["tcp"]) for cell in cells))
    return [number([cell["tfrc"][i] / cell["tcp"][i] for cell in cells]) for i in runs]


def values() -> list[st.PrintedValue]:
    """The means and intervals of tables 3 to 9; minimum and maximum are the ends of these intervals."""
    printed = []
    for row in st.printed("hassan"):
        case, place = case_of(row), f"table {row['table']}, {row['parameter']} {row['value']}"
        printed += [
            st.PrintedValue("mean F_r", place, float(row["fr_mean"]), partial(mean_ratio, case=case),
                            partial(single, case=case, number=fmean)),
            st.PrintedValue("interval of F_r over the flows", place, float(row["fr_delta"]),
                            partial(over_flows, case=case),
                            partial(single, case=case, number=lambda one: st.mean(one).half_width(0.95))),
        ]  # fmt: skip
    return printed


def swing(x: st.Cells) -> str:
    """The paper's largest ratio next to the cases with max_p 1/100 here."""
    wide, far = ([one.value for one in ratios(x, case)] for case in ("base p0.01", "buf250 p0.01"))
    forced = {case.replace(" p0.01", "_low"): st.shown(st.average([x[f"{case} {n}"]["forced"] for n in COUNTS]))
              for case in ("base", "base p0.01", "buf250", "buf250 p0.01")}  # fmt: skip
    return TEXTS["Swing"][0].format(low=min(wide), high=max(wide), low250=min(far), high250=max(far), **forced,
                                    most=max(single(x, "buf250 p0.01", fmean)))  # fmt: skip


def apart(x: st.Cells) -> float:
    """Mean distance of F_r from the paper's over its cases, without that of 3.02."""
    printed = {case_of(row): float(row["fr_mean"]) for row in st.printed("hassan")}
    return fmean(abs(mean_ratio(x, case).value - given) for case, given in printed.items() if given < 3)


def later(outcome: st.Outcome) -> list[str]:
    """Text on the ns-2 that comes nearest to the paper; none in the quick form, which lacks it."""
    if "later" not in outcome:
        return []
    here, x = (outcome[name] for name in (outcome.main, "later"))
    cases = {"base": "base", "p1": "base p1", "buf250": "buf250", "widest": "buf250 20-150"}
    means = {short: st.shown(mean_ratio(x, case)) for short, case in cases.items()}
    least = ", the least of all settings" * all(apart(outcome[name]) >= apart(x) for name in outcome.findings)
    return [TEXTS["Later"][0].format(here=apart(here), there=apart(x), least=least, **means)]


def table(x: st.Cells) -> st.Table:
    """Tables 3 to 9: the paper's interval is over the numbers of flows, so ours is, too."""
    rows = []
    for row in st.printed("hassan"):
        case = case_of(row)
        over = st.mean([one.value for one in ratios(x, case)])
        rows.append([
            f"{row['table']}: {row['case']}, {row['parameter']} {row['value']}",
            f"{row['fr_mean']} ± {row['fr_delta']}", f"{over.value:.2f} ± {over.half_width(0.95):.2f}",
            *map(st.shown, (mean_ratio(x, case), distance(x, case))),
            friendliness_class(over.value), "★" * int(row["stars"]),
        ])  # fmt: skip
    here = ["F_r ± over flows, here", "mean F_r, here", "from an equal share (points)", "in words"]
    return st.Table(["table, case", "F_r, paper", *here, "paper's rank"], rows)


def cases(x: st.Cells, width_in: float) -> Figure:
    """F_r of every case next to the paper's, both with their spread over the numbers of flows."""
    printed = {case_of(row): (float(row["fr_mean"]), float(row["fr_delta"])) for row in st.printed("hassan")}
    over = {case: st.mean([one.value for one in ratios(x, case)]) for case in CASES}
    spread = {case: (one.value, one.half_width(0.95)) for case, one in over.items()}
    return st.panels([
        st.with_paper(title, "mean friendliness ratio F_r", NAMES, [spread[one] for one in cases],
                      [printed[one] for one in cases], levels=[(1.0, "")]) for title, cases in BOTH
    ], width_in)  # fmt: skip


NAMES = ("as given", "max_p 0.01", "max_p 1", "w_q 0.02", "max_th wider", "max_th widest")
FLOWS = "Above 1 TFRC gets more than TCP. Bars are 95 % intervals over replications."


def by_flows(name: str, title: str, x: st.Cells, groups: Sequence[tuple[str, Sequence[str]]],
            names: Sequence[str] = NAMES) -> st.FigureBlock:  # fmt: skip
    """F_r over the number of flows of each kind, a panel for each group of cases."""
    ticks = {float(i): str(n) for i, n in enumerate(COUNTS)}

    def draw(width_in: float) -> Figure:
        return st.panels([
            st.Panel([st.line(names[look], list(enumerate(ratios(x, case))), look) for look, case in enumerate(cases)],
                     "flows of each kind", "friendliness ratio F_r", title, ticks=ticks, levels=[(1.0, "equal")])
            for title, cases in groups], width_in)  # fmt: skip

    return st.FigureBlock(name, title, FLOWS, draw)


def screened(x: st.Cells) -> list[st.Block]:
    """F_r over all parameters at once."""
    values = [x[f"point {i}"][F_R].value for i in range(POINTS)]
    screen = st.Screen(AXES, st.spread(AXES, POINTS), values, "F_r")
    return [st.Text(unfriendly(screen)), *screen.blocks(friendliness_class, without=["flows"])]


def unfriendly(screen: st.Screen) -> str:
    """Text about the points with an unsatisfactory ratio or worse."""
    bad = [(point, ratio) for point, ratio in zip(screen.points, screen.values, strict=True)
           if friendliness_class(ratio) not in ("excellent", "satisfactory")]  # fmt: skip
    lone = [point for point, _ in bad if round(point["flows"]) <= 2]
    small = [point for point, _ in bad if point not in lone and point["buffer"] < 45]
    more = sum(ratio > 1 for _, ratio in bad)
    return TEXTS["Atlas"][0].format(bad=len(bad), more="all" if more == len(bad) else more, lone=len(lone),
                                    small=len(small), low=sum(one["max_p"] <= 0.03 for one in small))  # fmt: skip


def against(x: st.Cells) -> list[st.Block]:
    """F_r of each competing transport, and those with the most equal shares."""
    columns = [f"{case} {n}" for case in ("base", "buf250") for n in (4, 16)]
    ratios_by_rival = {name: [x[f"{name} {column}"][F_R] for column in columns] for name in RIVALS}
    apart = {name: st.average([off(one) for one in ratios]) for name, ratios in ratios_by_rival.items()}
    order = sorted(apart, key=lambda name: apart[name].value)
    listed = ", ".join(f"{name} {st.shown(apart[name])}" for name in order)
    text = (f"**Are other TCP-friendly protocols friendlier?** Each replaces TFRC. Distance from equal shares in "
            f"points, mean of the columns: {listed}. TCP against itself shows the effect of chance alone.")  # fmt: skip
    rows = [[name, *map(st.shown, ratios), st.shown(apart[name])] for name, ratios in ratios_by_rival.items()]
    head = ["in TFRC's place", *(f"{column} of each" for column in columns), "from an equal share (points)"]
    return [st.Text(text), st.Table(head, rows)]


def next_to_web(x: st.Cells) -> st.Table:
    """F_r with web sessions on the link, and their completion times."""
    rows = [[f"{name} sessions", st.shown(cell[F_R]), st.shown(cell["fct_ms"])] for name, cell in x.items()]
    return st.Table(["case, long flows, web sessions", "F_r", "median time of an object (ms)"], rows)


BOTH = (("Base: 50 packets, 5-10", tuple(CASES)[:6]), ("Buf250: 250 packets, 20-50", tuple(CASES)[6:]))


def page(outcome: st.Outcome) -> st.Page:
    """Text, tables and figures of the page, besides verdicts and method."""
    x = outcome[outcome.main]
    small, large = (mean_ratio(x, case) for case in ("base", "buf250"))
    return st.Page(
        short=[TEXTS["Short"][0].format(small=st.shown(small), large=st.shown(large))],
        choices=TEXTS.choices("Choices"),
        results=[table(x), st.Text(swing(x)),
                 st.FigureBlock("cases", "F_r of every case next to the paper's", TEXTS["Cases"][0], partial(cases, x)),
                 by_flows("flows", "F_r over the number of flows", x, BOTH)],
        today=[] if "today" not in outcome else [
            *map(st.Text, TEXTS["Today"]), by_flows("today", "CUBIC against TFRC (RFC 5348)", outcome["today"], BOTH)],
        questions=[] if "rivals" not in outcome else [
            *map(st.Text, TEXTS["Ecn"]), by_flows("ecn", "With ECN", outcome["ecn"], tuple(
                (f"RED marks {words}", (f"{ends} base", f"{ends} buf250")) for ends, words in MARKING_ENDS.items()),
                names=("base", "buf250")),
            *map(st.Text, TEXTS["Short lived"]), next_to_web(outcome["short"]), *against(outcome["rivals"]),
            *screened(outcome["map"])],
        surprises=[*TEXTS["Surprises"], *later(outcome)],
        paper=TEXTS["Paper"][0], explained=st.explained("hassan"),
    )  # fmt: skip


STUDY = st.Study(
    name="hassan", title="RED and the friendliness of TFRC", informed=("H2", "H5", "H8"),
    source="S. Hassan, *Tuning Random Early Detection router mechanism for TCP-friendliness* (Utara Malaysia)",
    question="Which parameters of RED make a rate-controlled flow and a TCP flow share a link equally?",
    measure=measure,
    settings={
        "era": st.Setting("ns-2 of 2000, window 20", cells, kind="era", first=62),
        "window": st.Setting("window 1000", lambda: cells(edited({"flows.tcp.window": 1000}))),
        "now": st.Setting("drops as in the 1993 paper, without waiting",
                          lambda: cells(partial(queue, spacing="pseudocode"))),
        "gentle": st.Setting("gentle above max_th", lambda: cells(partial(queue, above_max="gentle"))),
        "oneway": st.Setting("tail drop on the return path", lambda: cells(ONE_WAY)),
        "later": st.Setting("TCP and TFRC of ns-2.35", lambda: cells(LATER)),
        "many": st.Setting("four times as many flows", lambda: cells(times=4)),
        "today": st.Setting("CUBIC, RFC 5348, 20 Mbit/s", lambda: cells(present), kind="today"),
        "ecn": st.Setting("RED marks", ecn, kind="question", judged=False),
        "short": st.Setting("web sessions together with the long flows", short, kind="question", judged=False),
        "rivals": st.Setting("others in TFRC's place", rivals, kind="question", judged=False, maximum=420),
        "map": st.Setting("over RED's parameters", atlas, kind="question", judged=False),
    },
    claims=CLAIMS, page=page, printed_values=values(), quick=("era", "today"), shorten=0.3,
    tolerance={F_R: 0.0, "fct_ms": 0.0}, first=12, maximum=200, maximum_unprinted=27, decide=400,
)  # fmt: skip
