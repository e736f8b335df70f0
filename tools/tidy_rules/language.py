"""The language of the tree: one word for one thing, as docs/glossary.md lists them.

A word is in the table below if it is wrong in every sentence. Words that are wrong only in some
sentences are left to readers.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from tidy_rules import rust
from tidy_rules.tree import Fault, Tree

#: Files that contain forbidden words because they list them.
LISTED = ("docs/glossary.md", "tools/tidy_rules/language.py")

#: Pattern of a forbidden word, and the glossary's word for it.
INSTEAD = {
    r"anew": "again",
    r"forth": "forward",
    r"so many": "the number",
    r"hangs? on": "depends on",
    r"whence|whither|thereof|wherein|thither|hitherto|lest|nought": "modern English",
    r"(?:,|nothing|none|nobody|all) save(?! it)|save (?:for|that|where|when|in)": "except",
    r"long[ _-]?(?:form|way)s?": "slow path; of a test, thorough",
    r"short[ _-]?(?:form|way)s?": "fast path",
    r"in one go": "at once, as a batch",
    r"calm": "eligible, idle",
    r"dice": "rng",
    r"(?:a|the|one|no|own) die(?! out)": "draw",
    r"alarms?": "timer",
    r"books?|book-?keeping": "records, counters, accounting",
    r"what waits": "backlog, queue length",
    r"under way": "in flight; of a run, running",
    r"on (?:its|their) way": "in flight",
    r"way back": "return path, reverse direction",
    r"knobs?": "parameter",
    r"same luck": "common random numbers",
    r"--aqm": "--queue",
    r"h[eo]ld against": "compared with",
    r"for want of": "for lack of",
    r"but for": "except for",
    r"told(?! apart)": "reported, given, configured",
    r"who(?:m|so)?ever": "anyone who, the caller, the process that",
    r"says? otherwise": "has another value, by default",
    r"as people (?:type|write|read|call|say)": "as text, by its usual name",
    r"(?:bears?|bearing) (?:it|that|this|them) out": "confirms",
    r"where (?:it is|they are) felt": "delay-sensitive traffic",
    r"to be had": "available, possible",
    r"(?:not|was|were|nor) at hand": "available",
    r"under one roof": "together, in one package",
    r"affairs?": "task, responsibility",
    r"look_(?:around|behind)": "a verb that names the effect",
}

#: Type names that several modules may use, and the idea they share.
SAME_IDEA = {
    "Params": "parameters of the module's algorithm, declared with `params!`",
    "Sender": "the sending endpoint of the module's transport",
    "Receiver": "the receiving endpoint of the module's transport",
    "Data": "a data packet of the module's transport",
    "Report": "a feedback packet of the module's transport",
}


# `RedDice` and `red_dice` hold the same word: a name is split where its parts meet.
def _whole(pattern: str) -> re.Pattern[str]:
    """Pattern that matches whole words, in whatever line of a paragraph each of them is."""
    spaced = pattern.replace("[ _-]?", "(?: +|[_-])?").replace(" ", " +")
    return re.compile(rf"(?<![^\W_])(?:{spaced})(?![^\W_])", re.IGNORECASE)


#: Files whose words are checked, by the end of their name.
WRITTEN = (".rs", ".py", ".pyi", ".md", ".toml", ".sh", ".js", ".yml", "Makefile")

FORBIDDEN = [(_whole(pattern), say) for pattern, say in INSTEAD.items()]
#: All of them at once, to pass over the files that have none.
ANY = _whole("|".join(INSTEAD))
#: The end of a line within a paragraph or comment, and the beginning of the next.
BREAK = re.compile(r"\n[ \t]*(?:///|//!|//|#:|#|>)?[ \t]*")
#: Names that files recorded from other programs bear, and their columns.
RECORDED = re.compile(r"hassan_knobs\w*|[\"'`]knobs[\"'`]")
#: Beginnings of a docstring that name no subject.
RIDDLE = re.compile(r"(?:What|Who|Whom|Whose|Which|Gives|Tells|Says|Keeps)\b")
#: The same in the first line of a doc comment of Rust.
RUST_RIDDLE = re.compile(rf"(?:\A|\n(?![ ]*//[/!]).*\n)[ ]*//[/!] ({RIDDLE.pattern})")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
RUST_TYPE = re.compile(r"^ {0,4}pub (?:struct|enum|trait|type|union) (\w+)", re.MULTILINE)


def check_words(tree: Tree) -> Iterator[Fault]:
    """No synonym of a glossary term in Rust, Python, Markdown or the Makefile."""
    for path in tree.matching(*WRITTEN):
        if path in LISTED:
            continue
        text = CAMEL.sub("_", tree.text(path))
        joined = RECORDED.sub(lambda name: " " * len(name[0]), BREAK.sub(lambda gap: " " * len(gap[0]), text))
        if not ANY.search(joined):
            continue
        for pattern, say in FORBIDDEN:
            for match in pattern.finditer(joined):
                line = text.count("\n", 0, match.start()) + 1
                yield Fault(path, line, "word", f"'{match[0]}': say {say} (docs/glossary.md)")


def check_docstrings(tree: Tree) -> Iterator[Fault]:
    """A docstring or doc comment begins with its subject or verb, not with a relative clause."""
    for path in tree.matching("crates/", ".rs"):
        for start in RUST_RIDDLE.finditer(tree.text(path)):
            line = tree.text(path).count("\n", 0, start.start(1)) + 1
            message = f"a doc comment begins with '{start[1]}': say what it returns, does or holds"
            yield Fault(path, line, "docstring", message)
    for path in tree.matching("python/", "validation/", "tools/", "reference/", "examples/", ".py"):
        for node in tree.nodes(path):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                text = ast.get_docstring(node) or ""
                if match := RIDDLE.match(text):
                    message = f"a docstring begins with '{match[0]}': say what it returns, does or holds"
                    yield Fault(path, getattr(node, "lineno", 1), "docstring", message)


def check_names(tree: Tree) -> Iterator[Fault]:
    """No two public types of one language share a name, unless they are the same idea."""
    for types in (rust_types(tree), python_types(tree)):
        places: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for name, path, line in types:
            places[name].append((path, line))
        for name, where in places.items():
            if len({path for path, _ in where}) < 2 or name in SAME_IDEA:
                continue
            for path, line in where:
                other = next(other for other, _ in where if other != path)
                yield Fault(path, line, "name", f"{name} is also a type of {other}: rename one of them")


def rust_types(tree: Tree) -> Iterator[tuple[str, str, int]]:
    """Public types of the crates: name, file, line."""
    tests = set(rust.test_modules(tree))
    for path in tree.matching("crates/", ".rs"):
        if "/src/" in path and path not in tests:
            text = rust.blank_tests(rust.code(tree.text(path)))
            for match in RUST_TYPE.finditer(text):
                yield match[1], path, text.count("\n", 0, match.start()) + 1


def python_types(tree: Tree) -> Iterator[tuple[str, str, int]]:
    """Public classes of the packages: name, file, line."""
    for path in tree.matching("python/", "validation/", ".py"):
        try:
            module = tree.module(path)
        except SyntaxError:
            continue
        for node in module.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name, path, node.lineno
