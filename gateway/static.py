"""Scripts that pages load from `/sdk`: what `make web` has built, and nothing else. Spec: platform-api 13.1.

Each file is compressed once, at start. It has two addresses: `/sdk/NAME` is what is current, asked for again after five
minutes; `/sdk/VERSION/NAME` never changes and may be kept for good. A page of another origin may load both and check
them against the digests of the manifest (`integrity`), which stands at `/sdk/manifest.json`. Decision: 0078.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gateway.headers import headers_of

PREFIX: Final = "/sdk"
ASSETS: Final = "assets/sdk"
MANIFEST: Final = "manifest.json"
CURRENT_S: Final = 300
FOR_GOOD_S: Final = 31_536_000
MEDIA_TYPES: Final[Mapping[str, str]] = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
}
"""By the ending of the name; a file of another kind is not served."""
FOR_EVERYBODY: Final = {
    "Access-Control-Allow-Origin": "*",  # an integrity is checked only of what the page may read
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Content-Type-Options": "nosniff",
    "Vary": "Accept-Encoding",
}


class Asset(Struct, frozen=True):
    """One entry of the manifest."""

    bytes: int
    integrity: str


class Manifest(Struct, frozen=True):
    """What `make web` says of what it has built."""

    version: str
    files: dict[str, Asset]


class StaticFile:
    """A file as it is sent, whole and compressed; `tag` is another one for any other content."""

    def __init__(self, name: str, content: bytes, tag: str) -> None:
        self._media_type = MEDIA_TYPES[name[name.rindex(".") :]]
        self._forms = {
            "": (content, f'"{tag}"'),
            "gzip": (gzip.compress(content, compresslevel=9, mtime=0), f'"{tag}-gzip"'),
        }

    def answer(self, request: Request, max_age: str) -> Response:
        """Return the file, or that the page has it already."""
        headers = headers_of(request.scope)
        encoding = "gzip" if accepts_gzip(headers.get("accept-encoding", "")) else ""
        content, tag = self._forms[encoding]
        told = {**FOR_EVERYBODY, "ETag": tag, "Cache-Control": max_age}
        if is_known(tag, headers.get("if-none-match", "")):
            return Response(status_code=304, headers=told)
        if encoding:
            told["Content-Encoding"] = encoding
        return Response(content, media_type=self._media_type, headers=told)


def accepts_gzip(accept_encoding: str) -> bool:
    """Return whether a client takes gzip.

    >>> accepts_gzip("br, gzip"), accepts_gzip("gzip;q=0, br"), accepts_gzip("*;q=0.5"), accepts_gzip("")
    (True, False, True, False)
    """
    for named in ("gzip", "*"):
        for offer in accept_encoding.lower().split(","):
            coding, _, quality = offer.partition(";")
            if coding.strip() == named:
                return quality.replace(" ", "").removeprefix("q=").rstrip("0") not in ("", "0.") or not quality
    return False


def is_known(tag: str, if_none_match: str) -> bool:
    """Return whether a client has the file with this tag.

    >>> is_known('"a"', 'W/"a", "b"'), is_known('"a"', "*"), is_known('"a"', '"aa"')
    (True, True, False)
    """
    held = [one.strip().removeprefix("W/") for one in if_none_match.split(",")]
    return tag in held or held == ["*"]


def manifest() -> Manifest:
    """Return what was built."""
    return msgspec.json.decode(_content(MANIFEST), type=Manifest)


def static_routes() -> Sequence[Route]:
    """Return the routes of all files, both addresses of each, and of the manifest that says which they are."""
    built = manifest()
    current, for_good = f"public, max-age={CURRENT_S}", f"public, max-age={FOR_GOOD_S}, immutable"
    routes = [_route(f"{PREFIX}/{MANIFEST}", StaticFile(MANIFEST, _content(MANIFEST), built.version), current)]
    for name, described in built.files.items():
        file = StaticFile(name, _content(name), described.integrity)
        routes.append(_route(f"{PREFIX}/{name}", file, current))
        routes.append(_route(f"{PREFIX}/{built.version}/{name}", file, for_good))
    return routes


def _route(path: str, file: StaticFile, max_age: str) -> Route:
    async def serve(request: Request) -> Response:
        return file.answer(request, max_age)

    return Route(path, serve, methods=["GET"], include_in_schema=False)


def _content(name: str) -> bytes:
    return files("gateway").joinpath(ASSETS, name).read_bytes()
