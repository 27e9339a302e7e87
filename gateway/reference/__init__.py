"""The reference page at `/docs`: three files of this package, nothing from anywhere else. Spec: platform-api 14.8."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Final

from fastapi import FastAPI, Response
from starlette.requests import Request
from starlette.routing import Route

DOCS_PATH: Final = "/docs"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What the page may load: its own two files, and answers of this gateway."""
ASSETS: Final = {
    DOCS_PATH: ("reference.html", "text/html"),
    f"{DOCS_PATH}/reference.js": ("reference.js", "text/javascript"),
    f"{DOCS_PATH}/reference.css": ("reference.css", "text/css"),
}
"""Path -> file and media type."""


def asset(name: str) -> str:
    """Return the text of a file of the page."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def add_reference(app: FastAPI) -> None:
    """Serve the page; it reads `/openapi.json`."""
    for path, (name, media_type) in ASSETS.items():
        app.router.routes.append(
            Route(path, _server(asset(name), media_type), methods=["GET"], include_in_schema=False)
        )


def _server(text: str, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    headers = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}

    async def serve(_request: Request) -> Response:
        return Response(text, media_type=media_type, headers=headers)

    return serve
