"""The questions of `dropcurve` without arguments, on a pseudo-terminal."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

pty = pytest.importorskip("pty")

#: Seconds until a dialogue has to be over.
LONGEST_S = 120.0
#: Seconds after which a control character is typed again, as a person would: an interrupt between the print of a
#: question and the read of its answer is seen only when that read ends.
AGAIN_S = 10.0
INTERRUPT, END = "\x03", "\x04"
SCRIPT = "tc qdisc add dev eth1 root tbf rate 2mbit burst 16k latency 400ms\n"


def dialogue(answers: Sequence[tuple[str, str]], folder: Path, *, kind: str = "dumb") -> tuple[str, int]:
    """The output of the program, and its exit code, for answers to the questions that begin so; a control character is
    typed without a line end. ``kind`` is that of the terminal."""
    child, terminal = pty.fork()
    if child == 0:
        # A shell that starts the tests in the background ignores SIGINT for all of them.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.chdir(folder)
        os.environ.update(TERM=kind, COLUMNS="100", XDG_CONFIG_HOME=str(folder))
        os.execv(sys.executable, [sys.executable, "-m", "dropcurve"])
    shown, asked, waiting, control, typed = "", 0, list(answers), b"", 0.0
    until = time.monotonic() + LONGEST_S
    while time.monotonic() < until:
        if waiting and (at := shown.find(waiting[0][0], asked)) >= 0:
            asked = at + 1
            answer = waiting.pop(0)[1]
            control = answer.encode() if answer in (INTERRUPT, END) else b""
            os.write(terminal, control or f"{answer}\n".encode())
            typed = time.monotonic()
        elif control and time.monotonic() > typed + AGAIN_S:
            os.write(terminal, control)
            typed = time.monotonic()
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                part = os.read(terminal, 4096)
            except OSError:
                part = b""
            if not part:
                break
            shown += part.decode(errors="replace")
    if time.monotonic() >= until:
        os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(terminal)
    assert not waiting, f"not asked: {waiting[0][0]}\n{shown}"
    return shown.replace("\r\n", "\n"), code


def test_bad_answers_are_explained_and_asked_for_again(tmp_path: Path) -> None:
    shown, code = dialogue(
        [
            ("Link (", "cabel"), ("did you mean 'cable'?\nLink (".replace("\n", "\r\n"), "cable"),
            ("which direction", "sideways"), ("must be one of down, up", "down"),
            ("Box (", "toaster"), ("toaster: must be one of linux", "none"),
            ("File with", "no/such/file"), ("there is no such file", ""),
            ("What matters most", "speed"), ("speed: must be one of balanced", "voip"),
            ("Run it?", "perhaps"), ("invalid input", "n"),
        ],
        tmp_path,
    )  # fmt: skip
    assert code == 0
    assert "\n  dropcurve compare --link cable:down --goal voip --queue droptail --queue codel" in shown
    assert "Traceback" not in shown


def test_empty_answers_take_what_stands_in_brackets(tmp_path: Path) -> None:
    questions = ["Link (", "which direction", "Box (", "File with", "What matters most"]
    shown, code = dialogue([*((one, "") for one in questions), ("Run it?", "n")], tmp_path)
    assert code == 0
    assert "\n  dropcurve tune --link cable:up --for linux --time 3min\n" in shown


@pytest.mark.parametrize("key", [INTERRUPT, END])
@pytest.mark.parametrize("answered", [0, 2, 5])
def test_an_interrupted_question_ends_with_one_line_and_code_130(
    tmp_path: Path, answered: int, key: str
) -> None:
    questions = ["Link (", "which direction", "Box (", "File with", "What matters most", "Run it?"]
    shown, code = dialogue(
        [*((one, "") for one in questions[:answered]), (questions[answered], key)], tmp_path
    )
    assert code == 130
    assert shown.endswith("\ndropcurve: interrupted; nothing was run\n")
    assert "Traceback" not in shown


def test_the_command_runs_to_its_end_with_the_defaults_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "dropcurve").mkdir()
    settings = '[fix]\ntime = "0s"\nreplications = 2\nduration = "3s"\n'
    (tmp_path / "dropcurve" / "config.toml").write_text(settings, encoding="utf-8")
    (tmp_path / "up.sh").write_text(SCRIPT, encoding="utf-8")
    shown, code = dialogue(
        [("Link (", "20/2"), ("which direction", "up"), ("Box (", "linux"), ("File with", "up.sh"),
         ("What matters most", ""), ("Run it?", "y")],
        tmp_path,
    )  # fmt: skip
    assert code == 0
    assert "\n  dropcurve fix up.sh --link 20/2:up --from linux --shape\n" in shown
    assert "Repeat: dropcurve fix up.sh --from linux" in shown


@pytest.mark.parametrize(("kind", "progress"), [("dumb", "% done, about "), ("xterm", " left")])
def test_a_run_shows_progress_on_every_terminal_and_ends_with_code_130(
    tmp_path: Path, kind: str, progress: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dumb terminal, such as that of an editor, gets lines instead of a bar, at once and not at the end, also where
    Python is asked for unbuffered streams, as containers do."""
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    questions = ["Link (", "which direction", "Box (", "File with", "What matters most"]
    answers = [*((one, "") for one in questions), ("Run it?", "y"), (progress, INTERRUPT)]
    shown, code = dialogue(answers, tmp_path, kind=kind)
    assert code == 130
    assert "Traceback" not in shown and "interrupted" in shown
