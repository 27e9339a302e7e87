"""Connections that break the protocol, never end, or wait: over real sockets. Spec: platform-api 1.1, 17; RFC 9112."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from cli import bounded_http
from domain import limits
from gateway import bounds
from tests.support.hostile_bytes import BROKEN, HEAD, JSON_HEAD, chunked, packed_bomb
from tests.support.hostile_store import CLERK
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("hostile")]
DEADLINE_S = 60.0
WAIT_S = 0.3
LOGIN = f"POST /api/auth/login HTTP/1.1\r\n{HEAD}{JSON_HEAD}"


@pytest.fixture(scope="module")
async def gateway(servers: Servers) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, "hostile-sockets", {"clerk.abl": CLERK}) as opened:
        yield opened


async def answer(gateway: LiveGateway, *pieces: bytes) -> bytes:
    """Return everything that comes back until the server ends the connection or nothing more is sent for it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    try:
        async with asyncio.timeout(DEADLINE_S):
            told = asyncio.create_task(reader.read(2**16))
            for piece in pieces:
                try:
                    writer.write(piece)
                    await writer.drain()
                except ConnectionError:
                    break  # it has said enough
            try:
                return await told
            except ConnectionError:
                return b""
    finally:
        writer.transport.abort()


def status(answered: bytes) -> int:
    return int(answered.split()[1])


async def is_well(gateway: LiveGateway) -> bool:
    return (await gateway.call("GET", "/health")).status == 200


@pytest.mark.parametrize("name", BROKEN)
async def test_what_is_no_request_is_refused(gateway: LiveGateway, name: str) -> None:
    answered = await answer(gateway, BROKEN[name])
    assert not answered or 400 <= status(answered) < 500, answered[:300]
    assert b"Traceback" not in answered
    assert await is_well(gateway)


async def test_chunks_without_end_are_read_no_further_than_the_limit(gateway: LiveGateway) -> None:
    pieces = [chunked(b" " * 2**16, 4)] * (4 * limits.BODY_MAX_BYTES // 2**18)
    answered = await answer(gateway, f"{LOGIN}transfer-encoding: chunked\r\n\r\n".encode(), *pieces)
    assert status(answered) == 413
    assert await is_well(gateway)


async def test_a_head_without_end_is_refused(gateway: LiveGateway) -> None:
    for piece in (b"x: " + b"a" * 1_000 + b"\r\n", b"a" * 1_000):
        answered = await answer(gateway, b"GET /health HTTP/1.1\r\nx: ", *[piece] * 200)
        assert not answered or status(answered) == 400


async def test_a_head_that_does_not_come_is_given_up(gateway: LiveGateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_http, "HEAD_WAIT_S", WAIT_S)
    assert await answer(gateway, b"") == b""
    assert status(await answer(gateway, b"GET /health HTTP/1.1\r\nx: ")) == 400
    answered = await answer(gateway, f"GET /health HTTP/1.1\r\n{HEAD}\r\n".encode())
    assert status(answered) == 200


async def test_a_length_beyond_the_limit_is_refused_before_anything_is_sent(gateway: LiveGateway) -> None:
    answered = await answer(gateway, f"{LOGIN}content-length: {10**15}\r\n\r\n".encode())
    assert status(answered) == 413


async def test_a_packed_body_is_not_unpacked(gateway: LiveGateway) -> None:
    body = packed_bomb()
    head = f"{LOGIN}content-encoding: gzip\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    assert status(await answer(gateway, head, body)) == 400


@pytest.mark.parametrize("begun", [b"", b'{"email":'], ids=["nothing", "a beginning"])
@pytest.mark.parametrize("framing", ["content-length: 60", "transfer-encoding: chunked"])
async def test_a_body_that_does_not_come_is_given_up(
    gateway: LiveGateway, monkeypatch: pytest.MonkeyPatch, framing: str, begun: bytes
) -> None:
    monkeypatch.setattr(bounds, "BODY_WAIT_S", WAIT_S)
    sent = begun if "length" in framing or not begun else chunked(begun, 1)
    answered = await answer(gateway, f"{LOGIN}{framing}\r\n\r\n".encode() + sent)
    assert status(answered) == 408
    assert b"REQUEST_TIMEOUT" in answered
    assert b"connection: close" in answered.lower()


async def test_a_body_that_comes_byte_by_byte_is_given_up(
    gateway: LiveGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "BODY_WAIT_S", WAIT_S)
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    writer.write(f"{LOGIN}content-length: 1000\r\n\r\n".encode())

    async def drip() -> None:
        while True:
            writer.write(b" ")
            await asyncio.sleep(WAIT_S / 20)

    dripping = asyncio.create_task(drip())
    try:
        async with asyncio.timeout(DEADLINE_S):
            assert status(await reader.read(2**16)) == 408
    finally:
        dripping.cancel()
        writer.transport.abort()


async def test_a_second_request_inside_a_body_is_not_run(gateway: LiveGateway) -> None:
    """Where a length and chunks disagree, the rest is no request of anybody (RFC 9112, 6.1)."""
    smuggled = b"0\r\n\r\nGET /metrics HTTP/1.1\r\nhost: a\r\n\r\n"
    head = f"{LOGIN}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n".encode()
    answered = await answer(gateway, head + smuggled)
    assert answered.count(b"HTTP/1.1 200") == 0
    assert b"# HELP" not in answered
