"""Defaults from environment and file, the questions of the wizard, and printed queues that can be typed again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dropcurve import boxes
from dropcurve.boxes.model import queue_text
from dropcurve.cli import defaults, invoke, wizard
from dropcurve.errors import DropcurveError
from dropcurve.quantities import values
from dropcurve.scenario import links

OPTIONS = {"compare": frozenset({"jobs", "replications", "out"}), "list": frozenset({"json"})}


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The place of the file, in a folder of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv(defaults.OUT, raising=False)
    (tmp_path / "dropcurve").mkdir()
    yield tmp_path / "dropcurve" / "config.toml"


def test_without_a_file_there_are_no_defaults(config: Path) -> None:
    assert defaults.by_verb(OPTIONS) == {"compare": {}, "list": {}}
    assert defaults.results() == Path("results")


def test_a_file_has_defaults_for_all_verbs_and_for_one(config: Path) -> None:
    config.write_text('jobs = 4\nout = "/data"\n[compare]\nreplications = 20\n', encoding="utf-8")
    assert defaults.by_verb(OPTIONS) == {"compare": {"jobs": 4, "replications": 20}, "list": {}}
    assert defaults.results() == Path("/data")


def test_the_environment_comes_before_the_file(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text('out = "/data"\n', encoding="utf-8")
    monkeypatch.setenv(defaults.OUT, "/other")
    assert defaults.results() == Path("/other")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("jbos = 4\n", "jbos: no such option; did you mean 'jobs'?"),
        ("[compar]\njobs = 4\n", "[compar]: no such verb; did you mean 'compare'?"),
        ("[compare]\nreplication = 4\n", "compare has no such option; did you mean 'replications'?"),
        ("jobs = = 4\n", "is not TOML"),
    ],
)
def test_invalid_defaults_are_refused_with_the_nearest_name(config: Path, text: str, expected: str) -> None:
    config.write_text(text, encoding="utf-8")
    with pytest.raises(DropcurveError) as error:
        defaults.by_verb(OPTIONS)
    assert expected in str(error.value)
    assert str(config) in str(error.value)


def test_a_wrong_file_ends_a_command_in_one_line(config: Path, capfd: pytest.CaptureFixture[str]) -> None:
    config.write_text("jbos = 4\n", encoding="utf-8")
    assert invoke(["list", "sources"]) == 2
    assert capfd.readouterr().err.count("\n") == 1


def test_defaults_of_a_file_and_of_the_environment_reach_a_verb(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(defaults.OUT, str(tmp_path / "kept"))
    config.write_text("[run]\nreplications = 2\nno_report = true\n", encoding="utf-8")
    assert invoke(["run", "droptail_vs_red", "--duration", "11 s", "--quiet"]) == 0
    (folder,) = (tmp_path / "kept").glob("droptail_vs_red-*")
    assert '"seeds": [\n  1,\n  2\n ]' in (folder / "result.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('jobs = "many"\n', "config.toml: jobs = many: must be a whole number; write one such as jobs = 4"),
        ("jobs = 1.5\n", "jobs = 1.5: must be a whole number"),
        ("jobs = [1]\n", "jobs = [1]: must be one value, not a list; write jobs = 4"),
        ("jobs = true\n", "jobs = True: must be a whole number"),
        ('[compare]\nqueue = "codel"\n', 'queue = codel: must be a list of values; write queue = ["codel"]'),
        ('json = "maybe"\n', "json = maybe: must be true or false"),
        ("[compare]\nduration = true\n", "duration = True: must be text or a number"),
        ("out = 3\n", 'out = 3: must be the name of a folder; write one such as out = "results"'),
    ],
)
def test_a_value_of_another_kind_is_refused_with_its_place_and_the_remedy(
    config: Path, capfd: pytest.CaptureFixture[str], text: str, expected: str
) -> None:
    config.write_text(text, encoding="utf-8")
    assert invoke(["compare", "droptail_vs_red"]) == 2
    message = capfd.readouterr().err
    assert expected in message and message.count("\n") == 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("x", "DROPCURVE_JOBS = x: must be a whole number; set DROPCURVE_JOBS=4, or unset it"),
        ("1.5", "DROPCURVE_JOBS = 1.5: must be a whole number"),
        ("0", "DROPCURVE_JOBS = 0: must lie between 1 and 4096"),
        ("9" * 20, "must lie between 1 and 4096"),
    ],
)
def test_a_wrong_number_of_jobs_in_the_environment_is_one_line(
    config: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    value: str,
    expected: str,
) -> None:
    monkeypatch.setenv(defaults.JOBS, value)
    assert invoke(["compare", "droptail_vs_red"]) == 2
    message = capfd.readouterr().err
    assert expected in message and message.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[tune]\ntime = 5\n", "config.toml: time = 5: must end in a unit of time"),
        ('[tune]\ngoal = "p95 dely < 5ms"\n', "config.toml: goal: no measure is called 'p95 dely'"),
        ("jobs = 0\n", "config.toml: jobs = 0: must lie between 1 and 4096"),
    ],
)
def test_a_default_that_a_verb_refuses_is_named_with_its_place(
    config: Path, capfd: pytest.CaptureFixture[str], text: str, expected: str
) -> None:
    config.write_text(text, encoding="utf-8")
    assert invoke(["tune", "--link", "dsl:up"]) == 2
    message = capfd.readouterr().err
    assert f"{config.parent}/{expected}" in message and message.count("\n") == 1


def test_a_value_of_the_command_line_is_named_without_the_place_of_defaults(
    config: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config.write_text("jobs = 2\n", encoding="utf-8")
    assert invoke(["tune", "--link", "dsl:up", "--jobs", "0"]) == 2
    assert "config.toml" not in capfd.readouterr().err


def answers(*given: str) -> wizard.Ask:
    """A user with these answers, who then takes the defaults."""
    left = list(given)

    def ask(question: str, default: str) -> str:
        return left.pop(0) if left else default

    return ask


def test_defaults_make_the_search_for_a_configuration_on_a_usual_link() -> None:
    line, words = wizard.questions(answers())
    assert words[0] == "tune"
    assert line == "dropcurve tune --link cable:up --for linux --time 3min"
    line, _ = wizard.questions(answers("dsl,downloads=1-4", "down", "ios", "", "voip"))
    assert line == "dropcurve tune --link dsl:down,downloads=1-4 --goal voip --for ios --time 3min"


def test_without_a_box_the_usual_queues_are_compared() -> None:
    line, _ = wizard.questions(answers("dsl", "up", "none", "", "gaming"))
    assert line == (
        "dropcurve compare --link dsl:up --goal gaming --queue droptail --queue codel --queue pie --queue fq_codel "
        "--queue cake"
    )


def test_a_configuration_makes_a_fix(tmp_path: Path) -> None:
    file = tmp_path / "up.sh"
    file.write_text("tc qdisc add dev eth0 root pfifo limit 100\n", encoding="utf-8")
    _, words = wizard.questions(answers("20/2,rtt=40ms", "up", "linux", str(file), "gaming"))
    assert words == [
        "fix", str(file), "--link", "20/2:up,rtt=40ms", "--goal", "gaming", "--from", "linux", "--shape",
    ]  # fmt: skip


def test_other_names_of_boxes_are_answers() -> None:
    line, _ = wizard.questions(answers("dsl", "down", "Cisco", "", "voip"))
    assert line == "dropcurve tune --link dsl:down --goal voip --for ios --time 3min"


def test_a_data_centre_has_no_direction_and_no_goal_for_calls() -> None:
    asked: list[str] = []
    given = answers("datacentre", "sonic", "", "voip", "balanced")

    def ask(question: str, default: str) -> str:
        asked.append(question)
        return given(question, default)

    line, _ = wizard.questions(ask)
    assert line == "dropcurve tune --link datacentre --for sonic --time 3min"
    assert not any("direction" in one for one in asked) and "this traffic has no call" in asked[-1]


def test_a_wrong_answer_is_asked_for_again() -> None:
    asked: list[str] = []
    given = answers("cabel", "cable", "sideways", "down", "toaster", "ios")

    def ask(question: str, default: str) -> str:
        asked.append(question)
        return given(question, default)

    _, words = wizard.questions(ask)
    assert words[2] == "cable:down"
    assert words[3:] == ["--for", "ios", "--time", "3min"]
    assert [one.splitlines()[0] for one in asked if "\n" in one] == [
        "link = cabel: is neither a rate nor a kind of link; did you mean 'cable'?",
        "sideways: must be one of down, up; type one of these",
        f"toaster: must be one of {', '.join(boxes.BOXES)}, none; type one of these",
    ]


@pytest.mark.parametrize("kind", ["red", "fq_codel", "prio"])
@pytest.mark.parametrize("box", list(boxes.BOXES))
def test_every_printed_queue_of_a_box_can_be_typed_again(box: str, kind: str) -> None:
    if kind not in boxes.kinds(box):
        return
    base = links.load("link:100Mbit")
    red = {"min_th": "10 pkts", "max_th": "30 pkts", "max_p": 0.05, "limit": "100 pkts"}
    asked = {
        "red": red, "fq_codel": {},
        "prio": {"bands": ["plain", {"kind": "red", **red}], "class_by": "precedence",
                 "band_of": [1, 1, 1, 1, 1, 0]},
    }[kind]  # fmt: skip
    exported = boxes.export(kind, asked, box=box, rate_bps=1e8)
    imported = boxes.read(exported.text, rate_bps=1e8, buffer_bytes=None if kind == "prio" else 150_000)
    for text, kind_as_loaded, params in (
        (exported.queue_as_loaded, exported.discipline_as_loaded, exported.params_as_loaded),
        (imported.queue, imported.discipline, imported.params),
        (queue_text(*imported.placed), *imported.placed),
    ):
        again, parsed = values.queue(text)
        assert (
            base.set("queue", {"kind": again, **parsed}).hash
            == base.set("queue", {"kind": kind_as_loaded, **params}).hash
        )


def test_a_value_with_a_comma_is_quoted_in_a_queue() -> None:
    text = queue_text("curve", {"curve": "points 1 0, 2 1", "min_th": ["1 pkts", "2 pkts"]})
    assert text == 'curve:curve="points 1 0, 2 1",min_th=["1 pkts", "2 pkts"]'


@pytest.mark.parametrize(
    ("name", "expected"),
    [("RFC7567", "IETF recommendations regarding active queue management"), ("dctcp10", "Data center TCP"),
     ("equivalence margin", "as good"), ("L4S", "RFC9330"), ("stalled time", "video_stalled")],
)  # fmt: skip
def test_sources_and_words_of_answers_are_described(
    capfd: pytest.CaptureFixture[str], name: str, expected: str
) -> None:
    assert invoke(["describe", name]) == 0
    assert expected in capfd.readouterr().out
