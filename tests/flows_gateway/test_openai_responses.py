"""OpenAI's Responses API, asked by OpenAI's own client: responses that follow one another, streams, what is stored."""

from __future__ import annotations

import asyncio
from typing import Any

import openai
import pytest

from tests.flows_gateway.test_openai import THINKER, a_gateway
from tests.flows_gateway.test_openai_client import a_client, lines, the_models
from tests.support.live_gateway import NO_RATES, a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio
TALKER = {"model": "Counter"}
EVENTS = [
    "response.created", "response.in_progress", "response.output_item.added", "response.content_part.added",
    "response.output_text.delta", "response.output_text.done", "response.content_part.done",
    "response.output_item.done", "response.completed",
]  # fmt: skip


async def test_responses_follow_one_another_in_one_session(servers: Servers) -> None:
    async with a_gateway(servers, "or-follow") as gateway, a_client(gateway) as client:
        one = await client.responses.create(**TALKER, input="a", metadata={"who": "ada"})
        assert (one.output_text, one.status, one.metadata, one.model) == (
            "heard 1: a",
            "completed",
            {"who": "ada"},
            "Counter",
        )
        two = await client.responses.create(**TALKER, input="b", previous_response_id=one.id)
        three = await client.responses.create(**TALKER, input="c", previous_response_id=two.id)
        assert (two.output_text, three.output_text) == ("heard 2: b", "heard 3: c")
        assert one.conversation == two.conversation == three.conversation
        alone = await client.responses.create(**TALKER, input="a")
        assert (alone.output_text, alone.conversation == one.conversation) == ("heard 1: a", False)
        named = await client.responses.create(**TALKER, input="d", conversation=three.conversation.id)
        assert named.output_text == "heard 4: d"
        after = await client.responses.create(**TALKER, input="e", previous_response_id=named.id)
        assert after.output_text == "heard 5: e"
        other_way = await client.responses.create(**TALKER, input="x", previous_response_id=one.id)
        assert other_way.output_text == "heard 1: x"
        assert other_way.conversation != one.conversation


async def test_a_client_that_keeps_the_conversation_itself_sends_it_whole(servers: Servers) -> None:
    async with a_gateway(servers, "or-whole") as gateway, a_client(gateway) as client:
        said: list[Any] = [{"role": "developer", "content": "be brief"}]
        for number, text in enumerate("abc", 1):
            said.append({"role": "user", "content": [{"type": "input_text", "text": text}]})
            told = await client.responses.create(**TALKER, input=said, store=False)
            assert told.output_text == f"heard {number}: {text}"
            said += [one.model_dump(include={"type", "role", "content"}) for one in told.output]


async def test_a_stream_has_the_events_of_the_protocol(servers: Servers) -> None:
    async with a_gateway(servers, "or-stream") as gateway, a_client(gateway) as client:
        events = [one async for one in await client.responses.create(model="Thinker", input="a", stream=True)]
        kinds = list(dict.fromkeys(one.type for one in events))
        assert kinds == EVENTS
        assert [one.sequence_number for one in events] == list(range(len(events)))
        text = "".join(one.delta for one in events if one.type == "response.output_text.delta")
        whole = events[-1].response
        assert text == whole.output_text == "Yes indeed"
        assert whole.usage.total_tokens == whole.usage.input_tokens + whole.usage.output_tokens >= 2
        again = await client.responses.create(model="Thinker", input="b", previous_response_id=whole.id)
        assert again.conversation == whole.conversation
        async with client.responses.stream(model="Thinker", input="c", previous_response_id=again.id) as stream:
            await stream.until_done()
            assert (await stream.get_final_response()).conversation == whole.conversation


async def test_a_response_is_stored_until_it_is_deleted(servers: Servers) -> None:
    async with a_gateway(servers, "or-store") as gateway, a_client(gateway) as client:
        one = await client.responses.create(**TALKER, input="a")
        kept = await client.responses.retrieve(one.id)
        assert (kept.output_text, kept.status, kept.conversation) == ("heard 1: a", "completed", one.conversation)
        items = await client.responses.input_items.list(one.id)
        assert [one.content[0].text for one in items.data] == ["a"]
        await client.responses.delete(one.id)
        unstored = await client.responses.create(**TALKER, input="a", store=False)
        for gone in (one.id, unstored.id, "resp_nobody"):
            with pytest.raises(openai.NotFoundError, match="not found"):
                await client.responses.retrieve(gone)
            with pytest.raises(openai.NotFoundError, match="not found"):
                await client.responses.create(**TALKER, input="b", previous_response_id=gone)
            with pytest.raises(openai.NotFoundError):
                await client.responses.delete(gone)


