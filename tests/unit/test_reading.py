"""JSON and TOML of strangers: what is refused, and the reason given."""

from __future__ import annotations

import pytest

from dropcurve.files.reading import parse_json, parse_toml


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("9" * 5000, "a whole number has more than 4300 digits"),
        ("[" * 100_000, "it is nested too deep"),
        ("1e999", "1e999 is beyond the largest number"),
        ("NaN", "NaN is not JSON"),
    ],
)
def test_json_is_refused_with_a_reason_for_its_reader(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        parse_json(text)


def test_toml_with_a_number_too_long_is_refused_with_a_reason_for_its_reader() -> None:
    with pytest.raises(ValueError, match=r"^a whole number has more than 4300 digits$"):
        parse_toml(f"limit = {'9' * 5000}")
