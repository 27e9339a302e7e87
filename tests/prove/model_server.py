"""The model of the kill test, a process of its own: has each order written down, then says so. Counts what it was asked.

`python -m tests.prove.model_server` prints its address and takes the delay of each answer. A GET of `/count` tells how
many answers it gave.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.prove.project_of_acts import THRIFT
from tests.support.stub_model import StubBehaviour, StubModel, StubRequest

ROOT = Path(__file__).parents[2]
DELAY_MS = 10.0
DELTA_DELAY_MS = 1
SLOW_DELTA_DELAY_MS = 150
"""Of the answers that may be cancelled."""
COUNT = "/count"
THRIFTY_COUNT = "/thrifty/count"


class OrderModel(StubModel):
    """Answers by what it is asked: a tool for an order, words for a tool's result."""

    delay_ms = DELAY_MS
    thrifty = 0
    """Of all answers, those to the agent that has a budget."""

    def next_behaviour(self, request: StubRequest) -> StubBehaviour:
        if request.path.endswith(THRIFTY_COUNT):
            return StubBehaviour(text=str(self.thrifty))
        if request.path.endswith(COUNT):
            return StubBehaviour(text=str(self.count))
        self.count += 1
        messages = request.body.get("messages") or []
        self.thrifty += THRIFT in str(messages[:1])
        return _behaviour(messages, self.delay_ms)


def _behaviour(messages: list[dict[str, Any]], delay_ms: float) -> StubBehaviour:
    order = next((str(one["content"]) for one in reversed(messages) if one["role"] == "user"), "")
    last = messages[-1] if messages else {"role": ""}
    if last["role"] != "tool":
        tool = "note_unkeyed" if "unkeyed" in order else "note_keyed"
        return StubBehaviour(tool_calls=((tool, {"order": order}),), delay_ms=delay_ms)
    found = "noted" if f'"{order}"' in str(last["content"]) else "unknown"
    text = f"{found} {order} and now it stands in the book for good"
    pause_ms = SLOW_DELTA_DELAY_MS if "slow" in order else DELTA_DELAY_MS
    return StubBehaviour(text=text, delay_ms=delay_ms, delta_delay_ms=pause_ms)


@asynccontextmanager
async def model_server(delay_ms: float = DELAY_MS) -> AsyncIterator[str]:
    """Yield the address of a model in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.prove.model_server", str(delay_ms)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.stdin.close()
        await process.wait()


async def model_calls(url: str, count: str = COUNT) -> int:
    """Return how often the model has answered."""
    async with aiohttp.ClientSession() as http, http.get(f"{url}{count}") as response:
        return int((await response.json())["choices"][0]["message"]["content"])


async def _serve(delay_ms: float) -> None:
    """Serve until standard input is closed, so that it cannot outlive whoever started it."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async with OrderModel(keep_requests=0) as stub:
        stub.delay_ms = delay_ms
        sys.stdout.write(f"{stub.base_url}\n")
        sys.stdout.flush()
        await reader.read()


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1])))
