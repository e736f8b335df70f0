"""Connections to Dask: to a scheduler, or to a cluster started for one piece of work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import DropcurveError, UsageError
from ..quantities import values

#: Seconds to wait for a scheduler to answer at first.
PATIENCE_S = 30


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """A client of the scheduler at ``address``, or of a cluster made for this work (`made`).

    Raises UsageError if the ``cluster`` extra is not installed, DropcurveError if no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("--cluster needs Dask: pip install 'dropcurve[cluster]'") from None
    cluster = made(address)
    try:
        client = Client(cluster if cluster is not None else address, timeout=PATIENCE_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise DropcurveError(f"{address}: no scheduler answers there: {error}") from None
    try:
        yield client
    finally:
        client.close(timeout=5)
        if cluster is not None:
            cluster.close()


def made(address: str) -> Any:
    """A cluster made from options, or None for the address of a scheduler that is there.

    ``local:4`` has four processes on this machine. ``slurm:queue=short,cores=8,memory=16GB,walltime=02:00:00,jobs=10``
    has ten SLURM jobs; all options but ``jobs`` are those of ``dask_jobqueue.SLURMCluster``. Raises UsageError for
    any other word before the colon that is not a protocol.
    """
    kind, _, rest = address.partition(":")
    if kind == "local":
        from distributed import LocalCluster

        if not rest.isdigit() or int(rest) < 1:
            raise UsageError(f"cluster = {address}: must be local:N with N processes, such as local:4")
        return LocalCluster(
            n_workers=int(rest), threads_per_worker=1, processes=True, dashboard_address=None,
            host="127.0.0.1", scheduler_port=0,
        )  # fmt: skip
    if kind == "slurm":
        return _slurm(address, rest)
    if "://" not in address and not rest.isdigit():
        example = "tcp://host:8786, local:4 or slurm:cores=8,memory=16GB,jobs=10"
        raise UsageError(f"cluster = {address}: must be the address of a Dask scheduler, such as {example}")
    return None


def _slurm(address: str, rest: str) -> Any:
    try:
        from dask_jobqueue import SLURMCluster
    except ImportError:
        raise UsageError("--cluster slurm: needs dask-jobqueue: pip install 'dropcurve[cluster]'") from None
    # Walltimes are full of colons and memory has units: only what is a number is one.
    options: dict[str, Any] = {}
    for part in values.split_commas(rest):
        name, sign, text = part.partition("=")
        if not sign:
            raise UsageError(f"cluster = {address}: '{part}' must be NAME=VALUE")
        options[name.strip()] = int(text) if text.strip().isdigit() else text.strip()
    missing = [name for name in ("cores", "memory") if name not in options]
    if missing:
        raise UsageError(f"cluster = {address}: needs {' and '.join(missing)}, such as cores=8,memory=16GB")
    jobs = int(options.pop("jobs", 1))
    try:
        cluster = SLURMCluster(**options)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"cluster = {address}: {error}; dask_jobqueue.SLURMCluster lists its options"
        ) from None
    cluster.scale(jobs=jobs)
    return cluster
