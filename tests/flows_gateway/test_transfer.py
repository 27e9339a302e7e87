"""Project transfer over real sockets: out, in again, the same; all or nothing; one import at a time."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from actors import stored_transfer
from actors.clocks import RandomIds
from actors.projects import TENANT_ID
from domain import limits
from domain.clock import parse_iso
from domain.transfer import BAD_NAME
from storage.repositories.projects import Projects
from storage.statements import Statement
from tests.support.live_gateway import Answer, LiveGateway, a_live_gateway
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
DESK = """\
AGENT: Desk
GOAL: "Help"

HANDOFF:
  - TO: Billing
    WHEN: input CONTAINS "bill"

TOOLS:
  FROM "./orders.tools.abl" USE: find_order

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "At your service."
        THEN: listen
"""
BILLING = """\
AGENT: Billing
GOAL: "Bill"

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "Your bill is paid."
        THEN: listen
"""
ORDERS = """\
TOOLS:
  find_order(id: string) -> object
    description: "Find an order"
    type: http
    endpoint: "https://example.com/orders"
    method: GET
"""
TEXTS = {"desk.abl": DESK, "billing.abl": BILLING, "orders.tools.abl": ORDERS}
FILES = {"agents/Desk.abl": DESK, "agents/Billing.abl": BILLING, "tools/orders.tools.abl": ORDERS}
ACTIONS = Statement(
    "SELECT action, entry FROM audit_log WHERE tenant_id = :tenant_id AND project_id = :project_id ORDER BY number"
)

TAKE_LOCK = Statement("""
    INSERT INTO import_locks (tenant_id, project_id, lock_id, expires_at)
    VALUES (:tenant_id, :project_id, 'other', clock_timestamp() + make_interval(secs => :left_s))
