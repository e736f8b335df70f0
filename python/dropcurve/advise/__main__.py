"""``python -m dropcurve.advise --out docs/guide/advice-errors.md``: writes the table of errors."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import errors


def main() -> int:
    """Reads the command line and writes the page."""
    parser = argparse.ArgumentParser(prog="python -m dropcurve.advise", description=errors.__doc__)
    parser.add_argument(
        "--out", type=Path, default=Path("docs/guide/advice-errors.md"), help="where the page goes"
    )
    parser.add_argument("--jobs", type=int, default=None, help="threads (all processors)")
    given = parser.parse_args()

    def tell(text: str) -> None:
        sys.stderr.write(f"{text}\n")

    errors.write(given.out, jobs=given.jobs, tell=tell)
    return 0


if __name__ == "__main__":
    sys.exit(main())
