"""The quick form of the comparison: a share of its cases with few seeds; the page; and when two means agree."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from validation.agree import live, live_ns2, means, ns2_packets, page, registry, tuned, verdicts
from validation.agree.cases import AgreementCase, Area, Figure
from validation.agree.context import Context


def quick(name: str) -> list[AgreementCase]:
    return [case for case in quick_or_missing(name) if case.verdict != "not yet"]


def quick_or_missing(name: str) -> list[AgreementCase]:
    return list(registry.AREAS[name](Context(quick=True)).cases)


def test_segments_of_ns2_come_in_order_to_the_microsecond() -> None:
    cases = quick("ns2_packets")
    assert len(cases) >= 40
    assert {case.verdict for case in cases} == {"within"}


def test_segments_of_ns3_come_in_order_within_a_packet_time() -> None:
    cases = quick("ns3_packets")
    assert len(cases) == 90
    assert {case.verdict for case in cases} == {"within"}


def test_single_flows_of_ns3_that_nobody_chose_come_in_order() -> None:
    """All but two of the first sixty draws: see `causes.toml`."""
    cases = quick("ns3_singles")
    assert len(cases) == 60
    outside = {case.name.rpartition(", ")[2] for case in cases if case.verdict == "outside"}
    assert outside <= {"draw 17", "draw 22"}


def test_tfrc_of_ns2_comes_packet_by_packet() -> None:
    """All but a run in which a report and a departure fall on one moment (see `causes.toml`)."""
    cases = quick("tfrc_packets")
    assert len(cases) == 14
    assert {case.name.rpartition(", ")[2] for case in cases if case.verdict == "outside"} <= {"draw 7"}


def test_rap_of_ns2_comes_packet_by_packet() -> None:
    cases = quick("rap_packets")
    assert len(cases) == 10
    assert {case.verdict for case in cases} == {"within"}


@pytest.mark.parametrize(
    ("area", "names"),
    [
        ("offered", ["DropTail", "RED, no wait", "AVQ"]),
        ("offered_ns3", ["Fifo", "RED, nonlinear", "PIE, spaced"]),
    ],
)
def test_disciplines_under_streams_without_congestion_control(area: str, names: list[str]) -> None:
    """Without a transport: queues within 8 % over four seeds, losses within the spread of the streams."""
    cases = quick(area)
    assert [case.name for case in cases] == names
    for case in cases:
        for figure in case.figures:
            assert abs(figure.apart) <= 0.08 * figure.theirs + 1e-3, (case.name, figure)


@pytest.mark.parametrize("name", ["wtred", "cnodder", "hassan_tcp"])
def test_means_of_ns2(name: str) -> None:
    """Goodput, queue and delay within 5 % with four seeds; losses and timeouts vary more."""
    cases = quick(name)
    assert cases
    for case in cases:
        for figure in case.figures:
            if figure.name in ("goodput_bps", "qmean", "qdelay_ms", "util"):
                assert figure.within or abs(figure.percent) < 5, (case.name, figure)


def test_theory_in_short() -> None:
    assert {case.verdict for case in quick("theory")} == {"within"}


def test_options_show_the_defects_they_stand_for() -> None:
    assert {case.verdict for case in quick("defects")} == {"within"}


def test_every_record_of_the_kernel_is_replayed_by_a_module_and_counted() -> None:
    names = [case.name for case in quick_or_missing("linux_verdicts")]
    assert len(names) == len(list((verdicts.TRACES / "linux").glob("*.txt")))
    modules = verdicts.TRACES.parent / "verdicts"
    assert all((modules / f"{module}.rs").exists() for module in verdicts.LINUX_MODULES.values())
    # Of two acknowledgements and three, the filters let through one and two, and two and one.
    bursts = ["1 2 | 1 | 0,1", "3 3:5-6 4 | 1,2 | 2"]
    assert verdicts.counted("acks", [burst.split() for burst in bursts])["drops"] == 4


def test_a_mean_is_allowed_its_interval_or_three_percent() -> None:
    assert means.allowed(100.0, 0.0, 5, [100.0, 100.0]) == 3.0
    # Four runs each with deviation 10: t(6) 10 sqrt(1/2).
    ours = [90.0, 110.0, 97.0, 103.0]
    spread = (sum((x - 100) ** 2 for x in ours) / 3) ** 0.5
    assert means.allowed(100.0, spread, 4, ours) == pytest.approx(2.4469 * spread * 0.5**0.5, rel=1e-4)
    # One run there has no standard deviation: ours is used for both.
    assert means.allowed(100.0, None, 1, ours) == pytest.approx(3.1824 * spread * 1.25**0.5, rel=1e-4)


def test_the_page_has_the_cases_outside_and_the_missing_parts() -> None:
    near = AgreementCase("near", (Figure("loss", 1.0, 1.01, 0.02),))
    far = AgreementCase("far", (Figure("loss", 1.0, 1.5, 0.02),), cause="a reason")
    area = Area(
        "x", "Some area", "ns-2.35", "A method.", [near, far, AgreementCase("later", missing="a part")]
    )
    text = page.markdown([area])
    assert "| [Some area](#some-area) | ns-2.35 | 3 | 1 | 1 | 1 | 1 of 2 (50.0 %) |" in text
    assert "* far: loss 1 there, 1.5 here (+50.0 %). a reason" in text
    assert "| a part | 1 | Some area |" in text
    assert '<a href="#some-area">' in page.as_html(text)


def test_nan_never_agrees() -> None:
    assert not Figure("x", 1.0, float("nan"), 10.0).within
    assert not AgreementCase("no figures").figures
    assert AgreementCase("no figures").verdict == "outside"


def test_cached_values_are_not_made_again(tmp_path: Path) -> None:
    runs: list[int] = []
    context = Context(cache=tmp_path)
    for _ in range(2):
        assert context.cached("one key", lambda: runs.append(1) or {"loss": 0.5}) == {"loss": 0.5}
    assert len(runs) == 1
    context.cached("another key", lambda: runs.append(1))
    assert len(runs) == 2


def test_a_program_that_fails_is_one_case_not_the_end() -> None:
    def fails() -> AgreementCase:
        raise subprocess.CalledProcessError(1, "ns", stderr="a line\nno such class\n")

    case = live.attempt("a run", fails)
    assert (case.name, case.verdict) == ("a run", "not yet")
    assert "no such class" in case.missing


def test_runs_become_a_row() -> None:
    row = means.row_of([{"loss": 0.1}, {"loss": 0.3}])
    assert row == {"seeds": "2", "loss": "0.2", "loss_sd": "0.1414"}
    assert means.row_of([{"loss": 0.1}])["loss_sd"] == ""


def test_drawn_runs_are_scenarios() -> None:
    """Every draw is the same each time, and has a scenario."""
    assert live_ns2.drawn(7) == live_ns2.drawn(7) != live_ns2.drawn(8)
    for seed in range(60):
        ns2_packets.scenario(ns2_packets.RecordedFlow({**live_ns2.drawn(seed), "boot": "0.004"}))


def test_runs_of_ns2_are_kept_and_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def theirs(settings: Mapping[str, str], seed: int) -> dict[str, float]:
        seeds.append(seed)
        return {"utilisation": float(seed), "sojourn_ms_mean": float(settings["buf"])}

    monkeypatch.setattr(tuned, "theirs", theirs)
    kept, asked = tmp_path / "ns2", [({"buf": "4"}, seed) for seed in (1, 2, 3)]
    first = tuned.recorded_of(asked[:2], kept, jobs=1)
    # An interruption leaves a truncated file.
    for place in list(kept.glob("*.json")):
        place.with_suffix(".part").write_text('["cut o', encoding="utf-8")
    again = tuned.recorded_of(asked, kept, jobs=1)
    assert seeds == [1, 2, 3] and again[:2] == first
    assert [one["utilisation"] for one in again] == [1.0, 2.0, 3.0]
    assert tuned.recorded_of(asked, kept, jobs=1) == again and seeds == [1, 2, 3]
