"""The server of the studio: loopback only, a random token, Host and Origin checked, nothing outside its folders."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import dropcurve as dc
from dropcurve.cli import studio_server
from dropcurve.cli.studio_server import StudioServer
from dropcurve.errors import DropcurveError

PAGE = """<!doctype html>
<html lang="en">
<link rel="stylesheet" href="style.css">
<script type="module" src="main.js"></script>
</html>
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A page with the parts that the real one has."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_text(PAGE)
    (folder / "style.css").write_text("body { margin: 0 }")
    (folder / "main.js").write_text(
        'import { one, Two as Other } from "./part.js";\nimport * as part from "./part.js";\none();\n'
    )
    (folder / "part.js").write_text(
        "export function one() {}\nexport class Two {}\nexport const three = 3;\n"
    )
    (folder / "library.json").write_text('{"scenarios": {"</script>": {}}}')
    (folder / "engine.wasm").write_bytes(b"\0asm" * 100)
    return folder


@pytest.fixture
def server(site: Path, tmp_path: Path) -> Iterator[StudioServer]:
    (tmp_path / "secret.json").write_text("{}")
    opened = StudioServer(site, tmp_path / "results")
    thread = threading.Thread(target=opened.serve_forever, daemon=True)
    thread.start()
    yield opened
    opened.shutdown()
    opened.server_close()


def ask(
    server: StudioServer, path: str, *, body: str | None = None, token: str | None = None, **headers: str
) -> tuple[int, dict[str, str], str]:
    """Status, headers and text of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    given = {"Host": f"127.0.0.1:{server.server_port}"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    where = f"/{server.token if token is None else token}/{path}"
    connection.request("POST" if body is not None else "GET", where, body, given)
    answer = connection.getresponse()
    return answer.status, dict(answer.headers), answer.read().decode()


def call(server: StudioServer, name: str, given: object) -> dict[str, object]:
    status, _, text = ask(server, f"api/{name}", body=json.dumps(given), Content_Type="application/json")
    assert status == 200
    answer: dict[str, object] = json.loads(text)
    return answer


def test_the_page_is_served_under_the_token_with_a_policy(server: StudioServer) -> None:
    status, headers, text = ask(server, "")
    assert status == 200 and 'data-served="yes"' in text
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "connect-src 'self'" in policy
    assert (
        "http:" not in policy
        and "https:" not in policy
        and "unsafe-eval'" not in policy.replace("wasm-unsafe-eval'", "")
    )
    assert ask(server, "engine.wasm")[1]["Content-Type"] == "application/wasm"
    assert server.server_address[0] == "127.0.0.1"
    assert len(server.token) >= 32 and server.token in server.address


@pytest.mark.parametrize("token", ["", "x", "é"])
def test_another_token_is_refused(server: StudioServer, token: str) -> None:
    from urllib.parse import quote

    assert ask(server, "index.html", token=quote(token))[0] == 403


def test_another_host_is_refused(server: StudioServer) -> None:
    assert ask(server, "", Host="studio.example")[0] == 403
    assert ask(server, "", Host=f"localhost:{server.server_port}")[0] == 200


def test_another_origin_is_refused(server: StudioServer) -> None:
    body = json.dumps({"text": "x"})
    kind = {"Content_Type": "application/json"}
    assert ask(server, "api/import", body=body, Origin="https://page.example", **kind)[0] == 403
    assert ask(server, "api/import", body=body, Origin="null", **kind)[0] == 403
    here = f"http://127.0.0.1:{server.server_port}"
    assert ask(server, "api/import", body=body, Origin=here, **kind)[0] == 200


@pytest.mark.parametrize(
    "path", ["../secret.json", "%2e%2e/secret.json", "/etc/passwd", "results/../secret.json", "a%00.js"]
)
def test_no_file_outside_the_folders_is_served(server: StudioServer, path: str) -> None:
    assert ask(server, path)[0] == 404


def test_invalid_calls_are_refused(server: StudioServer) -> None:
    kind = {"Content_Type": "application/json"}
    assert ask(server, "api/other", body="{}", **kind)[0] == 404
    assert ask(server, "api/import", body="{}", Content_Type="text/plain")[0] == 400
    assert ask(server, "api/import", body="{", **kind)[0] == 400
    assert "call = list: must be a JSON object; " in ask(server, "api/import", body="[]", **kind)[2]
    assert call(server, "import", {"text": 7}) == {"error": "text = 7: must be text; send a JSON string"}


def test_a_configuration_goes_to_a_box_and_back(server: StudioServer) -> None:
    scenario = dc.Scenario.load("droptail_vs_red").to_toml()
    configuration = call(server, "configuration", {"toml": scenario, "link": "bottleneck", "box": "linux"})
    assert "red" in str(configuration["text"]) and "tc qdisc" in str(configuration["text"])
    back = call(server, "import", {"text": configuration["text"]})
    assert dc.Scenario.parse(str(back["toml"])).get("queue.kind") == "red"
    wrong = call(server, "configuration", {"toml": scenario, "link": "bottleneck", "box": "toaster"})
    assert "toaster" in str(wrong["error"])


def test_an_offline_page_loads_nothing(site: Path, tmp_path: Path) -> None:
    out = tmp_path / "studio.html"
    studio_server.write_offline(site, out)
    text = out.read_text()
    assert "src=" not in text and "href=" not in text and "import {" not in text and "export " not in text
    assert "const { one, Two: Other } = modules.part;" in text and "const part = modules.part;" in text
    assert text.index("modules.part = ") < text.index("modules.main = ")
    assert text.count("</script>") == 3
    (site / "index.html").write_text("<html></html>")
    with pytest.raises(DropcurveError, match="build the studio again"):
        studio_server.write_offline(site, out)


def raw(server: StudioServer, request: bytes) -> bytes:
    """The answer to a request that no client library would send."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=60) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(4096), b""))


