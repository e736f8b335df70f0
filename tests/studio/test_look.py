"""What tools/look.py finds in a page with faults, and that it finds none in a good one."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

import look

PAGE = '<!doctype html><html lang="en"><title>Page</title><meta name="viewport" content="width=device-width">'
GOOD = f'{PAGE}<link rel="icon" href="data:,"><main><h1>Page</h1><p>Text.</p></main></html>'
#: Each fault, and a word of the line that names it.
FAULTY = {
    "wide: by ": '<div style="width:2000px">x</div>',
    "image: ": '<img src="missing.png" alt="x">',
    "request: 404 ": '<script src="missing.js"></script>',
    "error: ": "<script>missing()</script>",
    "outside: ": '<img src="http://studio.invalid/x.png" alt="x">',
    "axe: button-name ": "<button></button>",
    "axe: color-contrast ": '<p style="color:#ccc;background:#fff">faint</p>',
}


def test_each_fault_is_found_and_a_good_page_has_none(chromium: Browser, tmp_path: Path) -> None:
    (tmp_path / "good.html").write_text(GOOD)
    for number, part in enumerate(FAULTY.values()):
        (tmp_path / f"{number}.html").write_text(GOOD.replace("<p>", f"{part}<p>"))
    with look.served(tmp_path) as address:
        there = [f"{address}/{one}" for one in look.pages(tmp_path)]
        faults = dict(look.looked_at(chromium, there, ruled=there))
    assert faults[f"{address}/good.html"] == []
    for number, sign in enumerate(FAULTY):
        assert any(one.startswith(sign) for one in faults[f"{address}/{number}.html"]), sign


def test_pages_of_rustdoc_are_its_front_pages(tmp_path: Path) -> None:
    names = (
        "index.html",
        "a/one.html",
        "a/two.html",
        "rust/units/index.html",
        "rust/units/struct.Time.html",
        "404.html",
    )
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    chosen = look.pages(tmp_path)
    assert chosen == ["a/one.html", "a/two.html", "index.html", "rust/units/index.html"]
    assert look.first_of_each(chosen) == ["a/one.html", "index.html"]
