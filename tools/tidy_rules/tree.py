"""The tree that is checked, and the faults that rules find in it."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

BUILT = {".git", ".venv", ".venv-boot", "target", "build", "dist", "out", "results", "__pycache__"}


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, and where."""

    path: str
    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


class Tree:
    """The files of a checkout: tracked or not ignored by git; without git all that are not build output."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._texts: dict[str, str] = {}
        self._modules: dict[str, ast.Module | SyntaxError] = {}
        self._nodes: dict[str, list[ast.AST]] = {}

    @cached_property
    def files(self) -> list[str]:
        """Paths from the root, with forward slashes, sorted."""
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        if (self.root / ".git").exists():
            listed = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=True)
            names = {name for name in listed.stdout.split("\0") if name}
        else:
            names = {path.relative_to(self.root).as_posix() for path in self.root.rglob("*")}
            names = {name for name in names if not BUILT.intersection(name.split("/"))}
        return sorted(name for name in names if (self.root / name).is_file())

    def matching(self, *patterns: str) -> Iterator[str]:
        """Files with one of these endings; a pattern with a slash at its end is a folder they lie in."""
        folders = tuple(pattern for pattern in patterns if pattern.endswith("/"))
        endings = tuple(pattern for pattern in patterns if not pattern.endswith("/"))
        for name in self.files:
            if name.endswith(endings) and (not folders or name.startswith(folders)):
                yield name

    def has(self, path: str) -> bool:
        """Whether the file is there."""
        return (self.root / path).is_file()

    def text(self, path: str) -> str:
        """Returns the text of a file; empty if it is not there."""
        if path not in self._texts:
            file = self.root / path
            self._texts[path] = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        return self._texts[path]

    def lines(self, path: str) -> Iterator[tuple[int, str]]:
        """Line numbers from 1, and the lines."""
        return iter(list(enumerate(self.text(path).splitlines(), start=1)))

    def module(self, path: str) -> ast.Module:
        """Returns the syntax tree of a Python file, parsed once. Raises SyntaxError if it does not parse."""
        if path not in self._modules:
            try:
                self._modules[path] = ast.parse(self.text(path))
            except SyntaxError as problem:
                self._modules[path] = problem
        parsed = self._modules[path]
        if isinstance(parsed, SyntaxError):
            raise parsed
        return parsed

    def nodes(self, path: str) -> list[ast.AST]:
        """Returns all nodes of a Python file, as `ast.walk` has them; none if it does not parse."""
        if path not in self._nodes:
            try:
                self._nodes[path] = list(ast.walk(self.module(path)))
            except SyntaxError:
                self._nodes[path] = []
        return self._nodes[path]
