"""Fuzzing of input from strangers: scenarios, configurations of routers, result folders, traces, captures, JSON.

    .venv/bin/python tools/fuzz.py --seconds 60 [--target NAME] [--seed N] [--keep]
    .venv/bin/python tools/fuzz.py --target NAME FILE...

Inputs are read or refused; any other outcome, and any input that takes longer than 20 s, is a fault: it is written to
``out/fuzz`` with its traceback, and the second form repeats it. An input that is refused in words not met before, or is
read for the first time, becomes one to mutate further; ``--keep`` adds the small ones of these to the corpus,
``tests/fuzz/TARGET``. Frames are fuzzed by ``crates/forward/tests/frames/fuzzed.rs``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import re
import shutil
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import dropcurve as dc
import dropcurve._core as _core
from dropcurve import boxes
from dropcurve.errors import DropcurveError, ScenarioError
from dropcurve.results import rows
from dropcurve.scenario import recordings

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "tests" / "fuzz"
FOUND = ROOT / "out" / "fuzz"
#: Seconds that an input may take.
LONGEST_S = 20
#: Longest text of a problem: a message shows parts of the input, never all of it.
LONGEST_TEXT = 1500
#: Longest input that is added to the corpus, in bytes.
SMALL = 1500
#: Most files of a target's corpus.
MOST_KEPT = 24

TOKENS = (
    b"-1", b"0", b"nan", b"NaN", b"1e999", b"-0.0", b"99999999999999999999", b'""', b"null", b"true", b"[", b"]", b"{",
    b"}", b'"', b"'", b"\\", b"\n", b"\r", b"\0", b"\x1b[31m", b"\xff", "²".encode(), "\u202e".encode(), b"../..",
    b"file:/dev/zero", b"1979-05-27", b"5 pkts", b"3 ms", b"inf", b";", b"$(id)", b"9" * 5000,
)  # fmt: skip


class TooSlow(Exception):
    """An input takes longer than `LONGEST_S`."""


def scenario(data: bytes, _: Path) -> None:
    """The text of a scenario."""
    parsed = dc.Scenario.parse(data.decode("utf-8", "replace"))
    dc.Scenario.parse(parsed.to_toml())


def box(data: bytes, _: Path) -> None:
    """The configuration of a router, of any box."""
    for one in boxes.read_all(
        data.decode("utf-8", "replace"), rate_bps=1e8, buffer_bytes=100_000, packet_bytes=1500
    ):
        repr(one)


def result(data: bytes, place: Path) -> None:
    """A file of a result folder, its name in the first line."""
    name, _, content = data.partition(b"\n")
    folder = place / "result"
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(_kept(place), folder)
    # Without checksums, which would refuse every change at once.
    (folder / "SHA256SUMS").unlink()
    (
        folder / {b"runs.json": "runs.json", b"result.json": "result.json"}.get(name, "series.parquet")
    ).write_bytes(content)
    str(dc.Result.load(folder))


def trace(data: bytes, place: Path) -> None:
    """A trace of delivery opportunities."""
    (place / "trace").write_bytes(data)
    recordings.mahimahi(place / "trace")


def capture(data: bytes, place: Path) -> None:
    """A capture of packets, pcap or pcapng."""
    (place / "capture").write_bytes(data)
    recordings.packets(place / "capture")


def long_json(data: bytes, _: Path) -> None:
    """JSON with long lists of objects, compared with the result of the usual parser."""
    document = b'{"flows": [' + b",".join([data] * 1001) + b"]}"
    try:
        plain = json.loads(document, parse_constant=_refuse, parse_int=_whole, parse_float=_finite)
    except (ValueError, RecursionError):
        plain = None
    try:
        parsed = _core.read_json(document)
    except ValueError:
        parsed = None
    assert (parsed is None) == (plain is None), "the parsers differ in what is JSON"
    if plain is None:
        raise DropcurveError("json", "", "is not JSON", "write it again")
    assert parsed == plain, "the parsers differ in a value"
    json.loads(rows.dump(parsed))


def _whole(digits: str) -> float:
    """A whole number, or a float for one beyond 64 bits."""
    number = int(digits)
    return number if -(2**63) <= number < 2**64 else _finite(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


def _refuse(name: str) -> None:
    raise ValueError(name)


@cache
def _kept(place: Path) -> Path:
    """A result, made once."""
    base = dc.Scenario.load("droptail_vs_red").edit([("run.duration", "2 s"), ("run.warmup", "1 s")])
    dc.run(base, replications=1, out=place / "kept", cache="off")
    return place / "kept"


def seeds_of_scenarios(_: Path) -> Iterator[bytes]:
    """The scenarios that ship with dropcurve."""
    for path in sorted((ROOT / "scenarios").rglob("*.toml")):
        yield path.read_bytes()


def seeds_of_boxes(_: Path) -> Iterator[bytes]:
    """The exports for every box."""
    for name in boxes.BOXES:
        for kind in boxes.kinds(name):
            try:
                yield boxes.export(kind, {}, box=name, rate_bps=1e8).text.encode()
            except DropcurveError:
                continue


def seeds_of_results(place: Path) -> Iterator[bytes]:
    """The files of a result."""
    for name in ("runs.json", "result.json", "series.parquet"):
        yield name.encode() + b"\n" + (_kept(place) / name).read_bytes()


def seeds_of_traces(_: Path) -> Iterator[bytes]:
    """A short trace."""
    yield b"0\n3\n3\n17\n40\n"


def seeds_of_captures(_: Path) -> Iterator[bytes]:
    """A packet, in both formats."""
    frame = b"\xaa" * 12 + b"\x08\x00" + struct.pack(">BBH", 0x45, 0, 60) + b"\0" * 16
    record = struct.pack("<IIII", 1, 5, len(frame), len(frame)) + frame
    yield struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 96, 1) + record * 3

    def block(kind: int, body: bytes) -> bytes:
        body += b"\0" * (-len(body) % 4)
        size = struct.pack("<I", len(body) + 12)
        return struct.pack("<I", kind) + size + body + size

    packet = struct.pack("<IIIII", 0, 0, 7, len(frame), len(frame)) + frame
    head = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) + block(
        1, struct.pack("<HHI", 1, 0, 96)
    )
    yield head + block(6, packet) * 2


def seeds_of_json(_: Path) -> Iterator[bytes]:
    """Objects with values of all types."""
    yield b'{"id": 0, "delay": {"mean": 1.5e-7, "count": null}, "name": "a\\u2028b", "list": [1, -2, true]}'
    yield b'{"a": 18446744073709551615, "b": -0.0, "c": 0.1, "d": ""}'


@dataclass(frozen=True)
class Target:
    """A function that takes an input, and the inputs to begin with."""

    name: str
    take: Callable[[bytes, Path], None]
    seeds: Callable[[Path], Iterator[bytes]]


TARGETS = {
    one.name: one
    for one in (
        Target("scenario", scenario, seeds_of_scenarios),
        Target("box", box, seeds_of_boxes),
        Target("result", result, seeds_of_results),
        Target("trace", trace, seeds_of_traces),
        Target("capture", capture, seeds_of_captures),
        Target("json", long_json, seeds_of_json),
    )
}


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Raises `TooSlow` in the block after so long."""

    def slow(*_: object) -> None:
        raise TooSlow(f"it takes longer than {seconds} s")

    before = signal.signal(signal.SIGALRM, slow)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def attempt(target: Target, data: bytes, place: Path) -> str:
    """ "" if an input is read, else the message of its refusal without the parts specific to it.

    Raises:
        Exception: Anything but a refusal in words, which is a fault.
    """
    try:
        with bounded(LONGEST_S):
            target.take(data, place)
    except ScenarioError as error:
        assert all(one.rule and one.remedy for one in error.problems), f"no rule or remedy: {error}"
        assert all(len(str(one)) < LONGEST_TEXT for one in error.problems), "a message without end"
        return _shape("; ".join(f"{one.rule}; {one.remedy}" for one in error.problems[:2]))
    except DropcurveError as error:
        assert error.problems, f"a refusal without a problem: {error}"
        assert all(one.rule and one.remedy for one in error.problems), f"no rule or remedy: {error}"
        assert all(len(str(one)) < LONGEST_TEXT for one in error.problems), "a message without end"
        return _shape(str(error))
    return ""


