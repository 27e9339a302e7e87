"""The whole product in this process on real sockets: embedded servers, local runtime, the gateway under uvicorn.

`cut_*` clients speak the protocols by hand, so that a connection can be cut after any piece of what was read.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import uvicorn
from websockets.asyncio.client import ClientConnection, connect

from actors.clocks import RandomIds, SystemClock
from actors.first_keys import make_key
from actors.projects import TENANT_ID, put_project
from actors.settings import ModelProvider, Settings
from actors.wiring import RunningRuntime, open_runtime
from cli.serving import access_services, server_config
from domain.rates import RateSettings
from gateway.app import build_app
from gateway.settings import GatewaySettings
from storage.repositories.api_keys import ApiKeys, NewKey
from storage.statements import Statement
from tests.support.servers import Servers

DEADLINE_S = 60.0
SECRET = b"0123456789abcdef0123456789abcdef"
NO_RATES = RateSettings(
    requests_per_second=0,
    requests_burst=0,
    session_messages_per_minute=0,
    concurrent_sessions=0,
    sdk_inits_per_minute=0,
    tickets_per_minute=0,
    tickets_per_tenant_minute=0,
)
HELD = 2**16


LEFT = (
    Statement("DELETE FROM model_providers WHERE tenant_id = :tenant_id AND project_id IS NULL"),
    Statement("DELETE FROM budgets WHERE tenant_id = :tenant_id AND project_id = ''"),
)
"""What holds for every project of a tenant."""


@dataclass
class LiveGateway:
    """A gateway that listens on `port`."""

    port: int
    project_id: str
    key: str
    public_key: str
    running: RunningRuntime
    app: Any

    async def call(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Answer:
        """Send one request on a connection of its own and read its answer to the end."""
        async with self.request(method, path, body, headers) as answer:
            answer.body = b"".join([piece async for piece in answer.pieces()])
            return answer

    @asynccontextmanager
    async def request(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[Answer]:
        """Send one request; leaving the block cuts the connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=HELD)
        raw = b"" if body is None else json.dumps(body).encode()
        sent = {"host": f"127.0.0.1:{self.port}", "x-api-key": self.key, **(headers or {})}
        if raw:
            sent.setdefault("content-type", "application/json")
        sent["content-length"] = str(len(raw))
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items() if value)
        try:
            writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + raw)
            async with asyncio.timeout(DEADLINE_S):
                yield await _answer(reader)
        finally:
            writer.transport.abort()

    async def page_token(self) -> str:
        """Return the SDK token of a new page."""
        headers = {"x-api-key": "", "x-public-key": self.public_key}
        answer = await self.call("POST", "/api/v1/sdk/init", {"projectId": self.project_id}, headers)
        return str(answer.json()["token"])

    @asynccontextmanager
    async def socket(
        self, token: str, query: str = "", *, protocol: str = "sdk-auth"
    ) -> AsyncIterator[ClientConnection]:
        """Open the socket of a page; leaving the block cuts the connection without a goodbye."""
        address = f"ws://127.0.0.1:{self.port}/ws/sdk{query}"
        async with asyncio.timeout(DEADLINE_S):
            opened = await connect(address, subprotocols=[protocol, token], close_timeout=0)
            try:
                yield opened
            finally:
                opened.transport.abort()


@dataclass
class Answer:
    """The head of an answer, and its body while it comes."""

    status: int
    headers: dict[str, str]
    reader: asyncio.StreamReader
    body: bytes = field(default=b"")

    def json(self) -> Any:
        return json.loads(self.body)

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the body as it comes."""
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            yield await self.reader.readexactly(int(self.headers.get("content-length", 0)))
            return
        while size := int((await self.reader.readline()).strip(), 16):
            yield await self.reader.readexactly(size)
            await self.reader.readline()
        await self.reader.readline()


async def _answer(reader: asyncio.StreamReader) -> Answer:
    first = await reader.readline()
    headers: dict[str, str] = {}
    while line := (await reader.readline()).strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    return Answer(int(first.split()[1]), headers, reader)


@asynccontextmanager
async def a_live_gateway(
    servers: Servers,
    name: str,
    texts: Mapping[str, str],
    *,
    model_url: str = "",
    rates: RateSettings = NO_RATES,
    **more: Any,
) -> AsyncIterator[LiveGateway]:
    """Yield a gateway that serves these ABL texts on servers that are up already."""
    models = (ModelProvider(name="stub", base_url=model_url, models=("talker",)),) if model_url else ()
    settings = Settings(
        database_url=servers.database_url,
        redis_url=servers.redis_url,
        providers=models,
        default_model="stub/talker" if model_url else "",
        **more,
    )
    async with open_runtime(settings) as running:
        for left in LEFT:  # by tests before this one, of the tenant that all of them share
            await running.database.execute(left, tenant_id=TENANT_ID)
        seeded = await put_project(running.database, name, texts)
        ids = RandomIds()
        key = await make_key(running.database, ids)
        public_key = f"pk_{ids.new('')}"
        new_key = NewKey(
            key_id=ids.new("key"), plaintext=public_key, kind="public", project_id=seeded.project_id,
            details={"allowedOrigins": ["*"], "requireOrigin": False},
        )  # fmt: skip
        await ApiKeys(running.database).create(TENANT_ID, new_key)
        first = LiveGateway(0, seeded.project_id, key, public_key, running, None)
        async with another_gateway(first, rates=rates) as gateway:
            yield gateway


@asynccontextmanager
async def another_gateway(
    beside: LiveGateway, *, rates: RateSettings = NO_RATES, **services: Any
) -> AsyncIterator[LiveGateway]:
    """Yield one more gateway over the same runtime, as a second process would be one; `services` replace its own."""
    access = replace(access_services(beside.running, SystemClock(), RandomIds()), **services)
    app = build_app(beside.running.runtime, access, GatewaySettings(token_secret=SECRET, rates=rates))
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    server = uvicorn.Server(server_config(app, lifespan="on"))
    server.config.load()
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        async with asyncio.timeout(DEADLINE_S):
            while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
                await asyncio.sleep(0.005)
        yield replace(beside, port=listener.getsockname()[1], app=app)
    finally:
        server.should_exit = True
        await serving
