"""RED and GRED where they learn that they are idle: the recording on a Linux kernel, and its form in the tests.

HTB never dequeues from an empty queue, so a discipline under it never begins idle time. Here TBF is above a netem
without delay, which dequeues after each packet. In return, packets that arrive while TBF delays one reach the
discipline only after that one has left: all at once, at a known moment. So the record has the events of the
discipline itself: each arrival with its verdict, and each dequeue.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .recorded_case import Case, Phases, arrivals, head


def pauses(*seconds: float) -> Phases:
    """A burst, the silence in which it drains, a pause, and a load that shows the rest of the average."""
    return tuple(part for pause in seconds for part in ((3.0, 0.1), (0.0, 0.16 + pause), (0.9, 0.06)))


PAUSES = pauses(0.0, 0.001, 0.004, 0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 0.6)
LONG = pauses(0.02, 0.1, 0.4, 1.0, 2.0, 4.0)


#: Limit, thresholds, mean packet, burst, probability, bandwidth.
RedSettings = tuple[int, int, int, int, int, float, str]


def red(
    limit: int, low: int, high: int, packet: int, burst: int, chance: float, rate: str, *flags: str
) -> str:
    """Returns the command of RED as tc takes it."""
    sizes = f"red limit {limit} min {low} max {high} avpkt {packet} burst {burst}"
    return " ".join([sizes, f"probability {chance} bandwidth {rate}", *flags])


def ours(
    limit: int, low: int, high: int, packet: int, burst: int, chance: float, rate: str, *keys: str
) -> str:
    """Returns the same settings as keys of a scenario."""
    sizes = (
        f"limit = {limit} B; min_th = {low} B; max_th = {high} B; mean_packet = {packet} B; burst = {burst}"
    )
    rest = f"max_p = {chance}; idle_rate = {rate.replace('mbit', ' Mbit/s')}"
    return "; ".join(["kind = red; dialect = linux", sizes, rest, *keys])


#: By the weight that tc finds for them.
RED: dict[str, tuple[RedSettings, Phases]] = {
    "red_1": ((90000, 15000, 45000, 1000, 15, 0.1, "10mbit"), PAUSES),
    "red_3": ((400000, 15000, 45000, 1000, 20, 0.05, "10mbit"), PAUSES),
    "red_5": ((400000, 12000, 20000, 1000, 30, 0.5, "10mbit"), PAUSES),
    "red_9_fast": ((400000, 9000, 30000, 1500, 60, 0.9, "100mbit"), PAUSES),
    "red_9_slow": ((400000, 5000, 12000, 300, 100, 0.02, "2mbit"), LONG),
    "red_12": ((400000, 1200, 2400, 1000, 40, 0.1, "1000mbit"), LONG),
}
ECN: RedSettings = (60000, 10000, 30000, 1000, 20, 0.1, "10mbit")
VQS: tuple[RedSettings, ...] = (
    (60000, 5000, 15000, 1000, 10, 0.05, "10mbit"),
    (30000, 8000, 25000, 1000, 15, 0.1, "2mbit"),
    (50000, 10000, 45000, 1000, 40, 0.2, "50mbit"),
)


#: Where nothing overflows, each drop shows whether it ended a cycle.
ROOMY: tuple[RedSettings, ...] = tuple((500000, *vq[1:]) for vq in VQS)


def gred(vqs: Sequence[RedSettings], prios: Sequence[int], *modes: str, ecn: bool = False) -> str:
    """Set up, then a change for each virtual queue."""
    lines = [" ".join(["gred setup DPs 3 default 0", *modes, "limit 3000000"])]
    for i, (vq, prio) in enumerate(zip(vqs, prios, strict=True)):
        flags = [f"DP {i} prio {prio}", *(["ecn"] if ecn else [])]
        lines.append(red(*vq, *flags).replace("red", "gred", 1))
    return ";".join(lines)


def our_gred(vqs: Sequence[RedSettings], prios: Sequence[int], *keys: str) -> str:
    """Returns the same settings as keys of a scenario."""
    limits, lows, highs, _, bursts, chances, _ = zip(*vqs, strict=True)

    def bytes_of(sizes: Sequence[int]) -> str:
        return f"[{', '.join(f'{size} B' for size in sizes)}]"

    lists = {
        "dp_limit": bytes_of(limits),
        "min_th": bytes_of(lows),
        "max_th": bytes_of(highs),
        "burst": f"[{', '.join(map(str, bursts))}]",
        "probability": f"[{', '.join(map(str, chances))}]",
        "prio": f"[{', '.join(map(str, prios))}]",
        "idle_rate": "[10 Mbit/s, 2 Mbit/s, 50 Mbit/s]",
    }
    own = [f"{key} = {value}" for key, value in lists.items()]
    return "; ".join(["kind = gred; dialect = linux; limit = 3000000 B", *own, *keys])


def gred_case(name: str, prios: Sequence[int], *modes: str, ecn: bool = False) -> Case:
    """A case of GRED, in which four flows of five have virtual queues and one is a stranger."""
    vqs = VQS if len(set(prios)) < len(prios) else ROOMY
    keys = [f"{mode} = true" for mode in modes] + (["ecn = true"] if ecn else [])
    return Case(
        name,
        gred(vqs, prios, *modes, ecn=ecn),
        our_gred(vqs, prios, *keys),
        0.5 if ecn else 0.0,
        codes=(0, 1, 2, 2, 9),
        phases=PAUSES,
        learns_idle=True,
        watch=20,
    )


CASES = (
    *(
        Case(name, red(*given), ours(*given), phases=phases, learns_idle=True)
        for name, (given, phases) in RED.items()
    ),
    *(
        Case(
            f"red_4_{name}", red(*ECN, flags), ours(*ECN, "ecn = true", *keys), 0.5, phases=PAUSES, learns_idle=True
        )
        for name, flags, keys in (
            ("ecn", "ecn", ()),
            ("harddrop", "ecn harddrop", ("ecn_forced = drop",)),
            ("nodrop", "ecn nodrop", ("incapable = spare",)),
        )
    ),
    gred_case("gred", (1, 2, 3)),
    gred_case("gred_ecn", (1, 2, 3), ecn=True),
    gred_case("gred_grio", (1, 2, 3), "grio"),
    gred_case("gred_same_prio", (1, 2, 2), "grio"),
)  # fmt: skip


@dataclass(frozen=True)
class DiscEvent:
    """An event of the discipline: a packet arrived ("in") or left ("out"), or a dequeue found none ("nothing")."""

    at: int
    what: str
    number: int = -1


def events(run: dict[str, Any]) -> Iterator[DiscEvent]:
    """Yields the events of the discipline: TBF dequeues when a packet arrives while it holds none back, and after each
    departure."""
    sent, left = run["sent"], [(at, number) for number, at, _ in run["order"]]
    coming, gone, holds = 0, 0, False
    while coming < len(sent) or gone < len(left):
        if holds:
            now = left[gone][0]
            gone += 1
        elif coming < len(sent):
            now = sent[coming]
        else:
            return
        while coming < len(sent) and sent[coming] <= now:
            yield DiscEvent(now, "in", coming)
            coming += 1
        holds = gone < len(left) and left[gone][1] < coming
        yield DiscEvent(now, "out" if holds else "nothing", left[gone][1] if holds else -1)


def rows(case: Case, run: dict[str, Any]) -> Iterator[str]:
    """Packets as the discipline saw them, in order, with GRED's averages where they were read."""
    departures = {number: tos for number, _, tos in run["order"]}
    averages, before = [(run["sent"][number], row) for number, row in run["averages"]], 0
    packets = arrivals(case)
    for event in events(run):
        while averages and averages[0][0] < event.at:
            at, row = averages.pop(0)
            yield f"{at - before} a {' '.join(map(str, row))}"
            before = at
        if event.what == "in":
            _, _, size, tos = packets[event.number]
            capable, code = "e" if tos & 3 else "", f"c{tos >> 2}" if tos >> 2 else ""
            marked = departures.get(event.number, 0) & 3 == 3 and tos & 3 != 3
            fate = "x" if event.number not in departures else "m" if marked else "k"
            yield f"{event.at - before} {size}{capable}{code} {fate}"
        else:
            yield f"{event.at - before} {'o' if event.what == 'out' else '-'}"
        before = event.at


def digest(case: Case, run: dict[str, Any]) -> str:
    """Returns the trace of a case: a header and its rows."""
    columns = "Columns: ns since the last row; then bytes (e: ECN-capable, c: code point) and k, m or x for an arrival "
    columns += "that is kept, marked or dropped; or o where one leaves; or - where one is asked for and there is none; "
    columns += "or a with the averages of all virtual queues." if case.watch else "nothing more."
    lines = head(case, columns, f"clock at start = {run['monotonic']}")
    return lines + "\n".join(rows(case, run)) + "\n"
