"""`abl keys` and `abl token`: what they make opens something, what they end does not, and a wrong call says what to do."""

from __future__ import annotations

import asyncio
import base64
import re
from contextlib import suppress
from pathlib import Path

import pytest

from actors.clocks import RandomIds, SystemClock
from actors.installation import token_secrets
from actors.projects import TENANT_ID, put_project
from actors.settings import Settings
from cli.keys import create_key, list_keys, make_token, revoke_key, rewrap_keys, rotate_key
from cli.output import command
from gateway.auth.tokens import Tokens
from storage.crypto import MasterKeys
from storage.database import Database
from storage.repositories.api_keys import ApiKeys, KeyRecord
from storage.vault import Vault
from tests.support.servers import Servers

AGENT = 'AGENT: Greeter\nGOAL: "Greet"\n\nFLOW:\n  entry_point: hello\n\n  hello:\n    REASONING: false\n    RESPOND: "Hi"\n'


@pytest.fixture
def project(servers: Servers, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """Put a project of the test's own in and return its name."""
    monkeypatch.setenv("DATABASE_URL", servers.database_url)
    name = re.sub(r"\W+", "-", request.node.name)

    async def put() -> None:
        database = await Database.open(servers.database_url)
        await put_project(database, name, {"greeter.agent.abl": AGENT})
        await database.close()

    asyncio.run(put())
    return name


def the_key(servers: Servers, plaintext: str) -> KeyRecord | None:
    async def find() -> KeyRecord | None:
        database = await Database.open(servers.database_url)
        try:
            return await ApiKeys(database).find_by_plaintext(plaintext)
        finally:
            await database.close()

    return asyncio.run(find())


def made(capsys: pytest.CaptureFixture[str], **wanted: object) -> tuple[str, str]:
    """Make a key; return its id and itself, as they were printed."""
    capsys.readouterr()
    options = {"name": "", "project": "", "scopes": [], "public": False, "origins": [], "days": None, "data_dir": ""}
    assert create_key(**{**options, **wanted}) == 0
    line, plaintext, _ = capsys.readouterr().out.splitlines()
    return line.split()[0], plaintext


def test_a_key_opens_its_project_with_its_scopes_until_its_day(servers, project, capsys) -> None:
    key_id, plaintext = made(capsys, name="ci", project=project, scopes=["session:read"], days=3)
    key = the_key(servers, plaintext)
    assert key is not None
    assert (key.key_id, key.tenant_id, key.name, key.scopes) == (key_id, TENANT_ID, "ci", ("session:read",))
    assert key.project_id
    assert key.expires_at is not None
    assert 2 <= (key.expires_at - key.created_at).days <= 3


def test_a_key_without_scopes_may_not_do_everything(servers, project, capsys) -> None:
    key = the_key(servers, made(capsys)[1])
    assert key is not None
    assert "*" not in key.scopes
    assert "session:execute" in key.scopes


def test_a_revoked_key_opens_nothing_and_stays_in_the_list(servers, project, capsys) -> None:
    key_id, plaintext = made(capsys, project=project)
    assert revoke_key(key_id, data_dir="") == 0
    assert the_key(servers, plaintext) is None
    capsys.readouterr()
    assert list_keys(project=project, data_dir="") == 0
    listed = capsys.readouterr().out
    assert f"{key_id}  secret" in listed
    assert "revoked" in listed
    assert plaintext not in listed


def test_a_rotated_key_has_another_secret_and_the_last_one_for_a_while(servers, project, capsys) -> None:
    key_id, first = made(capsys, project=project)
    assert rotate_key(key_id, grace_s=60, data_dir="") == 0
    second = capsys.readouterr().out.splitlines()[1]
    assert re.fullmatch("abl_[0-9a-f]{48}", second)
    assert [key.key_id for key in (the_key(servers, first), the_key(servers, second)) if key] == [key_id, key_id]
    assert rotate_key(key_id, grace_s=0, data_dir="") == 0
    assert the_key(servers, first) is None
    with pytest.raises(SystemExit):
        rotate_key(key_id, grace_s=-1, data_dir="")


def test_a_public_key_carries_its_origins_and_a_token_can_be_had_for_it(servers, project, capsys) -> None:
    with pytest.raises(SystemExit):
        make_token(project=project, user="u1", data_dir="")
    assert f"{command()} keys create --public" in capsys.readouterr().err
    _, plaintext = made(capsys, project=project, public=True, origins=["https://shop.example"])
    key = the_key(servers, plaintext)
    assert key is not None
    assert key.details["allowedOrigins"] == ["https://shop.example"]


def test_a_token_is_one_that_the_gateway_takes(servers, project, capsys, tmp_path: Path) -> None:
    made(capsys, project=project, public=True)
    assert make_token(project=project, user="u1", data_dir=str(tmp_path)) == 0
    token = capsys.readouterr().out.splitlines()[0]
    claims = Tokens(
        "sdk", token_secrets(Settings(data_dir=str(tmp_path)))[0], "abl-runtime", SystemClock(), RandomIds()
    ).read(token, grace_s=0)
    assert claims["sub"] == "u1"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"scopes": ["fly"]}, "unknown scope fly; the scopes are"),
        ({"public": True}, "name it with --project"),
        ({"public": True, "project": "p", "scopes": ["*"]}, "leave --scope out"),
        ({"origins": ["https://x.example"]}, "add --public"),
        ({"days": 0}, "--days is 1 or more"),
        ({"project": "nowhere"}, "Project not found"),
    ],
)
def test_a_wrong_call_says_what_to_do(servers, project, capsys, wrong, said) -> None:
    with pytest.raises(SystemExit) as end:
        made(capsys, **wrong)
    assert end.value.code == 2
    assert said in capsys.readouterr().err
    with pytest.raises(SystemExit):
        revoke_key("key_nobody", data_dir="")
    assert f"{command()} keys list shows them" in capsys.readouterr().err


def test_what_seals_secrets_is_put_under_the_first_master_key(servers, project, capsys, monkeypatch) -> None:
    old, new = (base64.b64encode(key * 32).decode() for key in (b"o", b"n"))
    tenant_id, about = f"ten_{project}", ("project", "sec_1", "1")

    async def with_vault(keys: str, sealed: bytes = b"") -> bytes:
        database = await Database.open(servers.database_url)
        try:
            vault = Vault(database, MasterKeys.parse(keys))
            return await (vault.open(tenant_id, sealed, about) if sealed else vault.seal(tenant_id, b"secret", about))
        finally:
            await database.close()

    sealed = asyncio.run(with_vault(old))
    try:
        monkeypatch.setenv("ABL_MASTER_KEYS", f"{new},{old}")
        with suppress(SystemExit):  # other tests of this run leave data keys of master keys of their own
            rewrap_keys(data_dir="")
        assert asyncio.run(with_vault(new, sealed)) == b"secret"
    finally:
        monkeypatch.setenv("ABL_MASTER_KEYS", f"{old},{new}")
        with suppress(SystemExit):
            rewrap_keys(data_dir="")
    assert "data keys wrapped anew" in "".join(capsys.readouterr())
