"""Writes `studio/papers.json`: a key figure of each of the five studied papers, as settings that the studio runs.

    python -m validation.pages.papers

A figure has lines of points. A point names its setting and the quantity that `studio/papers.js` takes from the runs;
printed values of the paper come from the data of its study.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dropcurve import studies as st
from dropcurve.scenario import Scenario
from dropcurve.studies import decnodder, dsilva, hassan, red_at, wtred

from .lessons import flat

OUT = Path(__file__).resolve().parents[2] / "studio" / "papers.json"


def papers() -> list[dict[str, Any]]:
    """The papers in the order of their publication."""
    return [_decnodder(), _hassan(), _dsilva(), _wtred(), _red_at()]


def _paper(name: str, figure: Mapping[str, Any]) -> dict[str, Any]:
    """A paper with the settings that its figure names: the first as text, the others as edits of it or texts."""
    study = st.load(name)
    wanted = dict.fromkeys(point["cell"] for line in figure["lines"] for point in line["points"])
    scenarios = study.settings[next(iter(study.settings))].scenarios()
    texts = {cell: _text(scenarios[cell]) for cell in wanted}
    base = next(iter(texts.values()))
    cells: dict[str, Any] = {}
    for cell, text in texts.items():
        edits = _edits(base, text)
        cells[cell] = {"text": text} if edits is None else {"edits": edits}
    question = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", study.question)
    source = study.source.replace("*", "")
    return {"name": name, "title": study.title, "source": source, "question": question, "base": base,
            "cells": cells, **figure}  # fmt: skip


def _edits(base: str, text: str) -> list[tuple[str, str]] | None:
    """Edits that make one setting of another; ``None`` where a key is lost, which edits cannot do."""
    old, new = flat(tomllib.loads(base)), flat(tomllib.loads(text))
    kinds = [path for path in new if path.endswith(".kind") and old.get(path) != new[path]]
    tables = tuple(path.removesuffix("kind") for path in kinds)
    changed = [(path, value) for path, value in new.items()
               if path not in kinds and (old.get(path) != value or path.startswith(tables))]  # fmt: skip
    lost = [path for path in old if path not in new and not path.startswith(tables)]
    added = [path for path in new if path.startswith("flows.") and path not in old]
    return None if lost or added else [*((path, new[path]) for path in kinds), *changed]


def _text(scenario: Scenario) -> str:
    """The text of a scenario, without its description."""
    return scenario.edit([("title", "A setting of a paper"), ("description", ""), ("source", "")]).to_toml()


def _line(
    name: str, cells: Iterable[tuple[float, str]], quantity: Mapping[str, Any], **more: Any
) -> dict[str, Any]:
    return {
        "name": name,
        "points": [{"x": x, "cell": cell} for x, cell in cells],
        "quantity": quantity,
        **more,
    }


def _goodput(groups: list[str], factor: float) -> dict[str, Any]:
    """Goodput of groups of flows, in bit/s times a factor."""
    return {"kind": "goodput", "groups": groups, "factor": factor}


def _decnodder() -> dict[str, Any]:
    lines = [
        _line(f"{size} bytes", [(float(at), f"{variant} Reno 15") for at, variant in enumerate(decnodder.VARIANTS)],
              _goodput([group], 1e-6))
        for group, size in decnodder.SIZES.items()
    ]  # fmt: skip
    return _paper("decnodder", {"figure": "goodput of the flows with each packet size, RED_1 to RED_5",
                                "axis": "variant", "unit": "Mbit/s",
                                "names": list(decnodder.VARIANTS), "lines": lines})  # fmt: skip


def _hassan() -> dict[str, Any]:
    printed = {hassan.case_of(row): row for row in st.printed("hassan")}
    cases = {"base": "as given", "base p0.01": "max_p 0.01", "base p1": "max_p 1"}
    quantity = {"kind": "ratio", "groups": ["tfrc", "tcp"]}
    lines = [
        _line(title, [(float(n), f"{case} {n}") for n in hassan.COUNTS], quantity,
              printed=[{"x": n, "y": float(printed[case]["fr_mean"])} for n in (hassan.COUNTS[0], hassan.COUNTS[-1])])
        for case, title in cases.items()
    ]  # fmt: skip
    return _paper("hassan", {"figure": "throughput of TFRC over that of TCP; dashed: the paper's mean over the numbers",
                             "axis": "flows of each kind", "unit": "", "names": None, "lines": lines})  # fmt: skip


def _dsilva() -> dict[str, Any]:
    printed = {dsilva.cell_of(row): float(row["tcp_goodput_Bps"]) for row in st.printed("dsilva")}
    lines = [
        _line(label, [(float(v), f"{kind} udp {v:g}") for v in dsilva.RATES], _goodput(list(dsilva.TCP), 1 / 8),
              printed=[{"x": float(v), "y": printed[f"{kind} udp {v:g}"]} for v in dsilva.RATES])
        for kind, label in dsilva.KINDS.items()
    ]  # fmt: skip
    return _paper("dsilva", {"figure": "goodput of TCP next to UDP; dashed: as printed",
                             "axis": "UDP, each source [Mbit/s]", "unit": "bytes/s",
                             "names": None, "lines": lines})  # fmt: skip


def _wtred() -> dict[str, Any]:
    lines = [
        _line(kind, [(float(size), f"{kind} {size}") for size, _ in wtred.PAIRS[::2]], _goodput(["tcp"], 1e-6))
        for kind in wtred.QUEUES
    ]  # fmt: skip
    return _paper("wtred", {"figure": "goodput over the size of the buffer (figure 14)", "axis": "buffer [pkts]",
                            "unit": "Mbit/s", "names": None, "lines": lines})  # fmt: skip


def _red_at() -> dict[str, Any]:
    quantity = {"kind": "link", "factor": 1e-6}
    lines = [
        _line(name, [(float(n), f"{name} {n}") for n in red_at.COUNTS], quantity) for name in red_at.SCHEMES
    ]  # fmt: skip
    return _paper("red-at", {"figure": "throughput of the link over the load (figure 10)", "axis": "number of flows",
                             "unit": "Mbit/s", "names": None, "lines": lines})  # fmt: skip


def text() -> str:
    """The file."""
    return json.dumps(papers(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    OUT.write_text(text(), encoding="utf-8")
