"""Connections to Dask: to a scheduler, or to a cluster started for one piece of work."""

from __future__ import annotations

import ipaddress
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import DropcurveError, UsageError
from ..files.reading import is_regular
from ..quantities import values

#: Seconds to wait for a scheduler to answer at first.
PATIENCE_S = 30


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """A client of the scheduler at ``address``, or of a cluster started for this work (`started`).

    Raises UsageError if the ``cluster`` extra is not installed, DropcurveError if no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("--cluster", address, "needs Dask", "pip install 'dropcurve[cluster]'") from None
    cluster = started(address)
    security = secured(address) if cluster is None else cluster.security
    with _without_log():
        yield from _connected(Client, address, cluster, security)


def _connected(client_of: Any, address: str, cluster: Any, security: Any) -> Iterator[Any]:
    try:
        client = client_of(
            cluster if cluster is not None else address, timeout=PATIENCE_S, set_as_default=False,
            security=security,
        )  # fmt: skip
    except (OSError, ValueError, RuntimeError, TypeError) as error:
        why = " ".join(str(error).split())[:200]
        raise DropcurveError(
            "cluster",
            address,
            f"no scheduler answers there: {why}",
            "start it, or check the address and --cluster-tls",
            shown="value",
        ) from None
    try:
        yield client
    finally:
        client.close(timeout=5)
        if cluster is not None:
            cluster.close()


@contextmanager
def _without_log() -> Iterator[None]:
    """Silences the log of Dask's client within the block: it writes tracebacks where a scheduler is lost, which the
    error of this package says in a line."""
    names = [
        name for name in logging.root.manager.loggerDict if name.split(".")[0] in ("distributed", "tornado")
    ]
    levels = {logging.getLogger(name): logging.getLogger(name).level for name in names}
    for logger in levels:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


@dataclass(frozen=True)
class Trust:
    """How connections to a cluster are secured.

    ``ca``, ``cert`` and ``key`` are files in PEM form for mutual TLS. ``plain`` allows connections without it to
    addresses beyond loopback.
    """

    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None
    plain: bool = False


_trust: ContextVar[Trust | None] = ContextVar("trust", default=None)


@contextmanager
def trusting(folder: str | Path | None = None, *, plain: bool = False) -> Iterator[None]:
    """Within the block clusters are reached by TLS with ``ca.pem``, ``cert.pem`` and ``key.pem`` of a folder, or
    without any if ``plain``.

    Raises UsageError if a file is missing, or others may read the key.
    """
    trust = Trust(plain=plain)
    if folder is not None:
        ca, cert, key = (Path(folder) / name for name in ("ca.pem", "cert.pem", "key.pem"))
        for path in (ca, cert, key):
            if not is_regular(path):
                raise UsageError(
                    "--cluster-tls",
                    folder,
                    f"has no file {path.name}",
                    "put ca.pem, cert.pem and key.pem into it",
                )
        if os.name == "posix" and key.stat().st_mode & 0o077:
            raise UsageError(
                "--cluster-tls", folder, "key.pem is readable by other users", f"chmod 600 {key}"
            )
        trust = Trust(ca, cert, key, plain)
    token = _trust.set(trust)
    try:
        yield
    finally:
        _trust.reset(token)


def secured(address: str) -> Any:
    """The security of connections to ``address``; None where none is needed or it was waived.

    Anyone who reaches a Dask scheduler can run code on it and on its workers, and a scheduler can run code here:
    messages are pickled. So without TLS only addresses of this machine are reached, unless that was waived.

    Raises:
        UsageError: If the address is beyond loopback, without TLS, and that was not waived.
    """
    trust = _trust.get() or Trust()
    if trust.ca is not None:
        from distributed.security import Security

        return Security(
            require_encryption=True, tls_ca_file=str(trust.ca),
            **{
                f"tls_{role}_{part}": str(path)
                for role in ("client", "scheduler", "worker")
                for part, path in (("cert", trust.cert), ("key", trust.key))
            },
        )  # fmt: skip
    if trust.plain or is_loopback(address):
        return None
    raise UsageError(
        "cluster",
        address,
        "is not on this machine, and without TLS anyone on the path could run code on both",
        "give --cluster-tls FOLDER (ca.pem, cert.pem, key.pem), or --cluster-insecure in a network that you trust",
    )


def is_loopback(address: str) -> bool:
    """Whether a cluster's address is one of this machine alone. ``slurm:`` is not, ``local:`` is."""
    kind, _, rest = address.partition(":")
    if kind == "local" or address.startswith("inproc://"):
        return True
    if rest.startswith("//"):
        host = rest[2:].split("/")[0]
    elif rest.isdigit():
        host = address
    else:
        # started() refuses text that is not an address.
        return kind != "slurm"
    name = host.rpartition(":")[0].strip("[]") if ":" in host else host
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def started(address: str) -> Any:
    """A cluster started from options, or None for the address of a running scheduler.

    ``local:4`` has four processes on this machine. ``slurm:queue=short,cores=8,memory=16GB,walltime=02:00:00,jobs=10``
    has ten SLURM jobs; all options but ``jobs`` are those of ``dask_jobqueue.SLURMCluster``. Raises UsageError for
    any other word before the colon that is not a protocol.
    """
    kind, _, rest = address.partition(":")
    if kind == "local":
        from distributed import LocalCluster

        if not rest.isdigit() or int(rest) < 1:
            raise UsageError(
                "cluster", address, "must be local:N with N processes", "write one such as local:4"
            )
        return LocalCluster(
            security=secured(address), n_workers=int(rest),
            threads_per_worker=1, processes=True, dashboard_address=None,
            host="127.0.0.1", scheduler_port=0,
        )  # fmt: skip
    if kind == "slurm":
        return _slurm(address, rest)
    if "://" not in address and not rest.isdigit():
        example = "tcp://host:8786, local:4 or slurm:cores=8,memory=16GB,jobs=10"
        raise UsageError(
            "cluster", address, "must be the address of a Dask scheduler", f"write one such as {example}"
        )
    return None


def _slurm(address: str, rest: str) -> Any:
    try:
        from dask_jobqueue import SLURMCluster
    except ImportError:
        raise UsageError(
            "--cluster", "slurm", "needs dask-jobqueue", "pip install 'dropcurve[cluster]'"
        ) from None
    # Walltimes contain colons and memory has units: only purely numeric values are converted.
    options: dict[str, Any] = {}
    for part in values.split_commas(rest):
        name, sign, text = part.partition("=")
        if not sign:
            raise UsageError("cluster", address, f"'{part}' must be NAME=VALUE", "write one such as cores=8")
        options[name.strip()] = int(text) if text.strip().isdigit() else text.strip()
    missing = [name for name in ("cores", "memory") if name not in options]
    if missing:
        raise UsageError(
            "cluster", address, f"needs {' and '.join(missing)}", "add them, such as cores=8,memory=16GB"
        )
    jobs = int(options.pop("jobs", 1))
    try:
        cluster = SLURMCluster(**options, security=secured(address))
    except (TypeError, ValueError) as error:
        raise UsageError(
            "cluster", address, str(error), "dask_jobqueue.SLURMCluster lists its options"
        ) from None
    cluster.scale(jobs=jobs)
    return cluster
