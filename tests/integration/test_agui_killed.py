"""The gateway is killed in the middle of a run of AG-UI: the same run asked for again gets its one answer. Decision: 0058."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.prove.clients import transcript
from tests.prove.counting_server import CountingServer
from tests.prove.kill_test import replay, unexpected
from tests.prove.product import Product
from tests.prove.project import LEDGER
from tests.support.served import WITHIN_S, client, served, until

WORK_S = 3.0
ORDER = "keyed-0-0"

pytestmark = pytest.mark.xdist_group("product")


async def _heard(product: Product, http: aiohttp.ClientSession) -> list[dict[str, Any]]:
    """Return the events of the run, which is the same each time."""
    asked = {"threadId": "t1", "runId": "r1", "messages": [{"id": "m1", "role": "user", "content": ORDER}]}
    address = f"{product.url}/ag-ui/{product.project_id}/agents/Ledger"
    async with http.post(address, json=asked, headers={"X-API-Key": product.key}) as response:
        assert response.status == 200, await response.text()
        told = [line async for line in response.content]
        return [json.loads(line.removeprefix(b"data: ")) for line in told if line.startswith(b"data: ")]


def test_a_run_whose_gateway_is_killed_has_one_answer_for_the_client_that_asks_again(tmp_path: Path) -> None:
    async def story() -> None:
        async with CountingServer() as server, client() as http:
            texts = {"ledger.agent.abl": LEDGER.replace("PORT", str(server.port))}
            async with served(tmp_path, texts, hosts=1, allowed=f"127.0.0.1:{server.port}") as product:
                server.work_s = WORK_S
                run = asyncio.create_task(_heard(product, http))
                await until(lambda: server.done(ORDER), "its tool has been called")
                assert not run.done()
                await product.kill_gateway()
                with pytest.raises(aiohttp.ClientError):
                    await run
                server.work_s = 0.0
                told = [await _heard(product, http) for _ in range(2)]
                for events in told:
                    assert [event["type"] for event in events][-1] == "RUN_FINISHED"
                    words = [event["delta"] for event in events if event["type"] == "TEXT_MESSAGE_CONTENT"]
                    assert "".join(words) == f"noted {ORDER}"
                results = [events[-1]["result"] for events in told]
                assert results[0]["messageId"] == results[1]["messageId"]
                lines = await transcript(product, http, results[0]["sessionId"])
                assert [(one["role"], one["content"]) for one in lines] == [
                    ("user", ORDER),
                    ("assistant", f"noted {ORDER}"),
                ]
            assert server.done_twice() == []
            assert await replay(product) == "1/1"
            assert unexpected(product.log) == []

    asyncio.run(asyncio.wait_for(story(), 3 * WITHIN_S))
