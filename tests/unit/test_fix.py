"""`dropcurve fix` on whole configurations: which queues change, and the options and exit codes of the verb."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dropcurve import boxes
from dropcurve.cli import invoke
from dropcurve.fixes import Thoroughness, fix, place
from dropcurve.fixes.queues import YOURS
from tests.unit.configurations import ROUTEROS_TREE, SQM


def test_a_starved_uplink_gets_another_queue_and_a_good_one_stays() -> None:
    """A second and a half of buffer at 2 Mbit/s is bad for a call; the queue that is loaded then is kept."""
    before = SQM.replace("limit 100", "limit 250")
    plain = Thoroughness(tune=False)
    imported = boxes.read(before)
    first = fix([place(imported, link="20/2:up")], before, search=plain, replications=6)
    assert first.better
    assert first.in_place
    assert "-tc qdisc add dev eth1 parent 1:10 handle 10: pfifo limit 250" in first.diff
    again = boxes.read(first.after)
    second = fix([place(again, link="20/2:up")], first.after, search=plain, replications=6)
    assert second.queues[0].verdict.current == YOURS
    assert not second.better
    assert (second.after, second.diff) == (first.after, "")


def test_check_exits_with_1_where_another_queue_is_to_be_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "up.sh").write_text(SQM.replace("limit 100", "limit 250"), encoding="utf-8")
    words = [
        str(tmp_path / "up.sh"),
        "--link",
        "20/2:up",
        "--duration",
        "12 s",
        "--replications",
        "3",
        "--time",
        "0s",
        "--json",
    ]
    assert invoke(["fix", *words, "--check", "--write", str(tmp_path / "better.sh")]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["change"] is True
    assert answer["answer"]["sentences"][0].startswith("Load ")
    assert (tmp_path / "better.sh").read_text(encoding="utf-8") == answer["configuration"]


ALL = """policy-map WAN
 class VOICE
  priority percent 10
 class BULK
  bandwidth percent 40
  random-detect
  random-detect precedence 0 6 12 10
  police cir 3000000
 class class-default
  bandwidth percent 50
  fair-queue
  queue-limit 500 packets
!
policy-map OUT
 class class-default
  shape average 20000000
  service-policy WAN
interface GigabitEthernet0/1
 service-policy output OUT
"""


def test_every_class_is_in_its_place_below_the_priority_class_at_its_share() -> None:
    """40 and 50 % of 20 Mbit/s; voice is policed to 2 Mbit/s, half of which are 12 calls of 80 kbit/s."""
    voice, bulk, rest = boxes.read_all(ALL)
    assert (voice.urgent, voice.share_bps) == (True, 2e6)
    assert [one.title for one in bulk.above] == ["WAN/VOICE"]
    assert [(one.discipline, one.share_bps) for one in (bulk, rest)] == [("wred", 8e6), ("drr", 10e6)]
    where = place(bulk)
    # The policer of 3 Mbit/s lets less through than the 8 Mbit/s that the queue is sure of: the traffic is that of
    # 3 Mbit/s, the link has the 8 Mbit/s and the calls.
    assert (where.rate_bps, where.base.get("dumbbell.rate"), where.base.get("flows.call.count")) == (
        3e6,
        "8.96 Mbit/s",
        12,
    )
    assert where.policed and where.yours == "your policer"
    assert "Policed to 3 Mbit/s, below the 8 Mbit/s that it is served with, so that no" in where.basis
    policer = where.base.get("queue.bands")[1]
    assert (policer["kind"], policer["rate"], policer["burst"]) == ("policer", "3 Mbit/s", "93750 B")
    assert policer["child"]["kind"] == "wred"
    other = where.put("codel", {"limit": "50 pkts"}).get("queue")
    assert (other["kind"], other["rate"], other["child"]["kind"]) == ("tbf", "3.96 Mbit/s", "prio")
    assert other["child"]["bands"][1]["kind"] == "codel"
    assert not place(rest).policed
    wider = ALL.replace("police cir 3000000", "police cir 9000000")
    within = boxes.read_all(wider)[1]
    assert (place(within).rate_bps, place(within).policed) == (8e6, False)
    assert any("no less than the 8 Mbit/s" in note.text for note in within.notes)
    marked = boxes.read_all(
        ALL.replace("police cir 3000000", "police cir 3000000 exceed-action set-dscp-transmit 0")
    )[1]
    assert (marked.policed_bps, place(marked).rate_bps) == (None, 8e6)
    assert where.base.get("flows.call.class") == 46
    assert where.base.get("queue.kind") == "prio"
    assert [one["kind"] for one in where.base.get("queue.bands")] == ["droptail", "policer"]
    lost = {note.key for note in [*bulk.notes, *rest.notes] if note.kind == "lost"}
    assert {"police", "fair-queue"} <= lost


POLICED = """policy-map LIMIT
 class class-default
  police cir 2000000 bc 3000
   conform-action transmit
   exceed-action drop
