"""Name -> a ready model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from domain.errors import InvalidInput, NotFound
from domain.model_calls import Usage
from providers.failures import ModelCallFailed
from providers.registry import ModelRegistry
from providers.specs import Price, ProviderSpec
from tests.suites.chat_model import asked, collected
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


VENDORS = [
    ProviderSpec("openai", "openai_compatible", "https://api.openai.com/v1"),
    ProviderSpec("claude", "anthropic"),
    ProviderSpec("google", "gemini"),
]


@pytest.mark.parametrize(
    ("model", "full"),
    [
        ("gpt-4o", "openai/gpt-4o"),
        ("o4-mini", "openai/o4-mini"),
        ("claude-opus-5-5", "claude/claude-opus-5-5"),
        ("gemini-4-argon", "google/gemini-4-argon"),
        ("openai/claude-x", "openai/claude-x"),
        ("nobody/gpt-4o", "nobody/gpt-4o"),
        ("our-model", "our-model"),
    ],
)
def test_a_bare_name_is_that_of_its_vendor(model: str, full: str) -> None:
    registry = ModelRegistry(VENDORS)
    assert registry.full_name(model) == full
    assert (registry.find(model) is None) == (full in {"nobody/gpt-4o", "our-model"})


def test_a_server_of_ones_own_is_not_taken_for_a_vendor() -> None:
    own = ProviderSpec("openai", "openai_compatible", "http://127.0.0.1:8000/v1")
    assert ModelRegistry([own]).find("gpt-4o") is None


def test_a_project_s_provider_comes_before_the_installation_s() -> None:
    registry = ModelRegistry([ProviderSpec("claude", "anthropic", api_key="installation"), scripted()])
    own = registry.extended([ProviderSpec("claude", "anthropic", api_key="project", is_foreign=True)], "ten/p/")
    found = own.find("claude-opus-5-5")
    assert found is not None
    assert found[0].api_key == "project"
    assert own.find("scripted/x") is not None
    assert registry.find("claude-opus-5-5")[0].api_key == "installation"


@pytest.mark.parametrize("kind", ["embedded", "scripted"])
def test_a_tenant_brings_nothing_that_runs_here(kind: str) -> None:
    with pytest.raises(InvalidInput):
        ModelRegistry([ProviderSpec("x", kind, is_foreign=True)]).open("x/m")


async def test_a_tenant_s_provider_does_not_reach_what_is_private() -> None:
    async with StubModel(StubBehaviour(text="from inside")) as stub:
        spec = ProviderSpec("stub", "openai_compatible", stub.base_url, "key")
        ours, theirs = ModelRegistry([spec]), ModelRegistry([]).extended([replace(spec, is_foreign=True)], "ten/p/")
        assert (await ours.open("stub/m").answer(asked())).text == "from inside"
        with pytest.raises(ModelCallFailed, match="loopback"):
            await theirs.open("stub/m").answer(asked())
        await ours.close()


@pytest.mark.parametrize("streamed", [True, False])
async def test_an_answer_says_who_gave_it_and_what_it_cost(streamed: bool) -> None:
    first = scripted("a", fault={"kind": "error", "retryable": False})
    second = scripted("b", "second", usage={"input_tokens": 1_000_000, "output_tokens": 500_000})
    registry = ModelRegistry([first, replace(second, prices={"x": Price(2.0, 4.0)})])
    model = registry.open("a/x", fallback="b/x")
    reply = (await collected(model.stream(asked()))).reply() if streamed else await model.answer(asked())
    assert (reply.text, reply.provider, reply.estimated_cost) == ("second", "b", 4.0)


async def test_an_answer_of_unknown_price_has_no_cost() -> None:
    registry = ModelRegistry([scripted()])
    assert (await registry.open("scripted/x").answer(asked())).estimated_cost is None
    assert registry.cost_usd("nobody/x", Usage(1, 1)) is None
