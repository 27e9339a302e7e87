"""What the first start makes, prints once and keeps. Spec: platform-api 14.1."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import stat
import subprocess
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from actors.first_keys import FIRST_KEY, FIRST_PUBLIC_KEY, OneId, is_key
from actors.installation import token_secrets
from actors.production import PRODUCTION
from actors.projects import TENANT_ID, Seeded
from actors.settings import Settings
from cli import demo
from cli.first_start import KEY_FILE, PUBLIC_KEY_FILE, Keys, first_keys, greeting
from cli.transfer import files_in
from storage.repositories.api_keys import ApiKeys
from storage.statements import Statement
from tests.support.live_gateway import LiveGateway, a_live_gateway
from tests.support.repository import ROOT
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
ORIGIN = "http://localhost:3000"


FORGET = Statement("DELETE FROM api_keys WHERE key_id = ANY(:key_ids)")


async def as_never_started(gateway: LiveGateway) -> None:
    """Make the database of the test servers one that no server has been started on."""
    purposes = FIRST_KEY, FIRST_PUBLIC_KEY.format(gateway.project_id)
    await gateway.running.database.execute(FORGET, key_ids=[OneId(purpose).new("key") for purpose in purposes])


async def test_the_first_start_makes_an_owner_and_keys_that_only_their_owner_can_read(
    servers: Servers, tmp_path: Path
) -> None:
    async with a_live_gateway(servers, "first-start", demo.FILES) as gateway:
        await as_never_started(gateway)
        settings = msgspec.structs.replace(gateway.running.settings, data_dir=str(tmp_path))
        running = replace(gateway.running, settings=settings)
        keys = await first_keys(running, gateway.project_id)
        assert await first_keys(running, gateway.project_id) == keys, "a second start finds them"
        token_secrets(settings)
        made = {path.name for path in tmp_path.iterdir()}
        assert {KEY_FILE, PUBLIC_KEY_FILE.format(gateway.project_id), "token_secret"} <= made
        assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
        body = {"projectId": gateway.project_id, "message": demo.FIRST_MESSAGE}
        answer = await gateway.call("POST", "/api/v1/chat/agent", body, headers={"x-api-key": keys.secret})
        assert (answer.status, bool(answer.json()["response"])) == (200, True)
        for origin, status in (
            (ORIGIN, 200),
            (f"http://127.0.0.1:{settings.port}", 200),
            ("http://localhost:9", 403),
            ("https://evil.example.com", 403),
        ):
            headers = {"x-api-key": "", "x-public-key": keys.public, "origin": origin}
            assert (await gateway.call("POST", "/api/v1/sdk/init", {}, headers=headers)).status == status


async def test_keys_are_made_once_for_a_database_and_never_in_production(servers: Servers, tmp_path: Path) -> None:
    async with a_live_gateway(servers, "first-start-once", demo.FILES) as gateway:
        database, project_id = gateway.running.database, gateway.project_id
        await as_never_started(gateway)

        async def start(folder: str, mode: str = "") -> tuple[Keys, list[str]]:
            settings = msgspec.structs.replace(gateway.running.settings, data_dir=str(tmp_path / folder), mode=mode)
            keys = await first_keys(replace(gateway.running, settings=settings), project_id)
            seeded = Seeded(tenant_id=TENANT_ID, project_id=project_id, name="demo", agents=("Desk",))
            return keys, greeting(settings, seeded, keys, "Hello").splitlines()

        before = {one.key_id for one in await ApiKeys(database).list(TENANT_ID)}
        hidden, told = await start("production", PRODUCTION)
        assert hidden == Keys()
        assert not (tmp_path / "production").exists(), "nothing is written either"
        assert {one.key_id for one in await ApiKeys(database).list(TENANT_ID)} == before
        assert [line for line in told if "keys create" in line and "production" in line] == [told[3], told[4]]
        starts = await asyncio.gather(*(start(f"pod-{number}") for number in range(4)))
        shown = [keys for keys, _ in starts if keys.secret or keys.public]
        assert len([keys for keys in shown if keys.secret]) == len([keys for keys in shown if keys.public]) == 1
        made = [one for one in await ApiKeys(database).list(TENANT_ID) if one.key_id not in before]
        assert sorted(one.kind for one in made) == ["public", "secret"]
        for one in made:
            await ApiKeys(database).revoke(TENANT_ID, one.key_id)
        again, told = await start("pod-5")
        assert (again.secret, again.public) == ("", ""), "what was revoked stays so, and no start makes another"
        assert "keys create --scope '*'" in told[3]


async def test_the_first_conversation_is_the_one_that_the_readme_shows(servers: Servers) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```\n(\{\"success\":true,\"sessionId\".*?\})\n```", readme, re.DOTALL)
    shown = json.loads(text)
    texts = {path: text for path, text in files_in(str(ROOT / "examples" / "parcel-desk")).items() if ".abl" in path}
    async with a_live_gateway(servers, "readme", texts) as gateway:
        body = {"projectId": gateway.project_id, "message": "Hello"}
        answer = (await gateway.call("POST", "/api/v1/chat/agent", body)).json()
    assert {name: answer[name] for name in shown} == shown | {name: answer[name] for name in ("sessionId", "messageId")}


async def test_a_shown_command_makes_keys_on_the_database_that_is_served(tmp_path: Path) -> None:
    seeded = Seeded(tenant_id=TENANT_ID, project_id="p1", name="demo", agents=("Desk",))
    elsewhere = Settings(data_dir=str(tmp_path / "of two words"))
    for mode in ("", PRODUCTION):
        told = greeting(msgspec.structs.replace(elsewhere, mode=mode), seeded, Keys(), "Hello")
        shown = [line for line in told.splitlines() if "keys create" in line]
        assert len(shown) == 2
        for line in shown:
            words = shlex.split(line.partition(": ")[2])
            assert words[words.index("--data-dir") + 1] == elsewhere.data_dir
    assert "--data-dir" not in greeting(Settings(), seeded, Keys(), "Hello")


async def test_a_shown_command_makes_keys_on_the_database_that_the_server_was_given_or_says_what_to_set(
    servers: Servers, tmp_path: Path
) -> None:
    """In a shell that does not know it the command would make a database of its own, and a key good for nothing."""
    async with a_live_gateway(servers, "shown", demo.FILES) as gateway:
        settings = msgspec.structs.replace(gateway.running.settings, mode=PRODUCTION)
        seeded = Seeded(tenant_id=TENANT_ID, project_id=gateway.project_id, name="demo", agents=("Desk",))
        told = greeting(settings, seeded, Keys(), "Hello", database_url=servers.database_url)
        shown = [line.partition("make one: ")[2] for line in told.splitlines() if "keys create" in line]
        assert len(shown) == 2
        own = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        for line in shown:
            plain = line.partition(" --data-dir ")[0] + f" --data-dir {tmp_path / 'made-nowhere'}"
            refused = await _pasted(plain, own)
            assert refused.returncode != 0
            assert "DATABASE_URL: export it as it is for the server" in refused.stderr
            assert not (tmp_path / "made-nowhere").exists()
            made = await _pasted(plain, {**own, "DATABASE_URL": servers.database_url})
            assert made.returncode == 0, made.stderr
            secret = made.stdout.splitlines()[-2]
            assert await is_key(gateway.running.database, secret)


async def _pasted(line: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(
        subprocess.run, ["sh", "-c", line], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )


def test_no_password_of_a_database_is_shown() -> None:
    seeded = Seeded(tenant_id=TENANT_ID, project_id="p1", name="demo", agents=("Desk",))
    url = "postgresql://abl:s3cret@db.example:5433/agents?password=s3cret&sslmode=require"
    told = greeting(Settings(), seeded, Keys(), "Hello", database_url=url)
    assert "whose database is agents at db.example}" in told
    assert "s3cret" not in told
