"""Both directions of a line: each is judged next to the queue of the other one, and a section has one kind for both."""

from __future__ import annotations

import json

import pytest

from dropcurve import boxes
from dropcurve.cli import invoke
from dropcurve.fixes import QueueFix, Thoroughness, directions, place
from dropcurve.fixes.queues import YOURS
from dropcurve.quantities import units
from dropcurve.verdict import Criterion, SampledDesign, Verdict, decide
from tests.unit.configurations import SECTION


def test_a_section_of_sqm_states_the_line_below_its_queues() -> None:
    text = (
        "config queue 'wan'\n\toption enabled '1'\n\toption interface 'eth1'\n\toption download '14000'\n"
        "\toption upload '900'\n\toption qdisc 'fq_codel'\n\toption script 'simplest.qos'\n"
        "\toption linklayer 'atm'\n\toption overhead '40'\n"
    )
    queues = boxes.read_all(text)
    assert len(queues) == 2
    for one in queues:
        assert place(one).framing.params == {"overhead": "40 B", "framing": "atm"}, one.title


def test_a_line_by_its_rates_gets_both_directions_of_one_section(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["20/2", "--time", "0s", "--duration", "8 s", "--replications", "3", "--json", "--check"]
    assert invoke(["fix", *words]) == 1
    answer = json.loads(capsys.readouterr().out)
    held = boxes.read_all(answer["configuration"], box="sqm")
    assert [one.title for one in held] == ["wan upload", "wan download"]
    assert len({one.discipline for one in held}) == 1, "one script holds for both directions"
    assert held[0].discipline in ("fq_codel", "cake")
    for one, loaded in zip(answer["queues"], held, strict=True):
        assert one["load"]["discipline"] == loaded.discipline, "the answer names what the text loads"
    limits = [line for line in answer["configuration"].splitlines() if "elimit" in line or "ilimit" in line]
    assert all("'1001'" in line for line in limits), "the modem's own short queue is not that of the router"
    assert invoke(["fix", *words, "--for", "linux"]) == 1
    text = json.loads(capsys.readouterr().out)["configuration"]
    assert (
        "tc class replace dev eth0 parent 1: classid 1:1 htb rate 2Mbit" in text
        or "cake bandwidth 2Mbit" in text
    )
    assert "redirect dev ifb4eth0" in text


def _direction(name: str, scores: dict[str, list[float]], discipline: str = "droptail") -> QueueFix:
    """A direction of a section with this discipline in use, and designs of these scores in each run."""
    designs = [SampledDesign(kind, {"u": values}, current=kind == YOURS) for kind, values in scores.items()]
    verdict = decide(designs, [Criterion("u", "utilisation", "%", worth=1.0)])
    imported = boxes.Import("sqm", discipline, {}, [], title=f"wan {name}", rate_bps=1e7)
    exports = {
        kind: boxes.export(kind, {"limit": "100 pkts"}, box="sqm", rate_bps=1e7)
        for kind in scores
        if kind != YOURS
    }
    return QueueFix(place(imported), exports, None, verdict)  # type: ignore[arg-type]


def test_both_directions_of_a_section_load_the_kind_that_loses_least_in_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # fq_codel loses 1 point upwards, where codel is best, and codel loses 6 downwards.
    up = {YOURS: [60.0, 60.1, 59.9], "fq_codel": [79.0, 79.1, 78.9], "codel": [80.0, 80.1, 79.9]}
    down = {YOURS: [90.0, 90.1, 89.9], "fq_codel": [89.0, 89.1, 88.9], "codel": [84.0, 84.1, 83.9]}
    answers = {"upload": _direction("upload", up), "download": _direction("download", down)}

    sides = {"upload": up, "download": down}

    def of_kind(one: QueueFix, names: list[str], *_: object) -> Verdict:
        scores = sides[one.imported.title.split()[1]]
        return _direction("x", {name: scores[name] for name in [YOURS, *names]}).verdict

    monkeypatch.setattr(directions, "_verdict_of_kind", of_kind)
    first, second = directions.joint([answers["upload"], answers["download"]], Thoroughness())
    assert (first.loaded, second.loaded) == ("fq_codel", "fq_codel")
    assert "codel would be better by 1 point (all runs)" in first.joint
    assert second.chosen == "fq_codel", "kept alone, but the script holds for both"
    assert "your queue would be better by 1 point (all runs)" in second.joint
    # Nothing gains: nothing changes.
    same = {YOURS: up[YOURS], "codel": [50.0, 50.1, 49.9]}
    kept = directions.joint([_direction("upload", same), _direction("download", same)], Thoroughness())
    assert not any(one.loaded for one in kept)


def test_the_kind_that_is_there_stays_where_another_would_lose_more_in_the_other_direction() -> None:
    # CAKE gains 2 points upwards and loses 4 downwards, where FQ-CoDel is best; the section has FQ-CoDel.
    up = {YOURS: [78.0, 78.1, 77.9], "cake": [80.0, 80.1, 79.9]}
    down = {YOURS: [90.0, 90.1, 89.9], "cake": [86.0, 86.1, 85.9]}
    answers = [_direction("upload", up, "fq_codel"), _direction("download", down, "fq_codel")]
    assert answers[0].loaded == "cake", "alone"
    first, second = directions.joint(answers, Thoroughness())
    assert (first.loaded, second.loaded) == ("", "")
    assert first.kept
    assert "for this direction alone cake would be better by 2 points (all runs)" in first.joint


@pytest.mark.parametrize(("gain", "spread", "kept"), [(2.0, 0.1, False), (2.0, 2.0, True), (0.1, 0.01, True)])
def test_another_kind_has_to_be_surely_better_in_both_directions_together(
    gain: float, spread: float, kept: bool
) -> None:
    """CAKE gains 12 points upwards and loses 10 downwards: 2 in all, with an interval of each direction of 2.5
    spreads (a standard deviation of one spread, t of 4.3, three runs); 0.1 point is within the margin."""
    up = {YOURS: [68.0 - spread, 68.0, 68.0 + spread], "cake": [80.0] * 3}
    down = {YOURS: [90.0 - spread, 90.0, 90.0 + spread], "cake": [78.0 + gain] * 3}
    answers = [_direction("upload", up, "fq_codel"), _direction("download", down, "fq_codel")]
    assert answers[0].loaded == "cake", "alone"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(directions, "_verdict_of_kind", lambda one, *_: one.verdict)
        done = directions.joint(answers, Thoroughness())
    assert [bool(one.loaded) for one in done] == [not kept, not kept]


def test_a_queue_that_is_as_good_is_not_called_better_where_the_other_direction_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """FQ-CoDel leads upwards by 0.1 points, within the margin of 0.2, so that the queue there would stay."""
    up = {YOURS: [90.0, 90.0, 90.0], "fq_codel": [90.1, 90.1, 90.1]}
    down = {YOURS: [80.0, 80.1, 79.9], "fq_codel": [90.0, 90.1, 89.9]}
    answers = [_direction("upload", up), _direction("download", down)]
    monkeypatch.setattr(directions, "_verdict_of_kind", lambda one, *_: one.verdict)
    first, second = directions.joint(answers, Thoroughness())
    assert (first.loaded, second.loaded) == ("fq_codel", "fq_codel")
    assert first.joint.endswith("for this direction alone your queue is as good.")


MIKROTIK = """/queue type
add kind=fq-codel name=fq
/queue simple
add max-limit=10M/50M name=wan queue=fq/fq target=ether1
"""


@pytest.mark.parametrize("text", [SECTION.format(script="simple.qos"), MIKROTIK])
def test_a_direction_of_a_line_is_judged_next_to_the_queue_of_the_other_one(text: str) -> None:
    for imported in boxes.read_all(text):
        down, up = (18e6, 1.8e6) if imported.box == "sqm" else (50e6, 10e6)
        base = place(imported).base
        here, there = (up, down) if imported.title.endswith("upload") else (down, up)
        assert units.rate(base.get("dumbbell.rate")) == here
        assert units.rate(base.get("dumbbell.back.rate")) == there
        assert base.get("back_queue.kind") == "fq_codel", "the other direction is not left to a modem"


def test_options_override_the_link_that_a_text_states() -> None:
    up, down = boxes.read_all(SECTION.format(script="simple.qos"))
    base = place(up, rtt_s=(0.2, 0.2), flows=7).base
    assert base.get("flows.upload.count") == 7
    assert "round trip 200 ms" in base.get("description")
    # A link names the traffic; rates and direction are those of the section.
    starlink = place(down, link="starlink:up").base
    assert units.rate(starlink.get("dumbbell.rate")) == 18e6
    assert "queue in the down direction" in starlink.get("description")
