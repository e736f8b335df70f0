"""The examples of the README are run, and the output on the page is the output of the run.

If an output has changed for a good reason: `.venv/bin/python tools/readme.py --write`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import readme

PAGE = readme.PAGE.read_text(encoding="utf-8")
EXAMPLES = list(readme.examples(PAGE))


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_example(example: readme.Example) -> None:
    printed = example.run()
    if example.place.stop:
        assert printed == PAGE[example.place]


def test_the_page_shows_python_and_the_command_line() -> None:
    assert any(example.code and example.place.stop for example in EXAMPLES)
    assert any(example.words and example.place.stop for example in EXAMPLES)


@pytest.mark.parametrize("path", [readme.PAGE, *readme.GUIDE], ids=lambda path: path.stem)
def test_a_reader_can_run_a_page_in_one_folder(path: Path) -> None:
    """No command of a page refuses because an earlier one has written the folder; a sweep continues its own."""
    examples = readme.examples(path.read_text(encoding="utf-8"))
    named = [one.words for one in examples if "--out" in one.words and "sweep" not in one.words]
    folders = [words[words.index("--out") + 1] for words in named]
    assert len(set(folders)) == len(folders), folders


def test_blocks_are_taken_apart() -> None:
    page = (
        "```python\nprint(1)\n```\n\n```text\n1\n```\n"
        "```sh\nmake demo\ndropcurve list  # all\ndropcurve run \\\n  a.toml\n```\n"
        "```console\n$ dropcurve list\none\n\ntwo\n$ dropcurve schema\n```\n"
    )
    parts = [(example.words[1:], example.code, page[example.place]) for example in readme.examples(page)]
    assert parts == [
        ((), "print(1)\n", "1\n"),
        (("list",), "", ""),
        (("run", "a.toml"), "", ""),
        (("list",), "", "one\n\ntwo\n"),
        (("schema",), "", ""),
    ]
