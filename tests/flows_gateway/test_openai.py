"""Agents behind OpenAI's chat completions, spoken by hand: whole and streamed answers, sessions, models, errors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from actors.clocks import RandomIds
from actors.projects import TENANT_ID
from gateway.bodies.openai import EARLIER_MAX_CHARS, EARLIER_MAX_LINES, ChatCompletionBody, earlier_lines, question_of
from gateway.threads import Line
from storage.repositories.api_keys import ApiKeys, NewKey
from tests.support.live_gateway import NO_RATES, Answer, LiveGateway, a_live_gateway, another_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio
COUNTER = """\
AGENT: Counter
GOAL: "Count"

MEMORY:
  session:
    - NAME: heard
      TYPE: number
      INITIAL: 0

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        SET: heard = heard + 1
        RESPOND: "heard {{heard}}: {{input}}"
        THEN: listen
"""
THINKER = 'AGENT: Thinker\nGOAL: "Think about it"\nPERSONA: "Calm"\n'
PATH = "/v1/chat/completions"


@asynccontextmanager
async def a_gateway(servers: Servers, name: str, **stub: Any) -> AsyncIterator[LiveGateway]:
    texts = {"counter.abl": COUNTER, "thinker.abl": THINKER}
    async with (
        StubModel(StubBehaviour(text="Yes indeed", **stub)) as model,
        a_live_gateway(servers, name, texts, model_url=model.base_url) as gateway,
    ):
        yield gateway


async def ask(gateway: LiveGateway, content: Any = "hello", *, model: str = "Counter", **more: Any) -> Answer:
    headers = {"x-api-key": "", "authorization": f"Bearer {gateway.key}", "openai-project": gateway.project_id}
    headers |= more.pop("headers", {})
    body = {"model": model, "messages": [{"role": "user", "content": content}], **more}
    return await gateway.call("POST", PATH, body, headers)


def said(answer: Answer) -> str:
    assert answer.status == 200, answer.body
    return str(answer.json()["choices"][0]["message"]["content"])


def chunks(answer: Answer) -> list[Any]:
    lines = [line for line in answer.body.decode().split("\n\n") if line and not line.startswith(":")]
    assert all(line.startswith("data: ") for line in lines)
    assert lines[-1] == "data: [DONE]"
    return [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]


async def test_a_whole_answer_has_the_form_of_a_completion(servers: Servers) -> None:
    async with a_gateway(servers, "oa-whole") as gateway:
        answer = await ask(gateway, model="Thinker")
        told = answer.json()
        assert told["object"] == "chat.completion"
        assert told["id"].startswith("chatcmpl-msg_")
        assert (told["model"], told["choices"][0]["finish_reason"]) == ("Thinker", "stop")
        assert told["choices"][0]["message"] == {"role": "assistant", "content": "Yes indeed", "refusal": None}
        used = told["usage"]
        assert used["prompt_tokens"] >= 1
        assert used["total_tokens"] == used["prompt_tokens"] + used["completion_tokens"]
        assert answer.headers["x-session-id"] == told["session_id"]
        assert "success" not in told


async def test_a_stream_has_chunks_a_finish_usage_and_an_end(servers: Servers) -> None:
    async with a_gateway(servers, "oa-stream") as gateway:
        answer = await ask(gateway, model="Thinker", stream=True, stream_options={"include_usage": True})
        assert answer.headers["content-type"].startswith("text/event-stream")
        told = chunks(answer)
        assert {one["object"] for one in told} == {"chat.completion.chunk"}
        assert len({one["id"] for one in told}) == 1
        assert told[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
        text = "".join(one["choices"][0]["delta"].get("content", "") for one in told if one["choices"])
        assert text == "Yes indeed"
        assert told[-2]["choices"][0]["finish_reason"] == "stop"
        assert told[-1]["choices"] == []
        assert told[-1]["usage"]["total_tokens"] >= 2
        without = chunks(await ask(gateway, model="Thinker", stream=True))
        assert all(one["choices"] for one in without)


@pytest.mark.parametrize("way", [{}, {"stream": True}, {"user": "ada"}, {"headers": {"idempotency-key": "k1"}}])
async def test_the_message_that_opens_a_session_is_the_first_of_its_minute(
    servers: Servers, way: dict[str, Any]
) -> None:
    rates = replace(NO_RATES, session_messages_per_minute=3)
    async with a_live_gateway(servers, "oa-first", {"counter.abl": COUNTER}, rates=rates) as gateway:
        opened = await ask(gateway, **way)
        session_id = chunks(opened)[0]["session_id"] if "stream" in way else opened.json()["session_id"]
        more = [await ask(gateway, metadata={"session_id": session_id}) for _ in range(3)]
        assert [one.status for one in (opened, *more)] == [200, 200, 200, 429]
        assert more[-1].json()["error"]["message"] == "Session message rate limit exceeded"
        assert said(more[1]) == "heard 3: hello"


async def test_each_request_is_a_session_of_its_own_unless_it_names_one(servers: Servers) -> None:
    async with a_gateway(servers, "oa-session") as gateway:
        first = await ask(gateway, "one")
        assert said(first) == "heard 1: one"
        assert said(await ask(gateway, "one")) == "heard 1: one"
        named = {"session_id": first.json()["session_id"]}
        assert said(await ask(gateway, "two", metadata=named)) == "heard 2: two"
        streamed = chunks(await ask(gateway, "three", metadata=named, stream=True))
        assert {one["session_id"] for one in streamed} == {named["session_id"]}
        gone = await ask(gateway, metadata={"session_id": "sess_nobody"})
        assert (gone.status, gone.json()["error"]["message"]) == (404, "Session not found")


async def test_a_user_goes_on_in_one_session_for_each_model_and_starts_again_after_its_end(servers: Servers) -> None:
    async with a_gateway(servers, "oa-user") as gateway:
        answers = [await ask(gateway, text, user="anna") for text in ("a", "b")]
        assert [said(one) for one in answers] == ["heard 1: a", "heard 2: b"]
        assert said(await ask(gateway, "c", user="ben")) == "heard 1: c"
        session_id = answers[0].json()["session_id"]
        await gateway.call("POST", f"/api/v1/sessions/{session_id}/end", {})
        assert said(await ask(gateway, "d", user="anna")) == "heard 1: d"
        over = await ask(gateway, metadata={"session_id": (await ask(gateway)).json()["session_id"]})
        assert over.status == 200


async def test_a_session_that_starts_again_is_in_the_audit_log(servers: Servers) -> None:
    async with a_gateway(servers, "oa-audit") as gateway:
        session_id = (await ask(gateway, "a", user="anna")).json()["session_id"]
        await gateway.call("POST", f"/api/v1/sessions/{session_id}/end", {})
        assert said(await ask(gateway, "b", user="anna")) == "heard 1: b"
        assert said(await ask(gateway, "c", user="anna")) == "heard 2: c"
        entries = (await gateway.call("GET", f"/api/audit-logs?projectId={gateway.project_id}")).json()["entries"]
        (reset,) = (one for one in entries if one["action"] == "session.reset")
        assert reset["resource"] == {"type": "session", "id": session_id, "name": ""}
        assert reset["actor"]["type"] == "api_key"


async def test_a_user_counts_against_the_sessions_at_once_until_there_is_one(servers: Servers) -> None:
    async with a_gateway(servers, "oa-many") as free:
        session_id = (await ask(free, "a", user="anna")).json()["session_id"]
        await ask(free, "one that stays active")
        async with another_gateway(free, rates=replace(NO_RATES, concurrent_sessions=1)) as gateway:
            assert said(await ask(gateway, "b", user="anna")) == "heard 2: b"
            refused = await ask(gateway, user="ben")
            assert (refused.status, refused.json()["error"]["message"]) == (429, "Concurrent session limit exceeded")
            await free.call("POST", f"/api/v1/sessions/{session_id}/end", {})
            assert (await ask(gateway, "c", user="anna")).status == 429


async def test_earlier_messages_are_not_what_the_user_says_to_a_session_that_does_not_know_them(
    servers: Servers,
) -> None:
    async with a_gateway(servers, "oa-earlier") as gateway:
        messages = [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "I am Ada"},
            {"role": "assistant", "content": [{"type": "text", "text": "Hello Ada"}]},
            {"role": "user", "content": "who am I?"},
        ]
        assert said(await ask(gateway, messages=messages)) == "heard 1: who am I?"
        assert said(await ask(gateway, messages=messages, user="ada")) == "heard 1: who am I?"


def test_of_a_long_conversation_the_last_messages_are_told() -> None:
    earlier = [{"role": "user", "content": str(number) * 5_000} for number in range(10)]
    body = ChatCompletionBody.model_validate(
        {"model": "x", "messages": [*earlier, {"role": "user", "content": "now"}]}, strict=True
    )
    before, text = question_of(body)
    told = [one.content for one in earlier_lines(before)]
    assert text == "now"
    assert told == [str(number) * 5_000 for number in range(4, 10)]
    assert sum(map(len, told)) <= EARLIER_MAX_CHARS
    assert len(earlier_lines([Line("user", "x")] * (EARLIER_MAX_LINES + 1))) == EARLIER_MAX_LINES


async def test_agents_environments_and_deployments_are_models(servers: Servers) -> None:
    async with a_gateway(servers, "oa-models") as gateway:
        base = f"/api/projects/{gateway.project_id}/deployments"
        wanted = {"environment": "staging", "agentVersionManifest": {"Counter": "auto"}, "entryAgentName": "Counter"}
        deployment = (await gateway.call("POST", base, wanted)).json()["deployment"]
        headers = {"openai-project": gateway.project_id}
        listed = (await gateway.call("GET", "/v1/models", headers=headers)).json()
        names = [one["id"] for one in listed["data"]]
        assert listed["object"] == "list"
        assert names == ["Counter", "Thinker", "Counter@staging", deployment["endpointSlug"]]
        assert {one["object"] for one in listed["data"]} == {"model"}
        one = (await gateway.call("GET", "/v1/models/Counter@staging", headers=headers)).json()
        assert one == listed["data"][2]
        for model in ("Counter@staging", deployment["endpointSlug"], deployment["id"]):
            answer = await ask(gateway, "hi", model=model)
            assert said(answer) == "heard 1: hi"
            view = await gateway.call(
                "GET", f"/api/projects/{gateway.project_id}/sessions/{answer.json()['session_id']}"
            )
            assert view.json()["session"]["deploymentId"] == deployment["id"]
        for model in ("Thinker@staging", "Counter@production", "Nobody", "dep_unknown"):
            unknown = await ask(gateway, model=model)
            assert (unknown.status, unknown.json()["error"]["type"]) == (404, "invalid_request_error")
            assert model in unknown.json()["error"]["message"]
        assert (await gateway.call("GET", "/v1/models/Nobody", headers=headers)).status == 404
        await gateway.call("POST", f"{base}/{deployment['id']}/retire", {"force": True})
        assert (await ask(gateway, model=deployment["id"])).status == 410


async def test_a_key_of_a_project_needs_no_header(servers: Servers) -> None:
    async with a_gateway(servers, "oa-bound") as gateway:
        ids = RandomIds()
        bound = NewKey(
            key_id=ids.new("key"),
            plaintext=f"abl_{ids.new('')}",
            project_id=gateway.project_id,
            scopes=("session:execute", "project:read"),
        )
        await ApiKeys(gateway.running.database).create(TENANT_ID, bound)
        with_key = {"authorization": f"Bearer {bound.plaintext}", "openai-project": ""}
        assert said(await ask(gateway, headers=with_key)) == "heard 1: hello"
        other = {**with_key, "openai-project": "c" + "z" * 24}
        assert (await ask(gateway, headers=other)).status == 404
        listed = await gateway.call("GET", "/v1/models", headers={"x-api-key": bound.plaintext})
        assert (listed.status, listed.json()["error"]["type"]) == (403, "permission_error")


async def test_a_session_that_is_named_answers_under_the_name_of_its_own_model(servers: Servers) -> None:
    async with a_gateway(servers, "oa-name") as gateway:
        named = {"metadata": {"session_id": (await ask(gateway)).json()["session_id"]}}
        assert (await ask(gateway, model="Counter", **named)).json()["model"] == "Counter"
        answer = await ask(gateway, model="Thinker", **named)
        assert (said(answer), answer.json()["model"]) == ("heard 3: hello", "Counter")
        streamed = chunks(await ask(gateway, model="Thinker", stream=True, **named))
        assert {one["model"] for one in streamed} == {"Counter"}


async def test_a_refusal_says_in_its_one_sentence_what_is_wrong(servers: Servers) -> None:
    async with a_gateway(servers, "oa-sentence") as gateway:
        for body, sentence in (
            ({"messages": [{"role": "user", "content": "x"}]}, "Invalid request: model is required"),
            ({"model": "Thinker", "messages": [{"role": "robot", "content": "x"}]}, "Invalid request: Input should be"),
        ):
            refused = await gateway.call("POST", PATH, body, {"openai-project": gateway.project_id})
            assert refused.status == 400
            assert refused.json()["error"]["message"].startswith(sentence)
        budgets = f"/api/projects/{gateway.project_id}/budgets"
        assert (await gateway.call("POST", budgets, {"maxTokens": 10})).status == 201
        spent = await ask(gateway, model="Thinker")
        assert (spent.status, spent.json()["error"]["code"]) == (409, "CONFLICT")
        whose = "Budget exceeded: The budget of 10 tokens for the project has not enough left"
        assert spent.json()["error"]["message"].startswith(whose)


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "assistant", "content": "x"}]}, "messages.0.role"),
        ({"messages": [{"role": "robot", "content": "x"}]}, "messages.0.role"),
        ({"content": ""}, "messages.0.content"),
        (
            {"content": [{"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]},
            "messages.0.content.0",
        ),
        ({"n": 2}, "n"),
        ({"tools": [{"type": "function", "function": {"name": "x"}}]}, "tools"),
        ({"stream": "yes"}, "stream"),
        ({"metadata": {"session_id": 5}}, "metadata.session_id"),
        ({"headers": {"openai-project": ""}}, None),
    ],
)
async def test_what_an_agent_cannot_be_asked_is_refused_in_the_form_of_openai(
    servers: Servers, more: dict[str, Any], param: str | None
) -> None:
    async with a_gateway(servers, "oa-refused") as gateway:
        answer = await ask(gateway, more.pop("content", "hello"), **more)
        error = answer.json()["error"]
        assert (answer.status, error["type"], error["param"]) == (400, "invalid_request_error", param)
        assert error.keys() == {"message", "type", "param", "code"}


async def test_a_wrong_key_is_an_authentication_error(servers: Servers) -> None:
    async with a_gateway(servers, "oa-key") as gateway:
        answer = await ask(gateway, headers={"authorization": "Bearer abl_wrong"})
        assert (answer.status, answer.json()["error"]["type"]) == (401, "authentication_error")
        assert answer.headers["www-authenticate"] == "Bearer"


async def test_a_model_that_fails_is_an_error_before_or_within_the_stream(servers: Servers) -> None:
    async with a_live_gateway(servers, "oa-fails", {"t.abl": THINKER}) as gateway:
        whole = await ask(gateway, model="Thinker")
        assert (whole.status, whole.json()["error"]["type"]) == (503, "server_error")
        streamed = await ask(gateway, model="Thinker", stream=True)
        if streamed.status == 200:
            lines = [line for line in streamed.body.decode().split("\n\n") if line.startswith("data: ")]
            assert json.loads(lines[-1].removeprefix("data: "))["error"]["type"] == "server_error"
        else:
            assert streamed.json()["error"]["type"] == "server_error"


async def test_a_key_makes_a_repeated_request_one_turn(servers: Servers) -> None:
    async with a_gateway(servers, "oa-once") as gateway:
        headers = {"idempotency-key": "once-0123456789"}
        answers = await asyncio.gather(*(ask(gateway, "x", user="eve", headers=dict(headers)) for _ in range(5)))
        assert {said(one) for one in answers} == {"heard 1: x"}
        assert len({one.json()["id"] for one in answers}) == 1
