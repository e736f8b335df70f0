"""Damage to stored results is detected: flipped bits, truncated files, foreign versions, missing keys."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve.errors import ResultError
from dropcurve.files import checksums, writing
from dropcurve.results import folders
from dropcurve.tuning import study

DATA = ("result.json", "runs.json", "series.parquet", "scenario.toml")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result, made once."""
    place = tmp_path_factory.mktemp("original")
    base = dc.Scenario.load("droptail_vs_red").edit([("run.duration", "4 s"), ("run.warmup", "1 s")])
    dc.run(base, replications=2, out=place / "kept")
    return place / "kept"


@pytest.fixture
def kept(original: Path, tmp_path: Path) -> Path:
    """A copy of it to ruin."""
    return Path(shutil.copytree(original, tmp_path / "kept"))


def noticed(kept: Path) -> bool:
    """Whether the result is refused."""
    try:
        dc.Result.load(kept)
    except ResultError:
        return True
    return False


@pytest.mark.parametrize("name", [*DATA, checksums.NAME])
def test_no_flipped_bit_and_no_cut_goes_unnoticed(kept: Path, name: str) -> None:
    path, rng = kept / name, random.Random(4)
    whole = path.read_bytes()
    for _ in range(25):
        at = rng.randrange(len(whole))
        flipped = bytearray(whole)
        flipped[at] ^= 1 << rng.randrange(8)
        for ruined in (bytes(flipped), whole[:at]):
            path.write_bytes(ruined)
            if name == checksums.NAME and not noticed(kept):
                # A line that is gone, or names another file, leaves files without a checksum, and they are whole.
                assert len(set(checksums.covered(kept)) & set(DATA)) < len(DATA)
            else:
                with pytest.raises(ResultError):
                    dc.Result.load(kept)
    path.write_bytes(whole)
    assert dc.Result.load(kept).summary


def test_a_file_that_is_gone_is_named(kept: Path, dropcurve: Callable[..., Any]) -> None:
    for name in DATA:
        content = (kept / name).read_bytes()
        (kept / name).unlink()
        answer = dropcurve("check", str(kept))
        assert (answer.code, len(answer.errors)) == (1, 1)
        assert f"{name}: is missing; run the command again" in answer.err
        (kept / name).write_bytes(content)
    assert dropcurve("check", str(kept)).code == 0


def test_check_counts_and_names_the_files(kept: Path, dropcurve: Callable[..., Any]) -> None:
    answer = dropcurve("check", str(kept))
    assert (answer.code, answer.out) == (0, f"{kept}: 4 files checked, none is damaged\n")
    (kept / "scenario.toml").write_text("a = 1\n", encoding="utf-8")
    answer = dropcurve("check", str(kept), "--json")
    assert answer.code == 1
    damaged = json.loads(answer.out)["damaged"]
    assert [name for name, _ in damaged] == [str(kept / "scenario.toml")]
    assert dropcurve("check", str(kept.parent)).code == 2


