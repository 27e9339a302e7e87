"""Name -> a ready model."""

from __future__ import annotations

from typing import Any

import pytest

from domain.errors import InvalidInput, NotFound
from providers.registry import ModelRegistry
from providers.specs import ProviderSpec
from tests.suites.chat_model import asked
from tests.support.stub_model import StubBehaviour, StubModel

pytestmark = pytest.mark.anyio


def scripted(name: str = "scripted", text: str = "hello", models: tuple[str, ...] = (), **row: Any) -> ProviderSpec:
    return ProviderSpec(name, "scripted", models=models, options={"rows": [{"text": text, **row}]})


@pytest.mark.parametrize("name", ["scripted/any", "scripted/x/y"])
async def test_a_model_is_named_by_provider_and_name(name: str) -> None:
    registry = ModelRegistry([scripted()])
    assert (await registry.open(name).answer(asked())).text == "hello"
    await registry.close()


async def test_a_listed_model_is_known_by_its_name_alone() -> None:
    registry = ModelRegistry([scripted("a", "from a", ("one",)), scripted("b", "from b", ("two",))])
    assert (await registry.open("two").answer(asked())).text == "from b"
    assert (await registry.open("a").answer(asked())).text == "from a"
    assert registry.names() == ("a/one", "b/two")


@pytest.mark.parametrize("name", ["nobody/x", "three", "", "a/three"])
async def test_an_unknown_model_is_told_with_the_known_ones(name: str) -> None:
    with pytest.raises(NotFound, match="a/one"):
        ModelRegistry([scripted("a", models=("one",))]).open(name)


async def test_a_fallback_answers() -> None:
    failing = scripted("a", fault={"kind": "error", "retryable": False})
    registry = ModelRegistry([failing, scripted("b", "second")])
    assert (await registry.open("a/x", fallback="b/x").answer(asked())).text == "second"


async def test_an_unknown_fallback_is_left_out() -> None:
    assert (await ModelRegistry([scripted()]).open("scripted/x", fallback="nobody/x").answer(asked())).text == "hello"


async def test_tables_can_be_given_by_model() -> None:
    tables = {"one": {"rows": [{"text": "from one"}]}}
    registry = ModelRegistry([ProviderSpec("s", "mock", options={"rows": [{"text": "other"}], "tables": tables})])
    assert (await registry.open("s/one").answer(asked())).text == "from one"
    assert (await registry.open("s/two").answer(asked())).text == "other"


async def test_a_model_is_made_once() -> None:
    registry = ModelRegistry([scripted(times=1, text="once")])
    first = (await registry.open("scripted/x").answer(asked())).text
    assert first == "once"
    assert (await registry.open("scripted/x").answer(asked())).text != "once"


async def test_an_endpoint_is_reached_with_its_options() -> None:
    async with StubModel(StubBehaviour(text="from afar")) as stub:
        options = {"headers": {"X-Org": "o"}, "rules": {"max_tokens_field": "max_completion_tokens"}}
        spec = ProviderSpec("stub", "openai_compatible", stub.base_url, "key", options=options)
        registry = ModelRegistry([spec])
        reply = await registry.open("stub/m-1").answer(asked(max_tokens=3))
        await registry.close()
        sent = stub.requests[0]
    assert (reply.text, sent.body["model"], sent.headers["x-org"]) == ("from afar", "m-1", "o")
    assert sent.body["max_completion_tokens"] == 3


@pytest.mark.parametrize(
    "spec", [ProviderSpec("x", "pigeon"), ProviderSpec("x", "scripted", options={"rows": [{"turn": "two"}]})]
)
async def test_a_wrong_provider_is_told(spec: ProviderSpec) -> None:
    with pytest.raises(InvalidInput, match="'x'"):
        ModelRegistry([spec]).open("x/m")


async def test_a_provider_does_not_print_its_key() -> None:
    assert "secret" not in repr(ProviderSpec("x", "scripted", api_key="secret"))
