"""Sends ended turns to an OpenTelemetry collector: OTLP over HTTP in JSON, off unless an endpoint is set.

Turns are read as they stand in the store, by a job, so a turn waits for no collector. A collector that is away is asked
again ever more rarely, and gets what it missed as far back as traces are kept. What it refuses for good is left out.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from importlib.metadata import PackageNotFoundError, version
from typing import Final

import msgspec

from actors.settings import Settings
from domain.errors import Unavailable
from domain.otel_spans import export_request, spans_of_turn
from domain.secret_spellings import MASK, spellings, without, words_of
from providers.addresses import AddressPolicy
from providers.failures import CallFailed
from providers.http import HttpAnswer, HttpCall, HttpClient, Timeouts
from storage.database import Database
from storage.repositories.turn_readers import ReadTurn, TurnReader

READER: Final = "otel"
SERVICE: Final = "abl-runtime"
TRACES_PATH: Final = "/v1/traces"
TURNS_AT_ONCE: Final = 100
TRIES: Final = 3
TRY_AGAIN_S: Final = 0.5
"""Before the second try of a piece; twice as long before the third. Then the job itself is tried again, later."""
TIMEOUTS: Final = Timeouts(total_s=10.0)
PASSING: Final = frozenset({429, 502, 503, 504})
"""What a collector answers that may be asked again. Source: OTLP 1.x, retryable response codes."""
REFUSED_SHOWN_CHARS: Final = 200
_log = logging.getLogger(__name__)


def span_export(settings: Settings, stack: AsyncExitStack, database: Database) -> SpanExport | None:
    """Return what sends spans where the settings say so; None when they name no collector."""
    if not settings.otlp_endpoint:
        return None
    client = HttpClient(AddressPolicy(everything=True))  # whoever runs the installation names it, no tenant does
    stack.push_async_callback(client.close)
    return SpanExport(database, client, settings.otlp_endpoint, settings.otlp_headers, _version())


def _version() -> str:
    try:
        return version("abl-runtime")
    except PackageNotFoundError:
        return "0"


class SpanExport:
    """Sends what has ended since the last time."""

    def __init__(
        self, database: Database, client: HttpClient, endpoint: str, headers: Mapping[str, str], version: str
    ) -> None:
        """`endpoint` is the collector's address, without the path of traces."""
        self._database = database
        self._client = client
        self._url = endpoint.rstrip("/") + TRACES_PATH
        self._headers = {"content-type": "application/json", **headers}
        self._secrets = frozenset(word for value in headers.values() for word in words_of(value))
        self._spelt = frozenset[str]().union(*map(spellings, self._secrets))
        self._version = version
        self._reader = TurnReader(database, READER)
        self._has_begun = False

    async def go_on(self) -> int:
        """Send the next turns; return how many they were, 0 when all are sent.

        Raises:
            Unavailable: The collector does not answer; nothing is lost by it.
        """
        if not self._has_begun:
            await self._reader.begin()
            self._has_begun = True
        async with self._database.connection() as connection:
            place = await self._reader.place(connection)
            read = await self._reader.next(connection, place, TURNS_AT_ONCE)
            opened = await self._reader.opened(connection, TURNS_AT_ONCE)
        if read:
            await self._send(_body(read, self._version))
            async with self._database.transaction() as connection:
                await self._reader.move(connection, read)
        if opened is not None:
            await self._send(_body(opened.read, self._version))
            async with self._database.connection() as connection:
                await self._reader.take_back(connection, opened)
        return len(read) + (len(opened.aside) if opened is not None else 0)

    async def _send(self, body: bytes | None) -> None:
        if body is None:
            return
        call = HttpCall(
            method="POST",
            url=self._url,
            headers=self._headers,
            body=body,
            timeouts=TIMEOUTS,
            secret_headers=frozenset(self._headers),
        )
        delay_s = TRY_AGAIN_S
        for left in reversed(range(TRIES)):
            failure = await self._try(call)
            if failure is None:
                return
            if not left:
                raise failure
            await asyncio.sleep(delay_s)
            delay_s *= 2

    async def _try(self, call: HttpCall) -> Unavailable | None:
        """Send once; return why it may be tried again, None when it is done with."""
        try:
            answer = await self._client.send(call)
        except CallFailed as error:
            return error
        if answer.status in PASSING:
            return Unavailable(f"The collector answered {answer.status}")
        if not 200 <= answer.status < 300:
            _log.warning("the collector refuses spans: %s %s", answer.status, self._shown(answer))
        return None

    def _shown(self, answer: HttpAnswer) -> str:
        """Return the beginning of an answer, without what the collector was shown."""
        said = answer.body.decode(errors="replace")
        return without(said, self._secrets, self._spelt, MASK)[:REFUSED_SHOWN_CHARS]


def _body(read: Sequence[ReadTurn], version: str) -> bytes | None:
    spans = [span for one in read if one.turn is not None for span in spans_of_turn(one.tenant_id, one.name, one.turn)]
    return msgspec.json.encode(export_request(SERVICE, version, spans)) if spans else None
