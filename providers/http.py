"""The one HTTP client: guarded connections, timeouts, redirects that are judged again, byte limits, SSE.

The only module that knows aiohttp. Every failure leaves as CallFailed; nothing is retried here.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Mapping
from functools import lru_cache
from typing import Final

import msgspec
from aiohttp import (
    ClientConnectionError,
    ClientError,
    ClientPayloadError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    ConnectionTimeoutError,
    DummyCookieJar,
    ServerDisconnectedError,
    TCPConnector,
)
from aiohttp.abc import AbstractResolver, ResolveResult
from msgspec import Struct
from yarl import URL

from providers.addresses import AddressPolicy
from providers.failures import CallFailed, FailureKind
from providers.guarded_resolver import GuardedResolver, Lookup, system_lookup
from providers.sse import EventTooLarge, SseReader

MAX_CONNECTIONS: Final = 512
MAX_CONNECTIONS_PER_HOST: Final = 256
MAX_REDIRECTS: Final = 5
MAX_RESPONSE_BYTES: Final = 5 << 20
MAX_STREAM_BYTES: Final = 64 << 20
MAX_ERROR_BODY_BYTES: Final = 8 << 10
MAX_URL_CHARS: Final = 8_192
MAX_KEPT_URL_CHARS: Final = 512
MAX_KEPT_URLS: Final = 1_024
"""Addresses whose reading is kept; none with a query, which may hold values of a user."""
MAX_KEPT_TIMEOUTS: Final = 64
NAME_CACHE_S: Final = 10
KEEP_ALIVE_S: Final = 30.0
READ_BYTES: Final = 64 << 10

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_SCHEMES: Final = frozenset({"http", "https"})
_OF_ONE_ORIGIN: Final = frozenset({"authorization", "cookie", "proxy-authorization", "host"})
_OF_A_BODY: Final = frozenset({"content-type", "content-length", "content-encoding", "transfer-encoding"})


class Timeouts(Struct, frozen=True):
    """How long each part of a call may take, in seconds; `idle_s` is between two pieces of the answer."""

    total_s: float = 30.0
    connect_s: float = 5.0
    idle_s: float = 30.0


class HttpCall(Struct, frozen=True):
    """One request. Headers named in `secret_headers` (lower case) do not follow a redirect to another origin."""

    method: str
    url: str
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    body: bytes | None = None
    timeouts: Timeouts = Timeouts()
    max_response_bytes: int = MAX_RESPONSE_BYTES
    redirects: int = 0
    secret_headers: frozenset[str] = frozenset()


class HttpAnswer(Struct, frozen=True):
    """One whole answer; header names are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _Resolver(AbstractResolver):
    """The guarded resolver in aiohttp's shape."""

    def __init__(self, guard: GuardedResolver) -> None:
        self._guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the judged addresses of `host`."""
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=socket.AF_INET if address.version == 4 else socket.AF_INET6,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in await self._guard.addresses(host, port)
        ]

    async def close(self) -> None:
        """Nothing is held."""


class HttpClient:
    """Connections under one address policy; used by one event loop, opened with the first call."""

    def __init__(
        self,
        policy: AddressPolicy,
        *,
        lookup: Lookup = system_lookup,
        max_connections: int = MAX_CONNECTIONS,
        max_connections_per_host: int = MAX_CONNECTIONS_PER_HOST,
    ) -> None:
        self._guard = GuardedResolver(policy, lookup)
        self._max_connections = max_connections
        self._max_connections_per_host = max_connections_per_host
        self._session: ClientSession | None = None
        self._is_closed = False
        self._read_often = lru_cache(maxsize=MAX_KEPT_URLS)(self._read)

    async def send(self, call: HttpCall) -> HttpAnswer:
        """Return the answer, whatever its status.

        Raises:
            CallFailed: There is none, or it is too large, or it leads where nothing may be called.
        """
        response = await self._response(call)
        try:
            body = await _body(response, call.max_response_bytes)
        except (ClientError, OSError, ValueError) as error:
            raise _failure(error) from error
        finally:
            response.release()
        return HttpAnswer(response.status, _headers(response), body)

    async def events(self, call: HttpCall) -> AsyncGenerator[list[bytes], None]:
        """Yield the data of the server-sent events that each piece of the answer completes.

        Raises:
            CallFailed: STATUS with the beginning of the body when the status is not 2xx, and all that `send` raises.
        """
        response = await self._response(call)
        try:
            if not 200 <= response.status < 300:
                body = await _body(response, MAX_ERROR_BODY_BYTES, cut=True)
                raise status_failure(HttpAnswer(response.status, _headers(response), body))
            reader, size, content = SseReader(), 0, response.content
            while chunk := await content.readany():
                size += len(chunk)
                if size > MAX_STREAM_BYTES:
                    raise _too_large(MAX_STREAM_BYTES)
                if events := reader.feed(chunk):
                    yield events
            if events := reader.finish():
                yield events
        except EventTooLarge as error:
            raise CallFailed(FailureKind.TOO_LARGE, str(error), sent=True) from error
        except (ClientError, OSError, ValueError) as error:
            raise _failure(error) from error
        finally:
            response.release()

    async def open(self, call: HttpCall) -> OpenAnswer:
        """Return an answer whose body is read as it comes; whoever asked closes it. Raises CallFailed as `send`."""
        return OpenAnswer(await self._response(call))

    async def close(self) -> None:
        """Close all connections; a call that comes later, of a turn that is being let go, is refused."""
        self._is_closed = True
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _response(self, call: HttpCall) -> ClientResponse:
        """Return the answer of the last hop, to be released; every hop is judged, all of them share one deadline."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + call.timeouts.total_s
        url = self._judged(call.url)
        timeout = _kept_timeout(call.timeouts)
        left = call.redirects
        while True:
            session = self._open()
            try:
                response = await session.request(
                    call.method, url, headers=call.headers, data=call.body, allow_redirects=False, timeout=timeout
                )
            except (ClientError, OSError, ValueError) as error:
                raise _failure(error) from error
            if response.status not in _REDIRECTS or call.redirects == 0 or "Location" not in response.headers:
                return response
            response.release()
            if not left:
                raise CallFailed(FailureKind.REDIRECT, f"More than {call.redirects} redirects", sent=True)
            left -= 1
            target = self._judged(_location(url, response.headers["Location"]))
            call = redirected(call, response.status, same_origin=url.origin() == target.origin())
            url = target
            remaining_s = max(deadline - loop.time(), 0.001)
            timeout = _timeout(msgspec.structs.replace(call.timeouts, total_s=remaining_s))

    def _judged(self, text: str) -> URL:
        """Return the address to call, refused when its form or its literal host is not allowed."""
        return self._read(text) if len(text) > MAX_KEPT_URL_CHARS or "?" in text else self._read_often(text)

    def _read(self, text: str) -> URL:
        if len(text) > MAX_URL_CHARS:
            raise CallFailed(FailureKind.INVALID, f"The address is longer than {MAX_URL_CHARS} characters")
        try:
            url = URL(text)
            port, host = url.port, url.host
        except ValueError as error:
            raise CallFailed(FailureKind.INVALID, "The address cannot be read") from error
        if url.scheme not in _SCHEMES or not host or port is None:
            raise CallFailed(FailureKind.INVALID, "An address begins with http:// or https:// and names a host")
        if url.raw_user is not None or url.raw_password is not None:
            raise CallFailed(FailureKind.INVALID, "An address holds no user and password; use the tool's auth")
        self._guard.check_literal(host, port)
        return url

    def _open(self) -> ClientSession:
        if self._is_closed:
            raise CallFailed(FailureKind.CONNECT, "The client is closed")
        if self._session is None:
            connector = TCPConnector(
                resolver=_Resolver(self._guard),
                limit=self._max_connections,
                limit_per_host=self._max_connections_per_host,
                ttl_dns_cache=NAME_CACHE_S,
                keepalive_timeout=KEEP_ALIVE_S,
            )
            self._session = ClientSession(
                connector=connector,
                cookie_jar=DummyCookieJar(),
                trust_env=False,
                read_bufsize=READ_BYTES,
                headers={"User-Agent": "abl-runtime"},
            )
        return self._session


