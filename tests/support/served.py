"""A product that is really served, with processes of its own, and the requests a test sends to it."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
from msgspec import Struct

from actors.installation import MASTER_KEY_FILE
from storage.crypto import MasterKeys
from storage.database import Database
from storage.embedded import PostgresServer
from tests.prove.product import Product

WITHIN_S = 60.0
POLL_S = 0.02


class Answer(Struct, frozen=True):
    """What came back."""

    status: int
    body: dict[str, Any]

    @property
    def response(self) -> str:
        assert self.status == 200, self.body
        return str(self.body["response"])


@asynccontextmanager
async def served(
    folder: Path, texts: Mapping[str, str], *, hosts: int = 2, allowed: str = "", model_url: str = ""
) -> AsyncIterator[Product]:
    """Serve a project; at the end the product is asked to end and must do so in good order."""
    project = folder / "project"
    for name, text in texts.items():
        place = project / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    product = Product(project, folder / "data", hosts, allowed, model_url=model_url)
    await product.start()
    try:
        yield product
    finally:
        status = await product.stop()
    assert status == 0, "\n".join(product.log[-20:])


@asynccontextmanager
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    """Yield a client with as many connections as it likes."""
    timeout = aiohttp.ClientTimeout(total=WITHIN_S)
    async with aiohttp.ClientSession(timeout=timeout, connector=aiohttp.TCPConnector(limit=0)) as http:
        yield http


@asynccontextmanager
async def started(folder: Path, *words: str, **variables: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start `abl serve` in a folder of its own; its output is in `log`."""
    abl = str(Path(sys.executable).with_name("abl"))
    environment = {**os.environ, "ABL_EMBEDDED_MODEL": "off", **variables}
    with (folder / "log").open("wb") as log:
        server = await asyncio.create_subprocess_exec(
            abl, "serve", "--data-dir", str(folder / "data"), *words, stdout=log, stderr=log, env=environment
        )
    try:
        yield server
    finally:
        if server.returncode is None:
            server.terminate()
            await server.wait()


async def chat(product: Product, http: aiohttp.ClientSession, message: str, *, key: str = "", **more: object) -> Answer:
    """Send one message as plain JSON."""
    headers = {"X-API-Key": product.key, **({"Idempotency-Key": key} if key else {})}
    body = {"projectId": product.project_id, "message": message, **more}
    async with http.post(f"{product.url}/api/v1/chat/agent", json=body, headers=headers) as response:
        return Answer(response.status, await response.json())


async def until(condition: Callable[[], bool | Awaitable[bool]], what: str, *, within_s: float = WITHIN_S) -> None:
    """Wait for a condition; fail when it does not come true in time."""
    give_up = time.monotonic() + within_s
    while True:
        held = condition()
        if held if isinstance(held, bool) else await held:
            return
        assert time.monotonic() < give_up, f"not within {within_s} s: {what}"
        await asyncio.sleep(POLL_S)


@asynccontextmanager
async def stored(product: Product) -> AsyncIterator[Database]:
    """Yield the database of a product that has ended."""
    server = PostgresServer(product.data)
    await server.start()
    try:
        keys = MasterKeys.kept_in(product.data / MASTER_KEY_FILE)
        database = await Database.open(server.url, master_keys=keys)
        try:
            yield database
        finally:
            await database.close()
    finally:
        await server.stop()