async def test_a_stored_response_has_what_its_post_had(servers: Servers) -> None:
    async with (
        StubModel(StubBehaviour(text="one two three")) as model,
        a_live_gateway(servers, "or-whole", {"t.abl": THINKER}, model_url=model.base_url) as gateway,
        a_client(gateway) as client,
    ):
        first = await client.responses.create(model="Thinker", input="a", metadata={"who": "ada"}, user="ada")
        assert first.usage is not None
        assert first.usage.total_tokens > 0
        events = await client.responses.create(
            model="Thinker", input="b", previous_response_id=first.id, metadata={"nr": "2"}, stream=True
        )
        (second,) = [event.response async for event in events if event.type == "response.completed"]
        await client.responses.create(model="Thinker", input="c", previous_response_id=second.id)
        for told in (first, second):
            kept = await client.responses.retrieve(told.id)
            assert kept.model_dump() == told.model_dump()


async def test_an_answer_that_is_given_again_says_so_to_the_official_client(servers: Servers) -> None:
    async with a_gateway(servers, "or-mark") as gateway, a_client(gateway) as client:
        ask = {**TALKER, "input": "a", "extra_headers": {"idempotency-key": "k-mark"}}
        first, again = [await client.responses.with_raw_response.create(**ask) for _ in range(2)]
        assert ("Idempotent-Replay" in first.headers, again.headers["Idempotent-Replay"]) == (False, "true")
        assert first.parse().id == again.parse().id
        told = await client.responses.with_raw_response.create(**ask, stream=True)
        assert told.headers["Idempotent-Replay"] == "true"


async def test_a_request_that_is_sent_again_is_one_turn(servers: Servers) -> None:
    async with (
        StubModel(StubBehaviour(text="one two three", delta_delay_ms=100)) as model,
        a_live_gateway(servers, "or-again", {"t.abl": THINKER}, model_url=model.base_url) as gateway,
        a_client(gateway) as client,
    ):
        first = await client.responses.create(model="Thinker", input="a")
        ask = {"model": "Thinker", "input": "b", "previous_response_id": first.id}
        told = await asyncio.gather(*(client.responses.create(**ask) for _ in range(3)))
        assert len({one.id for one in told}) == 1
        assert model.count == 2
        keyed = [await client.responses.create(**ask, extra_headers={"idempotency-key": "k-1"}) for _ in range(2)]
        assert keyed[0].id == keyed[1].id
        assert model.count == 3


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"input": []}, "input"),
        ({"input": [{"role": "assistant", "content": "x"}]}, "input.0"),
        ({"input": [{"role": "robot", "content": "x"}]}, "input.0.role"),
        ({"input": [{"type": "item_reference", "id": "x"}]}, "input.0.type"),
        ({"input": [{"role": "user", "content": [{"type": "input_image"}]}]}, "input.0.content.0"),
        ({"tools": [{"type": "web_search"}]}, "tools"),
        ({"background": True}, "background"),
        ({"conversation": "sess_1", "previous_response_id": "resp_1"}, "conversation"),
    ],
)
async def test_what_an_agent_cannot_be_asked_is_refused(servers: Servers, more: dict[str, Any], param: str) -> None:
    async with a_live_gateway(servers, "or-refused", {"t.abl": THINKER}, rates=NO_RATES) as gateway:
        headers = {"openai-project": gateway.project_id}
        body = {"model": "Thinker", "input": "x", **more}
        told = await gateway.call("POST", "/v1/responses", body, headers)
        assert (told.status, told.json()["error"]["param"]) == (400, param)
        sessions = (await gateway.call("GET", f"/api/projects/{gateway.project_id}/sessions")).json()
        assert sessions["total"] == 0


async def test_what_was_said_before_a_response_is_nothing_that_the_user_says(servers: Servers) -> None:
    async with the_models(servers, "or-forked") as (gateway, model), a_client(gateway) as client:
        one = await client.responses.create(model="Clerk", input="note milk")
        await client.responses.create(model="Clerk", input="thanks", previous_response_id=one.id)
        other = await client.responses.create(model="Clerk", input="bye", previous_response_id=one.id)
        assert other.output_text == "Nothing to note: bye"
        shown: list[Any] = lines("Welcome! I can take a note.", "hello", first="assistant")
        greeted = await client.responses.create(model="Clerk", input=shown)
        assert greeted.output_text == "Nothing to note: hello"
        thought = await client.responses.create(model="Thinker", input="I am Ada")
        await client.responses.create(model="Thinker", input="b", previous_response_id=thought.id)
        await client.responses.create(model="Thinker", input="who am I?", previous_response_id=thought.id)
        _, *read = model.requests[-1].body["messages"]
        assert read == lines("I am Ada", "Yes indeed", "who am I?")