!
interface GigabitEthernet0/1
 service-policy output LIMIT
"""


def test_a_policer_with_a_short_burst_gives_way_to_a_shaper_in_its_class() -> None:
    (imported,) = boxes.read_all(POLICED)
    done = fix([place(imported)], POLICED, search=Thoroughness(tune=False), replications=6, most=12)
    (queue,) = done.queues
    assert queue.better
    use = {one.criterion.key: one for one in queue.verdict.changes}["utilisation"]
    assert use.kind == "gain" and use.recommended > 90.0, "of the policed rate, not of the link behind"
    assert "police" not in done.after and "exceed-action" not in done.after
    assert "  shape average 2000000" in done.after.splitlines()
    again = boxes.read(done.after)
    assert again.rate_bps == 2e6 and again.discipline == queue.load.discipline_as_loaded  # type: ignore[union-attr]
    assert " service-policy output LIMIT" in done.after.splitlines()


def test_a_shaper_of_the_text_keeps_its_rate_and_equal_conditions_are_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "up.sh").write_text(SQM, encoding="utf-8")
    few = ["--time", "0s", "--duration", "6 s", "--replications", "2"]
    assert invoke(["fix", str(tmp_path / "up.sh"), "--rate", "10-50Mbit", *few, "--json"]) == 0
    seen = capsys.readouterr()
    assert json.loads(seen.out)["queues"][0]["rate_bps"] == 2e6
    assert seen.err.count("is shaped to 2 Mbit/s in the text; --rate is for queues without a shaper") == 1
    assert "conditions" not in seen.out


def test_every_queue_of_a_text_is_answered_and_the_others_stay() -> None:
    places = [place(one, flows=6) for one in boxes.read_all(ALL) if not one.urgent]
    done = fix(places, ALL, search=Thoroughness(tune=False), replications=6, most=12)
    assert [one.place.title for one in done.queues] == ["WAN/BULK", "WAN/class-default"]
    assert not done.queues[0].better, (
        "behind a policer with a burst of 250 ms no queue forms, and the rate is used"
    )
    assert done.queues[1].loaded.startswith("fair-queue 1024 of "), "500 packets are 600 ms for a long flow"
    kept = [line for line in ALL.splitlines() if "fair-queue" not in line and "queue-limit" not in line]
    assert [line for line in done.after.splitlines() if line in kept] == kept
    plain = ALL.replace("  police cir 3000000\n", "")
    bulk = next(one for one in boxes.read_all(plain) if one.title == "WAN/BULK")
    alone = fix([place(bulk, flows=6)], plain, search=Thoroughness(tune=False), replications=6, most=12)
    assert alone.better, "WRED from 6 to 12 packets leaves a third of the class unused"


def test_a_tuned_design_stands_among_the_others_and_is_what_the_box_loads() -> None:
    before = SQM.replace("limit 100", "limit 250")
    done = fix([place(boxes.read(before), link="20/2:up")], before, replications=3, most=3)
    (queue,) = done.queues
    exports = [one for name, one in queue.exports.items() if " with " in name]
    assert exports
    assert not queue.untuned
    assert all(boxes.read(one.text).discipline == one.discipline_as_loaded for one in exports)


def test_a_text_without_a_queue_is_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "no.cfg").write_text("hostname r1\n", encoding="utf-8")
    assert invoke(["fix", str(tmp_path / "no.cfg"), "--check"]) == 2
    assert "name it with --from" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rtt", "20-ms"], "--rtt = 20-ms: "),
        (["--link", "dls"], "--link = dls: is neither a rate nor a kind of link; did you mean 'dsl'?"),
        (["--duration", "long"], "duration = long: "),
        (["--replications", "0"], "replications = 0: must be 1 or more"),
    ],
)
def test_import_refuses_a_wrong_value_of_an_option_that_it_does_not_use(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "box.rsc"
    file.write_text(ROUTEROS_TREE, encoding="utf-8")
    assert invoke(["import", str(file), *options]) == 2
    shown = capsys.readouterr()
    assert message in shown.err and not shown.out


def test_import_names_the_verb_that_judges_every_queue(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "box.rsc"
    file.write_text(ROUTEROS_TREE, encoding="utf-8")
    assert invoke(["import", str(file)]) == 0
    assert (
        "other queues in the text: lan, ether2; --name reads one of them, `dropcurve fix` judges all"
        in capsys.readouterr().out
    )
