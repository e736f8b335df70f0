"""Duration of short transfers: the simulator compared with an exact computation and a closed form
(docs/short-flows.md)."""

from __future__ import annotations

import pytest

from validation.pages import short_flows as short


def test_by_hand() -> None:
    # A SYN of 40 bytes takes 32 us, a segment of 1500 takes 1.2 ms, 40 ms each way: 80.064 ms until the first leaves.
    assert short.exact(short.Transfer(1, 1, delayed=False)) == pytest.approx(0.080064 + 0.0412)
    # Window 1, then 2: the second round is 81.232 ms later, and its second segment a serialisation after the first.
    assert short.exact(short.Transfer(3, 1, delayed=False)) == pytest.approx(
        0.080064 + 0.081232 + 0.0412 + 0.0012
    )
    # Delayed: the first segment waits 200 ms for one that does not come.
    assert short.exact(short.Transfer(2, 1, delayed=True)) == pytest.approx(0.080064 + 0.281232 + 0.0412)


def test_every_time_is_exact_and_near_the_closed_form() -> None:
    for case in short.cases():
        time_s = short.simulated(case)
        assert time_s == pytest.approx(short.exact(case), abs=1e-6), case
        # The round begun for the last segments, and the half of one that odd windows cost.
        rounds = (time_s - short.closed_form(case)) / (2 * short.DELAY)
        assert -0.02 < rounds < (1.65 if case.delayed else 1.1), (case, rounds)


def test_the_page_is_what_the_script_writes() -> None:
    assert short.PAGE.read_text(encoding="utf-8") == short.page(), (
        "run: python -m validation.pages.short_flows"
    )
