"""The guide to own studies shows the file of its example; `tests/docs/test_guide.py` runs its commands."""

from __future__ import annotations

import re
from pathlib import Path

from dropcurve import studies as st

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide"


def test_the_guide_shows_the_study_that_it_runs() -> None:
    text = (GUIDE / "own-study.md").read_text(encoding="utf-8")
    shown = re.search(r"```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    file = GUIDE / "examples" / "small_study.py"
    assert shown and shown[1] == file.read_text(encoding="utf-8")
    assert [claim.key for claim in st.load(str(file)).claims] == ["S1", "S2"]
