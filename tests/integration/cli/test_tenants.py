"""`abl tenants`: a second tenant has an owner who can log in, limits of its own, and is made whole or not at all."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from actors.passwords import Passwords
from actors.projects import TENANT_ID
from cli.tenants import create_tenant, limit_tenant, list_tenants
from domain.rates import RateSettings, rates_within
from storage.database import Database
from storage.repositories.projects import Projects
from storage.repositories.tenants import Tenants
from storage.repositories.users import Users
from tests.support.servers import Servers

Found = TypeVar("Found")


@pytest.fixture(autouse=True)
def database_of_the_run(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", servers.database_url)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    return re.sub(r"\W+", "-", request.node.name)


def asked(servers: Servers, ask: Callable[[Database], Awaitable[Found]]) -> Found:
    async def run() -> Found:
        database = await Database.open(servers.database_url)
        try:
            return await ask(database)
        finally:
            await database.close()

    return asyncio.run(run())


def test_the_owner_of_a_new_tenant_logs_in_and_owns_that_tenant_alone(
    servers: Servers, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    email = f"{name}@example.com"
    assert create_tenant(name=name, owner=email, data_dir="") == 0
    line, secret, _ = capsys.readouterr().out.split("\n", 2)
    tenant_id, password = line.split()[0], secret.split()[1]

    async def look(database: Database) -> bool:
        owner = await Users(database).find_by_email(email)
        assert owner is not None
        assert (owner.tenant_id, owner.role) == (tenant_id, "owner")
        passwords = Passwords()
        try:
            return await passwords.matches(password, owner.password_hash)
        finally:
            passwords.close()

    assert tenant_id not in ("", TENANT_ID)
    assert asked(servers, look)
    list_tenants(data_dir="")
    assert f"{tenant_id}  {name}  {email}  limits of the installation" in capsys.readouterr().out


def test_an_email_that_logs_in_already_makes_no_tenant(
    servers: Servers, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    create_tenant(name=name, owner=f"{name}@example.com", data_dir="")
    with pytest.raises(SystemExit):
        create_tenant(name=f"{name}-again", owner=f"{name}@EXAMPLE.com", data_dir="")
    assert "logs in already" in capsys.readouterr().err
    known = asked(servers, lambda database: Tenants(database).list())
    assert f"{name}-again" not in [one.name for one in known]


def test_limits_of_a_tenant_come_before_those_of_the_installation_and_go_again(
    servers: Servers, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    create_tenant(name=name, owner=f"{name}@example.com", data_dir="")
    tenant_id = capsys.readouterr().out.split()[0]

    def rates() -> RateSettings:
        settings = asked(servers, lambda database: Projects(database).tenant_settings(tenant_id))
        return rates_within(settings, RateSettings())

    assert limit_tenant(name, ["requestsPerSecond=50", "modelTokensPerMinute=7"], data_dir="") == 0
    assert "modelTokensPerMinute=7 requestsPerSecond=50" in capsys.readouterr().out
    assert (rates().requests_per_second, rates().model_tokens_per_minute) == (50, 7)
    limit_tenant(tenant_id, ["requestsPerSecond=", "modelTokensPerMinute="], data_dir="")
    assert rates() == RateSettings()


@pytest.mark.parametrize("given", ["requestsPerSecond", "requestsPerSecond=-1", "concurrentVoiceRooms=3", "x=1"])
def test_what_is_no_limit_of_a_tenant_is_refused(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        limit_tenant(TENANT_ID, [given], data_dir="")
    assert f"not {given}" in capsys.readouterr().err


@pytest.mark.parametrize(("called", "owner"), [("", "a@example.com"), ("x", ""), ("x", "nobody")])
def test_a_tenant_needs_a_name_and_an_owner(called: str, owner: str) -> None:
    with pytest.raises(SystemExit):
        create_tenant(name=called, owner=owner, data_dir="")


def test_a_tenant_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        limit_tenant("nowhere", [], data_dir="")
    assert "there is no tenant nowhere" in capsys.readouterr().err
