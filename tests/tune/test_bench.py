"""The bench stores the runs of one answer in few files, however few runs a batch has."""

from __future__ import annotations

from pathlib import Path

import pytest

from dropcurve.runs.executor import Executor
from dropcurve.runs.job import build
from dropcurve.runs.store import RunStore
from dropcurve.runs.sweeping.execute import opened
from dropcurve.runs.sweeping.run_table import RunTable
from dropcurve.tuning import of_link
from dropcurve.tuning.bench import Bench, block
from dropcurve.tuning.candidates import Candidate


def bench_in(folder: Path, *, cache: str | Path = "off") -> Bench:
    """A bench for one flow over 1 Mbit/s."""
    question = of_link(rate="1Mbit", rtt="20ms", flows="1", buffer="20pkts", goal="max utilisation")
    bench = Bench(question, RunTable(folder / "runs", build(), cache=cache), Executor(1))
    bench.open()
    return bench


def tail_drop(limit: int) -> Candidate:
    """A short queue."""
    return Candidate("tail drop", "droptail", {"limit": f"{limit} pkts"})


def test_batches_of_one_answer_share_a_file(tmp_path: Path) -> None:
    bench = bench_in(tmp_path)
    (trial,) = block(bench.question.conditions(), 1)
    table, designs = bench.store, [tail_drop(limit) for limit in (5, 10, 20)]
    with opened(table) as bench.held:
        assert bench.run([(designs[0], trial)]) and bench.run([(designs[1], trial)])
        assert bench.for_question(bench.question).run([(designs[2], trial)])
        # Until then each row is in the journal, which outlives the process.
        (journal,) = table.folder.glob("journal-*.jsonl")
        assert not table.parts() and len(journal.read_text().splitlines()) == 3
    assert len(table.parts()) == 1 and len(list(table.rows())) == 3
    assert all(bench.has(one, trial) for one in designs[:2])


def test_without_an_open_table_each_batch_has_a_file(tmp_path: Path) -> None:
    bench = bench_in(tmp_path)
    (trial,) = block(bench.question.conditions(), 1)
    for limit in (5, 10):
        bench.run([(tail_drop(limit), trial)])
    assert len(bench.store.parts()) == 2


def test_batches_of_one_answer_open_the_store_of_runs_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = bench_in(tmp_path, cache=tmp_path / "cache")
    (trial,) = block(bench.question.conditions(), 1)
    opens, enter = [], RunStore.__enter__
    monkeypatch.setattr(RunStore, "__enter__", lambda store: (opens.append(store), enter(store))[1])
    with opened(bench.store) as bench.held:
        for limit in (5, 10, 20):
            assert bench.run([(tail_drop(limit), trial)])
            # Another command can read what this one has made so far.
            with RunStore(tmp_path / "cache") as other:
                assert other.count() == len(opens) - 1
    assert len(opens) == 4
