"""Files, messages with files, and feedback, over real sockets. Spec: platform-api 4.2, 5.8, 5.10."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from actors.files import StoredFiles
from actors.projects import TENANT_ID
from storage.statements import Statement
from tests.support.live_gateway import DEADLINE_S, HELD, Answer, LiveGateway, _answer, a_live_gateway
from tests.support.servers import Servers
from tests.support.stub_model import StubModel

pytestmark = pytest.mark.anyio
TALKER = 'AGENT: Talker\nGOAL: "Talk"\nPERSONA: "Calm"\n'
ECHO = """\
AGENT: Echo
GOAL: "Repeat"

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "you said {{input}}"
        THEN: listen
"""
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
SEND = "/api/v1/chat/send"


@pytest.fixture
async def gateway(servers: Servers) -> AsyncIterator[LiveGateway]:
    async with a_live_gateway(servers, "files", {"e.abl": ECHO}) as found:
        yield found


async def a_session(gateway: LiveGateway, headers: dict[str, str] | None = None) -> str:
    body = {"projectId": gateway.project_id, "message": "hello"}
    return str((await gateway.call("POST", "/api/v1/chat/agent", body, headers)).json()["sessionId"])


def place(gateway: LiveGateway, session_id: str, rest: str = "") -> str:
    return f"/api/projects/{gateway.project_id}/sessions/{session_id}/attachments{rest}"


async def upload(
    gateway: LiveGateway,
    session_id: str,
    filename: str,
    content: bytes,
    *,
    field: str = "file",
    headers: dict[str, str] | None = None,
) -> Answer:
    head = f'--cut\r\nContent-Disposition: form-data; name="{field}"; filename="{filename}"\r\n\r\n'.encode()
    body = head + content + b"\r\n--cut--\r\n"
    sent = {"content-type": "multipart/form-data; boundary=cut", **(headers or {})}
    async with sent_raw(gateway, place(gateway, session_id), body, sent) as answer:
        answer.body = b"".join([piece async for piece in answer.pieces()])
        return answer


@asynccontextmanager
async def sent_raw(gateway: LiveGateway, path: str, body: bytes, headers: dict[str, str]) -> AsyncIterator[Answer]:
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port, limit=HELD)
    sent = {"host": "127.0.0.1", "x-api-key": gateway.key, "content-length": str(len(body)), **headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in sent.items() if value)
    try:
        writer.write(f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
        async with asyncio.timeout(DEADLINE_S):
            yield await _answer(reader)
    finally:
        writer.transport.abort()


def an_office_file(folder: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(f"{folder}/document.xml", "<x/>")
        archive.writestr("[Content_Types].xml", "<x/>")
    return made.getvalue()


async def test_a_file_is_kept_listed_shown_and_given_back(gateway: LiveGateway) -> None:
    session_id = await a_session(gateway)
    answer = await upload(gateway, session_id, "../../a pi\\cture.png", PNG)
    kept = answer.json()
    assert answer.status == 201, kept
    attachment_id = kept["attachmentId"]
    assert kept == {
        "success": True,
        "attachmentId": attachment_id,
        "filename": "cture.png",
        "mimeType": "image/png",
        "sizeBytes": len(PNG),
        "category": "image",
    }
    assert attachment_id.startswith("att_")
    listed = (await gateway.call("GET", place(gateway, session_id))).json()
    assert listed["pagination"] == {"total": 1, "limit": 50, "offset": 0}
    shown = (await gateway.call("GET", place(gateway, session_id, f"/{attachment_id}"))).json()["attachment"]
    assert listed["attachments"] == [shown]
    assert set(shown) == {"id", "filename", "mimeType", "sizeBytes", "category", "status", "createdAt"}
    assert shown["status"] == "ready"
    content = await gateway.call("GET", place(gateway, session_id, f"/{attachment_id}/content"))
    assert (content.status, content.body) == (200, PNG)
    assert content.headers["content-disposition"] == "attachment; filename*=UTF-8''cture.png"


async def test_an_svg_with_a_script_is_saved_and_not_run(gateway: LiveGateway) -> None:
    session_id = await a_session(gateway)
    kept = (await upload(gateway, session_id, "logo.svg", SVG)).json()
    assert (kept["mimeType"], kept["category"]) == ("image/svg+xml", "image")
    answer = await gateway.call("GET", place(gateway, session_id, f"/{kept['attachmentId']}/content"))
    assert answer.body == SVG
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("sandbox")
    assert "allow" not in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("filename", "content", "mime_type"),
    [
        ("a.jpg", b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        ("a.gif", b"GIF89a....", "image/gif"),
        ("a.webp", b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        ("a.pdf", b"%PDF-1.7\n", "application/pdf"),
        ("a.docx", an_office_file("word"), "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("a.xlsx", an_office_file("xl"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ("a.txt", "plain ünïcode".encode(), "text/plain"),
        ("a.csv", b"a,b\n1,2\n", "text/csv"),
        ("a.mp3", b"ID3\x04rest", "audio/mpeg"),
        ("a.wav", b"RIFF\x00\x00\x00\x00WAVEfmt ", "audio/wav"),
        ("a.m4a", b"\x00\x00\x00\x20ftypM4A rest", "audio/mp4"),
        ("a.mp4", b"\x00\x00\x00\x20ftypisomrest", "video/mp4"),
        ("a.webm", b"\x1a\x45\xdf\xa3\x00\x42\x82\x84webm", "video/webm"),
        ("lies.jpeg", PNG, "image/png"),
        ("page.html", b"<html><script>alert(1)</script></html>", None),
        ("page.html", PNG, None),
        ("tool.exe", b"MZ\x90\x00", None),
        ("fake.png", b"not a picture", None),
        ("a.zip", b"PK\x03\x04rest", None),
        ("macro.docx", b"PK\x03\x04rest", None),
        ("empty.txt", b"", None),
        ("binary.txt", b"a\x00b", None),
    ],
)
async def test_the_bytes_and_the_extension_say_what_a_file_is(
    gateway: LiveGateway, filename: str, content: bytes, mime_type: str | None
) -> None:
    answer = await upload(gateway, await a_session(gateway), filename, content)
    if mime_type is None:
        assert (answer.status, answer.json()["error"]["message"]) == (400, "Unsupported file type")
    else:
        assert (answer.status, answer.json()["mimeType"]) == (201, mime_type)


async def test_25_mb_are_taken_and_a_byte_more_is_not(gateway: LiveGateway) -> None:
    session_id = await a_session(gateway)
    largest = PNG + b"x" * (25 * 1024 * 1024 - len(PNG))
    kept = await upload(gateway, session_id, "large.png", largest)
    assert (kept.status, kept.json()["sizeBytes"]) == (201, 26_214_400)
    content = await gateway.call("GET", place(gateway, session_id, f"/{kept.json()['attachmentId']}/content"))
    assert content.body == largest
    more = await upload(gateway, session_id, "larger.png", largest + b"x")
    assert (more.status, more.json()["error"]["code"]) == (413, "PAYLOAD_TOO_LARGE")
    assert (await gateway.call("GET", place(gateway, session_id))).json()["pagination"]["total"] == 1


async def test_a_broken_form_is_told(gateway: LiveGateway) -> None:
    session_id = await a_session(gateway)
    assert (await upload(gateway, session_id, "a.txt", b"hello", field="other")).status == 400
    assert (await gateway.call("POST", place(gateway, session_id), {"file": "x"})).status == 415
    form = {"content-type": "multipart/form-data; boundary=cut"}
    for body in (
        b"--other\r\n\r\n",
        b'--cut\r\nContent-Disposition: form-data; name="file"\r\n\r\nno file\r\n--cut--\r\n',
    ):
        async with sent_raw(gateway, place(gateway, session_id), body, form) as answer:
            assert answer.status == 400
    two = b'--cut\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nx\r\n' * 2 + b"--cut--\r\n"
    async with sent_raw(gateway, place(gateway, session_id), two, form) as answer:
        assert answer.status == 400


async def test_under_a_key_a_file_is_kept_once(gateway: LiveGateway) -> None:
    session_id = await a_session(gateway)
    key = {"idempotency-key": "once"}
    answers = await asyncio.gather(*(upload(gateway, session_id, "a.txt", b"hello", headers=key) for _ in range(4)))
    assert {answer.status for answer in answers} == {201}
    assert len({answer.json()["attachmentId"] for answer in answers}) == 1
    other = await upload(gateway, session_id, "a.txt", b"other", headers=key)
    assert (other.status, other.json()["error"]["details"]) == (409, {"reason": "IDEMPOTENCY_KEY_REUSED"})
    content = await gateway.call("GET", place(gateway, session_id, f"/{answers[0].json()['attachmentId']}/content"))
    assert content.body == b"hello"


async def test_a_session_has_100_files_and_no_more(gateway: LiveGateway) -> None:
    session_id = await a_session(gateway)
    answers = [await upload(gateway, session_id, "a.txt", b"%d" % number) for number in range(99)]
    answers += await asyncio.gather(*(upload(gateway, session_id, "a.txt", b"last %d" % one) for one in range(4)))
    statuses = [answer.status for answer in answers]
    assert statuses.count(201) == 100
    refused = next(answer for answer in answers if answer.status != 201)
    assert (refused.status, refused.json()["error"]["code"]) == (409, "CONFLICT")


async def test_a_page_reaches_the_files_of_its_own_session_only(gateway: LiveGateway) -> None:
    page = {"x-api-key": "", "x-sdk-token": await gateway.page_token()}
    own, other = await a_session(gateway, page), await a_session(gateway)
    kept = await upload(gateway, own, "a.txt", b"mine", headers=page)
    assert kept.status == 201
    assert (await upload(gateway, other, "a.txt", b"theirs", headers=page)).status == 404
    foreign = (await upload(gateway, other, "a.txt", b"theirs")).json()["attachmentId"]
    for rest in ("", f"/{foreign}", f"/{foreign}/content"):
        assert (await gateway.call("GET", place(gateway, other, rest), headers=page)).status == 404
    assert (await gateway.call("GET", place(gateway, own, f"/{foreign}"), headers=page)).status == 404
    content = await gateway.call("GET", place(gateway, own, f"/{kept.json()['attachmentId']}/content"), headers=page)
    assert content.body == b"mine"


async def test_a_message_brings_its_files_to_the_agent_and_the_transcript(servers: Servers) -> None:
    async with (
        StubModel() as model,
        a_live_gateway(servers, "files-read", {"t.abl": TALKER}, model_url=model.base_url) as gateway,
    ):
        session_id = await a_session(gateway)
        kept = (await upload(gateway, session_id, "order.txt", b"order A-17 is late")).json()
        body = {"sessionId": session_id, "message": "", "attachmentIds": [kept["attachmentId"]]}
        reply = (await gateway.call("POST", SEND, body)).json()
        assert reply["success"] is True
        assert "order A-17 is late" in json.dumps(model.requests[-1].body)
        lines = (await gateway.call("GET", f"/api/v1/sessions/{session_id}/transcripts")).json()["messages"]
        spoke, answered = lines[-2:]
        assert (spoke["id"], answered["id"]) == (reply["userMessageId"], reply["messageId"])
        assert spoke["attachments"] == [
            {
                "id": kept["attachmentId"],
                "filename": "order.txt",
                "mimeType": "text/plain",
                "sizeBytes": 18,
                "category": "document",
            }
        ]


async def test_a_message_is_sent_with_metadata_and_once_under_its_key(gateway: LiveGateway) -> None:
    session_id = await a_session(gateway)
    body = {"sessionId": session_id, "message": "again", "metadata": {"page": "/cart"}}
    first, again = [await gateway.call("POST", SEND, body, {"idempotency-key": "k"}) for _ in range(2)]
    assert first.json()["response"] == "you said again"
    assert {**again.json(), "traceEvents": 0} == {**first.json(), "traceEvents": 0}
    opened = await gateway.call("POST", SEND, {"projectId": gateway.project_id, "message": "new"})
    assert (opened.status, opened.json()["sessionId"] != session_id) == (200, True)
    named = await gateway.call("POST", SEND, {**body, "projectId": "c" + "0" * 24})
    assert named.status == 404


@pytest.mark.parametrize(
    ("more", "status", "words"),
    [
        ({"attachmentIds": ["att_unknown"]}, 404, "Attachment not found"),
        ({"attachmentIds": [f"att_{number}" for number in range(11)]}, 400, "Too many attachments"),
        ({"message": ""}, 400, "Invalid request"),
        ({"sessionId": "sess_unknown"}, 404, "Session not found"),
        ({"sessionId": None}, 400, "Invalid request"),
        ({"metadata": {"__proto__": 1}}, 400, "Invalid message metadata"),
    ],
)
async def test_a_message_that_breaks_a_rule_is_refused(
    gateway: LiveGateway, more: dict[str, Any], status: int, words: str
) -> None:
    body = {"sessionId": await a_session(gateway), "message": "hello", **more}
    answer = await gateway.call("POST", SEND, {name: value for name, value in body.items() if value is not None})
    assert (answer.status, answer.json()["error"]["message"]) == (status, words)


async def test_files_of_another_session_cannot_be_named(gateway: LiveGateway) -> None:
    one, other = await a_session(gateway), await a_session(gateway)
    kept = (await upload(gateway, one, "a.txt", b"mine")).json()["attachmentId"]
    answer = await gateway.call("POST", SEND, {"sessionId": other, "message": "x", "attachmentIds": [kept]})
    assert (answer.status, answer.json()["error"]["message"]) == (404, "Attachment not found")


PIECES = Statement("SELECT count(*) FROM blob_pieces WHERE tenant_id = :tenant_id AND owner_id = :owner_id")
AGE = Statement("""
    UPDATE attachments SET created_at = created_at - interval '25 hours'
    WHERE tenant_id = :tenant_id AND session_id = :session_id
