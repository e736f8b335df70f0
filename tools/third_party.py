"""A copy of Optuna's samplers in the wheel, in place of the requirement of all of Optuna.

Optuna as a requirement installs SQLAlchemy, Alembic and PyYAML as well (37 MB with bytecode), which only its databases
and its command line use. The search uses its samplers and its journal. So a wheel has these modules, at the version of
`VERSION`, as `dropcurve._vendor.optuna`, with imports of the new name and Optuna's licence; the answers are the same.
In a tree `tuning/study.py` imports the Optuna of the environment, which `uv.lock` has at the same version.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python/dropcurve/_vendor"
#: The copied version; uv.lock has it too.
VERSION = "5.0.0"
#: Parts of Optuna that the search does not use, and that need libraries of their own.
LEFT_OUT = {
    "alembic", "artifacts", "cli.py", "importance", "testing", "terminator", "visualization", "__pycache__",
}  # fmt: skip
#: Optuna's name as an import, and in a text that is imported later.
IMPORTS = [
    (re.compile(r"^(\s*)from optuna\b", re.M), r"\1from dropcurve._vendor.optuna"),
    (re.compile(r"^(\s*)import optuna$", re.M), r"\1from dropcurve._vendor import optuna"),
    (re.compile(r"^(\s*)import optuna\.", re.M), r"\1import dropcurve._vendor.optuna."),
    (re.compile(r"(_LazyImport\(\")optuna\."), r"\1dropcurve._vendor.optuna."),
]


def requirement() -> str:
    """The requirement of a build of the wheel."""
    return f"optuna=={VERSION}"


def locked() -> str:
    """The version of Optuna in uv.lock."""
    packages = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    return next(str(one["version"]) for one in packages if one["name"] == "optuna")


@contextlib.contextmanager
def in_package() -> Iterator[None]:
    """Stores the copy in the package for as long as the block lasts. Raises SystemExit if this environment has another
    Optuna."""
    shutil.rmtree(PACKAGE, ignore_errors=True)
    try:
        copy(PACKAGE)
        yield
    finally:
        shutil.rmtree(PACKAGE, ignore_errors=True)


def copy(package: Path) -> None:
    """Writes the copy as a package with this path."""
    installed = metadata.distribution("optuna")
    if installed.version != VERSION:
        raise SystemExit(f"optuna {installed.version} is installed, but the wheel has a copy of {VERSION}")
    source = Path(str(installed.locate_file("optuna")))
    shutil.copytree(source, package / "optuna", ignore=lambda _, names: LEFT_OUT.intersection(names))
    (package / "__init__.py").write_text(
        '"""Copies of other projects\' code, made by the build."""\n', encoding="utf-8"
    )
    licence = next(one for one in installed.files or [] if one.name == "LICENSE")
    shutil.copyfile(str(installed.locate_file(licence)), package / "optuna" / "LICENSE")
    for path in (package / "optuna").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for pattern, replacement in IMPORTS:
            text = pattern.sub(replacement, text)
        path.write_text(text, encoding="utf-8")
