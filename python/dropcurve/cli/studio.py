"""dropcurve studio: the simulator in a browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from ..errors import UsageError
from . import options as o

#: The built page, which `make studio` and a wheel put here.
SITE = Path(__file__).resolve().parents[1] / "studio_site"


def studio(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[FOLDER]", help="Folder with results to open (default: results)."),
    ] = None,
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Port; 0 takes a free one.")] = 0,
    offline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the studio as one HTML file that needs no server."),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address and open no browser.")
    ] = False,
    force: o.Force = False,
) -> int:
    """Open the simulator and the results of a folder in a browser.

    The engine runs in the page. The server answers on this machine only, under an address with a random token; it lists
    the results of the folder, reads configurations of boxes and writes them.

    \b
    Examples:
      dropcurve studio
      dropcurve studio results --port 8080 --no-browser
      dropcurve studio --offline studio.html
    """
    from . import console, defaults, studio_server

    if not (SITE / "engine.wasm").is_file():
        raise UsageError(
            "studio", "", "the page is not built here", "in a clone of the sources, run: make studio"
        )
    if offline is not None:
        if offline.exists() and not force:
            raise UsageError("--offline", offline, "exists", "name another file, or add --force")
        studio_server.write_offline(SITE, offline)
        print(offline)
        return 0
    server = studio_server.StudioServer(SITE, folder or defaults.results(), port)
    print(server.address, flush=True)
    console.say("The studio answers on this machine only, until you press Ctrl-C.")
    if not no_browser:
        webbrowser.open(server.address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
    return 0
