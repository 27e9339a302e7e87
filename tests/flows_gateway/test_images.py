"""Pictures in completions: handed on to models that take them, and refused for others. Spec: platform-api 4.3."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from domain import limits
from domain.budgets import IMAGE_TOKENS
from tests.flows_gateway.test_completions import COMPLETE, STREAM, THINKER, events_of
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def image(url: str) -> dict[str, str]:
    return {"type": "image_url", "url": url}


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


@pytest.fixture
async def model() -> AsyncIterator[StubModel]:
    async with StubModel(StubBehaviour(text="A pixel")) as opened:
        yield opened


@pytest.fixture
async def gateway(servers: Servers, model: StubModel) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(
        servers, "images", {"t.abl": THINKER}, model_url=model.base_url, allowed_networks=("127.0.0.0/8",)
    ) as opened:
        rows = [{"id": "eye", "supportsImages": True}, {"id": "blind", "supportsImages": False}]
        provider = {"name": "own", "kind": "openai_compatible", "baseUrl": model.base_url, "models": rows}
        made = await opened.call("POST", "/api/model-providers", provider)
        assert made.status == 201, made.body
        yield opened
        await opened.call("DELETE", f"/api/model-providers/{made.json()['provider']['id']}")


async def ask(gateway: LiveGateway, *content: Any, path: str = COMPLETE, role: str = "user", **more: Any) -> Answer:
    messages = [{"role": role, "content": list(content)}]
    body = {"projectId": gateway.project_id, "messages": messages, "modelId": "own/eye", **more}
    return await gateway.call("POST", path, body)


def refusal(answer: Answer) -> tuple[int, str, str]:
    field = answer.json()["error"]["details"]["fields"][0]
    return answer.status, field["path"], field["message"]


async def test_a_model_that_sees_gets_texts_and_pictures_in_their_order(gateway: LiveGateway, model: StubModel) -> None:
    parts = [text("One:"), text("a pixel"), image(PIXEL), text("Two:"), image(PIXEL)]
    said = [{"type": "text", "text": words} for words in ("One:\na pixel", "Two:")]
    shown = {"type": "image_url", "image_url": {"url": PIXEL}}
    whole = await ask(gateway, *parts)
    assert (whole.status, whole.json()["content"]) == (200, "A pixel")
    streamed = await ask(gateway, *parts, path=STREAM)
    assert events_of(streamed)[-1][0] == "complete"
    for request in model.requests:
        assert request.body["messages"] == [{"role": "user", "content": [said[0], shown, said[1], shown]}]
    assert model.count == 2


async def test_what_a_model_does_not_take_is_refused_before_it_is_asked(gateway: LiveGateway, model: StubModel) -> None:
    place = "/messages/0/content"
    for path in (COMPLETE, STREAM):
        for name in ("own/blind", "stub/talker"):
            answer = await ask(gateway, image(PIXEL), path=path, modelId=name)
            assert refusal(answer) == (400, place, f"{name} takes no images")
        fetched = await ask(gateway, image("http://169.254.169.254/latest/meta-data"), path=path)
        assert refusal(fetched) == (400, place, "own/eye fetches no images: send it as a data URL")
    assert not model.requests


@pytest.mark.parametrize(
    "url",
    [
        "data:image/svg+xml;base64,AAAA",
        "data:image/png,AAAA",
        "data:image/png;base64,AAA",
        "data:image/png;base64,AA*A",
        "data:text/html;base64,AAAA",
        "https://name:password@example.com/a.png",
        "https://example.com/a b.png",
        "https:///a.png",
        "https://example.com/" + "a" * limits.COMPLETION_IMAGE_ADDRESS_MAX_CHARS,
        "file:///etc/passwd",
    ],
)
async def test_what_is_no_picture_is_refused(gateway: LiveGateway, model: StubModel, url: str) -> None:
    answer = await ask(gateway, image(url))
    assert answer.status == 400
    assert answer.json()["error"]["details"]["fields"][0]["path"].startswith("/messages/0/content")
    assert not model.requests


async def test_pictures_are_the_user_s_and_not_too_many(gateway: LiveGateway, model: StubModel) -> None:
    for role in ("system", "assistant", "tool"):
        assert refusal(await ask(gateway, image(PIXEL), role=role))[2] == "only messages of the user have images"
    most = [image(PIXEL)] * limits.COMPLETION_IMAGES_MAX
    assert (await ask(gateway, *most)).status == 200
    path = f"/messages/0/content/{limits.COMPLETION_IMAGES_MAX}"
    assert refusal(await ask(gateway, *most, image(PIXEL)))[:2] == (400, path)
    assert model.count == 1


async def test_a_budget_holds_what_a_picture_may_count_as(gateway: LiveGateway, model: StubModel) -> None:
    body = {"maxTokens": IMAGE_TOKENS}
    made = await gateway.call("POST", f"/api/projects/{gateway.project_id}/budgets", body)
    assert made.status == 201
    refused = await ask(gateway, image(PIXEL), maxTokens=10)
    assert refused.json()["error"]["details"]["reason"] == "BUDGET_EXCEEDED"
    assert not model.requests
    assert (await ask(gateway, text("hello"), maxTokens=10)).status == 200
    place = f"/api/projects/{gateway.project_id}/budgets/{made.json()['budget']['id']}"
    assert (await gateway.call("DELETE", place)).status == 200, "the project is that of other tests too"
