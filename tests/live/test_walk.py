"""The walk without root: the tool prints the errors that its page shows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dropcurve.cli import invoke
from dropcurve.live import router

PAGE = Path(__file__).resolve().parents[2] / "docs" / "live-walk.md"
RATE, QUEUE = ["--rate", "10 Mbit/s"], ["--queue", "codel"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["run", "--in-if", "lo", "--out-if", "r1", *RATE, *QUEUE],
            "interface = lo: is not an Ethernet interface; use a netfilter",
        ),
        (["run", "--in-if", "lo", *RATE, *QUEUE], "name two with --in-if and --out-if"),
        (
            ["run", "--queue-num", "0", "--rate", "0 bit/s", *QUEUE],
            "--rate = 0 bit/s: must be above 0; a link",
        ),
        (["stats", "/run/nothing"], "/run/nothing: no forwarder answers there: No such file or directory"),
        (
            ["lab", "droptail_vs_red", "--change", "10 rate=5"],
            "--change = 10 rate=5: must be TIME PATH=VALUE; write one such as",
        ),
    ],
)
def test_errors_are_reported_as_the_page_has_them(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["live", *words]) == 2
    assert message in capsys.readouterr().err
    assert message in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rate", "fast", *QUEUE], 'rate = "fast": must be text with its unit, such as "10 Mbit/s"'),
        ([*RATE, *QUEUE, "--delay", "soon"], 'delay = "soon": must be text with its unit'),
        ([*RATE, "--queue", "nosuch"], "nosuch"),
    ],
)
def test_invalid_settings_are_reported_before_any_device_is_opened(
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    # A queue that cannot be opened by anyone: devices are looked at after the settings.
    monkeypatch.setattr(router.Device, "port", lambda _: {"kind": "tun", "name": "x", "netns": "/nowhere"})
    assert invoke(["live", "run", "--queue-num", "0", *words]) == 2
    stderr = capsys.readouterr().err
    assert message in stderr
    assert "cannot be opened" not in stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [["run", *RATE, *QUEUE], ["lab", "droptail_vs_red"], ["check"], ["clean"]])
def test_other_systems_than_linux_are_refused_in_a_line(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert invoke(["live", *words, "--help"]) == 0
    assert invoke(["live", *words]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert f"live = darwin: `live {words[0]}` needs Linux; `dropcurve run` simulates" in line
