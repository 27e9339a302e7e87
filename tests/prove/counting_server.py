"""The outside world of the kill test: tools that count. Two honour Idempotency-Key, the other runs every call.
Some calls of that one last longer than their caller waits.

The jobs answer later, as a callback that is delivered twice at the same time and until it is taken.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import zlib
from collections import Counter, defaultdict
from typing import Any

import aiohttp
from aiohttp import web

from tests.prove.patience import patient

WORK_S = 0.005
SLOW_EVERY = 25
"""One in so many orders without a key takes longer than its tool may, and is carried out all the same."""
SLOW_S = 6.0
DELIVERIES = 2
DELIVER_AGAIN_S = 0.2
DELIVERY_PATIENCE_S = 180.0
MEMORY_PATIENCE_S = 8.0
"""Shorter than the tool waits for its answer."""
STORE = "orders"
TAKEN_TWICE = "already_processed"


class CountingServer:
    """Counts what was done for each order."""

    def __init__(self) -> None:
        self.applied: defaultdict[str, set[str]] = defaultdict(set)
        self.runs: Counter[str] = Counter()
        self.answers: defaultdict[str, list[str]] = defaultdict(list)
        self.kept: defaultdict[str, list[str]] = defaultdict(list)
        """Conversation -> what its memory store was last acknowledged to hold."""
        self.perhaps: defaultdict[str, list[str]] = defaultdict(list)
        """What it was last asked to hold."""
        self.forgotten: list[str] = []
        self.away: set[str] = set()
        """Orders whose memory endpoint stayed away for longer than the tool tries: it then answers with 503."""
        self.remembered = 0
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.calls = 0
        self.work_s = WORK_S
        self.repeats = 0
        self.slow = 0
        self.port = 0
        self._runner: web.AppRunner | None = None
        self._http: aiohttp.ClientSession | None = None
        self._delivering: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> CountingServer:
        await self.start()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.stop()

    async def start(self) -> None:
        app = web.Application()
        app.router.add_post("/keyed", self._keyed)
        app.router.add_post("/unkeyed", self._unkeyed)
        app.router.add_post("/jobs", self._job)
        app.router.add_post("/remembered", self._remember)
        self._http = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=10))
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]

    async def settled(self) -> None:
        """Wait until every callback was delivered; each has its own bound."""
        if self._delivering:
            await asyncio.wait(set(self._delivering))

    async def stop(self) -> None:
        for task in self._delivering:
            task.cancel()
        if self._http is not None:
            await self._http.close()
        if self._runner is not None:
            await self._runner.cleanup()

    async def _keyed(self, request: web.Request) -> web.Response:
        order = (await request.json())["order"]
        self._note(order, request.headers["Idempotency-Key"])
        await asyncio.sleep(self.work_s)
        return web.json_response({"order": order})

    async def _unkeyed(self, request: web.Request) -> web.Response:
        order = (await request.json())["order"]
        self.calls += 1
        self.runs[order] += 1
        is_slow = zlib.crc32(order.encode()) % SLOW_EVERY == 0
        self.slow += is_slow
        await asyncio.sleep(SLOW_S if is_slow else self.work_s)
        return web.json_response({"order": order})

    async def _job(self, request: web.Request) -> web.Response:
        order = (await request.json())["order"]
        if self._note(order, request.headers["Idempotency-Key"]):
            url, secret = request.headers["X-ABL-Callback-Url"], request.headers["X-ABL-Callback-Secret"]
            for _ in range(DELIVERIES):
                task = asyncio.get_running_loop().create_task(self._deliver(order, url, secret))
                self._delivering.add(task)
                task.add_done_callback(self._delivering.discard)
        return web.json_response({"accepted": True}, status=202)

    async def _remember(self, request: web.Request) -> web.Response:
        """Keep an order in the memory store of the session that asks for it, while its turn waits."""
        order = (await request.json())["order"]
        self._note(order, request.headers["Idempotency-Key"])
        number = order.split("-")[1]
        async with self._locks[number]:
            found = (await self._use_memory(request, order, {"action": "get"}))["data"].get("orders", [])
            if found not in (self.kept[number], self.perhaps[number]):
                self.forgotten.append(f"{order}: the store holds {found}, not {self.kept[number]}")
            wanted = found if order in found else [*found, order]
            self.perhaps[number] = wanted
            await self._use_memory(request, order, {"action": "set", "payload": {"content": {"orders": wanted}}})
            self.kept[number] = wanted
            self.remembered += 1
        return web.json_response({"order": order})

    async def _use_memory(self, request: web.Request, order: str, body: dict[str, Any]) -> dict[str, Any]:
        """Ask the memory endpoint until it answers; raises HTTPServiceUnavailable when it does not for long."""
        assert self._http is not None
        headers = {"Authorization": f"Bearer {request.headers['X-Token']}"}
        loop = asyncio.get_running_loop()
        give_up, answer = loop.time() + MEMORY_PATIENCE_S, ""
        while loop.time() < give_up:
            try:
                url = request.headers["X-Memory"]
                async with self._http.post(url, json={"memoryStoreName": STORE, **body}, headers=headers) as response:
                    told: dict[str, Any] = await response.json()
                    if response.status == 200:
                        return told
                    answer = f"{response.status} {told}"
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                answer = repr(error)
            await asyncio.sleep(DELIVER_AGAIN_S)
        self.away.add(order)
        raise web.HTTPServiceUnavailable(text=answer)

    def _note(self, order: str, key: str) -> bool:
        """Carry an order out, once for each key; return whether it was new."""
        self.calls += 1
        is_new = key not in self.applied[order]
        self.repeats += not is_new
        self.applied[order].add(key)
        return is_new

    async def _deliver(self, order: str, url: str, secret: str) -> None:
        """Bring the result of a job until somebody takes it."""
        assert self._http is not None
        body = json.dumps({"receipt": f"receipt-{order}"}).encode()
        signature = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        headers = {"Content-Type": "application/json", "X-Callback-Signature": signature}
        loop = asyncio.get_running_loop()
        give_up = loop.time() + patient(DELIVERY_PATIENCE_S)
        answer = "never answered"
        while loop.time() < give_up:
            try:
                async with self._http.post(url, data=body, headers=headers) as response:
                    told: dict[str, Any] = await response.json()
                    answer = told.get("status") or "accepted" if response.status == 200 else f"{response.status} {told}"
                    if response.status < 500:
                        break
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                answer = repr(error)
            await asyncio.sleep(DELIVER_AGAIN_S)
        self.answers[order].append(answer)

    def done(self, order: str) -> bool:
        """Whether an order was carried out."""
        return bool(self.applied.get(order)) or bool(self.runs.get(order))

    def done_twice(self) -> list[str]:
        """Orders whose effect took place more than once, and callbacks that were taken more than once."""
        keyed = [f"{order} under {sorted(keys)}" for order, keys in self.applied.items() if len(keys) > 1]
        taken = [order for order, answers in self.answers.items() if answers.count("accepted") > 1]
        return keyed + [order for order, runs in self.runs.items() if runs > 1] + taken

    def refused(self) -> list[str]:
        """Callbacks that were answered in another way than taken or taken before."""
        return [
            f"callback of {order}: {answer}"
            for order, answers in self.answers.items()
            for answer in answers
            if answer not in ("accepted", TAKEN_TWICE)
        ]
