"""What may be lost: rate counters, and who was first under a name for a while. Redis protocol.

Nothing here is the truth of anything. When the server is away, counters say so and nobody is first; callers must live
with both. The only module that knows the client library.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import redis.asyncio as client
from msgspec import Struct
from redis.exceptions import RedisError

from domain.errors import Unavailable

CONNECT_DEADLINE_S = 2.0
ANSWER_DEADLINE_S = 2.0
CONNECTIONS_MAX = 32

_LOST = (RedisError, OSError, TimeoutError)

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
        self._scripts = {text: connections.register_script(text) for text in (SPEND, ADD)}

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

    async def fault(self) -> str:
        """Return why the server does not serve us, in its own words; nothing when it does."""
        try:
            await self._client.ping()
        except _LOST as error:
            return str(error) or "The server does not answer."
        return ""

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

    async def first(self, name: str, *, ttl_ms: int) -> bool:
        """Return whether nobody has been first under this name for `ttl_ms`.

        Raises:
            Unavailable: The server is away, so nobody can be kept out.
        """
        try:
            return bool(await self._client.set(f"first:{name}", b"", nx=True, px=ttl_ms))
        except _LOST as error:
            raise Unavailable("The coordination store is not reachable.") from error
