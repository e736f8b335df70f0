"""The simulator's queues on real packets: a lab of real kernels, a router between two interfaces, and the replay of
records.

| module | holds |
|---|---|
| `plan` | a scenario as a lab: hosts, links, programs that send |
| `launch` | where the lab runs: namespaces of this kernel, or a kernel in virtual time |
| `keeper`, `scratch`, `clean` | processes and folders that end with the command, also when it is killed |
| `datagrams`, `addresses` | its UDP; names and numbers of its hosts |
| `world` | the lab itself, inside its namespaces |
| `forwarder` | the process that forwards, and its control socket |
| `measure` | results of a run |
| `lab` | runs and predictions, side by side |
| `check` | how exactly this machine shapes and delays |
| `router` | the queue between two existing interfaces |
| `hidden`, `merging` | other queues and merging of packets at the same interface |
| `replay` | a record, compared with the simulator's queue |
| `bottleneck`, `pytest_plugin` | a link in virtual time for tests of other people's protocols |

``docs/live.md`` is the guide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..files.lazy import attributes

if TYPE_CHECKING:
    from .lab import LabAnswer, lab
    from .replay import Agreement, replay

__all__ = ["Agreement", "LabAnswer", "lab", "replay"]

_HOME = {"Agreement": "replay", "LabAnswer": "lab", "lab": "lab", "replay": "replay"}

__getattr__ = attributes(__name__, _HOME)
