"""Puts a built core into the package: `place_core.py FOLDER`, where FOLDER is that of cargo's output.

`make core` runs it. The new file replaces the old one in one step; a Python that has the old one loaded keeps it.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Names of the library on Linux, macOS and Windows, and of the module that Python loads there.
NAMES = {
    "libdropcurve_core.so": "_core.abi3.so",
    "libdropcurve_core.dylib": "_core.abi3.so",
    "dropcurve_core.dll": "_core.pyd",
}


def main(folder: Path) -> int:
    """Copies the library; the status to exit with."""
    for library, module in NAMES.items():
        if (folder / library).exists():
            place = ROOT / "python" / "dropcurve" / module
            new = place.with_suffix(".new")
            shutil.copyfile(folder / library, new)
            new.replace(place)
            return 0
    print(f"core: no library in {folder}: build it with make core", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
