"""The examples of the guide are run, and the output on a page is the output of the run.

If an output has changed for a good reason: `.venv/bin/python tools/readme.py --write`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import readme

EXAMPLES = [
    pytest.param(path, example, id=f"{path.stem}: {example}")
    for path in readme.GUIDE
    for example in readme.examples(path.read_text(encoding="utf-8"))
]


#: What a command may spend whose output the page does not show, by verb.
LESS = {"stress": ("--runs", "20", "--replications", "3")}


@pytest.mark.parametrize(("path", "example"), EXAMPLES)
def test_example(path: Path, example: readme.Example) -> None:
    if not example.place.stop and example.words:
        example = replace(example, words=(*example.words, *LESS.get(example.words[1], ())))
    printed = example.run()
    if example.place.stop:
        assert printed == path.read_text(encoding="utf-8")[example.place]