def _shape(text: str) -> str:
    """A message without numbers, quoted text and paths."""
    return re.sub(r"\S*/\S*|'[^']*'|\"[^\"]*\"|`[^`]*`|\d+", "", text)[:200]


def mutated(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """An input with one to four parts replaced, left out, doubled, or taken from another input."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice((0, 1, 1, 2, 4, 8, 30)))
        kind = rng.random()
        if kind < 0.2 and data:
            words = list(re.finditer(rb"[\w.%]+", data[at : at + 4000]))
            if words:
                word = rng.choice(words)
                at, end = at + word.start(), at + word.end()
        if kind < 0.45:
            new = rng.choice(TOKENS)
        elif kind < 0.6:
            new = bytes(rng.randrange(256) for _ in range(end - at))
        elif kind < 0.7:
            new = data[at:end] * rng.choice((2, 3, 50))
        elif kind < 0.85:
            other = rng.choice(others)
            start = rng.randrange(len(other) + 1)
            new = other[start : start + rng.choice((1, 8, 60, 400))]
        elif kind < 0.9:
            new, end = b"", len(data)
        else:
            new = b""
        data = data[:at] + new + data[end:]
    return data


@dataclass
class Outcome:
    """Inputs tried, different words of refusal met, and the faults found."""

    tried: int = 0
    met: set[str] = field(default_factory=set)
    faults: list[Path] = field(default_factory=list)


def corpus(name: str) -> list[bytes]:
    """The kept inputs of a target."""
    return [path.read_bytes() for path in sorted((CORPUS / name).glob("*.bin"))]


def fuzz(target: Target, *, seconds: float, seed: int, keep: bool = False) -> Outcome:
    """Tries the corpus and the seeds, then mutations of them until the time is over."""
    outcome, rng = Outcome(), random.Random(seed)
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        inputs = [*target.seeds(place), *corpus(target.name)]
        fresh, end = list(inputs), time.monotonic() + seconds
        while fresh or time.monotonic() < end:
            data = fresh.pop() if fresh else mutated(rng.choice(inputs), inputs, rng)
            outcome.tried += 1
            try:
                words = attempt(target, data, place)
            except Exception:  # noqa: BLE001 (whatever it is, it is a fault)
                outcome.faults.append(_report(target, data))
                continue
            if words not in outcome.met:
                outcome.met.add(words)
                inputs.append(data)
                if keep and len(data) <= SMALL and len(corpus(target.name)) < MOST_KEPT:
                    (CORPUS / target.name).mkdir(parents=True, exist_ok=True)
                    (CORPUS / target.name / f"{_name(data)}.bin").write_bytes(data)
    return outcome


def _name(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def _report(target: Target, data: bytes) -> Path:
    """Writes an input with a fault, and its outcome."""
    FOUND.mkdir(parents=True, exist_ok=True)
    path = FOUND / f"{target.name}-{_name(data)}.bin"
    path.write_bytes(data)
    path.with_suffix(".txt").write_text(traceback.format_exc(), encoding="utf-8")
    return path


def main() -> int:
    """Fuzzes, or repeats the inputs of files. Returns 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--target", choices=TARGETS)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    if options.files:
        with tempfile.TemporaryDirectory() as place:
            for path in options.files:
                words = attempt(TARGETS[options.target or "scenario"], path.read_bytes(), Path(place))
                print(f"{path}: {words or 'read'}")
        return 0
    faults = 0
    for target in [TARGETS[options.target]] if options.target else TARGETS.values():
        outcome = fuzz(target, seconds=options.seconds, seed=options.seed, keep=options.keep)
        faults += len(outcome.faults)
        print(
            f"{target.name}: {outcome.tried} inputs, {len(outcome.met)} different answers, {len(outcome.faults)} faults"
        )
        for path in outcome.faults[:5]:
            print(
                f"  {path.relative_to(ROOT)}: {path.with_suffix('.txt').read_text().splitlines()[-1][:200]}"
            )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
