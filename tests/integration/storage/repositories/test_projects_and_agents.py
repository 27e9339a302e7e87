from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from domain.errors import NotFound
from domain.transfer import source_hash
from storage.crypto import MasterKeys, Unopenable
from storage.database import Database
from storage.errors import Duplicate
from storage.repositories.agents import Agents
from storage.repositories.api_keys import ApiKeys, NewKey
from storage.repositories.credentials import Credentials
from storage.repositories.deployments import Deployments, NewDeployment
from storage.repositories.projects import Projects
from storage.repositories.versions import NewVersion, Versions
from storage.statements import Statement
from storage.vault import Vault

pytestmark = pytest.mark.anyio

SEALED = Statement("SELECT sealed FROM credentials WHERE tenant_id = :tenant_id AND credential_id = :credential_id")
PUT = Statement("""
    UPDATE credentials SET sealed = :sealed WHERE tenant_id = :tenant_id AND credential_id = :credential_id
""")


@pytest.fixture
async def projects(database: Database, tenant_id: str) -> Projects:
    made = Projects(database)
    await made.ensure_tenant(tenant_id, "Tenant")
    await made.ensure_tenant(tenant_id, "Tenant")
    return made


@pytest.fixture
async def project_id(projects: Projects, tenant_id: str) -> str:
    made = await projects.create(tenant_id, f"c {tenant_id}", name="Parcels", slug="parcels")
    return made.project_id


@pytest.fixture
def agents(database: Database) -> Agents:
    return Agents(database)


async def test_a_project_is_made_found_changed_and_removed(
    projects: Projects, agents: Agents, tenant_id: str, project_id: str
) -> None:
    assert tenant_id in await projects.tenants()
    found = await projects.get(tenant_id, project_id)
    assert (found.name, found.settings, found.agent_count) == ("Parcels", {}, 0)
    await agents.save(tenant_id, project_id, "ag_1", name="Desk", dsl="AGENT: Desk")
    await agents.save(tenant_id, project_id, "ag_2", name="tools", dsl="TOOLS:", kind="tools")
    changed = msgspec.structs.replace(found, name="Letters", entry_agent_name="Desk", settings={"a": [1]})
    updated = await projects.update(tenant_id, changed)
    assert (updated.name, updated.entry_agent_name, updated.settings, updated.agent_count) == (
        *("Letters", "Desk", {"a": [1]}),
        1,
    )
    assert await projects.find_by_slug(tenant_id, "parcels") == updated
    assert await projects.list(tenant_id) == [updated]
    assert await projects.delete(tenant_id, project_id)
    assert await agents.list(tenant_id) == []
    assert not await projects.delete(tenant_id, project_id)
    with pytest.raises(NotFound, match="Project not found"):
        await projects.get(tenant_id, project_id)


@pytest.mark.parametrize(("name", "slug", "rule"), [("Parcels", "x", "project_name"), ("X", "parcels", "project_slug")])
async def test_a_taken_name_or_slug_is_named(
    projects: Projects, tenant_id: str, project_id: str, name: str, slug: str, rule: str
) -> None:
    with pytest.raises(Duplicate) as refused:
        await projects.create(tenant_id, f"another {project_id}", name=name, slug=slug)
    assert refused.value.constraint == rule


async def test_another_tenant_sees_nothing(projects: Projects, agents: Agents, tenant_id: str, project_id: str) -> None:
    await agents.save(tenant_id, project_id, "ag_1", name="Desk", dsl="AGENT: Desk")
    other = f"{tenant_id} other"
    assert await projects.find(other, project_id) is None
    assert await agents.find(other, project_id, "Desk") is None
    assert not await agents.delete(other, project_id, "Desk")