""")


async def test_files_go_with_their_session_and_unused_ones_after_a_day(gateway: LiveGateway) -> None:
    database = gateway.running.database
    session_id = await a_session(gateway)
    used, unused = [(await upload(gateway, session_id, "a.txt", text)).json()["attachmentId"] for text in (b"1", b"2")]
    await gateway.call("POST", SEND, {"sessionId": session_id, "message": "x", "attachmentIds": [used]})
    await database.execute(AGE, tenant_id=TENANT_ID, session_id=session_id)
    files = gateway.running.desks.files
    assert isinstance(files, StoredFiles)
    assert await files.forget_unused(10) == 1
    assert (await gateway.call("GET", place(gateway, session_id, f"/{unused}"))).status == 404
    assert (await gateway.call("GET", place(gateway, session_id, f"/{used}"))).status == 200
    assert await database.value(PIECES, tenant_id=TENANT_ID, owner_id=session_id) == 1
    assert (await gateway.call("DELETE", f"/api/projects/{gateway.project_id}/sessions/{session_id}")).status == 200
    assert await database.value(PIECES, tenant_id=TENANT_ID, owner_id=session_id) == 0


async def test_feedback_is_one_word_of_each_author_on_each_answer(gateway: LiveGateway) -> None:
    said = (await gateway.call("POST", SEND, {"projectId": gateway.project_id, "message": "hello"})).json()
    body = {"sessionId": said["sessionId"], "messageId": said["messageId"], "rating": "positive", "comment": "good"}
    first = await gateway.call("POST", "/api/v1/feedback", body)
    assert (first.status, first.json()["feedbackId"].startswith("fb_")) == (201, True)
    second = await gateway.call("POST", "/api/v1/feedback", {**body, "rating": 2})
    assert (second.status, second.json()) == (200, first.json())
    for more, status in (
        ({"messageId": said["userMessageId"]}, 404),
        ({"messageId": "msg_unknown"}, 404),
        ({"sessionId": "sess_unknown"}, 404),
        ({"rating": "great"}, 400),
        ({"rating": 0}, 400),
        ({"rating": 6}, 400),
        ({"rating": True}, 400),
        ({"comment": "x" * 2_001}, 400),
    ):
        answer = await gateway.call("POST", "/api/v1/feedback", {**body, **more})
        assert answer.status == status, (more, answer.body)
        if status == 400:
            assert {one["path"] for one in answer.json()["error"]["details"]["fields"]} == {f"/{next(iter(more))}"}
