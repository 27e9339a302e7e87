"""What a project says beside its texts goes out and in with them; what no import takes is told. Decision 0040."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from actors import stored_transfer
from domain.transfer import NO_FILES
from tests.flows_gateway.test_transfer import (
    BILLING,
    DESK,
    FILES,
    ORDERS,
    a_gateway,
    a_project,
    export,
    imported,
    stable,
    transfer,
)
from tests.support.live_gateway import LiveGateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
ENTRY = {"formatVersion": 1, "entryAgent": "Billing"}
SAID = {
    "formatVersion": 1,
    "entryAgent": "Billing",
    "agents": {
        "Desk": {"domain": "front", "description": 'Answers \u00fc, "quoted"\nand more'},
        "Billing": {"domain": None, "description": ""},
    },
}


async def describe(gateway: LiveGateway) -> None:
    """Let the project say all that its texts do not: as `SAID` has it."""
    place = f"/api/projects/{gateway.project_id}"
    changes: tuple[tuple[str, Any], ...] = (
        (place, {"entryAgentName": "Billing"}),
        (f"{place}/agents/Desk", SAID["agents"]["Desk"]),
        (f"{place}/agents/Billing", {"description": ""}),
    )
    for path, body in changes:
        assert (await gateway.call("PATCH", path, body)).status == 200


@pytest.mark.parametrize("form", ["folder", "zip"])
async def test_what_is_said_beside_the_texts_travels_with_them(servers: Servers, form: str) -> None:
    async with a_gateway(servers, f"io-said-{form}") as gateway:
        await describe(gateway)
        first = await export(gateway)
        assert json.loads(first["files"]["project.json"]) == SAID
        assert first["manifest"]["entryAgent"] == "Billing"
        files = first["files"]
        if form == "zip":
            answer = await transfer(gateway, "GET", "/export?format=zip")
            with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
                files = {name: archive.read(name).decode() for name in archive.namelist()}
        elsewhere = await a_project(gateway, f"io-said-{form}-two")
        preview = (await transfer(gateway, "POST", "/import/preview", {"files": files}, project_id=elsewhere)).json()
        assert preview["preview"]["operations"][-1] == {
            "type": "update", "entity": "project", "name": f"io-said-{form}-two", "reason": "Entry agent changed",
        }  # fmt: skip
        assert preview["preview"]["summary"] == {"create": 3, "update": 1, "delete": 0}
        done = (await imported(gateway, files, elsewhere)).json()
        assert done["applied"] == {"created": 3, "updated": 1, "deleted": 0}
        assert not any("left out" in one for one in done["warnings"])
        second = await export(gateway, elsewhere)
        second["manifest"]["name"] = first["manifest"]["name"]
        assert json.dumps(stable(second)) == json.dumps(stable(first)), "byte for byte"
        place = f"/api/projects/{elsewhere}"
        assert (await gateway.call("GET", place)).json()["project"]["entryAgentName"] == "Billing"
        desk = (await gateway.call("GET", f"{place}/agents/Desk")).json()["agent"]
        assert (desk["agentPath"], desk["description"]) == ("front/Desk", SAID["agents"]["Desk"]["description"])
        again = (await imported(gateway, second["files"], elsewhere)).json()
        assert again["applied"] == {"created": 0, "updated": 0, "deleted": 0}


async def test_what_an_import_does_not_say_stays_unless_it_replaces(servers: Servers) -> None:
    async with a_gateway(servers, "io-stays") as gateway:
        await describe(gateway)
        before = await export(gateway)
        manifest = '{"entryAgent": "Desk"}'
        done = (await imported(gateway, {**FILES, "manifest.json": manifest})).json()
        assert done["applied"] == {"created": 0, "updated": 0, "deleted": 0}
        assert stable(await export(gateway)) == stable(before), "a manifest is not read"
        said = {"formatVersion": 1, "agents": {"Desk": {"description": "Other"}}}
        files = {**FILES, "project.json": json.dumps(said)}
        preview = (await transfer(gateway, "POST", "/import/preview", {"files": files})).json()["preview"]
        assert preview["operations"][0]["reason"] == "Domain or description changed"
        assert (await imported(gateway, files)).json()["applied"]["updated"] == 1
        merged = json.loads((await export(gateway))["files"]["project.json"])
        wanted = {**SAID["agents"], "Desk": {"domain": "front", "description": "Other"}}
        assert merged == {**SAID, "agents": wanted}
        assert (await imported(gateway, files, mode="replace")).json()["applied"]["updated"] == 3
        replaced = json.loads((await export(gateway))["files"]["project.json"])
        assert replaced == {"formatVersion": 1, "agents": {"Desk": {"domain": None, "description": "Other"}}}


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"formatVersion": 1, "entryAgent": "Nobody"}, "entryAgent names Nobody, which is no agent of the project"),
        ({"formatVersion": 1, "entryAgent": "orders"}, "entryAgent names orders, which is no agent of the project"),
        ({"formatVersion": 1, "agents": {"No": {}}}, "agents names No, which is no agent of the project"),
        ({"formatVersion": 2}, "Invalid enum value 2 - at `$.formatVersion`"),
        ({"formatVersion": 1, "name": "x"}, "Object contains unknown field `name`"),
    ],
)
async def test_a_project_file_that_cannot_be_so_is_refused_with_everything(
    servers: Servers, said: Any, sentence: str
) -> None:
    async with a_gateway(servers, "io-said-wrong") as gateway:
        before = stable(await export(gateway))
        files = {"agents/New.abl": BILLING, "project.json": json.dumps(said)}
        for path in ("/import", "/import/preview"):
            answer = await transfer(gateway, "POST", path, {"files": files})
            error = answer.json()["error"]
            assert (answer.status, error["code"]) == (400, "VALIDATION_ERROR")
            assert error["message"] == f"project.json: {sentence}"
        assert stable(await export(gateway)) == before


async def test_an_entry_agent_without_a_text_is_no_entry_agent_of_an_export(servers: Servers) -> None:
    async with a_gateway(servers, "io-entry-empty") as gateway:
        place = f"/api/projects/{gateway.project_id}"
        assert (await gateway.call("POST", f"{place}/agents", {"name": "Empty"})).status == 201
        assert (await gateway.call("PATCH", place, {"entryAgentName": "Empty"})).status == 200
        exported = await export(gateway)
        assert exported["manifest"]["entryAgent"] == "Desk"
        assert exported["files"] == FILES


async def test_what_was_imported_can_be_talked_to(servers: Servers) -> None:
    async with a_gateway(servers, "io-talk") as gateway:
        elsewhere = await a_project(gateway, "io-talk-two")
        await imported(gateway, {**FILES, "project.json": json.dumps(ENTRY)}, elsewhere)
        said = await gateway.call("POST", "/api/v1/chat/agent", {"projectId": elsewhere, "message": "hello"})
        assert said.json()["response"] == "Your bill is paid."
        assert (await export(gateway, elsewhere))["manifest"]["entryAgent"] == "Billing"


@pytest.mark.parametrize("path", ["/import", "/import/preview"])
async def test_an_import_without_files_is_a_bad_request(servers: Servers, path: str) -> None:
    async with a_gateway(servers, "io-nothing") as gateway:
        answer = await transfer(gateway, "POST", path, {"mode": "merge"})
        error = answer.json()["error"]
        assert (answer.status, error["code"], error["message"]) == (400, "BAD_REQUEST", NO_FILES)


async def test_a_text_that_stands_where_another_belongs_is_told_of(servers: Servers) -> None:
    async with a_gateway(servers, "io-misplaced") as gateway:
        files = {"tools/odd.tools.abl": BILLING, "agents/other.abl": ORDERS}
        done = (await imported(gateway, files)).json()
        assert done["applied"]["created"] == 2
        assert done["warnings"] == [
            "tools/odd.tools.abl:1: This is a text of the kind agent where one of the kind tool belongs",
            "agents/other.abl:1: This is a text of the kind tool where one of the kind agent belongs",
        ]


async def test_a_name_that_no_import_takes_is_exported_and_told_of(servers: Servers) -> None:
    texts = {"buro.abl": BILLING.replace("AGENT: Billing", "AGENT: B\u00fcro")}
    async with a_gateway(servers, "io-foreign", texts) as gateway:
        exported = await export(gateway)
        assert set(exported["files"]) == {"agents/B\u00fcro.abl"}
        assert exported["warnings"] == ["B\u00fcro is a name that an import refuses"]


async def test_an_export_that_one_import_does_not_take_says_so(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_gateway(servers, "io-too-much") as gateway:
        place = f"/api/projects/{gateway.project_id}/agents/Desk"
        assert (await gateway.call("PATCH", place, {"description": "x" * 1_000})).status == 200
        assert (await export(gateway))["warnings"] == []
        monkeypatch.setattr(stored_transfer, "IMPORT_FILES_MAX", 3)
        monkeypatch.setattr(stored_transfer, "IMPORT_FILE_MAX_BYTES", len(DESK.encode()))
        exported = await export(gateway)
        size_bytes = len(exported["files"]["project.json"].encode())
        assert exported["warnings"] == [
            f"project.json has {size_bytes} bytes; one file of an import has at most {len(DESK.encode())}",
            "There are 4 files; one import takes 3",
        ]


async def test_half_a_sign_is_refused_wherever_it_stands(servers: Servers) -> None:
    async with a_gateway(servers, "io-half") as gateway:
        for path in ("project.json", "agents/a.abl", "notes.txt"):
            answer = await imported(gateway, {path: "\ud800"})
            assert answer.status == 400, answer.body
