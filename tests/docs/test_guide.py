"""The examples of the guide are run, and the output on a page is the output of the run.

If an output has changed for a good reason: `.venv/bin/python tools/readme.py --write`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import readme

EXAMPLES = [
    pytest.param(path, example, id=f"{path.stem}: {example}")
    for path in readme.GUIDE
    for example in readme.examples(path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("path", "example"), EXAMPLES)
def test_example(path: Path, example: readme.Example) -> None:
    printed = example.run()
    if example.place.stop:
        assert printed == path.read_text(encoding="utf-8")[example.place]
