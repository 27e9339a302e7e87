"""A server that runs, as commands speak with it: one request at a time over its HTTP API."""

from __future__ import annotations

import json
import re
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from cli.chat_link import JsonObject
from domain.errors import AppError, Forbidden, InvalidInput, NotFound, Unavailable
from domain.ids import is_project_id

SILENCE_S = 60.0
"""A server sends a heartbeat every 15 s (platform-api 4.3); after so long without a byte it is gone."""
MAX_ERROR_BYTES = 100_000
PROJECTS_SHOWN = 200


class Server:
    """One server, and the key it is asked with."""

    def __init__(self, url: str, key: str) -> None:
        self.url = url.rstrip("/")
        self._key = key

    def call(self, method: str, path: str, body: JsonObject | None = None, **query: str) -> JsonObject:
        """Return what a route answers, a JSON object. Raises Forbidden, Unavailable as `open`."""
        raw = None if body is None else json.dumps(body).encode()
        with self.open(path + (f"?{urlencode(query)}" if query else ""), raw, {}, method) as answer:
            try:
                found: JsonObject = json.load(answer)
            except (ValueError, OSError, HTTPException) as error:
                raise Unavailable(f"The answer of {self.url} cannot be read: {error}") from error
            return found

    def read(self, path: str, **query: str) -> bytes:
        """Return the bytes that a route answers. Raises Forbidden, Unavailable as `open`."""
        with self.open(f"{path}?{urlencode(query)}", None, {}) as answer:
            try:
                return answer.read()
            except (OSError, HTTPException) as error:
                raise Unavailable(f"The answer of {self.url} cannot be read: {error}") from error

    def open(self, path: str, body: bytes | None, headers: dict[str, str], method: str | None = None) -> HTTPResponse:
        """Send a request and return the answer, to be closed.

        Raises:
            Forbidden: The key may not.
            Unavailable: The server cannot be reached, or answers with another error.
        """
        given = {"X-API-Key": self._key, "Content-Type": "application/json", **headers}
        try:
            answer: HTTPResponse = urlopen(Request(self.url + path, body, given, method=method), timeout=SILENCE_S)
        except HTTPError as error:
            raise refusal(error) from error
        except (URLError, OSError, ValueError, HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise Unavailable(f"The server at {self.url} cannot be reached: {reason}") from error
        return answer

    def project(self, wanted: str) -> str:
        """Return the id of the project that is meant: by id, slug or name; without any, the only one there is.

        Raises:
            InvalidInput: There are several.
            NotFound: There is none of that name.
        """
        if is_project_id(wanted):
            return wanted
        rows = self.call("GET", "/api/projects", limit=str(PROJECTS_SHOWN))["projects"]
        fitting = [one for one in rows if wanted in ("", one["slug"], one["name"])]
        if len(fitting) == 1:
            return str(fitting[0]["id"])
        names = ", ".join(sorted(one["slug"] for one in rows)) or "none that this key can see"
        if not fitting:
            raise NotFound(f"There is no project {wanted or 'at all'} on {self.url}; there is: {names}")
        raise InvalidInput(f"There are several projects, say which with --project: {names}")


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


def refusal(error: HTTPError) -> AppError:
    """Return the error that an answer of the server is."""
    text = error.read(MAX_ERROR_BYTES).decode(errors="replace")
    try:
        told: Any = json.loads(text).get("error")
    except (ValueError, AttributeError):
        told = None
    message = told.get("message") if isinstance(told, dict) else told
    details = told.get("details") if isinstance(told, dict) else None
    kind = Forbidden if error.code == HTTPStatus.FORBIDDEN else Unavailable
    return kind(f"{message or text[:200] or error.reason} ({error.code})", details=details)
