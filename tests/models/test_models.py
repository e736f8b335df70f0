"""Published models against values worked by hand from their papers."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve.advise import models, tcp
from dropcurve.advise.equilibrium import Curve
from dropcurve.advise.models import answer as answers
from dropcurve.plot import tcp_models

PATH = models.Path(rtt_s=0.1)


def window(law: str, p: float, path: models.Path = PATH) -> float:
    """Mean window in segments."""
    return models.LAWS[law].window(p, path)


def test_mahdavi_and_floyd_is_k_over_the_root_of_loss() -> None:
    # MF97: k M/(R sqrt(p)); at 1 % the root is 0.1.
    assert window("mahdavi-floyd", 0.01) == pytest.approx(12.2)
    assert window("mahdavi-floyd-high", 0.01) == pytest.approx(13.1)
    # 12.2 segments of 1460 bytes in 0.1 s.
    assert models.throughput("mahdavi-floyd", loss=0.01, path=PATH) == pytest.approx(12.2 * 1460 * 8 / 0.1)


def test_mathis_has_the_constants_of_its_table() -> None:
    # MSMO97, table 1, periodic loss: C = 1.22 with an acknowledgement for each segment, 0.87 with delayed ones.
    assert window("mathis", 0.0001, models.Path(rtt_s=0.1, b=1)) == pytest.approx(122.5, abs=0.1)
    assert window("mathis", 0.0001) == pytest.approx(86.6, abs=0.1)


def test_padhye_by_hand_at_one_per_cent() -> None:
    """PFTK98 with b = 2, T0 = 1 s, R = 0.1 s, p = 0.01.

    Full: E[W] = 2/3 + sqrt(132 + 4/9) = 12.1751, 13.1751 round trips; Q = 0.27993; f(p)/(1 - p) = 1.020408;
    (99 + 12.1751 + 0.27993/0.99)/(13.1751 + 10 * 0.27993 * 1.020408) = 111.4579/16.0315.
    Approximate: 1/(0.115470 + 10 * 0.259808 * 0.01 * 1.0032).
    """
    assert window("pftk", 0.01) == pytest.approx(111.4579 / 16.0315, rel=1e-4)
    assert window("pftk-approx", 0.01) == pytest.approx(
        1 / (0.115470 + 10 * 0.259808 * 0.01 * 1.0032), rel=1e-5
    )


def test_tfrc_by_hand() -> None:
    # RFC5348: R = 0.1 s, b = 1, t_RTO = 1 s: sqrt(0.02/3) = 0.0816497; 10 * 3 sqrt(0.03/8) * 0.01 * 1.0032 = 0.0184300.
    assert window("tfrc", 0.01) == pytest.approx(1 / (0.0816497 + 0.0184300), rel=1e-5)
    # With R = 0.5 s the timeout is 2 s: four round trips.
    long = models.Path(rtt_s=0.5)
    assert window("tfrc", 0.01, long) == pytest.approx(1 / (0.0816497 + 4 * 0.00184300), rel=1e-5)


def test_equation_2_of_hassan_has_a_timeout_of_its_own() -> None:
    # s/(R sqrt(2p/3) + 3 t_rto sqrt(3p/8) p (1 + 32 p^2)): R = 0.1 s, t_rto = 0.4 s, p = 0.01.
    # sqrt(0.02/3) = 0.0816497; 4 * 3 * sqrt(0.03/8) * 0.01 * 1.0032 = 0.0073720.
    path = models.Path(rtt_s=0.1, rto_s=0.4)
    assert window("tfrc-rto", 0.01, path) == pytest.approx(1 / (0.0816497 + 0.0073720), rel=1e-5)
    assert window("tfrc-rto", 0.01) == window("tfrc", 0.01), "a timeout of 1 s is what RFC5348 takes here"


@pytest.mark.parametrize(
    ("rtt_s", "p", "wanted"),
    [(0.1, 1e-4, 187), (0.1, 1e-5, 1054), (0.1, 1e-6, 5926), (0.1, 1e-8, 187400),
     (0.01, 1e-7, 5926), (0.01, 1e-8, 33325)],
)  # fmt: skip
def test_cubic_has_the_windows_of_its_rfc(rtt_s: float, p: float, wanted: float) -> None:
    # RFC9438 tables 1 and 2, C = 0.4, where CUBIC's own growth is the larger.
    assert window("cubic", p, models.Path(rtt_s=rtt_s)) == pytest.approx(wanted, abs=0.5, rel=2e-4)


def test_cubic_is_reno_friendly_where_loss_is_high() -> None:
    assert window("cubic", 0.01) == pytest.approx(math.sqrt(150))


def test_newreno_by_hand() -> None:
    """p = q = 0.01, b = 2: w = 12.1751, 1.111751 holes; (99 + w + 1.111751 w/2)/(13.1751 + 1.111751); a timeout needs
    nine of eleven segments lost.
    """
    assert window("newreno-steady", 0.01) == pytest.approx(117.9429 / 14.28685, rel=1e-5)
    assert window("newreno-impatient", 0.01) == window("newreno-steady", 0.01), "recovery is short"


def test_impatient_newreno_by_hand() -> None:
    """Half of the window lost (6.58755 holes), a timer of 2 round trips: recovery is cut after 3, slow start takes
    log2(6.08755) = 2.60587. Fewer than three of eleven arrive with 67/2048, of twelve with 79/4096. A series of
    timeouts lasts 2 * 1.020408.
    """
    burst = models.Path(rtt_s=0.1, rto_s=0.2, burst_loss=0.5)
    timeout = (1 - 0.1751) * 67 / 2048 + 0.1751 * 79 / 4096
    kept = 1 - timeout
    sent = 99 + 12.1751 + kept * (3 * 6.08755 + 6.08755)
    took = 13.1751 + kept * (3 + 2.60587) + timeout * 2.040816
    assert window("newreno-impatient", 0.01, burst) == pytest.approx(sent / took, rel=1e-5)
    steady = 99 + 12.1751 + kept * 6.58755 * 6.08755
    assert window("newreno-steady", 0.01, burst) == pytest.approx(
        steady / (13.1751 + kept * 6.58755 + timeout * 2.040816), rel=1e-5
    )


@pytest.mark.parametrize("law", models.LAWS)
@pytest.mark.parametrize("p", [1e-6, 1e-3, 0.02, 0.2])
def test_loss_is_the_inverse_of_throughput(law: str, p: float) -> None:
    rate = models.throughput(law, loss=p, path=PATH)
    assert models.loss(law, throughput_bps=rate, path=PATH) == pytest.approx(p, rel=1e-6)


@pytest.mark.parametrize("law", models.LAWS)
def test_throughput_falls_with_loss(law: str) -> None:
    rates = [models.throughput(law, loss=10 ** (-6 + i / 10), path=PATH) for i in range(57)]
    assert all(one > other for one, other in itertools.pairwise(rates))


def test_a_throughput_beyond_the_law_has_no_loss() -> None:
    assert models.loss("pftk", throughput_bps=1e13, path=PATH) is None
    assert models.loss("mathis", throughput_bps=1.0, path=PATH) is None


def test_bbr_makes_up_for_loss_to_a_fifth() -> None:
    assert models.bbr_throughput(loss=0.1, rate_bps=1e8) == pytest.approx(9e7)
    assert models.bbr_throughput(loss=0.25, rate_bps=1e8) == 0


@pytest.mark.parametrize("p", [0.0, 0.01, 0.19])
def test_the_loss_of_bbr_is_the_inverse_of_its_throughput(p: float) -> None:
    rate = models.bbr_throughput(loss=p, rate_bps=1e8)
    assert models.bbr_loss(throughput_bps=rate, rate_bps=1e8) == pytest.approx(p)
    assert models.bbr_loss(throughput_bps=7e7, rate_bps=1e8) is None, "at 20 % it falls to nothing at once"


def test_bbr_answers_in_both_directions_with_table_and_line(
    dropcurve: Callable[..., Any], tmp_path: Path
) -> None:
    given = ("model", "--rtt", "100ms", "--rate", "10Mbit", "--law", "bbr")
    assert "9.9 Mbit/s" in dropcurve(*given, "--loss", "1%").out
    figure = tmp_path / "bbr.svg"
    answer = dropcurve(*given, "--throughput", "9.5Mbit", "--plot", str(figure))
    assert "5 %" in answer.out and figure.is_file()
    assert "20 %, at once" in dropcurve(*given, "--throughput", "7Mbit").out


def test_a_picture_has_the_line_of_bbr_below_the_rate_and_the_throughput_asked_for() -> None:
    (axes,) = tcp_models.over_loss(PATH, ["mathis", "bbr"], 4.0, rate_bps=1e7, throughput_bps=9e6).axes
    heights = [max(line.get_ydata()) for line in axes.lines]
    assert max(heights) == pytest.approx(10, rel=1e-3), "no law beyond the rate of the link, 10 Mbit/s"
    assert any(list(line.get_ydata()) == [9.0, 9.0] for line in axes.lines)


def test_flows_that_no_loss_slows_down_enough_have_no_operating_point(dropcurve: Callable[..., Any]) -> None:
    answer = dropcurve(
        "model", "--rtt", "100ms", "--rate", "10Mbit", "--flows", "4000", "--red", "5,30,0.1,60"
    )
    assert answer.out.startswith("No loss up to 50 % slows the flows down to the 0.028 segments")


def test_the_share_of_bbr_by_hand() -> None:
    """WMSS19: ten bandwidth-delay products of 100 packets: the others get 1/2 - 1/20 - 4/1000 = 0.446. In two minutes
    twelve measurements take 1 + 0.2 + 0.1 s each.
    """
    share = models.bbr_share(buffer_pkts=1000, rate_pps=1000, rtt_s=0.1)
    assert share == pytest.approx(0.554)
    timed = models.bbr_share(buffer_pkts=1000, rate_pps=1000, rtt_s=0.1, duration_s=120)
    assert timed == pytest.approx(0.554 * (120 - 12 * 1.3) / 120)
    assert models.bbr_share(buffer_pkts=90, rate_pps=1000, rtt_s=0.1) == 1.0


def test_the_queue_law_crosses_the_control_function_by_hand() -> None:
    """Mathis with b = 1: ten flows, 1000 pkt/s, 0.1 s: W = (100 + q)/10, p = 1.5/W^2 = 150/(100 + q)^2. RED from 10 to
    90 with max_p 0.1, each packet drawn on its own: 0.1 (q - 10)/80. They meet where (q - 10)(100 + q)^2 = 120000.
    """
    curve = Curve(10, 90, 0.1, spacing="geometric", limit=200)
    law = models.queue_law(rate_pps=1000, rtt_s=0.1, flows=10, curve=curve, law="mathis", b=1)
    assert law.crossing.queue == pytest.approx(18.54, abs=0.005)
    assert law.crossing.loss == pytest.approx(150 / 118.54**2, rel=1e-3)
    assert law.crossing.regime == "curve"
    assert law.law[0] == pytest.approx(150 / 100**2, rel=1e-6)
    assert law.control[100] == 1.0, "at 100 packets RED drops everything"
    assert all(one > other for one, other in itertools.pairwise(law.law))


def test_the_queue_law_uses_what_advise_uses() -> None:
    assert set(tcp.LAWS) >= {"pftk", "mathis", "newreno"}
    with pytest.raises(dc.UsageError, match="rising order"):
        models.queue_law(rate_pps=1, rtt_s=1, flows=1, curve=Curve(30, 10, 0.1, limit=40))
    with pytest.raises(dc.UsageError, match="no such law"):
        models.queue_law(rate_pps=1, rtt_s=1, flows=1, curve=Curve(3, 10, 0.1, limit=40), law="none")


def test_the_verb(dropcurve: Callable[..., Any], tmp_path: Path) -> None:
    answer = dropcurve("model", "--rtt", "100ms", "--loss", "1%", "--rate", "100Mbit", "--json")
    rows = {row["law"]: row for row in json.loads(answer.out)}
    assert rows["mahdavi-floyd"]["throughput_bps"] == pytest.approx(12.2 * 1460 * 80)
    assert rows["bbr"]["throughput_bps"] == pytest.approx(99e6)
    figure = tmp_path / "laws.svg"
    answer = dropcurve(
        "model", "--rtt", "100ms", "--throughput", "5Mbit", "--law", "cubic", "--plot", str(figure)
    )
    assert answer.code == 0
    assert "0.0819 %" in answer.out
    assert figure.read_text(encoding="utf-8").startswith("<?xml")
    queue = tmp_path / "queue.svg"
    red = ("model", "--rtt", "100ms", "--rate", "10Mbit", "--red", "5,30,0.1,60")
    answer = dropcurve(*red, "--flows", "40", "--plot", str(queue))
    assert answer.out.startswith("The queue settles at 10.2 packets, on the slope of RED's control function")
    assert queue.is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rtt", "100ms"), "give either --loss or --throughput"),
        (("--rtt", "100ms", "--loss", "1%", "--throughput", "1Mbit"), "give either --loss or --throughput"),
        (("--rtt", "100ms", "--loss", "80%"), "loss = 0.8: must lie between 1e-09 and 0.5"),
        (
            ("--rtt", "100ms", "--loss", "1%", "--law", "nonsense"),
            "nonsense: no such law; there are mahdavi-floyd",
        ),
        (("--rtt", "100ms", "--loss", "1%", "--acks", "3"), "b = 3: must be 1"),
        (("--rtt", "100ms", "--red", "5,15,0.1,60"), ": needs --rate and --flows"),
        (("--rtt", "100ms", "--loss", "1%", "--law", "bbr"), "bbr: needs the rate of the link"),
        (
            ("--rtt", "100ms", "--throughput", "5Mbit", "--rate", "1Mbit"),
            "must be at most the rate of the link",
        ),
        (
            ("--rtt", "100ms", "--loss", "1%", "--flows", "4", "--gentle"),
            "--flows, --gentle: no effect without",
        ),
        (
            ("--rtt", "100ms", "--loss", "1%", "--rate", "9Mbit", "--flows", "4", "--red", "5,15,0.1,60"),
            "--loss: no effect with --red",
        ),
        (("--rtt", "100ms", "--rate", "10Mbit", "--flows", "2", "--red", "5,15"), "must be MIN,MAX,P,LIMIT"),
    ],
)
def test_bad_input_is_reported_in_a_line(
    dropcurve: Callable[..., Any], arguments: tuple[str, ...], message: str
) -> None:
    answer = dropcurve("model", *arguments)
    assert answer.code == 2
    assert message in answer.errors[0]
    assert len(answer.errors) == 1


def test_a_loss_out_of_range_differs_from_a_throughput_that_no_loss_allows() -> None:
    path = models.Path(0.1, 1460, 1.0, 2, 10.0)
    unbounded = models.Path(0.1, 1460, 1.0, 2)
    tables = {
        name: answers.table(answers.rows(one, throughput_bps=rate, names=["mathis"]))
        for name, one, rate in (("fast", unbounded, 1e11), ("slow", unbounded, 1e3), ("window", path, 1e7))
    }
    assert "< 1e-07 %" in tables["fast"] and "> 50 %" in tables["slow"] and " none " in tables["window"]


def test_the_control_function_leaves_the_picture_at_max_th() -> None:
    curve = Curve(5, 30, 0.1, limit=60)
    law = models.queue_law(rate_pps=856, rtt_s=0.04, flows=40, curve=curve)
    (axes,) = tcp_models.crossing(law, curve, 4.0).axes
    queue = [list(line.get_xdata()) for line in axes.lines]
    assert any(5 in one and one[-1] == 30 for one in queue), "the flat part above max_th is not the curve"
