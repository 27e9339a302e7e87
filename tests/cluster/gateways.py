"""Gateways on a cluster as processes of their own, and clients that stream from any of them and come back when cut."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.ports import free_port

ROOT = Path(__file__).parents[2]
START_S = 90.0
STOP_S = 100.0
POLL_S = 0.05
READ_S = 30.0
SAY_S = 200.0
"""How long an answer may take with all attempts: the drain of a node, and what it waits for, lie in it."""
RETRY_S = 0.2
MAX_RETRIES = 20


@dataclass(frozen=True)
class Gateway:
    """A gateway that answers at an address."""

    url: str
    project_id: str
    key: str
    process: asyncio.subprocess.Process


@asynccontextmanager
async def a_gateway(
    place: Path, project: Path, variables: Mapping[str, str], *options: str, ends_with: int = 0
) -> AsyncIterator[Gateway]:
    """Yield `abl serve` as a process of its own; at the end it is told to end, and must do so in good order.

    `ends_with` is another status than that of one who is told to end: that of a signal which the test sends.
    """
    place.mkdir(parents=True, exist_ok=True)
    log, port = place / "gateway.log", free_port()
    command = [str(Path(sys.executable).with_name("abl")), "serve", "--project", str(project), "--port", str(port)]
    command += ["--data-dir", str(place / "data"), *options]
    environment = {**os.environ, "ABL_RATE_LIMITS": "off", **variables}
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(*command, stdout=out, stderr=out, env=environment, cwd=ROOT)
    try:
        text = await _greeting(process, log)
        found = {name: re.search(rf"(?m)^ +{name}\s+(\S+)", text) for name in ("project", "api key")}
        project_id, key = (match[1] if match else "" for match in found.values())
        yield Gateway(f"http://127.0.0.1:{port}", project_id, key, process)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(STOP_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
            raise AssertionError(f"the gateway does not end in {STOP_S:g} s:\n{_end_of(log)}") from None
    assert process.returncode == ends_with, _end_of(log)


def _end_of(log: Path) -> str:
    return log.read_text(errors="replace")[-4_000:]


async def _greeting(process: asyncio.subprocess.Process, log: Path) -> str:
    """Return what a gateway says until it can be used."""
    give_up_s = asyncio.get_running_loop().time() + START_S
    while asyncio.get_running_loop().time() < give_up_s and process.returncode is None:
        text = log.read_text(errors="replace")
        if "Try:" in text:
            return text
        await asyncio.sleep(POLL_S)
    raise AssertionError(f"the gateway does not start:\n{log.read_text(errors='replace')}")


@dataclass
class Client:
    """One who talks in one session, over server-sent events, and resumes a stream that breaks off.

    Attributes:
        urls: Where to ask; each attempt asks the next of them.
        cuts: How often a stream broke off.
        faults: What no client should see.
    """

    http: aiohttp.ClientSession
    urls: list[str]
    key: str
    project_id: str
    name: str
    session_id: str = ""
    cuts: int = 0
    faults: list[str] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    async def say(self, text: str) -> str:
        """Return what was streamed in answer to a message, whole, across all connections it took.

        Raises:
            TimeoutError: No end of it came within `SAY_S`.
        """
        async with asyncio.timeout(SAY_S):
            return await self._say(text)

    async def _say(self, text: str) -> str:
        seen: dict[str, Any] = {"last_id": "", "text": ""}
        for attempt in range(MAX_RETRIES):
            try:
                done = await self._attempt(text, seen, self.urls[attempt % len(self.urls)])
            except (aiohttp.ClientError, TimeoutError):
                done = None
            if done is not None:
                if done != seen["text"]:
                    self.faults.append(f"{self.name}: the pieces give {seen['text']!r}, the end says {done!r}")
                return done
            self.cuts += 1
            await asyncio.sleep(RETRY_S)
        self.faults.append(f"{self.name}: no answer after {MAX_RETRIES} attempts")
        return ""

    async def _attempt(self, text: str, seen: dict[str, Any], url: str) -> str | None:
        """Read one connection; return the whole answer when it came to its end, None when it broke off."""
        body = {"projectId": self.project_id, "message": text}
        if self.session_id:
            body["sessionId"] = self.session_id
        headers = {"X-API-Key": self.key, "Accept": "text/event-stream", "Idempotency-Key": f"{self.name}-{text}"}
        if seen["last_id"]:
            headers["Last-Event-ID"] = seen["last_id"]
        timeout = aiohttp.ClientTimeout(total=None, sock_read=READ_S, sock_connect=READ_S)
        async with self.http.post(f"{url}/api/v1/chat/agent", json=body, headers=headers, timeout=timeout) as response:
            if response.status != 200:
                self.faults.append(f"{self.name}: {response.status} {await response.text()}")
                return None
            async for name, last_id, data in events(response):
                seen["last_id"] = last_id or seen["last_id"]
                match name:
                    case "response_start":
                        seen["text"] = ""
                    case "response_chunk":
                        seen["text"] += data["chunk"]
                        self.begun.set()
                    case "complete":
                        self.session_id = data["sessionId"]
                        return str(data["response"])
                    case "error":
                        self.faults.append(f"{self.name}: {data}")
                        return None
        return None


async def events(response: aiohttp.ClientResponse) -> AsyncIterator[tuple[str, str, Any]]:
    """Yield name, id and data of each event of a stream."""
    fields: dict[str, str] = {}
    async for raw in response.content:
        line = raw.decode().rstrip("\n")
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "event" in fields:
            yield fields["event"], fields.get("id", ""), json.loads(fields.get("data", "null"))
            fields = {}
        else:
            fields = {}
