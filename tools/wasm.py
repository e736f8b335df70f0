"""Builds the engine of the studio, with the four pure crates in it, for wasm32-unknown-unknown and checks that the
module imports nothing from its host.

    python tools/wasm.py

A clock, a file, a thread or a source of randomness would be an import. Where node is installed, the module also runs,
and has to return the same hash of its results as the program built for this machine. Without the target it prints one
line on that and returns 0.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = "wasm32-unknown-unknown"
STUDIO = ROOT / "target" / TARGET / "studio" / "studio.wasm"
IMPORT_SECTION = 2
RUN = """
const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
console.log(BigInt.asUintN(64, new WebAssembly.Instance(module).exports.hash(1)).toString());
"""


def main() -> int:
    """Builds, checks, runs; the status to exit with."""
    if not has_target():
        print(
            f"wasm: SKIPPED, because the Rust target {TARGET} is not available (rustup target add {TARGET})"
        )
        return 0
    cargo("build", "--profile", "studio", "--package", "dropcurve-studio", "--lib", "--target", TARGET)
    imported = imports(STUDIO.read_bytes())
    if imported:
        print(
            f"wasm: the module imports {', '.join(imported)} from its host; the pure crates must need nothing"
        )
        return 1
    node = shutil.which("node")
    if node is None:
        print("wasm: no host import; not run, because node is not installed")
        return 0
    there = output(node, "-e", RUN, str(STUDIO))
    here = cargo("run", "--package", "dropcurve-studio", "--example", "results_hash")
    if {there} != set(here.split()):
        print(f"wasm: other results than on this machine: {there} and {here.split()}")
        return 1
    print("wasm: no host import, and the same results as both engines on this machine")
    return 0


def has_target() -> bool:
    """Whether the toolchain has the target, after an attempt to add it."""
    if shutil.which("rustup"):
        subprocess.run(["rustup", "target", "add", TARGET], check=False, capture_output=True, cwd=ROOT)
    root = Path(output("rustc", "--print", "sysroot"))
    return (root / "lib" / "rustlib" / TARGET).is_dir()


def imports(module: bytes) -> list[str]:
    """The names that a WebAssembly module imports, as "module.name" (WebAssembly 2.0 section 5.5.5)."""
    if module[:8] != b"\0asm\1\0\0\0":
        sys.exit(f"wasm: {STUDIO} is not a WebAssembly module of version 1")
    at = 8
    while at < len(module):
        section = module[at]
        size, at = number(module, at + 1)
        if section == IMPORT_SECTION:
            return list(names(module, at))
        at += size
    return []


def names(module: bytes, at: int) -> list[str]:
    """The names in an import section."""
    count, at = number(module, at)
    entries = []
    for _ in range(count):
        parts = []
        for _ in range(2):
            length, at = number(module, at)
            parts.append(module[at : at + length].decode())
            at += length
        entries.append(".".join(parts))
        at = after_description(module, at)
    return entries


def after_description(module: bytes, at: int) -> int:
    """The position after the kind of an import: a function, a table, a memory or a global."""
    kind, at = module[at], at + 1
    if kind == 0:
        return number(module, at)[1]
    if kind == 3:
        return at + 2
    at += 1 if kind == 1 else 0
    bounded = module[at] & 1
    at = number(module, at + 1)[1]
    return number(module, at)[1] if bounded else at


def number(module: bytes, at: int) -> tuple[int, int]:
    """An unsigned LEB128 number, and the position after it."""
    value = shift = 0
    while True:
        byte, at = module[at], at + 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def cargo(*words: str) -> str:
    """Runs cargo on the locked workspace and returns its output. Folder and flags of another build, such as the profile
    of the core (tools/learn.py), are not for these modules."""
    environment = {name: value for name, value in os.environ.items() if name != "CARGO_ENCODED_RUSTFLAGS"}
    environment["CARGO_TARGET_DIR"] = str(ROOT / "target")
    return output("cargo", *words, "--locked", "--quiet", env=environment)


def output(*command: str, env: Mapping[str, str] | None = None) -> str:
    """Runs a command and returns its output."""
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=env)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