""")


@asynccontextmanager
async def a_gateway(servers: Servers, name: str, texts: Mapping[str, str] = TEXTS) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, name, texts) as gateway:
        yield gateway


async def a_project(gateway: LiveGateway, name: str) -> str:
    """Return the id of a new project without documents."""
    project_id = RandomIds().new("")
    await Projects(gateway.running.database).create(TENANT_ID, project_id, name=name, slug=name)
    return project_id


async def transfer(
    gateway: LiveGateway, method: str, path: str, body: Any = None, *, project_id: str = "", **headers: str
) -> Answer:
    place = f"/api/projects/{project_id or gateway.project_id}/project-io{path}"
    return await gateway.call(method, place, body, headers)


async def export(gateway: LiveGateway, project_id: str = "", query: str = "") -> Any:
    answer = await transfer(gateway, "GET", f"/export{query}", project_id=project_id)
    assert answer.status == 200
    return answer.json()


async def imported(gateway: LiveGateway, files: Any, project_id: str = "", **more: Any) -> Answer:
    return await transfer(gateway, "POST", "/import", {"files": files, **more}, project_id=project_id)


def stable(exported: Any) -> Any:
    """Return an export without when and by whom it was made."""
    manifest = {name: value for name, value in exported["manifest"].items() if not name.startswith("exported")}
    return {**exported, "manifest": manifest}


async def test_an_export_holds_manifest_lockfile_and_files(servers: Servers) -> None:
    async with a_gateway(servers, "io-export") as gateway:
        exported = await export(gateway)
        assert exported["files"] == FILES
        assert exported["warnings"] == []
        manifest = exported["manifest"]
        assert (manifest["name"], manifest["entryAgent"], manifest["formatVersion"]) == ("io-export", "Desk", 1)
        assert manifest["agents"]["Desk"]["path"] == "agents/Desk.abl"
        assert manifest["tools"]["orders"]["path"] == "tools/orders.tools.abl"
        assert manifest["exportedBy"]
        assert parse_iso(manifest["exportedAt"])
        lock = exported["lockfile"]["agents"]
        assert set(lock) == {"Desk", "Billing"}
        assert lock["Desk"]["hash"] == manifest["agents"]["Desk"]["sourceHash"]
        rows = await gateway.running.database.rows(ACTIONS, tenant_id=TENANT_ID, project_id=gateway.project_id)
        assert [row["action"] for row in rows] == ["project.export"]


async def test_importing_an_export_gives_an_identical_export(servers: Servers) -> None:
    async with a_gateway(servers, "io-round") as gateway:
        first = await export(gateway)
        elsewhere = await a_project(gateway, "io-round-two")
        done = (await imported(gateway, first["files"], elsewhere)).json()
        assert (done["success"], done["applied"]) == (True, {"created": 3, "updated": 0, "deleted": 0})
        second = await export(gateway, elsewhere)
        second["manifest"]["name"] = first["manifest"]["name"]
        assert json.dumps(stable(second)) == json.dumps(stable(first)), "byte for byte"
        again = (await imported(gateway, second["files"], elsewhere)).json()
        assert again["applied"] == {"created": 0, "updated": 0, "deleted": 0}
        here = (await imported(gateway, first["files"])).json()
        assert here["applied"] == {"created": 0, "updated": 0, "deleted": 0}


async def test_a_zip_holds_the_same_and_is_always_the_same(servers: Servers) -> None:
    async with a_gateway(servers, "io-zip") as gateway:
        answer = await transfer(gateway, "GET", "/export?format=zip&include_deployments=true")
        assert answer.headers["content-type"] == "application/zip"
        assert answer.headers["content-disposition"] == 'attachment; filename="io-zip.zip"'
        with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
            held = {name: archive.read(name).decode() for name in archive.namelist()}
        assert set(held) == {*FILES, "deployments.json", "manifest.json", "lockfile.json", "warnings.json"}
        assert json.loads(held["warnings.json"]) == (await export(gateway))["warnings"]
        assert {path: held[path] for path in FILES} == FILES
        assert json.loads(held["deployments.json"]) == []
        elsewhere = await a_project(gateway, "io-zip-two")
        done = (await imported(gateway, held, elsewhere)).json()
        assert done["applied"]["created"] == 3
        assert not any("left out" in one for one in done["warnings"])


@pytest.mark.parametrize("query", ["?format=tar", "?include_deployments=yes", "?include_deployments=1"])
async def test_an_export_of_another_form_is_refused(servers: Servers, query: str) -> None:
    async with a_gateway(servers, "io-query") as gateway:
        answer = await transfer(gateway, "GET", f"/export{query}")
        assert (answer.status, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")


async def test_the_preview_of_an_export_has_the_graph_with_what_is_missing(servers: Servers) -> None:
    async with a_gateway(servers, "io-preview") as gateway:
        lost = BILLING + '\nDELEGATE:\n  - AGENT: Nobody\n    WHEN: input CONTAINS "x"\n'
        await imported(gateway, {"agents/Billing.abl": lost})
        await gateway.call("POST", f"/api/projects/{gateway.project_id}/agents", {"name": "Empty"})
        found = (await transfer(gateway, "GET", "/export/preview")).json()
        assert found["project"] == {"name": "io-preview", "slug": "io-preview"}
        assert {one["name"]: one["hasDslContent"] for one in found["agents"]} == {
            "Desk": True, "Billing": True, "Empty": False,
        }  # fmt: skip
        assert found["tools"] == [{"name": "find_order", "toolType": "http"}]
        assert found["dependencies"]["edges"] == [
            {"from": "Billing", "to": "Nobody", "type": "delegate"},
            {"from": "Desk", "to": "Billing", "type": "handoff"},
            {"from": "Desk", "to": "find_order", "type": "tool"},
        ]
        assert found["dependencies"]["validation"] == {
            "valid": False, "errors": ["Billing delegates to Nobody, which is not in the project"],
        }  # fmt: skip
        assert (await export(gateway))["warnings"] == ["Empty has no text and was left out"]


async def test_the_preview_of_an_import_tells_what_it_would_do_and_does_nothing(servers: Servers) -> None:
    async with a_gateway(servers, "io-dry") as gateway:
        files = {"agents/Desk.abl": DESK + "# more\n", "agents/New.abl": BILLING, "tools/orders.tools.abl": ORDERS}
        before = stable(await export(gateway))
        body = {"files": files, "mode": "replace"}
        found = (await transfer(gateway, "POST", "/import/preview", body)).json()
        assert (found["success"], found["error"]) == (True, None)
        assert found["preview"] == {
            "operations": [
                {"type": "update", "entity": "agent", "name": "Desk", "reason": "Content changed"},
                {"type": "create", "entity": "agent", "name": "New", "reason": "New agent"},
                {"type": "unchanged", "entity": "tool", "name": "orders", "reason": "Identical"},
                {"type": "delete", "entity": "agent", "name": "Billing", "reason": "Not in import"},
            ],
            "summary": {"create": 1, "update": 1, "delete": 1},
        }
        assert stable(await export(gateway)) == before


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        (None, 'Request body must contain a "files" object'),
        ([], 'Request body must contain a "files" object'),
        ({f"agents/a{n}.abl": "x" for n in range(501)}, "Too many files"),
        ({"../a.abl": ""}, "Invalid file path (path traversal detected)"),
        ({"agents/a\0.abl": ""}, "Invalid file path (path traversal detected)"),
        ({"agents\\a.abl": ""}, "Invalid file path (path traversal detected)"),
        ({"agents/a.abl": 5}, "File content must be a string"),
        ({"agents/a.abl": "x" * (limits.IMPORT_FILE_MAX_BYTES + 1)}, "File too large (max 1MB)"),
        ({"agents/a.abl": "a\0"}, "File content must not contain U+0000"),
        ({"agents/a.abl": ""}, "File content must not be empty: agents/a.abl"),
        ({"agents/good.abl": "AGENT: good", "agents/1x.abl": "AGENT: x"}, f"{BAD_NAME}: agents/1x.abl"),
        ({"tools/1 x.tools.abl": ORDERS}, f"{BAD_NAME}: tools/1 x.tools.abl"),
    ],
)
async def test_refused_files_are_refused_alike_by_import_and_preview(
    servers: Servers, files: Any, sentence: str
) -> None:
    async with a_gateway(servers, "io-refused") as gateway:
        before = stable(await export(gateway))
        answer = await imported(gateway, files)
        assert (answer.status, answer.json()["error"]["message"]) == (400, sentence)
        preview = await transfer(gateway, "POST", "/import/preview", {"files": files})
        assert preview.status == 400
        error: dict[str, Any] = {"code": "VALIDATION_ERROR", "message": sentence}
        whole = sentence in ("Too many files", "Total content size exceeds 50MB") or "object" in sentence
        if not whole:
            details = error["details"] = answer.json()["error"]["details"]
            (field,) = details["fields"]
            assert field["path"].startswith("/files/")
            assert any(path in field["message"] for path in files), "the file is named"
        assert preview.json() == {"success": False, "preview": None, "error": error}
        assert stable(await export(gateway)) == before


async def test_a_body_beyond_sixty_megabytes_is_refused_before_it_is_read(servers: Servers) -> None:
    async with a_gateway(servers, "io-large") as gateway:
        reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
        head = (
            f"POST /api/projects/{gateway.project_id}/project-io/import HTTP/1.1\r\nhost: x\r\n"
            f"x-api-key: {gateway.key}\r\ncontent-type: application/json\r\n"
            f"content-length: {limits.IMPORT_BODY_MAX_BYTES + 1}\r\n\r\n"
        )
        writer.write(head.encode())
        answer = await asyncio.wait_for(reader.read(4_096), 20)
        writer.close()
        assert b" 413 " in answer.split(b"\r\n")[0]
        assert b"Request body too large" in answer


async def test_replace_deletes_what_is_not_imported(servers: Servers) -> None:
    async with a_gateway(servers, "io-replace") as gateway:
        place = f"/api/projects/{gateway.project_id}"
        names = [one["name"] for one in (await gateway.call("GET", f"{place}/agents")).json()["agents"]]
        entry = {"entryAgentName": next(name for name in names if name != "Billing")}
        assert (await gateway.call("PATCH", place, entry)).json()["project"]["entryAgentName"]
        done = (await imported(gateway, {"agents/Billing.abl": BILLING}, mode="replace")).json()
        assert done["applied"] == {"created": 0, "updated": 0, "deleted": 2}
        assert (await gateway.call("GET", place)).json()["project"]["entryAgentName"] is None
        assert set((await export(gateway))["files"]) == {"agents/Billing.abl"}


async def test_texts_with_mistakes_are_written_and_told_of(servers: Servers) -> None:
    async with a_gateway(servers, "io-mistakes") as gateway:
        done = (await imported(gateway, {"agents/Odd.abl": "AGENT: Other\nGOAL: x\n  bad:\n", "x.txt": "y"})).json()
        assert done["applied"]["created"] == 1
        assert any("x.txt" in one for one in done["warnings"])
        assert any("agents/Odd.abl" in one for one in done["warnings"])
        long = {f"agents/A{n}.abl": f"AGENT: {'x' * 9_000}\nGOAL: x\n" for n in range(120)}
        warnings = (await imported(gateway, long)).json()["warnings"]
        assert (len(warnings), max(map(len, warnings))) == (101, 500)
        assert warnings[-1].startswith("and ")


async def test_an_import_is_audited_and_replayed_under_its_key(servers: Servers) -> None:
    async with a_gateway(servers, "io-audit") as gateway:
        elsewhere = await a_project(gateway, "io-audit-two")
        body, key = {"files": FILES}, {"idempotency-key": "import-0123456789"}
        first = await transfer(gateway, "POST", "/import", body, project_id=elsewhere, **key)
        second = await transfer(gateway, "POST", "/import", body, project_id=elsewhere, **key)
        assert first.json() == second.json()
        rows = await gateway.running.database.rows(ACTIONS, tenant_id=TENANT_ID, project_id=elsewhere)
        assert [row["action"] for row in rows] == ["project.import"]
        assert rows[0]["entry"]["details"] == {
            "create": 3, "update": 0, "delete": 0, "unchanged": 0, "mode": "merge",
        }  # fmt: skip


async def test_17_21_lockfile_warnings_graph_backslashes_nul_and_the_lock(servers: Servers) -> None:
    async with a_gateway(servers, "io-row") as gateway:
        assert {"lockfile", "warnings"} <= (await export(gateway)).keys()
        graph = (await transfer(gateway, "GET", "/export/preview")).json()["dependencies"]
        assert graph["validation"] == {"valid": True, "errors": []}
        for path in ("agents\\a.abl", "agents/a\0.abl"):
            assert (await imported(gateway, {path: ""})).status == 400
        await gateway.running.database.execute(
            TAKE_LOCK, tenant_id=TENANT_ID, project_id=gateway.project_id, left_s=float(limits.IMPORT_LOCK_S)
        )
        assert (await imported(gateway, FILES)).status == 409


async def test_more_than_an_export_holds_is_refused(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    async with a_gateway(servers, "io-most") as gateway:
        for name, most, sentence in (
            ("EXPORT_AGENTS_MAX", 1, "Too many agents to export (max 1)"),
            ("EXPORT_TOOLS_MAX", 0, "Too many tools to export (max 0)"),
            ("EXPORT_MAX_BYTES", 100, "Export too large (max 100MB)"),
        ):
            with monkeypatch.context() as patch:
                patch.setattr(stored_transfer, name, most)
                answer = await transfer(gateway, "GET", "/export")
                assert (answer.status, answer.json()["error"]["message"]) == (413, sentence)
        assert (await transfer(gateway, "GET", "/export")).status == 200


async def test_the_tools_of_one_library_are_counted_one_by_one(servers: Servers) -> None:
    tool = ORDERS.removeprefix("TOOLS:\n")
    library = "TOOLS:\n" + "".join(tool.replace("find_order", f"find_{n}") for n in range(limits.EXPORT_TOOLS_MAX + 1))
    async with a_gateway(servers, "io-library") as gateway:
        assert (await imported(gateway, {"tools/orders.tools.abl": library})).status == 200
        for path in ("/export", "/export?format=zip", "/export/preview"):
            answer = await transfer(gateway, "GET", path)
            assert (answer.status, answer.json()["error"]["message"]) == (413, "Too many tools to export (max 500)")


async def test_an_unknown_project_is_not_there(servers: Servers) -> None:
    async with a_gateway(servers, "io-nobody") as gateway:
        nobody = "c" + "q" * 24
        for method, path in (("GET", "/export"), ("GET", "/export/preview"), ("POST", "/import")):
            body = {"files": {}} if method == "POST" else None
            assert (await transfer(gateway, method, path, body, project_id=nobody)).status == 404


async def test_five_hundred_agents_come_in_and_out(servers: Servers) -> None:
    async with a_gateway(servers, "io-many") as gateway:
        elsewhere = await a_project(gateway, "io-many-two")
        many = {f"agents/Agent{n}.abl": BILLING.replace("Billing", f"Agent{n}") for n in range(500)}
        assert (await imported(gateway, many, elsewhere)).json()["applied"]["created"] == 500
        assert (await export(gateway, elsewhere))["files"] == many
