"""The server of the studio: on loopback, under a random token, with Host and Origin checked; and the offline page."""

from __future__ import annotations

import base64
import gzip
import json
import re
import secrets
import sys
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ..errors import DropcurveError, UsageError
from ..files.writing import write_text
from ..present.visible import cut
from . import console, studio_calls, studio_results
from .studio_tuning import Tuning

#: Content types by suffix; nothing else is served.
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".wasm": "application/wasm",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
#: Content security policy of a page: it may run its own scripts and the engine, and talk to this server.
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
#: Content security policy of the page of a result, which contains its scripts and is isolated from the studio.
RESULT_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data:; "
    "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
)
#: A length, of fewer digits than could be read slowly.
LENGTH = re.compile(r"[0-9]{1,12}")
#: Most bytes of a request.
MOST = 4_000_000
#: The imports of a module, which an offline page has no files for.
IMPORT = re.compile(r"^import (?:\* as (\w+)|\{([^}]*)\}) from \"\./(\w+)\.js\";$", re.MULTILINE)
#: Lines of a module that are comments alone.
COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*\*(?:(?!\*/).)*\*/)[ \t]*\n", re.MULTILINE | re.DOTALL)
EXPORT = re.compile(r"^export (async function|function|class|const) (\w+)", re.MULTILINE)


