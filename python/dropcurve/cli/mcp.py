"""dropcurve mcp: the verbs as tools for agents."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import typer

from ..errors import UsageError, require

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

#: Most characters of an answer; a longer one is cut, with a note.
MOST = 200_000


def mcp(context: typer.Context) -> int:
    """Serve the verbs as tools for agents, over standard input and output (Model Context Protocol).

    The tools are describe, list, advise, tune, compare, stress, run, assert, evaluate, import, fix and export. Each
    takes the options of its verb and answers with what --json prints. A tool reads and writes files as its verb does,
    with the rights of the server's user.

    \b
    Example of a client's configuration:
      {"mcpServers": {"dropcurve": {"command": "dropcurve", "args": ["mcp"]}}}
    """
    require("mcp")
    import anyio
    from mcp.server.stdio import stdio_server

    async def serve() -> None:
        mcp_server = server(context.find_root().command)
        async with stdio_server() as (incoming, outgoing):
            await mcp_server.run(incoming, outgoing, mcp_server.create_initialization_options())

    anyio.run(serve)
    return 0


def server(root: Any) -> Server[Any]:
    """The server with the verbs of the command line ``root`` as tools. Needs the library ``mcp`` (an extra)."""
    from anyio import to_thread
    from mcp import types
    from mcp.server.lowlevel import Server

    from ..scenario import library
    from . import tools

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(name=verb, description=words, input_schema=schema)
                for verb, (words, schema) in tools.schemas(root).items()
            ]
        )

    async def call_tool(_context: Any, request: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            text, failed = await to_thread.run_sync(
                answer, tools.call(root, request.name, request.arguments or {})
            )
        except UsageError as error:
            text, failed = str(error), True
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=failed)

    return Server("dropcurve", version=library.version(), on_list_tools=list_tools, on_call_tool=call_tool)


def answer(call: Any) -> tuple[str, bool]:
    """Runs a command line; returns its output and whether it failed. Exit code 1 is a negative answer, no failure."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "dropcurve", *call.arguments],
            input=call.standard_input, capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
    except OSError as error:
        return f"the command cannot be started: {error.strerror}", True
    failed = done.returncode not in (0, 1)
    text = done.stderr.strip() if failed else done.stdout
    if len(text) > MOST:
        text = f"{text[:MOST]}\n… cut: {len(text) - MOST} more characters; ask for less, such as one metric"
    return text, failed
