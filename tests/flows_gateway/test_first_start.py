"""What the first start makes, prints once and keeps. Spec: platform-api 14.1."""

from __future__ import annotations

import json
import re
import stat
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from actors.installation import token_secrets
from cli import demo
from cli.serve import KEY_FILE, PUBLIC_KEY_FILE, _keys
from cli.transfer import files_in
from tests.support.live_gateway import a_live_gateway
from tests.support.repository import ROOT
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
ORIGIN = "http://localhost:4000"


async def test_the_first_start_makes_an_owner_and_keys_that_only_their_owner_can_read(
    servers: Servers, tmp_path: Path
) -> None:
    async with a_live_gateway(servers, "first-start", demo.FILES) as gateway:
        settings = msgspec.structs.replace(gateway.running.settings, data_dir=str(tmp_path))
        running = replace(gateway.running, settings=settings)
        keys = await _keys(running, gateway.project_id)
        assert await _keys(running, gateway.project_id) == keys, "a second start finds them"
        token_secrets(settings)
        made = {path.name for path in tmp_path.iterdir()}
        assert {KEY_FILE, PUBLIC_KEY_FILE.format(gateway.project_id), "token_secret"} <= made
        assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
        body = {"projectId": gateway.project_id, "message": demo.FIRST_MESSAGE}
        answer = await gateway.call("POST", "/api/v1/chat/agent", body, headers={"x-api-key": keys.secret})
        assert (answer.status, bool(answer.json()["response"])) == (200, True)
        for origin, status in ((ORIGIN, 200), ("http://127.0.0.1:9", 200), ("https://evil.example.com", 403)):
            headers = {"x-api-key": "", "x-public-key": keys.public, "origin": origin}
            assert (await gateway.call("POST", "/api/v1/sdk/init", {}, headers=headers)).status == status


async def test_the_first_conversation_is_the_one_that_the_readme_shows(servers: Servers) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```\n(\{\"success\":true,\"sessionId\".*?\})\n```", readme, re.DOTALL)
    shown = json.loads(text)
    texts = {path: text for path, text in files_in(str(ROOT / "examples" / "parcel-desk")).items() if ".abl" in path}
    async with a_live_gateway(servers, "readme", texts) as gateway:
        body = {"projectId": gateway.project_id, "message": "Hello"}
        answer = (await gateway.call("POST", "/api/v1/chat/agent", body)).json()
    assert {name: answer[name] for name in shown} == shown | {name: answer[name] for name in ("sessionId", "messageId")}