class StudioServer(ThreadingHTTPServer):
    """Serves the page, the results of a folder and the calls of `studio_calls`.

    Attributes:
        address: Where the page is, with the token.
    """

    daemon_threads = True

    def __init__(self, site: Path, results: Path, port: int = 0) -> None:
        try:
            super().__init__(("127.0.0.1", port), Handler)
        except OSError as error:
            raise UsageError(
                "--port", port, f"cannot be used ({error.strerror})", "take another, or 0"
            ) from None
        self.site, self.results = site, results
        self.tuning: Tuning | None = None
        self.token = secrets.token_urlsafe(24)
        self.hosts = {f"127.0.0.1:{self.server_port}", f"localhost:{self.server_port}"}
        self.address = f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Reports an error in one line; nothing if the browser has closed the connection."""
        error = sys.exception()
        if not isinstance(error, ConnectionError | TimeoutError):
            console.say(f"dropcurve: the studio failed to answer: {type(error).__name__}: {cut(str(error))}")

    def result(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The result with the ``name`` of a call."""
        return studio_results.opened(self.results, str(request.get("name", "")))

    def tune(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Starts a search, one at a time."""
        if self.tuning is not None and self.tuning.state["running"]:
            raise UsageError("tune", "", "a search is running", "wait for it, or stop it")
        self.tuning = Tuning(request, self.results)
        return self.tuning.progress()

    def stop(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Stops the search."""
        if self.tuning is None:
            raise UsageError("tune", "", "no search is running", "start one")
        self.tuning.stop()
        return self.tuning.progress()


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: StudioServer
    protocol_version = "HTTP/1.1"
    server_version = "dropcurve"
    sys_version = ""

    def do_GET(self) -> None:
        """A file of the page, a file of a result, or the list of results."""
        path = self._allowed()
        if path is None:
            return
        if path == "api/results":
            self._json(studio_results.listed(self.server.results))
        elif path == "api/tuning":
            self._json(self.server.tuning.progress() if self.server.tuning else {"running": False})
        elif path.startswith("results/"):
            self._file(self.server.results, path.removeprefix("results/"), RESULT_POLICY)
        else:
            self._file(self.server.site, path or "index.html", POLICY)

    def do_POST(self) -> None:
        """A call with JSON."""
        path = self._allowed()
        if path is not None:
            self._call(path)

    def _call(self, path: str) -> None:
        """Answers a call of `studio_calls`."""
        calls: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
            "api/configuration": studio_calls.configuration,
            "api/import": studio_calls.imported,
            "api/result": self.server.result,
            "api/tune": self.server.tune,
            "api/stop": self.server.stop,
        }
        length = self.headers.get("Content-Length", "")
        if path not in calls:
            return self._refuse(HTTPStatus.NOT_FOUND, "no such call")
        if self.headers.get_content_type() != "application/json" or not LENGTH.fullmatch(length):
            return self._refuse(HTTPStatus.BAD_REQUEST, "a call is JSON with a length")
        if int(length) > MOST:
            return self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the text is too long")
        try:
            request = json.loads(self.rfile.read(int(length)))
            if not isinstance(request, dict):
                raise DropcurveError(
                    "call",
                    type(request).__name__,
                    "must be a JSON object",
                    "send an object with the arguments of the call",
                )
            self._json(calls[path](request))
        except (ValueError, RecursionError):
            self._refuse(HTTPStatus.BAD_REQUEST, "the call is not JSON")
        except DropcurveError as error:
            self._json({"error": str(error)})
        except Exception as error:  # noqa: BLE001
            # One line, as for any error of ours; a traceback would be of no use in the page.
            self._json({"error": f"an error of ours: {type(error).__name__}: {cut(str(error))}"})

    def _allowed(self) -> str | None:
        """The path below the token; answers the request itself where it may not be served."""
        origin = self.headers.get("Origin")
        if self.headers.get("Host") not in self.server.hosts:
            self._refuse(HTTPStatus.FORBIDDEN, "the studio answers to its own address only")
        elif origin is not None and origin.partition("://")[2] not in self.server.hosts:
            self._refuse(HTTPStatus.FORBIDDEN, "another page may not call the studio")
        else:
            token, _, path = self.path.partition("?")[0].removeprefix("/").partition("/")
            if secrets.compare_digest(token.encode(), self.server.token.encode()):
                return unquote(path)
            self._refuse(
                HTTPStatus.FORBIDDEN, "the address has no valid token; open the one that dropcurve printed"
            )
        return None

    def _file(self, folder: Path, name: str, policy: str) -> None:
        """A file in a folder; never one outside it, for any name."""
        root = folder.resolve()
        try:
            path = (root / name).resolve()
            kind = TYPES.get(path.suffix)
            if kind is None or not path.is_relative_to(root) or not path.is_file():
                return self._refuse(HTTPStatus.NOT_FOUND, "no such file")
            content = path.read_bytes()
        except (OSError, ValueError):
            return self._refuse(HTTPStatus.NOT_FOUND, "no such file")
        if path == (self.server.site / "index.html").resolve():
            content = content.replace(b'<html lang="en">', b'<html lang="en" data-served="yes">')
        self._answer(HTTPStatus.OK, kind, content, policy)

    def _json(self, value: Any) -> None:
        self._answer(HTTPStatus.OK, TYPES[".json"], json.dumps(value).encode(), POLICY)

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self.close_connection = True
        self._answer(status, "text/plain; charset=utf-8", f"{why}\n".encode(), POLICY)

    def _answer(self, status: HTTPStatus, kind: str, content: bytes, policy: str) -> None:
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Logs nothing: addresses hold the token."""


def write_offline(site: Path, out: Path) -> None:
    """Writes the page with its scripts, scenarios and engine as one file that loads nothing.

    Args:
        site: The built page.
        out: The file.
    """
    page = (site / "index.html").read_text(encoding="utf-8")
    style = (site / "style.css").read_text(encoding="utf-8")
    packed = "".join(_packed(site / name) for name in ("library.json", "engine.wasm"))
    parts = {
        '<link rel="stylesheet" href="style.css">': f"<style>\n{style}</style>",
        '<script type="module" src="main.js"></script>': (
            f'{packed}<script type="module">\n{_one_module(site)}</script>'
        ),
    }
    for old, new in parts.items():
        if page.count(old) != 1:
            raise DropcurveError(
                site / "index.html", "", f"does not hold {old}", "build the studio again", shown="path"
            )
        page = page.replace(old, new)
    write_text(out, page)


def _packed(path: Path) -> str:
    """A file of the page as an element with its name as identifier; `file` of engine.js unpacks it."""
    text = base64.b64encode(gzip.compress(path.read_bytes(), 9, mtime=0)).decode()
    return f'<script type="application/octet-stream" id="{path.stem}">{text}</script>\n'


def _one_module(site: Path) -> str:
    """All modules of the page as one, each in a function of its own, in the order of their imports."""
    done: list[str] = []
    parts: list[str] = []

    def add(name: str) -> None:
        if name in done:
            return
        text = COMMENT.sub("", (site / f"{name}.js").read_text(encoding="utf-8"))
        imports = IMPORT.findall(text)
        for _, _, other in imports:
            add(other)
        done.append(name)
        heads = [
            f"const {whole or f'{{{names}}}'.replace(' as ', ': ')} = modules.{other};"
            for whole, names, other in imports
        ]
        exported = ", ".join(name_of for _, name_of in EXPORT.findall(text))
        body = EXPORT.sub(r"\1 \2", IMPORT.sub("", text))
        parts.append(
            f"modules.{name} = await (async () => {{\n{chr(10).join(heads)}\n{body}\nreturn {{ {exported} }};\n}})();\n"
        )

    add("main")
    return "const modules = {};\n" + "".join(parts)