def test_the_checksums_are_those_of_sha256sum(kept: Path) -> None:
    if shutil.which("sha256sum") is None:
        pytest.skip("no sha256sum here")
    done = subprocess.run(
        ["sha256sum", "-c", checksums.NAME], cwd=kept, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and done.stdout.count(": OK") == 4


def test_folders_without_checksums_are_still_read(kept: Path) -> None:
    (kept / checksums.NAME).unlink()
    assert dc.Result.load(kept).summary


@pytest.mark.parametrize("key", ["links", "flows", "seed", "stopped_by", "groups", "simulated_s"])
@pytest.mark.parametrize("value", [None, "text", [1], {"a": 1}, "absent"])
def test_runs_without_a_key_or_with_other_types_are_refused(kept: Path, key: str, value: Any) -> None:
    (kept / checksums.NAME).unlink()
    stored = json.loads((kept / "runs.json").read_text(encoding="utf-8"))
    summary = stored["runs"][0]["summary"]
    if value == "absent":
        del summary[key]
    else:
        summary[key] = value
    if key == "stopped_by" and value == "text":
        return
    (kept / "runs.json").write_text(json.dumps(stored), encoding="utf-8")
    with pytest.raises(ResultError, match=r"is damaged: .*run the command again"):
        dc.Result.load(kept)


def test_any_key_of_a_link_or_flow_may_be_missing_without_a_traceback(
    kept: Path, dropcurve: Callable[..., Any]
) -> None:
    (kept / checksums.NAME).unlink()
    text = (kept / "runs.json").read_text(encoding="utf-8")
    first = json.loads(text)["runs"][0]["summary"]
    places = [("links", "bottleneck", key) for key in first["links"]["bottleneck"]]
    places += [("flows", 0, key) for key in first["flows"][0]]
    for part, which, key in random.Random(4).sample(places, 20):
        stored = json.loads(text)
        for run in stored["runs"]:
            del run["summary"][part][which][key]
        (kept / "runs.json").write_text(json.dumps(stored), encoding="utf-8")
        answer = dropcurve("show", str(kept))
        assert answer.code in (0, 2) and len(answer.errors) <= 1, (part, key, answer.err)


@pytest.mark.parametrize("key", ["sent", "delivered", "dropped", "in_flight", "queued"])
def test_an_incomplete_count_of_packets_is_damage(
    kept: Path, dropcurve: Callable[..., Any], key: str
) -> None:
    (kept / checksums.NAME).unlink()
    whole = (kept / "runs.json").read_text(encoding="utf-8")
    for below in (False, True):
        stored = json.loads(whole)
        flow = stored["runs"][1]["summary"]["conservation"][1]
        del (flow[key] if below else flow)["pkts" if below else key]
        (kept / "runs.json").write_text(json.dumps(stored), encoding="utf-8")
        for verb in ("show", "report"):
            answer = dropcurve(verb, str(kept))
            assert (answer.code, len(answer.errors)) == (2, 1), answer.err
            assert "is damaged: runs[1].summary.conservation[1]." in answer.err


def test_a_full_disk_names_the_path_and_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept.txt"
    writing.write_text(path, "before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for call in ("os.fsync", "pathlib.Path.write_bytes", "pathlib.Path.replace"):
        with monkeypatch.context() as patched:
            patched.setattr(call, full)
            with pytest.raises(OSError, match="No space left") as failed:
                writing.write_text(path, "after")
        assert failed.value.filename == str(path)
        assert path.read_text(encoding="utf-8") == "before"
        assert list(tmp_path.iterdir()) == [path]


def test_each_write_of_a_result_may_fail(
    original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever write fails, the folder is refused or holds the old or the new result, never a mixture."""
    result = dc.Result.load(original)
    sync = os.fsync
    for failing in range(len(DATA) + 1):
        folder = Path(shutil.copytree(original, tmp_path / str(failing)))
        count = 0

        def some(file: int, *, last: int = failing) -> None:
            nonlocal count
            count += 1
            if count > last:
                raise OSError(28, "No space left on device")
            sync(file)

        with monkeypatch.context() as patched:
            patched.setattr("os.fsync", some)
            with pytest.raises(ResultError, match=r"cannot be written: No space left on device"):
                folders.save(result, folder)
        assert not [path for path in folder.iterdir() if path.suffix == ".part"]
        assert str(dc.Result.load(folder)) == str(result)


def test_a_damaged_sweep_is_noticed(folder: Path, dropcurve: Callable[..., Any]) -> None:
    dc.sweep("short.toml", {"queue.max_p": [0.02, 0.1]}, replications=1, out="kept")
    assert dropcurve("check", "kept").code == 0
    part = next((folder / "kept" / "runs").glob("part-*.parquet"))
    for path in (part, folder / "kept" / "points.parquet", folder / "kept" / "sweep.json"):
        whole = path.read_bytes()
        flipped = bytearray(whole)
        flipped[40] ^= 4
        for ruined in (bytes(flipped), whole[:-9]):
            path.write_bytes(ruined)
            answer = dropcurve("check", "kept")
            assert answer.code == 1 and path.name in answer.err, path
        path.write_bytes(whole)
    assert dropcurve("check", "kept").code == 0


def test_figures_pages_answers_and_studies_are_checked_as_well(
    folder: Path, dropcurve: Callable[..., Any]
) -> None:
    assert (
        dropcurve("run", "short.toml", "--replications", "2", "--out", "kept", "--quiet", "--no-report").code
        == 0
    )
    assert dropcurve("plot", "kept", "queue").code == 0
    assert dropcurve("report", "kept").code == 0
    tune = [
        "tune",
        "short.toml",
        "--goal",
        "max utilisation",
        "--queue",
        "droptail",
        "--runs",
        "60",
        "--quiet",
    ]
    assert dropcurve(*tune, "--out", "answer").code in (0, 1)
    for name, files in (
        ("kept", {"figures/queue.svg", "report.html", "result.json"}),
        ("answer", {"tune.json", "report.html", "studies/droptail.journal"}),
    ):
        assert files <= set(checksums.covered(folder / name))
        assert dropcurve("check", name).code == 0
        for one in sorted(files):
            path = folder / name / one
            whole = path.read_bytes()
            path.write_bytes(whole[:-3] + b"\n\n\n")
            answer = dropcurve("check", name)
            assert answer.code == 1 and one.split("/")[-1] in answer.err, one
            path.write_bytes(whole)
    # Drawn again, a figure is as it was written.
    (folder / "kept" / "figures" / "queue.svg").write_text("damaged", encoding="utf-8")
    assert dropcurve("check", "kept").code == 1
    assert dropcurve("plot", "kept", "queue").code == 0
    assert dropcurve("check", "kept").code == 0


def test_an_interrupted_repeat_of_tune_damages_nothing(
    folder: Path, dropcurve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    tune = ["tune", "short.toml", "--goal", "max utilisation", "--queue", "droptail", "--runs", "60"]
    tune += ["--quiet", "--out", "answer"]
    assert dropcurve(*tune, "--queue", "red").code in (0, 1)
    studies = folder / "answer" / "studies"
    before = {path.name: path.read_bytes() for path in studies.iterdir()}
    assert sorted(before) == ["droptail.journal", "red.journal"]
    append, count = study.Journal.append_logs, [0]

    def interrupted(journal: study.Journal, logs: list[dict[str, Any]]) -> None:
        append(journal, logs)
        count[0] += 1
        if count[0] == 10:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(study.Journal, "append_logs", interrupted)
        assert dropcurve(*tune, "--queue", "red", "--seed", "2").code == 130
    assert dropcurve("check", "answer").code == 0
    assert {path.name: path.read_bytes() for path in studies.iterdir() if path.is_file()} == before
    # Complete, a repeat with fewer disciplines replaces them all.
    assert dropcurve(*tune, "--seed", "2").code in (0, 1)
    assert dropcurve("check", "answer").code == 0
    assert [path.name for path in studies.iterdir()] == ["droptail.journal"]
    assert (studies / "droptail.journal").read_bytes() != before["droptail.journal"]


def test_a_figure_elsewhere_changes_no_checksums(folder: Path, dropcurve: Callable[..., Any]) -> None:
    assert (
        dropcurve("run", "short.toml", "--replications", "2", "--out", "kept", "--quiet", "--no-report").code
        == 0
    )
    before = (folder / "kept" / checksums.NAME).read_text(encoding="utf-8")
    assert dropcurve("plot", "kept", "queue", "--write", "elsewhere.svg").code == 0
    assert (folder / "kept" / checksums.NAME).read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("links", "bottleneck", "sojourn_ms_histogram", "upper_ms", 3), "²"),
        (("links", "bottleneck", "sojourn_ms_histogram", "count"), [1]),
        (("links", "bottleneck", "drop_curve", "avg"), {}),
        (("links", "bottleneck", "dropped_ms"), None),
        (("links", "bottleneck", "queue_pkts_max"), "1e3"),
        (("flows", 0, "cwnd_mean"), "/dev/zero"),
        (("flows", 0, "objects"), {"fct_ms_all": {"p50": True}}),
        (("groups", "tcp", "delay_ms_histogram"), {"upper_ms": [1.0]}),
        (("conservation", 0, "sent"), []),
        (("derived",), {"transient_s": [1]}),
    ],
)
def test_every_known_key_of_a_run_has_its_type(kept: Path, keys: tuple[Any, ...], value: Any) -> None:
    stored = json.loads((kept / "runs.json").read_text(encoding="utf-8"))
    place = stored["runs"][1]["summary"]
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    (kept / "runs.json").write_text(json.dumps(stored), encoding="utf-8")
    (kept / checksums.NAME).unlink()
    with pytest.raises(ResultError, match=str(keys[0])):
        dc.Result.load(kept)


@pytest.mark.parametrize("change", ["run gone", "other seed", "other variant", "variant twice"])
def test_every_variant_has_a_run_for_each_seed(kept: Path, change: str) -> None:
    (kept / checksums.NAME).unlink()
    name = "result.json" if change == "variant twice" else "runs.json"
    stored = json.loads((kept / name).read_text(encoding="utf-8"))
    if change == "run gone":
        del stored["runs"][1]
    elif change == "other seed":
        stored["runs"][1]["summary"]["seed"] = 7
    elif change == "other variant":
        stored["runs"][1]["variant"] = "another"
    else:
        stored["variants"] *= 2
    (kept / name).write_text(json.dumps(stored), encoding="utf-8")
    with pytest.raises(ResultError, match="must have one run for each seed"):
        dc.Result.load(kept)


@pytest.mark.parametrize("half", [b"\\ud800", b"\\uDFFF", b"\xed\xa0\x80"])
def test_half_of_a_surrogate_pair_is_damage(
    kept: Path, half: bytes, folder: Path, dropcurve: Callable[..., Any]
) -> None:
    (kept / checksums.NAME).unlink()
    for name in ("result.json", "runs.json"):
        whole = (kept / name).read_bytes()
        (kept / name).write_bytes(
            whole.replace(b'"droptail', b'"' + half, 1).replace(b'"tcp"', b'"' + half + b'"', 1)
        )
        assert (kept / name).read_bytes() != whole
        answer = dropcurve("show", str(kept))
        assert answer.code == 2 and f"{name}: is damaged" in answer.err, answer
        (kept / name).write_bytes(whole)
    # Both halves together are a character.
    whole = (kept / "result.json").read_bytes()
    (kept / "result.json").write_bytes(whole.replace(b'"title": "', b'"title": "\\ud83d\\ude00', 1))
    assert "\N{GRINNING FACE}" in dc.Result.load(kept).title


def test_damaged_checksums_are_not_shown(kept: Path, tmp_path: Path, dropcurve: Callable[..., Any]) -> None:
    (tmp_path / "private").write_text("a private line\n", encoding="utf-8")
    (kept / checksums.NAME).unlink()
    (kept / checksums.NAME).symlink_to(tmp_path / "private")
    for verb in ("check", "show"):
        answer = dropcurve(verb, str(kept))
        assert answer.code == 2 and "SHA256SUMS:1: is damaged" in answer.err
        assert "a private line" not in answer.out + answer.err


def test_the_error_of_a_library_with_several_lines_is_one_line(kept: Path) -> None:
    error = ResultError(kept, "", "cannot be read: invalid data\n\tat 7\n", "run it again", shown="path")
    assert str(error) == f"{kept}: cannot be read: invalid data at 7; run it again"


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "9" * 400 + ".0"])
def test_a_number_that_is_none_is_damage(kept: Path, number: str) -> None:
    text = (kept / "runs.json").read_text(encoding="utf-8")
    changed = text.replace('"simulated_s": 4.0', f'"simulated_s": {number}', 1)
    assert changed != text
    (kept / "runs.json").write_text(changed, encoding="utf-8")
    (kept / "SHA256SUMS").unlink()
    with pytest.raises(ResultError, match=r"runs\.json: is damaged"):
        dc.Result.load(kept)