async def test_a_draft_is_rewritten_and_frozen(
    database: Database, agents: Agents, tenant_id: str, project_id: str
) -> None:
    first = await agents.save(tenant_id, project_id, "ag_1", name="Desk", dsl="one", description="Greets")
    again = await agents.save(tenant_id, project_id, "ag_9", name="Desk", dsl="two")
    assert (again.agent_id, again.dsl, again.description) == (first.agent_id, "two", "Greets")
    assert again.source_hash == source_hash("two") != first.source_hash
    versions = Versions(database)
    new = NewVersion(agent_id="ag_1", dsl="two", ir=b"{}", label="first")
    async with database.transaction() as connection:
        assert await versions.lock(connection, tenant_id, "ag_1") == source_hash("two")
        assert await versions.freeze(connection, tenant_id, new) == "1"
        await agents.write_draft(connection, tenant_id, project_id, "Desk", "three", "agent")
    frozen = await versions.get(tenant_id, "ag_1", "1")
    assert (frozen.dsl, frozen.label) == ("two", "first")
    assert await versions.ir(tenant_id, "ag_1", "1") == b"{}"
    assert await versions.list(tenant_id, "ag_1") == [msgspec.structs.replace(frozen, dsl="")]
    assert (await agents.get(tenant_id, project_id, "Desk")).version_count == 1
    with pytest.raises(Duplicate):
        async with database.transaction() as connection:
            await versions.freeze(connection, tenant_id, msgspec.structs.replace(new, version="1"))
    with pytest.raises(NotFound, match="Version not found"):
        await versions.get(tenant_id, "ag_1", "2")
    async with database.transaction() as connection:
        with pytest.raises(NotFound, match="Agent not found"):
            await agents.write_draft(connection, tenant_id, project_id, "Nobody", "x", "agent")
        for name in ("a", "b"):
            await versions.freeze(connection, tenant_id, msgspec.structs.replace(new, version=name))
        assert await versions.freeze(connection, tenant_id, new) == "2"


async def test_a_program_is_kept_by_its_content(agents: Agents, tenant_id: str, project_id: str) -> None:
    for _ in range(2):
        await agents.keep_program(tenant_id, "sha", project_id, b"ir")
    assert await agents.program(tenant_id, project_id, "sha") == b"ir"
    assert await agents.has_program(tenant_id, project_id, "sha")
    for other in ((f"{tenant_id} other", project_id), (tenant_id, f"{project_id} other")):
        assert await agents.program(*other, "sha") is None
        assert not await agents.has_program(*other, "sha")


async def test_documents_are_listed_without_their_texts(agents: Agents, tenant_id: str, project_id: str) -> None:
    kept = await agents.save(tenant_id, project_id, "ag_1", name="Desk", dsl="one")
    assert await agents.list_without_texts(tenant_id, project_id) == [msgspec.structs.replace(kept, dsl="")]
    assert await agents.list(tenant_id, project_id) == [kept]


def a_deployment(project_id: str, deployment_id: str) -> NewDeployment:
    return NewDeployment(
        deployment_id=deployment_id,
        project_id=project_id,
        environment="dev",
        endpoint_slug=f"slug-{deployment_id}",
        entry_agent_name="Desk",
        program_id="sha",
        agent_version_manifest={"Desk": "1"},
    )


async def test_an_environment_has_one_active_deployment(database: Database, tenant_id: str, project_id: str) -> None:
    deployments = Deployments(database)
    first = await deployments.create(tenant_id, a_deployment(project_id, "dep_1"))
    assert (first.status, first.draining) == ("active", False)
    second = await deployments.create(tenant_id, a_deployment(project_id, "dep_2"))
    assert await deployments.active(tenant_id, project_id, "dev") == second
    assert await deployments.active(tenant_id, project_id, "production") is None
    retired = await deployments.get(tenant_id, "dep_1")
    assert (retired.status, retired.draining) == ("retired", True)
    assert retired.retired_at is not None
    assert await deployments.list(tenant_id, project_id, status="retired") == [retired]
    done = await deployments.retire(tenant_id, "dep_1", draining=False)
    assert (done.draining, done.retired_at) == (False, retired.retired_at)
    with pytest.raises(NotFound, match="Deployment not found"):
        await deployments.get(f"{tenant_id} other", "dep_1")


