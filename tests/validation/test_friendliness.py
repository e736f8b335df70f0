"""The matrix of friendliness: a few transports, short runs, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from dropcurve.errors import ScenarioError, UsageError
from validation import friendliness

NAMES = {"cubic": 'cc = "cubic"\n', "vegas": 'cc = "vegas"\n'}


def test_every_transport_of_the_catalogue_makes_a_scenario() -> None:
    names = friendliness.transports()
    assert {"tahoe", "sack", "cubic", "dctcp", "bbr", "bbr3", "prague", "gaimd", "binomial"} <= set(names)
    assert {"tfrc", "rap", "tear", "lda", "video"} <= set(names)
    assert friendliness.marked(names) == ["dctcp", "prague"]


def test_a_row_is_the_column_the_other_way_round_and_runs_are_kept(tmp_path: Path) -> None:
    states: list[tuple[int, int]] = []

    def matrix() -> friendliness.Matrix:
        return friendliness.matrix(
            NAMES, replications=2, seconds=8.0, out=tmp_path, jobs=1,
            progress=lambda done, needed, _: states.append((done, needed)),
        )  # fmt: skip

    shares = matrix()
    assert set(shares) == {(one, other) for one in NAMES for other in NAMES}
    one, other = shares["cubic", "vegas"], shares["vegas", "cubic"]
    assert one.ratio > 1 and one.low <= one.ratio <= one.high
    assert (other.ratio, other.low, other.high) == (1 / one.ratio, 1 / one.high, 1 / one.low)
    assert states[-1] == (6, 6)
    states.clear()
    assert matrix() == shares
    assert not states, "a second call makes no run"


def test_drs_takes_more_than_sack_by_the_phase_of_its_packets(tmp_path: Path) -> None:
    """Over tail drop: pairs of segments meet a full buffer; a random delay at the sender ends that."""
    sack = 'recovery = "sack"\n'
    names = {"drs": 'transport = "drs"\n', "sack": sack, "late": sack + 'overhead = "1 ms"\n'}
    shares = friendliness.matrix(names, replications=3, out=tmp_path, jobs=1)
    assert shares["drs", "sack"].ratio > 2
    assert shares["drs", "late"].ratio < 1.5


def test_the_kept_page_has_every_transport() -> None:
    page = (Path(__file__).parents[2] / "docs" / "friendliness.md").read_text(encoding="utf-8")
    for name in friendliness.transports():
        assert page.count(f"| **{name}** |") == len(friendliness.QUEUES), (
            f"make friendliness: {name} is missing"
        )


def test_share_by_hand() -> None:
    # Logarithms of 2 and 8: the middle is 4; Student's t of one degree of freedom is 12.706.
    share = friendliness.share([math.log(2), math.log(8)])
    half = 12.7062 * math.log(2)
    assert share.ratio == pytest.approx(4)
    assert (share.low, share.high) == pytest.approx((4 * math.exp(-half), 4 * math.exp(half)), rel=1e-4)
    assert friendliness.MatrixShare(1.2, 1.0, 1.5).__str__() == "1.2 (1–1.5) S"


def test_the_page_has_tables_and_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--transport", "cubic", "--transport", "rap", "--replications", "2", "--jobs", "1"]
    assert friendliness.main([*words, "--out", str(tmp_path)]) == 0
    page = (tmp_path / "friendliness.md").read_text(encoding="utf-8")
    assert "python -m validation.friendliness --transport cubic --transport rap" in page
    assert page.count("| **cubic** |") == 2
    for queue in friendliness.QUEUES:
        assert f"figures/friendliness-{queue}.svg" in page
        assert (tmp_path / "figures" / f"friendliness-{queue}.svg").stat().st_size > 1000
    assert "6 of 6 runs" in capsys.readouterr().err


def test_invalid_arguments_are_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert friendliness.main(["--transport", "cubik"]) == 2
    assert capsys.readouterr().err.startswith("--transport = cubik: must be one of tahoe, ")
    with pytest.raises(UsageError, match="queue = codel: must be one of droptail, red"):
        friendliness.matrix(NAMES, queue="codel", out=tmp_path)
    with pytest.raises(UsageError, match="must be 2 or more for an interval"):
        friendliness.matrix(NAMES, replications=1, out=tmp_path)
    with pytest.raises(ScenarioError, match="did you mean 'cubic'"):
        friendliness.matrix({"mine": 'cc = "cubik"\n'}, out=tmp_path)
