"""What may be lost: rate counters, held places, locks with a time to live, publish and subscribe. Redis protocol.

Nothing here is the truth of anything. When the server is away, limits let everything pass and say so, locks are not
given, and messages are lost; callers must live with each. The only module that knows the client library.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import redis.asyncio as client
from msgspec import Struct
from redis.exceptions import RedisError

from domain.errors import Unavailable

CONNECT_DEADLINE_S = 2.0
ANSWER_DEADLINE_S = 2.0
CONNECTIONS_MAX = 32
SUBSCRIPTION_POLL_S = 1.0
RESUBSCRIBE_DELAY_S = 0.1
LOCK_TOKEN_BYTES = 12

_LOST = (RedisError, OSError, TimeoutError)

TOKEN_BUCKET = """
local now = redis.call('TIME')
now = now[1] * 1000 + now[2] / 1000
local every, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local full = tonumber(redis.call('GET', KEYS[1]) or now)
if full < now then full = now end
local next_full = full + every
local wait = next_full - now - burst * every
if wait > 0 then
  return {0, 0, math.ceil(wait), math.ceil(full - now)}
end
redis.call('SET', KEYS[1], string.format('%.3f', next_full), 'PX', math.ceil(next_full - now) + 1)
return {1, math.floor(burst - (next_full - now) / every + 0.0001), 0, math.ceil(next_full - now)}
"""

SLIDING_WINDOW = """
local now = redis.call('TIME')
now = now[1] * 1000000 + now[2]
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2]) * 1000
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local count = redis.call('ZCARD', KEYS[1])
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local reset = window
if oldest[2] then reset = tonumber(oldest[2]) + window - now end
if count >= limit then
  return {0, 0, math.ceil(reset / 1000), math.ceil(reset / 1000)}
end
redis.call('ZADD', KEYS[1], now, now .. '-' .. count)
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
return {1, limit - count - 1, 0, math.ceil(reset / 1000)}
"""

HOLD = """
local now = redis.call('TIME')
now = now[1] * 1000 + math.floor(now[2] / 1000)
local limit, ttl = tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local held = redis.call('ZSCORE', KEYS[1], ARGV[1])
local count = redis.call('ZCARD', KEYS[1])
if not held and count >= limit then return {0, count} end
redis.call('ZADD', KEYS[1], now + ttl, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ttl)
if held then return {1, count} end
return {1, count + 1}
"""

SPEND = """
local now = redis.call('TIME')
now = now[1] * 1000 + now[2] / 1000
local lacking = {}
for place, key in ipairs(KEYS) do
  local count, every, most = tonumber(ARGV[3 * place - 2]), tonumber(ARGV[3 * place - 1]), tonumber(ARGV[3 * place])
  local full = tonumber(redis.call('GET', key) or now)
  if full < now then full = now end
  full = math.min(full + count * every, now + most)
  if full > now then redis.call('SET', key, string.format('%.3f', full), 'PX', math.ceil(full - now) + 1) end
  lacking[place] = math.ceil(full - now)
end
return lacking
"""

ADD = """
local counts = {}
for place = 1, #KEYS, 2 do
  counts[place] = redis.call('INCRBY', KEYS[place], ARGV[place])
  redis.call('PEXPIRE', KEYS[place], ARGV[place + 1])
  counts[place + 1] = tonumber(redis.call('GET', KEYS[place + 1]) or 0)
