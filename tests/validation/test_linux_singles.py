"""Connections that a Linux kernel recorded, against ours, transmission by transmission."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from validation.agree import linux_matrix, linux_singles, live_linux
from validation.agree.linux_singles import Recording


@pytest.fixture(scope="module")
def recordings() -> dict[tuple[str, int], Recording]:
    """All of them, by control and draw."""
    return {(one.control, one.number): one for one in linux_singles.kept()}


def test_every_draw_is_recorded_with_every_control(recordings: dict[tuple[str, int], Recording]) -> None:
    wanted = {(control, n) for control in linux_singles.CONTROLS for n in range(linux_singles.DRAWS)}
    assert set(recordings) == wanted
    for one in recordings.values():
        sent = {segment for _, segment in one.sent}
        assert sent == set(range(len(sent)))
        assert len(sent) == one.draw.segments or one.sent[-1][0] > 60_000_000


@pytest.mark.parametrize(("control", "draw"), [("reno", 0), ("cubic", 3), ("highspeed", 5)])
def test_every_transmission_is_of_the_same_segment_at_the_same_time(
    recordings: dict[tuple[str, int], Recording], control: str, draw: int
) -> None:
    assert recordings[control, draw].apart() == ""


def test_a_late_or_other_or_missing_transmission_is_apart(
    recordings: dict[tuple[str, int], Recording],
) -> None:
    one = recordings["reno", 0]
    *before, (at, segment) = one.sent
    last = len(before)
    late = replace(one, sent=[*before, (at - 2000, segment)]).apart()
    assert late.startswith(f"transmission {last}, segment {segment}: ")
    assert replace(one, sent=[*before, (at, segment - 1)]).apart().startswith(f"transmission {last}: ")
    assert replace(one, sent=before).apart().startswith(f"transmission {last}: None in the kernel")


def test_the_page_has_the_present_comparison(recordings: dict[tuple[str, int], Recording]) -> None:
    page = linux_singles.PAGE.read_text(encoding="utf-8")
    now = linux_singles.renewed(page, linux_singles.compare(list(recordings.values())))
    assert page == now, "out of date: run python -m validation.agree.linux_singles"


def test_a_recording_is_stored_as_it_was(
    recordings: dict[tuple[str, int], Recording], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = [recordings["reno", 1], recordings["vegas", 1]]
    monkeypatch.setattr(linux_singles, "KEPT", tmp_path / "some.txt.xz")
    linux_singles.store(some)
    assert linux_singles.kept() == some
    lines = [f"{some[0].syn_ns}", *(f"{at}999 {segment}" for at, segment in some[0].sent)]
    (tmp_path / "1.txt").write_text("\n".join(lines), encoding="utf-8")
    assert linux_singles.read("reno", 1, tmp_path / "1.txt") == some[0]


def test_without_a_kernel_one_line_says_what_to_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DROPCURVE_KERNEL", raising=False)
    monkeypatch.setenv("DROPCURVE_ORACLE", "/nowhere")
    assert linux_singles.main("record") == 1
    said = capsys.readouterr().err
    assert said == "linux-singles: needs a Linux kernel in virtual time (its folder in DROPCURVE_ORACLE)\n"


def test_a_kernel_without_a_control_is_reported_with_the_remedy(tmp_path: Path) -> None:
    live_linux.demand([], Path("linux-um"))
    with pytest.raises(live_linux.KernelError, match="lacks bic, highspeed: build it with CONFIG_TCP_CONG_BIC=y "
                       "CONFIG_TCP_CONG_HSTCP=y, or name another kernel, DROPCURVE_KERNEL=FILE"):  # fmt: skip
        live_linux.demand(["bic", "highspeed"], Path("linux-um"))
    result = {
        "end": {},
        "error": "error - unable to set TCP_CONGESTION: Supplied congestion control algorithm not supported",
    }
    (tmp_path / "iperf.json").write_text(json.dumps(result), encoding="utf-8")
    with pytest.raises(live_linux.KernelError, match="lacks yeah: build it with CONFIG_TCP_CONG_YEAH=y"):
        linux_matrix.demand_result("yeah", tmp_path)
    (tmp_path / "iperf.json").write_text(json.dumps({"end": {}, "error": "no route"}), encoding="utf-8")
    with pytest.raises(live_linux.KernelError, match="no route"):
        linux_matrix.demand_result("yeah", tmp_path)
