"""Links with their usual traffic, as text."""

from __future__ import annotations

import pytest

import dropcurve as dc
from dropcurve.advise.planned import classes
from dropcurve.errors import UsageError
from dropcurve.quantities import units
from dropcurve.results.document import assumptions
from dropcurve.scenario import links
from dropcurve.scenario.links.parse import rates
from dropcurve.verdict.traffic import roles


@pytest.mark.parametrize("name", list(links.PRESETS))
@pytest.mark.parametrize("direction", links.DIRECTIONS)
def test_every_preset_is_a_scenario_with_thin_flows_and_bulk(name: str, direction: str) -> None:
    """Runs are as short as they can be: over a satellite the call has to cross the link in both directions."""
    profile = links.preset(name)
    base = links.scenario(profile, direction=direction)
    rate = units.rate(str(base.get("dumbbell.rate")))
    assert rate == profile.rate_bps(direction)
    back = profile.up_bps if direction == "down" else profile.down_bps
    assert units.rate(str(base.get("dumbbell.back.rate"))) == back
    brief = links.scenario(
        profile, direction=direction, duration="20 ms" if name == "datacentre" else "1.5 s"
    )
    by_class = roles(dc.run(brief, replications=1).variants[0].runs[0])
    assert "thin" in by_class.values()
    assert by_class["download"] == "bulk"
    assert "unresponsive" not in by_class.values()


def test_the_other_direction_carries_the_transfers_that_go_that_way() -> None:
    down, up = (links.scenario(links.preset("dsl"), direction=one) for one in links.DIRECTIONS)
    assert [down.get("flows.download.reverse"), down.get("flows.upload.reverse")] == [False, True]
    assert [up.get("flows.download.reverse"), up.get("flows.upload.reverse")] == [True, False]
    assert up.get("flows.web.reverse") is True


def test_buffers_come_in_packets_bytes_time_and_bandwidth_delay_products() -> None:
    """12 Mbit/s are 1000 full packets a second; a round trip of 100 ms makes a product of 100."""

    def packets(text: str) -> float:
        return units.buffer(text, rate_bps=12e6, rtt_s=0.1, packet_bytes=1500)

    assert [packets(one) for one in ("50pkts", "75kB", "50ms", "0.5bdp", "0.5 BDP")] == [50.0] * 5
    for wrong in ("50 apples", "0ms", "bdp"):
        with pytest.raises(dc.UsageError, match="buffer"):
            packets(wrong)


def test_two_rates_are_down_and_up() -> None:
    assert rates("20/2") == (20e6, 2e6)
    assert rates("20/2Mbit") == (20e6, 2e6)
    assert rates("1Gbit/50Mbit") == (1e9, 50e6)
    assert rates("100Mbit") == (100e6, 100e6)
    assert rates("100 Mbit/s") == (100e6, 100e6)
    with pytest.raises(dc.UsageError):
        rates("20Mbit/2")


