"""The pytest fixture ``dropcurve_link``: bottlenecks in virtual time for tests of protocol code.

pytest finds it where dropcurve is installed:

    def test_my_sender_survives_a_short_queue(dropcurve_link):
        link = dropcurve_link(rate="5Mbit", delay="20ms", queue="droptail:limit=10pkts")
        ...
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .bottleneck import Bottleneck


@pytest.fixture
def dropcurve_link() -> Callable[..., Bottleneck]:
    """Creates a `dropcurve.Bottleneck` from its arguments; call it once for each direction of a path."""
    return Bottleneck