class OpenAnswer:
    """An answer whose body has not been read."""

    def __init__(self, response: ClientResponse) -> None:
        self._response = response
        self.status = response.status
        self.headers = _headers(response)

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it comes, without a bound. Raises CallFailed."""
        try:
            while chunk := await self._response.content.readany():
                yield chunk
        except (ClientError, OSError, ValueError) as error:
            raise _failure(error) from error

    async def body(self, limit_bytes: int) -> bytes:
        """Return the whole body. Raises CallFailed, TOO_LARGE beyond the limit."""
        try:
            return await _body(self._response, limit_bytes)
        except (ClientError, OSError, ValueError) as error:
            raise _failure(error) from error

    def close(self) -> None:
        """Let the connection go, which is cut when the body has not been read to its end."""
        self._response.close()


def _location(url: URL, text: str) -> str:
    """Return the address that a redirect from `url` names. Raises CallFailed: it names none."""
    try:
        return str(url.join(URL(text)))
    except ValueError as error:
        raise CallFailed(FailureKind.REDIRECT, "The address of a redirect cannot be read", sent=True) from error


def _failure(error: Exception) -> CallFailed:
    """Return the failure that an error of aiohttp is."""
    match error:
        case ConnectionTimeoutError():
            return CallFailed(FailureKind.TIMEOUT, "No connection in time")
        case TimeoutError():
            return CallFailed(FailureKind.TIMEOUT, "No answer in time", sent=True)
        case ServerDisconnectedError() | ClientPayloadError() | ConnectionResetError():
            return CallFailed(FailureKind.CUT, "The connection was cut", sent=True)
        case ClientConnectionError():
            return CallFailed(FailureKind.CONNECT, "No connection")
        case ClientError():
            return CallFailed(FailureKind.GARBAGE, "The answer is not HTTP", sent=True)
        case ValueError():
            return CallFailed(FailureKind.INVALID, "The request cannot be sent")
        case _:
            return CallFailed(FailureKind.CUT, "The connection failed", sent=True)


def _timeout(timeouts: Timeouts) -> ClientTimeout:
    """Return aiohttp's form. A pause as long as the whole call needs no timer of its own."""
    idle_s = timeouts.idle_s if timeouts.idle_s < timeouts.total_s else None
    return ClientTimeout(total=timeouts.total_s, connect=timeouts.connect_s, sock_read=idle_s)


