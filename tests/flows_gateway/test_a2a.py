"""Agents as servers of Agent2Agent, asked by its official client in both versions of the protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory
from a2a.helpers.proto_helpers import get_message_text, new_text_message
from a2a.types import a2a_pb2 as words
from a2a.utils.errors import InvalidParamsError, TaskNotCancelableError, TaskNotFoundError, UnsupportedOperationError

from actors.clocks import RandomIds
from actors.first_keys import make_key
from tests.flows_gateway.test_openai import COUNTER, THINKER
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_endpoint import StubEndpoint
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio
DEADLINE_S = 60.0
POLL_S = 0.02
CLERK = """\
AGENT: Clerk
GOAL: "Sign a form"
FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - IF: input == "sign"
        RESPOND: "signed"
        THEN: COMPLETE
      - ELSE:
        RESPOND: "really?"
        THEN: listen
"""
TEXTS = {"counter.abl": COUNTER, "clerk.abl": CLERK, "thinker.abl": THINKER}
VERSIONS = ("1.0", "0.3")
State = words.TaskState


@asynccontextmanager
async def a_client(
    gateway: LiveGateway,
    agent: str = "Counter",
    *,
    version: str = "1.0",
    streaming: bool = False,
    key: str = "",
    **more: Any,
) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {key or gateway.key}"}
    base = f"http://127.0.0.1:{gateway.port}/a2a/{gateway.project_id}/agents/{agent}"
    async with httpx.AsyncClient(headers=headers, timeout=DEADLINE_S) as http:
        card = await A2ACardResolver(http, base).get_agent_card()
        del card.supported_interfaces[:]
        card.supported_interfaces.add(url=base, protocol_binding="JSONRPC", protocol_version=version)
        config = ClientConfig(streaming=streaming, httpx_client=http, **more)
        yield ClientFactory(config).create(card)


def a_message(text: str, task: words.Task | None = None, **more: Any) -> words.SendMessageRequest:
    place = {"task_id": task.id, "context_id": task.context_id} if task is not None else {}
    message = new_text_message(text, role=words.Role.ROLE_USER, **{**place, **more})
    return words.SendMessageRequest(message=message)


async def send(client: Client, request: words.SendMessageRequest) -> words.Task:
    (answer,) = [one async for one in client.send_message(request)]
    return answer.task


def told(task: words.Task) -> tuple[str, str]:
    return State.Name(task.status.state).removeprefix("TASK_STATE_"), get_message_text(task.status.message)


async def seen(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while not condition():  # noqa: ASYNC110 - it becomes true in a server, not in this loop
            await asyncio.sleep(POLL_S)


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_task_goes_on_until_it_is_done(servers: Servers, version: str) -> None:
    async with a_live_gateway(servers, f"a2a-{version}", TEXTS) as gateway:
        async with a_client(gateway, version=version) as client:
            asked = a_message("one")
            first = await send(client, asked)
            assert told(first) == ("INPUT_REQUIRED", "heard 1: one")
            assert await send(client, asked) == first, "a message that is sent again is not another one"
            second = await send(client, a_message("two", first))
            assert (second.id, second.context_id, *told(second)) == (
                first.id,
                first.context_id,
                "INPUT_REQUIRED",
                "heard 2: two",
            )
            assert [get_message_text(one) for one in second.history] == ["one", "heard 1: one", "two", "heard 2: two"]
            assert await send(client, asked) == second, "what was answered before stays behind what came after"
            beside = await send(client, a_message("three", context_id=first.context_id))
            assert (beside.id != first.id, told(beside)[1]) == (True, "heard 3: three")
            found = await client.get_task(words.GetTaskRequest(id=first.id, history_length=1))
            assert (told(found), [get_message_text(one) for one in found.history]) == (told(second), ["heard 2: two"])
        async with a_client(gateway, "Clerk", version=version) as client:
            form = await send(client, a_message("hello"))
            signing = a_message("sign", form)
            done = await send(client, signing)
            assert await send(client, signing) == done
            assert told(done) == ("COMPLETED", "signed")
            assert [one.parts[0].text for one in done.artifacts] == ["signed"]
            with pytest.raises(UnsupportedOperationError, match="over"):
                await send(client, a_message("again", form))
            with pytest.raises(TaskNotCancelableError):
                await client.cancel_task(words.CancelTaskRequest(id=form.id))


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_stream_tells_the_task_its_pieces_and_how_it_rests(servers: Servers, version: str) -> None:
    async with (
        StubModel(StubBehaviour(text="one two three", delta_delay_ms=50)) as model,
        a_live_gateway(servers, f"a2a-stream-{version}", TEXTS, model_url=model.base_url) as gateway,
        a_client(gateway, "Thinker", version=version, streaming=True) as client,
    ):
        events = [one async for one in client.send_message(a_message("go"))]
        kinds = [one.WhichOneof("payload") for one in events]
        assert (kinds[0], kinds[-1], set(kinds[1:-1])) == ("task", "status_update", {"artifact_update"})
        pieces = [one.artifact_update for one in events[1:-1]]
        assert "".join(one.artifact.parts[0].text for one in pieces) == "one two three"
        assert [one.append for one in pieces] == [False, *(True for _ in pieces[1:])]
        assert told(events[-1].status_update) == ("INPUT_REQUIRED", "one two three")
        task = events[0].task
        wanted = {"contextId": task.context_id, "pageSize": 1}
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tasks/list", "params": wanted}
        place = f"/a2a/{gateway.project_id}/agents/Thinker"
        listed = (await gateway.call("POST", place, asked)).json()["result"]
        assert ([one["id"] for one in listed["tasks"]], listed["totalSize"]) == ([task.id], 1)


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_task_that_nobody_waits_for_is_told_of_followed_and_canceled(servers: Servers, version: str) -> None:
    slow = StubBehaviour(text="one two three", delta_delay_ms=200)
    async with (
        StubModel(slow, slow, StubBehaviour(fault="hang")) as model,
        StubEndpoint() as endpoint,
        a_live_gateway(
            servers, f"a2a-later-{version}", TEXTS, model_url=model.base_url, allowed_networks=("127.0.0.0/8",)
        ) as gateway,
        a_client(gateway, "Thinker", version=version, polling=True) as client,
        a_client(gateway, "Thinker", version=version, streaming=True) as follower,
    ):
        push = words.TaskPushNotificationConfig(url=endpoint.url, token="t0ken")
        request = a_message("go")
        request.configuration.task_push_notification_config.CopyFrom(push)
        task = await send(client, request)
        assert told(task) == ("WORKING", "")
        events = [one async for one in follower.subscribe(words.SubscribeToTaskRequest(id=task.id))]
        assert told(events[-1].status_update) == ("INPUT_REQUIRED", "one two three")
        await seen(lambda: bool(endpoint.asked))
        (asked,) = endpoint.asked
        body = json.loads(asked.body)
        assert asked.headers["x-a2a-notification-token"] == "t0ken"
        assert (body["task"] if version == "1.0" else body)["id"] == task.id
        (config,) = (await client.list_task_push_notification_configs(
            words.ListTaskPushNotificationConfigsRequest(task_id=task.id)
        )).configs  # fmt: skip
        assert (config.url, config.token) == (endpoint.url, ""), "a secret is given back to nobody"
        gone = words.DeleteTaskPushNotificationConfigRequest(task_id=task.id, id=config.id)
        await client.delete_task_push_notification_config(gone)
        asking = words.GetTaskPushNotificationConfigRequest(task_id=task.id, id=config.id)
        with pytest.raises(TaskNotFoundError):
            await client.get_task_push_notification_config(asking)
        again = await send(client, a_message("more", task))
        assert again.id == task.id
        [one async for one in follower.subscribe(words.SubscribeToTaskRequest(id=task.id))]
        hanging = await send(client, a_message("hang"))
        await seen(lambda: model.count >= 3)
        canceled = await client.cancel_task(words.CancelTaskRequest(id=hanging.id))
        assert told(canceled)[0] == "CANCELED"
        assert len(endpoint.asked) == 1


@pytest.mark.parametrize("version", VERSIONS)
async def test_who_follows_a_task_hears_its_pieces_when_the_sender_does_also_those_said_before_he_came(
    servers: Servers, version: str
) -> None:
    """Of two followers one comes before anything is said, the other in the middle; the model waits for both."""
    held = StubBehaviour(text="one two three four", holds_after=2)
    async with (
        StubModel(StubBehaviour(text="before"), held) as model,
        a_live_gateway(servers, f"a2a-pieces-{version}", TEXTS, model_url=model.base_url) as gateway,
        a_client(gateway, "Thinker", version=version, polling=True) as client,
        a_client(gateway, "Thinker", version=version, streaming=True) as follower,
    ):
        earlier = await send(client, a_message("go"))
        await seen(lambda: model.count >= 1)
        await rested(client, earlier)
        task = await send(client, a_message("and on", earlier))

        async def follow() -> list[Any]:
            events: list[Any] = []
            async for one in follower.subscribe(words.SubscribeToTaskRequest(id=task.id)):
                events.append(one)
                if texts_of(events) == ["one", " two"]:
                    heard.append(True)
            return events

        heard: list[bool] = []
        first = asyncio.create_task(follow())
        await seen(lambda: len(heard) == 1)
        second = asyncio.create_task(follow())
        await seen(lambda: len(heard) == 2)
        model.may_go_on.set()
        for events in await asyncio.gather(first, second):
            assert texts_of(events) == ["one", " two", " three", " four"], "no piece is told twice, nor the whole again"
            pieces = [one.artifact_update for one in events if one.WhichOneof("payload") == "artifact_update"]
            assert [one.append for one in pieces] == [False, True, True, True]
            assert told(events[-1].status_update) == ("INPUT_REQUIRED", "one two three four")


def texts_of(events: list[Any]) -> list[str]:
    """Return the pieces of a reply among the events of a task."""
    return [
        one.artifact_update.artifact.parts[0].text for one in events if one.WhichOneof("payload") == "artifact_update"
    ]


async def rested(client: Client, task: words.Task) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while told(await client.get_task(words.GetTaskRequest(id=task.id)))[0] == "WORKING":  # noqa: ASYNC110 - as above
            await asyncio.sleep(POLL_S)


async def test_a_push_goes_to_no_address_that_may_not_be_called(servers: Servers) -> None:
    async with a_live_gateway(servers, "a2a-ssrf", TEXTS) as gateway, a_client(gateway) as client:
        task = await send(client, a_message("one"))
        for url in ("https://169.254.169.254/latest", "https://10.0.0.1/", "http://example.com/", "ftp://x"):
            config = words.TaskPushNotificationConfig(task_id=task.id, url=url)
            with pytest.raises(InvalidParamsError):
                await client.create_task_push_notification_config(config)


async def test_tasks_are_those_of_who_began_them(servers: Servers) -> None:
    async with a_live_gateway(servers, "a2a-theirs", TEXTS) as gateway, a_client(gateway) as client:
        task = await send(client, a_message("one"))
        key = await make_key(gateway.running.database, RandomIds())
        async with a_client(gateway, key=key) as other:
            with pytest.raises(TaskNotFoundError):
                await other.get_task(words.GetTaskRequest(id=task.id))
            assert not (await other.list_tasks(words.ListTasksRequest())).tasks
        async with a_client(gateway, "Clerk") as elsewhere:
            with pytest.raises(TaskNotFoundError):
                await elsewhere.get_task(words.GetTaskRequest(id=task.id))
        with pytest.raises(InvalidParamsError, match="Session not found"):
            await send(client, a_message("x", context_id="sess_nowhere"))
        path = f"/api/projects/{gateway.project_id}/sessions"
        assert (await gateway.call("GET", path)).json()["total"] == 1, "what is refused leaves no session"
        assert len((await client.list_tasks(words.ListTasksRequest())).tasks) == 1, "and no task"
        assert (await gateway.call("DELETE", f"{path}/{task.context_id}")).status == 200
        assert not (await client.list_tasks(words.ListTasksRequest())).tasks, "tasks go with their session"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("{", -32_700),
        ([], -32_600),
        ([{"jsonrpc": "2.0", "id": 1, "method": "tasks/get"}], -32_600),
        ({"jsonrpc": "1.0", "id": 1, "method": "tasks/get"}, -32_600),
        ({"jsonrpc": "2.0", "id": 1, "method": "tasks/eat"}, -32_601),
        ({"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {}}, -32_602),
        ({"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"id": "task_none"}}, -32_001),
        ({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": {"role": "user"}}}, -32_602),
    ],
)
async def test_what_cannot_be_answered_is_told_in_json_rpc(servers: Servers, body: Any, code: int) -> None:
    async with a_live_gateway(servers, "a2a-wrong", TEXTS) as gateway:
        raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        headers = {"x-api-key": gateway.key, "content-type": "application/json"}
        async with httpx.AsyncClient() as http:
            url = f"http://127.0.0.1:{gateway.port}/a2a/{gateway.project_id}"
            answer = (await http.post(url, content=raw, headers=headers)).json()
            assert answer["error"]["code"] == code
            version = {**headers, "a2a-version": "9.0"}
            refused = (await http.post(url, content=raw, headers=version)).json()
            assert refused["error"]["code"] in (-32_009, -32_600, -32_700)


async def test_cards_are_told_to_those_who_may_talk(servers: Servers) -> None:
    async with a_live_gateway(servers, "a2a-cards", TEXTS) as gateway:
        place = f"/a2a/{gateway.project_id}"
        entry = (await gateway.call("GET", f"{place}/.well-known/agent-card.json")).json()
        card = f"{place}/.well-known/agent-card.json"
        misled = await gateway.call("GET", card, headers={"x-api-key": gateway.key, "host": "evil.example"})
        assert misled.json() == entry, "a Host header says nothing of the address"
        named = (await gateway.call("GET", f"{place}/agents/Clerk/.well-known/agent-card.json")).json()
        assert named["name"] == "Clerk"
        assert named["url"].endswith(f"{place}/agents/Clerk")
        assert entry["protocolVersion"] == "0.3.0"
        assert (await gateway.call("GET", f"{place}/agents/Nobody/.well-known/agent-card.json")).status == 404
        nobody = {"x-api-key": ""}
        assert (await gateway.call("GET", f"{place}/.well-known/agent-card.json", headers=nobody)).status == 401
        assert (await gateway.call("GET", "/.well-known/agent-card.json")).status == 400
