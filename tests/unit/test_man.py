"""Manual pages: complete, and clean to groff where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dropcurve.cli import man, verbs


@pytest.mark.parametrize("verb", ["", *verbs.VERBS])
def test_a_page_has_its_name_and_every_option(verb: str) -> None:
    page = man.page(verb)
    assert page.splitlines()[1] == ".SH NAME"
    if not verb:
        assert all(f"dropcurve\\-{one.replace('-', '')}(1)" in page for one in verbs.VERBS)
        return
    shown = page.replace("\\-", "-")
    for one in verbs.command(verb).params:
        if one.param_type_name == "option" and not one.hidden:
            assert one.opts[0] in shown
    if shutil.which("groff"):
        process = subprocess.run(
            ["groff", "-man", "-ww", "-Tutf8"], input=page, capture_output=True, text=True, check=True
        )
        assert process.stderr == ""


def test_lines_that_roff_would_obey_are_text() -> None:
    assert man._escaped(".so /etc/passwd") == "\\&.so /etc/passwd"
    assert man._escaped("'x \\n --out") == "\\&'x \\en \\-\\-out"


def test_pages_are_files_or_one_is_printed(dropcurve: Callable[..., Any]) -> None:
    assert dropcurve("man", "tune").out.startswith('.TH "DROPCURVE\\-TUNE" "1"')
    assert dropcurve("man", "--out", "pages", "run", "sweep").code == 0
    assert sorted(path.name for path in Path("pages").iterdir()) == ["dropcurve-run.1", "dropcurve-sweep.1"]
    several = dropcurve("man", "run", "sweep")
    assert (several.code, several.errors) == (
        2,
        ["dropcurve: several pages need --out FOLDER; give it, or name one verb, whose page is printed"],
    )
    unknown = dropcurve("man", "tun")
    assert (unknown.code, unknown.errors) == (2, ["dropcurve: no verb is called 'tun'; did you mean 'tune'?"])
