"""An accepted message that is not to be run any more: it is not, and its client hears why, whatever is killed. 0046."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actors.messages import RunTurn, encode
from actors.projects import TENANT_ID, put_project
from actors.runtime import ChatTurn
from actors.turn_keys import key_of, request_hash
from storage.repositories.accepted import AcceptedMessages, name_of
from storage.statements import Statement
from tests.flows.test_urgent import at_work
from tests.integration.test_acknowledgements import Scene, a_scene
from tests.support.mortal_gateway import KILLED, Fate
from tests.support.servers import Servers, run_servers
from tests.support.stories import a_workshop, eventually

LEFT = Statement("SELECT count(*) FROM accepted_messages WHERE tenant_id = :tenant_id AND session_id = :session_id")


@pytest.fixture
def own_servers(pytestconfig: pytest.Config) -> Iterator[Servers]:
    """Yield servers of one test: each scene has a master key of its own."""
    with run_servers(pytestconfig) as found:
        yield found


async def accepted_by_the_dead(scene: Scene, text: str, message_id: str) -> AcceptedMessages:
    """Have a message stand as one that a gateway has acknowledged which says no more."""
    turn = ChatTurn(
        tenant_id=TENANT_ID,
        project_id=scene.gateway.project_id,
        session_id=scene.session_id,
        message=text,
        idempotency_key=f"socket:{message_id}",
        transport="websocket",
        user_kind="sdk",
    )
    prepared = msgspec.structs.replace(turn, idempotency_key=key_of(turn), request_hash=request_hash(turn))
    message = encode(RunTurn(turn=prepared, follow=True, asked_as=turn.idempotency_key))
    accepted = AcceptedMessages(scene.database)
    key = prepared.idempotency_key
    await accepted.put(TENANT_ID, turn.project_id, turn.session_id, key, message, hold_s=3_600.0)
    scene.made[message_id] = key
    return accepted


async def left_to_others(scene: Scene, accepted: AcceptedMessages, message_id: str) -> None:
    """Let whoever looks next find a message."""
    await accepted.leave(name_of(TENANT_ID, scene.session_id, scene.made[message_id]), 0.0)


async def left(scene: Scene) -> int:
    """Return how many accepted messages of the session stand."""
    return int(await scene.database.value(LEFT, tenant_id=TENANT_ID, session_id=scene.session_id))


async def started_again(scene: Scene) -> dict[str, Any]:
    """Return the next frame that a socket of the session hears behind its start; stay until that is noted."""
    async with scene.gateway.socket(scene.token) as page:
        assert json.loads(await page.recv())["type"] == "session_start"
        async with asyncio.timeout(60):
            frame = dict(json.loads(await page.recv()))

        async def is_noted() -> bool:
            return await left(scene) == 1

        await eventually(is_noted)
        return frame


def test_what_was_accepted_before_a_reset_is_refused_and_its_client_told(own_servers: Servers, tmp_path: Path) -> None:
    async def story() -> None:
        async with a_workshop() as workshop, a_scene(own_servers, tmp_path, workshop) as scene:
            await scene.mortal.start()
            await scene.open_page()
            accepted = await accepted_by_the_dead(scene, "before the reset", "m1")
            await scene.call("POST", scene.place("/reset"), {})
            await accepted_by_the_dead(scene, "after the reset", "m2")
            scene.mortal.meet(Fate(write="UPDATE accepted_messages SET refusal", is_sent=True))
            await left_to_others(scene, accepted, "m1")
            assert await scene.mortal.ended() == KILLED, "behind the refusal, before anybody was told"
            await scene.mortal.start()
            told = await started_again(scene)
            assert (told["type"], told["code"], told["messageId"]) == ("error", "BAD_REQUEST", "m1")
            assert told["message"] == "The session was reset"
            await left_to_others(scene, accepted, "m2")

            async def are_answered() -> bool:
                return await scene.said() == ["first", "after the reset"]

            await eventually(are_answered)
            assert await left(scene) == 0

    asyncio.run(story())


def test_a_message_that_was_taken_back_stays_so_whatever_dies_before_it_is_told(
    own_servers: Servers, tmp_path: Path
) -> None:
    async def story() -> None:
        async with a_workshop(takes_s=30.0) as workshop, a_scene(own_servers, tmp_path, workshop) as scene:
            await put_project(scene.database, "acks", at_work(workshop))
            await scene.mortal.start()
            await scene.open_page()
            async with scene.gateway.socket(scene.token) as page:
                for text, message_id in (("work", "m1"), ("taken back", "m2")):
                    await page.send(json.dumps({"type": "chat_message", "text": text, "messageId": message_id}))
                    while json.loads(await page.recv()).get("messageId") != message_id:
                        pass
                async with asyncio.timeout(60):
                    await workshop.began.wait()
                scene.mortal.meet(Fate(write="UPDATE accepted_messages SET refusal", is_sent=True))
                await page.send(json.dumps({"type": "cancel", "messageId": "m2"}))
                assert await scene.mortal.ended() == KILLED, "behind the refusal, before anybody was told"
            workshop.takes_s = 0.0
            await scene.mortal.start()
            async with scene.gateway.socket(scene.token) as page:
                async with asyncio.timeout(60):
                    refused = json.loads(await page.recv())
                    while refused["type"] != "error":
                        refused = json.loads(await page.recv())
                assert (refused["messageId"], refused["code"]) == ("m2", "TURN_CANCELLED")

                async def is_answered() -> bool:
                    return await scene.said() == ["first", "work"] and await left(scene) == 0

                await eventually(is_answered)

    asyncio.run(story())