_kept_timeout = lru_cache(maxsize=MAX_KEPT_TIMEOUTS)(_timeout)


def redirected(call: HttpCall, status: int, *, same_origin: bool) -> HttpCall:
    """Return the call that follows a redirect: method and body as the status says, secrets only to the same origin."""
    headers = dict(call.headers)
    if not same_origin:
        dropped = _OF_ONE_ORIGIN | call.secret_headers
        headers = {name: value for name, value in headers.items() if name.lower() not in dropped}
    if call.method in {"GET", "HEAD"} or status in {307, 308}:
        return msgspec.structs.replace(call, headers=headers)
    headers = {name: value for name, value in headers.items() if name.lower() not in _OF_A_BODY}
    return msgspec.structs.replace(call, method="GET", headers=headers, body=None)


def status_failure(answer: HttpAnswer) -> CallFailed:
    """Return the failure that an answer with a status outside 2xx is."""
    return CallFailed(
        FailureKind.STATUS,
        f"The other side answered {answer.status}",
        status=answer.status,
        body=answer.body[:MAX_ERROR_BODY_BYTES],
        retry_after_s=retry_after_s(answer.headers),
        sent=True,
    )


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After header; dates are not read."""
    text = headers.get("retry-after", "").strip()
    return float(text) if text.isascii() and text.replace(".", "", 1).isdigit() else None


async def _body(response: ClientResponse, limit: int, *, cut: bool = False) -> bytes:
    """Return the body, refused (or cut) when it is longer than `limit`."""
    if not cut and (response.content_length or 0) > limit:
        raise _too_large(limit)
    pieces: list[bytes] = []
    size, content = 0, response.content
    while chunk := await content.readany():
        pieces.append(chunk)
        size += len(chunk)
        if size > limit:
            if not cut:
                raise _too_large(limit)
            break
    return b"".join(pieces)[:limit]


def _too_large(limit: int) -> CallFailed:
    return CallFailed(FailureKind.TOO_LARGE, f"The answer is longer than {limit} bytes", sent=True)


def _headers(response: ClientResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}
