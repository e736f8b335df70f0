"""The options ``--cluster``, ``--cluster-tls`` and ``--cluster-insecure`` of the verbs that run on a cluster."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Run on Dask: tcp://HOST:PORT, local:N processes, or slurm:cores=8,memory=16GB,jobs=10.",
    ),
]
Tls = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="Reach the cluster by TLS: ca.pem, cert.pem and key.pem of a folder."
    ),
]
Insecure = Annotated[
    bool,
    typer.Option("--cluster-insecure", help="Reach another machine without TLS, in a network you trust."),
]
OPTIONS: dict[str, tuple[Any, Any]] = {"cluster_tls": (Tls, None), "cluster_insecure": (Insecure, False)}


def with_trust(verb: Callable[..., Any]) -> Callable[..., Any]:
    """The verb with both options, which hold for the cluster that it uses."""
    signature = inspect.signature(verb, eval_str=True)

    @functools.wraps(verb)
    def call(*args: Any, cluster_tls: Path | None, cluster_insecure: bool, **more: Any) -> Any:
        from ..runs import cluster

        with cluster.trusting(cluster_tls, plain=cluster_insecure):
            return verb(*args, **more)

    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in OPTIONS.items()
    ]
    # Typer reads names and defaults from the signature and types from the annotations.
    call.__signature__ = signature.replace(parameters=[*signature.parameters.values(), *options])  # type: ignore[attr-defined]
    call.__annotations__ = {**verb.__annotations__, **{name: kind for name, (kind, _) in OPTIONS.items()}}
    return call
