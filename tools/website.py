"""Builds the documentation site into out/site/VERSION: the pages of docs and around it, notebooks, references of the
command line, of Python and of the Rust crates, search, and the studio.

    python tools/website.py

out/site/index.html leads to the newest version, versions.json lists those that are there, and the pages have a menu of
them. Links to files that are no pages become plain text; a link to a page or figure that does not exist ends the build.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "out" / "site-source"
SITES = ROOT / "out" / "site"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
SITE = SITES / VERSION
#: Crates whose items others may use (docs/support.md).
CRATES = ("units", "queue", "transport", "sim")
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
#: Files to copy for a new page.
TEMPLATES = {"docs/decisions/template.md"}
#: Suffixes of files that pages show or offer.
ASSETS = {".svg", ".png", ".html", ".toml", ".ipynb"}
#: A folder lists its files where the sources are read; on the site its page has to.
DECISIONS = "docs/decisions/README.md"
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
      primary: custom
      toggle: {{ icon: material/weather-night, name: Switch to dark }}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      primary: custom
      toggle: {{ icon: material/weather-sunny, name: Switch to light }}
plugins: [search]
extra_css: [site.css]
extra_javascript: [site.js]
extra:
  version: {{ provider: mike }}
validation:
  nav: {{ omitted_files: info }}
  links: {{ anchors: warn, not_found: warn, unrecognized_links: warn, absolute_links: warn }}
# Anchors as a host of repositories makes them: links between pages have one form.
markdown_extensions:
  - tables
  - pymdownx.superfences
  - pymdownx.highlight: {{use_pygments: false}}
  - attr_list
  - md_in_html
  - toc: {{slugify: !!python/object/apply:pymdownx.slugs.slugify {{kwds: {{case: lower}}}}}}
nav:
{nav}"""
#: The pages by the reader's purpose; a folder stands for those of its pages that are not named before it.
NAV: dict[str, tuple[str, ...]] = {
    "Getting started": ("index.md", "guide/studio.md", "examples.md", "live-walk.md", "pages.md"),
    "Tutorials": (
        "tutorials/", "notebooks/", "guide/tuning.md", "guide/boxes.md", "guide/own-protocol.md", "guide/own-study.md",
    ),
    "How-to": ("coming-from/", "guide/", "live.md", "queue-crate.md"),
    "Concepts": (
        "architecture.md", "statistics.md", "metrics.md", "paths.md", "glossary.md", "behaviour.md", "survey.md",
        "stress.md", "decisions/",
    ),
    "Validation": (
        "trust.md", "agreement.md", "agreement-linux.md", "live-prediction.md", "friendliness.md", "short-flows.md",
        "atlas.md", "reliability.md", "performance.md", "studies/",
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
    for name in ("site.css", "site.js"):
        copy(ROOT / "tools" / "site" / name, SOURCE / name)
    write("reference/command-line.md", command_line())
    write("reference/python.md", python())
    for notebook in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        write(f"notebooks/{notebook.stem}.md", notebook_page(notebook))
    has_rust = rust()
    if has_rust:
        write("reference/rust.md", rust_page())
    has_studio = (STUDIO / "engine.wasm").is_file()
    config = SOURCE.with_suffix(".yml")
    config.write_text(CONFIG.format(source=SOURCE, site=SITE, nav=nav()), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--config-file", str(config)]
    status = subprocess.run(command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}).returncode
    if status == 0 and has_studio:
        shutil.copytree(STUDIO, SITE / "studio", dirs_exist_ok=True)
    if status == 0 and has_rust:
        shutil.copytree(ROOT / "target" / "doc", SITE / "rust", dirs_exist_ok=True)
    if status == 0:
        versions()
        missing = [] if has_studio else ["the studio (make studio)"]
        missing += [] if has_rust else ["the Rust API (cargo)"]
        without = f", without {' and '.join(missing)}" if missing else ""
        print(f"site: {SITES.relative_to(ROOT)}/index.html, {len(list(SOURCE.rglob('*.md')))} pages{without}")
    return status


def versions() -> None:
    """Writes the list of versions that are there, the newest first, and the page that leads to the newest."""

    def order(version: str) -> list[int]:
        return [int(part) for part in re.findall(r"\d+", version)]

    there = sorted((path.parent.name for path in SITES.glob("*/index.html")), key=order, reverse=True)
    rows = [{"version": one, "title": one, "aliases": ["latest"] if one == there[0] else []} for one in there]
    (SITES / "versions.json").write_text(json.dumps(rows), encoding="utf-8")
    target = f"{there[0]}/index.html"
    page = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>dropcurve</title>'
        f'<meta http-equiv="refresh" content="0; url={target}"><a href="{target}">dropcurve {there[0]}</a></html>\n'
    )
    (SITES / "index.html").write_text(page, encoding="utf-8")


def notebook_page(path: Path) -> str:
    """A notebook as Markdown: its texts, and its cells of code."""
    parts = [f"[Download the notebook]({path.name})" + '{: download="" }']
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
    title, rest = parts[1], parts[2:]
    return "\n\n".join([title, parts[0], *rest]) + "\n"


def rust() -> bool:
    """Builds the pages of the Rust crates; returns whether it could."""
    cargo = shutil.which("cargo")
    if cargo is None:
        return False
    packages = [f"--package=dropcurve-{crate}" for crate in CRATES]
    command = [cargo, "doc", "--locked", "--quiet", "--no-deps", "--lib", *packages]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def rust_page() -> str:
    """The crates with the first line of their documentation."""
    parts = ["# Rust\n\nThe crates that other programs may use, by semantic versioning.\n"]
    for crate in CRATES:
        text = (ROOT / "crates" / crate / "src" / "lib.rs").read_text(encoding="utf-8")
        first = re.search(r"^//! (.+)$", text, re.MULTILINE)
        about = first[1] if first else ""
        parts.append(f'* <a href="../rust/{crate}/index.html">{crate}</a>: {about}')
    return "\n".join(parts) + "\n"


def sources() -> Iterator[tuple[str, str]]:
    """Each page's source, and where it is on the site."""
    for path in sorted((ROOT / "docs").rglob("*.md")):
        name = path.relative_to(ROOT).as_posix()
        if name in TEMPLATES:
            continue
        yield name, ELSEWHERE.get(name, name.removeprefix("docs/"))
    yield from ((name, page) for name, page in ELSEWHERE.items() if not name.startswith("docs/"))


def rewritten(source: str, page: str, pages: dict[str, str]) -> str:
    """The text of a page, its links as they are on the site."""
    text = (ROOT / source).read_text(encoding="utf-8")

    def link(match: re.Match[str]) -> str:
        target, _, anchor = match[2].partition("#")
        if not target or "://" in target or target.startswith("mailto:"):
            return match[0]
        path = os.path.normpath(PurePosixPath(source).parent / target).replace(os.sep, "/")
        there = next((pages[one] for one in (path, f"{path}/README.md") if one in pages), None)
        if there is None and path.startswith("docs/") and PurePosixPath(path).suffix in ASSETS:
            there = path.removeprefix("docs/")
        if there is None and path == "docs/disciplines":
            there = pages["docs/disciplines/red.md"]
        if there is None:
            return match[0] if not (ROOT / path).exists() else "]{.file}"
        way = os.path.relpath(there, PurePosixPath(page).parent or ".").replace(os.sep, "/")
        return f"]({way}{f'#{anchor}' if anchor else ''})"

    if source == DECISIONS:
        text += decisions()
    shown = LINK.sub(link, nested(text))
    # Text in brackets without a link, where the target is a file of the sources.
    shown = re.sub(r"\[([^\[\]]*)\]\{\.file\}", r"\1", shown)
    if (kind := REPLAYABLE.match(source)) and kind[1] != "cost" and (STUDIO / "engine.wasm").is_file():
        shown += live(kind[1])
    return shown


def nested(text: str) -> str:
    """Markdown whose paragraphs, lists and fenced code within list items are indented by four columns, with an empty
    line before the next item, which Python-Markdown requires; CommonMark takes two or three columns and no line."""
    lines: list[str] = []
    in_list, has_parts, fence, extra = False, False, "", ""
    for line in text.split("\n"):
        indent, mark = re.match(r" *", line)[0], line.lstrip()[:3]  # type: ignore[index]
        if not fence:
            is_item = bool(re.match(r"([*+-]|\d+\.) ", line))
            if is_item and in_list and has_parts and lines[-1]:
                lines.append("")
            has_parts = not is_item and in_list and (has_parts or not line)
            in_list = is_item or (in_list and (bool(indent) or not line))
            extra = " " * (4 - len(indent)) if in_list and len(indent) in (2, 3) else ""
            fence = mark if mark in ("```", "~~~") else ""
        elif line.strip() == fence:
            fence = ""
        lines.append(f"{extra}{line}" if line else line)
    return "\n".join(lines)


def decisions() -> str:
    """A list of all decisions by their titles."""
    lines = []
    for path in sorted((ROOT / DECISIONS).parent.glob("[0-9]*.md")):
        title = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        lines.append(f"* [{title}]({path.name})")
    return "\n" + "\n".join(lines) + "\n"


def live(kind: str) -> str:
    """The studio with a discipline, as a part of its page."""
    address = f"../studio/index.html#scenario=droptail_vs_red&set=queue.kind%3D{kind}&seed=1"
    style = "width:100%;height:780px;border:0"
    frame = f'<iframe src="{address}" title="{kind} in the studio" loading="lazy" style="{style}"></iframe>'
    return (
        f"\n\n## Live\n\nThe simulator itself, with `{kind}` on a link of 10 Mbit/s; press Play. "
        f'<a href="{address}">The whole page</a> has lessons and a second side to compare with.\n\n{frame}\n'
    )


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
    entries = [entry(name, thing)]
    if inspect.isclass(thing):
        for other, member in vars(thing).items():
            if not other.startswith("_") and inspect.isroutine(member):
                entries.append(f"### {name}.{other}\n\n{entry(other, getattr(thing, other))}")
    return "\n\n".join(entries)


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
            pages = [one for one in left if one == place or (place.endswith("/") and one.startswith(place))]
            lines.extend(f"    - {one}\n" for one in pages)
            left = [one for one in left if one not in pages]
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
