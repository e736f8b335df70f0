"""One option, one meaning: the options of all verbs, walked and compared by name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dropcurve.cli import invoke, verbs
from dropcurve.runs import engine

#: Verbs without an engine although they have seeds or runs: `live run` queues real packets.
NO_ENGINE = {"live run"}


def commands() -> Iterator[tuple[str, Any]]:
    for name in verbs.VERBS:
        command = verbs.command(name)
        if hasattr(command, "commands"):
            yield from ((f"{name} {sub}", one) for sub, one in command.commands.items())
        else:
            yield name, command


def options() -> dict[str, list[tuple[str, Any]]]:
    """Every option that help shows, by its long name, with the verbs that have it."""
    by_name: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    for verb, command in commands():
        for param in command.params:
            if param.param_type_name == "option" and not param.hidden:
                by_name[max(param.opts, key=len)].append((verb, param))
    return by_name


def meaning(text: str) -> str:
    """A help text without the verb's note in parentheses at its end."""
    head, parenthesis, _ = text.rstrip(".").partition(" (")
    return head if parenthesis else text.rstrip(".")


SHARED = {name: uses for name, uses in options().items() if len(uses) > 1}


def test_there_are_shared_options() -> None:
    assert len(SHARED) > 25 and len(SHARED["--out"]) >= 5 and len(SHARED["--queue"]) >= 5


@pytest.mark.parametrize("name", sorted(SHARED))
def test_an_option_means_the_same_in_all_verbs(name: str) -> None:
    uses = SHARED[name]
    assert len({meaning(one.help) for _, one in uses}) == 1, {verb: one.help for verb, one in uses}
    assert len({one.metavar for _, one in uses}) == 1, {verb: one.metavar for verb, one in uses}
    assert len({(one.is_flag, one.nargs) for _, one in uses}) == 1, {verb: one.nargs for verb, one in uses}
    assert len({one.envvar for _, one in uses}) == 1
    assert all(len(one.opts) == len(uses[0][1].opts) for _, one in uses), "a single letter goes with all"


@pytest.mark.parametrize("name", sorted(SHARED))
def test_a_default_is_the_same_or_shown(name: str) -> None:
    """Where verbs differ in a default, the help of each shows its own: in brackets, or after the meaning."""
    uses = SHARED[name]
    if len({str(one.default) for _, one in uses}) == 1:
        return
    for verb, one in uses:
        shown = one.show_default and one.default not in (None, False, "")
        assert shown or "(" in one.help or one.default is None, (verb, name, one.help)


def test_a_folder_is_out_and_a_file_is_write() -> None:
    by_name = options()
    assert {one.metavar for _, one in by_name["--out"]} == {"FOLDER"}
    assert {one.metavar for _, one in by_name["--write"]} == {"FILE"}
    assert all("KIND" in one.metavar for _, one in by_name["--queue"])


def test_every_verb_that_simulates_has_the_engine() -> None:
    by_name = options()
    with_engine = {verb for verb, _ in by_name["--engine"]}
    simulating = {verb for name in ("--seed", "--replications", "--cache") for verb, _ in by_name[name]}
    assert simulating - NO_ENGINE <= with_engine
    (kind,) = {one.default for _, one in by_name["--engine"]}
    assert kind in engine.ENGINES


@pytest.mark.parametrize(
    "words",
    [
        ("fix", "router.cfg", "--rate", "10Mbit", "--out", "better.sh"),
        ("import", "router.cfg", "--rate", "10Mbit", "--out", "mine.toml"),
        ("export", "codel", "--rate", "10Mbit", "--out", "codel.sh"),
        ("report", "kept", "--out", "page.html"),
        ("plot", "kept", "queue", "--out", "queue.pdf"),
    ],
)
def test_a_file_after_out_is_refused_with_the_remedy(
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("router.cfg").write_text("tc qdisc add dev eth0 root codel\n")
    assert invoke(list(words)) == 2
    error = capsys.readouterr().err
    assert f"--out = {words[-1]}: is a folder in every verb" in error and f"--write {words[-1]}" in error
    assert not Path(words[-1]).exists()


def test_a_change_of_the_link_is_no_path(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["live", "lab", "droptail_vs_red", "--at", "10 s rate=5 Mbit/s"]) == 2
    assert '--change "10 s rate=5 Mbit/s"' in capsys.readouterr().err
