"""One server, and who asks it: requests over HTTP with the standard library alone.

Errors of the API are raised as `ApiError`, with the code and the details of their body. Spec: platform-api 1.
"""

from __future__ import annotations

import builtins
import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

SILENCE_S = 150.0
"""A turn may take 120 s; after so long without a byte the server is gone."""
MAX_ERROR_BYTES = 100_000

SCHEMES: Final[Mapping[str, tuple[str, str, str]]] = {
    "apiKey": ("X-API-Key", "{}", "key"),
    "bearer": ("Authorization", "Bearer {}", "token"),
    "sdkToken": ("X-SDK-Token", "{}", "sdk_token"),
    "publicKey": ("X-Public-Key", "{}", "public_key"),
    "publicApiKey": ("X-API-Key", "{}", "public_key"),
    "sandboxToken": ("Authorization", "Bearer {}", "sandbox_token"),
}
"""Credential of the OpenAPI document -> header, its form, what the client calls it; the first that fits is sent."""
OF_PAGES: Final = frozenset({"sdkToken", "publicKey", "publicApiKey"})
BY_KEY: Final = ("apiKey",)
SIGNATURE: Final = "x-callback-signature"

__all__ = ["ApiError", "CredentialMissing", "Credentials", "ServerAway", "Transport", "place"]


class ApiError(Exception):
    """The server has refused a request.

    Attributes:
        status: HTTP status; 0 for an error that a stream tells of once it has begun.
        code: As in platform-api 1.3, e.g. `NOT_FOUND`; empty when the answer is not the API's.
        retry_after_s: When to ask again, None when that is not said.
    """

    def __init__(
        self, status: int, code: str, message: str, details: Mapping[str, Any], retry_after_s: float | None
    ) -> None:
        super().__init__(f"{status} {code}: {message}" if code else f"{status}: {message}")
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        self.retry_after_s = retry_after_s


class ServerAway(Exception):
    """The server cannot be reached, or its answer broke off: the request may have been carried out.

    Send it again under the same idempotency key: it is then carried out once.
    """


class CredentialMissing(Exception):
    """An operation asks for a credential that the client was not given; the message names it."""


@dataclass(frozen=True)
class Credentials:
    """What a client may show; each operation is sent the first of those it takes.

    Attributes:
        key: API key (`abl_...`).
        token: Access token of a user, as a log-in gives it.
        sdk_token: Token of a page, as `init` gives it.
        public_key: What a page carries (`pk_...`).
        sandbox_token: What sandboxed code was given.
        origin: Of the page that a client speaks for, where its public key wants one.
    """

    key: str = ""
    token: str = ""
    sdk_token: str = ""
    public_key: str = ""
    sandbox_token: str = ""
    origin: str = ""

    def headers(self, schemes: Sequence[str]) -> dict[str, str]:
        """Return the headers of the one credential to send. Raises CredentialMissing: none of these is there."""
        if not schemes:
            return {}
        for name in (name for name in SCHEMES if name in schemes):
            header, form, field = SCHEMES[name]
            if secret := getattr(self, field):
                page = {"Origin": self.origin} if self.origin and name in OF_PAGES else {}
                return {header: form.format(secret), **page}
        wanted = " or ".join(dict.fromkeys(SCHEMES[name][2] for name in schemes))
        raise CredentialMissing(f"this operation asks for {wanted}; give it to the client: Client(url, {wanted}=...)")


class Transport:
    """Sends requests to one server.

    Attributes:
        url: Of the server, without a slash at its end.
    """

    def __init__(self, url: str, shown: str | Credentials, *, silence_s: float = SILENCE_S) -> None:
        """`shown` is an API key, or all that the client may show."""
        self.url = url.rstrip("/")
        self._shown = Credentials(shown) if isinstance(shown, str) else shown
        self._silence_s = silence_s

    def json(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: object = None,
        idempotency_key: str = "",
        schemes: Sequence[str] = BY_KEY,
        secret: str = "",
    ) -> Any:
        """Return the JSON that a route answers.

        Args:
            method, path, query, body: The request.
            idempotency_key: Sent again under the same one, the request is carried out once.
            schemes: The credentials that the route takes, as the OpenAPI document calls them.
            secret: What the body is signed with, for callbacks.

        Raises:
            ApiError: The server refuses.
            CredentialMissing: The client has none of the credentials.
            ServerAway: It is not there, or its answer cannot be read.
        """
        raw = self.bytes(
            method, path, query=query, body=body, idempotency_key=idempotency_key, schemes=schemes, secret=secret
        )
        try:
            return json.loads(raw)
        except ValueError as error:
            raise ServerAway(f"the answer of {self.url} cannot be read: {error}") from error

    def bytes(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: object = None,
        idempotency_key: str = "",
        schemes: Sequence[str] = BY_KEY,
        secret: str = "",
    ) -> bytes:
        """Return what a route answers. Raises as `json`."""
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        raw = None if body is None else json.dumps(body).encode()
        if secret:
            headers[SIGNATURE] = "sha256=" + hmac.new(secret.encode(), raw or b"", "sha256").hexdigest()
        with self.open(method, path, query=query, raw=raw, headers=headers, schemes=schemes) as answer:
            try:
                content: bytes = answer.read()
            except (OSError, HTTPException) as error:
                raise ServerAway(f"{self.url}: the answer broke off: {error}") from error
            return content

    def open(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        raw: builtins.bytes | None = None,
        headers: Mapping[str, str] | None = None,
        schemes: Sequence[str] = BY_KEY,
    ) -> HTTPResponse:
        """Send a request and return its answer, a stream perhaps, to be read and closed. Raises as `json`."""
        sent = {**self._shown.headers(schemes), "Content-Type": "application/json", **(headers or {})}
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        address = self.url + path + (f"?{urlencode(given)}" if given else "")
        try:
            answer: HTTPResponse = urlopen(Request(address, raw, sent, method=method), timeout=self._silence_s)
        except HTTPError as error:
            raise refusal(error) from error
        except (URLError, OSError, ValueError, HTTPException) as error:
            raise ServerAway(f"{self.url}: {getattr(error, 'reason', error)}") from error
        return answer


def place(name: str) -> str:
    """Return an id as a part of a path."""
    return quote(name, safe="")


def refusal(error: HTTPError | HTTPResponse) -> ApiError:
    """Return the error that an answer tells of. Spec: platform-api 1.3."""
    raw = error.read(MAX_ERROR_BYTES)
    wait = error.headers.get("Retry-After", "")
    retry_after_s = float(wait) if wait.isdigit() else None
    try:
        told = json.loads(raw)
    except ValueError:
        told = None
    status = error.status or 0
    if not isinstance(told, dict):
        return ApiError(status, "", raw.decode(errors="replace"), {}, retry_after_s)
    said = told.get("error")
    if isinstance(said, dict):
        message, code = str(said.get("message", "")), str(said.get("code", ""))
        return ApiError(status, code, message, said.get("details") or {}, retry_after_s)
    return ApiError(status, str(told.get("code", "")), str(said), {}, retry_after_s)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
