"""Each rule of tidy finds its fault, and a clean tree has none.

The method: a small tree that satisfies every rule is made in a temporary folder, one fault is planted,
and tidy must report that rule and no other. Forbidden words are put together here, so that this file
stays clean itself.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import tidy
from tidy_rules import RULES, Fault, Tree, graph, language, rust
from tidy_rules.sizes import tighten

ARCHITECTURE = """\
# Architecture

## Who may depend on whom

| Part | May use | Must not |
|---|---|---|
| `crates/units` | nothing of ours | |
| `crates/queue`, `crates/transport` | `units`; neither knows the other | clock |
| `crates/sim` | the three above | the same |

## The Python package

```
cli                                       commands
runs                                      runs
errors                                    problems
```

## Time
"""
WORKSPACE = """\
[workspace.dependencies]
units = { path = "crates/units" }
queue = { path = "crates/queue" }
transport = { path = "crates/transport" }
sim = { path = "crates/sim" }
libm = "1"
"""
QUEUE = """\
//! Disciplines (FJ93, RFC2309 section 2).
#![forbid(unsafe_code)]

#[cfg(test)]
mod tests {
    fn show() {
        println!("a test may print");
    }
}
"""
DISCIPLINES = """\
disciplines! {
    "droptail" => droptail::DropTail,
}
"""
SIM = """\
#![forbid(unsafe_code)]

pub struct Params;

pub(crate) struct Window;

