"""One callback delivered a hundred times at once to a gateway that is killed and started again: one session goes on, once.

Spec: platform-api 3.3, 7.1.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import pytest

from benchmarks.ports import free_port
from tests.flows.test_waiting import COURIER
from tests.support.servers import Servers, servers
from tests.support.stories import Workshop, a_workshop, eventually

__all__ = ["servers"]

pytestmark = pytest.mark.xdist_group("product")
ROOT = Path(__file__).parents[2]
DELIVERIES = 100
START_S = 60.0
PAUSE_S = 0.05
PATIENCE_S = 180.0
LINK_TOKEN = "a link token for this test alone"
MASTER_KEY = "b29vb29vb29vb29vb29vb29vb29vb29vb29vb29vb28="
KILLED_AFTER = 5
"""Answers that the gateway gives before it is killed."""


class Gateway(NamedTuple):
    """A gateway in a process of its own."""

    url: str
    project_id: str
    key: str
    process: asyncio.subprocess.Process


@asynccontextmanager
async def a_gateway(place: Path, project: Path, servers: Servers, port: int) -> AsyncIterator[Gateway]:
    """Yield `abl serve` with a host of its own on a database that lasts longer than it."""
    place.mkdir()
    log = place / "gateway.log"
    command = [str(Path(sys.executable).with_name("abl")), "serve", "--project", str(project), "--port", str(port)]
    command += ["--data-dir", str(place / "data"), "--runtime", "process", "--hosts", "1"]
    variables = {
        "DATABASE_URL": servers.database_url,
        "REDIS_URL": servers.redis_url,
        "ABL_LINK_TOKEN": LINK_TOKEN,
        "ABL_MASTER_KEYS": MASTER_KEY,
        "ABL_RATE_LIMITS": "off",
        "ABL_ALLOWED_NETWORKS": "127.0.0.1/32",
        "ABL_EMBEDDED_MODEL": "off",
    }
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            *command, stdout=out, stderr=out, env={**os.environ, **variables}, cwd=ROOT
        )

    async def greets() -> bool:
        assert process.returncode is None, log.read_text(errors="replace")
        return "Try:" in log.read_text(errors="replace")

    try:
        await eventually(greets, START_S)
        found = [re.search(rf"(?m)^ +{name}\s+(\S+)", log.read_text()) for name in ("project", "api key")]
        project_id, key = (match[1] for match in found if match)
        yield Gateway(f"http://127.0.0.1:{port}", project_id, key, process)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()


class Deliveries:
    """A hundred senders of one callback, each of which tries again until a gateway answers."""

    def __init__(self, http: aiohttp.ClientSession, doomed: Gateway, head: dict[str, str]) -> None:
        self._http = http
        self._doomed = doomed
        self._path = f"/api/v1/callbacks/{head['X-ABL-Callback-Id']}"
        self._raw = b'{"number": "P-1"}'
        digest = hmac.new(head["X-ABL-Callback-Secret"].encode(), self._raw, hashlib.sha256).hexdigest()
        self._headers = {"content-type": "application/json", "x-callback-signature": f"sha256={digest}"}
        self.answers: Counter[str] = Counter()
        self.cut = 0
        self._answered_by_doomed = 0

    async def send_all(self) -> None:
        """Deliver it as often as it is delivered, and kill the doomed gateway in the midst of it."""
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*(self._send() for _ in range(DELIVERIES)))

    async def _send(self) -> None:
        while True:
            try:
                async with self._http.post(
                    self._doomed.url + self._path, data=self._raw, headers=self._headers
                ) as answer:
                    text = await answer.text()
            except aiohttp.ClientError:
                self.cut += 1
                await asyncio.sleep(PAUSE_S)
                continue
            self._note_doomed()
            if answer.status != 503:
                self.answers[f"{answer.status} {json.dumps(json.loads(text))}"] += 1
                return
            await asyncio.sleep(PAUSE_S)

    def _note_doomed(self) -> None:
        self._answered_by_doomed += 1
        if self._answered_by_doomed == KILLED_AFTER and self._doomed.process.returncode is None:
            self._doomed.process.kill()


async def said(http: aiohttp.ClientSession, gateway: Gateway, session_id: str) -> list[str]:
    """Return what the agent has said in a session."""
    url = f"{gateway.url}/api/projects/{gateway.project_id}/sessions/{session_id}?include=messages"
    async with http.get(url, headers={"x-api-key": gateway.key}) as answer:
        if answer.status != 200:
            return []
        return [one["content"] for one in (await answer.json())["session"]["messages"] if one["role"] == "assistant"]


async def suspended(http: aiohttp.ClientSession, gateway: Gateway, workshop: Workshop) -> tuple[str, dict[str, str]]:
    """Return a session that waits for its callback, and the headers that say where that goes."""
    body = {"projectId": gateway.project_id, "message": "wait"}
    async with http.post(f"{gateway.url}/api/v1/chat/agent", json=body, headers={"x-api-key": gateway.key}) as answer:
        told: dict[str, Any] = await answer.json()
    assert told["action"]["type"] == "suspend", told
    return told["sessionId"], workshop.headers[-1]


def test_a_callback_that_comes_a_hundred_times_at_once_resumes_its_session_once(
    servers: Servers, tmp_path: Path
) -> None:
    async def story() -> None:
        project = tmp_path / "courier"
        project.mkdir()
        async with AsyncExitStack() as stack:
            workshop = await stack.enter_async_context(a_workshop())
            (project / "courier.agent.abl").write_text(COURIER.format(url=workshop.url), encoding="utf-8")
            http = await stack.enter_async_context(
                aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(total=30))
            )
            port = free_port()
            doomed = await stack.enter_async_context(a_gateway(tmp_path / "one", project, servers, port))
            session_id, head = await suspended(http, doomed, workshop)
            deliveries = Deliveries(http, doomed, head)
            sending = asyncio.create_task(deliveries.send_all())
            assert await doomed.process.wait() == -signal.SIGKILL, "it was killed in the midst of it"
            survivor = await stack.enter_async_context(a_gateway(tmp_path / "two", project, servers, port))
            survivor = survivor._replace(key=doomed.key)  # a database has one first key, which its first start told
            await sending
            accepted, repeated = '200 {"ok": true}', '200 {"ok": true, "status": "already_processed"}'
            assert set(deliveries.answers) <= {accepted, repeated}, deliveries.answers
            assert deliveries.answers.total() == DELIVERIES
            assert deliveries.answers[accepted] <= 1, "an answer that was cut off may have been the accepted one"
            assert deliveries.answers[accepted] == 1 or deliveries.cut

            async def goes_on() -> bool:
                return any("P-1" in text for text in await said(http, survivor, session_id))

            await eventually(goes_on, PATIENCE_S)
            body = {"projectId": survivor.project_id, "message": "hello", "sessionId": session_id}
            headers = {"x-api-key": survivor.key}
            async with http.post(f"{survivor.url}/api/v1/chat/agent", json=body, headers=headers) as answer:
                assert (await answer.json())["response"] == "heard hello"
            texts = await said(http, survivor, session_id)
            assert [text for text in texts if "P-1" in text] == ["it has the number P-1"]

    asyncio.run(story())
