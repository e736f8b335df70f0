"""Standard streams that are closed, full or abandoned; other pipes that break; unexpected errors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dropcurve import cli
from dropcurve.cli import unexpected
from dropcurve.live import router

COMMAND = [sys.executable, "-m", "dropcurve"]


def run(*arguments: str, shell: str = "", **more: Any) -> subprocess.CompletedProcess[str]:
    """Runs the command in a process of its own, followed by the text ``shell``."""
    words = " ".join(["exec", *COMMAND, *arguments, shell])
    return subprocess.run(["bash", "-c", words], text=True, capture_output=True, check=False, **more)


def test_closed_output_is_refused_before_any_work(folder: Path) -> None:
    process = run("run", "short.toml", "--out", "kept", shell=">&-")
    assert (process.returncode, len(process.stderr.splitlines())) == (2, 1)
    assert "standard output is closed" in process.stderr
    assert not (folder / "kept").exists()


def test_closed_input_and_error_are_no_trouble(folder: Path) -> None:
    assert run("list", "disciplines", shell="<&- 2>&-").returncode == 0
    process = run("import", "-", shell="<&-")
    assert (process.returncode, len(process.stderr.splitlines())) == (2, 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_output_is_named(folder: Path) -> None:
    process = run("list", "disciplines", shell="> /dev/full")
    assert process.returncode == 2
    assert process.stderr.endswith(
        "dropcurve: standard output: No space left on device; make room, or name another folder\n"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("words", "code"),
    [(["export", "red:max_p=0.1", "--for", "linux", "--rate", "10Mbit"], 0), (["run", "no"], 2)],
)
def test_messages_that_cannot_be_written_change_no_answer(folder: Path, words: list[str], code: int) -> None:
    whole = run(*words)
    assert whole.returncode == code and whole.stderr
    full = run(*words, shell="2> /dev/full")
    reading, writing = os.pipe()
    os.close(reading)
    try:
        gone = subprocess.run(
            [*COMMAND, *words], stdout=subprocess.PIPE, stderr=writing, text=True, check=False
        )
    finally:
        os.close(writing)
    for process in (full, gone):
        assert (process.returncode, process.stdout) == (code, whole.stdout)


def test_a_closed_pipe_ends_the_command_without_an_error(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        process = subprocess.run(
            [*COMMAND, "schema"], stdout=writing, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(writing)
    assert (process.returncode, process.stderr) == (0, "")


@pytest.mark.parametrize(
    "error", [BrokenPipeError(32, "Broken pipe"), ConnectionResetError(104, "Connection reset")]
)
def test_another_pipe_that_breaks_is_an_error(
    dropcurve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr("dropcurve.scenario.library.version", broken)
    answer = dropcurve("--version")
    assert answer.code == (1 if isinstance(error, BrokenPipeError) else 2)
    assert len(answer.errors) == 1


def test_an_error_that_nobody_foresaw_is_one_line_with_a_way_to_report_it(
    dropcurve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise KeyError("rate\nand more")

    monkeypatch.setattr("dropcurve.scenario.library.version", fails)
    answer = dropcurve("--version")
    assert (answer.code, len(answer.errors)) == (cli.OURS, 1)
    for part in ("internal error: KeyError: ", "(dropcurve/cli/app.py:", "CONTRIBUTING.md", "--debug"):
        assert part in answer.err
    with pytest.raises(KeyError, match="rate"):
        dropcurve("--version", "--debug")


def test_a_panic_of_the_core_and_want_of_memory_are_one_line() -> None:
    class PanicException(BaseException):
        """The exception of the core, which is not a subclass of Exception."""

    with unexpected.Unexpected([], debug=False, code=cli.OURS):
        raise PanicException("at the disco")
    assert str(unexpected.described(MemoryError(), None)).startswith("out of memory; ")
    with pytest.raises(KeyboardInterrupt), unexpected.Unexpected([], debug=False, code=cli.OURS):
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("kill -KILL $$", "ended by itself (by SIGKILL)"),
        ("exit 247", "ended by itself (by SIGKILL)"),
        ("exit 0", "ended by itself (with exit code 0)"),
        ("echo eth0 has gone >&2; exit 1", "eth0 has gone"),
    ],
)
def test_a_forwarder_that_ends_by_itself_is_lost_work(script: str, message: str) -> None:
    process = subprocess.Popen(
        ["bash", "-c", script], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert message in router.ended(process)


def test_a_line_to_a_forwarder_that_was_killed_says_so(tmp_path: Path) -> None:
    import socket
    import threading

    from dropcurve.errors import WorkError
    from dropcurve.live.forwarder import control

    path = tmp_path / "control"
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()

    def hang_up() -> None:
        for answer in (b"", b'{"stats": ', None):
            one, _ = server.accept()
            if answer is not None:
                one.recv(1000)
                one.sendall(answer)
            one.close()

    thread = threading.Thread(target=hang_up)
    thread.start()
    for _ in range(3):
        with control(path) as line, pytest.raises(WorkError, match="has ended") as lost:
            line.ask("stats")
        assert lost.value.exit_code == 1
    thread.join()
    server.close()


@pytest.mark.parametrize("rate", ["0", "0 bit/s", "0.0 Mbit/s", "00bit", ".0 kbit/s", "0e9 bit/s"])
def test_set_refuses_what_run_refuses(dropcurve: Callable[..., Any], rate: str) -> None:
    for words in (
        ["run", "--queue-num", "0", "--rate", rate, "--queue", "codel"],
        ["set", "nowhere", f"rate={rate}"],
    ):
        answer = dropcurve("live", *words)
        assert answer.code == 2
        assert f"rate = {rate}: must be above 0; " in answer.errors[-1]
    router.check_rate("20 Mbit/s")
    router.check_rate("0.5 Mbit/s")
