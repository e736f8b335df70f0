"""Builds the documentation site into out/site: the pages of docs and around it, references, search, the
studio.

    python tools/website.py

Links to files that are no pages become plain text; a link to a page or figure that does not exist ends the
build.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "out" / "site-source"
SITE = ROOT / "out" / "site"
STUDIO = ROOT / "python" / "dropcurve" / "studio_site"
#: Pages outside of docs, and where they are on the site. The list of all pages is a page of its own.
ELSEWHERE = {
    "README.md": "index.md",
    "docs/index.md": "pages.md",
    "examples/README.md": "examples.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "crates/queue/README.md": "queue-crate.md",
}
#: Suffixes of files that pages show or offer.
ASSETS = {".svg", ".png", ".html", ".toml"}
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
REPLAYABLE = re.compile(r"^docs/disciplines/(\w+)\.md$")
CONFIG = """\
site_name: dropcurve
site_description: How should this queue drop or mark packets, and how do we know?
docs_dir: {source}
site_dir: {site}
use_directory_urls: false
theme:
  name: material
  font: false
  features: [navigation.tabs, navigation.top, search.highlight, content.code.copy]
  palette:
    - media: "(prefers-color-scheme: light)"
      scheme: default
      primary: teal
      toggle: {{ icon: material/weather-night, name: Switch to dark }}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      primary: teal
      toggle: {{ icon: material/weather-sunny, name: Switch to light }}
plugins: [search]
validation:
  nav: {{ omitted_files: info }}
  links: {{ anchors: warn, not_found: warn, unrecognized_links: warn, absolute_links: warn }}
markdown_extensions: [tables, fenced_code, toc, attr_list, md_in_html]
nav:
{nav}"""
#: The pages by the reader's purpose; a folder stands for those of its pages that are not named before it.
NAV: dict[str, tuple[str, ...]] = {
    "Getting started": ("index.md", "guide/studio.md", "examples.md", "live-walk.md", "pages.md"),
    "Tutorials": ("guide/tuning.md", "guide/boxes.md", "guide/own-protocol.md", "guide/own-study.md"),
    "How-to": ("guide/", "live.md", "performance.md", "queue-crate.md"),
    "Concepts": (
        "architecture.md", "statistics.md", "metrics.md", "paths.md", "glossary.md", "behaviour.md", "survey.md",
        "stress.md",         "decisions/",
    ),
        "Validation": (
        "agreement.md", "live-prediction.md", "friendliness.md", "short-flows.md", "reliability.md", "studies/",
    ),
    "Reference": (
        "reference/", "scenarios.md", "results.md", "disciplines/", "transports/", "sources/", "support.md",
        "security.md", "threat-model.md", "unsafe.md", "contributing.md", "changelog.md",
    ),
    "Gallery": ("figures.md",),
}  # fmt: skip


def main() -> int:
    """Builds; the status to exit with."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    pages = dict(sources())
    for source, page in pages.items():
        write(page, rewritten(source, page, pages))
    for asset in sorted((ROOT / "docs").rglob("*")):
        if asset.suffix in ASSETS:
            copy(asset, SOURCE / asset.relative_to(ROOT / "docs"))
    write("reference/command-line.md", command_line())
    write("reference/python.md", python())
    has_studio = (STUDIO / "engine.wasm").is_file()
    config = SOURCE.with_suffix(".yml")
    config.write_text(CONFIG.format(source=SOURCE, site=SITE, nav=nav()), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--config-file", str(config)]
    status = subprocess.run(command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}).returncode
    if status == 0 and has_studio:
        shutil.copytree(STUDIO, SITE / "studio", dirs_exist_ok=True)
    if status == 0:
        studio = "" if has_studio else ", without the studio (make studio)"
        print(f"site: {SITE.relative_to(ROOT)}/index.html, {len(pages) + 2} pages{studio}")
    return status