def test_hostile_requests_are_refused_and_leave_no_traceback(
    server: StudioServer, capfd: pytest.CaptureFixture[str]
) -> None:
    host = f"Host: 127.0.0.1:{server.server_port}\r\n".encode()
    token = server.token.encode()
    call = b"POST /" + token + b"/api/stop HTTP/1.1\r\n" + host + b"Content-Type: application/json\r\n"
    for request, status in (
        (b"GET //[ HTTP/1.1\r\n" + host + b"\r\n", b" 403 "),
        (b"GET /" + token + b"/ HTTP/1.1\r\n" + host + b"Origin: http://[\r\n\r\n", b" 403 "),
        (b"GET /" + token + b"/%00/%ff HTTP/1.1\r\n" + host + b"\r\n", b" 404 "),
        (call + b"Content-Length: \xb2\r\n\r\n", b" 400 "),
        (call + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", b" 400 "),
        (call + b"Content-Length: -1\r\n\r\n", b" 400 "),
    ):
        assert status in raw(server, request).split(b"\r\n")[0], request
    assert "Traceback" not in capfd.readouterr().err


def test_an_error_of_ours_is_a_line_in_the_page_and_in_the_terminal(
    server: StudioServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> None:
        raise AssertionError("a fault\x1b[2J")

    monkeypatch.setattr(StudioServer, "stop", fails)
    monkeypatch.setattr(studio_server.studio_results, "listed", fails)
    status, _, text = ask(server, "api/stop", body="{}", Content_Type="application/json")
    assert status == 200 and "an error of ours: AssertionError: a fault" in json.loads(text)["error"]
    with pytest.raises(http.client.HTTPException):
        ask(server, "api/results")
    stderr = capfd.readouterr().err
    assert (
        "the studio failed to answer: AssertionError: a fault\\x1b[2J" in stderr and "Traceback" not in stderr
    )


@pytest.mark.parametrize(
    "content",
    [
        '{"title": "x", "variants": [{"name": 1, "scenario": {"a": 1e999}}]}',
        '{"variants": [[]]}',
        '{"variants": {"a": 1}}',
        "[]",
        '{"confirmed": [{}], "held": 1}',
        '{"confirmed": [], "tried": [], "title": "", "command": "", "verdict": [], "notes": [], "recommendation": "",'
        ' "sensitivity": [{"parameter": "a", "off": [{"factor": 1, "objectives": []}]}]}',
    ],
)
def test_a_damaged_result_hides_no_other(server: StudioServer, content: str) -> None:
    for name in ("good", "bad"):
        (server.results / name).mkdir(parents=True)
        (server.results / name / "report.html").write_text("<p>")
    for file in ("result.json", "tune.json"):
        (server.results / "bad" / file).write_text(content)
        assert {row["name"] for row in json.loads(ask(server, "api/results")[2])["results"]} == {
            "good",
            "bad",
        }
        status, _, text = ask(server, "api/result", body='{"name": "bad"}', Content_Type="application/json")
        assert status == 200 and "error of ours" not in text
        (server.results / "bad" / file).unlink()
