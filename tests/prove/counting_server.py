"""The outside world of the kill test: two tools that count. One honours Idempotency-Key, the other runs every call."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict

from aiohttp import web

WORK_S = 0.005


class CountingServer:
    """Counts what was done for each order."""

    def __init__(self) -> None:
        self.applied: defaultdict[str, set[str]] = defaultdict(set)
        self.runs: Counter[str] = Counter()
        self.repeats = 0
        self.port = 0
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        app = web.Application()
        app.router.add_post("/keyed", self._keyed)
        app.router.add_post("/unkeyed", self._unkeyed)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _keyed(self, request: web.Request) -> web.Response:
        order = (await request.json())["order"]
        key = request.headers["Idempotency-Key"]
        if key in self.applied[order]:
            self.repeats += 1
        self.applied[order].add(key)
        await asyncio.sleep(WORK_S)
        return web.json_response({"order": order})

    async def _unkeyed(self, request: web.Request) -> web.Response:
        order = (await request.json())["order"]
        self.runs[order] += 1
        await asyncio.sleep(WORK_S)
        return web.json_response({"order": order})

    def done_twice(self) -> list[str]:
        """Orders whose effect took place more than once."""
        keyed = [order for order, keys in self.applied.items() if len(keys) > 1]
        return keyed + [order for order, runs in self.runs.items() if runs > 1]
