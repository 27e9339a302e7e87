"""Providers that tenants bring: who sees them, and what lies in the database."""

from __future__ import annotations

from typing import Any

import pytest

from domain.errors import Conflict, NotFound
from storage.crypto import MasterKeys, Unopenable, new_data_key
from storage.database import Database, Duplicate
from storage.repositories.model_providers import FIND, ModelProviders, NewProvider
from storage.repositories.projects import Projects
from storage.vault import Vault

pytestmark = pytest.mark.anyio
CLAUDE = NewProvider(name="anthropic", kind="anthropic", models=({"id": "claude-x"},), default_model="claude-x")


@pytest.fixture
async def providers(database: Database, tenant_id: str) -> ModelProviders:
    projects = Projects(database)
    await projects.ensure_tenant(tenant_id, "A tenant")
    for name in ("one", "two"):
        await projects.create(tenant_id, f"{tenant_id}-{name}", name=name, slug=name)
    return ModelProviders(database, Vault(database, MasterKeys([new_data_key()])))


async def test_a_project_sees_its_own_providers_first_and_those_of_its_tenant(
    providers: ModelProviders, tenant_id: str
) -> None:
    own = NewProvider(name="anthropic", kind="anthropic", project_id=f"{tenant_id}-one")
    await providers.create(tenant_id, "p1", CLAUDE, "key of the tenant")
    await providers.create(tenant_id, "p2", own, "key of the project")
    one = await providers.resolve(tenant_id, f"{tenant_id}-one")
    assert [(found.meta.provider_id, found.api_key) for found in one] == [
        ("p2", "key of the project"),
        ("p1", "key of the tenant"),
    ]
    two = await providers.resolve(tenant_id, f"{tenant_id}-two")
    assert [found.meta.provider_id for found in two] == ["p1"]
    assert list(await providers.resolve("ten_other", f"{tenant_id}-one")) == []


async def test_the_key_lies_sealed_and_is_never_listed(
    providers: ModelProviders, database: Database, tenant_id: str
) -> None:
    meta = await providers.create(tenant_id, "p1", CLAUDE, "sk-secret")
    row = await database.row(FIND, tenant_id=tenant_id, provider_id="p1")
    assert row is not None
    assert b"sk-secret" not in row["sealed"]
    assert "sk-secret" not in f"{meta}{await providers.list(tenant_id)}"
    assert meta.has_key
    assert meta.models == ({"id": "claude-x"},)
    assert "sk-secret" not in repr((await providers.resolve(tenant_id, f"{tenant_id}-one"))[0])


async def test_a_change_keeps_the_key_or_takes_another_or_none(providers: ModelProviders, tenant_id: str) -> None:
    async def key() -> str:
        return (await providers.resolve(tenant_id, f"{tenant_id}-one"))[0].api_key

    await providers.create(tenant_id, "p1", CLAUDE, "first")
    changed = await providers.update(tenant_id, "p1", NewProvider(name="x", kind="anthropic"))
    assert (changed.name, changed.version, await key()) == ("x", 2, "first")
    await providers.update(tenant_id, "p1", CLAUDE, "second")
    assert await key() == "second"
    assert not (await providers.update(tenant_id, "p1", CLAUDE, "")).has_key
    assert await key() == ""


HERE = "https://models.example/v1"


@pytest.mark.parametrize(
    ("kind", "base_url", "kept"),
    [
        ("openai_compatible", HERE, "first"),
        ("openai_compatible", "https://models.example:443/v2", "first"),
        ("openai_compatible", "https://MODELS.example/v1", "first"),
        ("openai_compatible", "https://models.example:8443/v1", ""),
        ("openai_compatible", "http://models.example/v1", ""),
        ("openai_compatible", "https://models.example.net/v1", ""),
        ("openai_compatible", "https://models.example:99999/v1", ""),
        ("openai_compatible", "", ""),
        ("anthropic", HERE, ""),
    ],
)
async def test_a_key_does_not_go_to_another_server(
    providers: ModelProviders, tenant_id: str, kind: str, base_url: str, kept: str
) -> None:
    own = NewProvider(name="own", kind="openai_compatible", base_url=HERE)
    moved = NewProvider(name="own", kind=kind, base_url=base_url)
    await providers.create(tenant_id, "p1", own, "first")
    assert (await providers.update(tenant_id, "p1", moved)).has_key is bool(kept)
    assert (await providers.resolve(tenant_id, f"{tenant_id}-one"))[0].api_key == kept
    await providers.update(tenant_id, "p1", own, "second")
    await providers.update(tenant_id, "p1", moved, "third")
    assert (await providers.resolve(tenant_id, f"{tenant_id}-one"))[0].api_key == "third"


async def test_a_name_is_taken_once_for_the_tenant_and_once_for_each_project(
    providers: ModelProviders, tenant_id: str
) -> None:
    await providers.create(tenant_id, "p1", CLAUDE)
    with pytest.raises(Duplicate):
        await providers.create(tenant_id, "p2", CLAUDE)
    for name in ("one", "two"):
        own = NewProvider(name="anthropic", kind="anthropic", project_id=f"{tenant_id}-{name}")
        await providers.create(tenant_id, f"p-{name}", own)


async def test_what_is_not_there_is_told(providers: ModelProviders, tenant_id: str) -> None:
    with pytest.raises(NotFound):
        await providers.get(tenant_id, "nobody")
    assert not await providers.delete(tenant_id, "nobody")


async def test_another_master_key_opens_nothing(providers: ModelProviders, database: Database, tenant_id: str) -> None:
    await providers.create(tenant_id, "p1", CLAUDE, "secret")
    stranger = ModelProviders(database, Vault(database, MasterKeys([new_data_key()])))
    with pytest.raises(Unopenable):
        await stranger.resolve(tenant_id, f"{tenant_id}-one")


async def test_a_project_takes_its_providers_with_it(
    providers: ModelProviders, database: Database, tenant_id: str
) -> None:
    own = NewProvider(name="mine", kind="gemini", project_id=f"{tenant_id}-one")
    await providers.create(tenant_id, "p1", own, "k")
    await Projects(database).delete(tenant_id, f"{tenant_id}-one")
    with pytest.raises(NotFound):
        await providers.get(tenant_id, "p1")


async def test_of_two_changes_at_the_same_time_one_is_told_why_it_was_refused(
    providers: ModelProviders, tenant_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await providers.create(tenant_id, "p1", CLAUDE, "first")
    sealed = Vault.seal

    async def seal_after_another_change(vault: Vault, *what: Any) -> bytes:
        monkeypatch.setattr(Vault, "seal", sealed)
        await providers.update(tenant_id, "p1", CLAUDE, "second")
        return await sealed(vault, *what)

    monkeypatch.setattr(Vault, "seal", seal_after_another_change)
    with pytest.raises(Conflict, match="changed at the same time") as refused:
        await providers.update(tenant_id, "p1", CLAUDE, "third")
    assert refused.value.details == {"reason": "CHANGED_MEANWHILE"}
    assert [found.api_key for found in await providers.resolve(tenant_id, f"{tenant_id}-one")] == ["second"]
