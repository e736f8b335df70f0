"""Each write of a command may fail, or be cut where the disk is full: every file is then the old or the whole new one,
no draft is left, and the same command afterwards completes the work."""

from __future__ import annotations

import json
import os
import random
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from dropcurve.files import writing
from dropcurve.live import lab
from tests.conftest import Answer
from tests.safety.test_store_faults import disk

#: Steps of a command that fail in the thorough form, at most.
MOST = int(os.environ.get("DROPCURVE_STEPS", "30"))
TC = "tc qdisc add dev eth0 root red limit 60000 min 5000 max 20000 avpkt 1000 burst 20\n"
#: Commands that write, each into ``out`` of the working folder.
COMMANDS = {
    "run": "run short.toml --replications 2 --out out/run",
    "run numbers": "run short.toml --replications 1 --out out/run --no-report",
    "run again": "run short.toml --replications 3 --out kept",
    "compare": "compare short.toml --queue red --queue codel --replications 2 --out out/compare",
    "sweep": "sweep short.toml --vary queue.max_p=0.1,0.2 --replications 1 --jobs 1 --out out/sweep",
    "trace": "trace short.toml --write out/trace.csv",
    "trace parquet": "trace short.toml --write out/trace.parquet",
    "trace pcap": "trace short.toml --write out/trace.pcapng",
    "assert": 'assert short.toml "loss < 90%" --replications 5 --junit out/junit.xml',
    "export": "export red:max_p=0.1 --for linux --rate 10Mbit --write out/red.sh",
    "import": "import red.tc --rate 10Mbit --write out/red.toml",
    "man": "man --out out",
    "new": "new discipline mine --python --out out",
    "report": "report kept",
    "plot": "plot kept",
}
#: Those that draw figures at each step, which takes most of a minute: only in the thorough form.
DRAWS = {"run", "run again", "compare", "plot", "report"}


def steps_of(words: str, dropcurve: Callable[..., Answer]) -> int:
    """Number of steps of a command on a disk with room."""
    with disk(10**9) as count:
        answer = dropcurve(*_split(words))
    assert answer.code == 0, (words, answer)
    return count[0]


def _split(words: str) -> list[str]:
    return shlex.split(words)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, except for locks and stores of finished runs that the next command resumes from."""
    paths = [
        path
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".lock" and "unfinished" not in path.parts
    ]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(paths)}


def faults(
    words: str, folder: Path, dropcurve: Callable[..., Answer], chosen: Callable[[int], list[int]]
) -> None:
    """Fails the chosen steps of a command, each time from the same state of the disk."""
    before = folder / "before"
    work = folder / "work"

    def begin() -> dict[str, bytes]:
        if work.exists():
            shutil.rmtree(work)
        shutil.copytree(before, work)
        os.chdir(work)
        return contents(work)

    begin()
    steps = steps_of(words, dropcurve)
    whole = contents(work)
    assert steps > 0
    for last in chosen(steps):
        old = begin()
        with disk(last):
            answer = dropcurve(*_split(words))
        if answer.code != 0:
            assert answer.code == 2, (words, last, answer)
            assert "No space left on device" in answer.errors[-1] and "Traceback" not in answer.err
        for name, content in contents(work).items():
            assert not name.endswith((".part", ".tmp")), (words, last, name)
            if name.endswith(".parquet") or "/runs/" in name:
                continue  # Its own tests compare rows: test_store_faults.
            sound = content in (old.get(name), whole.get(name)) or _same_record(name, content)
            assert sound, (words, last, name, content[:200])
        again = dropcurve(*_split(words))
        assert again.code == 0, (words, last, again)
        assert _names(contents(work)) == _names(whole), (words, last)


def _names(contents_by_name: dict[str, bytes]) -> set[str]:
    """The files; those of a store of runs have random names, and are compared by their rows elsewhere."""
    return {"runs/*.parquet" if "/runs/part-" in name else name for name in contents_by_name}


def _same_record(name: str, content: bytes) -> bool:
    """Whether a file is whole although its content differs from run to run: JSON, checksums, pages."""
    if name.endswith(".json"):
        json.loads(content)
        return True
    return name.endswith("SHA256SUMS") and content.endswith(b"\n")


@pytest.fixture
def prepared(folder: Path, dropcurve: Callable[..., Answer]) -> Path:
    """A folder with a scenario, a configuration and a result."""
    before = folder / "before"
    before.mkdir()
    (folder / "short.toml").rename(before / "short.toml")
    (before / "red.tc").write_text(TC)
    (before / "out").mkdir()
    os.chdir(before)
    answer = dropcurve("run", "short.toml", "--replications", "2", "--out", "kept", "--no-report")
    assert answer.code == 0, answer
    return folder


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - DRAWS))
def test_some_steps_of_a_command_may_fail(
    name: str, prepared: Path, dropcurve: Callable[..., Answer]
) -> None:
    faults(
        COMMANDS[name],
        prepared,
        dropcurve,
        lambda steps: random.Random(26).sample(range(steps), min(2, steps)),
    )


def spread(steps: int) -> list[int]:
    """Steps at equal distances, the first and the last among them: all of them where they are few."""
    some = min(steps, MOST)
    return sorted({round(n * (steps - 1) / max(1, some - 1)) for n in range(some)})


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_each_step_of_a_command_may_fail(name: str, prepared: Path, dropcurve: Callable[..., Answer]) -> None:
    faults(COMMANDS[name], prepared, dropcurve, spread)


def test_the_files_of_a_lab_are_all_copied_or_none(tmp_path: Path) -> None:
    source, out = tmp_path / "made", tmp_path / "out"
    source.mkdir()
    for name in ("capture.pcapng", "raw.json", "record"):
        (source / name).write_bytes(name.encode() * 1000)
    new = contents(source)
    with disk(10**9) as count:
        assert lab._keep(source, out) == out
    assert contents(out) == new
    assert count[0] == 12  # Each file is written and synced; then each is synced again and renamed.
    old = dict.fromkeys(new, b"old")
    for last in range(count[0]):
        for name, content in old.items():
            (out / name).write_bytes(content)
        with disk(last), pytest.raises(OSError, match="No space left on device") as caught:
            writing.copy_files(sorted(source.iterdir()), out)
        assert Path(str(caught.value.filename)).parent == out
        copied = contents(out)
        assert sorted(copied) == sorted(new)
        assert all(content in (old[name], new[name]) for name, content in copied.items())
        if last < 6:
            assert copied == old  # No file is replaced before all are copied.