def sources() -> Iterator[tuple[str, str]]:
    """Each page's source, and where it is on the site."""
    for path in sorted((ROOT / "docs").rglob("*.md")):
        name = path.relative_to(ROOT).as_posix()
        yield name, ELSEWHERE.get(name, name.removeprefix("docs/"))
    yield from ((name, page) for name, page in ELSEWHERE.items() if not name.startswith("docs/"))


def rewritten(source: str, page: str, pages: dict[str, str]) -> str:
    """The text of a page, its links as they are on the site."""
    text = (ROOT / source).read_text(encoding="utf-8")

    def link(match: re.Match[str]) -> str:
        target, _, anchor = match[2].partition("#")
        if not target or "://" in target or target.startswith("mailto:"):
            return match[0]
        found = os.path.normpath(PurePosixPath(source).parent / target).replace(os.sep, "/")
        there = next((pages[one] for one in (found, f"{found}/README.md") if one in pages), None)
        if there is None and found.startswith("docs/") and PurePosixPath(found).suffix in ASSETS:
            there = found.removeprefix("docs/")
        if there is None and found == "docs/disciplines":
            there = pages["docs/disciplines/red.md"]
        if there is None:
            return match[0] if not (ROOT / found).exists() else "]{.file}"
        way = os.path.relpath(there, PurePosixPath(page).parent or ".").replace(os.sep, "/")
        return f"]({way}{f'#{anchor}' if anchor else ''})"

    shown = LINK.sub(link, text)
    # Text in brackets without a link, where the target is a file of the sources.
    shown = re.sub(r"\[([^\[\]]*)\]\{\.file\}", r"\1", shown)
    if (kind := REPLAYABLE.match(source)) and kind[1] != "cost":
        shown += (
            f"\n\n## Live\n\n[Run `{kind[1]}` in the studio](../studio/index.html#scenario=droptail_vs_red"
            f"&set=queue.kind%3D{kind[1]}&seed=1), next to any other setting.\n"
        )
    return shown


def command_line() -> str:
    """The help of every verb."""
    from dropcurve import cli
    from dropcurve.cli.verbs import VERBS

    parts = ["# Command line\n"]
    for name in VERBS:
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            cli.invoke([name, "--help"])
        parts.append(f"## {name}\n\n```text\n{shown.getvalue().strip()}\n```\n")
    return "\n".join(parts)


def python() -> str:
    """Signature and docstring of every public name."""
    import dropcurve

    names = dropcurve.__all__
    parts = [f"## {name}\n\n{described(name, getattr(dropcurve, name))}\n" for name in names]
    return "\n".join(["# Python\n", *parts])


def described(name: str, thing: object) -> str:
    """A name's signature, docstring and public methods."""
    found = [entry(name, thing)]
    if inspect.isclass(thing):
        for other, member in vars(thing).items():
            if not other.startswith("_") and inspect.isroutine(member):
                found.append(f"### {name}.{other}\n\n{entry(other, getattr(thing, other))}")
    return "\n\n".join(found)


def entry(name: str, thing: object) -> str:
    """Signature and docstring in one block."""
    try:
        head = f"{name}{inspect.signature(thing)}" if callable(thing) else name
    except ValueError:
        head = name
    return f"```text\n{head}\n\n{inspect.getdoc(thing) or ''}\n```"


def nav() -> str:
    """The navigation as YAML: every page once."""
    left = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.md"))
    lines = []
    for title, places in NAV.items():
        lines.append(f"  - {title}:\n")
        for place in places:
            some = [one for one in left if one == place or (place.endswith("/") and one.startswith(place))]
            lines.extend(f"    - {one}\n" for one in some)
            left = [one for one in left if one not in some]
    if left:
        lines.append("  - More:\n")
        lines.extend(f"    - {one}\n" for one in left)
    return "".join(lines)


def write(page: str, text: str) -> None:
    """Writes a page of the source of the site."""
    path = SOURCE / page
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def copy(source: Path, to: Path) -> None:
    """Copies a file."""
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, to)


if __name__ == "__main__":
    sys.exit(main())
