"""FreeBSD's dummynet: pipes, schedulers and queues of ``ipfw`` or ``dnctl``.

Reference: Dummynet. A pipe shapes; its queue is by default tail drop of 50 slots, else RED (red, gred), CoDel or PIE; a
scheduler on the pipe may be FQ-CoDel or FQ-PIE. Rules send packets to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..quantities import units
from .model import Export, Import, Note, Problems, refuse, with_others
from .numbers import real, whole
from .red_rows import rows_of
from .red_rows import whole as rounded
from .settings import Settings

__all__ = ["KINDS", "export", "looks_like", "read", "read_all"]

#: Disciplines that dummynet has.
KINDS = ("droptail", "red", "codel", "pie", "fq_codel", "fq_pie")
#: Slots of a queue whose configuration states none: dummynet's default.
SLOTS = 50
#: AQMs of a pipe or scheduler, with the words of each that take a value.
AQM = {
    "codel": ("target", "interval"), "fq_codel": ("target", "interval", "quantum", "limit", "flows"),
    "pie": ("target", "tupdate", "alpha", "beta", "max_burst", "max_ecnth"),
    "fq_pie": ("target", "tupdate", "alpha", "beta", "quantum", "limit", "flows"),
}  # fmt: skip
#: A command that configures a pipe, scheduler or queue; its groups are the kind of object, its number, its words. Files
#: for ``ipfw`` and ``dnctl`` have commands without the name of the program.
COMMAND = re.compile(
    r"(?:^\s*|(?:\S*(?:ipfw|dnctl)|\$\{?\w+\}?)\s+(?:-\w+\s+)*)(pipe|sched|queue)\s+(\S+)\s+config\b(.*)"
)


@dataclass(frozen=True)
class ConfigCommand:
    """One ``config`` command: its object, its number, and its words."""

    what: str
    number: str
    words: tuple[str, ...]

    def after(self, key: str) -> str | None:
        """The word after another one; None if it is not there."""
        at = self.words.index(key) if key in self.words[:-1] else -1
        return None if at < 0 else self.words[at + 1]

    @property
    def title(self) -> str:
        """Title by which it is chosen."""
        return f"{self.what} {self.number}"


def export(settings: Settings, *, params: dict[str, object], name: str = "1", shape: bool = True) -> Export:
    """A pipe of the link's rate with its queue, or with a scheduler. Raises ScenarioError.

    Args:
        settings: The queue.
        params: As asked for.
        name: Number of the pipe, and of the scheduler.
        shape: Has no effect: a pipe always shapes.
    """
    if settings.discipline not in KINDS:
        refuse("kind", settings.discipline, f"dummynet has {', '.join(KINDS)}", "choose one of these")
    if not re.fullmatch(r"[0-9]{1,5}", name):
        refuse("--name", name, "must be the number of a pipe", "give such as 1")
    notes: list[Note] = []
    bw = f"{units.plain(settings.rate_bps / 1e3)}Kbit/s"
    pipe = f"ipfw pipe {name} config bw {bw}"
    kind = settings.discipline
    if kind in ("fq_codel", "fq_pie"):
        lines = [pipe, f"ipfw sched {name} config pipe {name} type {kind} {_words(settings, notes)}",
                 f"ipfw queue {name} config sched {name}"]  # fmt: skip
    else:
        slots = rounded(settings.packets("limit"), "limit", "slots", notes, most=100)
        tail = (
            ""
            if kind == "droptail"
            else f" {_red(settings, notes)}"
            if kind == "red"
            else f" {kind} {_words(settings, notes)}"
        )
        lines = [f"{pipe} queue {slots}{tail}"]
    notes.append(
        Note("load", "", "rules must send packets there: ipfw add pipe or queue ... out xmit INTERFACE")
    )
    text = "\n".join(line.rstrip() for line in lines) + "\n"
    back = read(text)
    return Export("dummynet", kind, dict(params), text, notes, back.discipline, back.params)


def _words(settings: Settings, notes: list[Note]) -> str:
    """The words of an AQM: times in whole microseconds."""
    words = []
    for key, word in (("target", "target"), ("interval", "interval"), ("t_update", "tupdate")):
        if key in settings and word in AQM[settings.discipline]:
            micro = max(1, round(settings.seconds(key) * 1e6))
            words.append(f"{word} {micro}us")
    words += [f"{key} {settings.number(key):g}" for key in ("alpha", "beta") if key in settings]
    if "quantum" in settings and "quantum" in AQM[settings.discipline]:
        words.append(f"quantum {rounded(settings.bytes_('quantum'), 'quantum', 'bytes', notes, most=9000)}")
    if settings.discipline.startswith("fq_"):
        words.append(f"limit {rounded(settings.packets('limit'), 'limit', 'packets', notes, most=20480)}")
        words.append(f"flows {settings.whole('flows')}")
    return " ".join([*words, "ecn" if settings.flag("ecn") else "noecn"])


def _red(settings: Settings, notes: list[Note]) -> str:
    problems = Problems()
    (row,) = rows_of(settings, problems, box="dummynet", most=1).rows
    problems.raise_if_any()
    low, high = (
        rounded(one[0], key, "slots", notes) for key, one in (("min_th", row.low), ("max_th", row.high))
    )
    if high <= low:
        refuse(
            "max_th", high, f"must exceed min_th ({low}) once both are whole slots", "take them further apart"
        )
    word = "gred" if settings.options.get("above_max") == "gentle" else "red"
    ecn = " ecn" if settings.flag("ecn") else ""
    return f"{word} {units.plain(settings.number('w_q'))}/{low}/{high}/{units.plain(settings.number('max_p'))}{ecn}"


def read(text: str, *, origin: str = "", name: str | None = None, **options: Any) -> Import:
    """The queue of a pipe, scheduler or queue; of several the one ``name`` (such as ``pipe 1`` or ``1``), or the first.
    Raises ScenarioError for a text without one, and for contradictions.
    """
    queues = read_all(text, origin=origin, **options)
    if name is None:
        return queues[0]
    for one in queues:
        if name == one.title or name == one.title.split()[-1]:
            return one
    titles = ", ".join(one.title for one in queues)
    refuse("--name", name, f"is not a pipe there: {titles}", "name one of these", origin=origin)


def read_all(text: str, *, origin: str = "", **_: Any) -> list[Import]:
    """Every queue of the text. Raises ScenarioError as `read`."""
    configured = [
        ConfigCommand(match[1], match[2], tuple(match[3].split()))
        for line in re.sub(r"\\\n", " ", text).splitlines()
        if (match := COMMAND.search(line.split("#")[0]))
    ]
    queues = [queue for each in configured if (queue := _queue(each, configured, origin)) is not None]
    if not queues:
        refuse("", "the text", "configures no pipe", "give the ipfw or dnctl commands", origin=origin)
    return with_others(queues)


def _queue(own: ConfigCommand, configured: list[ConfigCommand], origin: str) -> Import | None:
    """The queue of one command; None for a pipe whose packets are queued in a scheduler or a queue of its own."""
    notes: list[Note] = []
    pipe = _pipe(own, configured)
    kind = next((word for word in own.words if word in AQM), "")
    curve = next((word for word in ("red", "gred") if word in own.words), "")
    inside = [one for one in configured if one is not own and _pipe(one, configured) is own]
    if own.what == "pipe" and (inside and not kind and not curve):
        return None
    if own.what == "queue" and any(
        one.what == "sched" and one.number == own.after("sched") for one in configured
    ):
        return None
    for each in {own, pipe or own}:
        for word, effect in (("delay", "its delay is not simulated"), ("plr", "its loss is not simulated"),
                             ("mask", "a queue for each flow of the mask: one is taken")):  # fmt: skip
            if word in each.words and each.after(word) not in ("0", "0ms", "0.0"):
                notes.append(Note("lost", word, f"{each.title}: {effect}"))
    if own.after("weight") is not None:
        notes.append(Note("lost", "weight", f"{own.title}: its share of the pipe is not simulated"))
    rate = _rate(pipe or own, origin)
    limit = _limit(own, [] if kind.startswith("fq_") else notes, origin)
    if curve:
        discipline, params = "red", _curve(own, curve, limit, origin)
    elif kind:
        discipline, params = kind, _aqm(own, kind, limit, origin)
    else:
        discipline, params = "droptail", {"limit": limit}
        if own.what == "sched":
            notes.append(
                Note("lost", "sched", f"{own.after('type') or 'wf2q+'}: its flows are taken as one queue")
            )
    return Import("dummynet", discipline, params, notes, rate, title=own.title)


def _pipe(own: ConfigCommand, configured: list[ConfigCommand]) -> ConfigCommand | None:
    """The pipe that a scheduler or queue feeds; None where the text does not state one."""
    if own.what == "pipe":
        return own
    number = own.after("pipe")
    if number is None and own.after("sched") is not None:
        around = next(
            (one for one in configured if one.what == "sched" and one.number == own.after("sched")), None
        )
        number = None if around is None else around.after("pipe")
    return next((one for one in configured if one.what == "pipe" and one.number == number), None)


def _rate(pipe: ConfigCommand, origin: str) -> float | None:
    stated = pipe.after("bw") or pipe.after("bandwidth")
    if stated is None or stated.startswith("0"):
        return None
    # A "B" that begins no "Bit/s" means bytes, as "byte" does; any other word means bits (Dummynet).
    match = re.fullmatch(r"([0-9.]+)([KkMmGg]?)(B(?!it)[a-z/]*|by[a-z/]*|[Bb]it[a-z/]*|b[ps/]*)?", stated)
    if match is None:
        refuse(f"{pipe.title} bw", stated, "must be a rate such as 10Mbit/s", "write it so", origin=origin)
    scale = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}[match[2].lower()]
    return (
        real(match[1], f"{pipe.title} bw", origin=origin)
        * scale
        * (8.0 if re.match(r"B(?!it)|by", match[3] or "") else 1.0)
    )


def _limit(own: ConfigCommand, notes: list[Note], origin: str) -> str:
    stated = own.after("queue")
    if stated is None:
        notes.append(Note("assumed", "limit", f"{own.title} does not say: {SLOTS} slots, dummynet's default"))
        return f"{SLOTS} pkts"
    match = re.fullmatch(r"([0-9]{1,12})\s*([KkMm]?)(?:[Bb]ytes|B)?", stated)
    if match is None:
        refuse(
            f"{own.title} queue",
            stated,
            "must be slots or a size such as 100KBytes",
            "write it so",
            origin=origin,
        )
    if match[2] or stated.lower().endswith(("b", "bytes")):
        return f"{max(1, int(match[1])) * {'': 1, 'k': 1024, 'm': 1024 * 1024}[match[2].lower()]} B"
    return f"{max(1, int(match[1]))} pkts"


def _curve(own: ConfigCommand, word: str, limit: str, origin: str) -> dict[str, Any]:
    """RED of ``red w_q/min_th/max_th/max_p``; gred is gentle."""
    parts = (own.after(word) or "").split("/")
    if len(parts) != 4:
        refuse(
            f"{own.title} {word}",
            "/".join(parts),
            "must be w_q/min_th/max_th/max_p",
            "write it so",
            origin=origin,
        )
    w_q, max_p = (real(parts[i], f"{own.title} {word}", origin=origin) for i in (0, 3))
    low, high = (whole(parts[i], f"{own.title} {word}", origin=origin) for i in (1, 2))
    if not 0.0 < w_q <= 1.0 or not 0.0 < max_p <= 1.0 or not 0 < low < high:
        refuse(
            f"{own.title} {word}", "/".join(parts), "must have w_q and max_p in (0, 1] and min_th below max_th",
            "correct it", origin=origin,
        )  # fmt: skip
    unit = "B" if limit.endswith(" B") else "pkts"
    return {
        "limit": limit, "min_th": f"{low} {unit}", "max_th": f"{high} {unit}", "max_p": max_p,
        "w_q": min(w_q, 0.999999), **({"unit": "bytes"} if unit == "B" else {}),
        **({"above_max": "gentle"} if word == "gred" else {}), "ecn": "ecn" in own.words,
    }  # fmt: skip


def _aqm(own: ConfigCommand, kind: str, limit: str, origin: str) -> dict[str, Any]:
    """The parameters of an AQM; times without a unit are milliseconds."""
    params: dict[str, Any] = {"limit": limit}
    for word in AQM[kind]:
        value, path = own.after(word), f"{own.title} {word}"
        if value is None:
            continue
        if word in ("target", "interval", "tupdate"):
            key = "t_update" if word == "tupdate" else word
            params[key] = units.show_span(_span(value, path, origin))
        elif word in ("alpha", "beta"):
            params[word] = real(value, path, origin=origin)
        elif word == "quantum":
            params[word] = f"{max(1, whole(value, path, origin=origin))} B"
        elif word == "limit":
            params[word] = f"{max(1, whole(value, path, origin=origin))} pkts"
        elif word == "flows":
            params[word] = max(1, whole(value, path, origin=origin))
    if kind.startswith("fq_") and own.after("limit") is None:
        params["limit"] = "10240 pkts"
    return {**params, "ecn": "ecn" in own.words}


def _span(text: str, path: str, origin: str) -> float:
    match = re.fullmatch(r"([0-9.]+)(us|ms|s|)", text)
    if match is None:
        refuse(path, text, "must be a time such as 5ms", "write it so", origin=origin)
    value = real(match[1], path, origin=origin) * {"us": 1e-6, "ms": 1e-3, "s": 1.0, "": 1e-3}[match[2]]
    if not 1e-6 <= value <= 3600.0:
        refuse(path, text, "must lie between 1 us and an hour", "correct it", origin=origin)
    return round(value * 1e6) / 1e6


def looks_like(text: str) -> bool:
    """Whether a text is of this kind."""
    return any(COMMAND.search(line.split("#")[0]) for line in text.splitlines())
