"""Every registered name has its page, its trace, its bench and its file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

from tidy_rules.tree import Fault, Tree

DISCIPLINES = "crates/queue/src/disciplines/mod.rs"
TRACES = "crates/queue/tests/traces"
TRANSPORTS = "crates/sim/src/scenario/traffic.rs"
CONTROLS = "crates/transport/src/params/algorithm.rs"
INDEX = "scenarios/INDEX.toml"
# Any of these in a bench means that it goes through the whole registry.
WHOLE = re.compile(r"\b(KINDS|catalogue)\b")


def check_registries(tree: Tree) -> Iterator[Fault]:
    """Each discipline has a docs page, a reference trace and a bench; each transport a docs page."""
    benches = "".join(tree.text(path) for path in tree.matching("crates/queue/benches/", ".rs"))
    for name, line in registered(tree, DISCIPLINES, r"disciplines! \{", r'\s*"([\w-]+)" => \w+::\w+'):
        page = f"docs/disciplines/{name}.md"
        if not tree.has(page):
            yield Fault(DISCIPLINES, line, "registry", f"{name} has no page {page}")
        if not any(path.startswith(f"{TRACES}/{name}/") for path in tree.files):
            yield Fault(DISCIPLINES, line, "registry", f"{name} has no trace in {TRACES}/{name}/")
        if not WHOLE.search(benches) and f'"{name}"' not in benches:
            yield Fault(DISCIPLINES, line, "registry", f"{name} has no bench in crates/queue/benches")
    for name, line in registered(tree, TRANSPORTS, r"    pub enum Transport \{", r'\s*\w+ = "([\w-]+)"'):
        if not tree.has(f"docs/transports/{name}.md"):
            yield Fault(TRANSPORTS, line, "registry", f"{name} has no page docs/transports/{name}.md")
    for name, line in registered(tree, CONTROLS, r"\s*\$then! \{", r'\s*\w+ = "([\w-]+)"'):
        if f"`{name}`" not in tree.text("docs/transports/tcp.md"):
            yield Fault(CONTROLS, line, "registry", f"docs/transports/tcp.md says nothing of `{name}`")


def registered(tree: Tree, path: str, opening: str, entry: str) -> Iterator[tuple[str, int]]:
    """Names and lines of a registry: a block that opens with a line and has a name in each entry."""
    inside = False
    for number, line in tree.lines(path):
        if re.fullmatch(opening, line):
            inside = True
        elif line.lstrip().startswith("}"):
            inside = False
        elif inside and (match := re.match(entry, line)):
            yield match[1], number


def check_scenarios(tree: Tree) -> Iterator[Fault]:
    """Every scenario stands in scenarios/INDEX.toml, with title and claim, and every entry has its file."""
    files = {path.split("/")[-1].removesuffix(".toml"): path for path in tree.matching("scenarios/", ".toml")}
    files.pop("INDEX", None)
    if not files and not tree.has(INDEX):
        return
    index = tomllib.loads(tree.text(INDEX))
    for name in sorted(set(files) - set(index)):
        yield Fault(files[name], 1, "scenario", f"no entry [{name}] in {INDEX}")
    for name, entry in index.items():
        if name not in files:
            yield Fault(INDEX, 1, "scenario", f"[{name}] has no file scenarios/{name}.toml")
        for key in ("title", "claim"):
            if not isinstance(entry, dict) or not entry.get(key):
                yield Fault(INDEX, 1, "scenario", f"[{name}] has no {key}")
