"""Exports as instances of YANG models: what the trees of each box are, and which published files are chosen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import boxes_trees
import boxes_yang


def test_a_table_of_sonic_becomes_a_list_with_its_keys() -> None:
    text = json.dumps({"QUEUE": {"Ethernet0|3": {"wred_profile": "[WRED_PROFILE|AQM]"}}})
    (tree,) = boxes_trees.trees("sonic", text)
    row = {"ifname": "Ethernet0", "qindex": "3", "wred_profile": "AQM"}
    assert tree["sonic-queue:sonic-queue"] == {"QUEUE": {"QUEUE_LIST": [row]}}


def test_the_queue_that_openconfig_refers_to_is_added_once() -> None:
    interface = {"output": {"queues": {"queue": [{"name": "BE"}, {"name": "BE"}]}}}
    text = json.dumps({"openconfig-qos:qos": {"interfaces": {"interface": [interface]}}})
    (tree,) = boxes_trees.trees("openconfig", text)
    assert tree["openconfig-qos:qos"]["queues"] == {"queue": [{"name": "BE", "config": {"name": "BE"}}]}


def test_each_precedence_of_ios_makes_an_instance() -> None:
    text = (
        "policy-map P\n class class-default\n  shape average 1000000\n  queue-limit 64 packets\n  random-detect\n"
        "  random-detect precedence 0 20 40 10\n  random-detect precedence 1 25 40 10\n"
        "interface GigabitEthernet0/0\n service-policy output P\n"
    )
    actions = [
        tree["Cisco-IOS-XE-native:native"]["policy"]["Cisco-IOS-XE-policy:policy-map"][0]["class"][0][
            "action-list"
        ]
        for tree in list(boxes_trees.trees("ios", text))
    ]
    assert [one["action-type"] for one in actions[0]] == ["shape", "queue-limit", "random-detect"]
    precedences = [one[2]["random-detect"]["precedence"] for one in actions]
    assert [(one["prec"], one["min-threshold"]) for one in precedences] == [("0", "20"), ("1", "25")]


def test_the_newest_release_is_chosen_and_faults_of_models_are_mended(tmp_path: Path) -> None:
    vendor = boxes_yang.Vendor("junos", ("junos-conf-root",), "junos-conf-root", "extensions")
    for release in ("9.1", "24.4", "with-extensions"):
        (tmp_path / release).mkdir()
        (tmp_path / release / "junos-conf-root.yang").write_text('pattern "a\\*";\ndescription "x\\n";')
    (file,) = boxes_yang._files(tmp_path, vendor).values()
    assert file.parent.name == "24.4"
    assert boxes_yang._text(file) == 'pattern "a\\\\*";\ndescription "x\\n";'
    (tmp_path / "empty").mkdir()
    with pytest.raises(LookupError, match="no module junos-conf-root below"):
        boxes_yang._files(tmp_path / "empty", vendor)


def test_every_checked_box_has_its_exports() -> None:
    for box, least in (("sonic", 10), ("openconfig", 6), ("junos", 12), ("ios", 12)):
        assert len(list(boxes_yang.exports(box))) >= least
