"""Tries an export with the real ``tc``, in a network namespace of its own, so that nothing of this machine changes.

tc exits with 1 when its own parser refuses a command and with 2 when the kernel does. Where the kernel has no such kind
of queue, only the parser has checked the command.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass

#: Seconds for all commands of an export; they take milliseconds.
PATIENCE_S = 20.0


@dataclass(frozen=True)
class TcOutcome:
    """Outcome of one command in tc: ``outcome`` is "loaded", "parsed" (this kernel has no such queue) or "refused"."""

    command: str
    outcome: str
    message: str


@dataclass(frozen=True)
class Trial:
    """The outcome of every command of an export; ``skipped`` is the reason if none was tried."""

    verdicts: tuple[TcOutcome, ...] = ()
    skipped: str = ""

    @property
    def passed(self) -> bool:
        """Whether it took place and nothing was refused."""
        return not self.skipped and all(one.outcome != "refused" for one in self.verdicts)


def trial(text: str) -> Trial:
    """Loads the ``tc`` commands of an export onto the loopback device of an empty network namespace.

    Args:
        text: The export.

    Returns:
        The outcome of each command, or the reason for which none was tried.
    """
    if shutil.which("tc") is None or shutil.which("unshare") is None:
        return Trial(skipped="tc or unshare is not installed here (Debian: iproute2, util-linux)")
    commands = [re.sub(r"\bdev \S+", "dev lo", line) for line in text.splitlines() if line.startswith("tc ")]
    script = "\n".join(f"{line} 2>&1; echo rc=$?" for line in commands)
    try:
        done = subprocess.run(
            ["unshare", "--map-root-user", "--net", "sh", "-c", script],
            capture_output=True, text=True, timeout=PATIENCE_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return Trial(skipped=f"tc could not be run: {error}")
    answers = re.split(r"^rc=(\d+)\n", done.stdout, flags=re.MULTILINE)
    if len(answers) != 2 * len(commands) + 1:
        return Trial(
            skipped=f"no network namespace could be made here: {done.stderr.strip() or 'unshare failed'}"
        )
    return Trial(
        tuple(_verdict(line, answers[2 * i], int(answers[2 * i + 1])) for i, line in enumerate(commands))
    )


def _verdict(command: str, output: str, code: int) -> TcOutcome:
    message = " ".join(output.split())
    if code == 0:
        return TcOutcome(command, "loaded", message)
    absent = any(
        word in message for word in ("kind is unknown", "No such file or directory", "Qdisc not found")
    )
    if code == 1 and 'Unknown qdisc "' in message:
        return TcOutcome(command, "parsed", f"this tc is too old: {message}")
    return TcOutcome(command, "parsed" if code == 2 and absent else "refused", message)
