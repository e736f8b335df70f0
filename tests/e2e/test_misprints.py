"""Mistyped options, goals and names: one line with what was meant; and the questions, when they are left."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

Dropcurve = Callable[..., Any]
QUESTIONS_S = 30.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("tune", "--lnk", "20/2"), "did you mean --link?"),
        (("tune", "--duration", "20s"), "did you mean --time?"),
        (("compare", "--time", "20s"), "did you mean --duration?"),
        (("compare", "--discipline", "codel"), "did you mean --queue?"),
        (("import", "--goal", "voip"), "`fix`, `tune`, `compare` and `advise` have it"),
        (("fix", "20"), "rates of a line are numbers such as 20/2"),
        (("fix", "20/2", "--for", "cisco"), "must be sqm or linux"),
        (("fix", "20/2", "--goal", "max"), "write constraints and objectives"),
        (("fix", "20/2", "--goal", "max mos of cal"), "this traffic has no class 'cal'"),
        (("conformance", "cubi"), "is not a discipline, control, source or metric; did you mean 'cubic'?"),
        (
            ("conformance", "cubic:x=1"),
            "must be cubic alone, whose parameters are keys of the flow; did you mean",
        ),
        (
            ("conformance", "voice:x=1"),
            "must be voice alone, whose parameters are keys of the flow",
        ),
        (("evaluate", "fqcodel"), "no such discipline; did you mean 'fq_codel'?"),
        (("export", "fqcodel"), "fqcodel: is neither a discipline nor a scenario; did you mean 'fq_codel'?"),
        (
            ("tune", "--link", "20/2", "--queue", "fqcodel"),
            "--queue = fqcodel: no such discipline; did you mean",
        ),
        (("run", "flood", "b"), "unexpected argument 'b'; see `dropcurve run --help`"),
        (("fix", "20/2", "--replications", "0"), "replications = 0: must be 1 or more"),
        (
            ("sweep", "flood", "--vary", "queue.limit=9 pkts,10 pkts", "--method", "grid"),
            "must be one of sobol, latin, random",
        ),
        (("sweep", "flood", "--vary", "queue.max_p=0.5..0.1"), "write 0.1..0.5"),
        (("assert", "flood", "utilisation > 90ms"), "must be a number in %; write one such as 95%"),
    ],
)
def test_a_misprint_is_one_line_with_the_name_that_was_meant(
    dropcurve: Dropcurve, words: tuple[str, ...], message: str
) -> None:
    answer = dropcurve(*words)
    assert answer.code == 2
    assert message in answer.err
    assert len(answer.err.strip().splitlines()) == 1, "nothing was run before"


def test_an_option_that_no_verb_has_gets_no_guess(dropcurve: Dropcurve) -> None:
    assert "mean" not in dropcurve("list", "--foo").err


def test_questions_that_are_left_are_no_internal_error() -> None:
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover
        os.environ["TERM"] = "dumb"
        # A shell that starts the tests in the background ignores SIGINT for all of them.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execv(sys.executable, [sys.executable, "-m", "dropcurve"])
    seen, end = b"", time.monotonic() + QUESTIONS_S
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if not ready:
            # Ctrl-C at the first question; once more if it came just before Python began to wait for the answer.
            if b"Link (" in seen and b"interrupted" not in seen:
                os.write(terminal, b"\x03")
            continue
        try:
            seen += os.read(terminal, 65536)
        except OSError:
            break
    else:
        os.kill(child, signal.SIGKILL)  # it would never end: the status below shows it
    _, status = os.waitpid(child, 0)
    assert b"interrupted; nothing was run" in seen
    assert b"internal error" not in seen
    assert os.waitstatus_to_exitcode(status) == 130