def test_a_link_is_parsed_with_what_differs() -> None:
    profile, direction = links.parse(
        "cable:up,rate=100/10Mbit,rtt=20-60ms,buffer=100ms,downloads=4,web=20%,ecn=true"
    )
    assert direction == "up"
    assert (profile.down_bps, profile.up_bps, profile.rtt_s) == (100e6, 10e6, (0.02, 0.06))
    # 100 ms of 10 Mbit/s are 125 kB.
    assert profile.buffer_pkts("up") == 83
    assert (profile.mix.downloads, profile.mix.web, profile.mix.ecn) == (4, 0.2, True)
    assert links.parse("20/2")[0].up_bps == 2e6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cabel", "did you mean 'cable'"),
        ("cable:sideways", "write cable:down or cable:up"),
        ("cable,rtt", "must be KEY=VALUE"),
        ("cable,rrt=3ms", "did you mean 'rtt'"),
        ("cable,rtt=fast", "rtt = fast: must be a number"),
        ("cable,buffer=much", "buffer = much: must be a number"),
        ("cable,web=95%", "web = 0.95: must lie in"),
        ("cable,downloads=0,uploads=0,videos=0", "needs at least one long transfer or video"),
        ("cable,back=fq_codle", "back = fq_codle: is not known; did you mean 'fq_codel'?"),
        ("cable,cc=cubci", "cc = cubci: is not known; did you mean 'cubic'?"),
        ("cable,ecn=maybe", "ecn = maybe: must be a share"),
    ],
)
def test_unparsable_links_are_refused_with_a_remedy(text: str, message: str) -> None:
    with pytest.raises(dc.UsageError) as error:
        links.parse(text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_scenario_of_a_link_remembers_its_name_and_states_what_was_assumed() -> None:
    base = links.load("link:dsl:up", duration="2 s")
    assert base.origin == "link:dsl:up"
    result = dc.compare(base, queues=["droptail", "fq_codel"], replications=2)
    assert result.command.startswith("dropcurve compare link:dsl:up --queue droptail --queue fq_codel")
    (line,) = assumptions(result)
    assert line.startswith(
        "Assumed: dsl: 16 Mbit/s down, 1 Mbit/s up, ATM cells with 40 bytes of overhead a packet, queue in the up "
        "direction and tail drop in the other, round trip 20 ms to 80 ms"
    )
    assert "no L4S senders" in line
    assert line in str(result).replace("\n  ", " ")


def test_a_line_frames_packets_in_both_directions() -> None:
    """By hand: 1500 bytes and 40 fill 33 cells of 53 bytes, an ACK of 40 bytes two."""
    base = links.load("link:dsl:up", duration="2 s")
    for way in ("dumbbell", "dumbbell.back"):
        assert [base.get(f"{way}.{key}") for key in ("overhead", "mpu", "framing")] == ["40 B", "0 B", "atm"]
    line = links.preset("dsl").framing
    assert (line.on_wire(1500), line.on_wire(40)) == (33 * 53, 2 * 53)
    typed = links.spec("20/2:up,framing=pppoe-ptm,overhead=34").profile.framing
    assert typed.params == {"overhead": "34 B", "framing": "ptm"}
    assert typed.on_wire(1500) == 1558, "1534 bytes and one for each 64 of them begun"
    assert not links.spec("dsl,framing=none").profile.framing
    again = links.spec(f"20/2{typed.typed}").profile.framing
    assert again == typed
    with pytest.raises(UsageError, match="pppoe-llcsnap"):
        links.spec("dsl,framing=pppoe-llcsnp")
    for bytes_added in ("999", "²"):
        with pytest.raises(UsageError, match="overhead"):
            links.spec(f"dsl,overhead={bytes_added}")


@pytest.mark.parametrize(
    ("text", "keys", "conditions"),
    [
        ("cable", [], 1),
        ("cable,downloads=1-8", ["downloads"], 3),
        ("20-100/2-10:up,buffer=50-300ms", ["down", "up", "buffer"], 4),
        ("dsl,rate=10-20Mbit,web=0-20%,ecn=0-100%,calls=1-4", ["rate", "web", "ecn", "calls"], 8),
    ],
)
def test_ranges_become_conditions_that_can_be_typed(text: str, keys: list[str], conditions: int) -> None:
    spec = links.spec(text)
    assert list(spec.varying) == keys
    every = spec.conditions()
    assert len(every) == conditions
    for condition in every:
        typed = links.spec(spec.typed(condition))
        assert (typed.profile, typed.direction, dict(typed.varying)) == (
            spec.at(condition),
            spec.direction,
            {},
        )
    for key in keys:
        values = {condition[key] for condition in every}
        assert {spec.varying[key].low, spec.varying[key].high} <= values


def test_every_pair_of_ranges_has_its_four_corners_equally_often() -> None:
    spec = links.spec(
        "dsl,rate=10-20Mbit,web=5-20%,downloads=1-4,calls=1-4,games=1-4,videos=1-4,buffer=1-2bdp"
    )
    every = spec.conditions()
    keys = list(spec.varying)
    assert len(keys) == 7 and len(every) == 8
    for first in keys:
        for second in keys[keys.index(first) + 1 :]:
            corners = [(one[first], one[second]) for one in every]
            assert {corners.count(corner) for corner in corners} == {2}
    with pytest.raises(dc.UsageError, match="at most 7 can vary"):
        links.spec(
            "dsl,down=9-20Mbit,up=1-2Mbit,web=5-20%,downloads=1-4,calls=1-4,games=1-4,videos=1-4,l4s=1-2"
        ).conditions()


def test_a_range_where_one_value_is_needed_is_refused() -> None:
    with pytest.raises(dc.UsageError, match="downloads is a range, and one value is needed"):
        links.parse("cable,downloads=1-4")
    assert links.parse("cable,rtt=10-90ms")[0].rtt_s == (0.01, 0.09)


def test_part_of_the_flows_of_a_class_negotiate_ecn() -> None:
    (base,) = links.scenarios("dsl,downloads=4,ecn=50%")
    flows = base.resolved["flows"]
    assert [flows[one]["count"] for one in ("download", "download_ecn")] == [2, 2]
    assert flows["download_ecn"]["counted_as"] == "download"
    assert [flows[one]["ecn"] for one in ("download", "download_ecn")] == [False, True]
    assert "50 % of it with ECN" in links.spec("dsl,ecn=50%").assumptions()


def test_an_l4s_sender_joins_where_none_is_stated() -> None:
    (base,) = links.scenarios("link:dsl", l4s=True)
    assert base.get("flows.l4s.profile") == "l4s" and base.origin == "link:dsl,l4s=1"
    assert "1 L4S sender" in str(base.get("description"))
    (without,) = links.scenarios("dsl,l4s=0", l4s=True)
    assert "l4s" not in without.resolved["flows"]


def test_options_by_a_few_numbers_override_a_link() -> None:
    numbers = {"rate": "50/5", "flows": "1-4", "short": "20%", "tcp": "reno", "ecn": True}
    spec = links.spec("cable:up", **links.overrides("cable:up", **numbers))
    assert (spec.profile.up_bps, spec.profile.mix.web, spec.profile.mix.cc) == (5e6, 0.2, "reno")
    assert list(spec.varying) == ["uploads"] and spec.profile.mix.ecn == 1.0
    with pytest.raises(dc.UsageError, match="calls and games for UDP"):
        links.overrides("cable", udp="10%")


def test_the_queue_of_the_other_direction_can_be_another_one() -> None:
    (base,) = links.scenarios("20/2,back=fq_codel")
    assert base.get("back_queue.kind") == "fq_codel" and base.get("queue.kind") == "droptail"
    assert "queue in the down direction and fq_codel in the other" in str(base.get("description"))


@pytest.mark.parametrize("value", ["2", "1-3", "1-1000"])
def test_an_unknown_key_of_a_link_is_refused_with_the_value_as_typed(value: str) -> None:
    with pytest.raises(UsageError, match=f"link.download = {value}: no such key; did you mean 'downloads'"):
        links.spec(f"cable,download={value}")


@pytest.mark.parametrize("direction", ["down", "up"])
def test_the_flows_of_a_customer_are_those_of_three_devices(direction: str) -> None:
    home = links.scenario(links.preset("cable"), direction=direction)
    for name, group in home.resolved["flows"].items():
        # Data of a reversed group goes against the direction of the queue.
        down = (direction == "down") != bool(group.get("reverse"))
        own, other = ("destination_host", "source_host") if down else ("source_host", "destination_host")
        device = {"web": "laptop", "call": "laptop", "video": "television", "game": "television"}
        assert (group[own], group[other]) == (device.get(name, "computer"), "auto"), name
    assert "from 3 devices (transfers; pages and calls; video and games)" in str(home.get("description"))
    local = links.scenario(links.preset("datacentre"), direction=direction)
    assert {group["destination_host"] for group in local.resolved["flows"].values()} == {"auto"}


@pytest.mark.parametrize("direction", ["down", "up"])
def test_a_run_of_a_data_centre_holds_hundreds_of_remote_procedure_calls(direction: str) -> None:
    """Eight messages a millisecond for 100 ms, on connections that are open; no transfers against the queue."""
    (base,) = links.scenarios(f"datacentre:{direction},rate=1Gbit")
    assert base.get("flows.rpc.cc") == "dctcp" and base.get("flows.rpc.ecn") is True
    assert base.get("flows.rpc.min_rto") == "10 ms" and base.get("flows.rpc.handshake") == "none"
    own, other = ("download", "upload") if direction == "down" else ("upload", "download")
    assert base.get(f"flows.{own}.count") == 8 and other not in base.resolved["flows"]
    run = dc.run(base, replications=1).variants[0].runs[0]
    calls = sum(flow["objects"]["completed"] for flow in run["flows"] if flow["class"] == "rpc")
    assert 500 < calls < 1000
    assert roles(run) == {own: "bulk", "response": "short", "rpc": "thin"}
    assert {one.name: one.role for one in classes(base).values()} == roles(run)
    assert "40 RPC connections" in str(base.get("description"))


def test_every_sender_of_a_data_centre_has_the_least_timeout_of_its_hosts() -> None:
    line, direction = links.parse("datacentre,l4s=1")
    base = links.scenario(line, direction=direction)
    tcp = [one for one in base.get("flows").values() if one["transport"] == "tcp"]
    assert len(tcp) > 2
    assert {one["min_rto"] for one in tcp} == {"10 ms"}
