"""Creates the local environment; needs only Python, a Rust toolchain and a linker.

`make setup` runs it; running it again costs a fraction of a second. It leaves `.venv` with the built core and the
tools, exactly as `uv.lock` has them. A uv found on the path is used; otherwise one is put into `.venv-boot`. A missing
tool is reported in one line. Runs on any Python from 3.7 on, so that an old one gets that message too.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
BOOT = ROOT / ".venv-boot"
OLDEST_PYTHON = (3, 11)
# The first uv that builds the project after the tools it is built with.
OLDEST_UV = (0, 8)


def main() -> None:
    python = find_python()
    check_rust()
    check_linker()
    sync(find_uv(python), python)
    say("ready: .venv/bin/dropcurve")


def find_python() -> str:
    """This Python if it is new enough, else a newer one on the path."""
    if sys.version_info[:2] >= OLDEST_PYTHON:
        return sys.executable
    for name in ("python3.14", "python3.13", "python3.12", "python3.11"):
        if version_of(name, "--version") >= OLDEST_PYTHON:
            return name
    have = ".".join(str(part) for part in sys.version_info[:2])
    fail(f"Python {have} is too old: install Python 3.11 or newer, or name one with make PYTHON=...")


def check_rust() -> None:
    """A cargo that is new enough for the workspace."""
    text = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    oldest = re.findall(r'rust-version = "([\d.]+)"', text)[0]
    wanted = f"install Rust {oldest} or newer with rustup (https://rustup.rs)"
    if shutil.which("cargo") is None:
        fail(f"cargo not found: {wanted}")
    have = version_of("cargo", "--version")
    if not have:
        fail(f"cargo does not run: {wanted}")
    if have < numbers(oldest):
        fail(f"cargo {'.'.join(map(str, have))} is too old: {wanted}")


def check_linker() -> None:
    """Rust links with the C compiler; on Debian, root gets one."""
    if shutil.which("cc") is None and not apt_install("gcc", "libc6-dev"):
        fail("no C compiler (cc), which Rust needs to link: install gcc or clang")


def find_uv(python: str) -> str:
    """uv from the path, from an earlier run, or put into `.venv-boot` now."""
    for program in (shutil.which("uv"), BOOT / "bin" / "uv", BOOT / "site" / "bin" / "uv"):
        if program and version_of(str(program), "--version") >= OLDEST_UV:
            return str(program)
    say(f"putting uv into {BOOT.name}")
    if make_venv(python):
        run(BOOT / "bin" / "python", "-m", "pip", "install", "--quiet", "--upgrade", "uv")
        return str(BOOT / "bin" / "uv")
    # No venv module (Debian packs it apart), but pip can unpack uv by itself.
    if quiet(python, "-m", "pip", "install", "--quiet", "--target", BOOT / "site", "uv"):
        return str(BOOT / "site" / "bin" / "uv")
    fail("neither uv nor python's venv and pip are here: install uv, or python3-venv")


def make_venv(python: str) -> bool:
    """Whether `.venv-boot` is there with a pip in it."""
    again = quiet(BOOT / "bin" / "python", "-m", "pip", "--version")
    if again or quiet(python, "-m", "venv", "--clear", BOOT):
        return True
    shutil.rmtree(BOOT, ignore_errors=True)
    return apt_install("python3-venv") and quiet(python, "-m", "venv", "--clear", BOOT)


def sync(uv: str, python: str) -> None:
    """`.venv` as locked. The core is built in that environment, so a rebuild reuses compiled crates."""
    venv = ROOT / ".venv"
    command = [uv, "sync", "--locked", "--python", python]
    environment = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    environment.update(UV_PYTHON_DOWNLOADS="never", UV_PROJECT_ENVIRONMENT=str(venv))
    if not sys.stderr.isatty():
        environment["UV_NO_PROGRESS"] = "1"
    steps = [[*command, "--no-build-isolation-package", "dropcurve"]]
    if not (venv / "bin" / "maturin").exists():
        say("making .venv and building the core: a minute or two")
        # The build tools have to be installed first. Commands start twice as fast from bytecode, which Python does
        # not write by itself where PYTHONDONTWRITEBYTECODE is set.
        steps.insert(0, [*command, "--no-install-project", "--compile-bytecode"])
    for step in steps:
        if subprocess.run([*step, "--quiet"], cwd=ROOT, env=environment).returncode != 0:
            fail("uv sync failed; the lines above say why")
    run(venv / "bin" / "python", "-m", "compileall", "-q", ROOT / "python")


def apt_install(*packages: str) -> bool:
    """Whether the packages could be installed: on Debian and its kin, as root."""
    if shutil.which("apt-get") is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return False
    say("installing " + " ".join(packages))
    quiet("apt-get", "update", "-qq")
    return quiet("apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages)


def version_of(*command: str) -> tuple[int, ...]:
    """The numbers a program prints as its version; empty if it does not run."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT)
    except OSError:
        return ()
    version = re.search(r"\d+(\.\d+)+", done.stdout.decode(errors="replace"))
    return numbers(version.group(0)) if version and done.returncode == 0 else ()


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def run(*command: str | Path) -> None:
    if subprocess.run([str(part) for part in command], cwd=ROOT).returncode != 0:
        fail("failed: " + " ".join(str(part) for part in command))


def quiet(*command: str | Path) -> bool:
    """Whether the command succeeds; its output is discarded."""
    try:
        null = subprocess.DEVNULL
        return subprocess.run([str(part) for part in command], stdout=null, stderr=null).returncode == 0
    except OSError:
        return False


def say(text: str) -> None:
    print("set-up: " + text, flush=True)


def fail(text: str) -> NoReturn:
    sys.exit("set-up: " + text)


if __name__ == "__main__":
    main()
