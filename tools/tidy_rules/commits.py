"""The titles of commits, which `git log --oneline` shows and readers search."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator

from tidy_rules.tree import Fault, Tree

#: Commits that are checked: those since the last tag, but no more than this.
MOST = 20
#: Most characters of a title.
LONGEST = 100
#: One area or several, then the change, without a full stop.
TITLE = re.compile(r"[a-z0-9_./-]+(, [a-z0-9_./-]+)*: [^\s].*[^.\s]")
#: Titles that git writes itself.
OF_GIT = re.compile(r"(Merge|Revert|fixup!|squash!) ?")


def check(tree: Tree) -> Iterator[Fault]:
    """The title of a commit is `area: what changed`, since the last tag, as far as the clone reaches."""
    for commit, title in _titles(tree):
        if OF_GIT.match(title):
            continue
        if not TITLE.fullmatch(title):
            yield Fault("git log", 1, "commit", f"{commit}: '{title}': say `area: what changed`")
        elif len(title) > LONGEST:
            yield Fault(
                "git log",
                1,
                "commit",
                f"{commit}: '{title}': has {len(title)} characters, {LONGEST} are allowed",
            )


def _titles(tree: Tree) -> Iterator[tuple[str, str]]:
    """Short names and titles of the commits; none where there is no repository, or none was made yet."""
    if not (tree.root / ".git").exists():
        return
    tag = _git(tree, "describe", "--tags", "--abbrev=0")
    since = [f"{tag[0]}..HEAD"] if tag else []
    for line in _git(tree, "log", f"-{MOST}", "--no-merges", "--format=%h %s", *since, "--"):
        commit, _, title = line.partition(" ")
        yield commit, title


def _git(tree: Tree, *words: str) -> list[str]:
    """The lines that git prints; none if it fails."""
    done = subprocess.run(["git", *words], cwd=tree.root, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []
