"""A server that runs, as commands speak with it: what its API refuses is an error of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPResponse
from pathlib import Path
from urllib.parse import quote

from abl_client.transport import ApiError, ServerAway, Transport
from cli.chat_link import JsonObject
from domain.errors import Forbidden, InvalidInput, NotFound, Unavailable
from domain.ids import is_project_id

SILENCE_S = 60.0
"""A server sends a heartbeat every 15 s (platform-api 4.3); after so long without a byte it is gone."""
MAX_ERROR_CHARS = 200
PROJECTS_AT_ONCE = 200
PROJECTS_MAX = 10_000
"""So many are looked through for a name."""
NAMES_SHOWN = 20


class Server:
    """One server, and the key it is asked with."""

    def __init__(self, url: str, key: str) -> None:
        self._transport = Transport(url, key, silence_s=SILENCE_S)

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        return self._transport.url

    def call(self, method: str, path: str, body: JsonObject | None = None, **query: str) -> JsonObject:
        """Return what a route answers, a JSON object. Raises Forbidden, Unavailable as `open`."""
        with self._told():
            found: JsonObject = self._transport.json(method, path, query=query, body=body)
            return found

    def read(self, path: str, **query: str) -> bytes:
        """Return the bytes that a route answers. Raises Forbidden, Unavailable as `open`."""
        with self._told():
            return self._transport.bytes("GET", path, query=query)

    def open(self, path: str, body: JsonObject, headers: dict[str, str]) -> HTTPResponse:
        """Post a request and return the answer, to be closed.

        Raises:
            Forbidden: The key may not.
            Unavailable: The server cannot be reached, or answers with another error.
        """
        with self._told():
            return self._transport.open("POST", path, raw=json.dumps(body).encode(), headers=headers)

    def project(self, wanted: str) -> str:
        """Return the id of the project that is meant: by id, slug or name; without any, the only one there is.

        Raises:
            InvalidInput: There are several.
            NotFound: There is none of that name.
        """
        if is_project_id(wanted):
            return wanted
        rows = list(self._projects())
        fitting = [one for one in rows if wanted in ("", one["slug"], one["name"])]
        if len(fitting) == 1:
            return str(fitting[0]["id"])
        slugs = sorted(one["slug"] for one in rows)
        more = f" and {len(slugs) - NAMES_SHOWN} more" if len(slugs) > NAMES_SHOWN else ""
        names = (", ".join(slugs[:NAMES_SHOWN]) or "none that this key can see") + more
        if not fitting:
            raise NotFound(f"There is no project {wanted or 'at all'} on {self.url}; there is: {names}")
        raise InvalidInput(f"There are several projects, say which with --project: {names}")

    def _projects(self) -> Iterator[JsonObject]:
        for offset in range(0, PROJECTS_MAX, PROJECTS_AT_ONCE):
            page = self.call("GET", "/api/projects", limit=str(PROJECTS_AT_ONCE), offset=str(offset))
            yield from page["projects"]
            if offset + PROJECTS_AT_ONCE >= page["pagination"]["total"]:
                return

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except ApiError as error:
            kind = Forbidden if error.status == HTTPStatus.FORBIDDEN else Unavailable
            said = error.message[:MAX_ERROR_CHARS] if not error.code else error.message
            raise kind(f"{said} ({error.status})", details=dict(error.details) or None) from error
        except ServerAway as error:
            raise Unavailable(f"The server cannot be reached: {error}") from error


def server_of(url: str, key: str, key_file: str) -> Server:
    """Return the server to speak with; without a key, the one in `key_file`.

    Raises:
        InvalidInput: The address is none, or there is no key.
    """
    if not re.match(r"https?://[^/]", url):
        raise InvalidInput(f"{url!r} is no address of a server; write it as http://127.0.0.1:8400")
    if key:
        return Server(url, key)
    try:
        return Server(url, Path(key_file).read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"There is no API key: give --key, or a file with one to --key-file ({error})") from error


def project_path(project_id: str) -> str:
    """Return the path that all routes of a project begin with."""
    return f"/api/projects/{quote(project_id, safe='')}"
