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


def test_batches_of_one_answer_share_a_file(tmp_path: Path) -> None:
    question = of_link(rate="1Mbit", rtt="20ms", flows="1", buffer="20pkts", goal="max utilisation")
    table = RunTable(tmp_path / "runs", build(), cache="off")
    bench = Bench(question, table, Executor(1))
    bench.open()
    (trial,) = block(question.conditions(), 1)
    designs = [Candidate("tail drop", "droptail", {"limit": f"{limit} pkts"}) for limit in (5, 10, 20)]
    with opened(table) as bench.held:
        assert bench.run([(designs[0], trial)]) and bench.run([(designs[1], trial)])
        assert bench.for_question(question).run([(designs[2], trial)])
        # Until then each row is in the journal, which outlives the process.
        (journal,) = table.folder.glob("journal-*.jsonl")
        assert not table.parts() and len(journal.read_text().splitlines()) == 3
    assert len(table.parts()) == 1 and len(list(table.rows())) == 3
    assert all(bench.has(one, trial) for one in designs[:2])


def test_without_an_open_table_each_batch_has_a_file(tmp_path: Path) -> None:
    question = of_link(rate="1Mbit", rtt="20ms", flows="1", buffer="20pkts", goal="max utilisation")
    table = RunTable(tmp_path / "runs", build(), cache="off")
    bench = Bench(question, table, Executor(1))
    bench.open()
    (trial,) = block(question.conditions(), 1)
    for limit in (5, 10):
        bench.run([(Candidate("tail drop", "droptail", {"limit": f"{limit} pkts"}), trial)])
    assert len(table.parts()) == 2


def test_batches_of_one_answer_open_the_store_of_runs_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = of_link(rate="1Mbit", rtt="20ms", flows="1", buffer="20pkts", goal="max utilisation")
    table = RunTable(tmp_path / "runs", build(), cache=tmp_path / "cache")
    bench = Bench(question, table, Executor(1))
    bench.open()
    (trial,) = block(question.conditions(), 1)
    opens, enter = [], RunStore.__enter__
    monkeypatch.setattr(RunStore, "__enter__", lambda store: (opens.append(store), enter(store))[1])
    with opened(table) as bench.held:
        for limit in (5, 10, 20):
            assert bench.run([(Candidate("tail drop", "droptail", {"limit": f"{limit} pkts"}), trial)])
            # Another command can read what this one has made so far.
            with RunStore(tmp_path / "cache") as other:
                assert other.count() == len(opens) - 1
    assert len(opens) == 4
