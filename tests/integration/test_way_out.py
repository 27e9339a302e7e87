"""A server that is told to end while a turn runs: it goes on listening, says so, answers the turn, and ends."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from tests.prove.model_server import model_server
from tests.support.served import WITHIN_S, chat, client, served, until

MODEL_MS = 6_000.0
RUNNING = "abl_turns_running 1"
AGENT = 'AGENT: Clerk\nGOAL: "Answer"\n'

pytestmark = pytest.mark.xdist_group("product")


def test_a_server_that_ends_goes_on_listening_until_its_turn_is_answered(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            model_server(MODEL_MS) as model_url,
            served(tmp_path, {"clerk.agent.abl": AGENT}, hosts=1, model_url=model_url) as product,
            client() as http,
        ):
            assert product.process is not None
            turn = asyncio.create_task(chat(product, http, "one"))

            async def runs() -> bool:
                async with http.get(f"{product.url}/metrics") as told:
                    return RUNNING in await told.text()

            async def leaves() -> bool:
                async with http.get(f"{product.url}/ready") as ready:
                    return ready.status == 503 and (await ready.json())["status"] == "draining"

            await until(runs, "the turn runs")
            product.process.send_signal(signal.SIGTERM)
            await until(leaves, "it says that it ends")
            refused = await http.post(
                f"{product.url}/api/v1/chat/agent",
                json={"projectId": product.project_id, "message": "two"},
                headers={"X-API-Key": product.key},
            )
            assert (refused.status, refused.headers["Retry-After"]) == (503, "2")
            assert (await refused.json())["error"]["code"] == "SERVICE_UNAVAILABLE"
            assert not turn.done()
            assert (await turn).status == 200

    asyncio.run(asyncio.wait_for(story(), 2 * WITHIN_S))
