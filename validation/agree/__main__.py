"""python -m validation.agree: runs the comparisons and writes the page."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from dropcurve.present.wrapping import wrap_markdown

from . import live, live_linux, live_ns3, page, registry
from .cases import Area
from .context import ROOT, Context, show_progress


def main(words: list[str]) -> int:
    """Exit code 0: agreement is described, not demanded."""
    parser = argparse.ArgumentParser(
        prog="python -m validation.agree",
        description="Differences between dropcurve, ns-2, ns-3, Linux and theory, case by case: docs/agreement.md.",
    )
    add = parser.add_argument
    add(
        "--reference", type=Path, metavar="FOLDER",
        help="with ns2, ns3 and linux (DROPCURVE_REFERENCE; else ../shared/reference if it is there)",
    )  # fmt: skip
    areas = [*registry.AREAS, *registry.LIVE]
    add(
        "--only", nargs="+", choices=areas, metavar="AREA",
        help=f"some comparisons alone; prints instead of writing. Of {', '.join(areas)}",
    )  # fmt: skip
    add("--quick", action="store_true", help="few cases and replications; prints instead of writing")
    add(
        "--live", nargs="?", const="sample", default="", choices=["sample", "all"],
        help="first runs the installed ones of ns-2, ns-3 and a Linux kernel on new cases: a "
        "sample, a matter of minutes, or all, a matter of hours. Their results are stored in out/agree/cache, so that "
        "the next run continues where this one was interrupted",
    )  # fmt: skip
    add("--jobs", type=int, default=2, metavar="N", help="threads (%(default)s)")
    options = parser.parse_args(words)
    context = Context(
        reference=options.reference or reference(),
        jobs=options.jobs,
        quick=options.quick,
        cache=ROOT / "out" / "agree" / "cache",
        live=options.live,
        log=show_progress,
    )
    if options.live:
        tell_what_is_absent()
    out = ROOT / "out" / "agree"
    executed: list[Area] = []
    if options.live and not options.only:
        executed = registry.compare(list(registry.LIVE), context)
        out.mkdir(parents=True, exist_ok=True)
        (out / "live.md").write_text(wrap_markdown(page.markdown(executed)), encoding="utf-8")
        sys.stderr.write(
            page.summary(executed) + "\nRun side by side: out/agree/live.md; now what is recorded\n"
        )
    compared = [*registry.compare(options.only or list(registry.AREAS), context), *executed]
    text = page.markdown(compared)
    if options.only or options.quick:
        sys.stdout.write(text)
        return 0
    (ROOT / "docs" / "agreement.md").write_text(wrap_markdown(text), encoding="utf-8")
    out.mkdir(parents=True, exist_ok=True)
    (out / "agreement.html").write_text(page.as_html(text), encoding="utf-8")
    sys.stdout.write(page.summary(compared) + "\nThe page: docs/agreement.md, out/agree/agreement.html\n")
    return 0


def tell_what_is_absent() -> None:
    """One line for each program that cannot be run side by side."""
    lacks = {
        "ns-2": "" if live.available() else "ns (Debian: ns2)",
        "ns-3": live_ns3.lacking(),
        "Linux": live_linux.lacking(),
    }
    for name, lack in lacks.items():
        if lack:
            sys.stderr.write(
                f"{name} is not run side by side: {lack} not found; its recorded results are compared\n"
            )


def reference() -> Path | None:
    """The folder of references: DROPCURVE_REFERENCE, or ../shared/reference if it exists."""
    named = os.environ.get("DROPCURVE_REFERENCE")
    place = Path(named) if named else ROOT.parent / "shared" / "reference"
    return place if place.is_dir() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
