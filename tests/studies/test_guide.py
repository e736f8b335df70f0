"""The guide to own studies is run: its study is written to a file, its commands are called, their answers compared."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import readme

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "own-study.md"


def test_the_guide(dropcurve: Callable[..., Any]) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    named = re.search(r"`(\w+\.py)`:\n\n```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert named, "the guide has a study with a name"
    Path(named[1]).write_text(named[2], encoding="utf-8")
    consoles = [one for one in readme.examples(text) if one.words and one.place.stop]
    assert [one.words[1] for one in consoles] == ["reproduce", "reproduce"]
    for example in consoles:
        answer = dropcurve(*example.words[1:])
        assert answer.code == 0, answer.err
        wanted = re.escape(text[example.place].strip()).replace(r"\.\.\.", "[-−±0-9. ]+")
        assert re.fullmatch(wanted, answer.out.strip()), answer.out
    assert Path("results/studies/small.html").is_file()
    assert Path("my_study.py").is_file()