pub enum Step {}
"""
DECISION = "# 001: Records\n\n## Context\n\n## Decision\n\n## What we gave up\n"
CLEAN = {
    "Cargo.toml": WORKSPACE,
    "README.md": "See [the guide](docs/architecture.md#time) and ![a curve](docs/img/a.svg).\n",
    "docs/architecture.md": ARCHITECTURE,
    "docs/img/a.svg": "<svg/>",
    "docs/references.toml": '[FJ93]\ntitle = "RED"\n\n[RFC2309]\ntitle = "Queues"\n',
    "docs/disciplines/droptail.md": "# Tail drop\n",
    "docs/transports/tcp.md": "# TCP\n\nCongestion control: `reno`.\n",
    "docs/decisions/001-records.md": DECISION,
    "changes/tail-drop.added.md": "Tail drop.\n",
    "crates/units/Cargo.toml": "[dependencies]\nlibm.workspace = true\n",
    "crates/units/src/lib.rs": "#![forbid(unsafe_code)]\n",
    "crates/queue/Cargo.toml": "[dependencies]\nunits.workspace = true\n",
    "crates/queue/src/lib.rs": QUEUE,
    "crates/queue/src/disciplines/mod.rs": DISCIPLINES,
    "crates/queue/benches/disc.rs": "for kind in queue::KINDS {}\n",
    "crates/queue/tests/traces/droptail/full.txt": "0 kept\n",
    "crates/transport/Cargo.toml": "[dependencies]\nunits.workspace = true\n",
    "crates/transport/src/lib.rs": "#![forbid(unsafe_code)]\n\npub struct Params;\n",
    "crates/transport/src/params/algorithm.rs": '  $then! {\n    Reno = "reno", "Halves." => Reno,\n  }\n',
    "crates/sim/src/scenario/traffic.rs": '    pub enum Transport {\n        Tcp = "tcp",\n    }\n',
    "crates/sim/Cargo.toml": "[dependencies]\nunits.workspace = true\nqueue.workspace = true\n",
    "crates/sim/src/lib.rs": SIM,
    "python/dropcurve/__init__.py": '"""The front."""\n',
    "python/dropcurve/cli/__init__.py": 'print("a table")\n\n\nclass Run:\n    pass\n',
    "python/dropcurve/errors.py": '"""Problems."""\n',
    "python/dropcurve/runs/job.py": '"""A job."""\n\nfrom ..errors import Problem\n',
    "scenarios/INDEX.toml": '[first]\ntitle = "First"\nclaim = "None."\n',
    "scenarios/first.toml": 'title = "First"\n',
}
SENDER = "crates/transport/src/sender.rs"
INIT = "python/dropcurve/__init__.py"
RUNS = "python/dropcurve/runs/replicate.py"
LIB = "crates/queue/src/lib.rs"


def planted(*halves: str) -> str:
    return "".join(halves)


# Rule, file, its new text (None: the file is deleted), text of the fault.
FAULTS: list[tuple[str, str, str | None, str]] = [
    ("layers", "crates/units/Cargo.toml", "[dependencies]\nqueue.workspace = true\n", "not queue"),
    (
        "layers",
        "crates/queue/Cargo.toml",
        "[dev-dependencies]\ntransport = {}\n",
        "not transport",
    ),
    ("layers", "crates/transport/Cargo.toml", "[target.x.dependencies]\nsim.workspace = true\n", "not sim"),
    ("layers", "crates/extra/Cargo.toml", "[dependencies]\n", "no row"),
    ("layers", "crates/sim/src/lib.rs", "//! No promise.\n", "forbid(unsafe_code)"),
    ("layers", INIT, "from reference import red\n", "may not use reference/"),
    ("layers", INIT, "import validation.agree\n", "may not use validation/"),
    ("layers", "python/dropcurve/errors.py", "from .cli import show\n", "errors may not import cli"),
    ("layers", RUNS, "from dropcurve import run\n", "not from dropcurve"),
    ("layers", "python/dropcurve/loose/part.py", "X = 1\n", "loose is not in the drawing"),
    ("layers", "python/dropcurve/runs/job.py", None, "runs is drawn and does not exist"),
    ("import", RUNS, "def run():\n    from ..scenario import Scenario\n", "at the top of the file"),
    ("import", RUNS, "if TYPE_CHECKING:\n    from ..scenario import Scenario\n", "at the top of the file"),
    ("import", RUNS, "def run():\n    import json\n", "at the top of the file"),
    ("length", SENDER, "// line\n" * 401, "401 lines"),
    ("length", SENDER, "fn long() {\n" + "    step();\n" * 70 + "}\n", "::long has 72 lines"),
    ("length", INIT, "def long():\n" + "    step()\n" * 70, "::long has 71 lines"),
    ("length", INIT, "x = 1\n" * 401, "401 lines"),
    ("leftover", SENDER, planted("// TO", "DO: retransmit\n"), "finish it"),
    ("leftover", RUNS, planted("# FIX", "ME\n"), "finish it"),
    ("leftover", "tests/test_run.py", planted("@pytest.mark.xf", "ail\ndef test_it(): ...\n"), "finish it"),
    ("leftover", SENDER, "fn f() { dbg!(1); }\n", "dbg!"),
    ("write", RUNS, "Path('a').write_text('b')\n", "whole or not at all"),
    ("write", RUNS, "with Path('a').open('wb') as file:\n    file.write(b'')\n", "whole or not at all"),
    ("write", RUNS, "open('a', mode='a')\n", "whole or not at all"),
    ("write", RUNS, "shutil.copyfile('a', 'b')\n", "whole or not at all"),
    ("unsafe", SENDER, "fn f() { unsafe { g() } }\n", "SAFETY"),
    ("unsafe", SENDER, "// SAFETY: it lives.\nfn f() { unsafe { g() } }\n", "must list as many"),
    ("leftover", SENDER, "fn f() { todo!() }\n", "todo!"),
    ("leftover", SENDER, "fn f() { unimplemented!() }\n", "unimplemented!"),
    ("leftover", SENDER, 'fn f() { println!("sent"); }\n', "println!"),
    ("private", "docs/guide.md", planted("Look into /ho", "me/ada/dropcurve.\n"), "path of one machine"),
    ("private", "docs/guide.md", planted("Look into /wo", "rk/main.\n"), "path of one machine"),
    ("private", "docs/guide.md", planted("Write to ada", "@example.org\n"), "e-mail"),
    ("private", "pyproject.toml", planted("url = 'py", "pi.org'\n"), "does not belong here"),
    ("private", "docs/guide.md", planted("Written with chat", "gpt\n"), "does not belong here"),
    ("citation", SENDER, "//! Reference: RFC 2309, 6298.\n", "RFC6298"),
    ("citation", SENDER, "//! Reference: FJ93, XY01 Fig. 2.\n", "XY01"),
    ("citation", "docs/disciplines/droptail.md", "After RFC9999.\n", "RFC9999"),
    ("registry", "docs/disciplines/droptail.md", None, "no page"),
    ("registry", "crates/queue/tests/traces/droptail/full.txt", None, "no trace"),
    ("registry", "crates/queue/benches/disc.rs", 'bench("red")\n', "no bench"),
    ("registry", "docs/transports/tcp.md", None, "no page"),
    ("registry", "docs/transports/tcp.md", "# TCP\n", "nothing of `reno`"),
    ("scenario", "scenarios/second.toml", 'title = "Second"\n', "no entry"),
    ("scenario", "scenarios/first.toml", None, "no file"),
    ("scenario", "scenarios/INDEX.toml", '[first]\ntitle = "First"\n', "no claim"),
    ("link", "docs/guide.md", "[gone](missing.md)\n", "leads nowhere"),
    ("link", "docs/guide.md", '<img src="img/gone.svg">\n', "leads nowhere"),
    ("link", "docs/guide.md", "[time](architecture.md#space)\n", "no heading #space"),
    ("python", INIT, 'print("hello")\n', "print"),
    ("python", INIT, "try:\n    pass\nexcept:\n    pass\n", "catches everything"),
    ("python", INIT, "try:\n    pass\nexcept BaseException:\n    pass\n", "catches everything"),
    ("python", "tests/test_nothing.py", planted("ass", "ert True\n"), "cannot fail"),
    ("python", INIT, "def (:\n", "does not parse"),
    ("record", "docs/decisions/2-short.md", DECISION, "NNN-title"),
    ("record", "docs/decisions/001-again.md", DECISION, "taken by"),
    ("record", "docs/decisions/002-bare.md", "# 002\n\n## Context\n\n## Decision\n", "What we gave up"),
    ("record", "changes/tail drop.md", "Tail drop.\n", "note of change"),
    ("wrapping", "docs/guide.md", "word " * 20 + "end\n", "103 columns"),
    ("word", SENDER, planted("fn draw(red_di", "ce: u64) {}\n"), "say rng"),
    ("word", SENDER, planted("struct RedDi", "ce;\n"), "say rng"),
    ("word", INIT, planted('"""Measured an', 'ew."""\n'), "say again"),
    ("word", "docs/guide.md", planted("No loss, sa", "ve for the first.\n"), "say except"),
    ("word", "docs/guide.md", planted("The short", " form.\n"), "say fast path"),
    ("word", "Makefile", planted("# in one ", "go\n"), "say at once"),
    ("docstring", INIT, '"""What the package has."""\n', "begins with 'What'"),
    ("docstring", SENDER, "\n\n/// What is sent.\npub fn f() {}\n", "begins with 'What'"),
    ("docstring", RUNS, 'def f():\n    """Gives a run."""\n', "begins with 'Gives'"),
    ("name", SENDER, "pub struct Window;\n\npub enum Step {}\n", "Step is also a type of"),
    ("name", INIT, '"""The front."""\n\n\nclass Run:\n    pass\n', "Run is also a type of"),
]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for path, text in CLEAN.items():
        write(tmp_path, path, text)
    return tmp_path


def write(root: Path, path: str, text: str | None) -> None:
    file = root / path
    if text is None:
        file.unlink()
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def faults(root: Path) -> list[Fault]:
    return tidy.check(Tree(root))


def test_a_clean_tree_has_no_fault(tree: Path) -> None:
    assert faults(tree) == []


@pytest.mark.parametrize(("rule", "path", "text", "says"), FAULTS, ids=lambda value: str(value)[:30])
def test_a_planted_fault_is_found(tree: Path, rule: str, path: str, text: str | None, says: str) -> None:
    write(tree, path, text)
    reported = faults(tree)
    assert {fault.rule for fault in reported} == {rule}
    assert any(says in fault.message for fault in reported), reported


def test_every_rule_is_shown_to_catch_something() -> None:
    assert {rule for rule, *_ in FAULTS} == set(RULES) - {"commit"}


def git(root: Path, *words: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=nobody@localhost", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True)


def test_the_title_of_a_commit_is_area_and_change(tree: Path) -> None:
    git(tree, "init", "-b", "main")
    assert faults(tree) == [], "no commit yet"
    for title in ("Added things", "sim, queue: share one window", "Merge branch 'x'"):
        git(tree, "commit", "--allow-empty", "-m", title)
    (fault,) = faults(tree)
    assert fault.rule == "commit" and "'Added things'" in fault.message
    git(tree, "tag", "v1")
    assert faults(tree) == [], "those before the last tag are settled"
    for title in ("sim: ends in a stop.", f"sim: {'long ' * 20}tail", "SIM: shout"):
        git(tree, "commit", "--allow-empty", "-m", title)
    assert len(faults(tree)) == 3


def test_the_titles_of_a_shallow_clone_are_those_it_has(
    tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    git(tree, "init", "-b", "main")
    for title in ("no area", "sim: one", "sim: two"):
        git(tree, "add", "-A")
        git(tree, "commit", "--allow-empty", "-m", title)
    assert len(faults(tree)) == 1
    copy = tmp_path_factory.mktemp("copy") / "clone"
    git(tree, "clone", "--depth", "2", f"file://{tree}", str(copy))
    assert faults(copy) == []


def test_a_fault_names_file_and_line(tree: Path) -> None:
    write(tree, SENDER, planted("fn f() {}\n// FIX", "ME\n"))
    assert str(faults(tree)[0]).startswith(f"{SENDER}:2: leftover: ")


@pytest.mark.parametrize("missing", ["docs/architecture.md", "docs/references.toml"])
def test_a_missing_table_is_a_fault_not_a_pass(tree: Path, missing: str) -> None:
    write(tree, missing, None)
    assert faults(tree)


class TestCircles:
    """Files that import each other are found in Python and in Rust, however the import is written."""

    @pytest.mark.parametrize(
        "back",
        ["from .job import Job\n", "from . import job\n", "def late():\n    import dropcurve.runs.job\n"],
    )
    def test_python(self, tree: Path, back: str) -> None:
        write(tree, "python/dropcurve/runs/job.py", "from .store import Store\n")
        write(tree, "python/dropcurve/runs/store.py", back)
        assert any("in a circle: " in fault.message for fault in faults(tree))

    @pytest.mark.parametrize(
        "back",
        [
            "use crate::sender::{Sender, pace::{Pace, Rate}};\n",
            "use crate::sender::Pace;\n",
            "use super::super::sender::pace;\n",
            "fn f() -> crate::sender::pace::Pace { todo }\n",
        ],
    )
    def test_rust(self, tree: Path, back: str) -> None:
        write(tree, "crates/transport/src/sender/mod.rs", "mod pace;\npub use pace::Pace;\n")
        write(tree, "crates/transport/src/sender/pace.rs", "use crate::recovery::rack::Rack;\n")
        write(tree, "crates/transport/src/recovery/rack.rs", back)
        (fault,) = faults(tree)
        assert fault.message.endswith("recovery/rack.rs, crates/transport/src/sender/pace.rs")

    def test_a_module_may_use_what_it_is_part_of(self, tree: Path) -> None:
        write(tree, "crates/transport/src/sender/mod.rs", "mod pace;\nuse pace::Pace;\n")
        write(tree, "crates/transport/src/sender/pace.rs", "use super::Sender;\n")
        assert faults(tree) == []

    def test_components(self) -> None:
        assert sorted(
            graph.circles({"a": ["b"], "b": ["c", "a"], "c": ["d"], "d": ["e"], "e": ["d"], "f": ["f", "a"]})
        ) == [["a", "b"], ["d", "e"]]


class TestRatchet:
    """A file that is too long may be listed; the entry may shrink, never grow, and goes when it can."""

    RATCHET = "tools/tidy_ratchet.toml"

    def test_a_listed_file_may_keep_its_length(self, tree: Path) -> None:
        write(tree, SENDER, "// line\n" * 450)
        write(tree, self.RATCHET, f'[file]\n"{SENDER}" = 450\n')
        assert faults(tree) == []

    def test_it_may_not_grow(self, tree: Path) -> None:
        write(tree, SENDER, "// line\n" * 451)
        write(tree, self.RATCHET, f'[file]\n"{SENDER}" = 450\n')
        assert "450 are allowed" in faults(tree)[0].message

    @pytest.mark.parametrize("length", [449, 400, 0])
    def test_slack_of_the_ratchet_is_removed(self, tree: Path, length: int) -> None:
        write(tree, SENDER, "// line\n" * length)
        write(tree, self.RATCHET, f'[file]\n"{SENDER}" = 450\n')
        assert "--tighten" in faults(tree)[0].message
        tighten(Tree(tree))
        assert faults(tree) == []

    def test_tighten_grants_nothing_new(self, tree: Path) -> None:
        write(tree, SENDER, "// line\n" * 450)
        write(tree, self.RATCHET, "[file]\n")
        tighten(Tree(tree))
        assert "400 are allowed" in faults(tree)[0].message


class TestRust:
    """The little grammar of Rust: lengths must not be fooled by text that only looks like code."""

    @pytest.mark.parametrize(
        "text",
        [
            "// fn a() {",
            "/* { /* nested { */ { */",
            'let s = "fn a() {";',
            'let s = "\\" {";',
            'let s = r#"{ " {"#;',
            "let c = '{';",
            "let c = '\\'';",
            "let c = b'{';",
        ],
    )
    def test_comments_and_literals_are_no_code(self, text: str) -> None:
        blanked = rust.code(text + "\nfn real() {}\n")
        assert "{" not in blanked.splitlines()[0]
        assert [function.name for function in rust.functions(blanked)] == ["real"]

    def test_lifetimes_are_no_characters(self) -> None:
        blanked = rust.code("fn a<'a>(x: &'a str) -> &'a str { x }\nfn b() {}\n")
        assert [function.name for function in rust.functions(blanked)] == ["a", "b"]

    def test_a_declaration_has_no_body(self) -> None:
        text = "trait T {\n    fn declared(&self, x: [u8; 4]);\n    fn given(&self) {\n    }\n}\n"
        bodies = [
            (function.name, function.line, function.length) for function in rust.functions(rust.code(text))
        ]
        assert bodies == [("given", 3, 2)]

    def test_test_modules_do_not_count(self) -> None:
        text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn t() {\n    }\n}\n"
        assert rust.length_without_tests(rust.code(text)) == 1

    def test_files_of_test_modules_do_not_count(self, tree: Path) -> None:
        write(tree, "crates/sim/src/lib.rs", "#![forbid(unsafe_code)]\n#[cfg(test)]\nmod exam;\n")
        write(tree, "crates/sim/src/exam.rs", 'fn t() { println!("seed"); }\n' + "// line\n" * 500)
        assert faults(tree) == []


@pytest.mark.parametrize(
    "text",
    [
        "word " * 19 + "end!",
        "| cell " * 20 + "|",
        "```text\n" + "word " * 30 + "\n```",
        "![a picture of " + "many " * 20 + "words](img/a.svg)",
        "x" * 120,
        "* " + "x" * 120,
    ],
)
def test_lines_that_fit_or_cannot_be_broken_pass(tree: Path, text: str) -> None:
    write(tree, "docs/guide.md", text + "\n![](img/a.svg)\n")
    assert faults(tree) == []


class TestLanguage:
    """Words that only look like a forbidden one pass; a phrase is found wherever its line breaks."""

    @pytest.mark.parametrize(
        "text", ["Save it, in a file.", "Save the result.", "dicey, calmly, booking", "save_for"]
    )
    def test_other_words_pass(self, tree: Path, text: str) -> None:
        write(tree, "docs/guide.md", text + "\n")
        assert faults(tree) == []

    def test_a_word_is_found_across_a_line_break(self, tree: Path) -> None:
        write(tree, "docs/guide.md", planted("Packets on their\nw", "ay.\n"))
        assert [(fault.path, fault.line) for fault in faults(tree)] == [("docs/guide.md", 1)]

    def test_one_idea_may_have_one_name_in_several_modules(self, tree: Path) -> None:
        names = [name for name, *_ in language.rust_types(Tree(tree))]
        assert names.count("Params") == 2
        assert "Window" not in names


def test_the_real_tree_lists_its_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert tidy.main(["--rules"]) == 0
    printed = capsys.readouterr().out
    assert all(re.search(rf"^{name} ", printed, re.MULTILINE) for name in RULES)
