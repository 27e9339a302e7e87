"""`abl export`, `abl import` and `abl deploy` against a server on real sockets."""

from __future__ import annotations

import asyncio
import json
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from actors.clocks import RandomIds
from actors.projects import TENANT_ID
from cli.deploy import deploy
from cli.transfer import export_project, files_in, import_project
from domain.errors import InvalidInput
from storage.repositories.projects import Projects
from tests.flows_gateway.test_project_files import SAID, describe
from tests.flows_gateway.test_transfer import BILLING, DESK, FILES, ORDERS, TEXTS
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def a_gateway(servers: Servers, name: str) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, name, TEXTS) as gateway:
        yield gateway


def reached(gateway: LiveGateway, project: str = "") -> dict[str, Any]:
    """Return the options by which a command finds a project of the gateway."""
    project = project or gateway.project_id
    return {"url": f"http://127.0.0.1:{gateway.port}", "key": gateway.key, "key_file": "nowhere", "project": project}


async def a_project(gateway: LiveGateway, name: str) -> str:
    project_id = RandomIds().new("")
    await Projects(gateway.running.database).create(TENANT_ID, project_id, name=name, slug=name)
    return project_id


async def exported(gateway: LiveGateway, target: Path, project: str = "", *, with_deployments: bool = False) -> int:
    options = reached(gateway, project)
    return await asyncio.to_thread(export_project, str(target), **options, with_deployments=with_deployments)


async def imported(gateway: LiveGateway, source: Path, project: str = "", **more: bool) -> int:
    chosen = {"replace": False, "dry_run": False, **more}
    return await asyncio.to_thread(import_project, str(source), **reached(gateway, project), **chosen)


async def deployed(gateway: LiveGateway, source: str = "", project: str = "", **more: Any) -> int:
    chosen = {"environment": "staging", "entry": "", "label": "", "agents": [], "as_json": False, **more}
    return await asyncio.to_thread(deploy, source, **reached(gateway, project), **chosen)


