"""Writes the files of the model in the wheel."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...files.writing import write_bytes, write_text
from .model import FORMAT, NETWORKS, RECORD, TrafficModel, read


def store(folder: Path, parts: Mapping[str, TrafficModel], record: Mapping[str, Any]) -> None:
    """Writes a model.

    Args:
        folder: Where the two files go.
        parts: The networks by kind of traffic.
        record: Further keys of the description, such as how the model was made.
    """
    content = b""
    own: dict[str, Any] = {}
    for name, part in parts.items():
        networks: dict[str, Any] = {}
        for group, both in part.networks.items():
            networks[group] = {}
            for key, one in (("centre", both.centre), ("error", both.error)):
                networks[group][key] = {
                    "sizes": list(one.sizes), "at": len(content), "bytes": len(one.content)
                }  # fmt: skip
                content += one.content
        own[name] = {
            "rows": part.rows, "caution": part.caution, "widening": part.widening, "sum_share": part.sum_share,
            "networks": networks, "factors": [[float(f"{one:.6g}") for one in some] for some in part.factors],
            "ranges": {key: list(ends) for key, ends in part.ranges.items()},
        }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    write_bytes(folder / NETWORKS, content)
    digest = hashlib.sha256(content).hexdigest()
    text = json.dumps({"format": FORMAT, "sha256": digest, "parts": own, **record}, indent=1)
    write_text(folder / RECORD, text + "\n")
    read.cache_clear()
