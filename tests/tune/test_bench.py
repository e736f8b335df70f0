"""The bench stores the runs of one answer in few files, however few runs a batch has."""

from __future__ import annotations

from pathlib import Path

from dropcurve.runs.executor import Executor
from dropcurve.runs.job import build
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
    with table.writer() as bench.writer:
        assert bench.run([(designs[0], trial)]) and bench.run([(designs[1], trial)])
        assert bench.for_question(question).run([(designs[2], trial)])
        # Until then each row is in the journal, which outlives the process.
        (journal,) = table.folder.glob("journal-*.jsonl")
        assert not table.parts() and len(journal.read_text().splitlines()) == 3
    assert len(table.parts()) == 1 and len(list(table.rows())) == 3
    assert all(bench.has(one, trial) for one in designs[:2])


def test_without_a_writer_each_batch_has_a_file(tmp_path: Path) -> None:
    question = of_link(rate="1Mbit", rtt="20ms", flows="1", buffer="20pkts", goal="max utilisation")
    table = RunTable(tmp_path / "runs", build(), cache="off")
    bench = Bench(question, table, Executor(1))
    bench.open()
    (trial,) = block(question.conditions(), 1)
    for limit in (5, 10):
        bench.run([(Candidate("tail drop", "droptail", {"limit": f"{limit} pkts"}), trial)])
    assert len(table.parts()) == 2