def held(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("form", ["folder", "folder.zip"])
async def test_what_is_exported_is_imported_elsewhere(servers: Servers, tmp_path: Path, form: str) -> None:
    async with a_gateway(servers, "cli-round") as gateway:
        target = tmp_path / "deep" / form
        assert await exported(gateway, target, with_deployments=True) == 0
        elsewhere = await a_project(gateway, f"cli-{form}")
        assert await imported(gateway, target, elsewhere) == 0
        second = tmp_path / "second"
        assert await exported(gateway, second, f"cli-{form}", with_deployments=True) == 0
        found = held(second)
        assert {path: found[path] for path in FILES} == FILES
        assert set(found) == {*FILES, "manifest.json", "lockfile.json", "deployments.json"}
        manifest = json.loads(found["manifest.json"])
        assert (manifest["entryAgent"], list(manifest["agents"])) == ("Desk", ["Desk", "Billing"])


@pytest.mark.parametrize("form", ["folder", "folder.zip"])
async def test_a_command_takes_along_what_is_said_beside_the_texts(servers: Servers, tmp_path: Path, form: str) -> None:
    async with a_gateway(servers, "cli-said") as gateway:
        await describe(gateway)
        place = f"/api/projects/{gateway.project_id}/agents/Desk/dsl"
        misnamed = {"dslContent": DESK.replace("AGENT: Desk", "AGENT: Front")}
        assert (await gateway.call("PUT", place, misnamed)).status == 200
        assert await exported(gateway, tmp_path / form) == 0
        elsewhere = await a_project(gateway, f"cli-said-{form}")
        assert await imported(gateway, tmp_path / form, elsewhere) == 0
        for project, target in (("cli-said", "first"), (elsewhere, "second")):
            assert await exported(gateway, tmp_path / target, project) == 0
        first, second = ({**held(tmp_path / one), "manifest.json": ""} for one in ("first", "second"))
        assert second == first
        assert json.loads(second["project.json"]) == SAID
        assert await deployed(gateway, "", elsewhere, agents=["Billing"]) == 0, "its entry agent is known"


async def test_an_import_may_be_looked_at_first_and_may_replace(
    servers: Servers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with a_gateway(servers, "cli-replace") as gateway:
        (tmp_path / "billing.abl").write_text(BILLING + "# more\n")
        assert await imported(gateway, tmp_path, dry_run=True, replace=True) == 0
        said = capsys.readouterr().out
        assert "update   agent    Billing: Content changed" in said
        assert "would create 0, update 1, delete 2" in said
        assert await imported(gateway, tmp_path, replace=True) == 0
        assert "0 created, 1 updated, 2 deleted" in capsys.readouterr().out
        assert await exported(gateway, tmp_path / "out") == 0
        assert set(held(tmp_path / "out")) == {"agents/Billing.abl", "manifest.json", "lockfile.json"}


async def test_a_folder_is_deployed_in_one_command(
    servers: Servers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with a_gateway(servers, "cli-deploy") as gateway:
        for name, text in TEXTS.items():
            (tmp_path / name).write_text(text)
        elsewhere = await a_project(gateway, "cli-deploy-two")
        assert await deployed(gateway, str(tmp_path), "cli-deploy-two") == 2
        assert "--entry" in capsys.readouterr().err
        assert await deployed(gateway, str(tmp_path), "cli-deploy-two", entry="Desk", label="first") == 0
        said = capsys.readouterr().out
        assert "is active in staging as cli-deploy-two-staging-" in said
        assert "  Desk 1 (entry)" in said
        body = {"projectId": elsewhere, "environment": "staging", "message": "hello"}
        assert (await gateway.call("POST", "/api/v1/chat/agent", body)).json()["response"] == "At your service."
        assert await deployed(gateway, "", elsewhere, agents=["Billing@1"], environment="dev", as_json=True) == 0
        made = json.loads(capsys.readouterr().out)
        assert (made["agentVersionManifest"], made["entryAgentName"]) == ({"Billing": "1"}, "Billing")
        assert await exported(gateway, tmp_path / "out", elsewhere, with_deployments=True) == 0
        told = json.loads(held(tmp_path / "out")["deployments.json"])
        assert {one["environment"]: one["status"] for one in told} == {"dev": "active", "staging": "active"}
        (tmp_path / "only").mkdir()
        (tmp_path / "only" / "new.abl").write_text("AGENT: New\nGOAL: x\n")
        assert await imported(gateway, tmp_path / "only", elsewhere, replace=True) == 2
        assert "An active deployment uses Billing, Desk, orders.tools" in capsys.readouterr().err


async def test_what_does_not_compile_is_not_deployed(
    servers: Servers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with a_gateway(servers, "cli-broken") as gateway:
        elsewhere = await a_project(gateway, "cli-broken-two")
        (tmp_path / "odd.abl").write_text("AGENT: Odd\nGOAL: x\nHANDOFF:\n  - TO: Nobody\n    WHEN: true\n")
        assert await deployed(gateway, str(tmp_path), elsewhere) == 1
        assert "Nobody" in capsys.readouterr().err
        assert await deployed(gateway, "", elsewhere, environment="moon") == 2
        assert "'moon' is no environment" in capsys.readouterr().err


async def test_a_project_is_found_by_its_name_and_others_are_listed(
    servers: Servers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with a_gateway(servers, "cli-name") as gateway:
        assert await exported(gateway, tmp_path / "a", "cli-name") == 0
        assert await exported(gateway, tmp_path / "b", "cli-nobody") == 2
        assert "There is no project cli-nobody" in capsys.readouterr().err
        assert not (tmp_path / "b").exists()


async def test_a_project_is_found_however_many_there_are(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.server.PROJECTS_AT_ONCE", 2)
    async with a_gateway(servers, "cli-first") as gateway:
        for name in ("cli-many-1", "cli-many-2", "cli-last"):
            await a_project(gateway, name)
        assert await exported(gateway, tmp_path / "out", "cli-last") == 0


async def test_a_wrong_key_or_server_is_told(
    servers: Servers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with a_gateway(servers, "cli-key") as gateway:
        options = {**reached(gateway), "key": "abl_wrong"}
        assert await asyncio.to_thread(export_project, str(tmp_path / "x"), **options, with_deployments=False) == 2
        assert "(401)" in capsys.readouterr().err
    gone = {**options, "url": "http://127.0.0.1:9"}
    assert export_project(str(tmp_path / "x"), **gone, with_deployments=False) == 2
    assert "cannot be reached" in capsys.readouterr().err
    assert export_project(str(tmp_path / "x"), **{**gone, "url": "here"}, with_deployments=False) == 2
    assert "is no address" in capsys.readouterr().err
    assert export_project(str(tmp_path / "x"), **{**gone, "key": ""}, with_deployments=False) == 2
    assert "There is no API key" in capsys.readouterr().err


def test_files_of_another_layout_are_placed_by_what_they_hold(tmp_path: Path) -> None:
    (tmp_path / "bank").mkdir()
    for path, text in {
        "bank/front.agent.abl": DESK,
        "pay.abl": BILLING,
        "orders.tools.abl": ORDERS,
        "a.txt": "",
    }.items():
        (tmp_path / path).write_text(text)
    assert set(files_in(str(tmp_path))) == {"agents/Desk.abl", "agents/Billing.abl", "tools/orders.tools.abl"}
    assert files_in(str(tmp_path / "pay.abl")) == {"agents/Billing.abl": BILLING}


def test_what_cannot_be_imported_is_refused_before_a_server_is_asked(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="holds no agents"):
        files_in(str(tmp_path))
    with pytest.raises(InvalidInput, match="no such file"):
        files_in(str(tmp_path / "gone"))
    (tmp_path / "a.zip").write_bytes(b"no zip")
    with pytest.raises(InvalidInput, match="cannot be read"):
        files_in(str(tmp_path / "a.zip"))
    for name in ("one.abl", "two.abl"):
        (tmp_path / name).write_text(BILLING)
    with pytest.raises(InvalidInput, match="Two files are agents/Billing.abl"):
        files_in(str(tmp_path))


@pytest.mark.parametrize("name", ["front.abl", "agents/front.abl"])
def test_a_name_that_no_import_takes_is_named_before_a_server_is_asked(tmp_path: Path, name: str) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / name).write_text(BILLING.replace("AGENT: Billing", "AGENT: B\u00fcro"))
    with pytest.raises(InvalidInput, match=f"{name}: 'B\u00fcro' cannot be the name"):
        files_in(str(tmp_path))


def test_a_bomb_of_a_zip_is_not_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(60):
            archive.writestr(f"agents/a{number}.abl", "x" * 1_000_000)
    with pytest.raises(InvalidInput, match="holds more than"):
        files_in(str(tmp_path / "bomb.zip"))