end
return counts
"""

UNLOCK = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


class Allowance(Struct, frozen=True):
    """The answer of a limit.

    Attributes:
        remaining: How many more would pass now.
        retry_after_ms: When the next one will pass; 0 when this one did.
        reset_after_ms: When the limit will be as fresh as new.
        is_known: False when the counters were out of reach, and everything passes.
    """

    is_allowed: bool
    remaining: int
    retry_after_ms: int
    reset_after_ms: int
    is_known: bool = True


class Spent(Struct, frozen=True):
    """Tokens of a bucket that were given without asking; it gains one `every_ms`, and lacks at most `most_ms`."""

    key: str
    count: int
    every_ms: float
    most_ms: float


class Counted(Struct, frozen=True):
    """Events of one window that were let pass without asking; `window` is its number since the epoch."""

    key: str
    count: int
    window: int
    window_ms: int


class Coordination:
    """One server of the Redis protocol."""

    def __init__(self, connections: Any) -> None:
        self._client = connections
        self._scripts = {
            text: connections.register_script(text) for text in (TOKEN_BUCKET, SLIDING_WINDOW, HOLD, UNLOCK, SPEND, ADD)
        }

    @classmethod
    def open(cls, url: str) -> Coordination:
        """Return the server at this address; it is connected to when first needed."""
        pool = client.BlockingConnectionPool.from_url(
            url,
            max_connections=CONNECTIONS_MAX,
            timeout=ANSWER_DEADLINE_S,
            socket_connect_timeout=CONNECT_DEADLINE_S,
            socket_timeout=ANSWER_DEADLINE_S,
        )
        return cls(client.Redis.from_pool(pool))

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def is_there(self) -> bool:
        """Return whether the server answers."""
        try:
            return bool(await self._client.ping())
        except _LOST:
            return False

    async def take_token(self, key: str, *, per_s: float, burst: int) -> Allowance:
        """Take one token of a bucket that holds `burst` and gains `per_s`."""
        return await self._allow(TOKEN_BUCKET, f"bucket:{key}", burst, 1_000 / per_s, burst)

    async def count_in_window(self, key: str, *, limit: int, window_ms: int) -> Allowance:
        """Count one event; at most `limit` pass in any `window_ms`."""
        return await self._allow(SLIDING_WINDOW, f"window:{key}", limit, limit, window_ms)

    async def spend(self, spent: Sequence[Spent]) -> list[float] | None:
        """Tell of tokens that were given; return for each bucket the ms until it is full, None while out of reach."""
        arguments = [part for one in spent for part in (one.count, one.every_ms, one.most_ms)]
        try:
            return list(await self._scripts[SPEND](keys=[f"bucket:{one.key}" for one in spent], args=arguments))
        except _LOST:
            return None

    async def add(self, counted: Sequence[Counted]) -> list[tuple[int, int]] | None:
        """Tell of events; return for each window its count and that of the one before, None while out of reach."""
        keys = [f"count:{one.key}:{number}" for one in counted for number in (one.window, one.window - 1)]
        arguments = [part for one in counted for part in (one.count, 2 * one.window_ms)]
        try:
            counts = await self._scripts[ADD](keys=keys, args=arguments)
        except _LOST:
            return None
        return list(zip(counts[::2], counts[1::2], strict=True))

    async def hold(self, key: str, member: str, *, limit: int, ttl_ms: int) -> bool:
        """Hold one of `limit` places for `ttl_ms`, or hold it longer; return False when all are held by others."""
        try:
            is_held, _ = await self._scripts[HOLD](keys=[f"places:{key}"], args=[member, limit, ttl_ms])
        except _LOST:
            return True
        return bool(is_held)

    async def let_go(self, key: str, member: str) -> None:
        """Give a held place back."""
        try:
            await self._client.zrem(f"places:{key}", member)
        except _LOST:
            return  # it runs out by itself

    async def lock(self, name: str, *, ttl_ms: int) -> str | None:
        """Return a token that unlocks, or None when somebody has the lock.

        Raises:
            Unavailable: The server is away, so nobody can be kept out.
        """
        token = secrets.token_hex(LOCK_TOKEN_BYTES)
        try:
            is_ours = await self._client.set(f"lock:{name}", token, nx=True, px=ttl_ms)
        except _LOST as error:
            raise Unavailable("The coordination store is not reachable.") from error
        return token if is_ours else None

    async def unlock(self, name: str, token: str) -> bool:
        """Open a lock; return False when it was no longer ours."""
        try:
            return bool(await self._scripts[UNLOCK](keys=[f"lock:{name}"], args=[token]))
        except _LOST:
            return False  # it runs out by itself

    async def publish(self, channel: str, message: bytes) -> bool:
        """Send to whoever listens now; return False when it is lost."""
        try:
            await self._client.publish(channel, message)
        except _LOST:
            return False
        return True

    @asynccontextmanager
    async def subscribed(self, *channels: str) -> AsyncIterator[AsyncIterator[tuple[str, bytes]]]:
        """Listen from the moment the block begins; what is sent while the server is away is lost."""
        listener = self._client.pubsub(ignore_subscribe_messages=True)
        try:
            await listener.subscribe(*channels)
        except _LOST as error:
            await listener.aclose()
            raise Unavailable("The coordination store is not reachable.") from error
        try:
            yield _messages(listener)
        finally:
            await listener.aclose()

    async def _allow(self, script: str, key: str, most: int, *arguments: float) -> Allowance:
        try:
            passed, remaining, retry_ms, reset_ms = await self._scripts[script](keys=[key], args=list(arguments))
        except _LOST:
            return Allowance(is_allowed=True, remaining=most, retry_after_ms=0, reset_after_ms=0, is_known=False)
        return Allowance(bool(passed), int(remaining), int(retry_ms), int(reset_ms))


async def _messages(listener: Any) -> AsyncIterator[tuple[str, bytes]]:
    while True:
        try:
            message = await listener.get_message(timeout=SUBSCRIPTION_POLL_S)
        except _LOST:
            await asyncio.sleep(RESUBSCRIBE_DELAY_S)  # the client connects and subscribes again by itself
            continue
        if message is not None:
            yield message["channel"].decode(), message["data"]
