"""Which model the calls of a project go to, as its tables say."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from actors.models import KEPT_S, StoredModels
from actors.session.store import SessionPin
from domain.errors import InvalidInput, Unavailable
from domain.model_calls import ModelRequest
from engine import AskModel
from providers.registry import ModelRegistry
from providers.specs import ProviderSpec
from storage.crypto import MasterKeys, new_data_key
from storage.database import Database
from storage.repositories.deployments import Deployments, NewDeployment
from storage.repositories.model_providers import ModelProviders, NewProvider
from storage.repositories.projects import Projects
from storage.vault import Vault

pytestmark = pytest.mark.anyio


class Desk:
    """A project and its models."""

    def __init__(self, database: Database, tenant_id: str) -> None:
        self.database = database
        self.tenant_id = tenant_id
        self.project_id = f"{tenant_id}-desk"
        self.vault = Vault(database, MasterKeys([new_data_key()]))
        self.providers = ModelProviders(database, self.vault)
        self.now_s = 0.0
        self.installed = ModelRegistry([ProviderSpec("claude", "anthropic", api_key="ours")])

    def models(self, default: str = "claude/claude-sonnet-5-5", installed: ModelRegistry | None = None) -> StoredModels:
        return StoredModels(installed or self.installed, default, self.database, self.vault, seconds=lambda: self.now_s)

    async def settings(self, **models: Any) -> None:
        projects = Projects(self.database)
        record = await projects.get(self.tenant_id, self.project_id)
        await projects.update(self.tenant_id, msgspec.structs.replace(record, settings={"models": models}))

    def pin(self, deployment_id: str = "") -> SessionPin:
        return SessionPin(
            tenant_id=self.tenant_id,
            project_id=self.project_id,
            session_id="s",
            runtime_session_id="r",
            program_id="p",
            entry_agent="Desk",
            deployment_id=deployment_id,
        )

    async def add(self, provider_id: str, key: str = "k", *, of_tenant: bool = False, **provider: Any) -> None:
        new = NewProvider(project_id=None if of_tenant else self.project_id, is_default=True, **provider)
        await self.providers.create(self.tenant_id, f"{self.tenant_id}-{provider_id}", new, key)


@pytest.fixture
async def desk(database: Database, tenant_id: str) -> Desk:
    made = Desk(database, tenant_id)
    await Projects(database).ensure_tenant(tenant_id, "A tenant")
    await Projects(database).create(tenant_id, made.project_id, name="desk", slug="desk")
    return made


def asks(model: str = "", agent: str = "Desk", fallback: str = "") -> AskModel:
    request = ModelRequest((), model=model)
    return AskModel(id="1.1", request=request, operation="reasoning", agent=agent, fallback_model=fallback)


async def test_without_any_wish_the_installation_s_model_answers(desk: Desk) -> None:
    chosen = await desk.models().choose(desk.pin(), asks())
    assert (chosen.name, chosen.source) == ("claude/claude-sonnet-5-5", "tenant")
    assert chosen.registry is desk.installed


async def test_an_embedded_default_is_told_as_such(desk: Desk) -> None:
    local = ModelRegistry([ProviderSpec("embedded", "embedded", models=("small",))])
    chosen = await desk.models("embedded/small", local).choose(desk.pin(), asks())
    assert (chosen.name, chosen.source) == ("embedded/small", "embedded")


async def test_the_agent_comes_before_the_project_and_that_before_its_tenant(desk: Desk) -> None:
    await desk.add("t", name="google", kind="gemini", of_tenant=True, default_model="gemini-3.8-flash")
    models = desk.models()
    assert (await models.choose(desk.pin(), asks())).name == "google/gemini-3.8-flash"
    await desk.settings(defaultModelId="claude-opus-5-5")
    desk.now_s += KEPT_S + 1
    assert (await models.choose(desk.pin(), asks())).name == "claude/claude-opus-5-5"
    assert (await models.choose(desk.pin(), asks("claude-haiku-5-5"))).name == "claude/claude-haiku-5-5"
    assert (await models.choose(desk.pin(), asks("nobody-s-model"))).source == "project"


async def test_a_provider_of_the_project_brings_its_key_and_a_model_to_ask(desk: Desk) -> None:
    await desk.add("p", "their key", name="anthropic", kind="anthropic")
    chosen = await desk.models().choose(desk.pin(), asks())
    assert (chosen.name, chosen.source) == ("anthropic/claude-sonnet-5-5", "project")
    found = chosen.registry.find(chosen.name)
    assert found is not None
    assert (found[0].api_key, found[0].is_foreign) == ("their key", True)


@pytest.mark.parametrize("first", ["project", "tenant"])
async def test_of_two_providers_of_one_name_the_project_s_is_asked(desk: Desk, first: str) -> None:
    rows = {"tenant": {"id": "m", "maxOutputTokens": 5}, "project": {"id": "m", "maxOutputTokens": 7}}
    second = "tenant" if first == "project" else "project"
    for whose in (first, second):
        await desk.add(
            whose, f"key of {whose}", name="anthropic", kind="anthropic", of_tenant=whose == "tenant",
            models=(rows[whose],),
        )  # fmt: skip
    models = desk.models()
    for chosen in (
        await models.choose(desk.pin(), asks()),
        await models.choose(desk.pin(), asks("anthropic/m")),
        await models.resolve(desk.tenant_id, desk.project_id, model_id="m"),
    ):
        found = chosen.registry.find(chosen.name)
        assert found is not None
        assert (chosen.name, found[0].api_key, chosen.most_tokens) == ("anthropic/m", "key of project", 7)
    explained = await models.explain(desk.tenant_id, desk.project_id, asked="anthropic/m")
    assert explained.provider_id == f"{desk.tenant_id}-project"
    elsewhere = msgspec.structs.replace(desk.pin(), project_id="another")
    found = (chosen := await models.choose(elsewhere, asks("anthropic/m"))).registry.find(chosen.name)
    assert found is not None
    assert (found[0].api_key, chosen.most_tokens) == ("key of tenant", 5)


async def test_tiers_are_the_project_s_or_those_of_the_default_s_vendor(desk: Desk) -> None:
    models = desk.models()
    assert (await models.choose(desk.pin(), asks("powerful"))).name == "claude/claude-opus-5-5"
    await desk.settings(tiers={"powerful": "claude/claude-fable-5"})
    desk.now_s += KEPT_S + 1
    chosen = await models.choose(desk.pin(), asks("powerful"))
    assert (chosen.name, chosen.source) == ("claude/claude-fable-5", "tier")
    assert (await models.choose(desk.pin(), asks("fast"))).name == "claude/claude-haiku-5-5"


async def test_a_deployment_overrides_the_calls_of_an_agent_but_not_those_of_its_fallback(desk: Desk) -> None:
    override = {"Desk": {"model": "claude-opus-5-5", "temperature": 0.1, "maxTokens": 99}}
    deployment = NewDeployment(
        deployment_id=f"{desk.tenant_id}-d",
        project_id=desk.project_id,
        environment="production",
        endpoint_slug="desk",
        entry_agent_name="Desk",
        program_id="p",
        agent_version_manifest={},
        details={"modelOverrides": override},
    )
    await Deployments(desk.database).create(desk.tenant_id, deployment)
    models, pin = desk.models(), desk.pin(deployment.deployment_id)
    chosen = await models.choose(pin, asks("claude-haiku-5-5"))
    assert (chosen.name, chosen.source) == ("claude/claude-opus-5-5", "deployment")
    assert (chosen.temperature, chosen.max_tokens) == (0.1, 99)
    other = await models.choose(pin, asks("claude-haiku-5-5", agent="Other"))
    assert (other.name, other.temperature) == ("claude/claude-haiku-5-5", None)
    spare = await models.choose(pin, asks("claude-haiku-5-5", fallback="claude-haiku-5-5"))
    assert (spare.name, spare.temperature) == ("claude/claude-haiku-5-5", None)


async def test_what_was_read_is_kept_for_a_while_and_adapters_as_long_as_nothing_changes(desk: Desk) -> None:
    await desk.add("p", "first", name="anthropic", kind="anthropic")
    models = desk.models()
    first = await models.choose(desk.pin(), asks())
    meta = (await desk.providers.list(desk.tenant_id, desk.project_id))[0]
    await desk.providers.update(desk.tenant_id, meta.provider_id, meta, "second")
    assert (await models.choose(desk.pin(), asks())).registry is first.registry
    desk.now_s += KEPT_S + 1
    second = await models.choose(desk.pin(), asks())
    assert second.registry is not first.registry
    desk.now_s += KEPT_S + 1
    assert (await models.choose(desk.pin(), asks())).registry is second.registry


async def test_while_the_store_is_away_what_was_true_a_moment_ago_serves(desk: Desk, monkeypatch: Any) -> None:
    models = desk.models()
    first = await models.choose(desk.pin(), asks())

    async def away(*_: object) -> Any:
        raise Unavailable("away")

    monkeypatch.setattr(models, "_read", away)
    desk.now_s += KEPT_S + 1
    assert (await models.choose(desk.pin(), asks())).name == first.name
    with pytest.raises(Unavailable):
        await models.resolve(desk.tenant_id, "another project")


async def test_a_call_without_an_agent_names_a_model_or_a_tier(desk: Desk) -> None:
    models = desk.models()
    wanted = (desk.tenant_id, desk.project_id)
    assert (await models.resolve(*wanted, model_id="claude-opus-5-5", tier="fast")).source == "request"
    assert (await models.resolve(*wanted, tier="fast")).name == "claude/claude-haiku-5-5"
    assert (await models.resolve(*wanted)).source == "tenant"
    with pytest.raises(InvalidInput, match="nobody-s-model"):
        await models.resolve(*wanted, model_id="nobody-s-model")


async def test_without_any_model_it_says_what_to_set(desk: Desk) -> None:
    models = desk.models("", ModelRegistry([]))
    assert not await models.has_model(desk.pin())
    with pytest.raises(Unavailable, match="Runtime not configured") as refused:
        await models.choose(desk.pin(), asks())
    assert "ANTHROPIC_API_KEY" in refused.value.details["hint"]
    await desk.add("p", name="anthropic", kind="anthropic")
    desk.now_s += KEPT_S + 1
    assert await models.has_model(desk.pin())


async def test_a_chosen_model_that_is_gone_is_told_and_nobody_else_is_asked(desk: Desk) -> None:
    models = desk.models()
    for gone in ({"defaultModelId": "own/small"}, {"tiers": {"fast": "own/small"}}):
        await desk.settings(**gone)
        desk.now_s += KEPT_S + 1
        with pytest.raises(Unavailable, match="Runtime not configured") as refused:
            await models.resolve(desk.tenant_id, desk.project_id, tier="fast")
        assert "'own/small'" in refused.value.details["hint"]
        assert await models.has_model(desk.pin()) is ("tiers" in gone)
    assert (await models.choose(desk.pin(), asks())).name == "claude/claude-sonnet-5-5"


@pytest.mark.parametrize("models", [{"tiers": "fast"}, {"defaultModelId": 3}])
async def test_settings_of_another_form_are_told(desk: Desk, models: dict[str, Any]) -> None:
    await desk.settings(**models)
    with pytest.raises(Unavailable, match="configured wrongly"):
        await desk.models().choose(desk.pin(), asks())
