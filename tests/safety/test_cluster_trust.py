"""Traffic with a cluster: TLS by option, and no address beyond this machine without it unless that is waived."""

from __future__ import annotations

import datetime
import ipaddress
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import dropcurve as dc
from dropcurve.errors import UsageError
from dropcurve.runs import cluster

pytest.importorskip("distributed")


@pytest.mark.parametrize(
    ("address", "loopback"),
    [
        ("tcp://127.0.0.1:8786", True), ("tls://[::1]:8786", True), ("localhost:8786", True), ("local:4", True),
        ("tcp://127.8.9.1:1", True), ("tcp://10.0.0.1:8786", False), ("head:8786", False), ("tcp://head:8786", False),
        ("slurm:cores=1,memory=1GB", False), ("tls://example.org:8786", False), ("tcp://0.0.0.0:1", False),
        ("tcp://127.0.0.1.example.org:1", False),
    ],
)  # fmt: skip
def test_only_this_machine_is_reached_without_tls(address: str, loopback: bool) -> None:
    assert cluster.is_loopback(address) is loopback
    if loopback:
        assert cluster.secured(address) is None
        return
    with pytest.raises(
        UsageError, match=r"--cluster-tls FOLDER .* or --cluster-insecure in a network that you trust"
    ):
        cluster.secured(address)
    with cluster.trusting(plain=True):
        assert cluster.secured(address) is None


@pytest.mark.parametrize("verb", ["sweep", "tune"])
def test_the_command_line_refuses_before_any_connection(
    verb: str, folder: Path, dropcurve: Callable[..., Any]
) -> None:
    words = {
        "sweep": ["short.toml", "--vary", "queue.max_p=0.1,0.2"],
        "tune": ["short.toml", "--goal", "max utilisation", "--runs", "100"],
    }[verb]
    answer = dropcurve(verb, *words, "--cluster", "tcp://192.0.2.1:8786")
    assert (answer.code, len(answer.errors)) == (2, 1)
    assert "is not on this machine" in answer.err


def test_a_folder_that_lacks_a_file_or_shows_its_key_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match=r"has no file ca.pem; put ca.pem, cert"),
        cluster.trusting(tmp_path),
    ):
        pass
    for name in ("ca.pem", "cert.pem", "key.pem"):
        (tmp_path / name).write_text("x")
    (tmp_path / "key.pem").chmod(0o644)
    with (
        pytest.raises(UsageError, match=r"key.pem is readable by other users; chmod 600"),
        cluster.trusting(tmp_path),
    ):
        pass


@pytest.fixture
def certificates(tmp_path: Path) -> Path:
    """A folder with a certificate for this machine that signs itself."""
    pytest.importorskip("cryptography")
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "dropcurve test")])
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    folder = tmp_path / "tls"
    folder.mkdir()
    text = certificate.public_bytes(serialization.Encoding.PEM)
    (folder / "ca.pem").write_bytes(text)
    (folder / "cert.pem").write_bytes(text)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "key.pem").write_bytes(secret)
    (folder / "key.pem").chmod(0o600)
    return folder


@pytest.fixture
def scheduler(certificates: Path, tmp_path: Path) -> Iterator[str]:
    """A scheduler and a worker that speak TLS alone."""
    script = tmp_path / "serve.py"
    script.write_text(
        "import json, sys\n"
        "from distributed import LocalCluster\n"
        "from dropcurve.runs import cluster\n"
        "if __name__ == '__main__':\n"
        "    with cluster.trusting(sys.argv[1]):\n"
        "        local = LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None,\n"
        "            host='tls://127.0.0.1', scheduler_port=0, security=cluster.secured('local:1'))\n"
        "    print(json.dumps(local.scheduler_address), flush=True)\n"
        "    sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, str(script), str(certificates)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    yield json.loads(process.stdout.readline())
    process.kill()
    process.wait()


def test_a_sweep_over_tls_makes_the_same_rows(
    folder: Path, certificates: Path, scheduler: str, dropcurve: Callable[..., Any]
) -> None:
    assert scheduler.startswith("tls://")
    words = ["short.toml", "--vary", "queue.max_p=0.02,0.1", "--replications", "2", "--quiet"]
    answer = dropcurve(
        "sweep", *words, "--out", "far", "--cluster", scheduler, "--cluster-tls", str(certificates)
    )
    assert answer.code == 0, answer.err
    assert dropcurve("sweep", *words, "--out", "near").code == 0
    rows = [
        dc.Sweep.load(folder / name)
        .query("SELECT point, seed, sojourn_ms_mean FROM runs ORDER BY ALL")
        .fetchall()
        for name in ("far", "near")
    ]
    assert rows[0] == rows[1] and len(rows[0]) == 4
