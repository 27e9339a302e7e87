"""The list of docs/acknowledgements.md, walked: whatever says "taken" or "done" stands on a write.

The store is cut off just before that write: nothing is said, and nothing is there. The gateway is killed just behind it:
whether it was said or not, what was asked for is there after a restart, once, without being asked again.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from actors.clocks import RandomIds
from actors.first_keys import make_key
from actors.installation import MASTER_KEY_FILE
from actors.projects import TENANT_ID, put_project
from storage.crypto import MasterKeys
from storage.database import Database
from storage.keys import session_key
from storage.repositories.api_keys import ApiKeys, NewKey
from storage.statements import Statement
from tests.flows.test_waiting import COURIER
from tests.flows_gateway.test_contract import CLERK
from tests.support.live_gateway import LiveGateway
from tests.support.mortal_gateway import KILLED, Fate, MortalGateway, mortal_gateway
from tests.support.repository import ROOT
from tests.support.servers import Servers, run_servers
from tests.support.stories import Workshop, a_workshop, eventually

CHAT = "/api/v1/chat/agent"
BROKEN_OFF = (OSError, EOFError, ConnectionClosed, LookupError, ValueError)
"""What a client meets whose gateway dies."""
REFUSED = (AssertionError, *BROKEN_OFF)
"""The same, or an answer that is none of the acknowledgement."""
RATINGS = Statement("SELECT count(*) FROM feedback WHERE tenant_id = :tenant_id AND session_id = :session_id")
RECEIPT = b'{"number": "P-1"}'


@dataclass
class Scene:
    """What acknowledgements are tried in: a gateway that may die, two projects, and what was prepared."""

    gateway: LiveGateway
    courier_id: str
    workshop: Workshop
    mortal: MortalGateway
    database: Database
    token: str = ""
    session_id: str = ""
    made: dict[str, str] = field(default_factory=dict)

    async def call(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        """Return the JSON of an answer that takes or does what was asked."""
        answer = await self.gateway.call(method, path, body, headers)
        assert answer.status in (200, 201), answer.body
        return answer.json()

    async def open_page(self) -> None:
        """Make a page with a session that has spoken once."""
        self.token = await self.gateway.page_token()
        frames = await self.frames({"type": "chat_message", "text": "first", "messageId": "m0"}, "response_end")
        self.session_id = frames[0]["sessionId"]
        self.made["answer"] = frames[-1]["messageId"]

    async def frames(self, frame: dict[str, Any] | None, kind: str) -> list[dict[str, Any]]:
        """Return what a socket of the page hears, up to the first frame of a kind."""
        heard: list[dict[str, Any]] = []
        async with self.gateway.socket(self.token) as page:
            heard.append(json.loads(await page.recv()))
            if frame is not None:
                await page.send(json.dumps(frame))
            while heard[-1]["type"] != kind:
                heard.append(json.loads(await page.recv()))
                assert heard[-1]["type"] != "error", heard[-1]
        return heard

    async def said(self) -> list[str]:
        """Return what the user has said and was answered."""
        path = f"/api/v1/sessions/{self.session_id}/transcripts?projectId={self.gateway.project_id}"
        lines = (await self.call("GET", path))["messages"]
        users = [line["content"] for line in lines if line["role"] == "user"]
        return users if len(lines) == 2 * len(users) else []

    def place(self, rest: str = "") -> str:
        return f"/api/projects/{self.gateway.project_id}/sessions/{self.session_id}{rest}"

    def tasks(self, rest: str = "") -> str:
        return f"/api/projects/{self.gateway.project_id}/human-tasks{rest}"


Act = Callable[[Scene], Awaitable[Any]]


@dataclass(frozen=True)
class Acknowledgement:
    """One row of the list.

    Attributes:
        write: Words of the statement that it stands on.
        ask: Asks for it and returns once it was said.
        is_kept: Whether what was asked for is there, once.
        prepare: What has to be there before.
    """

    name: str
    write: str
    ask: Act
    is_kept: Callable[[Scene], Awaitable[bool]]
    prepare: Act | None = None


OFFERING = CLERK.replace(
    'RESPOND: "heard {{heard}}: {{input}}"\n',
    'RESPOND: "heard {{heard}}: {{input}}"\n          ACTIONS:\n            - BUTTON: "Press" -> b1\n'
    '              VALUE: "pressed"\n',
)
ACCEPTED, APPENDED = "INSERT INTO accepted_messages", "INSERT INTO transcripts"
TASK_CHANGED = "UPDATE human_tasks SET"


def _heard(frame: dict[str, Any], kind: str = "message_ack") -> Act:
    return lambda scene: scene.frames(frame, kind)


def _said(*texts: str) -> Callable[[Scene], Awaitable[bool]]:
    async def are(scene: Scene) -> bool:
        return await scene.said() == ["first", *texts]

    return are


async def _prepare_file(scene: Scene) -> None:
    scene.made["file"] = (await _upload(scene))["attachmentId"]


async def _with_file(scene: Scene) -> Any:
    frame = {"type": "chat_message", "text": "see", "messageId": "m1", "attachmentIds": [scene.made["file"]]}
    return await scene.frames(frame, "message_ack")


async def _upload(scene: Scene) -> Any:
    head = b'--cut\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    raw = head + b"hello" + b"\r\n--cut--\r\n"
    path, port = scene.place("/attachments"), scene.gateway.port
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nx-api-key: {scene.gateway.key}\r\n"
    lines += f"content-type: multipart/form-data; boundary=cut\r\ncontent-length: {len(raw)}\r\nconnection: close\r\n"
    writer.write(lines.encode() + b"\r\n" + raw)
    told = (await reader.read()).partition(b"\r\n\r\n")[2]
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    answer = json.loads(told)
    return {"attachmentId": answer.get("attachmentId") or answer["attachment"]["id"]}


async def _has_file(scene: Scene) -> bool:
    return len((await scene.call("GET", scene.place("/attachments")))["attachments"]) == 1


async def _chat(scene: Scene) -> Any:
    body = {"projectId": scene.gateway.project_id, "sessionId": scene.session_id, "message": "plain"}
    return await scene.call("POST", CHAT, body, {"idempotency-key": "one-and-only"})


async def _stream(scene: Scene) -> None:
    body = {"projectId": scene.gateway.project_id, "sessionId": scene.session_id, "message": "plain"}
    headers = {"accept": "text/event-stream", "idempotency-key": "one-stream"}
    told = (await scene.gateway.call("POST", CHAT, body, headers)).body
    assert b"event: complete" in told, told


async def _rate(scene: Scene) -> Any:
    body = {"sessionId": scene.session_id, "messageId": scene.made["answer"], "rating": "positive"}
    return await scene.call("POST", "/api/v1/feedback", {**body, "projectId": scene.gateway.project_id})


async def _rate_on_socket(scene: Scene) -> Any:
    frame = {"type": "feedback.submit", "messageId": scene.made["answer"], "ratingType": "thumbs", "ratingValue": 1}
    assert (await scene.frames(frame, "feedback.ack"))[-1]["success"]


async def _is_rated(scene: Scene) -> bool:
    return await scene.database.value(RATINGS, tenant_id=TENANT_ID, session_id=scene.session_id) == 1


async def _suspend(scene: Scene) -> None:
    reply = await scene.call("POST", CHAT, {"projectId": scene.courier_id, "message": "wait"})
    head = scene.workshop.headers[-1]
    scene.made |= {"session": reply["sessionId"], "id": head["X-ABL-Callback-Id"]}
    scene.made["secret"] = head["X-ABL-Callback-Secret"]


async def _call_back(scene: Scene) -> Any:
    signature = hmac.new(scene.made["secret"].encode(), RECEIPT, hashlib.sha256).hexdigest()
    headers = {"x-api-key": "", "x-callback-signature": f"sha256={signature}"}
    return await scene.call("POST", f"/api/v1/callbacks/{scene.made['id']}", json.loads(RECEIPT), headers)


async def _has_gone_on(scene: Scene) -> bool:
    path = f"/api/projects/{scene.courier_id}/sessions/{scene.made['session']}?include=messages"
    return json.dumps(await scene.call("GET", path)).count("it has the number P-1") == 1


async def _make_task(scene: Scene) -> Any:
    task = (await scene.call("POST", scene.tasks(), {"type": "approval", "title": "Look"}))["task"]
    scene.made["task"] = task["id"]


async def _has_task(scene: Scene) -> bool:
    return bool((await scene.call("GET", scene.tasks()))["tasks"])


def _act_on_task(verb: str, body: dict[str, Any]) -> Act:
    return lambda scene: scene.call("POST", scene.tasks(f"/{scene.made['task']}/{verb}"), body)


def _task_is(field_name: str, value: str) -> Callable[[Scene], Awaitable[bool]]:
    async def is_so(scene: Scene) -> bool:
        task = (await scene.call("GET", scene.tasks(f"/{scene.made['task']}")))["task"]
        return bool(task[field_name] == value)

    return is_so


async def _end(scene: Scene) -> Any:
    return await scene.call("POST", f"/api/v1/sessions/{scene.session_id}/end", {"reason": "user"})


async def _has_ended(scene: Scene) -> bool:
    return bool((await scene.call("GET", scene.place()))["session"]["status"] == "ended")


async def _is_gone(scene: Scene) -> bool:
    return (await scene.gateway.call("GET", scene.place())).status == 404


async def _keep_runtime_id(scene: Scene) -> None:
    scene.made["runtime"] = (await scene.call("GET", scene.place()))["session"]["runtimeSessionId"]


async def _has_begun_again(scene: Scene) -> bool:
    return bool((await scene.call("GET", scene.place()))["session"]["runtimeSessionId"] != scene.made["runtime"])


async def _make_session(scene: Scene) -> Any:
    path = f"/api/projects/{scene.gateway.project_id}/sessions"
    return await scene.call("POST", path, {"agentId": "Clerk", "channel": "voice"})


async def _has_session(scene: Scene) -> bool:
    path = f"/api/projects/{scene.gateway.project_id}/sessions?channel=voice"
    return bool((await scene.call("GET", path))["total"] == 1)


async def _prepare_page(scene: Scene) -> None:
    scene.token = await scene.gateway.page_token()


async def _has_silent_session(scene: Scene) -> bool:
    path = f"/api/projects/{scene.gateway.project_id}/sessions?channel=api&limit=100"
    return [one["messageCount"] for one in (await scene.call("GET", path))["sessions"]].count(0) == 1


async def _make_hook(scene: Scene) -> Any:
    path = f"/api/projects/{scene.gateway.project_id}/webhooks"
    return await scene.call("POST", path, {"url": "https://example.com/hook", "events": ["*"]})


async def _has_hook(scene: Scene) -> bool:
    path = f"/api/projects/{scene.gateway.project_id}/webhooks"
    return len((await scene.call("GET", path))["webhooks"]) == 1


async def _make_project(scene: Scene) -> Any:
    return await scene.call("POST", "/api/projects", {"name": "Made"}, {"idempotency-key": "made"})


async def _has_project(scene: Scene) -> bool:
    projects = (await scene.call("GET", "/api/projects"))["projects"]
    return sum(one["name"] == "Made" for one in projects) == 1


async def _give_task(scene: Scene) -> Any:
    message = {"kind": "message", "role": "user", "messageId": "a2a-1", "parts": [{"kind": "text", "text": "errand"}]}
    params = {"message": message, "configuration": {"blocking": False}}
    return (await _a2a(scene, "message/send", params))["id"]


async def _a2a(scene: Scene, method: str, params: dict[str, Any]) -> Any:
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = await scene.call("POST", f"/a2a/{scene.gateway.project_id}", asked)
    assert "result" in answer, answer
    return answer["result"]


async def _task_is_done(scene: Scene) -> bool:
    tasks = (await _a2a(scene, "tasks/list", {}))["tasks"]
    return [one["status"]["state"] for one in tasks] == ["input-required"]


MESSAGE = {"type": "chat_message", "text": "second", "messageId": "m1"}
BUTTON = {"type": "action_submit", "actionId": "b1", "value": "pressed", "messageId": "m1"}
INTERRUPT = {"type": "typed_interrupt", "text": "stop", "messageId": "m1"}
ALL = (
    Acknowledgement("message_ack of chat_message", ACCEPTED, _heard(MESSAGE), _said("second")),
    Acknowledgement("message_ack of action_submit", ACCEPTED, _heard(BUTTON), _said("pressed")),
    Acknowledgement("message_ack of typed_interrupt", ACCEPTED, _heard(INTERRUPT), _said("stop")),
    Acknowledgement("message_ack of a message with a file", ACCEPTED, _with_file, _said("see"), _prepare_file),
    Acknowledgement("200 of a turn", APPENDED, _chat, _said("plain")),
    Acknowledgement("complete of a stream", APPENDED, _stream, _said("plain")),
    Acknowledgement(
        "task of Agent2Agent that is not waited for (blocking: false)", ACCEPTED, _give_task, _task_is_done
    ),
    Acknowledgement("201 of an attachment", "INSERT INTO attachments", _upload, _has_file),
    Acknowledgement("201 of feedback", "INSERT INTO feedback", _rate, _is_rated),
    Acknowledgement("feedback.ack", "INSERT INTO feedback", _rate_on_socket, _is_rated),
    Acknowledgement("200 of a callback", "UPDATE callbacks SET status = 'processed'", _call_back, _has_gone_on, _suspend),
    Acknowledgement("201 of a human task", "INSERT INTO human_tasks", _make_task, _has_task),
    Acknowledgement(
        "200 of the resolution of a human task", TASK_CHANGED, _act_on_task("resolve", {"decision": "approved"}),
        _task_is("status", "completed"), _make_task,
    ),
    Acknowledgement(
        "200 of the claim of a human task", TASK_CHANGED, _act_on_task("claim", {}),
        _task_is("status", "in_progress"), _make_task,
    ),
    Acknowledgement(
        "200 of the assignment of a human task", TASK_CHANGED, _act_on_task("assign", {"assignedToTeam": "movers"}),
        _task_is("assignedToTeam", "movers"), _make_task,
    ),
    Acknowledgement(
        "200 of the cancellation of a human task", TASK_CHANGED, _act_on_task("cancel", {}),
        _task_is("status", "cancelled"), _make_task,
    ),
    Acknowledgement("200 of the end of a session", APPENDED, _end, _has_ended),
    Acknowledgement("session_end", APPENDED, _heard({"type": "end_session"}, "session_end"), _has_ended),
    Acknowledgement(
        "200 of a reset", APPENDED, lambda scene: scene.call("POST", scene.place("/reset"), {}), _has_begun_again,
        _keep_runtime_id,
    ),
    Acknowledgement(
        "200 of a deletion", "DELETE FROM sessions", lambda scene: scene.call("DELETE", scene.place()), _is_gone
    ),
    Acknowledgement("201 of a session", "INSERT INTO sessions", _make_session, _has_session),
    Acknowledgement(
        "session_start of a first socket", "INSERT INTO sessions", lambda scene: scene.frames(None, "session_start"),
        _has_silent_session, _prepare_page,
    ),
    Acknowledgement("201 of a project", "INSERT INTO projects", _make_project, _has_project),
    Acknowledgement("201 of a webhook", "INSERT INTO webhooks", _make_hook, _has_hook),
)  # fmt: skip


@pytest.fixture(scope="module")
def own_servers(pytestconfig: pytest.Config) -> Iterator[Servers]:
    with run_servers(pytestconfig) as found:
        yield found


@asynccontextmanager
async def a_scene(servers: Servers, folder: Path, workshop: Workshop) -> AsyncIterator[Scene]:
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    listener.set_inheritable(True)
    database = await Database.open(servers.database_url, master_keys=MasterKeys.kept_in(folder / MASTER_KEY_FILE))
    seeded = await put_project(database, "acks", {"c.abl": OFFERING})
    courier = await put_project(database, "waits", {"c.abl": COURIER.format(url=workshop.url)})
    ids = RandomIds()
    key, public_key = await make_key(database, ids), f"pk_{ids.new('')}"
    details: dict[str, Any] = {"allowedOrigins": ["*"], "requireOrigin": False}
    new_key = NewKey(
        key_id=ids.new("key"), plaintext=public_key, kind="public", project_id=seeded.project_id, details=details
    )
    await ApiKeys(database).create(TENANT_ID, new_key)
    port = listener.getsockname()[1]
    gateway = LiveGateway(port, seeded.project_id, key, public_key, None, None)  # type: ignore[arg-type]
    try:
        async with mortal_gateway(servers.database_url, servers.redis_url, str(folder), listener) as mortal:
            yield Scene(gateway, courier.project_id, workshop, mortal, database)
    finally:
        await database.close()
        listener.close()


async def _try(scene: Scene, one: Acknowledgement) -> None:
    """Have the gateway killed behind the write of an acknowledgement, and serve again."""
    await scene.open_page()
    if one.prepare is not None:
        await one.prepare(scene)
    about = repr(session_key(TENANT_ID, scene.session_id)) if one.write == APPENDED else ""
    scene.mortal.meet(Fate(write=one.write, is_sent=False, about=about))
    with pytest.raises(REFUSED):
        await one.ask(scene)
    scene.mortal.meet(None)
    assert not await one.is_kept(scene), f"{one.name}: the store was cut off before the write"
    scene.mortal.meet(Fate(write=one.write, is_sent=True, about=about))
    with suppress(*BROKEN_OFF):  # when it died before it could say so
        await one.ask(scene)
    assert await scene.mortal.ended() == KILLED, one.name
    await scene.mortal.start()


def test_whatever_is_acknowledged_stands_on_a_write(own_servers: Servers, tmp_path: Path) -> None:
    async def story() -> None:
        async with a_workshop() as workshop, a_scene(own_servers, tmp_path, workshop) as scene:
            await scene.mortal.start()
            scenes = [(one, replace(scene, made={})) for one in ALL]
            for one, own in scenes:
                await _try(own, one)
            for one, own in scenes:
                await eventually(partial(one.is_kept, own))

    asyncio.run(story())


def test_the_list_in_the_documentation_is_this_one() -> None:
    """Each row is walked, or names the tests that hold it."""
    text = (ROOT / "docs" / "acknowledgements.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ")][1:]
    named = {said.replace("`", ""): re.findall(r"`(test_\w+)`", stands_on) for said, stands_on, _ in rows}
    assert [said for said, tests in named.items() if not tests] == [one.name for one in ALL]
    tests = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
    elsewhere = [test for of_row in named.values() for test in of_row]
    assert elsewhere
    assert [test for test in elsewhere if f"def {test}(" not in tests] == []
