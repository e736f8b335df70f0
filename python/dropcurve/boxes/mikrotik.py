"""MikroTik RouterOS: a queue type, and the interface or the queue tree that uses it.

Reference: RouterOSQueues. RouterOS is a Linux; a queue type is written from the words of its `tc` command.
"""

from __future__ import annotations

from .cake_functions import NONE as NO_FUNCTIONS
from .cake_functions import CakeFunctions
from .mikrotik_read import WORDS, looks_like, read, read_all
from .model import Export, Note, Problems, bottleneck, refuse
from .red_rows import rows_of
from .settings import Settings
from .tc_commands import TcCommands
from .tc_write import WRITERS

__all__ = ["KINDS", "export", "looks_like", "read", "read_all"]

#: Disciplines that RouterOS has.
KINDS = ("droptail", "red", "sfq", "codel", "fq_codel", "cake")


def export(
    settings: Settings,
    *,
    params: dict[str, object],
    dev: str = "ether1",
    name: str = "dropcurve",
    shape: bool = False,
    functions: CakeFunctions = NO_FUNCTIONS,
) -> Export:
    """A queue type, and the interface or the queue tree that uses it. Raises ScenarioError.

    Args:
        settings: The queue.
        params: As asked for.
        dev: The interface.
        name: Name of the queue type.
        shape: Puts the queue into a tree with the link's rate.
        functions: Those of a CAKE.
    """
    if settings.discipline not in KINDS:
        refuse("kind", settings.discipline, f"RouterOS has {', '.join(KINDS)}", "choose one of these")
    notes: list[Note] = []
    if settings.discipline == "red":
        words = _red_words(settings, notes)
    else:
        problems = Problems()
        written = WRITERS[settings.discipline](settings, notes, problems)
        problems.raise_if_any()
        assert written is not None, "a writer that finds no problem writes"
        words = " ".join([_values(written, notes), *functions.routeros])
    lines = [f"/queue type add name={name} {words}"]
    if shape and settings.discipline != "cake":
        rate = max(1, round(settings.rate_bps))
        lines.append(f"/queue tree add name={name} parent={dev} queue={name} max-limit={rate}")
    else:
        lines.append(f"/queue interface set {dev} queue={name}")
        if settings.discipline != "cake":
            notes.append(bottleneck(dev, settings.rate_bps))
    text = "\n".join(lines) + "\n"
    back = read(text)
    return Export(
        "mikrotik", settings.discipline, dict(params), text, notes, back.discipline, back.params,
        functions=back.functions,
    )  # fmt: skip


def _red_words(settings: Settings, notes: list[Note]) -> str:
    problems = Problems()
    rows = rows_of(settings, problems, box="RouterOS", most=1)
    problems.raise_if_any()
    (row,) = rows.rows
    low, high, limit = (max(1, round(one[0])) for one in (row.low, row.high, rows.limit))
    if high <= low:
        refuse(
            "max_th",
            high,
            f"must exceed min_th ({low}) once both are whole packets",
            "take them further apart",
        )
    if abs(settings.number("max_p") - 0.02) > 1e-9:
        notes.append(
            Note("lost", "max_p", f"{settings.number('max_p'):g}: RouterOS has no such option; 0.02 is taken")
        )
    return (
        f"kind=red red-limit={limit} red-min-threshold={low} red-max-threshold={high} "
        f"red-burst={max(1, (2 * low + high) // 3)} red-avg-packet={settings.mean_packet}"
    )


def _values(written: TcCommands, notes: list[Note]) -> str:
    """The values of a queue type from the words of `tc`."""
    kind = {"pfifo_head_drop": "pfifo"}.get(written.kind, written.kind.replace("_", "-"))
    names = {word: key for key, word in WORDS.items() if word}
    if written.kind == "cake":
        names |= {"bandwidth": "bandwidth", "memlimit": "memlimit"}
    values, i, words = [f"kind={kind}"], 0, written.words
    while i < len(words):
        word, after = words[i], words[i + 1] if i + 1 < len(words) else ""
        if word in ("ecn", "noecn") and kind in ("codel", "fq-codel"):
            values.append(f"{kind}-ecn={'yes' if word == 'ecn' else 'no'}")
            i += 1
        elif kind == "cake" and word in _DIFFSERV | _FLOWMODES:
            values.append(f"cake-{'diffserv' if word in _DIFFSERV else 'flowmode'}={word}")
            i += 1
        elif kind == "cake" and word in _FLAGS:
            values.append(_FLAGS[word])
            i += 1
        elif word in names and not (kind == "cake" and (word, after) == ("overhead", "0")):
            values.append(f"{kind}-{names[word]}={after}")
            i += 2
        else:
            if word not in ("noatm", "overhead", "drop_batch", "depth", "divisor", "headdrop"):
                notes.append(Note("lost", word, "RouterOS has no such option"))
            i += 2 if after[:1].isdigit() else 1
    return " ".join(values)


#: Words of `tc` without a value, and the values of a queue type.
_FLAGS = {
    "ack-filter": "cake-ack-filter=filter", "ack-filter-aggressive": "cake-ack-filter=aggressive",
    "wash": "cake-wash=yes",
}  # fmt: skip
_DIFFSERV = {"besteffort", "diffserv3", "diffserv4", "diffserv8", "precedence"}
_FLOWMODES = {
    "flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate",
}  # fmt: skip
