"""Builds the studio: the engine as WebAssembly, and the folder with the page.

    python tools/studio.py                   into python/dropcurve/studio_site, from which `dropcurve studio` serves it
    python tools/studio.py --offline FILE    also as one HTML file, less than 2 MB

Without the Rust target it prints one line on that and returns 0: the rest works without the studio.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
from pathlib import Path

import wasm
from wasm import ROOT, TARGET

SITE = ROOT / "python" / "dropcurve" / "studio_site"
#: Most bytes of the offline page.
MOST = 2_000_000


def main(arguments: list[str]) -> int:
    """Builds; the status to exit with."""
    if not wasm.has_target():
        print(
            f"studio: SKIPPED, because the Rust target {TARGET} is not available (rustup target add {TARGET})"
        )
        return 0
    build(SITE)
    print(
        f"studio: built; .venv/bin/dropcurve studio, or the folder {SITE.relative_to(ROOT)} behind any web server"
    )
    if arguments[:1] == ["--offline"] and len(arguments) == 2:
        return offline(Path(arguments[1]))
    return 0


def build(site: Path) -> None:
    """Builds the engine and assembles the page in a folder."""
    engine()
    assemble(site)


def engine() -> None:
    """The engine, built from the sources as they are."""
    wasm.cargo("build", "--profile", "studio", "--package", "dropcurve-studio", "--lib", "--target", TARGET)


def assemble(site: Path) -> None:
    """Puts page, engine, scenarios and lessons into a folder that any web server can serve."""
    shutil.rmtree(site, ignore_errors=True)
    site.mkdir(parents=True)
    for source in sorted((ROOT / "studio").iterdir()):
        if source.suffix in {".html", ".css", ".js"}:
            shutil.copyfile(source, site / source.name)
    shutil.copyfile(wasm.STUDIO, site / "engine.wasm")
    (site / "library.json").write_text(json.dumps(library()), encoding="utf-8")


def library() -> dict[str, object]:
    """Scenarios that need no other file, the lessons and the papers."""
    index = tomllib.loads((ROOT / "scenarios" / "INDEX.toml").read_text(encoding="utf-8"))
    texts = {name: (ROOT / "scenarios" / f"{name}.toml").read_text(encoding="utf-8") for name in index}
    scenarios = {
        name: {"title": index[name]["title"], "text": text}
        for name, text in texts.items()
        if not re.search(r'^\s*(file|opportunities_file)\s*=\s*"', text, re.MULTILINE)
    }
    taught = {
        name: json.loads((ROOT / "studio" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("lessons", "papers")
    }
    return {"scenarios": scenarios, **taught}


def offline(out: Path) -> int:
    """Writes the offline page and checks its size; the status to exit with."""
    from dropcurve.cli.studio_server import write_offline

    write_offline(SITE, out)
    size = out.stat().st_size
    print(f"studio: {out}, {size / 1e6:.2f} MB")
    if size > MOST:
        print(f"studio: the offline page has {size} bytes, more than {MOST}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
