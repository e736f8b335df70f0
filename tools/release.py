"""Builds everything of a release into a folder: wheels, sdist, crates, C library, image file, checksums, changelog.

    .venv/bin/python tools/release.py FOLDER [--only STEP,...]

The version is the one of Cargo.toml, which pyproject.toml and CITATION.cff must have too. Notes in `changes/` become
the release's section of CHANGELOG.md. Nothing is published and nothing is tagged: the last lines say how.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import changelog

ROOT = Path(__file__).resolve().parent.parent
#: The crates that others can use, each after those it needs.
CRATES = ("dropcurve-units", "dropcurve-queue", "dropcurve-transport", "dropcurve-sim", "dropcurve-plugin")
#: The other machine that wheels are built for, its linker, and the package of Debian that has it.
ARM, ARM_LINKER, ARM_PACKAGE = "aarch64-unknown-linux-gnu", "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"


def main(arguments: list[str]) -> int:
    """Builds the chosen parts; returns the exit code."""
    parser = argparse.ArgumentParser(description="Builds a release.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default=",".join(STEPS), help="steps, separated by commas")
    options = parser.parse_args(arguments)
    wanted = options.only.split(",")
    if unknown := [name for name in wanted if name not in STEPS]:
        print(f"release: {', '.join(unknown)}: must be some of {', '.join(STEPS)}", file=sys.stderr)
        return 2
    number = version()
    folder: Path = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    skipped = []
    for name in wanted:
        print(f"release {number}: {name}", flush=True)
        if reason := STEPS[name](folder):
            skipped.append(f"{name}: {reason}")
    for line in skipped:
        print(f"release: SKIPPED {line}")
    print(f"release: {folder} holds dropcurve {number}")
    print(f"""Next:
  git commit --all --message "release: version {number}" (if notes were moved into the changelog)
  git tag --annotate v{number} --message "dropcurve {number}"
  then publish {", ".join(CRATES)} in this order, the wheels and the source distribution""")
    return 0


def version() -> str:
    """The version, the same in every file that has one. Raises SystemExit otherwise."""
    cargo, project, citation = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("Cargo.toml", "pyproject.toml", "CITATION.cff")
    )
    workspace = tomllib.loads(cargo)["workspace"]
    files = {
        "Cargo.toml": workspace["package"]["version"],
        "pyproject.toml": tomllib.loads(project)["project"]["version"],
        "CITATION.cff": "".join(re.findall(r"^version: (\S+)$", citation, re.M)),
    }
    files |= {
        f"Cargo.toml, {name}": one["version"]
        for name, one in workspace["dependencies"].items()
        if isinstance(one, dict) and "path" in one and "version" in one
    }
    if len(set(files.values())) != 1:
        sys.exit("release: versions differ: " + ", ".join(f"{name} {one}" for name, one in files.items()))
    return str(files["Cargo.toml"])


def notes(folder: Path) -> str:
    """Moves the notes into the changelog, and copies the section of this version."""
    number = version()
    if any(path.name != "README.md" for path in (ROOT / "changes").glob("*.md")):
        if run_for_output("git", "tag", "--list", f"v{number}"):
            sys.exit(f"release: v{number} is tagged, but changes/ has notes: raise the version for them")
        changelog.main(ROOT, number, datetime.datetime.now(datetime.UTC).date().isoformat())
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    match = re.search(rf"^## {re.escape(number)} .*?(?=^## |\Z)", text, re.M | re.S)
    if match is None:
        sys.exit(f"release: CHANGELOG.md has no section for {number}, and changes/ has no note")
    (folder / "CHANGES.md").write_text(match[0].rstrip() + "\n", encoding="utf-8")
    return ""


def wheel(folder: Path) -> str:
    """The wheel of this machine, with its bill of materials and its provenance."""
    run(sys.executable, "tools/wheel.py", str(folder))
    return ""


def wheel_arm(folder: Path) -> str:
    """The wheel for aarch64, cross-compiled; a reason if that is impossible."""
    if shutil.which(ARM_LINKER) is None:
        return f"no linker {ARM_LINKER}: apt-get install {ARM_PACKAGE}"
    subprocess.run(["rustup", "target", "add", ARM], cwd=ROOT, capture_output=True, check=False)
    libraries = subprocess.run(
        ["rustc", "--print", "target-libdir", "--target", ARM],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    if not Path(libraries).is_dir():
        return f"no standard library of {ARM}: rustup target add {ARM}"
    import build_backend
    import studio
    from wheel import COMPATIBILITY as wheel_tag

    studio.main([])
    with build_backend.package_complete():
        run(
            "maturin", "build", "--release", "--locked", "--target", ARM, "--out", str(folder),
            *wheel_tag.split(),
            env={"CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER": ARM_LINKER, "PYO3_CROSS_PYTHON_VERSION": "3.11"},
        )  # fmt: skip
    return ""


def source(folder: Path) -> str:
    """The source distribution."""
    import build_backend

    os.chdir(ROOT)
    build_backend.build_sdist(str(folder))
    return ""


def crates(folder: Path) -> str:
    """The crates, each after `cargo publish --dry-run`, which builds it from its package."""
    named = [word for name in CRATES for word in ("--package", name)]
    run("cargo", "publish", "--dry-run", "--allow-dirty", "--quiet", *named)
    packages = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "package"
    for name in CRATES:
        package = f"{name}-{version()}.crate"
        packed = next(one for one in (packages / package, packages / "tmp-crate" / package) if one.exists())
        shutil.copyfile(packed, folder / package)
    return ""


def library(folder: Path) -> str:
    """The C library with its header and examples, for this machine."""
    run("cargo", "build", "--release", "--locked", "--quiet", "--package", "dropcurve-capi")
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
    name = f"libdropcurve-{version()}-{os.uname().sysname.lower()}-{os.uname().machine}"
    with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as packed:
        packed.add(ROOT / "crates/capi/include/dropcurve.h", f"{name}/include/dropcurve.h")
        for file in ("libdropcurve.so", "libdropcurve.dylib", "dropcurve.dll", "libdropcurve.a"):
            if (target / file).exists():
                packed.add(target / file, f"{name}/lib/{file}")
        for file in ("LICENSE-MIT", "LICENSE-APACHE", "crates/capi/README.md", "crates/capi/examples"):
            packed.add(ROOT / file, f"{name}/{Path(file).name}")
    return ""


def image(folder: Path) -> str:
    """The file that an image is built from, next to the wheel it installs."""
    shutil.copyfile(ROOT / "Containerfile", folder / "Containerfile")
    builder = next((one for one in ("podman", "buildah") if shutil.which(one)), None)
    if builder is None:
        return "neither podman nor buildah is here; (cd FOLDER && podman build -t dropcurve .) builds it without root"
    base = "".join(
        re.findall(r"^ARG BASE=(\S+)$", (ROOT / "Containerfile").read_text(encoding="utf-8"), re.M)
    )
    if subprocess.run([builder, "pull", "--quiet", base], capture_output=True).returncode:
        return f"{builder} cannot pull {base} here; (cd FOLDER && {builder} build -t dropcurve .) builds it elsewhere"
    run(builder, "build", "--tag", f"dropcurve:{version()}", str(folder))
    return ""


def checksums(folder: Path) -> str:
    """SHA256SUMS over all files of the folder."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name != "SHA256SUMS"
    ]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
    return ""


def materials(folder: Path) -> str:
    """The bill of materials of the whole release."""
    import sbom

    text = json.dumps(sbom.document(), indent=1) + "\n"
    (folder / f"dropcurve-{version()}.cdx.json").write_text(text, encoding="utf-8")
    return ""


#: Every step by name, in order; each returns why it was skipped, or nothing.
STEPS: Mapping[str, Callable[[Path], str]] = {
    "notes": notes, "wheel": wheel, "wheel-arm": wheel_arm, "source": source, "crates": crates, "library": library,
    "image": image, "materials": materials, "checksums": checksums,
}  # fmt: skip


def run_for_output(*words: str) -> str:
    """The output of a command in the tree; empty if it fails."""
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def run(*words: str, env: Mapping[str, str] | None = None) -> None:
    """Runs a command in the tree. Raises SystemExit with its name if it fails."""
    if subprocess.run(words, cwd=ROOT, env={**os.environ, **(env or {})}).returncode:
        sys.exit(f"release: {' '.join(words[:3])} failed")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
