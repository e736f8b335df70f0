"""Validates exported configurations with the vendors' published YANG models: `make boxes-check YANG=FOLDER`.

The folder holds checkouts of the vendors' repositories, in any layout: sonic-net/sonic-buildimage, openconfig/public,
Juniper/yang and YangModels/yang. The newest release of each that has all modules is used. Printed are the revisions of
the models, and for each export whether it is valid. Exits with 1 if one is not. Needs yangson (`pip install yangson`).

Faults of published models are mended in a copy that lasts as long as the check: Juniper escapes a star in quoted text,
which YANG does not know, and SONiC writes two modules as templates. The node test `text()`, which yangson does not
know, becomes `.`, which means the same in a comparison.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boxes_trees
from dropcurve import boxes
from dropcurve.errors import DropcurveError


@dataclass(frozen=True)
class Vendor:
    """A box with its models: modules that must be there, and a part of the path of those to be left out."""

    box: str
    roots: tuple[str, ...]
    first: str
    without: str = "deviation"


VENDORS = (
    Vendor(
        "sonic", ("sonic-wred-profile", "sonic-queue", "sonic-scheduler", "sonic-port"), "sonic-wred-profile"
    ),
    Vendor("openconfig", ("openconfig-qos", "openconfig-interfaces"), "openconfig-qos"),
    Vendor(
        "junos",
        ("junos-conf-root", "junos-conf-class-of-service"),
        "junos-conf-class-of-service",
        "extensions",
    ),
    Vendor("ios", ("Cisco-IOS-XE-native", "Cisco-IOS-XE-policy"), "Cisco-IOS-XE-policy"),
)
#: What is exported to every box that takes it.
QUEUES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("red", {"min_th": "30 pkts", "max_th": "90 pkts", "max_p": 0.1, "limit": "500 pkts"}),
    ("red", {"min_th": "30 pkts", "max_th": "90 pkts", "max_p": 0.1, "limit": "500 pkts", "ecn": True}),
    ("red", {"min_th": "45000 B", "max_th": "135000 B", "max_p": 0.02, "limit": "750000 B", "w_q": 1 / 512}),
    ("wred", {"limit": "500 pkts", "min_th": ["20 pkts", "30 pkts"], "max_th": ["60 pkts", "90 pkts"]}),
    ("gred", {"limit": "500 pkts"}),
    ("droptail", {"limit": "200 pkts"}),
    ("drr", {"limit": "200 pkts"}),
    ("prio", {}),
)
RATE_BPS = 100e6


def check(folder: Path) -> int:
    """Validates all exports; prints the outcome and returns the exit code."""
    try:
        import yangson  # noqa: F401 (asked for here, so that the message is one line)
    except ImportError:
        print("boxes-check: yangson is missing: pip install yangson", file=sys.stderr)
        return 2
    wrong = 0
    for vendor in VENDORS:
        with tempfile.TemporaryDirectory() as copies:
            try:
                models = Models(folder, vendor, Path(copies))
            except LookupError as missing:
                print(f"{vendor.box}: skipped: {missing}")
                continue
            print(f"{vendor.box}: {', '.join(f'{name} {models.revision(name)}' for name in vendor.roots)}")
            for title, text in exports(vendor.box):
                faults = list(models.faults(vendor.box, text))
                wrong += bool(faults)
                print(f"  {'INVALID' if faults else 'valid  '} {title}")
                print("".join(f"          {fault}\n" for fault in faults), end="")
    print(f"\n{wrong} invalid exports")
    return int(wrong > 0)


def exports(box: str) -> Iterator[tuple[str, str]]:
    """Every export that the box takes: its title and its text."""
    for kind, params in QUEUES:
        for shape in (False, True):
            try:
                export = boxes.export(kind, params, box=box, rate_bps=RATE_BPS, shape=shape)
            except DropcurveError:
                continue
            ecn = ", ecn" if params.get("ecn") else ""
            yield f"{kind}{ecn}{', shaped' if shape else ''}", export.text


class Models:
    """The models of a vendor, as yangson has read them."""

    def __init__(self, folder: Path, vendor: Vendor, copies: Path) -> None:
        """Finds the modules, with those that they import. Raises LookupError if one is missing."""
        from yangson.datamodel import DataModel

        self.files = _files(folder, vendor)
        self.texts: dict[str, str] = {}
        waiting = list(vendor.roots)
        while waiting:
            name = waiting.pop()
            if name in self.texts:
                continue
            if name not in self.files:
                raise LookupError(f"no module {name} below {folder}")
            self.texts[name] = _text(self.files[name])
            (copies / f"{name}.yang").write_text(self.texts[name], encoding="utf-8")
            waiting += _named("import", self.texts[name]) + _named("include", self.texts[name])
        self.model = DataModel(json.dumps(self._library()), [str(copies)])

    def revision(self, name: str) -> str:
        """The newest revision of a module."""
        return max(re.findall(r'^\s*revision\s+"?(\d{4}-\d\d-\d\d)', self.texts[name], re.M), default="")

    def faults(self, box: str, text: str) -> Iterator[str]:
        """Yields a line for each fault that the models find in a configuration."""
        from yangson.exceptions import YangsonException

        for tree in boxes_trees.trees(box, text):
            problems: list[str] = []
            raw = boxes_trees.encoded(self.model.schema, tree, problems)
            yield from problems
            if problems:
                continue
            try:
                from yangson.enumerations import ContentType

                self.model.from_raw(raw).validate(ctype=ContentType.config)
            except YangsonException as error:
                yield f"{type(error).__name__}: {error}"

    def _library(self) -> dict[str, Any]:
        """The description of the modules that yangson asks for (RFC 7895)."""
        modules = []
        for name, text in self.texts.items():
            if re.search(r"^\s*submodule\s", text, re.M):
                continue
            parts = [name, *_named("include", text)]
            (space,) = re.findall(r'^\s*namespace\s+"?([^";\s]+)', text, re.M)[:1]
            features = [one for part in parts for one in _named("feature", self.texts[part])]
            modules.append(
                {
                    "name": name, "revision": self.revision(name), "namespace": space, "feature": features,
                    "conformance-type": "implement",
                    "submodule": [{"name": one, "revision": self.revision(one)} for one in parts[1:]],
                }
            )  # fmt: skip
        return {"ietf-yang-library:modules-state": {"module-set-id": "checked", "module": modules}}


def _files(folder: Path, vendor: Vendor) -> Mapping[str, Path]:
    """Files of modules by name: those in the folder of the first module's newest file first, then any."""
    every = [path for path in folder.rglob("*.yang*") if vendor.without not in str(path.relative_to(folder))]

    def order(path: Path) -> list[tuple[int, str]]:
        return [(int(part) if part.isdigit() else -1, part) for part in re.split(r"(\d+)", str(path))]

    def name(path: Path) -> str:
        return path.name.split("@")[0].split(".")[0]

    own = sorted((path for path in every if name(path) == vendor.first), key=order)
    if not own:
        raise LookupError(f"no module {vendor.first} below {folder}")
    nearest = own[-1].parent

    def nearness(path: Path) -> tuple[int, list[tuple[int, str]]]:
        common = len([1 for one, other in zip(path.parts, nearest.parts, strict=False) if one == other])
        return common, order(path)

    return {name(path): path for path in sorted(every, key=nearness)}


def _text(path: Path) -> str:
    """A module, with the faults of published ones mended."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".j2":
        from jinja2 import Environment

        text = Environment(autoescape=False).from_string(text).render(yang_model_type="py")
    text = text.replace("[text()=", "[.=")
    return re.sub(r"\\(?=[^nt\"\\])", r"\\\\", text) if path.name.startswith("junos") else text


def _named(keyword: str, text: str) -> list[str]:
    return re.findall(rf'^\s*{keyword}\s+"?([\w.-]+)"?\s*[;{{]', text, re.M)


def main(arguments: Sequence[str]) -> int:
    """Runs the check over the folder."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print("boxes-check: give YANG=FOLDER with checkouts of the vendors' models", file=sys.stderr)
        return 2
    return check(Path(arguments[0]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
