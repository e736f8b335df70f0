"""CoDel as a plug-in in Rust has the results of the built-in one, so that the two costs compare like with like."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
METRICS = """
import sys
from dropcurve import Scenario, plugins, run
plugins.load(sys.argv[1])
for kind in ("codel", "codel_plugin"):
    scenario = Scenario.load("droptail_vs_red").set("run.duration", "12 s").queue(kind, limit="100 pkts")
    result = run(scenario, replications=2, seed=1)
    print(repr(result.table()))
"""


def test_codel_as_a_plug_in_has_the_results_of_the_built_in_one(tmp_path: Path) -> None:
    if shutil.which("cargo") is None:
        pytest.skip("a plug-in in Rust needs cargo")
    command = [sys.executable, "-m", "dropcurve", "new", "discipline", "codel_plugin"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    crate = tmp_path / "codel_plugin"
    text = (ROOT / "crates/plugin/examples/codel.rs").read_text(encoding="utf-8")
    text = text.replace("use plugin::abi::", "pub mod abi;\nuse abi::").replace(
        "plugin::export!", "crate::export!"
    )
    (crate / "src/lib.rs").write_text(text, encoding="utf-8")
    subprocess.run(["cargo", "build", "--release", "--offline", "--quiet"], cwd=crate, check=True)
    library = crate / "target/release/libcodel_plugin.so"
    done = subprocess.run([sys.executable, "-c", METRICS, str(library)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    plain, plugged = done.stdout.splitlines()
    assert plain == plugged
    assert "utilisation" in plain and len(plain) > 500