async def test_two_deployments_at_once_leave_one_active(database: Database, tenant_id: str, project_id: str) -> None:
    deployments = Deployments(database)
    outcomes = await asyncio.gather(
        *(deployments.create(tenant_id, a_deployment(project_id, f"dep_{number}")) for number in range(5)),
        return_exceptions=True,
    )
    assert all(not isinstance(outcome, BaseException) or isinstance(outcome, Duplicate) for outcome in outcomes)
    assert len(await deployments.list(tenant_id, project_id, status="active")) == 1


async def test_a_key_is_known_by_what_it_is_until_it_is_revoked(
    database: Database, projects: Projects, tenant_id: str
) -> None:
    keys = ApiKeys(database)
    plaintext = f"abl_secret_{tenant_id}"
    made = await keys.create(
        tenant_id, NewKey(key_id="key_1", plaintext=plaintext, scopes=("session:execute",), details={"a": 1})
    )
    assert made.prefix == plaintext[:12]
    assert await keys.find_by_plaintext(plaintext) == made
    assert await keys.find_by_plaintext(plaintext + "x") is None
    assert await keys.list(tenant_id) == (made,)
    assert not await keys.revoke(f"{tenant_id} other", "key_1")
    assert await keys.revoke(tenant_id, "key_1")
    assert await keys.find_by_plaintext(plaintext) is None
    assert not await keys.revoke(tenant_id, "key_1")


async def test_the_use_of_a_key_is_noted_once_in_a_while(
    database: Database, projects: Projects, tenant_id: str
) -> None:
    keys, now = ApiKeys(database), datetime(2026, 3, 2, 9, tzinfo=UTC)
    await keys.create(tenant_id, NewKey(key_id="key_u", plaintext=f"abl_used_{tenant_id}"))

    async def used(at: datetime) -> datetime | None:
        key = await keys.find_valid(tenant_id, "key_u")
        assert key is not None
        await keys.note_use(key, at)
        after = await keys.find_valid(tenant_id, "key_u")
        return after.last_used_at if after is not None else None

    assert await used(now) == now
    assert await used(now + timedelta(seconds=59)) == now
    assert await used(now + timedelta(seconds=61)) == now + timedelta(seconds=61)


async def test_credentials_are_resolved_in_the_order_of_tools_and_replaced_by_version(
    database: Database, tenant_id: str, project_id: str
) -> None:
    credentials = Credentials(database, Vault(database, MasterKeys([b"o" * 32])))
    made = await credentials.create(
        tenant_id, "sec_1", project_id=project_id, tool_name="*", secret_key="TOKEN", value="1"
    )
    await credentials.create(tenant_id, "sec_2", project_id=project_id, tool_name="find", secret_key="TOKEN", value="2")
    with pytest.raises(Duplicate) as refused:
        await credentials.create(
            tenant_id, "sec_3", project_id=project_id, tool_name="*", secret_key="TOKEN", value="3"
        )
    assert refused.value.constraint == "credential_name"

    async def resolve(*tools: str, environment: str = "dev") -> str | None:
        found = await credentials.resolve(tenant_id, project_id, "TOKEN", environment, tools)
        return found.value if found else None

    assert await resolve("find", "*") == "2"
    assert await resolve("other", "*") == "1"
    assert await resolve("find", environment="production") is None
    assert (await credentials.replace(tenant_id, "sec_1", "4")).version == 2
    assert await resolve("*") == "4"
    with pytest.raises(NotFound):
        await credentials.replace(f"{tenant_id} other", "sec_1", "5")
    stored = await database.value(SEALED, tenant_id=tenant_id, credential_id="sec_2")
    await database.execute(PUT, tenant_id=tenant_id, credential_id="sec_1", sealed=stored)
    with pytest.raises(Unopenable):  # a value cannot be moved to where somebody else may use it
        await resolve("*")
    assert await credentials.find(f"{tenant_id} other", "sec_1") is None
    rows, total = await credentials.list(tenant_id, project_id, tool_name="*")
    assert ([one.credential_id for one in rows], total) == ([made.credential_id], 1)
    assert await credentials.delete(tenant_id, "sec_1")
    assert not await credentials.delete(tenant_id, "sec_1")
